/* SPDX-License-Identifier: Apache-2.0
 *
 * fusion_norm.c: the passes nn_layer_norm, nn_add_layer_norm and nn_softmax: normalizations
 * that an exporter spells out become one operator each, which reads its rows once.
 *   LayerNorm (Ba, Kiros and Hinton 2016): d = x - mean(x), d / sqrt(mean(d^2) + epsilon),
 *   then times scale and plus bias where they follow;
 *   an Add before either form of it;
 *   Softmax: e / sum(e) with e = exp(x - max(x)).
 * Called through the table in fusion.c.
 */
#include "fusion_match.h"

/* Whether the node writes the mean of `x` over its last axis. */
static int is_row_mean(const TsrGraphEdit *edit, const TsrNodeView *view, uint32_t node,
                       uint32_t x)
{
    return view != NULL && edit->input_value(edit, node, 0) == x &&
           view->inputs[0]->rank != TSR_RANK_UNKNOWN &&
           nn_reduced_axis(view) == (int)view->inputs[0]->rank - 1;
}

/* Reads d = x - mean(x) backwards from input `index` of node. */
static int match_centred(const TsrGraphEdit *edit, uint32_t node, uint32_t index,
                         NnPattern *pattern, uint32_t *out_x)
{
    uint32_t sub, mean;
    const TsrNodeView *view;
    if (nn_writer(edit, node, index, "Sub", &sub) == NULL)
        return 0;
    *out_x = edit->input_value(edit, sub, 0);
    view = nn_writer(edit, sub, 1, "ReduceMean", &mean);
    return is_row_mean(edit, view, mean, *out_x) && nn_pattern_add(pattern, sub) &&
           nn_pattern_add(pattern, mean);
}

/* The input of a square, x * x or x ^ 2; TSR_NO_VALUE when the node is none. */
static uint32_t squared_value(const TsrGraphEdit *edit, uint32_t node)
{
    const TsrNodeView *view = node != UINT32_MAX ? edit->node(edit, node) : NULL;
    const uint32_t x = view != NULL ? edit->input_value(edit, node, 0) : TSR_NO_VALUE;
    if (nn_is_op(view, "", "Pow") && nn_is_number(view, 1, 2.0f))
        return x;
    return nn_is_op(view, "", "Mul") && edit->input_value(edit, node, 1) == x ? x : TSR_NO_VALUE;
}

/* Reads sqrt(mean(d^2) + epsilon) backwards from the Sqrt. */
static int match_deviation(const TsrGraphEdit *edit, uint32_t root, NnPattern *pattern,
                           uint32_t *out_x, float *out_epsilon)
{
    uint32_t add, mean, square;
    const TsrNodeView *view = nn_writer(edit, root, 0, "Add", &add);
    int data;
    if (view == NULL)
        return 0;
    data = nn_number(view, 1, out_epsilon) ? 0 : nn_number(view, 0, out_epsilon) ? 1 : NN_NOWHERE;
    if (data == NN_NOWHERE || !(*out_epsilon >= 0.0f))
        return 0;
    view = nn_writer(edit, add, (uint32_t)data, "ReduceMean", &mean);
    if (view == NULL)
        return 0;
    square = edit->producer(edit, edit->input_value(edit, mean, 0));
    return is_row_mean(edit, view, mean, edit->input_value(edit, mean, 0)) &&
           squared_value(edit, square) != TSR_NO_VALUE &&
           match_centred(edit, square, 0, pattern, out_x) && nn_pattern_add(pattern, root) &&
           nn_pattern_add(pattern, add) && nn_pattern_add(pattern, mean) &&
           nn_pattern_add(pattern, square);
}

/* Reads d / root, or d * (1 / root), forwards; the node that writes it, or UINT32_MAX. */
static uint32_t match_quotient(const TsrGraphEdit *edit, uint32_t root, NnPattern *pattern,
                               uint32_t x)
{
    uint32_t quotient, reciprocal, again, deviation = edit->output_value(edit, root, 0);
    int data;
    if (nn_reader(edit, root, "Reciprocal", &reciprocal) != NULL) {
        if (!nn_pattern_add(pattern, reciprocal) ||
            nn_reader(edit, reciprocal, "Mul", &quotient) == NULL)
            return UINT32_MAX;
        deviation = edit->output_value(edit, reciprocal, 0);
    } else if (nn_reader(edit, root, "Div", &quotient) == NULL) {
        return UINT32_MAX;
    }
    data = nn_beside(edit, quotient, deviation);
    if (data == 1 && nn_is_op(edit->node(edit, quotient), "", "Div"))
        return UINT32_MAX;
    return match_centred(edit, quotient, (uint32_t)data, pattern, &again) && again == x &&
                   nn_pattern_add(pattern, quotient)
               ? quotient : UINT32_MAX;
}

/* Takes a vector along the rows that `op_type` joins to the output of *last. */
static uint32_t take_vector(const TsrGraphEdit *edit, uint32_t *last, const char *op_type,
                            const TsrTensorDesc *x, NnPattern *pattern)
{
    uint32_t node, value;
    if (nn_reader(edit, *last, op_type, &node) == NULL)
        return TSR_NO_VALUE;
    value = edit->input_value(
        edit, node, (uint32_t)nn_beside(edit, node, edit->output_value(edit, *last, 0)));
    if (value == TSR_NO_VALUE || !nn_is_last_vector(edit->desc(edit, value), x) ||
        !nn_pattern_add(pattern, node))
        return TSR_NO_VALUE;
    *last = node;
    return value;
}

static int32_t apply_layer_norm(const TsrFusionPass *pass, const TsrGraphEdit *edit,
                                uint32_t node)
{
    NnPattern pattern = { .count = 0 };
    uint32_t inputs[3], last;
    float epsilon;
    (void)pass;
    if (edit->node(edit, node) == NULL ||
        !match_deviation(edit, node, &pattern, &inputs[0], &epsilon))
        return TSR_UNSUPPORTED;
    last = match_quotient(edit, node, &pattern, inputs[0]);
    if (last == UINT32_MAX)
        return TSR_UNSUPPORTED;
    const TsrTensorDesc *x = edit->desc(edit, inputs[0]);
    inputs[1] = take_vector(edit, &last, "Mul", x, &pattern);
    inputs[2] = take_vector(edit, &last, "Add", x, &pattern);
    const TsrAttr attr = nn_attr_float("epsilon", epsilon);
    const TsrAttr *const attrs[1] = { &attr };
    return nn_replace(edit, &pattern, NN_DOMAIN, "LayerNorm", inputs, 3,
                      edit->output_value(edit, last, 0), attrs, 1);
}

/* Whether the node normalizes rows of a known shape and writes nothing but them. */
static int is_plain_norm(const TsrNodeView *view)
{
    if (view == NULL || !tsr_desc_is_static(view->inputs[0]) || view->inputs[0]->rank < 1)
        return 0;
    for (uint32_t i = 1; i < view->output_count; i++)
        if (view->outputs[i] != NULL)
            return 0;
    if (nn_is_op(view, NN_DOMAIN, "LayerNorm"))
        return nn_input(view, 3) == NULL;
    return nn_is_op(view, "", "LayerNormalization") && tsr_attr_int(view, "stash_type", 1) == 1 &&
           tsr_axis_normalize(tsr_attr_int(view, "axis", -1), view->inputs[0]->rank) ==
               (int64_t)view->inputs[0]->rank - 1;
}

/* The Add before a layer normalization, whose sum stays where it has other readers. */
static int32_t apply_add_norm(const TsrFusionPass *pass, const TsrGraphEdit *edit, uint32_t node)
{
    const TsrNodeView *view = edit->node(edit, node), *sum;
    uint32_t add, nodes[2], inputs[4], outputs[2];
    TsrAttr epsilon;
    (void)pass;
    if (!is_plain_norm(view) || (sum = nn_writer(edit, node, 0, "Add", &add)) == NULL ||
        sum->since_version < 7 || !nn_same_static(sum->inputs[0], sum->inputs[1]))
        return TSR_UNSUPPORTED;
    nodes[0] = add;
    nodes[1] = node;
    inputs[0] = edit->input_value(edit, add, 0);
    inputs[3] = edit->input_value(edit, add, 1);
    for (uint32_t i = 1; i < 3; i++)
        inputs[i] = nn_input(view, i) != NULL ? edit->input_value(edit, node, i) : TSR_NO_VALUE;
    outputs[0] = edit->output_value(edit, node, 0);
    outputs[1] = edit->output_value(edit, add, 0);
    epsilon = nn_attr_float("epsilon", tsr_attr_float(view, "epsilon", 1e-5f));
    const TsrAttr *const attrs[1] = { &epsilon };
    const TsrFusedNode fused = {
        .struct_size = sizeof(fused), .node_count = 2, .input_count = 4,
        .output_count = edit->is_needed(edit, outputs[1]) ||
                                edit->consumer_count(edit, outputs[1]) > 1 ? 2 : 1,
        .attr_count = 1, .op_type = "LayerNorm", .domain = NN_DOMAIN, .nodes = nodes,
        .inputs = inputs, .outputs = outputs, .attrs = attrs,
    };
    return edit->fuse(edit, &fused);
}

/* e / sum(e), rooted at e = exp(x - max(x)). */
static int32_t apply_softmax(const TsrFusionPass *pass, const TsrGraphEdit *edit, uint32_t node)
{
    NnPattern pattern = { .count = 0 };
    uint32_t sub, most, sum = UINT32_MAX, quotient, x, e;
    const TsrNodeView *view;
    int axis;
    (void)pass;
    if (edit->node(edit, node) == NULL || nn_writer(edit, node, 0, "Sub", &sub) == NULL)
        return TSR_UNSUPPORTED;
    x = edit->input_value(edit, sub, 0);
    e = edit->output_value(edit, node, 0);
    view = nn_writer(edit, sub, 1, "ReduceMax", &most);
    axis = view != NULL && edit->input_value(edit, most, 0) == x ? nn_reduced_axis(view)
                                                                 : NN_NOWHERE;
    for (uint32_t i = 0; axis >= 0 && i < edit->consumer_count(edit, e); i++) {
        const uint32_t reader = edit->consumer(edit, e, i);
        const TsrNodeView *other = reader != UINT32_MAX ? edit->node(edit, reader) : NULL;
        if (nn_is_op(other, "", "ReduceSum") && nn_reduced_axis(other) == axis)
            sum = reader;
    }
    if (sum == UINT32_MAX || nn_reader(edit, sum, "Div", &quotient) == NULL ||
        edit->input_value(edit, quotient, 0) != e ||
        edit->input_value(edit, quotient, 1) != edit->output_value(edit, sum, 0))
        return TSR_UNSUPPORTED;
    nn_pattern_add(&pattern, node);
    nn_pattern_add(&pattern, sub);
    nn_pattern_add(&pattern, most);
    nn_pattern_add(&pattern, sum);
    nn_pattern_add(&pattern, quotient);
    const TsrAttr attr = nn_attr_int("axis", axis);
    const TsrAttr *const attrs[1] = { &attr };
    return nn_replace(edit, &pattern, "", "Softmax", &x, 1,
                      edit->output_value(edit, quotient, 0), attrs, 1);
}

static const char *const norm_roots[] = { "Sqrt" };
static const char *const add_norm_roots[] = { "LayerNorm", "LayerNormalization" };
static const char *const softmax_roots[] = { "Exp" };

const TsrFusionPass nn_layer_norm_pass = {
    .struct_size = sizeof(TsrFusionPass), .order = 8, .name = "nn_layer_norm",
    .description = "Recognises layer normalization that is spelt out in several operators",
    .default_on = 1, .root_count = 1, .root_ops = norm_roots, .apply = apply_layer_norm,
};
/* After matrix products have taken what they can add themselves. */
const TsrFusionPass nn_add_layer_norm_pass = {
    .struct_size = sizeof(TsrFusionPass), .order = 75, .name = "nn_add_layer_norm",
    .description = "Adds a residual inside the layer normalization that follows",
    .default_on = 1, .root_count = 2, .root_ops = add_norm_roots, .apply = apply_add_norm,
};
const TsrFusionPass nn_softmax_pass = {
    .struct_size = sizeof(TsrFusionPass), .order = 9, .name = "nn_softmax",
    .description = "Recognises a softmax that is spelt out in several operators",
    .default_on = 1, .root_count = 1, .root_ops = softmax_roots, .apply = apply_softmax,
};
