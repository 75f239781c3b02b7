/* SPDX-License-Identifier: Apache-2.0
 *
 * build_chain.c: the fused Chain, a run of elementwise steps, as one task of CHAIN_F32. It
 * takes any storage format where every operand is one number or has the shape of X:
 * padding lanes stay among themselves then.
 */
#include "chain.h"

int nn_chain_read(const TsrNodeView *node, NnChain *out_chain)
{
    const TsrAttr *steps = tsr_attr_find(node, "steps"), *numbers = tsr_attr_find(node, "numbers");
    NnChain chain = { .inputs = node->input_count };
    if (steps == NULL || numbers == NULL || steps->count % NN_CHAIN_INTS != 0 ||
        steps->count / NN_CHAIN_INTS * NN_CHAIN_FLOATS != numbers->count ||
        chain.inputs > TSR_NPU_CHAIN_OPERANDS + 1)
        return 0;
    chain.count = steps->count / NN_CHAIN_INTS;
    if (chain.count == 0 || chain.count > TSR_NPU_CHAIN_STEPS)
        return 0;
    for (uint32_t i = 0; i < chain.count; i++) {
        const int64_t *n = steps->ints + i * NN_CHAIN_INTS;
        const int64_t most = n[0] != 0 ? TSR_BINARY_COUNT : TSR_UNARY_COUNT;
        if (n[1] < 0 || n[1] >= most ||
            (n[0] != 0 && (n[2] < 1 || n[2] >= (int64_t)chain.inputs)))
            return 0;
        chain.steps[i] = (TsrChainStep){
            .binary = n[0] != 0, .op = (uint32_t)n[1],
            .operand = n[0] != 0 ? (uint32_t)n[2] - 1 : 0, .reversed = n[3] != 0,
            .alpha = numbers->floats[i * NN_CHAIN_FLOATS],
            .beta = numbers->floats[i * NN_CHAIN_FLOATS + 1],
        };
    }
    *out_chain = chain;
    return 1;
}

static int is_one(const TsrTensorDesc *d)
{
    return tsr_desc_is_static(d) && tsr_desc_elements(d) == 1;
}

static int is_like(const TsrTensorDesc *d, const TsrTensorDesc *x)
{
    return tsr_desc_is_static(d) && tsr_desc_is_static(x) && d->rank == x->rank &&
           memcmp(d->shape, x->shape, x->rank * sizeof(int64_t)) == 0;
}

static void chain_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    NnChain chain;
    (void)op;
    if (!nn_chain_read(node, &chain)) {
        tsr_support_no(out_support, TSR_REFUSE_ATTR, "steps and numbers do not fit together");
        return;
    }
    for (uint32_t i = 0; i < node->input_count; i++)
        if (node->inputs[i] == NULL || node->inputs[i]->rank > node->inputs[0]->rank)
            tsr_support_no(out_support, TSR_REFUSE_SHAPE, "input %u is missing or too large", i);
}

static void chain_columns(const NnOp *op, const TsrNodeView *node, TsrColumnSet *set)
{
    uint64_t alike = 1;
    (void)op;
    for (uint32_t i = 1; i < node->input_count; i++) {
        if (is_like(node->inputs[i], node->inputs[0]))
            alike |= UINT64_C(1) << i;
        else if (!is_one(node->inputs[i]))
            return;
    }
    nn_column_mask(set, node, 5.0f, TSR_FORMAT_ANY, alike);
}

static const NnSelect chain_select = NN_SELECT_CUSTOMIZE(chain_columns);

/* Joins neighbouring dims that every operand walks alike, so that the last one is long. */
static void chain_collapse(TsrChainParams *p)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < p->rank; i++) {
        const int64_t n = p->shape[i];
        int joins = rank > 0;
        if (n == 1)
            continue;
        for (uint32_t k = 0; joins && k < p->operand_count; k++)
            joins = p->operand_step[k][rank - 1] == p->operand_step[k][i] * n;
        rank += !joins;
        p->shape[rank - 1] = joins ? p->shape[rank - 1] * n : n;
        for (uint32_t k = 0; k < p->operand_count; k++)
            p->operand_step[k][rank - 1] = p->operand_step[k][i];
    }
    if (rank == 0) {
        p->shape[rank++] = 1;
        for (uint32_t k = 0; k < p->operand_count; k++)
            p->operand_step[k][0] = 0;
    }
    p->rank = rank;
}

static int32_t chain_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const TsrTensorDesc *x = node->inputs[0];
    const int64_t count = tsr_desc_storage_elements(x);
    uint32_t args[2 + TSR_NPU_CHAIN_OPERANDS] = { TSR_ARG_INPUT | 0, TSR_ARG_OUTPUT | 0 };
    TsrChainParams p = { .struct_size = sizeof(p), .rank = x->storage_rank };
    NnChain chain;
    int64_t pieces;
    (void)op;
    if (!nn_chain_read(node, &chain))
        return sink->fail(sink, TSR_INVALID_ARGUMENT,
                          "Chain '%s': steps and numbers do not fit together", node->name);
    p.step_count = chain.count;
    p.operand_count = chain.inputs - 1;
    memcpy(p.steps, chain.steps, sizeof(p.steps));
    memcpy(p.shape, x->storage_shape, x->storage_rank * sizeof(int64_t));
    if (nn_is_internal(x)) {
        /* Every operand is alike or one number: a single run, whatever the storage rank. */
        p.rank = 1;
        p.shape[0] = count;
    }
    for (uint32_t k = 0; k < p.operand_count; k++) {
        const TsrTensorDesc *d = node->inputs[k + 1];
        int64_t shape[TSR_MAX_RANK], steps[TSR_MAX_RANK];
        uint32_t rank = x->storage_rank;
        args[2 + k] = TSR_ARG_INPUT | (k + 1);
        memcpy(shape, p.shape, rank * sizeof(int64_t));
        if (is_one(d))
            continue; /* its steps are 0 */
        if (nn_is_internal(x)) {
            if (d->storage_format != x->storage_format)
                return sink->fail(sink, TSR_UNSUPPORTED, "Chain '%s': input %u is %s, X %s",
                                  node->name, k + 1, tsr_format_name(d->storage_format),
                                  tsr_format_name(x->storage_format));
            p.operand_step[k][0] = 1;
            continue;
        }
        if (!tsr_shape_broadcast(&rank, shape, d->storage_rank, d->storage_shape) ||
            rank != p.rank || memcmp(shape, p.shape, rank * sizeof(int64_t)) != 0)
            return sink->fail(sink, TSR_INVALID_ARGUMENT,
                              "Chain '%s': input %u does not broadcast to X", node->name, k + 1);
        tsr_broadcast_strides(d->storage_rank, d->storage_shape, rank, steps);
        memcpy(p.operand_step[k], steps, rank * sizeof(int64_t));
    }
    chain_collapse(&p);
    pieces = count / p.shape[p.rank - 1] * nn_ceil_div(p.shape[p.rank - 1], 1024);
    return nn_task(sink, nn_kernel_of(TSR_KERNEL_CHAIN_F32, x->dtype),
                   nn_block_dim(sink, pieces, (double)count * (double)p.step_count), args,
                   2 + p.operand_count, &p, sizeof(p));
}

static const NnOp ops[] = {
    { .op_type = "Chain", .domain = NN_DOMAIN, .min_version = 1, .max_version = 1,
      .dtypes = NN_FLOATS, .check = chain_check, .build = chain_build, .select = &chain_select,
      .inplace = 1 },
};

const NnOpTable nn_chain_ops = { ops, sizeof(ops) / sizeof(ops[0]) };
