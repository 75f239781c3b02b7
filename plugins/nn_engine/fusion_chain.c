/* SPDX-License-Identifier: Apache-2.0
 *
 * fusion_chain.c: the pass nn_eltwise_chain, the last one: an elementwise node behind
 * another, or behind a Chain, becomes its next step, so that the data are read and written
 * once. No step may change the shape: an operand has one number, or one per last axis, or
 * a known shape that broadcasts to that of the data. On pictures only numbers and operands
 * of the same shape are taken, which hold in every storage format. Called through the
 * table in fusion.c.
 */
#include "chain.h"
#include "fusion_match.h"

/* A chain under construction: values of its inputs, X first. */
typedef struct Draft {
    NnChain chain;
    uint32_t inputs[TSR_NPU_CHAIN_OPERANDS + 1];
} Draft;

/* Whether the operand leaves data of that desc as they are. */
static int is_operand(const TsrTensorDesc *d, const TsrTensorDesc *data)
{
    int64_t shape[TSR_MAX_RANK];
    uint32_t rank = data->rank;
    if (nn_same_static(d, data) || (tsr_desc_is_static(d) && d->rank <= data->rank &&
                                    tsr_desc_elements(d) == 1))
        return 1;
    if (data->rank == 4 || d->rank == TSR_RANK_UNKNOWN)
        return 0;
    if (nn_is_last_vector(d, data))
        return 1;
    if (!tsr_desc_is_static(d) || !tsr_desc_is_static(data) || d->rank > data->rank)
        return 0;
    memcpy(shape, data->shape, rank * sizeof(int64_t));
    return tsr_shape_broadcast(&rank, shape, d->rank, d->shape) &&
           memcmp(shape, data->shape, rank * sizeof(int64_t)) == 0;
}

/* Appends the node, whose data are its input `data`; 0 when it does not fit. */
static int append(const TsrGraphEdit *edit, uint32_t node, uint32_t data, Draft *draft)
{
    const TsrNodeView *view = edit->node(edit, node);
    TsrChainStep step;
    if (draft->chain.count == TSR_NPU_CHAIN_STEPS || !nn_eltwise_step(view, &step))
        return 0;
    if (step.binary) {
        if (draft->chain.inputs > TSR_NPU_CHAIN_OPERANDS ||
            !is_operand(view->inputs[1 - data], view->inputs[data]))
            return 0;
        step.operand = draft->chain.inputs - 1;
        step.reversed = data == 1;
        draft->inputs[draft->chain.inputs++] = edit->input_value(edit, node, 1 - data);
    } else if (data != 0) {
        return 0;
    }
    draft->chain.steps[draft->chain.count++] = step;
    return 1;
}

/* Starts a draft with the Chain, or with an elementwise node, of either operand. */
static int start(const TsrGraphEdit *edit, uint32_t node, Draft *out)
{
    const TsrNodeView *view = node != UINT32_MAX ? edit->node(edit, node) : NULL;
    if (view == NULL)
        return 0;
    if (nn_is_op(view, NN_DOMAIN, "Chain") && nn_chain_read(view, &out->chain)) {
        for (uint32_t i = 0; i < view->input_count; i++)
            out->inputs[i] = edit->input_value(edit, node, i);
        return 1;
    }
    for (uint32_t data = 0; data < view->input_count && data < 2; data++) {
        const TsrTensor *constant = nn_value(view, data);
        *out = (Draft){ .chain = { .inputs = 1 } };
        out->inputs[0] = edit->input_value(edit, node, data);
        if (constant == NULL && append(edit, node, data, out))
            return 1;
    }
    return 0;
}

static int32_t replace(const TsrGraphEdit *edit, const NnPattern *pattern, const Draft *draft,
                       uint32_t output)
{
    int64_t ints[TSR_NPU_CHAIN_STEPS * NN_CHAIN_INTS];
    float floats[TSR_NPU_CHAIN_STEPS * NN_CHAIN_FLOATS];
    for (uint32_t i = 0; i < draft->chain.count; i++) {
        const TsrChainStep *step = &draft->chain.steps[i];
        int64_t *to = ints + i * NN_CHAIN_INTS;
        to[0] = step->binary;
        to[1] = step->op;
        to[2] = step->binary ? step->operand + 1 : 0;
        to[3] = step->reversed;
        floats[i * NN_CHAIN_FLOATS] = step->alpha;
        floats[i * NN_CHAIN_FLOATS + 1] = step->beta;
    }
    const TsrAttr steps = { .struct_size = sizeof(steps), .type = TSR_ATTR_INTS, .name = "steps",
                            .count = draft->chain.count * NN_CHAIN_INTS, .ints = ints };
    const TsrAttr numbers = { .struct_size = sizeof(numbers), .type = TSR_ATTR_FLOATS,
                              .name = "numbers", .floats = floats,
                              .count = draft->chain.count * NN_CHAIN_FLOATS };
    const TsrAttr *const attrs[] = { &steps, &numbers };
    return nn_replace(edit, pattern, NN_DOMAIN, "Chain", draft->inputs, draft->chain.inputs,
                      output, attrs, 2);
}

static int32_t apply_chain(const TsrFusionPass *pass, const TsrGraphEdit *edit, uint32_t node)
{
    const TsrNodeView *view = edit->node(edit, node);
    (void)pass;
    for (uint32_t data = 0; view != NULL && data < view->input_count && data < 2; data++) {
        const uint32_t before = nn_vanishing_producer(edit, node, data);
        const NnPattern pattern = { { before, node }, 2 };
        Draft draft;
        if (start(edit, before, &draft) && append(edit, node, data, &draft))
            return replace(edit, &pattern, &draft, edit->output_value(edit, node, 0));
    }
    return TSR_UNSUPPORTED;
}

static const char *const roots[] = {
    "Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Sum", "PRelu", "Relu", "LeakyRelu",
    "Sigmoid", "Tanh", "HardSigmoid", "HardSwish", "Elu", "Gelu", "Erf", "Exp", "Log", "Sqrt",
    "Neg", "Abs", "Reciprocal", "Floor", "Ceil", "Softplus", "Clip", "Activation",
};

const TsrFusionPass nn_eltwise_chain_pass = {
    .struct_size = sizeof(TsrFusionPass), .order = 80, .name = "nn_eltwise_chain",
    .description = "Joins elementwise operators behind each other to one walk over the data",
    .default_on = 1, .root_count = sizeof(roots) / sizeof(roots[0]), .root_ops = roots,
    .apply = apply_chain,
};
