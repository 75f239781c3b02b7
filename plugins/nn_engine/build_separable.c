/* SPDX-License-Identifier: Apache-2.0
 *
 * build_separable.c: SeparableConv of tessera.nn, a depthwise convolution and a 1x1 behind it
 * whose rows in between never leave the cache; in NC1HWC0 only.
 */
#include <stdlib.h>
#include "separable.h"

enum { X, FILTERS, START, Z, WEIGHTS, BIAS };

static void separable_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    const TsrTensorDesc *x = nn_input(node, X), *w = nn_input(node, WEIGHTS);
    const TsrTensorDesc *f = nn_input(node, FILTERS);
    (void)op;
    for (uint32_t i = FILTERS; i <= BIAS; i++)
        if (i != Z && nn_input(node, i) != NULL && nn_value(node, i) == NULL) {
            tsr_support_no(out_support, TSR_REFUSE_VALUE, "input %u has to be constant", i);
            return;
        }
    if (x == NULL || f == NULL || w == NULL || !nn_is_picture(x) || f->rank != 4 ||
        w->rank != 4 || f->shape[0] != x->shape[1] || f->shape[1] != 1 ||
        w->shape[1] != x->shape[1] || f->shape[2] * f->shape[3] > TSR_NPU_MAX_TAPS ||
        w->shape[2] != 1 || w->shape[3] != 1)
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "X, its filters and weights do not fit");
}

static void separable_columns(const NnOp *op, const TsrNodeView *node, TsrColumnSet *set)
{
    (void)op;
    nn_column_mask(set, node, 10.0f, TSR_FORMAT_NC1HWC0, 1u << X | 1u << Z);
}

static const NnSelect separable_select = NN_SELECT_CUSTOMIZE(separable_columns);

/* [units, depth] as [units / 16][depth][16], padded with zeros. */
static int32_t add_packed(const TsrNodeView *node, TsrTaskSink *sink, uint32_t i, int64_t depth,
                          uint32_t *out_arg)
{
    const float *from;
    float *packed;
    int64_t units, floats;
    int32_t status;
    *out_arg = TSR_ARG_NULL;
    if (nn_value(node, i) == NULL)
        return TSR_OK;
    from = node->values[i]->data;
    units = node->inputs[i]->shape[0];
    floats = nn_round_up(units, 16) * depth;
    packed = calloc((size_t)floats + 1, sizeof(float));
    if (packed == NULL)
        return sink->fail(sink, TSR_OUT_OF_MEMORY, "SeparableConv '%s': weights", node->name);
    for (int64_t k = 0; k < units * depth; k++)
        packed[(k / depth / 16 * depth + k % depth) * 16 + k / depth % 16] = from[k];
    status = sink->constant(sink, packed, (uint64_t)floats * sizeof(float), out_arg);
    free(packed);
    return status;
}

/* So many rows that the tiles are busy, their slab fits beside the rest in the cache, and
 * every core has pieces. */
static int32_t rows_of(const TsrTaskSink *sink, const TsrConv2dParams *d)
{
    enum { SLAB_BYTES = 192 << 10, LEAST_PIXELS = 28 };
    const int64_t cores = sink->core_count > 0 ? sink->core_count : 1;
    const int64_t row = (int64_t)d->out_w * nn_round_up(d->in_c, 16) * (int64_t)sizeof(float);
    int64_t rows = SLAB_BYTES / row, least = nn_ceil_div(LEAST_PIXELS, d->out_w);
    const int64_t share = nn_ceil_div(d->out_h * d->batch, 2 * cores);
    rows = cores > 1 && rows > share ? share : rows;
    rows = rows < least ? least : rows;
    return (int32_t)(rows < d->out_h ? rows : d->out_h);
}

static int32_t separable_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const TsrTensorDesc *f = node->inputs[FILTERS];
    TsrSeparableParams p = { .struct_size = sizeof(p), .activation = nn_activation_of(node) };
    TsrConv2dParams *d = &p.depthwise;
    uint32_t args[8] = { TSR_ARG_INPUT | X, 0, 0, 0, 0, TSR_ARG_NULL, TSR_ARG_OUTPUT | 0, 0 };
    uint32_t blocks;
    NnPicture x, y;
    NnWindow v;
    int32_t status;
    (void)op;
    if (!nn_is_blocked(node->inputs[X]) || !nn_is_blocked(node->outputs[0]) ||
        !nn_picture_of(node->inputs[X], &x) || !nn_picture_of(node->outputs[0], &y) ||
        !nn_window_of(node, 2, f->shape + 2, &x, &y, &v))
        return sink->fail(sink, TSR_UNSUPPORTED, "SeparableConv '%s': formats or window",
                          node->name);
    *d = (TsrConv2dParams){
        .struct_size = sizeof(*d), .batch = x.n, .in_c = x.c, .in_h = x.h, .in_w = x.w,
        .out_c = x.c, .out_h = y.h, .out_w = y.w, .kernel_h = v.kernel_h,
        .kernel_w = v.kernel_w, .stride_h = v.stride_h, .stride_w = v.stride_w,
        .dilation_h = v.dilation_h, .dilation_w = v.dilation_w, .pad_top = v.pad_top,
        .pad_left = v.pad_left, .groups = x.c,
        .activation = { (uint32_t)tsr_attr_int(node, "inner_activation", TSR_ACT_NONE),
                        tsr_attr_float(node, "inner_alpha", 0.0f),
                        tsr_attr_float(node, "inner_beta", 0.0f) },
    };
    p.out_c = y.c;
    p.rows_per_piece = rows_of(sink, d);
    p.workspace_floats = (uint64_t)p.rows_per_piece * (uint64_t)y.w *
                         (uint64_t)nn_round_up(x.c, 16);
    blocks = nn_block_dim(sink, y.n * nn_ceil_div(y.h, p.rows_per_piece),
                          (double)y.n * y.h * y.w * x.c * (y.c + v.kernel_h * v.kernel_w) / 16.0);
    if (nn_input(node, Z) != NULL)
        args[5] = TSR_ARG_INPUT | Z;
    status = add_packed(node, sink, FILTERS, f->shape[2] * f->shape[3], &args[1]);
    if (status == TSR_OK)
        status = add_packed(node, sink, START, 1, &args[2]);
    if (status == TSR_OK)
        status = add_packed(node, sink, WEIGHTS, x.c, &args[3]);
    if (status == TSR_OK)
        status = add_packed(node, sink, BIAS, 1, &args[4]);
    if (status == TSR_OK)
        status = sink->workspace(sink, p.workspace_floats * blocks * sizeof(float), &args[7]);
    if (status != TSR_OK)
        return status;
    return nn_task(sink, TSR_KERNEL_CONV2D_SEPARABLE_F32, blocks, args, 8, &p, sizeof(p));
}

static const NnOp ops[] = {
    { .op_type = "SeparableConv", .domain = NN_DOMAIN, .min_version = 1, .max_version = 1,
      .flags = NN_STATIC_ONLY | NN_WIDENS, .check = separable_check, .build = separable_build,
      .select = &separable_select },
};

const NnOpTable nn_separable_ops = { ops, sizeof(ops) / sizeof(ops[0]) };
