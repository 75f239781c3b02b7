/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_proto.h: ONNX TensorProto (and SparseTensorProto) to a descriptor and
 * aligned bytes, external data included. Source: ONNX IR.md, ExternalData.md,
 * ExternalDataSecurity.md.
 */
#ifndef TSR_ONNX_TENSOR_PROTO_H
#define TSR_ONNX_TENSOR_PROTO_H

#include "ir/desc.h"
#include "onnx/onnx.pb-c.h"

/* directory is where the model lies, for external data; NULL when it has none.
 * Returns the data (transfer full) and fills out_desc. Errors: INVALID_ARGUMENT,
 * UNSUPPORTED or IO, naming the tensor. */
GBytes *tsr_tensor_proto_read(const Onnx__Tensor *proto, const char *directory,
                              TsrDesc *out_desc, GError **error);

/* The same tensor written out densely. */
GBytes *tsr_sparse_proto_read(const Onnx__SparseTensor *proto, const char *directory,
                              TsrDesc *out_desc, GError **error);

/* A tensor file (.pb) of the ONNX backend suite: one TensorProto. out_name may be
 * NULL. */
GBytes *tsr_tensor_file_read(const char *path, TsrDesc *out_desc, char **out_name,
                             GError **error);

/* Bytes of a string tensor: TsrString elements followed by their text. strings has
 * count entries. (transfer full), NULL when there is no memory. */
GBytes *tsr_strings_to_bytes(const TsrString *strings, gsize count);

#endif
