/* SPDX-License-Identifier: Apache-2.0
 *
 * move.c: definitions of ONNX operators:
 * elements moved without arithmetic.
 * Rows follow the ONNX changelog from opset 7 on: one for each version whose types,
 * attributes or meaning changed.
 */
#include "elements.h"
#include "families.h"

static int32_t infer_transpose(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), out = x;
    const TsrAttr *perm = tsr_attr_find(infer->node, "perm");
    uint32_t seen = 0;
    (void)def;
    if (x.rank == TSR_RANK_UNKNOWN)
        return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &x);
    if (perm != NULL && perm->count != x.rank)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "perm must have %u entries like the input's rank, got %u", x.rank,
                           perm->count);
    for (uint32_t i = 0; i < x.rank; i++) {
        int64_t from = perm != NULL ? perm->ints[i] : (int64_t)(x.rank - 1 - i);
        if (from < 0 || from >= (int64_t)x.rank || (seen & (1u << from)))
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "perm must name each axis of [0, %u) once, got %lld", x.rank,
                               (long long)from);
        seen |= 1u << from;
        out.dim[i] = x.dim[from];
    }
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &out);
}

static int32_t infer_concat(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape out = {.rank = TSR_RANK_UNKNOWN};
    uint32_t dtype = TSR_DTYPE_UNDEFINED, axis = 0;
    int64_t sum = 0;
    (void)def;
    if (infer->node->input_count == 0)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "needs at least one input, got none");
    for (uint32_t i = 0; i < infer->node->input_count; i++) {
        Shape x = tsr_infer_shape(infer, i);
        int32_t status;
        if (dtype == TSR_DTYPE_UNDEFINED)
            dtype = tsr_infer_dtype(infer, i);
        if (x.rank == TSR_RANK_UNKNOWN) {
            sum = TSR_DIM_UNKNOWN;
            continue;
        }
        if (out.rank == TSR_RANK_UNKNOWN) {
            status = tsr_infer_axis(infer, "axis", tsr_attr_int(infer->node, "axis", 1), x.rank,
                                    &axis);
            if (status != TSR_OK)
                return status;
            out = x;
            out.dim[axis] = TSR_DIM_UNKNOWN;
        }
        if (x.rank != out.rank)
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "all inputs must have rank %u, input %u has rank %u", out.rank, i,
                               x.rank);
        for (uint32_t d = 0; d < x.rank; d++)
            if (d != axis && (status = tsr_infer_join(infer, "the dimensions beside axis",
                                                      &out.dim[d], x.dim[d])) != TSR_OK)
                return status;
        if (x.dim[axis] < 0 || sum < 0)
            sum = tsr_extent(infer, TSR_DIM_ADD, sum, x.dim[axis]);
        else if (sum > INT64_MAX - x.dim[axis])
            return infer->fail(infer, TSR_INVALID_ARGUMENT, "the extents sum to too much");
        else
            sum += x.dim[axis];
    }
    if (out.rank != TSR_RANK_UNKNOWN)
        out.dim[axis] = sum;
    return tsr_infer_set(infer, 0, dtype, &out);
}

/* Extent of a slice; start and end are clamped as the spec of Slice says. */
static int64_t slice_extent(int64_t extent, int64_t start, int64_t end, int64_t step)
{
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
    if (extent == 0)
        return 0;
    start = start < 0 ? start + extent : start;
    end = end < 0 ? (end < -extent ? low : end + extent) : end;
    start = start < 0 ? 0 : start > high ? high : start;
    end = end < low ? low : end > extent ? extent : end;
    if (step > 0)
        return end > start ? (end - start - 1) / step + 1 : 0;
    /* -(step + 1) cannot overflow, unlike -step at INT64_MIN. */
    return start > end ? (int64_t)((uint64_t)(start - end - 1) / ((uint64_t)-(step + 1) + 1)) + 1
                       : 0;
}

/* A place of Slice within an extent that a run settles. */
static int64_t slice_place(const TsrInferContext *infer, int64_t extent, int64_t place)
{
    if (!TSR_DIM_IS_SYMBOL(place) && place < 0)
        return tsr_extent(infer, TSR_DIM_MAX,
                          place < INT32_MIN ? 0 : tsr_extent(infer, TSR_DIM_SUB, extent, -place),
                          0);
    /* Beyond what any tensor has: "to the end". */
    return place >= INT32_MAX ? extent : tsr_extent(infer, TSR_DIM_MIN, extent, place);
}

/* slice_extent for what a run settles; steps go forward. */
static int64_t slice_symbol(const TsrInferContext *infer, int64_t extent, int64_t start,
                            int64_t end, int64_t step)
{
    int64_t length;
    if (extent == TSR_DIM_UNKNOWN || TSR_DIM_IS_SYMBOL(step) || step < 1 || step > INT32_MAX)
        return TSR_DIM_UNKNOWN;
    length = tsr_extent(infer, TSR_DIM_SUB, slice_place(infer, extent, end),
                        slice_place(infer, extent, start));
    length = tsr_extent(infer, TSR_DIM_MAX, length, 0);
    return tsr_extent(infer, TSR_DIM_DIV, tsr_extent(infer, TSR_DIM_ADD, length, step - 1), step);
}

/* Slice: version 1 by attributes, from 10 on by inputs with steps. */
static int32_t infer_slice(const TsrOpDef *def, TsrInferContext *infer)
{
    static const char *const names[4] = {"starts", "ends", "axes", "steps"};
    int64_t value[4][2 * TSR_MAX_RANK], count[4];
    int known[4];
    Shape x = tsr_infer_shape(infer, 0);
    uint32_t dtype = tsr_infer_dtype(infer, 0), seen = 0;
    int32_t status;
    if (x.rank == TSR_RANK_UNKNOWN)
        return tsr_infer_set(infer, 0, dtype, &x);
    for (uint32_t k = 0; k < 4; k++) {
        const TsrAttr *attr = tsr_attr_find(infer->node, names[k]);
        count[k] = -1;
        known[k] = 1;
        if (def->since_version < 10 && attr != NULL) {
            if (attr->count > TSR_MAX_RANK)
                return infer->fail(infer, TSR_INVALID_ARGUMENT, "%s has %u entries, at most %d",
                                   names[k], attr->count, TSR_MAX_RANK);
            count[k] = attr->count;
            for (uint32_t i = 0; i < attr->count; i++)
                value[k][i] = tsr_plain_number(attr->ints[i]);
        } else if (def->since_version >= 10 && tsr_infer_input(infer, k + 1) != NULL &&
                   (status = (k < 2 ? tsr_infer_sizes : tsr_infer_ints)(
                        infer, k + 1, value[k], &count[k], &known[k])) != TSR_OK) {
            return status;
        }
        if (k > 0 && count[k] >= 0 && count[0] >= 0 && count[k] != count[0])
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "%s must have %lld entries like starts, got %lld", names[k],
                               (long long)count[0], (long long)count[k]);
    }
    if (!known[2] || count[0] < 0) { /* any axis may be cut */
        x = tsr_shape_unknown(x.rank);
        return tsr_infer_set(infer, 0, dtype, &x);
    }
    for (int64_t i = 0; i < count[0]; i++) {
        int64_t step = count[3] >= 0 && known[3] ? value[3][i] : 1;
        uint32_t axis;
        status = tsr_infer_axis(infer, "an entry of axes", count[2] >= 0 ? value[2][i] : i, x.rank,
                                &axis);
        if (status != TSR_OK)
            return status;
        if (seen & (1u << axis))
            return infer->fail(infer, TSR_INVALID_ARGUMENT, "axes names axis %u twice", axis);
        seen |= 1u << axis;
        if (step == 0)
            return infer->fail(infer, TSR_INVALID_ARGUMENT, "steps must not be 0");
        if (!known[0] || !known[1] || !known[3])
            x.dim[axis] = TSR_DIM_UNKNOWN;
        else if (x.dim[axis] < 0 || TSR_DIM_IS_SYMBOL(value[0][i]) ||
                 TSR_DIM_IS_SYMBOL(value[1][i]))
            x.dim[axis] = slice_symbol(infer, x.dim[axis], value[0][i], value[1][i], step);
        else
            x.dim[axis] = slice_extent(x.dim[axis], value[0][i], value[1][i], step);
    }
    return tsr_infer_set(infer, 0, dtype, &x);
}

/* Pad: by attribute up to version 2, by input from 11 on, with axes from 18 on.
 * Negative pads cut. */
static int32_t infer_pad(const TsrOpDef *def, TsrInferContext *infer)
{
    const TsrAttr *attr = tsr_attr_find(infer->node, "pads");
    Shape x = tsr_infer_shape(infer, 0);
    uint32_t dtype = tsr_infer_dtype(infer, 0);
    int64_t pads[2 * TSR_MAX_RANK], axes[2 * TSR_MAX_RANK], count, axis_count = -1;
    int known = 1, axes_known = 1;
    int32_t status;
    if (x.rank == TSR_RANK_UNKNOWN)
        return tsr_infer_set(infer, 0, dtype, &x);
    if (def->since_version < 11 && attr != NULL) {
        if (attr->count > 2 * TSR_MAX_RANK)
            return infer->fail(infer, TSR_INVALID_ARGUMENT, "pads has %u entries, at most %d",
                               attr->count, 2 * TSR_MAX_RANK);
        count = attr->count;
        memcpy(pads, attr->ints, attr->count * sizeof(int64_t));
    } else if ((status = tsr_infer_ints(infer, 1, pads, &count, &known)) != TSR_OK) {
        return status;
    }
    if (def->since_version >= 18 &&
        (status = tsr_infer_axes(infer, 3, x.rank, axes, &axis_count, &axes_known)) != TSR_OK)
        return status;
    if (!known || !axes_known) {
        x = tsr_shape_unknown(x.rank);
        return tsr_infer_set(infer, 0, dtype, &x);
    }
    if (axis_count < 0) {
        axis_count = x.rank;
        for (uint32_t i = 0; i < x.rank; i++)
            axes[i] = i;
    }
    if (count != 2 * axis_count)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "pads must have %lld entries, got %lld",
                           (long long)(2 * axis_count), (long long)count);
    for (int64_t i = 0; i < axis_count; i++) {
        int64_t extent = x.dim[axes[i]], begin = pads[i], end = pads[axis_count + i];
        if (begin > INT32_MAX || end > INT32_MAX || begin < INT32_MIN || end < INT32_MIN)
            return infer->fail(infer, TSR_INVALID_ARGUMENT, "pads of %lld and %lld are too large",
                               (long long)begin, (long long)end);
        if (extent < 0) {
            x.dim[axes[i]] = begin + end < 0
                                 ? tsr_extent(infer, TSR_DIM_SUB, extent, -(begin + end))
                                 : tsr_extent(infer, TSR_DIM_ADD, extent, begin + end);
            continue;
        }
        x.dim[axes[i]] = extent + begin + end;
        if (x.dim[axes[i]] < 0)
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "pads %lld and %lld cut more than the %lld of axis %lld",
                               (long long)begin, (long long)end, (long long)extent,
                               (long long)axes[i]);
    }
    return tsr_infer_set(infer, 0, dtype, &x);
}

static int32_t infer_tile(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0);
    uint32_t dtype = tsr_infer_dtype(infer, 0);
    int64_t repeats[2 * TSR_MAX_RANK], count;
    int known;
    int32_t status = tsr_infer_sizes(infer, 1, repeats, &count, &known);
    (void)def;
    if (status != TSR_OK)
        return status;
    if (x.rank == TSR_RANK_UNKNOWN)
        return tsr_infer_set(infer, 0, dtype, &x);
    if (count >= 0 && count != (int64_t)x.rank)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "repeats must have %u entries like the input's rank, got %lld", x.rank,
                           (long long)count);
    if (!known)
        x = tsr_shape_unknown(x.rank);
    for (uint32_t i = 0; known && i < x.rank; i++) {
        if (repeats[i] < 0 && !TSR_DIM_IS_SYMBOL(repeats[i]))
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "repeats must not be negative, got %lld", (long long)repeats[i]);
        if ((status = tsr_infer_multiply(infer, x.dim[i], repeats[i], &x.dim[i])) != TSR_OK)
            return status;
    }
    return tsr_infer_set(infer, 0, dtype, &x);
}

/* Split: sizes from the attribute (2, 11), the input (13 on) or num_outputs (18 on),
 * else equal parts over the outputs. */
static int32_t infer_split(const TsrOpDef *def, TsrInferContext *infer)
{
    const TsrAttr *attr = tsr_attr_find(infer->node, "split");
    const TsrAttr *parts = tsr_attr_find(infer->node, "num_outputs");
    Shape x = tsr_infer_shape(infer, 0);
    uint32_t dtype = tsr_infer_dtype(infer, 0), outputs = infer->node->output_count, axis;
    const TsrTensor *value = NULL;
    int64_t extent, share, sum = 0;
    int by_size = attr != NULL || (def->since_version >= 13 && tsr_infer_input(infer, 1) != NULL);
    int32_t status;
    if (x.rank == TSR_RANK_UNKNOWN) {
        for (uint32_t i = 0; i < outputs; i++)
            if ((status = tsr_infer_set(infer, i, dtype, &x)) != TSR_OK)
                return status;
        return TSR_OK;
    }
    status = tsr_infer_axis(infer, "axis", tsr_attr_int(infer->node, "axis", 0), x.rank, &axis);
    if (status != TSR_OK)
        return status;
    if (parts != NULL && !by_size && parts->i != (int64_t)outputs)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "num_outputs says %lld, the node has %u outputs", (long long)parts->i,
                           outputs);
    extent = x.dim[axis];
    if (by_size && attr == NULL) {
        value = infer->node->values != NULL ? infer->node->values[1] : NULL;
        if (value != NULL && (value->desc->rank != 1 || value->desc->dtype != TSR_DTYPE_INT64))
            return infer->fail(infer, TSR_INVALID_ARGUMENT, "split must be a list of int64");
    }
    if (attr != NULL || value != NULL) {
        int64_t count = attr != NULL ? (int64_t)attr->count : value->desc->shape[0];
        if (count != (int64_t)outputs)
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "split has %lld entries, the node has %u outputs",
                               (long long)count, outputs);
    }
    if (outputs == 0)
        return TSR_OK;
    share = (extent + (int64_t)outputs - 1) / (int64_t)outputs;
    if (!by_size && parts == NULL && extent >= 0 && extent % (int64_t)outputs != 0 &&
        def->since_version < 18)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "axis %u of extent %lld does not split into %u equal parts", axis,
                           (long long)extent, outputs);
    for (uint32_t i = 0; i < outputs; i++) {
        int64_t size = TSR_DIM_UNKNOWN;
        if (by_size && (attr != NULL || value != NULL))
            size = attr != NULL ? attr->ints[i] : ((const int64_t *)value->data)[i];
        else if (!by_size && extent < 0 && parts == NULL)
            size = tsr_extent(infer, TSR_DIM_DIV, extent, outputs);
        else if (!by_size && extent >= 0)
            size = share < extent - sum ? share : extent - sum;
        if (size < 0 && (!by_size || attr != NULL || value != NULL) && extent >= 0)
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "part %u of the split must not be negative, got %lld", i,
                               (long long)size);
        x.dim[axis] = size;
        sum += size > 0 && sum <= INT64_MAX - size ? size : 0;
        if ((status = tsr_infer_set(infer, i, dtype, &x)) != TSR_OK)
            return status;
    }
    if (by_size && (attr != NULL || value != NULL) && extent >= 0 && sum != extent)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "the parts of the split sum to %lld, axis %u has %lld", (long long)sum,
                           axis, (long long)extent);
    return TSR_OK;
}

static int32_t infer_depth_to_space(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), out = tsr_shape_unknown(4);
    int64_t block = tsr_attr_int(infer->node, "blocksize", 1);
    int to_space = strcmp(def->name, "DepthToSpace") == 0;
    int32_t status = tsr_infer_want_rank(infer, 0, 4);
    if (status != TSR_OK)
        return status;
    if (block < 1 || block > INT32_MAX)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "blocksize must be at least 1, got %lld",
                           (long long)block);
    if (x.rank == 4) {
        out.dim[0] = x.dim[0];
        for (uint32_t i = 1; i < 4; i++) {
            int64_t factor = i == 1 ? block * block : block;
            if (x.dim[i] < 0) {
                out.dim[i] = tsr_extent(infer, to_space == (i == 1) ? TSR_DIM_DIV : TSR_DIM_MUL,
                                        x.dim[i], factor);
                continue;
            }
            if (to_space == (i == 1)) {
                if (x.dim[i] % factor != 0)
                    return infer->fail(infer, TSR_INVALID_ARGUMENT,
                                       "axis %u must be a multiple of %lld, got %lld", i,
                                       (long long)factor, (long long)x.dim[i]);
                out.dim[i] = x.dim[i] / factor;
            } else if ((status = tsr_infer_multiply(infer, x.dim[i], factor, &out.dim[i])) !=
                       TSR_OK) {
                return status;
            }
        }
    }
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &out);
}

static int32_t infer_trilu(const TsrOpDef *def, TsrInferContext *infer)
{
    int32_t status = tsr_infer_want_min_rank(infer, 0, 2);
    return status != TSR_OK ? status : tsr_infer_same(def, infer);
}

static const TsrOpParam transpose_1_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V1},
};

static const TsrOpParam transpose_1_out[] = {
    {"transposed", TSR_PARAM_REQUIRED, 1, TYPES_V1},
};

static const TsrOpAttr transpose_1_attrs[] = {
    {.name = "perm", .type = TSR_ATTR_INTS},
};

static const TsrOpParam transpose_13_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V13},
};

static const TsrOpParam transpose_13_out[] = {
    {"transposed", TSR_PARAM_REQUIRED, 1, TYPES_V13},
};

static const TsrOpParam transpose_21_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V21},
};

static const TsrOpParam transpose_21_out[] = {
    {"transposed", TSR_PARAM_REQUIRED, 1, TYPES_V21},
};

static const TsrOpParam transpose_23_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V23},
};

static const TsrOpParam transpose_23_out[] = {
    {"transposed", TSR_PARAM_REQUIRED, 1, TYPES_V23},
};

static const TsrOpParam transpose_24_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V24},
};

static const TsrOpParam transpose_24_out[] = {
    {"transposed", TSR_PARAM_REQUIRED, 1, TYPES_V24},
};

static const TsrOpParam transpose_25_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V25},
};

static const TsrOpParam transpose_25_out[] = {
    {"transposed", TSR_PARAM_REQUIRED, 1, TYPES_V25},
};

static const TsrOpParam concat_4_in[] = {
    {"inputs", TSR_PARAM_VARIADIC, 1, TYPES_V1},
};

static const TsrOpParam concat_4_out[] = {
    {"concat_result", TSR_PARAM_REQUIRED, 1, TYPES_V1},
};

static const TsrOpAttr concat_4_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .required = 1},
};

static const TsrOpParam concat_13_in[] = {
    {"inputs", TSR_PARAM_VARIADIC, 1, TYPES_V13},
};

static const TsrOpParam concat_13_out[] = {
    {"concat_result", TSR_PARAM_REQUIRED, 1, TYPES_V13},
};

static const TsrOpParam slice_1_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TYPES_V1},
};

static const TsrOpAttr slice_1_attrs[] = {
    {.name = "axes", .type = TSR_ATTR_INTS},
    {.name = "ends", .type = TSR_ATTR_INTS, .required = 1},
    {.name = "starts", .type = TSR_ATTR_INTS, .required = 1},
};

static const TsrOpParam slice_10_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V1},
    {"starts", TSR_PARAM_REQUIRED, 2, TSR_TYPES_INDEX},
    {"ends", TSR_PARAM_REQUIRED, 2, TSR_TYPES_INDEX},
    {"axes", TSR_PARAM_OPTIONAL, 2, TSR_TYPES_INDEX},
    {"steps", TSR_PARAM_OPTIONAL, 2, TSR_TYPES_INDEX},
};

static const TsrOpParam slice_13_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V13},
    {"starts", TSR_PARAM_REQUIRED, 2, TSR_TYPES_INDEX},
    {"ends", TSR_PARAM_REQUIRED, 2, TSR_TYPES_INDEX},
    {"axes", TSR_PARAM_OPTIONAL, 2, TSR_TYPES_INDEX},
    {"steps", TSR_PARAM_OPTIONAL, 2, TSR_TYPES_INDEX},
};

static const TsrOpParam slice_13_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TYPES_V13},
};

static const TsrOpParam pad_2_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam pad_2_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr pad_2_attrs[] = {
    {.name = "mode", .type = TSR_ATTR_STRING, .has_default = 1, .s = "constant",
     .words = "constant|reflect|edge|wrap"},
    {.name = "pads", .type = TSR_ATTR_INTS, .required = 1},
    {.name = "value", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.0f},
};

static const TsrOpParam pad_11_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
    {"pads", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
    {"constant_value", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam pad_11_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr pad_11_attrs[] = {
    {.name = "mode", .type = TSR_ATTR_STRING, .has_default = 1, .s = "constant",
     .words = "constant|reflect|edge|wrap"},
};

static const TsrOpParam pad_13_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V13},
    {"pads", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
    {"constant_value", TSR_PARAM_OPTIONAL, 1, TYPES_V13},
};

static const TsrOpParam pad_18_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V13},
    {"pads", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
    {"constant_value", TSR_PARAM_OPTIONAL, 1, TYPES_V13},
    {"axes", TSR_PARAM_OPTIONAL, 2, TSR_TYPES_INDEX},
};

static const TsrOpParam pad_21_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V21},
    {"pads", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
    {"constant_value", TSR_PARAM_OPTIONAL, 1, TYPES_V21},
    {"axes", TSR_PARAM_OPTIONAL, 2, TSR_TYPES_INDEX},
};

static const TsrOpParam pad_21_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TYPES_V21},
};

static const TsrOpParam pad_23_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V23},
    {"pads", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
    {"constant_value", TSR_PARAM_OPTIONAL, 1, TYPES_V23},
    {"axes", TSR_PARAM_OPTIONAL, 2, TSR_TYPES_INDEX},
};

static const TsrOpParam pad_23_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TYPES_V23},
};

static const TsrOpParam pad_24_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V24},
    {"pads", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
    {"constant_value", TSR_PARAM_OPTIONAL, 1, TYPES_V24},
    {"axes", TSR_PARAM_OPTIONAL, 2, TSR_TYPES_INDEX},
};

static const TsrOpParam pad_24_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TYPES_V24},
};

static const TsrOpParam pad_25_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V25},
    {"pads", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
    {"constant_value", TSR_PARAM_OPTIONAL, 1, TYPES_V25},
    {"axes", TSR_PARAM_OPTIONAL, 2, TSR_TYPES_INDEX},
};

static const TsrOpParam pad_25_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TYPES_V25},
};

static const TsrOpParam tile_6_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TYPES_V1},
    {"repeats", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam tile_13_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TYPES_V13},
    {"repeats", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam split_2_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TYPES_V1},
};

static const TsrOpParam split_2_out[] = {
    {"outputs", TSR_PARAM_VARIADIC, 1, TYPES_V1},
};

static const TsrOpAttr split_2_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .has_default = 1},
    {.name = "split", .type = TSR_ATTR_INTS},
};

static const TsrOpParam split_13_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TYPES_V13},
    {"split", TSR_PARAM_OPTIONAL, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam split_13_out[] = {
    {"outputs", TSR_PARAM_VARIADIC, 1, TYPES_V13},
};

static const TsrOpAttr split_13_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .has_default = 1},
};

static const TsrOpAttr split_18_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .has_default = 1},
    {.name = "num_outputs", .type = TSR_ATTR_INT, .min = 1, .max = INT32_MAX},
};

static const TsrOpAttr depth_to_space_1_attrs[] = {
    {.name = "blocksize", .type = TSR_ATTR_INT, .required = 1, .min = 1, .max = INT32_MAX},
};

static const TsrOpAttr depth_to_space_11_attrs[] = {
    {.name = "blocksize", .type = TSR_ATTR_INT, .required = 1, .min = 1, .max = INT32_MAX},
    {.name = "mode", .type = TSR_ATTR_STRING, .has_default = 1, .s = "DCR", .words = "DCR|CRD"},
};

static const TsrOpParam depth_to_space_13_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TYPES_V13},
};

static const TsrOpParam trilu_14_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TYPES_V13},
    {"k", TSR_PARAM_OPTIONAL, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpAttr trilu_14_attrs[] = {
    {.name = "upper", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 0, .max = 1},
};

static const TsrOpDef definitions[] = {
    {OP_ROW("", "Transpose", 1), OP_INPUTS(transpose_1_in), OP_OUTPUTS(transpose_1_out),
     OP_ATTRS(transpose_1_attrs), .infer = infer_transpose,
     .infer_format_full = tsr_format_transpose},
    {OP_ROW("", "Transpose", 13), OP_INPUTS(transpose_13_in), OP_OUTPUTS(transpose_13_out),
     OP_ATTRS(transpose_1_attrs), .infer = infer_transpose,
     .infer_format_full = tsr_format_transpose},
    {OP_ROW("", "Transpose", 21), OP_INPUTS(transpose_21_in), OP_OUTPUTS(transpose_21_out),
     OP_ATTRS(transpose_1_attrs), .infer = infer_transpose,
     .infer_format_full = tsr_format_transpose},
    {OP_ROW("", "Transpose", 23), OP_INPUTS(transpose_23_in), OP_OUTPUTS(transpose_23_out),
     OP_ATTRS(transpose_1_attrs), .infer = infer_transpose,
     .infer_format_full = tsr_format_transpose},
    {OP_ROW("", "Transpose", 24), OP_INPUTS(transpose_24_in), OP_OUTPUTS(transpose_24_out),
     OP_ATTRS(transpose_1_attrs), .infer = infer_transpose,
     .infer_format_full = tsr_format_transpose},
    {OP_ROW("", "Transpose", 25), OP_INPUTS(transpose_25_in), OP_OUTPUTS(transpose_25_out),
     OP_ATTRS(transpose_1_attrs), .infer = infer_transpose,
     .infer_format_full = tsr_format_transpose},
    {OP_ROW("", "Concat", 4), OP_INPUTS(concat_4_in), OP_OUTPUTS(concat_4_out),
     OP_ATTRS(concat_4_attrs), .flags = TSR_OP_JOIN, .infer = infer_concat,
     .infer_format_full = tsr_format_join,
     .infer_elements = tsr_elements_concat},
    {OP_ROW("", "Concat", 11), OP_INPUTS(concat_4_in), OP_OUTPUTS(concat_4_out),
     OP_ATTRS(concat_4_attrs), .flags = TSR_OP_JOIN, .infer = infer_concat,
     .infer_format_full = tsr_format_join,
     .infer_elements = tsr_elements_concat},
    {OP_ROW("", "Concat", 13), OP_INPUTS(concat_13_in), OP_OUTPUTS(concat_13_out),
     OP_ATTRS(concat_4_attrs), .flags = TSR_OP_JOIN, .infer = infer_concat,
     .infer_format_full = tsr_format_join,
     .infer_elements = tsr_elements_concat},
    {OP_ROW("", "Slice", 1), OP_INPUTS(transpose_1_in), OP_OUTPUTS(slice_1_out),
     OP_ATTRS(slice_1_attrs), .flags = TSR_OP_RANGE, .infer = infer_slice,
     .infer_format_full = tsr_format_keep,
     .infer_elements = tsr_elements_slice},
    {OP_ROW("", "Slice", 10), OP_INPUTS(slice_10_in), OP_OUTPUTS(slice_1_out),
     .value_inputs = 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4, .flags = TSR_OP_RANGE,
     .infer = infer_slice,
     .infer_format_full = tsr_format_keep,
     .infer_elements = tsr_elements_slice},
    {OP_ROW("", "Slice", 11), OP_INPUTS(slice_10_in), OP_OUTPUTS(slice_1_out),
     .value_inputs = 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4, .flags = TSR_OP_RANGE,
     .infer = infer_slice,
     .infer_format_full = tsr_format_keep,
     .infer_elements = tsr_elements_slice},
    {OP_ROW("", "Slice", 13), OP_INPUTS(slice_13_in), OP_OUTPUTS(slice_13_out),
     .value_inputs = 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4, .flags = TSR_OP_RANGE,
     .infer = infer_slice,
     .infer_format_full = tsr_format_keep,
     .infer_elements = tsr_elements_slice},
    {OP_ROW("", "Pad", 2), OP_INPUTS(pad_2_in), OP_OUTPUTS(pad_2_out), OP_ATTRS(pad_2_attrs),
     .infer = infer_pad, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "Pad", 11), OP_INPUTS(pad_11_in), OP_OUTPUTS(pad_11_out), OP_ATTRS(pad_11_attrs),
     .value_inputs = 1u << 1, .infer = infer_pad, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "Pad", 13), OP_INPUTS(pad_13_in), OP_OUTPUTS(slice_13_out), OP_ATTRS(pad_11_attrs),
     .value_inputs = 1u << 1, .infer = infer_pad, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "Pad", 18), OP_INPUTS(pad_18_in), OP_OUTPUTS(slice_13_out), OP_ATTRS(pad_11_attrs),
     .value_inputs = 1u << 1 | 1u << 3, .infer = infer_pad, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "Pad", 19), OP_INPUTS(pad_18_in), OP_OUTPUTS(slice_13_out), OP_ATTRS(pad_11_attrs),
     .value_inputs = 1u << 1 | 1u << 3, .infer = infer_pad, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "Pad", 21), OP_INPUTS(pad_21_in), OP_OUTPUTS(pad_21_out), OP_ATTRS(pad_11_attrs),
     .value_inputs = 1u << 1 | 1u << 3, .infer = infer_pad, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "Pad", 23), OP_INPUTS(pad_23_in), OP_OUTPUTS(pad_23_out), OP_ATTRS(pad_11_attrs),
     .value_inputs = 1u << 1 | 1u << 3, .infer = infer_pad, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "Pad", 24), OP_INPUTS(pad_24_in), OP_OUTPUTS(pad_24_out), OP_ATTRS(pad_11_attrs),
     .value_inputs = 1u << 1 | 1u << 3, .infer = infer_pad, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "Pad", 25), OP_INPUTS(pad_25_in), OP_OUTPUTS(pad_25_out), OP_ATTRS(pad_11_attrs),
     .value_inputs = 1u << 1 | 1u << 3, .infer = infer_pad, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "Tile", 6), OP_INPUTS(tile_6_in), OP_OUTPUTS(slice_1_out), .value_inputs = 1u << 1,
     .infer = infer_tile, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "Tile", 13), OP_INPUTS(tile_13_in), OP_OUTPUTS(slice_13_out),
     .value_inputs = 1u << 1, .infer = infer_tile, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "Split", 2), OP_INPUTS(split_2_in), OP_OUTPUTS(split_2_out),
     OP_ATTRS(split_2_attrs), .flags = TSR_OP_PARTS, .infer = infer_split,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "Split", 11), OP_INPUTS(split_2_in), OP_OUTPUTS(split_2_out),
     OP_ATTRS(split_2_attrs), .flags = TSR_OP_PARTS, .infer = infer_split,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "Split", 13), OP_INPUTS(split_13_in), OP_OUTPUTS(split_13_out),
     OP_ATTRS(split_13_attrs), .value_inputs = 1u << 1, .flags = TSR_OP_PARTS, .infer = infer_split,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "Split", 18), OP_INPUTS(split_13_in), OP_OUTPUTS(split_13_out),
     OP_ATTRS(split_18_attrs), .value_inputs = 1u << 1, .flags = TSR_OP_PARTS, .infer = infer_split,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "DepthToSpace", 1), OP_INPUTS(split_2_in), OP_OUTPUTS(slice_1_out),
     OP_ATTRS(depth_to_space_1_attrs), .infer = infer_depth_to_space,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "DepthToSpace", 11), OP_INPUTS(split_2_in), OP_OUTPUTS(slice_1_out),
     OP_ATTRS(depth_to_space_11_attrs), .infer = infer_depth_to_space,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "DepthToSpace", 13), OP_INPUTS(depth_to_space_13_in), OP_OUTPUTS(slice_13_out),
     OP_ATTRS(depth_to_space_11_attrs), .infer = infer_depth_to_space,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "SpaceToDepth", 1), OP_INPUTS(split_2_in), OP_OUTPUTS(slice_1_out),
     OP_ATTRS(depth_to_space_1_attrs), .infer = infer_depth_to_space,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "SpaceToDepth", 13), OP_INPUTS(depth_to_space_13_in), OP_OUTPUTS(slice_13_out),
     OP_ATTRS(depth_to_space_1_attrs), .infer = infer_depth_to_space,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "Trilu", 14), OP_INPUTS(trilu_14_in), OP_OUTPUTS(slice_13_out),
     OP_ATTRS(trilu_14_attrs), .infer = infer_trilu, .infer_format_full = tsr_format_keep},
};

const TsrOps tsr_ops_move = OP_FAMILY(definitions);
