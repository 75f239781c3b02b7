/* SPDX-License-Identifier: Apache-2.0
 *
 * import.h: an ONNX model to a graph. Every node is bound to its operator
 * definition and checked; shapes are not inferred yet. Source: ONNX IR.md.
 */
#ifndef TSR_ONNX_IMPORT_H
#define TSR_ONNX_IMPORT_H

#include "ir/graph.h"

/* The newest version of the default domain that is known. */
#define TSR_ONNX_OPSET_MAX 28

/* Imports a file, (transfer full). External data is looked for beside it. Domains
 * are those of the registry. An initializer that is also a graph input is the
 * input's value. Errors: IO, CORRUPT, INVALID_ARGUMENT, UNSUPPORTED, each naming
 * the object. */
TsrGraph *tsr_onnx_import_file(TsrOpRegistry *registry, const char *path, GError **error);
/* The same from memory; directory may be NULL. */
TsrGraph *tsr_onnx_import_data(TsrOpRegistry *registry, const guint8 *data, gsize size,
                               const char *directory, GError **error);

#endif
