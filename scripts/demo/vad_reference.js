// SPDX-License-Identifier: Apache-2.0
//
// vad_reference.js: ONNX Runtime on the chunks of the demo's sound, with the state
// carried from chunk to chunk; writes FOLDER/reference.npy.
// Usage: vad_reference.js BUILD_MODELS_FOLDER FOLDER COUNT. Exit status 3: no runtime.
'use strict';
const path = require('path');
const tests = path.join(__dirname, '../../tests/models');
const npy = require(path.join(tests, 'npy.js'));
const { load, session } = require(path.join(tests, 'ort.js'));

async function main() {
  const [models, folder, count] = process.argv.slice(2);
  const ort = load(models);
  if (ort === null)
    process.exit(3);
  const made = await session(ort, path.join(models, 'vad/dist/silero_vad_v5.onnx'), 1);
  const tensor = (file) => {
    const array = npy.read(path.join(folder, file));
    return new ort.Tensor(array.type, array.data, array.dims);
  };
  const sr = tensor('sr.npy'), probabilities = new Float32Array(Number(count));
  let state = tensor('state.npy');
  for (let i = 0; i < probabilities.length; i++) {
    const out = await made.run({ input: tensor(`chunk_${i}.npy`), state, sr });
    probabilities[i] = out.output.data[0];
    state = out.stateN;
  }
  npy.write(path.join(folder, 'reference.npy'),
    { type: 'float32', dims: [probabilities.length], data: probabilities });
}

main().catch((error) => {
  console.error(`error: vad_reference: ${error.message}`);
  process.exit(1);
});
