// SPDX-License-Identifier: Apache-2.0
//
// features.js: makes the inputs of the wake word networks from speech, by the two
// feature networks that come with them, the way openWakeWord chains them: mel frames
// of 16-bit samples scaled by x / 10 + 2, windows of 76 frames every 8 frames.
// Usage: features.js BUILD_MODELS_FOLDER. Without the reference runtime it does
// nothing, and the tests of these networks are skipped.
'use strict';
const fs = require('fs');
const path = require('path');
const npy = require('./npy.js');
const { load, session, rows, fileName } = require('./ort.js');

const FRAMES = 76, STEP = 8, HOP = 160, WINDOW = 512;

async function main() {
  const models = process.argv[2];
  const ort = load(models);
  if (ort === null)
    return;
  const todo = [];
  for (const row of rows(models))
    for (const input of row.inputs) {
      const base = path.join(models, 'inputs', row.name, fileName(input.name));
      if (input.kind.startsWith('embedding=') && fs.existsSync(base + '.speech.npy') &&
          !fs.existsSync(base + '.npy'))
        todo.push({ base, dims: input.dims });
    }
  if (todo.length === 0)
    return;
  const folder = path.join(models, 'wakeword/models');
  const toMel = await session(ort, path.join(folder, 'melspectrogram.onnx'), 1);
  const toEmbedding = await session(ort, path.join(folder, 'embedding_model.onnx'), 1);
  for (const { base, dims } of todo) {
    const [, windows, width] = dims;
    const frames = FRAMES + (windows - 1) * STEP;
    // The phrase ends the stretch, silence stands before it.
    const samples = new Float32Array((frames - 1) * HOP + WINDOW);
    const speech = npy.read(base + '.speech.npy').data;
    const tail = speech.subarray(Math.max(0, speech.length - samples.length));
    samples.set(tail, samples.length - tail.length);
    const mel = await toMel.run({
      [toMel.inputNames[0]]: new ort.Tensor('float32', samples, [1, samples.length]) });
    const values = mel[toMel.outputNames[0]].data.map((x) => x / 10 + 2);
    const bands = values.length / frames;
    const batch = new Float32Array(windows * FRAMES * bands);
    for (let i = 0; i < windows; i++)
      batch.set(values.subarray(i * STEP * bands, (i * STEP + FRAMES) * bands), i * FRAMES * bands);
    const out = await toEmbedding.run({
      [toEmbedding.inputNames[0]]:
        new ort.Tensor('float32', batch, [windows, FRAMES, bands, 1]) });
    const data = out[toEmbedding.outputNames[0]].data;
    if (data.length !== windows * width)
      throw new Error(`${base}: wanted ${windows} x ${width} numbers, got ${data.length}`);
    npy.write(base + '.npy', { type: 'float32', dims, data });
  }
}

main().catch((error) => {
  console.error(`error: features: ${error.message}`);
  process.exit(1);
});
