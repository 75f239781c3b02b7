// SPDX-License-Identifier: Apache-2.0
//
// minute.js: the voice detectors over a minute of audio, 32 ms a step, the state carried by
// the caller. ONNX Runtime does the same with its own state, and the answer of every step is
// compared. Called by run_models.sh; the last line printed is the result.
// Usage: minute.js STEP_THROUGH BUILD_MODELS_FOLDER [ROUNDS]
// With ROUNDS the two take turns so often, and the least medians of a step are given too.
// Exit status 3: outputs differ; 4: something is not there.
'use strict';
const fs = require('fs');
const path = require('path');
const { spawnSync } = require('child_process');
const npy = require('./npy.js');
const { load, session, feeds } = require('./ort.js');

const [stepper, models, words] = process.argv.slice(2);
const rounds = Number(words || 1), TOLERANCE = 1e-4;
const NETWORKS = [
  { name: 'silero_vad_v5', file: 'vad/dist/silero_vad_v5.onnx', y: 'output',
    carried: [['state', 'stateN']] },
  { name: 'silero_vad_legacy', file: 'vad/dist/silero_vad_legacy.onnx', y: 'output',
    carried: [['h', 'hn'], ['c', 'cn']] },
];
const now = () => Number(process.hrtime.bigint()) / 1e3;

function leave(status, text) {
  console.log(text);
  process.exit(status);
}

async function reference(ort, network, rows, folder) {
  const made = await session(ort, path.join(models, network.file), 1);
  const inputs = feeds(ort, made, folder);
  const [steps, columns] = rows.dims;
  const answers = [], times = [];
  for (let step = 0; step < steps; step++) {
    inputs.input = new ort.Tensor('float32',
      rows.data.slice(step * columns, (step + 1) * columns), [1, columns]);
    const begin = now();
    const outputs = await made.run(inputs);
    times.push(now() - begin);
    answers.push(outputs[network.y].data[0]);
    for (const [state, next] of network.carried)
      inputs[state] = outputs[next];
  }
  times.sort((a, b) => a - b);
  return { answers, median: times[steps >> 1] };
}

function ours(network, minute, folder, result) {
  const done = spawnSync(stepper, [path.join(models, network.file), folder, minute, 'input',
    network.y, result, ...network.carried.map((pair) => pair.join('='))],
  { encoding: 'utf8', timeout: 300000 });
  if (done.status !== 0)
    leave(1, `${network.name}: ${(done.stderr || String(done.error || '')).trim()}`);
  return { answers: npy.read(result).data, median: Number(done.stdout.split(' ')[0]) };
}

async function main() {
  const minute = path.join(models, 'minute', 'speech.npy');
  const ort = load(models);
  const made = spawnSync('/usr/bin/python3', [path.join(__dirname, 'make_minute.py'), minute],
    { encoding: 'utf8' });
  if (ort === null || made.status !== 0)
    leave(4, ort === null ? 'ONNX Runtime is not there' : made.stderr.trim());
  const rows = npy.read(minute);
  const texts = [];
  for (const network of NETWORKS) {
    if (!fs.existsSync(path.join(models, network.file)))
      leave(4, `${network.file} is not there`);
    const folder = path.join(models, 'inputs', network.name);
    let mine = Infinity, theirs = Infinity, most = 0, heard = 0;
    for (let round = 0; round < rounds; round++) {
      const a = ours(network, minute, folder, path.join(models, 'minute', 'answers.npy'));
      const b = await reference(ort, network, rows, folder);
      mine = Math.min(mine, a.median);
      theirs = Math.min(theirs, b.median);
      heard = b.answers.filter((answer) => answer > 0.5).length;
      b.answers.forEach((answer, step) => {
        const difference = Math.abs(answer - a.answers[step]);
        if (!(difference <= TOLERANCE))
          leave(3, `${network.name}: step ${step}: ${a.answers[step]}, wanted ${answer}`);
        most = Math.max(most, difference);
      });
    }
    texts.push(`${network.name} ${rows.dims[0]} steps equal (${heard} heard, greatest ` +
      `difference ${most.toExponential(1)})` + (words === undefined ? '' :
      `, a step ${mine.toFixed(1)} us to ${theirs.toFixed(1)} us: ` +
      `${(theirs / mine).toFixed(2)} times`));
  }
  leave(0, texts.join('; '));
}

main().catch((error) => leave(1, error.message));
