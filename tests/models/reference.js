// SPDX-License-Identifier: Apache-2.0
//
// reference.js: runs ONNX Runtime on the inputs of the model tests and caches what it
// gives as BUILD_MODELS/reference/<model>/output_K.npy, K in the order of the outputs.
// Usage: reference.js BUILD_MODELS_FOLDER [MODEL...]
//        reference.js BUILD_MODELS_FOLDER --run MODEL.onnx INPUT_FOLDER OUTPUT_FOLDER
// Exit status 3: the runtime is not there.
'use strict';
const fs = require('fs');
const path = require('path');
const npy = require('./npy.js');
const { load, session, feeds, rows } = require('./ort.js');

async function run(ort, model, inputs, target) {
  const made = await session(ort, model, 2);
  const outputs = await made.run(feeds(ort, made, inputs));
  const part = target + '.part';
  fs.rmSync(part, { recursive: true, force: true });
  fs.mkdirSync(part, { recursive: true });
  made.outputNames.forEach((name, index) =>
    npy.write(path.join(part, `output_${index}.npy`), outputs[name]));
  fs.rmSync(target, { recursive: true, force: true });
  fs.renameSync(part, target);
  await made.release();
}

async function main() {
  const [models, ...words] = process.argv.slice(2);
  const ort = load(models);
  if (ort === null)
    process.exit(3);
  if (words[0] === '--run') {
    await run(ort, words[1], words[2], words[3]);
    return;
  }
  let failed = false;
  for (const row of rows(models)) {
    const target = path.join(models, 'reference', row.name);
    if ((words.length > 0 && !words.includes(row.name)) || fs.existsSync(target) ||
        !fs.existsSync(row.model))
      continue;
    try {
      await run(ort, row.model, path.join(models, 'inputs', row.name), target);
    } catch (error) {
      console.error(`error: reference of ${row.name}: ${error.message}`);
      failed = true;
    }
  }
  process.exit(failed ? 1 : 0);
}

main().catch((error) => {
  console.error(`error: reference: ${error.message}`);
  process.exit(1);
});
