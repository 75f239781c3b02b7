/* SPDX-License-Identifier: Apache-2.0
 *
 * shape.c: definitions of ONNX operators:
 * shapes read, and bytes seen in another shape.
 * Rows follow the ONNX changelog from opset 7 on: one for each version whose types,
 * attributes or meaning changed.
 */
#include "elements.h"
#include "families.h"

/* Shape: since version 15 a range [start, end) of the dimensions, clamped. */
static int32_t infer_shape(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), out = tsr_shape_unknown(1);
    const TsrAttr *end_attr = tsr_attr_find(infer->node, "end");
    (void)def;
    if (x.rank != TSR_RANK_UNKNOWN) {
        int64_t rank = x.rank, begin = tsr_attr_int(infer->node, "start", 0);
        int64_t end = end_attr != NULL ? end_attr->i : rank;
        begin = begin < 0 ? begin + rank : begin;
        end = end < 0 ? end + rank : end;
        begin = begin < 0 ? 0 : begin > rank ? rank : begin;
        end = end < 0 ? 0 : end > rank ? rank : end;
        out.dim[0] = end > begin ? end - begin : 0;
    }
    return tsr_infer_set(infer, 0, TSR_DTYPE_INT64, &out);
}

static int32_t infer_size(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape out = {.rank = 0};
    (void)def;
    return tsr_infer_set(infer, 0, TSR_DTYPE_INT64, &out);
}

/* Reshape: 0 copies the input's dimension unless allowzero, one -1 takes the rest. */
static int32_t infer_reshape(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), out;
    int64_t target[2 * TSR_MAX_RANK], count, rest = -1, known = 1, total = 1;
    int64_t allow_zero = tsr_attr_int(infer->node, "allowzero", 0);
    uint32_t dtype = tsr_infer_dtype(infer, 0);
    int values;
    int32_t status = tsr_infer_sizes(infer, 1, target, &count, &values);
    (void)def;
    if (status != TSR_OK)
        return status;
    if (count > TSR_MAX_RANK)
        return infer->fail(infer, TSR_UNSUPPORTED, "the new shape has %lld dimensions, at most %d",
                           (long long)count, TSR_MAX_RANK);
    out = tsr_shape_unknown(count >= 0 ? (uint32_t)count : TSR_RANK_UNKNOWN);
    if (!values)
        return tsr_infer_set(infer, 0, dtype, &out);
    for (int64_t i = 0; i < count; i++) {
        int64_t extent = target[i];
        if (extent == -1) {
            if (rest >= 0)
                return infer->fail(infer, TSR_INVALID_ARGUMENT,
                                   "the new shape may have one -1, got two");
            rest = i;
            continue;
        }
        if (extent < -1 && !TSR_DIM_IS_SYMBOL(extent))
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "the new shape must hold dimensions or -1, got %lld",
                               (long long)extent);
        if (extent == 0 && !allow_zero) {
            if (x.rank != TSR_RANK_UNKNOWN && i >= (int64_t)x.rank)
                return infer->fail(infer, TSR_INVALID_ARGUMENT,
                                   "a 0 at place %lld copies a dimension that input 0 of rank %u "
                                   "does not have", (long long)i, x.rank);
            extent = x.rank != TSR_RANK_UNKNOWN ? x.dim[i] : TSR_DIM_UNKNOWN;
        }
        out.dim[i] = extent;
        if ((status = tsr_infer_multiply(infer, known, extent, &known)) != TSR_OK)
            return status;
    }
    if (x.rank == TSR_RANK_UNKNOWN)
        total = TSR_DIM_UNKNOWN;
    for (uint32_t i = 0; x.rank != TSR_RANK_UNKNOWN && i < x.rank; i++)
        if ((status = tsr_infer_multiply(infer, total, x.dim[i], &total)) != TSR_OK)
            return status;
    if (total >= 0 && known >= 0) {
        if (rest < 0 ? known != total : known == 0 ? total != 0 : total % known != 0)
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "%lld elements do not fill a new shape of %s%lld elements",
                               (long long)total, rest < 0 ? "" : "a multiple of ",
                               (long long)known);
        if (rest >= 0)
            out.dim[rest] = known == 0 ? 0 : total / known;
    }
    if (rest >= 0 && out.dim[rest] < 0)
        out.dim[rest] = tsr_extent(infer, TSR_DIM_DIV, total, known);
    /* An unknown dimension that a 0 copies cancels out when it is the only one. */
    if (rest >= 0 && out.dim[rest] < 0 && x.rank != TSR_RANK_UNKNOWN) {
        int64_t above = 1, below = 1, copied = 0, open = 0;
        for (uint32_t i = 0; i < x.rank; i++) {
            open += x.dim[i] < 0;
            above *= x.dim[i] < 0 ? 1 : x.dim[i];
        }
        for (int64_t i = 0; i < count; i++) {
            copied += i != rest && out.dim[i] < 0;
            below *= i == rest || out.dim[i] < 0 ? 1 : out.dim[i];
        }
        if (open == copied && below > 0 && above % below == 0)
            out.dim[rest] = above / below;
    }
    return tsr_infer_set(infer, 0, dtype, &out);
}

static int32_t infer_squeeze(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), out = {.rank = 0};
    uint32_t dtype = tsr_infer_dtype(infer, 0), drop = 0;
    int64_t axes[2 * TSR_MAX_RANK], count;
    int known;
    int32_t status;
    (void)def;
    if (x.rank == TSR_RANK_UNKNOWN)
        return tsr_infer_set(infer, 0, dtype, &x);
    if ((status = tsr_infer_axes(infer, 1, x.rank, axes, &count, &known)) != TSR_OK)
        return status;
    if (!known) {
        out = tsr_shape_unknown(count >= 0 && count <= (int64_t)x.rank ? x.rank - (uint32_t)count
                                                                       : TSR_RANK_UNKNOWN);
        return tsr_infer_set(infer, 0, dtype, &out);
    }
    for (int64_t i = 0; i < count; i++) {
        if (x.dim[axes[i]] >= 0 && x.dim[axes[i]] != 1)
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "axis %lld must have extent 1, got %lld", (long long)axes[i],
                               (long long)x.dim[axes[i]]);
        drop |= 1u << axes[i];
    }
    for (uint32_t i = 0; i < x.rank; i++) {
        if (count < 0 && x.dim[i] < 0) { /* whether it is a 1 is not known */
            out.rank = TSR_RANK_UNKNOWN;
            break;
        }
        if (count < 0 ? x.dim[i] != 1 : !(drop & (1u << i)))
            out.dim[out.rank++] = x.dim[i];
    }
    return tsr_infer_set(infer, 0, dtype, &out);
}

static int32_t infer_unsqueeze(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), out = {.rank = TSR_RANK_UNKNOWN};
    uint32_t dtype = tsr_infer_dtype(infer, 0), added = 0, next = 0;
    const TsrAttr *attr = tsr_attr_find(infer->node, "axes");
    int64_t axes[2 * TSR_MAX_RANK], count = attr != NULL ? (int64_t)attr->count : -1;
    int known = attr != NULL;
    int32_t status;
    (void)def;
    /* The axes are those of the output, whose rank needs their count first. */
    if (attr == NULL &&
        (status = tsr_infer_ints(infer, 1, axes, &count, &known)) != TSR_OK)
        return status;
    if (x.rank == TSR_RANK_UNKNOWN || count < 0)
        return tsr_infer_set(infer, 0, dtype, &out);
    if (x.rank + count > TSR_MAX_RANK)
        return infer->fail(infer, TSR_UNSUPPORTED, "the output would have rank %lld, at most %d",
                           (long long)(x.rank + count), TSR_MAX_RANK);
    out = tsr_shape_unknown(x.rank + (uint32_t)count);
    if (!known)
        return tsr_infer_set(infer, 0, dtype, &out);
    if ((status = tsr_infer_axes(infer, 1, out.rank, axes, &count, &known)) != TSR_OK)
        return status;
    for (int64_t i = 0; i < count; i++)
        added |= 1u << axes[i];
    for (uint32_t i = 0; i < out.rank; i++)
        out.dim[i] = added & (1u << i) ? 1 : x.dim[next++];
    return tsr_infer_set(infer, 0, dtype, &out);
}

static int32_t infer_flatten(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), out = tsr_shape_unknown(2);
    int64_t axis = tsr_attr_int(infer->node, "axis", 1);
    (void)def;
    if (x.rank != TSR_RANK_UNKNOWN) {
        int64_t rank = x.rank, half[2] = {1, 1};
        if (axis < -rank || axis > rank)
            return infer->fail(infer, TSR_INVALID_ARGUMENT, "axis must be in [-%u, %u], got %lld",
                               x.rank, x.rank, (long long)axis);
        axis += axis < 0 ? rank : 0;
        for (int64_t i = 0; i < rank; i++) {
            int32_t status = tsr_infer_multiply(infer, half[i >= axis], x.dim[i],
                                                &half[i >= axis]);
            if (status != TSR_OK)
                return status;
        }
        out.dim[0] = half[0];
        out.dim[1] = half[1];
    }
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &out);
}

/* Expand: broadcasts both ways, so the input may also be the larger one. */
static int32_t infer_expand(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), out = {.rank = TSR_RANK_UNKNOWN};
    int64_t target[2 * TSR_MAX_RANK], count;
    char a[TSR_MAX_RANK * 24], b[TSR_MAX_RANK * 24];
    int known;
    int32_t status = tsr_infer_sizes(infer, 1, target, &count, &known);
    (void)def;
    if (status != TSR_OK)
        return status;
    if (x.rank != TSR_RANK_UNKNOWN && count >= 0 && count <= TSR_MAX_RANK) {
        out = tsr_shape_unknown(count > (int64_t)x.rank ? (uint32_t)count : x.rank);
        for (int64_t i = 0; known && i < count; i++)
            if (target[i] < 0 && !TSR_DIM_IS_SYMBOL(target[i]))
                return infer->fail(infer, TSR_INVALID_ARGUMENT,
                                   "the shape must not be negative, got %lld",
                                   (long long)target[i]);
        if (known) {
            out = x;
            Shape wanted = {.rank = (uint32_t)count};
            memcpy(wanted.dim, target, (size_t)count * sizeof(target[0]));
            if (!tsr_broadcast_extents(infer, &out, &wanted))
                return infer->fail(infer, TSR_INVALID_ARGUMENT,
                                   "input 0 of shape %s does not broadcast with %s",
                                   tsr_shape_text(x.rank, x.dim, a, sizeof(a)),
                                   tsr_shape_text((uint32_t)count, target, b, sizeof(b)));
        }
    }
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &out);
}

static const TsrOpParam identity_1_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TYPES_V1},
};

static const TsrOpParam identity_1_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TYPES_V1},
};

static const TsrOpParam identity_13_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TYPES_V13},
};

static const TsrOpParam identity_13_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TYPES_V13},
};

static const TsrOpParam identity_19_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TYPES_V19},
};

static const TsrOpParam identity_19_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TYPES_V19},
};

static const TsrOpParam identity_21_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TYPES_V21},
};

static const TsrOpParam identity_21_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TYPES_V21},
};

static const TsrOpParam identity_23_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TYPES_V23},
};

static const TsrOpParam identity_23_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TYPES_V23},
};

static const TsrOpParam identity_24_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TYPES_V24},
};

static const TsrOpParam identity_24_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TYPES_V24},
};

static const TsrOpParam identity_25_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TYPES_V25},
};

static const TsrOpParam identity_25_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TYPES_V25},
};

static const TsrOpParam shape_1_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V1},
};

static const TsrOpParam shape_1_out[] = {
    {"shape", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam shape_13_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V13},
};

static const TsrOpAttr shape_15_attrs[] = {
    {.name = "end", .type = TSR_ATTR_INT},
    {.name = "start", .type = TSR_ATTR_INT, .has_default = 1},
};

static const TsrOpParam shape_19_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V19},
};

static const TsrOpParam shape_21_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V21},
};

static const TsrOpParam shape_23_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V23},
};

static const TsrOpParam shape_24_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V24},
};

static const TsrOpParam shape_25_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V25},
};

static const TsrOpParam size_1_out[] = {
    {"size", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam reshape_5_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V1},
    {"shape", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam reshape_5_out[] = {
    {"reshaped", TSR_PARAM_REQUIRED, 1, TYPES_V1},
};

static const TsrOpParam reshape_13_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V13},
    {"shape", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam reshape_13_out[] = {
    {"reshaped", TSR_PARAM_REQUIRED, 1, TYPES_V13},
};

static const TsrOpAttr reshape_14_attrs[] = {
    {.name = "allowzero", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
};

static const TsrOpParam reshape_19_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V19},
    {"shape", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam reshape_19_out[] = {
    {"reshaped", TSR_PARAM_REQUIRED, 1, TYPES_V19},
};

static const TsrOpParam reshape_21_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V21},
    {"shape", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam reshape_21_out[] = {
    {"reshaped", TSR_PARAM_REQUIRED, 1, TYPES_V21},
};

static const TsrOpParam reshape_23_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V23},
    {"shape", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam reshape_23_out[] = {
    {"reshaped", TSR_PARAM_REQUIRED, 1, TYPES_V23},
};

static const TsrOpParam reshape_24_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V24},
    {"shape", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam reshape_24_out[] = {
    {"reshaped", TSR_PARAM_REQUIRED, 1, TYPES_V24},
};

static const TsrOpParam reshape_25_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V25},
    {"shape", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam reshape_25_out[] = {
    {"reshaped", TSR_PARAM_REQUIRED, 1, TYPES_V25},
};

static const TsrOpParam squeeze_1_out[] = {
    {"squeezed", TSR_PARAM_REQUIRED, 1, TYPES_V1},
};

static const TsrOpAttr squeeze_1_attrs[] = {
    {.name = "axes", .type = TSR_ATTR_INTS},
};

static const TsrOpParam squeeze_13_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V13},
    {"axes", TSR_PARAM_OPTIONAL, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam squeeze_13_out[] = {
    {"squeezed", TSR_PARAM_REQUIRED, 1, TYPES_V13},
};

static const TsrOpParam squeeze_21_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V21},
    {"axes", TSR_PARAM_OPTIONAL, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam squeeze_21_out[] = {
    {"squeezed", TSR_PARAM_REQUIRED, 1, TYPES_V21},
};

static const TsrOpParam squeeze_23_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V23},
    {"axes", TSR_PARAM_OPTIONAL, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam squeeze_23_out[] = {
    {"squeezed", TSR_PARAM_REQUIRED, 1, TYPES_V23},
};

static const TsrOpParam squeeze_24_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V24},
    {"axes", TSR_PARAM_OPTIONAL, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam squeeze_24_out[] = {
    {"squeezed", TSR_PARAM_REQUIRED, 1, TYPES_V24},
};

static const TsrOpParam squeeze_25_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V25},
    {"axes", TSR_PARAM_OPTIONAL, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam squeeze_25_out[] = {
    {"squeezed", TSR_PARAM_REQUIRED, 1, TYPES_V25},
};

static const TsrOpParam unsqueeze_1_out[] = {
    {"expanded", TSR_PARAM_REQUIRED, 1, TYPES_V1},
};

static const TsrOpAttr unsqueeze_1_attrs[] = {
    {.name = "axes", .type = TSR_ATTR_INTS, .required = 1},
};

static const TsrOpParam unsqueeze_13_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V13},
    {"axes", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam unsqueeze_13_out[] = {
    {"expanded", TSR_PARAM_REQUIRED, 1, TYPES_V13},
};

static const TsrOpParam unsqueeze_21_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V21},
    {"axes", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam unsqueeze_21_out[] = {
    {"expanded", TSR_PARAM_REQUIRED, 1, TYPES_V21},
};

static const TsrOpParam unsqueeze_23_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V23},
    {"axes", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam unsqueeze_23_out[] = {
    {"expanded", TSR_PARAM_REQUIRED, 1, TYPES_V23},
};

static const TsrOpParam unsqueeze_24_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V24},
    {"axes", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam unsqueeze_24_out[] = {
    {"expanded", TSR_PARAM_REQUIRED, 1, TYPES_V24},
};

static const TsrOpParam unsqueeze_25_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V25},
    {"axes", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam unsqueeze_25_out[] = {
    {"expanded", TSR_PARAM_REQUIRED, 1, TYPES_V25},
};

static const TsrOpParam flatten_1_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam flatten_1_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr flatten_1_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .has_default = 1, .i = 1},
};

static const TsrOpParam expand_8_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TYPES_V1},
    {"shape", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam expand_13_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TYPES_V13},
    {"shape", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpDef definitions[] = {
    {OP_ROW("", "Identity", 1), OP_INPUTS(identity_1_in), OP_OUTPUTS(identity_1_out),
     .flags = TSR_OP_VIEW, .follow = "output=input",
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Identity", 13), OP_INPUTS(identity_13_in), OP_OUTPUTS(identity_13_out),
     .flags = TSR_OP_VIEW, .follow = "output=input",
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Identity", 14), OP_INPUTS(identity_13_in), OP_OUTPUTS(identity_13_out),
     .flags = TSR_OP_VIEW, .follow = "output=input",
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Identity", 16), OP_INPUTS(identity_13_in), OP_OUTPUTS(identity_13_out),
     .flags = TSR_OP_VIEW, .follow = "output=input",
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Identity", 19), OP_INPUTS(identity_19_in), OP_OUTPUTS(identity_19_out),
     .flags = TSR_OP_VIEW, .follow = "output=input",
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Identity", 21), OP_INPUTS(identity_21_in), OP_OUTPUTS(identity_21_out),
     .flags = TSR_OP_VIEW, .follow = "output=input",
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Identity", 23), OP_INPUTS(identity_23_in), OP_OUTPUTS(identity_23_out),
     .flags = TSR_OP_VIEW, .follow = "output=input",
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Identity", 24), OP_INPUTS(identity_24_in), OP_OUTPUTS(identity_24_out),
     .flags = TSR_OP_VIEW, .follow = "output=input",
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Identity", 25), OP_INPUTS(identity_25_in), OP_OUTPUTS(identity_25_out),
     .flags = TSR_OP_VIEW, .follow = "output=input",
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Shape", 1), OP_INPUTS(shape_1_in), OP_OUTPUTS(shape_1_out),
     .flags = TSR_OP_SHAPE_ONLY, .infer = infer_shape,
     .infer_elements = tsr_elements_shape},
    {OP_ROW("", "Shape", 13), OP_INPUTS(shape_13_in), OP_OUTPUTS(shape_1_out),
     .flags = TSR_OP_SHAPE_ONLY, .infer = infer_shape,
     .infer_elements = tsr_elements_shape},
    {OP_ROW("", "Shape", 15), OP_INPUTS(shape_13_in), OP_OUTPUTS(shape_1_out),
     OP_ATTRS(shape_15_attrs), .flags = TSR_OP_SHAPE_ONLY, .infer = infer_shape,
     .infer_elements = tsr_elements_shape},
    {OP_ROW("", "Shape", 19), OP_INPUTS(shape_19_in), OP_OUTPUTS(shape_1_out),
     OP_ATTRS(shape_15_attrs), .flags = TSR_OP_SHAPE_ONLY, .infer = infer_shape,
     .infer_elements = tsr_elements_shape},
    {OP_ROW("", "Shape", 21), OP_INPUTS(shape_21_in), OP_OUTPUTS(shape_1_out),
     OP_ATTRS(shape_15_attrs), .flags = TSR_OP_SHAPE_ONLY, .infer = infer_shape,
     .infer_elements = tsr_elements_shape},
    {OP_ROW("", "Shape", 23), OP_INPUTS(shape_23_in), OP_OUTPUTS(shape_1_out),
     OP_ATTRS(shape_15_attrs), .flags = TSR_OP_SHAPE_ONLY, .infer = infer_shape,
     .infer_elements = tsr_elements_shape},
    {OP_ROW("", "Shape", 24), OP_INPUTS(shape_24_in), OP_OUTPUTS(shape_1_out),
     OP_ATTRS(shape_15_attrs), .flags = TSR_OP_SHAPE_ONLY, .infer = infer_shape,
     .infer_elements = tsr_elements_shape},
    {OP_ROW("", "Shape", 25), OP_INPUTS(shape_25_in), OP_OUTPUTS(shape_1_out),
     OP_ATTRS(shape_15_attrs), .flags = TSR_OP_SHAPE_ONLY, .infer = infer_shape,
     .infer_elements = tsr_elements_shape},
    {OP_ROW("", "Size", 1), OP_INPUTS(shape_1_in), OP_OUTPUTS(size_1_out),
     .flags = TSR_OP_SHAPE_ONLY, .infer = infer_size,
     .infer_elements = tsr_elements_size},
    {OP_ROW("", "Size", 13), OP_INPUTS(shape_13_in), OP_OUTPUTS(size_1_out),
     .flags = TSR_OP_SHAPE_ONLY, .infer = infer_size,
     .infer_elements = tsr_elements_size},
    {OP_ROW("", "Size", 19), OP_INPUTS(shape_19_in), OP_OUTPUTS(size_1_out),
     .flags = TSR_OP_SHAPE_ONLY, .infer = infer_size,
     .infer_elements = tsr_elements_size},
    {OP_ROW("", "Size", 21), OP_INPUTS(shape_21_in), OP_OUTPUTS(size_1_out),
     .flags = TSR_OP_SHAPE_ONLY, .infer = infer_size,
     .infer_elements = tsr_elements_size},
    {OP_ROW("", "Size", 23), OP_INPUTS(shape_23_in), OP_OUTPUTS(size_1_out),
     .flags = TSR_OP_SHAPE_ONLY, .infer = infer_size,
     .infer_elements = tsr_elements_size},
    {OP_ROW("", "Size", 24), OP_INPUTS(shape_24_in), OP_OUTPUTS(size_1_out),
     .flags = TSR_OP_SHAPE_ONLY, .infer = infer_size,
     .infer_elements = tsr_elements_size},
    {OP_ROW("", "Size", 25), OP_INPUTS(shape_25_in), OP_OUTPUTS(size_1_out),
     .flags = TSR_OP_SHAPE_ONLY, .infer = infer_size,
     .infer_elements = tsr_elements_size},
    {OP_ROW("", "Reshape", 5), OP_INPUTS(reshape_5_in), OP_OUTPUTS(reshape_5_out),
     .flags = TSR_OP_VIEW, .value_inputs = 1u << 1, .infer = infer_reshape,
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Reshape", 13), OP_INPUTS(reshape_13_in), OP_OUTPUTS(reshape_13_out),
     .flags = TSR_OP_VIEW, .value_inputs = 1u << 1, .infer = infer_reshape,
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Reshape", 14), OP_INPUTS(reshape_13_in), OP_OUTPUTS(reshape_13_out),
     OP_ATTRS(reshape_14_attrs), .flags = TSR_OP_VIEW, .value_inputs = 1u << 1,
     .infer = infer_reshape,
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Reshape", 19), OP_INPUTS(reshape_19_in), OP_OUTPUTS(reshape_19_out),
     OP_ATTRS(reshape_14_attrs), .flags = TSR_OP_VIEW, .value_inputs = 1u << 1,
     .infer = infer_reshape,
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Reshape", 21), OP_INPUTS(reshape_21_in), OP_OUTPUTS(reshape_21_out),
     OP_ATTRS(reshape_14_attrs), .flags = TSR_OP_VIEW, .value_inputs = 1u << 1,
     .infer = infer_reshape,
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Reshape", 23), OP_INPUTS(reshape_23_in), OP_OUTPUTS(reshape_23_out),
     OP_ATTRS(reshape_14_attrs), .flags = TSR_OP_VIEW, .value_inputs = 1u << 1,
     .infer = infer_reshape,
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Reshape", 24), OP_INPUTS(reshape_24_in), OP_OUTPUTS(reshape_24_out),
     OP_ATTRS(reshape_14_attrs), .flags = TSR_OP_VIEW, .value_inputs = 1u << 1,
     .infer = infer_reshape,
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Reshape", 25), OP_INPUTS(reshape_25_in), OP_OUTPUTS(reshape_25_out),
     OP_ATTRS(reshape_14_attrs), .flags = TSR_OP_VIEW, .value_inputs = 1u << 1,
     .infer = infer_reshape,
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Squeeze", 1), OP_INPUTS(shape_1_in), OP_OUTPUTS(squeeze_1_out),
     OP_ATTRS(squeeze_1_attrs), .flags = TSR_OP_VIEW, .infer = infer_squeeze,
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Squeeze", 11), OP_INPUTS(shape_1_in), OP_OUTPUTS(squeeze_1_out),
     OP_ATTRS(squeeze_1_attrs), .flags = TSR_OP_VIEW, .infer = infer_squeeze,
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Squeeze", 13), OP_INPUTS(squeeze_13_in), OP_OUTPUTS(squeeze_13_out),
     .flags = TSR_OP_VIEW, .value_inputs = 1u << 1, .infer = infer_squeeze,
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Squeeze", 21), OP_INPUTS(squeeze_21_in), OP_OUTPUTS(squeeze_21_out),
     .flags = TSR_OP_VIEW, .value_inputs = 1u << 1, .infer = infer_squeeze,
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Squeeze", 23), OP_INPUTS(squeeze_23_in), OP_OUTPUTS(squeeze_23_out),
     .flags = TSR_OP_VIEW, .value_inputs = 1u << 1, .infer = infer_squeeze,
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Squeeze", 24), OP_INPUTS(squeeze_24_in), OP_OUTPUTS(squeeze_24_out),
     .flags = TSR_OP_VIEW, .value_inputs = 1u << 1, .infer = infer_squeeze,
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Squeeze", 25), OP_INPUTS(squeeze_25_in), OP_OUTPUTS(squeeze_25_out),
     .flags = TSR_OP_VIEW, .value_inputs = 1u << 1, .infer = infer_squeeze,
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Unsqueeze", 1), OP_INPUTS(shape_1_in), OP_OUTPUTS(unsqueeze_1_out),
     OP_ATTRS(unsqueeze_1_attrs), .flags = TSR_OP_VIEW, .infer = infer_unsqueeze,
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Unsqueeze", 11), OP_INPUTS(shape_1_in), OP_OUTPUTS(unsqueeze_1_out),
     OP_ATTRS(unsqueeze_1_attrs), .flags = TSR_OP_VIEW, .infer = infer_unsqueeze,
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Unsqueeze", 13), OP_INPUTS(unsqueeze_13_in), OP_OUTPUTS(unsqueeze_13_out),
     .flags = TSR_OP_VIEW, .value_inputs = 1u << 1, .infer = infer_unsqueeze,
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Unsqueeze", 21), OP_INPUTS(unsqueeze_21_in), OP_OUTPUTS(unsqueeze_21_out),
     .flags = TSR_OP_VIEW, .value_inputs = 1u << 1, .infer = infer_unsqueeze,
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Unsqueeze", 23), OP_INPUTS(unsqueeze_23_in), OP_OUTPUTS(unsqueeze_23_out),
     .flags = TSR_OP_VIEW, .value_inputs = 1u << 1, .infer = infer_unsqueeze,
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Unsqueeze", 24), OP_INPUTS(unsqueeze_24_in), OP_OUTPUTS(unsqueeze_24_out),
     .flags = TSR_OP_VIEW, .value_inputs = 1u << 1, .infer = infer_unsqueeze,
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Unsqueeze", 25), OP_INPUTS(unsqueeze_25_in), OP_OUTPUTS(unsqueeze_25_out),
     .flags = TSR_OP_VIEW, .value_inputs = 1u << 1, .infer = infer_unsqueeze,
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "Flatten", 1), OP_INPUTS(flatten_1_in), OP_OUTPUTS(flatten_1_out),
     OP_ATTRS(flatten_1_attrs), .flags = TSR_OP_VIEW, .infer = infer_flatten},
    {OP_ROW("", "Flatten", 9), OP_INPUTS(identity_1_in), OP_OUTPUTS(identity_1_out),
     OP_ATTRS(flatten_1_attrs), .flags = TSR_OP_VIEW, .infer = infer_flatten},
    {OP_ROW("", "Flatten", 11), OP_INPUTS(identity_1_in), OP_OUTPUTS(identity_1_out),
     OP_ATTRS(flatten_1_attrs), .flags = TSR_OP_VIEW, .infer = infer_flatten},
    {OP_ROW("", "Flatten", 13), OP_INPUTS(identity_13_in), OP_OUTPUTS(identity_13_out),
     OP_ATTRS(flatten_1_attrs), .flags = TSR_OP_VIEW, .infer = infer_flatten},
    {OP_ROW("", "Flatten", 21), OP_INPUTS(identity_21_in), OP_OUTPUTS(identity_21_out),
     OP_ATTRS(flatten_1_attrs), .flags = TSR_OP_VIEW, .infer = infer_flatten},
    {OP_ROW("", "Flatten", 23), OP_INPUTS(identity_23_in), OP_OUTPUTS(identity_23_out),
     OP_ATTRS(flatten_1_attrs), .flags = TSR_OP_VIEW, .infer = infer_flatten},
    {OP_ROW("", "Flatten", 24), OP_INPUTS(identity_24_in), OP_OUTPUTS(identity_24_out),
     OP_ATTRS(flatten_1_attrs), .flags = TSR_OP_VIEW, .infer = infer_flatten},
    {OP_ROW("", "Flatten", 25), OP_INPUTS(identity_25_in), OP_OUTPUTS(identity_25_out),
     OP_ATTRS(flatten_1_attrs), .flags = TSR_OP_VIEW, .infer = infer_flatten},
    {OP_ROW("", "Expand", 8), OP_INPUTS(expand_8_in), OP_OUTPUTS(identity_1_out),
     .value_inputs = 1u << 1, .infer = infer_expand},
    {OP_ROW("", "Expand", 13), OP_INPUTS(expand_13_in), OP_OUTPUTS(identity_13_out),
     .value_inputs = 1u << 1, .infer = infer_expand},
};

const TsrOps tsr_ops_shape = OP_FAMILY(definitions);
