// SPDX-License-Identifier: Apache-2.0
//
// memory_ort.js: peak resident memory of a process that runs a network of models.tsv five
// times in ONNX Runtime, in bytes on standard output. Without NAME: of one that only
// starts; with NAME "-": of one that loads the runtime and no network.
// Usage: memory_ort.js BUILD_MODELS_FOLDER [NAME]
'use strict';
const path = require('path');

async function main() {
  const [models, name] = process.argv.slice(2);
  if (name !== undefined) {
    const { load, session, feeds, rows } = require('./ort.js');
    const ort = load(models);
    if (ort === null)
      process.exit(3);
    if (name !== '-') {
      const row = rows(models).find((r) => r.name === name);
      const made = await session(ort, row.model, 1);
      const inputs = feeds(ort, made, path.join(models, 'inputs', name));
      for (let i = 0; i < 5; i++)
        await made.run(inputs);
    }
  }
  console.log(process.resourceUsage().maxRSS * 1024);
}

main().catch((error) => {
  console.error(`error: memory_ort: ${error.message}`);
  process.exit(1);
});
