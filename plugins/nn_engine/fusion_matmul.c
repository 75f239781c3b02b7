/* SPDX-License-Identifier: Apache-2.0
 *
 * fusion_matmul.c: the pass nn_matmul_bias_act: what follows a matrix product goes into
 * it, one node at a time: a constant bias along the columns, one more summand (a
 * residual), an activation. tessera.nn MatMul broadcasts the summand as Add does, so that
 * shapes need not be known. Called through the table in fusion.c.
 */
#include "fusion_match.h"

enum { A = 0, B, BIAS, SUMMAND, PORTS };

/* A product that this pass can extend: its inputs and attributes as the fused operator
 * has them. */
typedef struct Product {
    uint32_t inputs[PORTS];
    int64_t transposed_a, transposed_b;
    TsrActivation activation;
    int64_t columns; /* TSR_DIM_UNKNOWN where unknown */
    uint32_t rank;   /* of the product */
} Product;

static int is_matrix(const TsrTensorDesc *d)
{
    return d != NULL && d->dtype == TSR_DTYPE_FLOAT && d->rank != TSR_RANK_UNKNOWN &&
           d->rank >= 2 && d->rank <= TSR_NPU_MAX_DIMS;
}

/* Whether the value is a constant of one number per column. */
static int is_bias(const TsrGraphEdit *edit, uint32_t value, const Product *p)
{
    const TsrTensor *constant = value != TSR_NO_VALUE ? edit->constant(edit, value) : NULL;
    const TsrTensorDesc *d = constant != NULL ? constant->desc : NULL;
    return d != NULL && d->dtype == TSR_DTYPE_FLOAT && d->rank >= 1 && d->rank <= p->rank &&
           p->columns > 0 && d->shape[d->rank - 1] == p->columns &&
           tsr_desc_elements(d) == p->columns;
}

/* Reads a MatMul, a Gemm (whose factors are 1 and whose C is a bias) or a fused MatMul. */
static int read_product(const TsrGraphEdit *edit, uint32_t node, Product *out)
{
    const TsrNodeView *view = node != UINT32_MAX ? edit->node(edit, node) : NULL;
    const int fused = nn_is_op(view, NN_DOMAIN, "MatMul"), gemm = nn_is_op(view, "", "Gemm");
    const TsrTensorDesc *b;
    if (!fused && !gemm && !nn_is_op(view, "", "MatMul"))
        return 0;
    b = nn_input(view, B);
    if (!is_matrix(nn_input(view, A)) || !is_matrix(b))
        return 0;
    *out = (Product){ .rank = view->outputs[0]->rank };
    for (uint32_t i = 0; i < PORTS; i++)
        out->inputs[i] = nn_input(view, i) != NULL ? edit->input_value(edit, node, i)
                                                   : TSR_NO_VALUE;
    out->transposed_a = tsr_attr_int(view, "transA", 0) != 0;
    out->transposed_b = tsr_attr_int(view, "transB", 0) != 0;
    out->columns = b->shape[b->rank - (out->transposed_b ? 2 : 1)];
    if (fused)
        out->activation = nn_activation_of(view);
    if (!gemm)
        return 1;
    return view->since_version >= 7 && tsr_attr_float(view, "alpha", 1.0f) == 1.0f &&
           (out->inputs[BIAS] == TSR_NO_VALUE ||
            (tsr_attr_float(view, "beta", 1.0f) == 1.0f && is_bias(edit, out->inputs[BIAS], out)));
}

static int32_t extend(const TsrGraphEdit *edit, uint32_t product, uint32_t node, const Product *p)
{
    const TsrAttr kind = nn_attr_int("activation", p->activation.kind);
    const TsrAttr alpha = nn_attr_float("alpha", p->activation.alpha);
    const TsrAttr beta = nn_attr_float("beta", p->activation.beta);
    const TsrAttr ta = nn_attr_int("transA", p->transposed_a);
    const TsrAttr tb = nn_attr_int("transB", p->transposed_b);
    const TsrAttr *const attrs[] = { &kind, &alpha, &beta, &ta, &tb };
    const NnPattern pattern = { { product, node }, 2 };
    return nn_replace(edit, &pattern, NN_DOMAIN, "MatMul", p->inputs, PORTS,
                      edit->output_value(edit, node, 0), attrs, 5);
}

/* An Add behind the product: its other operand is the bias or the further summand. */
static int32_t take_summand(const TsrGraphEdit *edit, uint32_t node)
{
    const TsrNodeView *view = edit->node(edit, node);
    if (view->since_version < 7 || edit->input_value(edit, node, 0) ==
                                       edit->input_value(edit, node, 1))
        return TSR_UNSUPPORTED;
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t product = nn_vanishing_producer(edit, node, i);
        const uint32_t other = edit->input_value(edit, node, 1 - i);
        const TsrTensorDesc *d = nn_input(view, 1 - i);
        Product p;
        if (!read_product(edit, product, &p) || p.activation.kind != TSR_ACT_NONE ||
            p.inputs[SUMMAND] != TSR_NO_VALUE || d->rank > p.rank)
            continue;
        if (p.inputs[BIAS] == TSR_NO_VALUE && is_bias(edit, other, &p))
            p.inputs[BIAS] = other;
        else if (edit->constant(edit, other) == NULL && is_matrix(d))
            p.inputs[SUMMAND] = other;
        else
            continue;
        return extend(edit, product, node, &p);
    }
    return TSR_UNSUPPORTED;
}

static TsrActivation activation_of(const TsrNodeView *view)
{
    TsrActivation a = nn_activation_node(view);
    if (nn_is_op(view, "", "Tanh"))
        a.kind = TSR_ACT_TANH;
    else if (nn_is_op(view, "", "Gelu"))
        a.kind = tsr_attr_is(view, "approximate", "tanh") ? TSR_ACT_GELU_TANH : TSR_ACT_GELU;
    return a;
}

static int32_t apply_matmul(const TsrFusionPass *pass, const TsrGraphEdit *edit, uint32_t node)
{
    const TsrNodeView *view = edit->node(edit, node);
    uint32_t product;
    Product p;
    TsrActivation activation;
    (void)pass;
    if (nn_is_op(view, "", "Add"))
        return take_summand(edit, node);
    if (view == NULL)
        return TSR_UNSUPPORTED;
    activation = activation_of(view);
    product = nn_vanishing_producer(edit, node, 0);
    if (activation.kind == TSR_ACT_NONE || !read_product(edit, product, &p) ||
        p.activation.kind != TSR_ACT_NONE)
        return TSR_UNSUPPORTED;
    p.activation = activation;
    return extend(edit, product, node, &p);
}

static const char *const roots[] = { "Add",         "Relu",    "LeakyRelu", "HardSwish",
                                     "HardSigmoid", "Sigmoid", "Clip",      "Activation",
                                     "Tanh",        "Gelu" };

const TsrFusionPass nn_matmul_bias_act_pass = {
    .struct_size = sizeof(TsrFusionPass), .order = 70, .name = "nn_matmul_bias_act",
    .description = "Adds bias and residual and applies an activation inside a matrix product",
    .default_on = 1, .root_count = sizeof(roots) / sizeof(roots[0]), .root_ops = roots,
    .apply = apply_matmul,
};
