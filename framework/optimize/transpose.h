/* SPDX-License-Identifier: Apache-2.0
 *
 * transpose.h: what the passes over Transposes share: reading one and adding one.
 */
#ifndef TSR_OPTIMIZE_TRANSPOSE_H
#define TSR_OPTIMIZE_TRANSPOSE_H

#include <tessera/plugin_util.h>

#include "optimize/graph_pass.h"

/* Dimension i of y is dimension perm[i] of x. */
typedef struct TsrTranspose {
    TsrValue *x;
    TsrValue *y;
    guint32 rank;
    gint64 perm[TSR_MAX_RANK];
} TsrTranspose;

/* FALSE when the node is none, or the rank is not known. */
gboolean tsr_transpose_read(const TsrNode *node, TsrTranspose *out);
gboolean tsr_perm_is_identity(guint32 rank, const gint64 *perm);
/* A new Transpose of x, inferred; its output, or NULL with an error. */
TsrValue *tsr_transpose_add(TsrGraph *graph, const TsrOpDef *def, const char *name, TsrValue *x,
                            guint32 rank, const gint64 *perm, GError **error);

#endif
