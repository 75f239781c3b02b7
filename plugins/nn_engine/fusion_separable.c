/* SPDX-License-Identifier: Apache-2.0
 *
 * fusion_separable.c: the pass nn_depthwise_pointwise: a depthwise Conv that only a 1x1 Conv
 * reads is one SeparableConv with it, where that is faster. Called through the table in
 * fusion.c, after both have taken their activations.
 */
#include "fusion_match.h"
#include "separable.h"

/* As long as a core's second cache holds the picture in between, two tasks are a few percent
 * faster than one (measured by test_nn_separable --bench: 0.93 to 1.03 for pictures of 100
 * KiB to 3 MiB that are all warm). In networks one task wins from about 2 MiB on: there the
 * picture has left the cache when it is read. */
int nn_separable_wins(const TsrTensorDesc *y)
{
    enum { LEAST_BYTES = 2 << 20 };
    return y->shape[0] * nn_round_up(y->shape[1], TSR_NPU_C0) * y->shape[2] * y->shape[3] * 4 >=
           LEAST_BYTES;
}

static int is_constant_conv(const TsrNodeView *view)
{
    return nn_is_conv(view) && strcmp(view->op_type, "Conv") == 0 && nn_value(view, 1) != NULL &&
           (nn_input(view, 2) == NULL || nn_value(view, 2) != NULL) &&
           view->inputs[1]->rank == 4 && nn_is_picture(view->inputs[0]) &&
           tsr_desc_is_static(view->inputs[0]);
}

/* 1x1 over every pixel, in one group. */
static int is_pointwise(const TsrNodeView *view)
{
    const TsrTensorDesc *w = is_constant_conv(view) ? view->inputs[1] : NULL;
    const NnPicture none = { 1, 1, 1, 1 };
    NnWindow v;
    return w != NULL && w->shape[2] == 1 && w->shape[3] == 1 &&
           tsr_attr_int(view, "group", 1) == 1 &&
           nn_window_of(view, 2, w->shape + 2, &none, &none, &v) && v.stride_h == 1 &&
           v.stride_w == 1 && v.pad_top + v.pad_left + v.pad_bottom + v.pad_right == 0;
}

static int is_depthwise(const TsrNodeView *view)
{
    const TsrTensorDesc *w = is_constant_conv(view) ? view->inputs[1] : NULL;
    const int64_t groups = w != NULL ? tsr_attr_int(view, "group", 1) : 0;
    return groups > 1 && groups == view->inputs[0]->shape[1] && w->shape[0] == groups &&
           nn_input(view, 3) == NULL;
}

static int32_t apply_separable(const TsrFusionPass *pass, const TsrGraphEdit *edit, uint32_t node)
{
    static const char *const taken[] = { "auto_pad", "dilations", "pads", "strides" };
    const TsrNodeView *view = edit->node(edit, node), *first;
    const uint32_t before = view != NULL ? nn_vanishing_producer(edit, node, 0) : UINT32_MAX;
    NnPattern pattern = { .count = 0 };
    TsrActivation inner, outer;
    uint32_t from[4], to[4], attr_count = 6;
    const TsrAttr *attrs[10];
    (void)pass;
    if (before == UINT32_MAX || !is_pointwise(view))
        return TSR_UNSUPPORTED;
    first = edit->node(edit, before);
    if (!is_depthwise(first) || !nn_separable_wins(view->inputs[0]))
        return TSR_UNSUPPORTED;
    inner = nn_activation_of(first);
    outer = nn_activation_of(view);
    const TsrAttr all[6] = {
        nn_attr_int("activation", outer.kind),       nn_attr_float("alpha", outer.alpha),
        nn_attr_float("beta", outer.beta),           nn_attr_int("inner_activation", inner.kind),
        nn_attr_float("inner_alpha", inner.alpha),   nn_attr_float("inner_beta", inner.beta),
    };
    for (size_t i = 0; i < 6; i++)
        attrs[i] = &all[i];
    for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
        const TsrAttr *attr = tsr_attr_find(first, taken[i]);
        if (attr != NULL && (attr->type == TSR_ATTR_STRING || attr->count > 0))
            attrs[attr_count++] = attr;
    }
    nn_inputs_of(edit, before, from);
    nn_inputs_of(edit, node, to);
    nn_pattern_add(&pattern, before);
    nn_pattern_add(&pattern, node);
    const uint32_t inputs[6] = { from[0], from[1], from[2], to[3], to[1], to[2] };
    return nn_replace(edit, &pattern, NN_DOMAIN, "SeparableConv", inputs, 6,
                      edit->output_value(edit, node, 0), attrs, attr_count);
}

static const char *const roots[] = { "Conv" };

const TsrFusionPass nn_depthwise_pointwise_pass = {
    .struct_size = sizeof(TsrFusionPass), .order = 58, .name = "nn_depthwise_pointwise",
    .description = "Runs a depthwise and a 1x1 convolution behind it as one, row by row",
    .default_on = 1, .root_count = 1, .root_ops = roots, .apply = apply_separable,
};
