// SPDX-License-Identifier: Apache-2.0
//
// memory_table.js: the work of scripts/memory.sh: compiles each network, reads its memory
// figures, measures both processes and prints a Markdown table.
// Usage: memory_table.js TESSERA BUILD_MODELS_FOLDER WORK_FOLDER [NAME...]
'use strict';
const { execFileSync } = require('child_process');
const fs = require('fs');
const path = require('path');
const { rows } = require('./ort.js');

const [tessera, models, work, ...wanted] = process.argv.slice(2);

function run(command, words) {
  return execFileSync(command, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 1 << 28 });
}

// [--input-shape NAME:..., ...] and [--input NAME=..., ...] of a network.
function words(name) {
  const lines = fs.readFileSync(path.join(models, 'inputs', name, 'arguments'), 'utf8')
    .split('\n');
  const shapes = [], inputs = [];
  for (let i = 0; i + 1 < lines.length; i += 2)
    (lines[i] === '--input-shape' ? shapes : inputs).push(lines[i], lines[i + 1]);
  return { shapes, inputs };
}

const mib = (bytes) => (bytes / 1048576).toFixed(1);
const kib = (bytes) => (bytes / 1024).toFixed(0);

function measure(row) {
  const om = path.join(work, row.name + '.memory.om');
  const { shapes, inputs } = words(row.name);
  const report = JSON.parse(run(tessera, ['compile', row.model, '-o', om, '--json', ...shapes]));
  const ours = JSON.parse(run(tessera, ['bench', om, '--json', '--runs', '5', '--threads', '1',
    ...inputs]));
  fs.unlinkSync(om);
  const theirs = Number(run('node', [path.join(__dirname, 'memory_ort.js'), models, row.name]));
  const m = report.memory;
  const planned = report.mode === 'sink';
  const cells = planned
    ? [kib(m.activation_bytes), kib(m.lower_bound_bytes),
      m.lower_bound_bytes ? (m.activation_bytes / m.lower_bound_bytes).toFixed(3) : '1.000',
      kib(m.no_reuse_bytes), (m.no_reuse_bytes / Math.max(m.activation_bytes, 64)).toFixed(1)]
    : ['-', '-', '-', '-', '-'];
  console.log(`| ${[row.name, ...cells, mib(ours.peak_rss_bytes), mib(theirs),
    (theirs / ours.peak_rss_bytes).toFixed(2)].join(' | ')} |`);
  return { planned, factor: m.no_reuse_bytes / Math.max(m.activation_bytes, 64),
    ratio: theirs / ours.peak_rss_bytes };
}

function geomean(numbers) {
  return Math.exp(numbers.reduce((sum, n) => sum + Math.log(n), 0) / numbers.length);
}

console.log('| network | activations KiB | lower bound KiB | ratio | without reuse KiB | factor |' +
  ' ours MiB | ONNX Runtime MiB | theirs / ours |');
console.log('|---|---|---|---|---|---|---|---|---|');
const results = [];
for (const row of rows(models))
  if ((wanted.length === 0 || wanted.includes(row.name)) && fs.existsSync(row.model)) {
    try {
      results.push(measure(row));
    } catch (error) {
      console.log(`| ${row.name} | failed: ${String(error.stderr || error.message).trim()} |`);
      process.exitCode = 1;
    }
  }
const planned = results.filter((r) => r.planned);
if (planned.length !== 0)
  console.log(`\nGeometric mean of the factor over ${planned.length} planned networks: ` +
    `${geomean(planned.map((r) => r.factor)).toFixed(2)}.`);
if (results.length !== 0)
  console.log(`Theirs / ours: geometric mean ${geomean(results.map((r) => r.ratio)).toFixed(2)}, ` +
    `least ${Math.min(...results.map((r) => r.ratio)).toFixed(2)}.`);
const baseline = (list) => mib(Number(run('node', [path.join(__dirname, 'memory_ort.js'),
  ...list])));
console.log(`A node process that loads nothing: ${baseline([models])} MiB, ` +
  `with ONNX Runtime loaded: ${baseline([models, '-'])} MiB.`);
