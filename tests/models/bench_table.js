// SPDX-License-Identifier: Apache-2.0
//
// bench_table.js: the loop and the table of scripts/bench.sh.
// Usage: bench_table.js TESSERA BUILD_MODELS_FOLDER THREADS ROUNDS SECONDS [NAME...]
'use strict';
const fs = require('fs');
const path = require('path');
const { spawnSync } = require('child_process');
const { rows } = require('./ort.js');

const [tessera, models, threads, rounds, seconds, ...names] = process.argv.slice(2);

function json(command, words) {
  const done = spawnSync(command, words, { encoding: 'utf8', maxBuffer: 1 << 26 });
  if (done.status !== 0) {
    const line = (done.stderr || '').split('\n').find((l) => l.includes('error'));
    throw new Error(line || `${path.basename(command)} ended with status ${done.status}`);
  }
  return JSON.parse(done.stdout);
}

function ours(row, words) {
  const folder = path.join(models, 'compiled');
  const om = path.join(folder, row.name + '.om');
  fs.mkdirSync(folder, { recursive: true });
  const pairs = (key) => words.filter((word, i) => word === key || words[i - 1] === key);
  const shapes = pairs('--input-shape'), inputs = pairs('--input');
  json(tessera, ['compile', row.model, '-o', om, '--threads', threads, '--json', ...shapes]);
  return () => json(tessera, ['bench', om, '--threads', threads, '--json', ...inputs]);
}

const better = (a, b) => a === null || b.median_ms < a.median_ms
  ? { ...b, load_ms: Math.min(b.load_ms, a ? a.load_ms : Infinity) }
  : { ...a, load_ms: Math.min(a.load_ms, b.load_ms) };
const number = (value, digits, width) => value.toFixed(digits).padStart(width);
const mean = (list) => Math.exp(list.reduce((sum, x) => sum + Math.log(x), 0) / list.length);

console.log(`${threads} thread(s); milliseconds; ratio above 1: Tessera is faster`);
console.log('network             tessera       ORT   ratio |    load  ORT load   ratio');
const latency = [], loads = [];
let failed = 0;
for (const row of rows(models)) {
  if ((names.length > 0 && !names.includes(row.name)) || !fs.existsSync(row.model))
    continue;
  try {
    const words = fs.readFileSync(path.join(models, 'inputs', row.name, 'arguments'), 'utf8')
      .split('\n').filter((line) => line !== '');
    const bench = ours(row, words);
    let a = null, b = null;
    for (let i = 0; i < Number(rounds); i++) {
      a = better(a, bench());
      b = better(b, json(process.execPath, [path.join(__dirname, 'bench_ort.js'), models, row.name,
        '--threads', threads, '--seconds', seconds]));
    }
    latency.push(b.median_ms / a.median_ms);
    loads.push(b.load_ms / a.load_ms);
    console.log(row.name.padEnd(18) + number(a.median_ms, 3, 9) + number(b.median_ms, 3, 10) +
      number(b.median_ms / a.median_ms, 2, 8) + ' |' + number(a.load_ms, 2, 8) +
      number(b.load_ms, 1, 10) + number(b.load_ms / a.load_ms, 1, 8));
  } catch (error) {
    console.log(`${row.name.padEnd(18)} ${error.message}`);
    failed++;
  }
}
if (latency.length > 0)
  console.log(`geometric mean of ${latency.length}: latency ${mean(latency).toFixed(2)}x, ` +
    `load ${mean(loads).toFixed(1)}x; slower on ${latency.filter((r) => r < 1).length}`);
process.exit(failed > 0 ? 1 : 0);
