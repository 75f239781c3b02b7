/* SPDX-License-Identifier: Apache-2.0
 *
 * fusion_swish.c: the passes around HardSwish, for networks whose exporter has no such
 * operator. nn_hard_swish recognises x * clip(x + 3, 0, 6) / 6 and x * hard_sigmoid(x)
 * (the formula of ONNX HardSwish 14); nn_scaled_swish joins a constant factor or
 * summand behind it. Called through the table in fusion.c.
 */
#include <math.h>
#include "fusion.h"

/* Whether input i is one constant float near `want`. */
static int is_number(const TsrNodeView *view, uint32_t i, float want)
{
    float v;
    return nn_input(view, i) != NULL && nn_constant_float(view, i, 0.0f, &v) &&
           fabsf(v - want) <= 1e-6f * fabsf(want);
}

/* The node behind `value` when it is the ONNX operator of that name whose output only
 * the pattern reads. */
static uint32_t inner_node(const TsrGraphEdit *edit, uint32_t node, uint32_t index,
                           const char *op_type)
{
    const uint32_t producer = nn_vanishing_producer(edit, node, index);
    return producer != UINT32_MAX && nn_is_op(edit->node(edit, producer), "", op_type) &&
                   edit->node(edit, producer)->since_version >= 6
               ? producer : UINT32_MAX;
}

/* Matches clip(x + 3, 0, 6) that writes input `index` of `node`; *out_x is x. */
static int match_clip(const TsrGraphEdit *edit, uint32_t node, uint32_t index, uint32_t *out_clip,
                      uint32_t *out_add, uint32_t *out_x)
{
    const uint32_t clip = inner_node(edit, node, index, "Clip");
    TsrActivation a;
    if (clip == UINT32_MAX)
        return 0;
    a = nn_activation_node(edit->node(edit, clip));
    if (a.kind != TSR_ACT_CLIP || a.alpha != 0.0f || a.beta != 6.0f)
        return 0;
    *out_clip = clip;
    *out_add = inner_node(edit, clip, 0, "Add");
    if (*out_add == UINT32_MAX)
        return 0;
    for (uint32_t i = 0; i < 2; i++)
        if (is_number(edit->node(edit, *out_add), i, 3.0f)) {
            *out_x = edit->input_value(edit, *out_add, 1 - i);
            return 1;
        }
    return 0;
}

/* The input of a Div by 6 or a Mul by 1/6 that is divided; -1 when the node is neither. */
static int divided_input(const TsrNodeView *view)
{
    if (nn_is_op(view, "", "Div"))
        return is_number(view, 1, 6.0f) ? 0 : -1;
    if (nn_is_op(view, "", "Mul"))
        return is_number(view, 1, 1.0f / 6.0f) ? 0 : is_number(view, 0, 1.0f / 6.0f) ? 1 : -1;
    return -1;
}

static int32_t fuse_swish(const TsrGraphEdit *edit, const uint32_t *nodes, uint32_t count,
                          uint32_t x)
{
    const TsrActivation swish = { TSR_ACT_HARD_SWISH, 0.0f, 0.0f };
    return nn_fuse(edit, "Activation", nodes, count, &x, 1, swish);
}

/* (x * clip(x + 3, 0, 6)) / 6, rooted at the division. */
static int32_t apply_divided_product(const TsrGraphEdit *edit, uint32_t node, uint32_t product)
{
    uint32_t nodes[4] = { 0, 0, product, node }, x;
    for (uint32_t i = 0; i < 2; i++)
        if (match_clip(edit, product, i, &nodes[1], &nodes[0], &x) &&
            edit->input_value(edit, product, 1 - i) == x)
            return fuse_swish(edit, nodes, 4, x);
    return TSR_UNSUPPORTED;
}

/* x * (clip(x + 3, 0, 6) / 6) and x * hard_sigmoid(x), rooted at the product. */
static int32_t apply_product(const TsrGraphEdit *edit, uint32_t node)
{
    uint32_t nodes[4] = { 0, 0, 0, node }, x;
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t other = edit->input_value(edit, node, 1 - i);
        const uint32_t before = nn_vanishing_producer(edit, node, i);
        const TsrNodeView *view = before != UINT32_MAX ? edit->node(edit, before) : NULL;
        const int divided = view != NULL ? divided_input(view) : -1;
        nodes[2] = before;
        if (divided >= 0 &&
            match_clip(edit, before, (uint32_t)divided, &nodes[1], &nodes[0], &x) && x == other)
            return fuse_swish(edit, nodes, 4, x);
        if (nn_is_op(view, "", "HardSigmoid") && edit->input_value(edit, before, 0) == other) {
            const TsrActivation a = nn_activation_node(view);
            if (fabsf(a.alpha - 1.0f / 6.0f) <= 1e-6f && a.beta == 0.5f)
                return fuse_swish(edit, nodes + 2, 2, other);
        }
    }
    return TSR_UNSUPPORTED;
}

static int32_t apply_hard_swish(const TsrFusionPass *pass, const TsrGraphEdit *edit,
                                uint32_t node)
{
    const TsrNodeView *view = edit->node(edit, node);
    int divided;
    (void)pass;
    if (view == NULL || view->domain[0] != '\0' || view->since_version < 7)
        return TSR_UNSUPPORTED;
    divided = divided_input(view);
    if (divided >= 0) {
        const uint32_t product = inner_node(edit, node, (uint32_t)divided, "Mul");
        if (product != UINT32_MAX)
            return apply_divided_product(edit, node, product);
    }
    return nn_is_op(view, "", "Mul") ? apply_product(edit, node) : TSR_UNSUPPORTED;
}

/* Reads y = x * scale + shift with one constant; the data input is *out_data. The result
 * has the shape of x. */
static int scalar_map(const TsrNodeView *view, uint32_t *out_data, float *out_scale,
                      float *out_shift)
{
    const int is_mul = nn_is_op(view, "", "Mul"), is_div = nn_is_op(view, "", "Div");
    for (uint32_t i = 0; i < 2; i++) {
        const TsrTensorDesc *x = nn_input(view, 1 - i), *y = view->outputs[0];
        float v;
        if (nn_value(view, i) == NULL || !nn_constant_float(view, i, 0.0f, &v) || x == NULL ||
            nn_input(view, i)->rank > x->rank || x->rank != y->rank || (i == 0 && is_div))
            continue;
        *out_data = 1 - i;
        *out_scale = is_mul ? v : is_div ? 1.0f / v : 1.0f;
        *out_shift = is_mul || is_div ? 0.0f : v;
        return 1;
    }
    return 0;
}

static int32_t apply_scaled_swish(const TsrFusionPass *pass, const TsrGraphEdit *edit,
                                  uint32_t node)
{
    const TsrNodeView *view = edit->node(edit, node), *before;
    TsrActivation a;
    uint32_t nodes[2] = { 0, node }, inputs[4], count, data;
    float scale, shift;
    (void)pass;
    if (view == NULL || view->domain[0] != '\0' || view->since_version < 7 ||
        !scalar_map(view, &data, &scale, &shift))
        return TSR_UNSUPPORTED;
    nodes[0] = nn_vanishing_producer(edit, node, data);
    before = nodes[0] != UINT32_MAX ? edit->node(edit, nodes[0]) : NULL;
    if (before == NULL || strcmp(before->domain, NN_DOMAIN) != 0)
        return TSR_UNSUPPORTED;
    a = nn_activation_of(before);
    if (a.kind == TSR_ACT_HARD_SWISH)
        a = (TsrActivation){ TSR_ACT_SCALED_HARD_SWISH, 1.0f, 0.0f };
    if (a.kind != TSR_ACT_SCALED_HARD_SWISH)
        return TSR_UNSUPPORTED;
    a.alpha *= scale;
    a.beta = a.beta * scale + shift;
    count = nn_inputs_of(edit, nodes[0], inputs);
    return nn_fuse(edit, before->op_type, nodes, 2, inputs, count, a);
}

#define ROOTS(array) .root_count = sizeof(array) / sizeof((array)[0]), .root_ops = (array)

static const char *const swish_roots[] = { "Mul", "Div" };
static const char *const scale_roots[] = { "Mul", "Div", "Add" };

const TsrFusionPass nn_hard_swish_pass = {
    .struct_size = sizeof(TsrFusionPass), .order = 5, .name = "nn_hard_swish",
    .description = "Recognises HardSwish that is spelt out in several operators",
    .default_on = 1, ROOTS(swish_roots), .apply = apply_hard_swish,
};
const TsrFusionPass nn_scaled_swish_pass = {
    .struct_size = sizeof(TsrFusionPass), .order = 50, .name = "nn_scaled_swish",
    .description = "Multiplies by and adds a constant inside a HardSwish before it",
    .default_on = 1, ROOTS(scale_roots), .apply = apply_scaled_swish,
};
