/* SPDX-License-Identifier: Apache-2.0
 *
 * fusion.c: the table of the fusion passes of nn_engine and those around a Conv. Every
 * pass looks at one node and at the producer of its input; what it makes is an operator
 * of ops.c. In this order (fusion_swish.c has the first and the last): scale and
 * shift per channel (BatchNormalization, Mul, Add, Sub with constants) are folded into
 * the weights of a Conv before them, or joined to one Affine; a residual Add goes into
 * the Conv; an activation goes into the Conv or Affine. Legal only when nobody else
 * reads the value that vanishes; the host checks that once more.
 */
#include <math.h>
#include <stdlib.h>
#include "fusion.h"

enum { MAX_ATTRS = 16 };

/* y = x * scale[c] + shift[c], owned. */
typedef struct ChannelMap {
    int64_t channels;
    float *scale, *shift;
} ChannelMap;

static void map_clear(ChannelMap *map)
{
    free(map->scale);
    free(map->shift);
    map->scale = map->shift = NULL;
}

static int map_init(ChannelMap *map, int64_t channels)
{
    map->channels = channels;
    map->scale = malloc((size_t)channels * sizeof(float) + 1);
    map->shift = malloc((size_t)channels * sizeof(float) + 1);
    if (map->scale != NULL && map->shift != NULL)
        return 1;
    map_clear(map);
    return 0;
}

uint32_t nn_vanishing_producer(const TsrGraphEdit *edit, uint32_t node, uint32_t index)
{
    const uint32_t value = edit->input_value(edit, node, index);
    if (value == TSR_NO_VALUE || edit->consumer_count(edit, value) != 1 ||
        edit->is_needed(edit, value))
        return UINT32_MAX;
    return edit->producer(edit, value);
}

int nn_is_op(const TsrNodeView *view, const char *domain, const char *op_type)
{
    return view != NULL && strcmp(view->domain, domain) == 0 &&
           strcmp(view->op_type, op_type) == 0;
}

static int is_transposed(const TsrNodeView *view)
{
    return nn_is_op(view, "", "ConvTranspose") || nn_is_op(view, NN_DOMAIN, "ConvTranspose");
}

int nn_is_conv(const TsrNodeView *view)
{
    return nn_is_op(view, "", "Conv") || nn_is_op(view, NN_DOMAIN, "Conv") || is_transposed(view);
}

/* The dimension of W that counts output channels: W is [M, C / group, ...], that of
 * ConvTranspose (one group, or nobody here takes it) [C, M, ...]. */
static uint32_t channel_axis(const TsrNodeView *conv) { return is_transposed(conv) ? 1 : 0; }

int nn_is_open(const TsrNodeView *view)
{
    return (nn_is_conv(view) || nn_is_op(view, NN_DOMAIN, "Affine")) &&
           nn_activation_of(view).kind == TSR_ACT_NONE;
}

/* Whether every constant that nn_engine needs of this Conv is one, in a float type. */
static int has_constant_weights(const TsrNodeView *view)
{
    const TsrTensor *w = nn_value(view, 1);
    TsrSupport support = { .struct_size = sizeof(support) };
    if (is_transposed(view)) {
        nn_engine.check(&nn_engine, view, &support);
        return support.answer == TSR_SUPPORT_YES;
    }
    return w != NULL && nn_is_float(w->desc->dtype) &&
           (nn_input(view, 2) == NULL || nn_value(view, 2) != NULL);
}

static uint32_t add_floats(const TsrGraphEdit *edit, uint32_t rank, const int64_t *shape,
                           const float *data)
{
    const TsrTensorDesc desc = { sizeof(desc), TSR_DTYPE_FLOAT, TSR_FORMAT_ND, TSR_FORMAT_ND,
                                 rank, rank, shape, shape, "" };
    return edit->add_constant(edit, &desc, data);
}

int32_t nn_fuse(const TsrGraphEdit *edit, const char *op_type, const uint32_t *nodes,
                uint32_t node_count, const uint32_t *inputs, uint32_t input_count,
                TsrActivation activation)
{
    static const char *const taken[] = { "auto_pad", "dilations", "group", "kernel_shape",
                                         "output_padding", "pads", "strides" };
    const TsrNodeView *view = edit->node(edit, nodes[0]);
    const uint32_t output = edit->output_value(edit, nodes[node_count - 1], 0);
    const TsrAttr kind = { .struct_size = sizeof(kind), .type = TSR_ATTR_INT,
                           .name = "activation", .i = activation.kind };
    const TsrAttr alpha = { .struct_size = sizeof(alpha), .type = TSR_ATTR_FLOAT,
                            .name = "alpha", .f = activation.alpha };
    const TsrAttr beta = { .struct_size = sizeof(beta), .type = TSR_ATTR_FLOAT, .name = "beta",
                           .f = activation.beta };
    const TsrAttr *attrs[MAX_ATTRS] = { &kind, &alpha, &beta };
    TsrFusedNode fused = { .struct_size = sizeof(fused), .node_count = node_count,
                           .input_count = input_count, .output_count = 1, .attr_count = 3,
                           .op_type = op_type, .domain = NN_DOMAIN, .nodes = nodes,
                           .inputs = inputs, .outputs = &output, .attrs = attrs };
    for (size_t i = 0; nn_is_conv(view) && i < sizeof(taken) / sizeof(taken[0]); i++) {
        const TsrAttr *attr = tsr_attr_find(view, taken[i]);
        if (attr != NULL && (attr->type == TSR_ATTR_INT || attr->type == TSR_ATTR_STRING ||
                             attr->count > 0))
            attrs[fused.attr_count++] = attr;
    }
    return edit->fuse(edit, &fused);
}

uint32_t nn_inputs_of(const TsrGraphEdit *edit, uint32_t node, uint32_t *out_inputs)
{
    const TsrNodeView *view = edit->node(edit, node);
    for (uint32_t i = 0; i < 4; i++)
        out_inputs[i] = nn_input(view, i) != NULL ? edit->input_value(edit, node, i)
                                                  : TSR_NO_VALUE;
    return view->input_count < 4 ? view->input_count : 4;
}

/* ----------------------------------------------- scale and shift per channel */

/* Which operand of a Mul, Add, Sub or Div is the constant; -1 when none is one per
 * channel of the picture that the other one is. */
static int channel_operand(const TsrNodeView *view, uint32_t *out_data)
{
    for (uint32_t i = 0; i < 2; i++) {
        const TsrTensor *value = nn_value(view, i);
        const TsrTensorDesc *x = nn_input(view, 1 - i), *y = view->outputs[0];
        const TsrTensorDesc *c = value != NULL ? value->desc : NULL;
        if (c == NULL || x == NULL || !nn_is_float(c->dtype) || x->rank < 3 ||
            x->rank == TSR_RANK_UNKNOWN || x->rank != y->rank || x->shape[1] < 1 ||
            nn_value(view, 1 - i) != NULL)
            continue;
        *out_data = 1 - i;
        if (tsr_desc_elements(c) == 1 && c->rank <= x->rank)
            return (int)i;
        /* [C, 1, ...] or [1, C, 1, ...] */
        if ((c->rank != x->rank && c->rank != x->rank - 1) ||
            c->shape[c->rank - x->rank + 1] != x->shape[1] ||
            tsr_desc_elements(c) != x->shape[1])
            continue;
        return (int)i;
    }
    return -1;
}

/* The map that node computes on its data input; 0 when it is none. */
static int map_of(const TsrNodeView *view, ChannelMap *out_map, uint32_t *out_data)
{
    static const char *const names[] = { "Mul", "Add", "Sub", "Div" };
    size_t op = 0;
    int constant;
    *out_data = 0;
    if (nn_is_op(view, NN_DOMAIN, "Affine")) {
        if (!map_init(out_map, view->inputs[1]->shape[0]))
            return 0;
        memcpy(out_map->scale, view->values[1]->data, (size_t)out_map->channels * sizeof(float));
        memcpy(out_map->shift, view->values[2]->data, (size_t)out_map->channels * sizeof(float));
        return 1;
    }
    if (nn_is_op(view, "", "BatchNormalization")) {
        TsrSupport support = { .struct_size = sizeof(support) };
        nn_engine.check(&nn_engine, view, &support);
        if (support.answer != TSR_SUPPORT_YES || view->inputs[0]->rank < 3 ||
            !map_init(out_map, view->inputs[1]->shape[0]))
            return 0;
        nn_batchnorm_fold(view, out_map->channels, out_map->scale, out_map->shift);
        return 1;
    }
    while (op < 4 && !nn_is_op(view, "", names[op]))
        op++;
    if (op == 4 || view->since_version < 7 || (constant = channel_operand(view, out_data)) < 0 ||
        (op >= 2 && constant == 0) ||
        !map_init(out_map, view->inputs[*out_data]->shape[1]))
        return 0;
    for (int64_t c = 0; c < out_map->channels; c++) {
        const TsrTensor *value = view->values[constant];
        const float v = nn_float_at(value, tsr_desc_elements(value->desc) == 1 ? 0 : c);
        out_map->scale[c] = op == 0 ? v : op == 3 ? 1.0f / v : 1.0f;
        out_map->shift[c] = op == 1 ? v : op == 2 ? -v : 0.0f;
    }
    return 1;
}

/* W and B of a Conv followed by the map; float even where X is narrow, so that the product
 * is rounded once, when it is packed. */
static int32_t fold_into_conv(const TsrGraphEdit *edit, uint32_t conv, uint32_t node,
                              const ChannelMap *map)
{
    const TsrNodeView *view = edit->node(edit, conv);
    const TsrTensor *w = view->values[1], *b = nn_value(view, 2);
    const int64_t count = tsr_desc_elements(w->desc);
    const uint32_t axis = channel_axis(view);
    const int64_t each = tsr_shape_elements(w->desc->rank - axis - 1, w->desc->shape + axis + 1);
    const uint32_t nodes[2] = { conv, node };
    const uint32_t rank = w->desc->rank;
    const TsrActivation none = { 0 };
    int64_t shape[TSR_MAX_RANK];
    uint32_t inputs[4];
    int32_t status = TSR_UNSUPPORTED;
    float *weights = malloc((size_t)count * sizeof(float));
    float *bias = malloc((size_t)map->channels * sizeof(float));
    nn_inputs_of(edit, conv, inputs);
    if (weights != NULL && bias != NULL) {
        memcpy(shape, w->desc->shape, rank * sizeof(int64_t));
        for (int64_t i = 0; i < count; i++)
            weights[i] = nn_float_at(w, i) * map->scale[i / each % map->channels];
        for (int64_t c = 0; c < map->channels; c++)
            bias[c] = map->shift[c] +
                      (b != NULL ? nn_float_at(b, c) * map->scale[c] : 0.0f);
        inputs[1] = add_floats(edit, rank, shape, weights);
        inputs[2] = add_floats(edit, 1, &map->channels, bias);
        if (inputs[1] != TSR_NO_VALUE && inputs[2] != TSR_NO_VALUE)
            status = nn_fuse(edit, view->op_type, nodes, 2, inputs, 3, none);
    }
    free(weights);
    free(bias);
    return status;
}

static int32_t apply_channel_map(const TsrFusionPass *pass, const TsrGraphEdit *edit,
                                 uint32_t node)
{
    const TsrNodeView *view = edit->node(edit, node), *before;
    const TsrActivation none = { 0 };
    ChannelMap map = { 0 }, first = { 0 };
    uint32_t data, producer, unused, inputs[3];
    int32_t status = TSR_UNSUPPORTED;
    (void)pass;
    if (view == NULL || !map_of(view, &map, &data))
        return TSR_UNSUPPORTED;
    producer = nn_vanishing_producer(edit, node, data);
    before = producer != UINT32_MAX ? edit->node(edit, producer) : NULL;
    if (nn_is_conv(before) && nn_is_open(before) && nn_input(before, 3) == NULL &&
        has_constant_weights(before) &&
        before->inputs[1]->shape[channel_axis(before)] == map.channels) {
        status = fold_into_conv(edit, producer, node, &map);
    } else if (nn_is_op(before, "", "BatchNormalization") ||
               (nn_is_op(before, NN_DOMAIN, "Affine") && nn_is_open(before))) {
        if (map_of(before, &first, &unused) && first.channels == map.channels) {
            const uint32_t nodes[2] = { producer, node };
            for (int64_t c = 0; c < map.channels; c++) {
                first.scale[c] *= map.scale[c];
                first.shift[c] = first.shift[c] * map.scale[c] + map.shift[c];
            }
            inputs[0] = edit->input_value(edit, producer, 0);
            inputs[1] = add_floats(edit, 1, &map.channels, first.scale);
            inputs[2] = add_floats(edit, 1, &map.channels, first.shift);
            if (inputs[1] != TSR_NO_VALUE && inputs[2] != TSR_NO_VALUE)
                status = nn_fuse(edit, "Affine", nodes, 2, inputs, 3, none);
        }
        map_clear(&first);
    }
    map_clear(&map);
    return status;
}

/* A batch norm that stays alone becomes an Affine, which can take an activation. */
static int32_t apply_batchnorm_alone(const TsrFusionPass *pass, const TsrGraphEdit *edit,
                                     uint32_t node)
{
    const TsrNodeView *view = edit->node(edit, node);
    const TsrActivation none = { 0 };
    ChannelMap map = { 0 };
    uint32_t data, inputs[3];
    int32_t status = TSR_UNSUPPORTED;
    (void)pass;
    if (view == NULL || !nn_is_op(view, "", "BatchNormalization") || !map_of(view, &map, &data))
        return TSR_UNSUPPORTED;
    inputs[0] = edit->input_value(edit, node, 0);
    inputs[1] = add_floats(edit, 1, &map.channels, map.scale);
    inputs[2] = add_floats(edit, 1, &map.channels, map.shift);
    if (inputs[1] != TSR_NO_VALUE && inputs[2] != TSR_NO_VALUE)
        status = nn_fuse(edit, "Affine", &node, 1, inputs, 3, none);
    map_clear(&map);
    return status;
}

/* --------------------------------------------------------------- residual */

static int32_t apply_residual(const TsrFusionPass *pass, const TsrGraphEdit *edit, uint32_t node)
{
    const TsrNodeView *view = edit->node(edit, node);
    const TsrActivation none = { 0 };
    (void)pass;
    if (view == NULL || view->input_count != 2 || view->domain[0] != '\0' ||
        view->since_version < 6 || !tsr_desc_is_static(view->outputs[0]) ||
        edit->input_value(edit, node, 0) == edit->input_value(edit, node, 1))
        return TSR_UNSUPPORTED;
    for (uint32_t i = 2; i-- > 0;) {
        const TsrTensorDesc *y = view->outputs[0];
        const uint32_t conv = nn_vanishing_producer(edit, node, i);
        const TsrNodeView *before = conv != UINT32_MAX ? edit->node(edit, conv) : NULL;
        const uint32_t nodes[2] = { conv, node };
        uint32_t inputs[4];
        int fits = nn_is_conv(before) && !is_transposed(before) && nn_is_open(before) &&
                   nn_input(before, 3) == NULL &&
                   has_constant_weights(before) && nn_value(view, 1 - i) == NULL;
        /* Both sides have to have the very shape of the sum. */
        for (uint32_t k = 0; fits && k < 2; k++)
            fits = view->inputs[k]->rank == y->rank &&
                   memcmp(view->inputs[k]->shape, y->shape, y->rank * sizeof(int64_t)) == 0;
        if (!fits)
            continue;
        nn_inputs_of(edit, conv, inputs);
        inputs[3] = edit->input_value(edit, node, 1 - i);
        return nn_fuse(edit, "Conv", nodes, 2, inputs, 4, none);
    }
    return TSR_UNSUPPORTED;
}

/* ------------------------------------------------------------- activation */

TsrActivation nn_activation_node(const TsrNodeView *view)
{
    TsrActivation a = { TSR_ACT_NONE, 0.0f, 0.0f };
    if (nn_is_op(view, "", "Relu")) {
        a.kind = TSR_ACT_RELU;
    } else if (nn_is_op(view, "", "LeakyRelu")) {
        a = (TsrActivation){ TSR_ACT_LEAKY_RELU, tsr_attr_float(view, "alpha", 0.01f), 0.0f };
    } else if (nn_is_op(view, "", "HardSwish")) {
        a.kind = TSR_ACT_HARD_SWISH;
    } else if (nn_is_op(view, "", "HardSigmoid")) {
        a = (TsrActivation){ TSR_ACT_HARD_SIGMOID, tsr_attr_float(view, "alpha", 0.2f),
                             tsr_attr_float(view, "beta", 0.5f) };
    } else if (nn_is_op(view, NN_DOMAIN, "Activation")) {
        a = nn_activation_of(view);
    } else if (nn_is_op(view, "", "Sigmoid")) {
        a.kind = TSR_ACT_SIGMOID;
    } else if (nn_is_op(view, "", "Clip") && view->since_version >= 11) {
        if (nn_constant_float(view, 1, -INFINITY, &a.alpha) &&
            nn_constant_float(view, 2, INFINITY, &a.beta))
            a.kind = TSR_ACT_CLIP;
    } else if (nn_is_op(view, "", "Clip")) {
        a = (TsrActivation){ TSR_ACT_CLIP, tsr_attr_float(view, "min", -INFINITY),
                             tsr_attr_float(view, "max", INFINITY) };
    }
    return a;
}

static int32_t apply_activation(const TsrFusionPass *pass, const TsrGraphEdit *edit, uint32_t node)
{
    const TsrNodeView *view = edit->node(edit, node), *before;
    const uint32_t producer = view != NULL ? nn_vanishing_producer(edit, node, 0) : UINT32_MAX;
    const uint32_t nodes[2] = { producer, node };
    TsrActivation activation;
    uint32_t inputs[4], count;
    (void)pass;
    before = producer != UINT32_MAX ? edit->node(edit, producer) : NULL;
    if (before == NULL || !nn_is_open(before) ||
        (nn_is_conv(before) && !has_constant_weights(before)))
        return TSR_UNSUPPORTED;
    activation = nn_activation_node(view);
    if (activation.kind == TSR_ACT_NONE)
        return TSR_UNSUPPORTED;
    count = nn_inputs_of(edit, producer, inputs);
    return nn_fuse(edit, before->op_type, nodes, 2, inputs, count, activation);
}

#define ROOTS(array) .root_count = sizeof(array) / sizeof((array)[0]), .root_ops = (array)

static const char *const map_roots[] = { "BatchNormalization", "Mul", "Add", "Sub", "Div" };
static const char *const batchnorm_roots[] = { "BatchNormalization" };
static const char *const residual_roots[] = { "Add", "Sum" };
static const char *const activation_roots[] = { "Relu", "LeakyRelu", "HardSwish", "HardSigmoid",
                                                "Sigmoid", "Clip", "Activation" };

static const TsrFusionPass channel_map_pass = {
    .struct_size = sizeof(TsrFusionPass), .order = 10, .name = "nn_conv_scale_shift",
    .description = "Folds batch norms and per-channel constants into weights and bias",
    .default_on = 1, ROOTS(map_roots), .apply = apply_channel_map,
};
static const TsrFusionPass batchnorm_pass = {
    .struct_size = sizeof(TsrFusionPass), .order = 20, .name = "nn_batchnorm_affine",
    .description = "Turns batch norms without a convolution into scale and shift",
    .default_on = 1, ROOTS(batchnorm_roots), .apply = apply_batchnorm_alone,
};
static const TsrFusionPass residual_pass = {
    .struct_size = sizeof(TsrFusionPass), .order = 30, .name = "nn_conv_residual",
    .description = "Adds a residual of the same shape inside the convolution",
    .default_on = 1, ROOTS(residual_roots), .apply = apply_residual,
};
static const TsrFusionPass activation_pass = {
    .struct_size = sizeof(TsrFusionPass), .order = 40, .name = "nn_activation",
    .description = "Applies an activation inside the convolution or scale and shift before it",
    .default_on = 1, ROOTS(activation_roots), .apply = apply_activation,
};
static const TsrFusionPass *const passes[] = {
    &nn_hard_swish_pass, &nn_channel_shuffle_pass, &channel_map_pass, &batchnorm_pass,
    &residual_pass,      &activation_pass,         &nn_scaled_swish_pass,
    &nn_gelu_pass, &nn_layer_norm_pass, &nn_add_layer_norm_pass, &nn_softmax_pass,
    &nn_attention_pass,
    &nn_matmul_bias_act_pass, &nn_eltwise_chain_pass, &nn_pad_pass,
    &nn_squeeze_excite_pass, &nn_depthwise_pointwise_pass, &nn_pixel_rows_pass,
    &nn_qdq_pass,
};

const TsrFusion nn_fusion = {
    .struct_size = sizeof(TsrFusion),
    .pass_count = sizeof(passes) / sizeof(passes[0]),
    .passes = passes,
};
