/* SPDX-License-Identifier: Apache-2.0
 *
 * external_data.h: tensor data in a file beside the model. Only plain files below
 * the model's own directory are read. Source: ONNX ExternalData.md and
 * ExternalDataSecurity.md.
 */
#ifndef TSR_ONNX_EXTERNAL_DATA_H
#define TSR_ONNX_EXTERNAL_DATA_H

#include <glib.h>

#include "onnx/onnx.pb-c.h"

/* The size_bytes of a tensor, (transfer full). Errors: INVALID_ARGUMENT (location
 * outside the directory, offset and length that do not fit), IO; they name the
 * tensor and the file. */
GBytes *tsr_external_data_read(const Onnx__Tensor *proto, const char *directory,
                               guint64 size_bytes, GError **error);

#endif
