/* SPDX-License-Identifier: Apache-2.0
 *
 * format_util.h: what definitions say about origin formats, as infer_format_full slots.
 * A definition without one is taken by the framework's own rule: it keeps axes when its
 * output is its input's twin or joins its inputs' shapes by broadcasting.
 * Invariant of every function: a rank that is not known is no opinion and no error.
 */
#ifndef TSR_OPS_FORMAT_UTIL_H
#define TSR_OPS_FORMAT_UTIL_H

#include <tessera/plugin_util.h>

/* Input 0 and output 0 mean N, C and then space: NCDHW at rank 5, NCHW at rank 4, and
 * NCHW without H at rank 3. */
int32_t tsr_format_channels(const TsrOpDef *def, TsrFormatContext *context);
/* The same, and the weights [M, C / group, H, W] are read as N, C, H, W. */
int32_t tsr_format_conv(const TsrOpDef *def, TsrFormatContext *context);
/* Input 0 and all outputs of its rank mean the same; further inputs are parameters. */
int32_t tsr_format_keep(const TsrOpDef *def, TsrFormatContext *context);
/* All inputs and outputs of one rank mean the same. */
int32_t tsr_format_join(const TsrOpDef *def, TsrFormatContext *context);
/* The axes of one side say nothing about the other's. */
int32_t tsr_format_unrelated(const TsrOpDef *def, TsrFormatContext *context);
/* Transpose: perm takes one known format to another, as NHWC to NCHW. */
int32_t tsr_format_transpose(const TsrOpDef *def, TsrFormatContext *context);
/* If, Loop, Scan: what goes into and out of a subgraph means what it means outside. */
int32_t tsr_format_if(const TsrOpDef *def, TsrFormatContext *context);
int32_t tsr_format_loop(const TsrOpDef *def, TsrFormatContext *context);
int32_t tsr_format_scan(const TsrOpDef *def, TsrFormatContext *context);

#endif
