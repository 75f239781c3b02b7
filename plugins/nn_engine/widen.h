/* SPDX-License-Identifier: Apache-2.0
 *
 * widen.h: narrow floats for rows whose kernels know float only; see widen.c.
 */
#ifndef TSR_NN_WIDEN_H
#define TSR_NN_WIDEN_H

#include "nn.h"

/* Whether the node is one of float16 or bfloat16 of a row with NN_WIDENS. */
int nn_widens(const NnOp *op, const TsrNodeView *node);
/* Builds it between casts; constants that the builder reads are floats already. */
int32_t nn_widen_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink);

#endif
