/* SPDX-License-Identifier: Apache-2.0
 *
 * build_pixel_rows.c: PixelRows of tessera.nn: a picture [N, C, H, W] as rows of channels,
 * [N, H * W, C]. From NC1HWC0 or plain NCHW it is one move, as of a TransData to NHWC.
 */
#include "nn.h"

static void rows_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    (void)op;
    if (!nn_is_picture(node->inputs[0]) || node->outputs[0]->rank != 3)
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "X has rank %u, wanted a picture",
                       node->inputs[0]->rank);
}

static const NnKernelColumn rows_columns[] = {
    { 5.0f, 2, { TSR_FORMAT_NC1HWC0, TSR_FORMAT_ND } },
    { 5.0f, 1, { TSR_FORMAT_ND } },
};
static const NnSelect rows_select = NN_SELECT_KERNEL(rows_columns);

static int32_t rows_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    TsrTensorDesc x = *node->inputs[0], y = x;
    const int64_t *s = x.shape, nhwc[4] = { s[0], s[2], s[3], s[1] };
    (void)op;
    x.origin_format = y.origin_format = TSR_FORMAT_NCHW;
    if (!nn_is_blocked(&x))
        x.storage_format = TSR_FORMAT_NCHW;
    y.storage_format = TSR_FORMAT_NHWC;
    y.storage_rank = 4;
    y.storage_shape = nhwc;
    return nn_build_transdata(sink, node->name, &x, &y, 0, TSR_ARG_INPUT | 0, TSR_ARG_OUTPUT | 0);
}

static const NnOp ops[] = {
    { .op_type = "PixelRows", .domain = NN_DOMAIN, .min_version = 1, .max_version = 1,
      .flags = NN_WIDENS, .check = rows_check, .build = rows_build, .select = &rows_select },
};

const NnOpTable nn_pixel_rows_ops = { ops, sizeof(ops) / sizeof(ops[0]) };
