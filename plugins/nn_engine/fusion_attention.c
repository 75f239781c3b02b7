/* SPDX-License-Identifier: Apache-2.0
 *
 * fusion_attention.c: the pass nn_attention: softmax(scale * Q K^T + mask) V as PyTorch's
 * exporter spells it out becomes one Attention, which never stores the matrix of scores.
 * The scale may be a Div or Mul of the product or of its operands; the mask is one Add;
 * Transposes of Q, K, V and the result that change places and heads become layouts. Called
 * through the table in fusion.c.
 */
#include "fusion_match.h"

/* What the walk around a Softmax has found. */
typedef struct Found {
    NnPattern pattern;
    uint32_t inputs[4]; /* Q, K, V, mask */
    const char *layouts[4];
    float scale;
    uint32_t output;
} Found;

/* The operand that a Div or Mul scales by a number, times which *scale becomes; NN_NOWHERE
 * when the node does not. */
static int scaled_operand(const TsrNodeView *view, float *scale)
{
    const int mul = nn_is_op(view, "", "Mul"), div = nn_is_op(view, "", "Div");
    float v;
    if ((!mul && !div) || view->since_version < 7)
        return NN_NOWHERE;
    for (uint32_t i = 2; i-- > (mul ? 0u : 1u);)
        if (nn_number(view, i, &v) && v != 0.0f) {
            *scale = mul ? *scale * v : *scale / v;
            return (int)(1 - i);
        }
    return NN_NOWHERE;
}

/* Whether the Transpose has that perm of four axes. */
static int has_perm(const TsrNodeView *view, const int64_t *want)
{
    uint32_t count;
    const int64_t *perm = tsr_attr_ints(view, "perm", &count);
    return nn_is_op(view, "", "Transpose") && count == 4 &&
           memcmp(perm, want, 4 * sizeof(int64_t)) == 0;
}

static const int64_t places_heads[4] = { 0, 2, 1, 3 };

/* A producer that only this node reads, so that it may go into the pattern. */
static const TsrNodeView *private_writer(const TsrGraphEdit *edit, uint32_t node, uint32_t index,
                                         uint32_t *out_writer)
{
    *out_writer = nn_vanishing_producer(edit, node, index);
    return *out_writer != UINT32_MAX ? edit->node(edit, *out_writer) : NULL;
}

/* Reads operand `index` of the node: scales and one Transpose that changes places and
 * heads. Where `is_key`, the operand is K^T, [batch, heads, size, places]. */
static int read_operand(const TsrGraphEdit *edit, uint32_t node, uint32_t index, int is_key,
                        int may_scale, Found *found, uint32_t *out_value, const char **out_layout)
{
    static const int64_t swapped[4] = { 0, 1, 3, 2 }, both[4] = { 0, 2, 3, 1 };
    int transposed = 0;
    *out_layout = is_key ? "bhds" : "bhsd";
    for (;;) {
        uint32_t writer;
        const TsrNodeView *view = private_writer(edit, node, index, &writer);
        const int data = may_scale && view != NULL ? scaled_operand(view, &found->scale)
                                                   : NN_NOWHERE;
        if (data != NN_NOWHERE) {
            index = (uint32_t)data;
        } else if (!transposed && view != NULL &&
                   (has_perm(view, places_heads) || has_perm(view, swapped) ||
                    has_perm(view, both))) {
            const int turned = has_perm(view, places_heads);
            /* [b, h, s, d] by 0 1 3 2 or [b, s, h, d] by 0 2 3 1 give K^T. */
            if (is_key && !turned)
                *out_layout = has_perm(view, swapped) ? "bhsd" : "bshd";
            else if (!is_key && turned)
                *out_layout = "bshd";
            else
                break;
            transposed = 1;
            index = 0;
        } else {
            break;
        }
        if (!nn_pattern_add(&found->pattern, writer))
            return 0;
        node = writer;
    }
    /* K turned twice: [b, s, h, d] by 0 2 1 3 and then by 0 1 3 2. */
    if (is_key && strcmp(*out_layout, "bhsd") == 0) {
        uint32_t writer;
        const TsrNodeView *view = private_writer(edit, node, index, &writer);
        if (view != NULL && has_perm(view, places_heads)) {
            *out_layout = "bshd";
            if (!nn_pattern_add(&found->pattern, writer))
                return 0;
            node = writer;
        }
    }
    *out_value = edit->input_value(edit, node, index);
    return *out_value != TSR_NO_VALUE;
}

static int is_product(const TsrNodeView *view)
{
    return nn_is_op(view, "", "MatMul") && view->inputs[0]->rank == 4 && view->inputs[1]->rank == 4;
}

/* Reads scale * Q K^T + mask backwards from input 0 of the Softmax. */
static int read_scores(const TsrGraphEdit *edit, uint32_t softmax, Found *found)
{
    uint32_t node = softmax, index = 0, writer;
    const TsrNodeView *view = private_writer(edit, node, index, &writer);
    int data;
    found->scale = 1.0f;
    found->inputs[3] = TSR_NO_VALUE;
    if (nn_is_op(view, "", "Add") && view->since_version >= 7) {
        /* The scores are the side that a product or its scale writes. */
        for (index = 0; index < 2; index++) {
            uint32_t side;
            float ignored = 1.0f;
            const TsrNodeView *other = private_writer(edit, writer, index, &side);
            if (other != NULL && scaled_operand(other, &ignored) != NN_NOWHERE)
                other = private_writer(edit, side, (uint32_t)scaled_operand(other, &ignored),
                                       &side);
            if (is_product(other))
                break;
        }
        if (index == 2 || view->inputs[1 - index]->rank > 4 ||
            view->inputs[1 - index]->dtype != TSR_DTYPE_FLOAT)
            return 0;
        found->inputs[3] = edit->input_value(edit, writer, 1 - index);
        if (!nn_pattern_add(&found->pattern, writer))
            return 0;
        node = writer;
        view = private_writer(edit, node, index, &writer);
    }
    data = view != NULL ? scaled_operand(view, &found->scale) : NN_NOWHERE;
    if (data != NN_NOWHERE) {
        if (!nn_pattern_add(&found->pattern, writer))
            return 0;
        view = private_writer(edit, writer, (uint32_t)data, &writer);
    }
    return is_product(view) && nn_pattern_add(&found->pattern, writer) &&
           read_operand(edit, writer, 0, 0, 1, found, &found->inputs[0], &found->layouts[0]) &&
           read_operand(edit, writer, 1, 1, 1, found, &found->inputs[1], &found->layouts[1]);
}

/* Reads the product with V, and a Transpose of the result, forwards. */
static int read_result(const TsrGraphEdit *edit, uint32_t softmax, Found *found)
{
    uint32_t product, turned;
    const TsrNodeView *view = nn_reader(edit, softmax, "MatMul", &product);
    if (view == NULL || !is_product(view) || nn_beside(edit, product,
            edit->output_value(edit, softmax, 0)) != 1 ||
        !nn_pattern_add(&found->pattern, product) ||
        !read_operand(edit, product, 1, 0, 0, found, &found->inputs[2], &found->layouts[2]))
        return 0;
    found->output = edit->output_value(edit, product, 0);
    found->layouts[3] = "bhsd";
    view = nn_reader(edit, product, "Transpose", &turned);
    if (view != NULL && has_perm(view, places_heads)) {
        found->layouts[3] = "bshd";
        found->output = edit->output_value(edit, turned, 0);
        return nn_pattern_add(&found->pattern, turned);
    }
    return 1;
}

static int32_t apply_attention(const TsrFusionPass *pass, const TsrGraphEdit *edit, uint32_t node)
{
    static const char *const names[4] = { "q_layout", "k_layout", "v_layout", "y_layout" };
    const TsrNodeView *view = edit->node(edit, node);
    Found found = { .pattern = { .count = 0 } };
    TsrAttr attrs[5];
    const TsrAttr *list[5];
    (void)pass;
    if (!nn_is_op(view, "", "Softmax") || view->inputs[0]->rank != 4 ||
        tsr_axis_normalize(tsr_attr_int(view, "axis", view->since_version < 13 ? 1 : -1), 4) != 3 ||
        !nn_pattern_add(&found.pattern, node) || !read_scores(edit, node, &found) ||
        !read_result(edit, node, &found))
        return TSR_UNSUPPORTED;
    attrs[0] = nn_attr_float("scale", found.scale);
    for (int i = 0; i < 4; i++)
        attrs[i + 1] = (TsrAttr){ .struct_size = sizeof(TsrAttr), .type = TSR_ATTR_STRING,
                                  .name = names[i],
                                  .s = { found.layouts[i], strlen(found.layouts[i]) } };
    for (int i = 0; i < 5; i++)
        list[i] = &attrs[i];
    return nn_replace(edit, &found.pattern, NN_DOMAIN, "Attention", found.inputs, 4, found.output,
                      list, 5);
}

static const char *const roots[] = { "Softmax" };

const TsrFusionPass nn_attention_pass = {
    .struct_size = sizeof(TsrFusionPass), .order = 60, .name = "nn_attention",
    .description = "Joins the products, scale, mask and softmax of attention and its transposes",
    .default_on = 1, .root_count = 1, .root_ops = roots, .apply = apply_attention,
};
