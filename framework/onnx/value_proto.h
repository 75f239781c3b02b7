/* SPDX-License-Identifier: Apache-2.0
 *
 * value_proto.h: data files of the ONNX backend suite as arrays: a TensorProto,
 * SequenceProto or OptionalProto, as the kind of the input or output says.
 */
#ifndef TSR_ONNX_VALUE_PROTO_H
#define TSR_ONNX_VALUE_PROTO_H

#include "ir/array.h"

/* Reads a .pb file as a value of that TSR_KIND_. Errors: IO, CORRUPT,
 * INVALID_ARGUMENT, UNSUPPORTED (maps), naming the file. (transfer full) */
TsrArray *tsr_value_file_read(const char *path, guint32 kind, GError **error);

#endif
