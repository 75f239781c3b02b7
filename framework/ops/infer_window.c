/* SPDX-License-Identifier: Apache-2.0
 *
 * infer_window.c: shapes of windows that slide over the spatial axes, convolutions and pools; see
 * infer_util.h.
 */
#include "infer_util.h"

/* Copies an INTS attribute of a window; count entries, each at least min. */
static int32_t window_ints(TsrInferContext *infer, const char *name, uint32_t count, int64_t min,
                           int64_t *out)
{
    const TsrAttr *attr = tsr_attr_find(infer->node, name);
    if (attr == NULL || attr->count == 0)
        return TSR_OK;
    if (attr->count != count)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "%s must have %u entries, got %u", name,
                           count, attr->count);
    for (uint32_t i = 0; i < count; i++) {
        if (attr->ints[i] < min || attr->ints[i] > INT32_MAX)
            return infer->fail(infer, TSR_INVALID_ARGUMENT, "%s must be at least %lld, got %lld",
                               name, (long long)min, (long long)attr->ints[i]);
        out[i] = attr->ints[i];
    }
    return TSR_OK;
}

int32_t tsr_infer_window(TsrInferContext *infer, uint32_t spatial, const int64_t *kernel,
                         Window *out_window)
{
    Window window = {.spatial = spatial};
    int32_t status;
    if (spatial == 0 || spatial > TSR_MAX_RANK - 2)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "needs 1 to %d spatial axes, got %u",
                           TSR_MAX_RANK - 2, spatial);
    for (uint32_t i = 0; i < spatial; i++) {
        window.kernel[i] = kernel != NULL ? kernel[i] : TSR_DIM_UNKNOWN;
        window.stride[i] = 1;
        window.dilation[i] = 1;
    }
    window.ceil_mode = tsr_attr_int(infer->node, "ceil_mode", 0) != 0;
    if ((status = window_ints(infer, "kernel_shape", spatial, 1, window.kernel)) != TSR_OK ||
        (status = window_ints(infer, "strides", spatial, 1, window.stride)) != TSR_OK ||
        (status = window_ints(infer, "dilations", spatial, 1, window.dilation)) != TSR_OK ||
        (status = window_ints(infer, "pads", 2 * spatial, 0, window.pad)) != TSR_OK)
        return status;
    for (uint32_t i = 0; kernel != NULL && i < spatial; i++) {
        if (kernel[i] == 0)
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "the weights must have an extent of at least 1 on spatial axis "
                               "%u, got 0", i);
        if (kernel[i] >= 0 && window.kernel[i] != kernel[i])
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "kernel_shape says %lld on spatial axis %u, the weights %lld",
                               (long long)window.kernel[i], i, (long long)kernel[i]);
    }
    *out_window = window;
    return TSR_OK;
}

/* The same for an extent that is a symbol; ceil_mode has no form. */
static int64_t window_symbol(TsrInferContext *infer, const Window *window, uint32_t axis,
                             int64_t extent)
{
    const int64_t stride = window->stride[axis];
    const int64_t reach = (window->kernel[axis] - 1) * window->dilation[axis] + 1;
    int64_t more = -reach;
    if (tsr_attr_is(infer->node, "auto_pad", "SAME_UPPER") ||
        tsr_attr_is(infer->node, "auto_pad", "SAME_LOWER"))
        return tsr_extent(infer, TSR_DIM_DIV,
                          tsr_extent(infer, TSR_DIM_ADD, extent, stride - 1), stride);
    if (window->ceil_mode)
        return TSR_DIM_UNKNOWN;
    if (!tsr_attr_is(infer->node, "auto_pad", "VALID"))
        more += window->pad[axis] + window->pad[window->spatial + axis];
    extent = more < 0 ? tsr_extent(infer, TSR_DIM_SUB, extent, -more)
                      : tsr_extent(infer, TSR_DIM_ADD, extent, more);
    return tsr_extent(infer, TSR_DIM_ADD, tsr_extent(infer, TSR_DIM_DIV, extent, stride), 1);
}

int32_t tsr_infer_window_extent(TsrInferContext *infer, const Window *window, uint32_t axis,
                                int64_t extent, int64_t *out_extent)
{
    int64_t stride = window->stride[axis], begin = window->pad[axis], reach, room, result;
    *out_extent = TSR_DIM_UNKNOWN;
    if (window->kernel[axis] < 0)
        return TSR_OK;
    if (extent < 0) {
        *out_extent = window_symbol(infer, window, axis, extent);
        return TSR_OK;
    }
    if (tsr_attr_is(infer->node, "auto_pad", "SAME_UPPER") ||
        tsr_attr_is(infer->node, "auto_pad", "SAME_LOWER")) {
        *out_extent = (extent + stride - 1) / stride;
        return TSR_OK;
    }
    reach = (window->kernel[axis] - 1) * window->dilation[axis] + 1;
    room = extent;
    if (!tsr_attr_is(infer->node, "auto_pad", "VALID"))
        room += begin + window->pad[window->spatial + axis];
    if (room < reach)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "the window reaches over %lld on spatial axis %u, the padded input "
                           "has %lld", (long long)reach, axis, (long long)room);
    result = (room - reach + (window->ceil_mode ? stride - 1 : 0)) / stride + 1;
    /* ONNX AveragePool/MaxPool: a window that starts in the end padding is dropped. */
    if (window->ceil_mode && (result - 1) * stride >= extent + begin)
        result--;
    *out_extent = result;
    return TSR_OK;
}

int32_t tsr_infer_conv_shape(TsrInferContext *infer, uint32_t x_index, uint32_t w_index,
                             uint32_t bias_index, Shape *out_shape)
{
    Shape x = tsr_infer_shape(infer, x_index), w = tsr_infer_shape(infer, w_index), out = x;
    Shape bias = tsr_infer_shape(infer, bias_index);
    int64_t group = tsr_attr_int(infer->node, "group", 1), channels;
    Window window;
    int32_t status;
    *out_shape = x;
    if (x.rank == TSR_RANK_UNKNOWN)
        return TSR_OK;
    if (group < 1)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "group must be at least 1, got %lld",
                           (long long)group);
    if ((status = tsr_infer_want_min_rank(infer, x_index, 3)) != TSR_OK ||
        (status = tsr_infer_want_rank(infer, w_index, x.rank)) != TSR_OK ||
        (status = tsr_infer_want_rank(infer, bias_index, 1)) != TSR_OK ||
        (status = tsr_infer_window(infer, x.rank - 2,
                                   w.rank == TSR_RANK_UNKNOWN ? NULL : w.dim + 2, &window)) !=
            TSR_OK)
        return status;
    out.dim[1] = TSR_DIM_UNKNOWN;
    if (w.rank != TSR_RANK_UNKNOWN) {
        if ((status = tsr_infer_multiply(infer, w.dim[1], group, &channels)) != TSR_OK ||
            (status = tsr_infer_join(infer, "channels of X and of W times group", &channels,
                                     x.dim[1])) != TSR_OK)
            return status;
        if (w.dim[0] >= 0 && w.dim[0] % group != 0)
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "%lld output channels do not split into %lld groups",
                               (long long)w.dim[0], (long long)group);
        out.dim[1] = w.dim[0];
        if (bias.rank == 1 && (status = tsr_infer_join(infer, "output channels and entries of B",
                                                       &out.dim[1], bias.dim[0])) != TSR_OK)
            return status;
    }
    for (uint32_t i = 0; i < window.spatial; i++)
        if ((status = tsr_infer_window_extent(infer, &window, i, x.dim[2 + i],
                                              &out.dim[2 + i])) != TSR_OK)
            return status;
    *out_shape = out;
    return TSR_OK;
}
