/* SPDX-License-Identifier: Apache-2.0
 *
 * build_window.c: Slice (1 to 13), Split (2 to 18) and Pad (2 to 25, mode constant) of
 * floats, in plain storage and in NC1HWC0 at any channel, and the move of window_move.h that
 * they share with Concat. Sizes, starts and pads have to be constants. Invariant: a column
 * with NC1HWC0 is offered only where every step along C is 1.
 */
#include "window_move.h"

enum { N, C, H, W };

/* ---------------------------------------------------------------- the move */

NnWindowMove nn_window_whole(const TsrTensorDesc *x, const TsrTensorDesc *y, uint32_t x_arg,
                             uint32_t y_arg)
{
    NnWindowMove m = { .x = x, .y = y, .x_arg = x_arg, .y_arg = y_arg };
    for (uint32_t d = 0; d < x->rank; d++) {
        m.x_step[d] = 1;
        m.count[d] = x->shape[d];
    }
    return m;
}

static int is_empty(const NnWindowMove *m)
{
    for (uint32_t d = 0; d < m->y->rank; d++)
        if (m->count[d] <= 0)
            return 1;
    return m->x_arg == TSR_ARG_NULL;
}

static int32_t build_blocked(TsrTaskSink *sink, const NnWindowMove *m)
{
    const int empty = is_empty(m);
    const uint32_t args[2] = { empty ? (uint32_t)TSR_ARG_NULL : m->x_arg, m->y_arg };
    TsrCopyChannelsParams p = { .struct_size = sizeof(p), .fill = m->fill != 0 };
    memcpy(&p.value, &m->value, sizeof(p.value));
    for (int d = N; d <= W; d++) {
        p.x_shape[d] = (int32_t)m->x->shape[d];
        p.y_shape[d] = (int32_t)m->y->shape[d];
        p.x_first[d] = (int32_t)m->x_first[d];
        p.x_step[d] = (int32_t)m->x_step[d];
        p.y_first[d] = (int32_t)m->y_first[d];
        p.count[d] = empty ? 0 : (int32_t)m->count[d];
    }
    /* Whole rows one behind the other are one row. */
    if (!empty && p.x_step[H] == 1 && p.x_step[W] == 1 && p.count[W] == p.x_shape[W] &&
        p.count[W] == p.y_shape[W] &&
        (int64_t)p.y_shape[H] * p.y_shape[W] <= INT32_MAX &&
        (int64_t)p.x_shape[H] * p.x_shape[W] <= INT32_MAX) {
        p.x_first[W] = p.x_first[H] * p.x_shape[W];
        p.y_first[W] = p.y_first[H] * p.y_shape[W];
        p.count[W] *= p.count[H];
        p.x_shape[W] *= p.x_shape[H];
        p.y_shape[W] *= p.y_shape[H];
        p.x_first[H] = p.y_first[H] = 0;
        p.x_shape[H] = p.y_shape[H] = p.count[H] = 1;
    }
    return nn_task(sink, TSR_KERNEL_COPY_CHANNELS_B32,
                   nn_block_dim(sink,
                                p.y_shape[N] * nn_ceil_div(p.y_shape[C], TSR_NPU_C0) *
                                    p.y_shape[H] * nn_ceil_div(p.y_shape[W], 256),
                                (double)tsr_desc_storage_elements(m->y)),
                   args, 2, &p, sizeof(p));
}

static int32_t build_plain(TsrTaskSink *sink, const NnWindowMove *m)
{
    const int empty = is_empty(m);
    const uint32_t args[2] = { empty ? (uint32_t)TSR_ARG_NULL : m->x_arg, m->y_arg };
    int64_t steps[TSR_MAX_RANK], rows = 1;
    TsrCopyWindowParams p = { .struct_size = sizeof(p) };
    uint32_t rank = 0;
    memcpy(&p.value, &m->value, sizeof(p.value));
    tsr_shape_strides(m->x->rank, m->x->shape, steps);
    for (uint32_t d = 0; d < m->y->rank; d++) {
        const int64_t extent = m->y->shape[d];
        const int64_t step = steps[d] * m->x_step[d];
        const int whole = !empty && m->y_first[d] == 0 && m->count[d] == extent;
        if (!empty)
            p.x_offset += steps[d] * m->x_first[d];
        if (whole && extent == 1)
            continue;
        /* A dim that is moved as a whole goes on where the one outside of it ends. */
        if (rank > 0 && whole && p.x_step[rank - 1] == step * extent) {
            p.shape[rank - 1] *= extent;
            p.begin[rank - 1] *= extent;
            p.end[rank - 1] *= extent;
            p.x_step[rank - 1] = step;
            continue;
        }
        p.shape[rank] = extent;
        p.begin[rank] = empty ? 0 : m->y_first[d];
        p.end[rank] = empty ? 0 : m->y_first[d] + m->count[d];
        p.x_step[rank++] = step;
    }
    if (rank == 0) {
        p.shape[0] = p.end[0] = p.x_step[0] = 1;
        rank = 1;
    }
    p.rank = rank;
    for (uint32_t d = 0; d + 1 < rank; d++)
        rows *= p.shape[d];
    return nn_task(sink, TSR_KERNEL_COPY_WINDOW_B32,
                   nn_block_dim(sink, rows * nn_ceil_div(p.shape[rank - 1], 4096),
                                (double)tsr_desc_elements(m->y)),
                   args, 2, &p, sizeof(p));
}

int32_t nn_build_window(TsrTaskSink *sink, const NnWindowMove *m)
{
    if (tsr_desc_elements(m->y) == 0)
        return TSR_OK;
    return nn_is_blocked(m->y) ? build_blocked(sink, m) : build_plain(sink, m);
}

/* --------------------------------------------------------- what the rows share */

/* The integers of an input, or of the attribute `name` where the operator has that; 0 when
 * they are not known, do not fit, or are more than `capacity`. *out_count is -1 when there
 * are none at all. */
static int read_integers(const TsrNodeView *node, const char *name, uint32_t i, int64_t capacity,
                         int64_t *out, int64_t *out_count)
{
    uint32_t count;
    const int64_t *attr = name != NULL ? tsr_attr_ints(node, name, &count) : NULL;
    const TsrTensor *value = nn_value(node, i);
    *out_count = -1;
    if (attr != NULL) {
        *out_count = count;
        if (count <= capacity)
            memcpy(out, attr, count * sizeof(int64_t));
        return count <= capacity;
    }
    if (nn_input(node, i) == NULL)
        return 1;
    if (value == NULL || value->desc->rank > 1 ||
        (value->desc->dtype != TSR_DTYPE_INT64 && value->desc->dtype != TSR_DTYPE_INT32))
        return 0;
    *out_count = tsr_desc_elements(value->desc);
    for (int64_t k = 0; k < *out_count && k < capacity; k++)
        out[k] = value->desc->dtype == TSR_DTYPE_INT64 ? ((const int64_t *)value->data)[k]
                                                      : ((const int32_t *)value->data)[k];
    return *out_count <= capacity;
}

static void refuse_value(const TsrNodeView *node, TsrSupport *out_support)
{
    tsr_support_no(out_support, TSR_REFUSE_VALUE,
                   "%s: axes, starts, steps, sizes and pads have to be valid constants",
                   node->op_type);
}

static int moves_channels_apart(const NnWindowMove *m) { return m->x_step[C] != 1; }

static void window_columns(const TsrNodeView *node, TsrColumnSet *set)
{
    if (!nn_is_picture(node->inputs[0]))
        return;
    for (uint32_t i = 0; i < node->output_count; i++)
        if (node->outputs[i] != NULL &&
            (!nn_is_picture(node->outputs[i]) || !tsr_desc_is_static(node->outputs[i])))
            return;
    nn_column_mask(set, node, 5.0f, TSR_FORMAT_NC1HWC0, 1);
    nn_column(set, 5.0f, (const uint32_t[]){ TSR_FORMAT_ND }, 1);
}

static int32_t refuse_build(const TsrNodeView *node, TsrTaskSink *sink)
{
    return sink->fail(sink, TSR_UNSUPPORTED,
                      "%s '%s': axes, starts, steps, sizes or pads are not valid constants",
                      node->op_type, node->name);
}

static NnWindowMove whole_of_node(const TsrNodeView *node)
{
    return nn_window_whole(node->inputs[0], node->outputs[0], TSR_ARG_INPUT | 0,
                           TSR_ARG_OUTPUT | 0);
}

/* ------------------------------------------------------------------- Slice */

/* The move of a Slice; shapes known. 0 when it is not constant or not valid. */
static int slice_move(const TsrNodeView *node, NnWindowMove *m)
{
    const TsrTensorDesc *x = node->inputs[0], *y = node->outputs[0];
    int64_t starts[TSR_NPU_MAX_DIMS], axes[TSR_NPU_MAX_DIMS], steps[TSR_NPU_MAX_DIMS];
    int64_t ends[TSR_NPU_MAX_DIMS], count, axis_count, step_count, end_count;
    /* The ends are in y's shape; but tasks are kept for shapes of inputs, so that shapes that
     * follow from numbers of a run are not for us. */
    if (!read_integers(node, "starts", 1, x->rank, starts, &count) || count < 0 ||
        !read_integers(node, "ends", 2, x->rank, ends, &end_count) || end_count != count ||
        !read_integers(node, "axes", 3, x->rank, axes, &axis_count) ||
        !read_integers(node, NULL, 4, x->rank, steps, &step_count) ||
        (axis_count >= 0 && axis_count != count) || (step_count >= 0 && step_count != count))
        return 0;
    *m = whole_of_node(node);
    for (uint32_t d = 0; d < y->rank; d++)
        m->count[d] = y->shape[d];
    for (int64_t i = 0; i < count; i++) {
        const int64_t axis = tsr_axis_normalize(axis_count >= 0 ? axes[i] : i, x->rank);
        int64_t start = starts[i], extent;
        if (axis < 0)
            return 0;
        extent = x->shape[axis];
        start += start < 0 ? extent : 0;
        m->x_first[axis] = start < 0 ? 0 : start >= extent ? extent - 1 : start;
        /* One element is taken whatever the step; a huge step must not overflow. */
        m->x_step[axis] = step_count >= 0 && y->shape[axis] > 1 ? steps[i] : 1;
    }
    return 1;
}

static void slice_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    NnWindowMove m;
    (void)op;
    if (!slice_move(node, &m))
        refuse_value(node, out_support);
}

static void slice_columns(const NnOp *op, const TsrNodeView *node, TsrColumnSet *set)
{
    NnWindowMove m;
    (void)op;
    if (tsr_desc_is_static(node->inputs[0]) && slice_move(node, &m) && !moves_channels_apart(&m))
        window_columns(node, set);
}

static int32_t slice_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    NnWindowMove m;
    (void)op;
    return slice_move(node, &m) ? nn_build_window(sink, &m) : refuse_build(node, sink);
}

/* ------------------------------------------------------------------- Split */

/* The extent of output i along the axis. */
static int split_extent(const TsrNodeView *node, uint32_t i, int64_t axis, int64_t *out)
{
    const int64_t extent = node->inputs[0]->shape[axis];
    int64_t sizes[64], count;
    if (!read_integers(node, "split", 1, 64, sizes, &count))
        return 0;
    *out = node->outputs[i] != NULL ? node->outputs[i]->shape[axis]
           : count > (int64_t)i     ? sizes[i]
                                    : nn_ceil_div(extent, node->output_count);
    return 1;
}

static void split_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    const TsrTensorDesc *x = node->inputs[0];
    const int64_t axis = tsr_axis_normalize(tsr_attr_int(node, "axis", 0), x->rank);
    int64_t extent;
    (void)op;
    if (axis < 0 || !split_extent(node, 0, axis, &extent))
        refuse_value(node, out_support);
    /* A node without elements in its first output gets no tasks. */
    else if (tsr_desc_elements(node->outputs[0]) == 0 && tsr_desc_elements(x) > 0)
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "output 0 is empty, others are not");
}

static void split_columns(const NnOp *op, const TsrNodeView *node, TsrColumnSet *set)
{
    (void)op;
    window_columns(node, set);
}

static int32_t split_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const TsrTensorDesc *x = node->inputs[0];
    const int64_t axis = tsr_axis_normalize(tsr_attr_int(node, "axis", 0), x->rank);
    int64_t place = 0;
    (void)op;
    for (uint32_t i = 0; i < node->output_count; i++) {
        int64_t extent;
        if (axis < 0 || !split_extent(node, i, axis, &extent))
            return refuse_build(node, sink);
        if (node->outputs[i] != NULL) {
            NnWindowMove m = nn_window_whole(x, node->outputs[i], TSR_ARG_INPUT | 0,
                                             TSR_ARG_OUTPUT | i);
            int32_t status;
            m.x_first[axis] = place;
            m.count[axis] = extent;
            status = nn_build_window(sink, &m);
            if (status != TSR_OK)
                return status;
        }
        place += extent;
    }
    return TSR_OK;
}

/* --------------------------------------------------------------------- Pad */

/* The move of a Pad; shapes known. 0 when it is not constant or not valid. */
static int pad_move(const TsrNodeView *node, NnWindowMove *m)
{
    const TsrTensorDesc *x = node->inputs[0];
    int64_t pads[2 * TSR_NPU_MAX_DIMS], axes[TSR_NPU_MAX_DIMS], count, axis_count;
    if (!read_integers(node, "pads", 1, 2 * (int64_t)x->rank, pads, &count) || count < 0 ||
        !read_integers(node, NULL, 3, x->rank, axes, &axis_count) ||
        count != 2 * (axis_count >= 0 ? axis_count : (int64_t)x->rank))
        return 0;
    *m = whole_of_node(node);
    m->fill = 1;
    if (!nn_constant_float(node, 2, tsr_attr_float(node, "value", 0.0f), &m->value))
        return 0;
    for (int64_t i = 0; i < count / 2; i++) {
        const int64_t d = tsr_axis_normalize(axis_count >= 0 ? axes[i] : i, x->rank);
        const int64_t begin = pads[i], end = pads[count / 2 + i];
        if (d < 0)
            return 0;
        /* A negative pad takes elements away. */
        m->x_first[d] = begin < 0 ? -begin : 0;
        m->y_first[d] = begin > 0 ? begin : 0;
        m->count[d] = x->shape[d] - m->x_first[d] + (end < 0 ? end : 0);
    }
    return 1;
}

static void pad_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    NnWindowMove m;
    (void)op;
    if (tsr_attr_find(node, "mode") != NULL && !tsr_attr_is(node, "mode", "constant"))
        tsr_support_no(out_support, TSR_REFUSE_ATTR, "only the mode constant is supported");
    else if (!pad_move(node, &m))
        refuse_value(node, out_support);
}

static void pad_columns(const NnOp *op, const TsrNodeView *node, TsrColumnSet *set)
{
    (void)op;
    if (tsr_desc_is_static(node->inputs[0]))
        window_columns(node, set);
}

static int32_t pad_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    NnWindowMove m;
    (void)op;
    return pad_move(node, &m) ? nn_build_window(sink, &m) : refuse_build(node, sink);
}

static const NnSelect slice_select = NN_SELECT_CUSTOMIZE(slice_columns);
static const NnSelect split_select = NN_SELECT_CUSTOMIZE(split_columns);
static const NnSelect pad_select = NN_SELECT_CUSTOMIZE(pad_columns);

static const NnOp ops[] = {
    { .op_type = "Slice", .domain = "", .min_version = 1, .max_version = 13, .f32_inputs = 1,
      .flags = NN_WIDENS, .check = slice_check, .build = slice_build, .select = &slice_select },
    { .op_type = "Split", .domain = "", .min_version = 2, .max_version = 18, .f32_inputs = 1,
      .flags = NN_STATIC_ONLY | NN_WIDENS, .check = split_check, .build = split_build,
      .select = &split_select },
    { .op_type = "Pad", .domain = "", .min_version = 2, .max_version = 25, .f32_inputs = 1,
      .flags = NN_WIDENS, .check = pad_check, .build = pad_build, .select = &pad_select },
};

const NnOpTable nn_window_ops = { ops, sizeof(ops) / sizeof(ops[0]) };
