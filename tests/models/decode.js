// SPDX-License-Identifier: Apache-2.0
//
// decode.js: the decoder of make_transformers.py token by token. It is compiled once with
// every shape left open; a prompt is read, then each step gets one token and the keys and
// values that Tessera gave in the step before. ONNX Runtime does the same with its own, and
// all outputs of every step are compared. Called by run_models.sh; the last line printed is
// the result.
// Usage: decode.js TESSERA BUILD_MODELS_FOLDER THREADS
// Exit status 3: outputs differ; 4: the network or the runtime is not there.
'use strict';
const fs = require('fs');
const path = require('path');
const { spawnSync } = require('child_process');
const npy = require('./npy.js');
const { load, session } = require('./ort.js');

const [tessera, models, threads] = process.argv.slice(2);
const LAYERS = 4, HEADS = 6, SIZE = 64, VOCABULARY = 4096, PROMPT = 5, STEPS = 12;

function tool(words) {
  const done = spawnSync(tessera, words,
    { encoding: 'utf8', maxBuffer: 1 << 26, timeout: 300000 });
  if (done.status !== 0 && done.status !== 3) {
    const text = done.stderr || done.stdout || String(done.error || '');
    console.log(text.split('\n').find((l) => l.includes('error')) || text.trim());
    process.exit(1);
  }
  return done;
}

async function main() {
  const model = path.join(models, 'transformers/decoder.onnx');
  const ort = load(models);
  if (ort === null || !fs.existsSync(model)) {
    console.log(ort === null ? 'ONNX Runtime is not there' : `${model} is not there`);
    process.exit(4);
  }
  const folder = path.join(models, 'decode');
  const reference = path.join(folder, 'reference');
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(reference, { recursive: true });
  const om = path.join(folder, 'decoder.om');
  tool(['compile', model, '-o', om, '--threads', threads]);

  const caches = [];
  for (let layer = 0; layer < LAYERS; layer++)
    caches.push(`key.${layer}`, `value.${layer}`);
  const made = await session(ort, model, 1);
  const feeds = {};
  const words = ['run', om, '--threads', threads, '--rtol', '1e-3', '--atol', '1e-4',
    '--compare', reference, '--output', folder, '--input', `input_ids=${folder}/input_ids.npy`];
  for (const name of caches) {
    feeds[`past_${name}`] = new ort.Tensor('float32', new Float32Array(0), [1, HEADS, 0, SIZE]);
    npy.write(path.join(folder, `past_${name}.npy`), feeds[`past_${name}`]);
    words.push('--input', `past_${name}=${folder}/past_${name}.npy`);
  }
  let tokens = Array.from({ length: PROMPT }, (_, i) => (i * 977 + 5) % VOCABULARY);
  for (let step = 0; step < STEPS; step++) {
    feeds.input_ids = new ort.Tensor('int64', BigInt64Array.from(tokens, BigInt),
      [1, tokens.length]);
    npy.write(path.join(folder, 'input_ids.npy'), feeds.input_ids);
    const outputs = await made.run(feeds);
    made.outputNames.forEach((name, index) =>
      npy.write(path.join(reference, `output_${index}.npy`), outputs[name]));
    const done = tool(words);
    if (done.status === 3) {
      const line = done.stderr.split('\n').find((l) => l.startsWith('difference'));
      console.log(`step ${step}: ${line}`);
      process.exit(3);
    }
    for (const name of caches) {
      feeds[`past_${name}`] = outputs[`present_${name}`];
      fs.renameSync(path.join(folder, `present_${name}.npy`),
        path.join(folder, `past_${name}.npy`));
    }
    /* The likeliest token of the last place goes in next. */
    const last = outputs.logits.data.subarray(-VOCABULARY);
    tokens = [last.reduce((best, v, i) => (v > last[best] ? i : best), 0)];
    console.log(`step ${step}: the cache has ${outputs['present_key.0'].dims[2]} places, ` +
      `next token ${tokens[0]}`);
  }
  await made.release();
  fs.rmSync(folder, { recursive: true, force: true });
  console.log(`${STEPS} steps equal`);
}

main().catch((error) => {
  console.log(`error: decode: ${error.message}`);
  process.exit(1);
});
