/* SPDX-License-Identifier: Apache-2.0
 *
 * window.c: reads window attributes. Shapes were checked by inference; what is left to
 * do is to turn auto_pad and output_shape into paddings.
 */
#include "window.h"

/* Entry i of an INTS attribute. */
static int64_t entry(const TsrNodeView *node, const char *name, uint32_t i, int64_t missing)
{
    uint32_t count;
    const int64_t *ints = tsr_attr_ints(node, name, &count);
    return ints != NULL && i < count ? ints[i] : missing;
}

int32_t aicpu_window_read(TsrRunContext *run, const TsrTensorDesc *in, const TsrTensorDesc *out,
                          const int64_t *kernel, int transposed, Window *out_window)
{
    const TsrNodeView *node = run->node;
    Window w = {.spatial = in->rank - 2, .in_count = 1, .out_count = 1, .kernel_count = 1};
    int upper = tsr_attr_is(node, "auto_pad", "SAME_UPPER");
    int lower = tsr_attr_is(node, "auto_pad", "SAME_LOWER");
    int none = tsr_attr_is(node, "auto_pad", "VALID");
    for (uint32_t i = 0; i < w.spatial; i++) {
        int64_t total, reach;
        w.in[i] = in->shape[2 + i];
        w.out[i] = out->shape[2 + i];
        w.kernel[i] = kernel != NULL ? kernel[i] : entry(node, "kernel_shape", i, 1);
        w.stride[i] = entry(node, "strides", i, 1);
        w.dilation[i] = entry(node, "dilations", i, 1);
        w.begin[i] = none ? 0 : entry(node, "pads", i, 0);
        w.end[i] = none ? 0 : entry(node, "pads", w.spatial + i, 0);
        reach = (w.kernel[i] - 1) * w.dilation[i] + 1;
        if (transposed && (upper || lower || tsr_attr_find(node, "output_shape") != NULL)) {
            /* ConvTranspose: total = stride * (in - 1) + output_padding + reach - out;
             * SAME_UPPER puts the odd one at the end, everything else at the start. */
            total = w.stride[i] * (w.in[i] - 1) + entry(node, "output_padding", i, 0) + reach -
                    w.out[i];
            total = total < 0 ? 0 : total; /* the rest of a larger output is bias only */
            w.begin[i] = upper ? total / 2 : total - total / 2;
            w.end[i] = total - w.begin[i];
        } else if (upper || lower) {
            total = (w.out[i] - 1) * w.stride[i] + reach - w.in[i];
            total = total < 0 ? 0 : total;
            w.begin[i] = upper ? total / 2 : total - total / 2;
            w.end[i] = total - w.begin[i];
        }
        w.in_count *= w.in[i];
        w.out_count *= w.out[i];
        w.kernel_count *= w.kernel[i];
    }
    *out_window = w;
    return TSR_OK;
}
