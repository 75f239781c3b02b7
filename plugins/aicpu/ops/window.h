/* SPDX-License-Identifier: Apache-2.0
 *
 * window.h: the geometry of a window that slides over spatial axes, as Conv,
 * ConvTranspose and the pooling kernels read it from a node's attributes.
 */
#ifndef AICPU_OPS_WINDOW_H
#define AICPU_OPS_WINDOW_H

#include "../aicpu.h"

typedef struct Window {
    uint32_t spatial;
    int64_t in[TSR_MAX_RANK];       /* extents of the input */
    int64_t out[TSR_MAX_RANK];
    int64_t kernel[TSR_MAX_RANK];
    int64_t stride[TSR_MAX_RANK];
    int64_t dilation[TSR_MAX_RANK];
    int64_t begin[TSR_MAX_RANK];    /* padding before, auto_pad resolved */
    int64_t end[TSR_MAX_RANK];      /* padding after */
    int64_t in_count;               /* products of the extents above */
    int64_t out_count;
    int64_t kernel_count;
} Window;

/* Reads the geometry of run->node for these shapes [N, C, spatial...]; kernel NULL:
 * from the attribute kernel_shape. transposed: pads of ConvTranspose. */
int32_t aicpu_window_read(TsrRunContext *run, const TsrTensorDesc *in, const TsrTensorDesc *out,
                          const int64_t *kernel, int transposed, Window *out_window);

#endif
