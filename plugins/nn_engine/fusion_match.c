/* SPDX-License-Identifier: Apache-2.0
 *
 * fusion_match.c: see fusion_match.h.
 */
#include "fusion_match.h"

#include <math.h>

int nn_pattern_add(NnPattern *pattern, uint32_t node)
{
    for (uint32_t i = 0; i < pattern->count; i++)
        if (pattern->nodes[i] == node)
            return 1;
    if (pattern->count == NN_PATTERN_NODES)
        return 0;
    pattern->nodes[pattern->count++] = node;
    return 1;
}

static const TsrNodeView *view_of_op(const TsrGraphEdit *edit, uint32_t node,
                                     const char *op_type)
{
    const TsrNodeView *view = node != UINT32_MAX ? edit->node(edit, node) : NULL;
    /* Up to version 6 binary operators broadcast by an attribute. */
    return nn_is_op(view, "", op_type) && tsr_attr_int(view, "broadcast", 0) == 0 ? view : NULL;
}

const TsrNodeView *nn_writer(const TsrGraphEdit *edit, uint32_t node, uint32_t index,
                             const char *op_type, uint32_t *out_node)
{
    const uint32_t value = edit->input_value(edit, node, index);
    *out_node = value != TSR_NO_VALUE ? edit->producer(edit, value) : UINT32_MAX;
    return view_of_op(edit, *out_node, op_type);
}

const TsrNodeView *nn_reader(const TsrGraphEdit *edit, uint32_t node, const char *op_type,
                             uint32_t *out_node)
{
    const uint32_t value = edit->output_value(edit, node, 0);
    *out_node = UINT32_MAX;
    if (value == TSR_NO_VALUE || edit->consumer_count(edit, value) != 1 ||
        edit->is_needed(edit, value))
        return NULL;
    *out_node = edit->consumer(edit, value, 0);
    return view_of_op(edit, *out_node, op_type);
}

int nn_number(const TsrNodeView *view, uint32_t i, float *out_value)
{
    const TsrTensorDesc *number = nn_input(view, i), *other = nn_input(view, 1 - i);
    return number != NULL && other != NULL && other->rank != TSR_RANK_UNKNOWN &&
           number->rank <= other->rank && nn_constant_float(view, i, 0.0f, out_value);
}

int nn_is_number(const TsrNodeView *view, uint32_t i, float want)
{
    float v;
    /* Exporters write constants with four digits at least. */
    return nn_number(view, i, &v) && fabsf(v - want) <= 2e-5f * fabsf(want);
}

int nn_beside_number(const TsrNodeView *view, float want)
{
    for (uint32_t i = 0; i < 2; i++)
        if (nn_is_number(view, i, want))
            return (int)(1 - i);
    return NN_NOWHERE;
}

int nn_beside(const TsrGraphEdit *edit, uint32_t node, uint32_t value)
{
    for (uint32_t i = 0; i < 2; i++)
        if (edit->input_value(edit, node, i) == value)
            return (int)(1 - i);
    return NN_NOWHERE;
}

int nn_reduced_axis(const TsrNodeView *view)
{
    const TsrTensorDesc *x = nn_input(view, 0);
    const TsrTensor *input = nn_value(view, 1);
    uint32_t count;
    const int64_t *axes = tsr_attr_ints(view, "axes", &count);
    if (input != NULL && input->desc->dtype == TSR_DTYPE_INT64) {
        axes = input->data;
        count = (uint32_t)tsr_desc_elements(input->desc);
    } else if (nn_input(view, 1) != NULL) {
        return NN_NOWHERE;
    }
    if (count != 1 || x->rank == TSR_RANK_UNKNOWN || tsr_attr_int(view, "keepdims", 1) != 1)
        return NN_NOWHERE;
    return (int)tsr_axis_normalize(axes[0], x->rank);
}

int nn_is_last_vector(const TsrTensorDesc *vector, const TsrTensorDesc *x)
{
    int64_t length;
    if (vector == NULL || vector->dtype != TSR_DTYPE_FLOAT || !tsr_desc_is_static(vector) ||
        x->rank == TSR_RANK_UNKNOWN || vector->rank < 1 || vector->rank > x->rank)
        return 0;
    length = x->shape[x->rank - 1];
    return length > 0 && vector->shape[vector->rank - 1] == length &&
           tsr_desc_elements(vector) == length;
}

int nn_same_static(const TsrTensorDesc *a, const TsrTensorDesc *b)
{
    return tsr_desc_is_static(a) && tsr_desc_is_static(b) && a->rank == b->rank &&
           memcmp(a->shape, b->shape, a->rank * sizeof(int64_t)) == 0;
}

static int in_pattern(const NnPattern *pattern, uint32_t node)
{
    for (uint32_t i = 0; i < pattern->count; i++)
        if (pattern->nodes[i] == node)
            return 1;
    return 0;
}

/* Whether all that the pattern writes but `output` is read inside it alone, and none of
 * the new inputs is one of those values. */
static int is_closed(const TsrGraphEdit *edit, const NnPattern *pattern, const uint32_t *inputs,
                     uint32_t input_count, uint32_t output)
{
    for (uint32_t i = 0; i < pattern->count; i++) {
        const TsrNodeView *view = edit->node(edit, pattern->nodes[i]);
        for (uint32_t k = 0; k < view->output_count; k++) {
            const uint32_t value = edit->output_value(edit, pattern->nodes[i], k);
            if (value == TSR_NO_VALUE || value == output)
                continue;
            if (edit->is_needed(edit, value))
                return 0;
            for (uint32_t c = 0; c < edit->consumer_count(edit, value); c++)
                if (!in_pattern(pattern, edit->consumer(edit, value, c)))
                    return 0;
        }
    }
    for (uint32_t i = 0; i < input_count; i++)
        if (inputs[i] != TSR_NO_VALUE && in_pattern(pattern, edit->producer(edit, inputs[i])))
            return 0;
    return 1;
}

int32_t nn_replace(const TsrGraphEdit *edit, const NnPattern *pattern, const char *domain,
                   const char *op_type, const uint32_t *inputs, uint32_t input_count,
                   uint32_t output, const TsrAttr *const *attrs, uint32_t attr_count)
{
    const TsrFusedNode fused = {
        .struct_size = sizeof(fused), .node_count = pattern->count, .input_count = input_count,
        .output_count = 1, .attr_count = attr_count, .op_type = op_type, .domain = domain,
        .nodes = pattern->nodes, .inputs = inputs, .outputs = &output, .attrs = attrs,
    };
    return is_closed(edit, pattern, inputs, input_count, output) ? edit->fuse(edit, &fused)
                                                                 : TSR_UNSUPPORTED;
}
