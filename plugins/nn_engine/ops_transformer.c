/* SPDX-License-Identifier: Apache-2.0
 *
 * ops_transformer.c: see ops_transformer.h.
 */
#include "ops_transformer.h"

#include "attention.h"


const TsrOpParam nn_matmul_inputs[NN_MATMUL_INPUTS] = {
    { "A", TSR_PARAM_REQUIRED, 1, NN_FLOATS },
    { "B", TSR_PARAM_REQUIRED, 1, NN_FLOATS },
    { "bias", TSR_PARAM_OPTIONAL, 1, NN_FLOATS },
    { "Z", TSR_PARAM_OPTIONAL, 1, NN_FLOATS },
};
const TsrOpParam nn_layer_norm_inputs[NN_LAYER_NORM_INPUTS] = {
    { "X", TSR_PARAM_REQUIRED, 1, NN_FLOATS },
    { "scale", TSR_PARAM_OPTIONAL, 1, NN_FLOATS },
    { "bias", TSR_PARAM_OPTIONAL, 1, NN_FLOATS },
    { "Z", TSR_PARAM_OPTIONAL, 1, NN_FLOATS },
};
const TsrOpParam nn_layer_norm_outputs[NN_LAYER_NORM_OUTPUTS] = {
    { "Y", TSR_PARAM_REQUIRED, 1, NN_FLOATS },
    { "sum", TSR_PARAM_OPTIONAL, 1, NN_FLOATS },
};
const TsrOpParam nn_attention_inputs[NN_ATTENTION_INPUTS] = {
    { "Q", TSR_PARAM_REQUIRED, 1, NN_FLOATS },
    { "K", TSR_PARAM_REQUIRED, 1, NN_FLOATS },
    { "V", TSR_PARAM_REQUIRED, 1, NN_FLOATS },
    { "mask", TSR_PARAM_OPTIONAL, 1, NN_FLOATS },
};
const TsrOpParam nn_chain_inputs[NN_CHAIN_INPUTS] = {
    { "X", TSR_PARAM_REQUIRED, 1, NN_FLOATS },
    { "operands", TSR_PARAM_VARIADIC, 1, NN_FLOATS },
};
const TsrOpParam nn_transformer_output[1] = { { "Y", TSR_PARAM_REQUIRED, 1, NN_FLOATS } };

const TsrOpAttr nn_matmul_attrs[NN_MATMUL_ATTRS] = {
    { .name = "activation", .type = TSR_ATTR_INT, .has_default = 1, .i = 0, .min = 0,
      .max = TSR_ACT_COUNT - 1 },
    { .name = "alpha", .type = TSR_ATTR_FLOAT, .has_default = 1 },
    { .name = "beta", .type = TSR_ATTR_FLOAT, .has_default = 1 },
    { .name = "transA", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1 },
    { .name = "transB", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1 },
};
const TsrOpAttr nn_layer_norm_attrs[NN_LAYER_NORM_ATTRS] = {
    { .name = "epsilon", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1e-5f },
};
const TsrOpAttr nn_attention_attrs[NN_ATTENTION_ATTRS] = {
    { .name = "scale", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1.0f },
    { .name = "q_layout", .type = TSR_ATTR_STRING, .has_default = 1, .s = "bhsd",
      .words = "bhsd|bshd" },
    { .name = "k_layout", .type = TSR_ATTR_STRING, .has_default = 1, .s = "bhsd",
      .words = "bhsd|bshd|bhds" },
    { .name = "v_layout", .type = TSR_ATTR_STRING, .has_default = 1, .s = "bhsd",
      .words = "bhsd|bshd" },
    { .name = "y_layout", .type = TSR_ATTR_STRING, .has_default = 1, .s = "bhsd",
      .words = "bhsd|bshd" },
};

const TsrOpAttr nn_chain_attrs[NN_CHAIN_ATTRS] = {
    { .name = "steps", .type = TSR_ATTR_INTS, .required = 1 },
    { .name = "numbers", .type = TSR_ATTR_FLOATS, .required = 1 },
};

int32_t nn_matmul_infer(const TsrOpDef *def, TsrInferContext *infer)
{
    const TsrNodeView *node = infer->node;
    const TsrTensorDesc *a = node->inputs[0], *b = node->inputs[1], *z = nn_input(node, 3);
    const uint32_t ta = tsr_attr_int(node, "transA", 0) != 0;
    const uint32_t tb = tsr_attr_int(node, "transB", 0) != 0;
    int64_t shape[TSR_MAX_RANK + 2], inner_a, inner_b;
    uint32_t rank;
    (void)def;
    if (a->rank == TSR_RANK_UNKNOWN || b->rank == TSR_RANK_UNKNOWN ||
        (z != NULL && z->rank == TSR_RANK_UNKNOWN))
        return infer->set_output(infer, 0, a->dtype, TSR_RANK_UNKNOWN, NULL);
    if (a->rank < 2 || b->rank < 2)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "A and B have rank %u and %u, wanted at least 2", a->rank, b->rank);
    inner_a = a->shape[a->rank - (ta ? 2 : 1)];
    inner_b = b->shape[b->rank - (tb ? 1 : 2)];
    if (inner_a >= 0 && inner_b >= 0 && inner_a != inner_b)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "inner dims are %lld and %lld",
                           (long long)inner_a, (long long)inner_b);
    rank = a->rank - 2;
    memcpy(shape, a->shape, rank * sizeof(int64_t));
    if (!tsr_shape_broadcast(&rank, shape, b->rank - 2, b->shape))
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "batch dims do not broadcast");
    shape[rank++] = a->shape[a->rank - (ta ? 1 : 2)];
    shape[rank++] = b->shape[b->rank - (tb ? 2 : 1)];
    if (z != NULL && !tsr_shape_broadcast(&rank, shape, z->rank, z->shape))
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "Z does not broadcast to the product");
    return infer->set_output(infer, 0, a->dtype, rank, shape);
}

int32_t nn_attention_infer(const TsrOpDef *def, TsrInferContext *infer)
{
    const TsrTensorDesc *q = infer->node->inputs[0];
    NnAttention attention;
    int64_t shape[4];
    const char *problem;
    (void)def;
    for (uint32_t i = 0; i < infer->node->input_count; i++)
        if (nn_input(infer->node, i) != NULL &&
            infer->node->inputs[i]->rank == TSR_RANK_UNKNOWN)
            return infer->set_output(infer, 0, q->dtype, TSR_RANK_UNKNOWN, NULL);
    problem = nn_attention_read(infer->node, &attention);
    if (problem != NULL)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "%s", problem);
    nn_attention_shape(infer->node, &attention, shape);
    return infer->set_output(infer, 0, q->dtype, 4, shape);
}
