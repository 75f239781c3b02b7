/* SPDX-License-Identifier: Apache-2.0
 *
 * fusion_pad.c: the pass nn_pad: a Pad by constants before a Conv or a pooling becomes pads
 * of that. Legal where what the operator itself pads with is what the Pad wrote: zeros for a
 * Conv, zeros that count for an AveragePool, minus infinity for a MaxPool. Called through
 * the table in fusion.c, before the other passes around a Conv.
 */
#include <math.h>
#include "fusion_match.h"

enum { SPATIAL = 2 };

/* Pads per spatial dim, begins then ends; 0 when the node does more than that. */
static int read_pads(const TsrNodeView *pad, uint32_t rank, int64_t *out)
{
    const TsrTensor *value = nn_value(pad, 1), *axes = nn_value(pad, 3);
    const int64_t *ints, *places = NULL;
    uint32_t count;
    memset(out, 0, 2 * SPATIAL * sizeof(*out));
    ints = tsr_attr_ints(pad, "pads", &count);
    if (ints == NULL && (value == NULL || value->desc->dtype != TSR_DTYPE_INT64))
        return 0;
    if (ints == NULL) {
        ints = value->data;
        count = (uint32_t)tsr_desc_elements(value->desc);
    }
    if (nn_input(pad, 3) != NULL) {
        if (axes == NULL || axes->desc->dtype != TSR_DTYPE_INT64)
            return 0;
        places = axes->data;
    }
    if (count != 2 * (places != NULL ? (uint32_t)tsr_desc_elements(axes->desc) : rank))
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t k = i % (count / 2);
        const int64_t axis = places != NULL ? tsr_axis_normalize(places[k], rank) : k;
        if (ints[i] == 0)
            continue;
        if (axis < 2 || ints[i] < 0 || ints[i] > 1 << 20)
            return 0;
        out[axis - 2 + (i < count / 2 ? 0 : rank - 2)] += ints[i];
    }
    return 1;
}

/* Whether the operator may pad with `value` itself, given its own attributes. */
static int pads_alike(const TsrNodeView *view, float value, const int64_t *pads,
                      uint32_t spatial)
{
    uint32_t count, own_count;
    const int64_t *kernel = tsr_attr_ints(view, "kernel_shape", &count);
    const int64_t *own = tsr_attr_ints(view, "pads", &own_count);
    if (nn_is_op(view, "", "Conv"))
        return value == 0.0f;
    /* Rounding up leaves out windows that begin in pads, and every window has to see x. */
    if (tsr_attr_int(view, "ceil_mode", 0) != 0 || count != spatial)
        return 0;
    for (uint32_t i = 0; i < 2 * spatial; i++)
        if (pads[i] + (own_count == 2 * spatial ? own[i] : 0) >= kernel[i % spatial])
            return 0;
    if (nn_is_op(view, "", "MaxPool"))
        return isinf(value) && value < 0.0f &&
               (view->output_count < 2 || view->outputs[1] == NULL);
    if (value != 0.0f)
        return 0;
    /* Pads of its own may go on not counting only where there are none. */
    for (uint32_t i = 0; i < own_count; i++)
        if (own[i] != 0 && tsr_attr_int(view, "count_include_pad", 0) == 0)
            return 0;
    return 1;
}

static int32_t apply_pad(const TsrFusionPass *pass, const TsrGraphEdit *edit, uint32_t node)
{
    static const char *const taken[] = { "kernel_shape", "strides", "dilations", "group",
                                         "storage_order" };
    const TsrNodeView *view = edit->node(edit, node), *pad;
    const uint32_t before = view != NULL ? nn_vanishing_producer(edit, node, 0) : UINT32_MAX;
    const int conv = nn_is_op(view, "", "Conv"), average = nn_is_op(view, "", "AveragePool");
    const uint32_t rank = view != NULL && nn_input(view, 0) != NULL ? view->inputs[0]->rank : 0;
    int64_t pads[2 * SPATIAL];
    NnPattern pattern = { .count = 0 };
    const TsrAttr *attrs[8];
    TsrAttr all = { .struct_size = sizeof(all), .type = TSR_ATTR_INTS, .name = "pads",
                    .ints = pads };
    const TsrAttr counts = nn_attr_int("count_include_pad", 1);
    uint32_t inputs[4], own_count, attr_count = 0;
    const int64_t *own;
    float value;
    (void)pass;
    if (before == UINT32_MAX || (rank != 3 && rank != 4) || view->outputs[0] == NULL)
        return TSR_UNSUPPORTED;
    pad = edit->node(edit, before);
    if (!nn_is_op(pad, "", "Pad") || pad->inputs[0]->dtype != TSR_DTYPE_FLOAT ||
        (tsr_attr_find(pad, "mode") != NULL && !tsr_attr_is(pad, "mode", "constant")) ||
        tsr_attr_is(view, "auto_pad", "SAME_UPPER") ||
        tsr_attr_is(view, "auto_pad", "SAME_LOWER") ||
        !nn_constant_float(pad, 2, tsr_attr_float(pad, "value", 0.0f), &value) ||
        !read_pads(pad, rank, pads) || !pads_alike(view, value, pads, rank - 2))
        return TSR_UNSUPPORTED;
    own = tsr_attr_ints(view, "pads", &own_count);
    all.count = 2 * (rank - 2);
    for (uint32_t i = 0; i < all.count && own_count == all.count; i++)
        pads[i] += tsr_attr_is(view, "auto_pad", "VALID") ? 0 : own[i];
    for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
        const TsrAttr *attr = tsr_attr_find(view, taken[i]);
        if (attr != NULL && (attr->type == TSR_ATTR_INT || attr->count > 0))
            attrs[attr_count++] = attr;
    }
    attrs[attr_count++] = &all;
    if (average)
        attrs[attr_count++] = &counts;
    nn_pattern_add(&pattern, before);
    nn_pattern_add(&pattern, node);
    nn_inputs_of(edit, node, inputs);
    inputs[0] = edit->input_value(edit, before, 0);
    return nn_replace(edit, &pattern, conv ? NN_DOMAIN : "", view->op_type, inputs,
                      conv ? view->input_count : 1, edit->output_value(edit, node, 0), attrs,
                      attr_count);
}

static const char *const roots[] = { "Conv", "AveragePool", "MaxPool" };

const TsrFusionPass nn_pad_pass = {
    .struct_size = sizeof(TsrFusionPass), .order = 2, .name = "nn_pad",
    .description = "Lets a convolution or pooling pad by itself what a Pad before it padded",
    .default_on = 1, .root_count = 3, .root_ops = roots, .apply = apply_pad,
};
