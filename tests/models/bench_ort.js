// SPDX-License-Identifier: Apache-2.0
//
// bench_ort.js: latency of ONNX Runtime on a network of models.tsv or on MODEL.onnx
// with a folder of inputs; one JSON object on standard output with the keys of
// `tessera bench --json`: load_ms (session creation), median_ms, p10_ms, p90_ms,
// min_ms, runs, threads.
// Usage: bench_ort.js BUILD_MODELS_FOLDER NAME [--threads N] [--seconds S]
'use strict';
const path = require('path');
const { load, session, feeds, rows } = require('./ort.js');

const now = () => Number(process.hrtime.bigint()) / 1e6;

async function main() {
  const [models, name, ...words] = process.argv.slice(2);
  const option = (key, missing) =>
    words.includes(key) ? Number(words[words.indexOf(key) + 1]) : missing;
  const threads = option('--threads', 1), seconds = option('--seconds', 2);
  const ort = load(models);
  if (ort === null)
    process.exit(3);
  const row = rows(models).find((r) => r.name === name);
  if (row === undefined)
    throw new Error(`no network '${name}' in models.tsv`);
  const begin = now();
  const made = await session(ort, row.model, threads);
  const loadMs = now() - begin;
  const inputs = feeds(ort, made, path.join(models, 'inputs', name));
  for (let i = 0; i < 3; i++)
    await made.run(inputs);
  const times = [];
  const until = now() + seconds * 1000;
  while (times.length < 5 || (now() < until && times.length < 20000)) {
    const start = now();
    await made.run(inputs);
    times.push(now() - start);
  }
  times.sort((a, b) => a - b);
  const at = (part) => times[Math.min(times.length - 1, Math.floor(part * times.length))];
  console.log(JSON.stringify({ model: name, threads, load_ms: loadMs, median_ms: at(0.5),
    p10_ms: at(0.1), p90_ms: at(0.9), min_ms: times[0], runs: times.length }));
}

main().catch((error) => {
  console.error(`error: bench_ort: ${error.message}`);
  process.exit(1);
});
