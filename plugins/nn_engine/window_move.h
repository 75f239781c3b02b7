/* SPDX-License-Identifier: Apache-2.0
 *
 * window_move.h: one move of a box of elements from a tensor to a window of another, which
 * is what Concat, Split, Slice and Pad are made of; built by build_window.c.
 */
#ifndef TSR_NN_WINDOW_MOVE_H
#define TSR_NN_WINDOW_MOVE_H

#include "nn.h"

/* y at y_first + i is x at x_first + i * x_step for i < count, over the dims of the origin
 * shape. Without x_arg (TSR_ARG_NULL) there is only fill. */
typedef struct NnWindowMove {
    const TsrTensorDesc *x, *y; /* both plain, or both NC1HWC0 */
    uint32_t x_arg, y_arg;
    int fill;         /* every other place of y becomes `value`; plain storage: always */
    float value;
    int64_t x_first[TSR_NPU_MAX_DIMS], x_step[TSR_NPU_MAX_DIMS];
    int64_t y_first[TSR_NPU_MAX_DIMS], count[TSR_NPU_MAX_DIMS];
} NnWindowMove;

/* The move of all of x to the beginning of y. */
NnWindowMove nn_window_whole(const TsrTensorDesc *x, const TsrTensorDesc *y, uint32_t x_arg,
                             uint32_t y_arg);

int32_t nn_build_window(TsrTaskSink *sink, const NnWindowMove *move);

#endif
