// SPDX-License-Identifier: Apache-2.0
//
// ort.js: finds the reference runtime that scripts/models.sh unpacked, and runs it
// on .npy files. load() gives null where it is missing or does not fit this machine.
'use strict';
const fs = require('fs');
const path = require('path');
const npy = require('./npy.js');

function load(models) {
  try {
    return require(path.resolve(models, 'node_modules/onnxruntime-node'));
  } catch (error) {
    return null;
  }
}

function fileName(value) {
  return value.replace(/[^\p{L}\p{N}._-]/gu, '_');
}

// One session; threads counts those that work on one operator.
function session(ort, model, threads) {
  return ort.InferenceSession.create(model, {
    intraOpNumThreads: threads, interOpNumThreads: 1, executionMode: 'sequential',
    graphOptimizationLevel: 'all', logSeverityLevel: 3,
  });
}

// The inputs of a session from FOLDER/<input>.npy.
function feeds(ort, made, folder) {
  const out = {};
  for (const name of made.inputNames) {
    const array = npy.read(path.join(folder, fileName(name) + '.npy'));
    out[name] = new ort.Tensor(array.type, array.data, array.dims);
  }
  return out;
}

// Rows of models.tsv: {name, model, inputs: [{name, dims, type, kind}]}.
function rows(models) {
  return fs.readFileSync(path.join(__dirname, 'models.tsv'), 'utf8').split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [name, model, inputs] = line.split('\t');
      return {
        name, model: path.join(models, model),
        inputs: inputs.split(';').map((text) => {
          const parts = text.split(':');
          const [dims, type, kind] = parts.splice(-3);
          return { name: parts.join(':'), type, kind,
            dims: dims === '' ? [] : dims.split(',').map(Number) };
        }),
      };
    });
}

module.exports = { load, session, feeds, rows, fileName };
