/* SPDX-License-Identifier: Apache-2.0
 *
 * continuous.c: see continuous.h. A tensor whose outermost loop of storage runs along the
 * axis is cut into runs by cutting that loop: plain tensors whose dimensions before the
 * axis are all 1, and NC1HWC0 pictures of one batch entry at whole channel blocks.
 */
#include "build/continuous.h"

#include <string.h>
#include <tessera/plugin_util.h>

#include "base/memory.h"
#include "ir/storage_layout.h"

/* The outermost loop of a tensor, when it runs along the axis. */
typedef struct Strip {
    const TsrTensorDesc *desc;
    guint32 axis;
    gint64 step;       /* elements of the axis per round */
    guint64 round;     /* bytes of a round */
    guint64 bytes;
} Strip;

static gboolean strip_init(Strip *strip, const TsrTensorDesc *desc, gint64 axis)
{
    TsrStorageLoop loops[TSR_STORAGE_LOOPS];
    gboolean padded;
    guint count;
    if (desc->kind != TSR_KIND_TENSOR || desc->rank == TSR_RANK_UNKNOWN || desc->rank == 0 ||
        !tsr_desc_is_static(desc) || desc->dtype == TSR_DTYPE_STRING)
        return FALSE;
    axis += axis < 0 ? (gint64)desc->rank : 0;
    if (axis < 0 || axis >= (gint64)desc->rank ||
        !tsr_desc_storage_bytes(desc, &strip->bytes) || strip->bytes == 0)
        return FALSE;
    count = tsr_storage_loops(desc, loops, &padded);
    if (count == 0 || count == G_MAXUINT || loops[0].dim != (guint32)axis ||
        strip->bytes % (guint64)loops[0].extent != 0)
        return FALSE;
    strip->desc = desc;
    strip->axis = (guint32)axis;
    strip->step = loops[0].step;
    strip->round = strip->bytes / (guint64)loops[0].extent;
    return TRUE;
}

/* Whether a tensor stored alike is the run of the strip that begins at element `first` of
 * the axis; its place in bytes. */
static gboolean place_of(const Strip *strip, const TsrTensorDesc *part, gint64 first,
                         guint64 *out_offset)
{
    const gint64 extent = part->rank == strip->desc->rank ? part->shape[strip->axis] : -1;
    guint64 bytes;
    if (extent <= 0 || part->dtype != strip->desc->dtype || first % strip->step != 0 ||
        part->storage_format != strip->desc->storage_format ||
        part->origin_format != strip->desc->origin_format ||
        part->expand_dims != strip->desc->expand_dims ||
        part->storage_rank != strip->desc->storage_rank ||
        !tsr_desc_storage_bytes(part, &bytes))
        return FALSE;
    for (guint32 i = 0; i < part->rank; i++)
        if (i != strip->axis && part->shape[i] != strip->desc->shape[i])
            return FALSE;
    *out_offset = (guint64)(first / strip->step) * strip->round;
    /* A last round that is not full is only right where the strip ends with it. */
    return *out_offset % TSR_MEMORY_ALIGNMENT == 0 &&
           bytes == (guint64)((extent + strip->step - 1) / strip->step) * strip->round &&
           *out_offset + bytes <= strip->bytes &&
           (extent % strip->step == 0 || *out_offset + bytes == strip->bytes);
}

static gint64 axis_of(const TsrNode *node)
{
    const TsrAttr *attr = tsr_node_attr(node, "axis");
    return attr != NULL ? attr->i : 0;
}

gboolean tsr_join_offsets(const TsrNode *node, GArray *out_offsets)
{
    const TsrValue *output = node->outputs->len == 1 ? g_ptr_array_index(node->outputs, 0) : NULL;
    gint64 first = 0;
    Strip strip;
    g_array_set_size(out_offsets, 0);
    if (node->kind != TSR_NODE_OPERATOR || (node->def->flags & TSR_OP_JOIN) == 0 ||
        output == NULL || !strip_init(&strip, &output->desc.view, axis_of(node)))
        return FALSE;
    for (guint i = 0; i < node->inputs->len; i++) {
        const TsrValue *input = g_ptr_array_index(node->inputs, i);
        guint64 offset;
        if (input == NULL || !place_of(&strip, &input->desc.view, first, &offset))
            return FALSE;
        g_array_append_val(out_offsets, offset);
        first += input->desc.view.shape[strip.axis];
    }
    return first == output->desc.view.shape[strip.axis];
}

static gboolean split_offsets(const TsrNode *node, const TsrValue *input, GArray *out_offsets)
{
    gint64 first = 0;
    Strip strip;
    if (!strip_init(&strip, &input->desc.view, axis_of(node)))
        return FALSE;
    for (guint i = 0; i < node->outputs->len; i++) {
        const TsrValue *output = g_ptr_array_index(node->outputs, i);
        guint64 offset = 0;
        if (output == NULL || !place_of(&strip, &output->desc.view, first, &offset))
            return FALSE; /* an omitted output: where the next begins is not known */
        g_array_append_val(out_offsets, offset);
        first += output->desc.view.shape[strip.axis];
    }
    return first == input->desc.view.shape[strip.axis];
}

/* A list of numbers that is an attribute or the constant input of that index: its entry,
 * `missing` where there is no list. FALSE when it is not known here. */
static gboolean range_entry(const TsrNode *node, const char *attr_name, guint input, guint entry,
                            gint64 missing, gint64 *out_number)
{
    const TsrAttr *attr = tsr_node_attr(node, attr_name);
    const TsrValue *value = input < node->inputs->len ? g_ptr_array_index(node->inputs, input)
                                                      : NULL;
    *out_number = missing;
    if (attr != NULL && attr->type == TSR_ATTR_INTS) {
        if (entry < attr->count)
            *out_number = attr->ints[entry];
        return entry < attr->count;
    }
    if (value == NULL)
        return TRUE;
    if (value->constant == NULL || value->desc.view.rank != 1 ||
        (gint64)entry >= value->desc.view.shape[0])
        return FALSE;
    if (value->desc.view.dtype == TSR_DTYPE_INT64)
        *out_number = ((const gint64 *)value->tensor.data)[entry];
    else if (value->desc.view.dtype == TSR_DTYPE_INT32)
        *out_number = ((const gint32 *)value->tensor.data)[entry];
    else
        return FALSE;
    return TRUE;
}

/* A Slice that cuts one axis, forwards and without gaps. */
static gboolean range_offset(const TsrNode *node, const TsrValue *input, const TsrValue *output,
                             GArray *out_offsets)
{
    const TsrTensorDesc *x = &input->desc.view, *y = &output->desc.view;
    gint64 axis = -1, first = -1;
    guint64 offset;
    Strip strip;
    if (x->rank == TSR_RANK_UNKNOWN || y->rank != x->rank)
        return FALSE;
    for (guint32 i = 0; i < x->rank; i++)
        if (x->shape[i] != y->shape[i]) {
            if (axis >= 0)
                return FALSE;
            axis = i;
        }
    if (axis < 0 || !strip_init(&strip, x, axis))
        return FALSE;
    for (guint k = 0; k < x->rank && first < 0; k++) {
        gint64 cut, start, step;
        if (!range_entry(node, "axes", 3, k, k, &cut))
            return FALSE; /* the list ends without the axis */
        if (cut != axis && cut + (gint64)x->rank != axis)
            continue;
        if (!range_entry(node, "starts", 1, k, 0, &start) ||
            !range_entry(node, "steps", 4, k, 1, &step) || step != 1)
            return FALSE;
        first = CLAMP(start < 0 ? start + x->shape[axis] : start, 0, x->shape[axis]);
    }
    if (first < 0 || !place_of(&strip, y, first, &offset))
        return FALSE;
    g_array_append_val(out_offsets, offset);
    return TRUE;
}

gboolean tsr_part_offsets(const TsrNode *node, GArray *out_offsets)
{
    const TsrValue *input = node->inputs->len != 0 ? g_ptr_array_index(node->inputs, 0) : NULL;
    const TsrValue *output = node->outputs->len != 0 ? g_ptr_array_index(node->outputs, 0) : NULL;
    g_array_set_size(out_offsets, 0);
    if (node->kind != TSR_NODE_OPERATOR || input == NULL || output == NULL)
        return FALSE;
    if ((node->def->flags & TSR_OP_PARTS) != 0)
        return split_offsets(node, input, out_offsets);
    return (node->def->flags & TSR_OP_RANGE) != 0 &&
           range_offset(node, input, output, out_offsets);
}
