// SPDX-License-Identifier: Apache-2.0
//
// npy.js: reads and writes NumPy's .npy files (NEP 1) for the scripts beside it.
'use strict';
const fs = require('fs');

// NumPy's type code, ONNX Runtime's name, the typed array.
const TYPES = [
  ['<f4', 'float32', Float32Array], ['<f8', 'float64', Float64Array],
  ['|i1', 'int8', Int8Array], ['|u1', 'uint8', Uint8Array], ['<i2', 'int16', Int16Array],
  ['<u2', 'uint16', Uint16Array], ['<i4', 'int32', Int32Array], ['<u4', 'uint32', Uint32Array],
  ['<i8', 'int64', BigInt64Array], ['<u8', 'uint64', BigUint64Array], ['|b1', 'bool', Uint8Array],
];

function read(path) {
  const file = fs.readFileSync(path);
  if (file.length < 12 || file.toString('latin1', 1, 6) !== 'NUMPY')
    throw new Error(`${path} is not a .npy file`);
  const long = file[6] > 1;
  const size = long ? file.readUInt32LE(8) : file.readUInt16LE(8);
  const start = (long ? 12 : 10) + size;
  const header = file.toString('latin1', long ? 12 : 10, start);
  const code = /'descr':\s*'([^']+)'/.exec(header)[1];
  if (/'fortran_order':\s*True/.test(header))
    throw new Error(`${path} is in Fortran order`);
  const dims = /'shape':\s*\(([^)]*)\)/.exec(header)[1].split(',')
    .map((d) => d.trim()).filter((d) => d !== '').map(Number);
  const row = TYPES.find((r) => r[0] === code);
  if (row === undefined)
    throw new Error(`${path} has elements of type ${code}`);
  const bytes = file.buffer.slice(file.byteOffset + start, file.byteOffset + file.length);
  return { type: row[1], dims, data: new row[2](bytes) };
}

function write(path, tensor) {
  const row = TYPES.find((r) => r[1] === tensor.type);
  if (row === undefined)
    throw new Error(`${path}: no .npy type for ${tensor.type}`);
  const shape = tensor.dims.length === 1 ? `${tensor.dims[0]},` : tensor.dims.join(', ');
  let header = `{'descr': '${row[0]}', 'fortran_order': False, 'shape': (${shape}), }`;
  header += ' '.repeat(63 - (10 + header.length) % 64) + '\n';
  const head = Buffer.alloc(10);
  head.write('\x93NUMPY\x01\x00', 'latin1');
  head.writeUInt16LE(header.length, 8);
  const data = tensor.data;
  fs.writeFileSync(path, Buffer.concat([head, Buffer.from(header, 'latin1'),
    Buffer.from(data.buffer, data.byteOffset, data.byteLength)]));
}

module.exports = { read, write };
