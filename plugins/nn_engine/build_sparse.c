/* SPDX-License-Identifier: Apache-2.0
 *
 * build_sparse.c: what networks with channel shuffles need in NC1HWC0 (Zhang and others,
 * "ShuffleNet", 2018): 1x1 convolutions in groups that do not fill channel blocks, as
 * CONV2D_SPARSE_F32, and the fused Shuffle. A block of output channels reads the input
 * channels of all groups that it has a part of; weights across groups are zero.
 */
#include <stdlib.h>
#include "nn.h"

/* First and end of the input channels that the output channels of a block read. */
static void block_inputs(const TsrConv2dParams *p, int64_t block, int64_t *out_first,
                         int64_t *out_end)
{
    const int64_t in = p->in_c / p->groups, out = p->out_c / p->groups;
    const int64_t last = block * 16 + 15 < p->out_c ? block * 16 + 15 : p->out_c - 1;
    *out_first = block * 16 / out * in;
    *out_end = (last / out + 1) * in;
}

static void fill(const TsrConv2dParams *p, const float *w, int32_t *table, float *weights)
{
    const int64_t blocks = nn_ceil_div(p->out_c, 16), pixels = (int64_t)p->in_h * p->in_w;
    const int64_t in = p->in_c / p->groups, out = p->out_c / p->groups;
    int32_t *offsets = table + blocks + 1;
    int32_t entry = 0;
    for (int64_t block = 0; block < blocks; block++) {
        int64_t first, end;
        block_inputs(p, block, &first, &end);
        table[block] = entry;
        for (int64_t ic = first; ic < end; ic++, entry++) {
            offsets[entry] = (int32_t)(ic / 16 * pixels * 16 + ic % 16);
            for (int64_t oc = block * 16; oc < block * 16 + 16 && oc < p->out_c; oc++)
                if (oc / out == ic / in)
                    weights[(int64_t)entry * 16 + oc % 16] = w[oc * in + ic % in];
        }
    }
    table[blocks] = entry;
}

int32_t nn_sparse_build(const TsrNodeView *node, TsrTaskSink *sink, const TsrConv2dParams *p,
                        const float *w, uint32_t bias_arg, uint32_t z_arg)
{
    const int64_t blocks = nn_ceil_div(p->out_c, 16), pixels = (int64_t)p->in_h * p->in_w;
    const int64_t cores = sink->core_count > 0 ? sink->core_count : 1;
    uint32_t args[6] = { TSR_ARG_INPUT | 0, TSR_ARG_NULL, TSR_ARG_NULL, bias_arg, z_arg,
                         TSR_ARG_OUTPUT | 0 };
    TsrConvSparseParams s = { .struct_size = sizeof(s), .batch = p->batch, .in_c = p->in_c,
                              .out_c = p->out_c, .pixels = pixels, .pixels_per_piece = pixels,
                              .activation = p->activation };
    int64_t entries = 0, table_size;
    int32_t status, *table;
    float *weights;
    for (int64_t block = 0; block < blocks; block++) {
        int64_t first, end;
        block_inputs(p, block, &first, &end);
        entries += end - first;
    }
    table_size = blocks + 1 + entries;
    if (entries > INT32_MAX || nn_round_up(p->in_c, 16) * pixels > INT32_MAX)
        return sink->fail(sink, TSR_UNSUPPORTED, "%s '%s': X is too large", node->op_type,
                          node->name);
    table = malloc((size_t)table_size * sizeof(*table));
    weights = calloc((size_t)entries * 16, sizeof(*weights));
    if (table == NULL || weights == NULL) {
        status = sink->fail(sink, TSR_OUT_OF_MEMORY, "%s '%s': %lld weights", node->op_type,
                            node->name, (long long)entries * 16);
    } else {
        fill(p, w, table, weights);
        status = sink->constant(sink, weights, (uint64_t)entries * 64, &args[1]);
        if (status == TSR_OK)
            status = sink->constant(sink, table, (uint64_t)table_size * sizeof(*table), &args[2]);
    }
    free(table);
    free(weights);
    if (status != TSR_OK)
        return status;
    if (p->batch * blocks % cores != 0 && pixels >= 28 * cores)
        s.pixels_per_piece = nn_round_up(nn_ceil_div(pixels, cores), 14);
    return nn_task(sink, TSR_KERNEL_CONV2D_SPARSE_F32,
                   nn_block_dim(sink,
                                p->batch * blocks * nn_ceil_div(pixels, s.pixels_per_piece),
                                (double)entries * (double)p->batch * (double)pixels),
                   args, 6, &s, sizeof(s));
}

/* ---------------------------------------------------------------- Shuffle */

static void shuffle_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    const TsrTensorDesc *x = node->inputs[0];
    const int64_t groups = tsr_attr_int(node, "group", 1);
    (void)op;
    if (x->rank != 4 || groups < 1 || x->shape[1] % groups != 0 ||
        nn_round_up(x->shape[1], 16) * x->shape[2] * x->shape[3] >= INT64_C(1) << 30)
        tsr_support_no(out_support, TSR_REFUSE_SHAPE,
                       "X has to be a picture whose channels are a multiple of %lld groups",
                       (long long)groups);
}

static const NnKernelColumn shuffle_columns[] = {
    { 5.0f, 1, { TSR_FORMAT_NC1HWC0 } },
    { 4.0f, 1, { TSR_FORMAT_ND } },
};
static const NnSelect shuffle_select = NN_SELECT_KERNEL(shuffle_columns);

static int32_t shuffle_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    static const uint32_t args[2] = { TSR_ARG_INPUT | 0, TSR_ARG_OUTPUT | 0 };
    const int64_t *x = node->inputs[0]->shape, groups = tsr_attr_int(node, "group", 1);
    const int64_t inner = x[2] * x[3], each = x[1] / groups;
    const double work = (double)tsr_desc_elements(node->inputs[0]);
    (void)op;
    if (nn_is_blocked(node->inputs[0]) != nn_is_blocked(node->outputs[0]))
        return sink->fail(sink, TSR_UNSUPPORTED, "Shuffle '%s': formats differ", node->name);
    if (nn_is_blocked(node->inputs[0])) {
        const TsrShuffleParams p = { sizeof(p), (uint32_t)groups, x[0], x[1], inner };
        return nn_task(sink, nn_kernel_of(TSR_KERNEL_SHUFFLE_B32, node->inputs[0]->dtype),
                       nn_block_dim(sink, x[0] * nn_ceil_div(x[1], 16) * nn_ceil_div(inner, 256),
                                    work),
                       args, 2, &p, sizeof(p));
    }
    const TsrTransposeParams p = { .struct_size = sizeof(p), .rank = 4,
                                   .shape = { x[0], each, groups, inner },
                                   .x_step = { x[1] * inner, inner, each * inner, 1 } };
    return nn_task(sink, nn_kernel_of(TSR_KERNEL_TRANSPOSE_B32, node->inputs[0]->dtype),
                   nn_block_dim(sink, x[0] * each, work), args, 2, &p, sizeof(p));
}

static const NnOp ops[] = {
    { .op_type = "Shuffle", .domain = NN_DOMAIN, .min_version = 1, .max_version = 1,
      .dtypes = NN_FLOATS, .flags = NN_STATIC_ONLY, .check = shuffle_check, .build = shuffle_build,
      .select = &shuffle_select },
};

const NnOpTable nn_shuffle_ops = { ops, sizeof(ops) / sizeof(ops[0]) };
