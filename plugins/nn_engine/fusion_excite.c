/* SPDX-License-Identifier: Apache-2.0
 *
 * fusion_excite.c: the pass nn_squeeze_excite: a picture times a gate per channel, which two
 * 1x1 convolutions make of the picture's own means, is one SqueezeExcite; the picture added
 * to that and an activation behind it go in as well. Called through the table in fusion.c,
 * after the convolutions have taken their activations.
 */
#include "fusion_match.h"

/* The pattern from the means to the product. */
typedef struct Excite {
    NnPattern pattern;
    uint32_t inputs[5]; /* X, W1, B1, W2, B2 */
    TsrActivation squeeze, gate;
} Excite;

/* A 1x1 convolution of one picture element to another, with constants and without residual. */
static int is_layer(const TsrNodeView *view)
{
    const TsrTensorDesc *w = nn_is_conv(view) ? nn_input(view, 1) : NULL;
    const NnPicture none = { 1, 1, 1, 1 };
    NnWindow v;
    return w != NULL && strcmp(view->op_type, "Conv") == 0 && nn_value(view, 1) != NULL &&
           (nn_input(view, 2) == NULL || nn_value(view, 2) != NULL) &&
           nn_input(view, 3) == NULL && w->rank == 4 && w->shape[2] == 1 && w->shape[3] == 1 &&
           tsr_attr_int(view, "group", 1) == 1 &&
           nn_window_of(view, 2, w->shape + 2, &none, &none, &v) &&
           v.pad_top + v.pad_left + v.pad_bottom + v.pad_right == 0;
}

/* Whether the node is the mean of every channel, [N, C, 1, 1]. */
static int is_channel_mean(const TsrNodeView *view)
{
    uint32_t axes;
    if (view == NULL || view->inputs[0] == NULL || view->inputs[0]->rank != 4 ||
        view->outputs[0]->rank != 4)
        return 0;
    return nn_is_op(view, "", "GlobalAveragePool") ||
           (nn_is_op(view, "", "ReduceMean") && nn_reduce_axes(view, &axes) && axes == 0xc);
}

/* Takes one layer before `node`, input `index`, into the pattern; its id or UINT32_MAX. */
static uint32_t take_layer(const TsrGraphEdit *edit, uint32_t node, uint32_t index,
                           Excite *excite, uint32_t *weights, TsrActivation *activation)
{
    const uint32_t conv = nn_vanishing_producer(edit, node, index);
    const TsrNodeView *view = conv != UINT32_MAX ? edit->node(edit, conv) : NULL;
    if (!is_layer(view) || !nn_pattern_add(&excite->pattern, conv))
        return UINT32_MAX;
    *activation = nn_activation_of(view);
    weights[0] = edit->input_value(edit, conv, 1);
    weights[1] = nn_input(view, 2) != NULL ? edit->input_value(edit, conv, 2) : TSR_NO_VALUE;
    return conv;
}

/* Reads the pattern with the gate at operand `gate` of the Mul. */
static int read_excite(const TsrGraphEdit *edit, uint32_t mul, uint32_t gate, Excite *excite)
{
    const uint32_t x = edit->input_value(edit, mul, 1 - gate);
    uint32_t second, first, mean;
    excite->pattern.count = 0;
    excite->inputs[0] = x;
    second = take_layer(edit, mul, gate, excite, excite->inputs + 3, &excite->gate);
    if (second == UINT32_MAX)
        return 0;
    first = take_layer(edit, second, 0, excite, excite->inputs + 1, &excite->squeeze);
    if (first == UINT32_MAX)
        return 0;
    mean = nn_vanishing_producer(edit, first, 0);
    return mean != UINT32_MAX && is_channel_mean(edit->node(edit, mean)) &&
           edit->input_value(edit, mean, 0) == x && nn_pattern_add(&excite->pattern, mean) &&
           nn_pattern_add(&excite->pattern, mul);
}

/* The only reader of the node's output, whatever it is. */
static uint32_t only_reader(const TsrGraphEdit *edit, uint32_t node)
{
    const uint32_t value = edit->output_value(edit, node, 0);
    return edit->consumer_count(edit, value) == 1 && !edit->is_needed(edit, value)
               ? edit->consumer(edit, value, 0) : UINT32_MAX;
}

static int32_t apply_excite(const TsrFusionPass *pass, const TsrGraphEdit *edit, uint32_t node)
{
    const TsrNodeView *view = edit->node(edit, node);
    Excite excite;
    uint32_t last = node, next;
    TsrActivation activation = { TSR_ACT_NONE, 0.0f, 0.0f };
    int residual = 0;
    (void)pass;
    if (!nn_is_op(view, "", "Mul") || view->since_version < 7 ||
        (!read_excite(edit, node, 0, &excite) && !read_excite(edit, node, 1, &excite)))
        return TSR_UNSUPPORTED;
    if (nn_reader(edit, node, "Add", &next) != NULL &&
        (edit->input_value(edit, next, 0) == excite.inputs[0] ||
         edit->input_value(edit, next, 1) == excite.inputs[0]) &&
        edit->node(edit, next)->since_version >= 7) {
        residual = nn_pattern_add(&excite.pattern, next);
        last = next;
    }
    next = only_reader(edit, last);
    if (next != UINT32_MAX) {
        activation = nn_activation_node(edit->node(edit, next));
        if (activation.kind != TSR_ACT_NONE && edit->node(edit, next) != NULL &&
            edit->input_value(edit, next, 0) == edit->output_value(edit, last, 0)) {
            nn_pattern_add(&excite.pattern, next);
            last = next;
        }
    }
    const TsrAttr all[] = {
        nn_attr_int("activation", activation.kind), nn_attr_float("alpha", activation.alpha),
        nn_attr_float("beta", activation.beta),
        nn_attr_int("squeeze_activation", excite.squeeze.kind),
        nn_attr_float("squeeze_alpha", excite.squeeze.alpha),
        nn_attr_float("squeeze_beta", excite.squeeze.beta),
        nn_attr_int("gate_activation", excite.gate.kind),
        nn_attr_float("gate_alpha", excite.gate.alpha),
        nn_attr_float("gate_beta", excite.gate.beta), nn_attr_int("residual", residual),
    };
    const TsrAttr *attrs[sizeof(all) / sizeof(all[0])];
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        attrs[i] = &all[i];
    return nn_replace(edit, &excite.pattern, NN_DOMAIN, "SqueezeExcite", excite.inputs, 5,
                      edit->output_value(edit, last, 0), attrs, sizeof(all) / sizeof(all[0]));
}

static const char *const roots[] = { "Mul" };

const TsrFusionPass nn_squeeze_excite_pass = {
    .struct_size = sizeof(TsrFusionPass), .order = 55, .name = "nn_squeeze_excite",
    .description = "Scales channels by what two small layers make of their means, in one",
    .default_on = 1, .root_count = 1, .root_ops = roots, .apply = apply_excite,
};
