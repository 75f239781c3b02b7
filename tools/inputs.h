/* SPDX-License-Identifier: Apache-2.0
 *
 * inputs.h: the tensors a run starts from and is compared with.
 */
#ifndef TSR_TOOLS_INPUTS_H
#define TSR_TOOLS_INPUTS_H

#include "api/session.h"
#include "ir/array.h"

/* Reads FILE.npy or FILE.pb. (transfer full) */
TsrArray *tsr_tool_read_array(const char *path, GError **error);

/* Makes every input of the model: specs are NAME=FILE.npy, NAME=FILE.pb,
 * NAME=random[:SEED] or NAME=zeros; inputs that none names are random with seed 42. shapes are
 * those of --input-shape, for what is not read. (transfer full), as many as the model has
 * inputs. */
GPtrArray *tsr_tool_make_inputs(TsrModel *model, char **specs, char **shapes, GError **error);

/* A file name for a tensor: characters that are unfit become '_'. (transfer full) */
char *tsr_tool_file_name(const char *tensor, const char *suffix);

/* A tensor of an input or output that has a storage format: an array of the shape that the
 * user means is brought into storage, and back. One of the other shape is handed on. (transfer
 * full) */
TsrArray *tsr_tool_to_storage(const TsrTensorDesc *desc, TsrArray *array, GError **error);
TsrArray *tsr_tool_from_storage(const TsrTensorDesc *desc, TsrArray *array, GError **error);

#endif
