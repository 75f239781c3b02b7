/* SPDX-License-Identifier: Apache-2.0
 *
 * legacy.c: definitions of ONNX operators:
 * versions older than opset 7, which broadcast one way and along an axis.
 * Rows follow the ONNX changelog: one for each version whose types, attributes or
 * meaning changed.
 */
#include "families.h"

/* The right operand broadcasts to the left one, whose axes it covers from axis on or, where
 * axis is not given, at the end. */
static int32_t one_way(TsrInferContext *infer)
{
    Shape a = tsr_infer_shape(infer, 0), b = tsr_infer_shape(infer, 1);
    const TsrAttr *attr = tsr_attr_find(infer->node, "axis");
    int64_t axis, elements = 1;
    int32_t status;
    if (a.rank == TSR_RANK_UNKNOWN || b.rank == TSR_RANK_UNKNOWN)
        return TSR_OK;
    for (uint32_t i = 0; i < b.rank; i++)
        elements = b.dim[i] == 1 ? elements : -1;
    if (elements == 1 && b.rank <= a.rank)
        return TSR_OK; /* one number */
    axis = attr != NULL ? attr->i : (int64_t)a.rank - b.rank;
    if (axis >= -(int64_t)a.rank && axis < 0)
        axis += attr != NULL ? (int64_t)a.rank : 0;
    if (axis < 0 || axis > a.rank || axis + b.rank > a.rank)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "B of rank %u does not lie in A of rank %u at axis %lld", b.rank,
                           a.rank, (long long)axis);
    for (uint32_t i = 0; i < b.rank; i++)
        if (b.dim[i] != 1 && (status = tsr_infer_join(infer, "extents of A and B",
                                                      &a.dim[axis + i], b.dim[i])) != TSR_OK)
            return status;
    return TSR_OK;
}

static int32_t infer_binary(const TsrOpDef *def, TsrInferContext *infer)
{
    int32_t status = one_way(infer);
    return status != TSR_OK ? status : tsr_infer_same(def, infer);
}

static int32_t infer_compare(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape a = tsr_infer_shape(infer, 0);
    int32_t status = one_way(infer);
    (void)def;
    return status != TSR_OK ? status : tsr_infer_set(infer, 0, TSR_DTYPE_BOOL, &a);
}

/* PRelu: a slope for all, for each channel (from axis 1 on), or one that broadcasts. */
static int32_t infer_prelu(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), slope = tsr_infer_shape(infer, 1), joined = x;
    int fits = 1;
    if (x.rank != TSR_RANK_UNKNOWN && slope.rank != TSR_RANK_UNKNOWN) {
        if (slope.rank + 1 <= x.rank) {
            for (uint32_t i = 0; i < slope.rank; i++)
                fits &= slope.dim[i] == 1 || slope.dim[i] < 0 || x.dim[1 + i] < 0 ||
                        slope.dim[i] == x.dim[1 + i];
        } else {
            fits = tsr_shape_broadcast(&joined.rank, joined.dim, slope.rank, slope.dim) &&
                   joined.rank == x.rank;
            for (uint32_t i = 0; fits && i < x.rank; i++)
                fits = x.dim[i] < 0 || joined.dim[i] == x.dim[i];
        }
    }
    if (!fits)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "the slope has neither one entry for all nor one for each channel");
    return tsr_infer_same(def, infer);
}

/* Max, Min, Sum, Mean: all inputs have one shape. */
static int32_t infer_variadic(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape y = tsr_infer_shape(infer, 0);
    (void)def;
    for (uint32_t k = 1; k < infer->node->input_count; k++) {
        Shape x = tsr_infer_shape(infer, k);
        int32_t status = TSR_OK;
        if (y.rank != TSR_RANK_UNKNOWN)
            status = tsr_infer_want_rank(infer, k, y.rank);
        for (uint32_t i = 0; status == TSR_OK && y.rank != TSR_RANK_UNKNOWN &&
                             x.rank == y.rank && i < y.rank; i++)
            status = tsr_infer_join(infer, "extents of the inputs", &y.dim[i], x.dim[i]);
        if (status != TSR_OK)
            return status;
    }
    if (infer->node->input_count == 0)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "needs at least one input, got none");
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &y);
}

/* InstanceNormalization: scale and bias have an entry for each channel. */
static int32_t infer_instance_norm(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0);
    int32_t status = tsr_infer_want_min_rank(infer, 0, 2);
    for (uint32_t i = 1; status == TSR_OK && x.rank != TSR_RANK_UNKNOWN && i < 3; i++) {
        Shape p = tsr_infer_shape(infer, i);
        status = tsr_infer_want_rank(infer, i, 1);
        if (status == TSR_OK && p.rank == 1)
            status = tsr_infer_join(infer, "channels of the input and a parameter", &x.dim[1],
                                    p.dim[0]);
    }
    return status != TSR_OK ? status : tsr_infer_same(def, infer);
}

/* Gemm: C broadcasts where the attribute broadcast says so. */
static int32_t infer_gemm(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape a = tsr_infer_shape(infer, 0), b = tsr_infer_shape(infer, 1);
    Shape c = tsr_infer_shape(infer, 2), y = tsr_shape_unknown(2), joined;
    int ta = tsr_attr_int(infer->node, "transA", 0) != 0;
    int tb = tsr_attr_int(infer->node, "transB", 0) != 0;
    int32_t status;
    (void)def;
    if ((status = tsr_infer_want_rank(infer, 0, 2)) != TSR_OK ||
        (status = tsr_infer_want_rank(infer, 1, 2)) != TSR_OK)
        return status;
    if (a.rank == 2)
        y.dim[0] = a.dim[ta];
    if (b.rank == 2)
        y.dim[1] = b.dim[1 - tb];
    if (a.rank == 2 && b.rank == 2 &&
        (status = tsr_infer_join(infer, "inner dimensions of A and B", &a.dim[1 - ta],
                                 b.dim[tb])) != TSR_OK)
        return status;
    joined = y;
    if (c.rank != TSR_RANK_UNKNOWN && y.dim[0] >= 0 && y.dim[1] >= 0 &&
        (!tsr_shape_broadcast(&joined.rank, joined.dim, c.rank, c.dim) || joined.rank != 2 ||
         joined.dim[0] != y.dim[0] || joined.dim[1] != y.dim[1]))
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "C must broadcast to [%lld,%lld]",
                           (long long)y.dim[0], (long long)y.dim[1]);
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &y);
}

/* BatchNormalization: the further outputs have an entry for each channel. */
static int32_t infer_batch_norm(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), channels = tsr_shape_unknown(1);
    int32_t status;
    if (x.rank != TSR_RANK_UNKNOWN)
        channels.dim[0] = x.rank > 1 ? x.dim[1] : 1;
    for (uint32_t i = 1; i < 5; i++) {
        Shape p = tsr_infer_shape(infer, i);
        if ((status = tsr_infer_want_rank(infer, i, 1)) != TSR_OK ||
            (p.rank == 1 && (status = tsr_infer_join(infer, "channels of X and a parameter",
                                                     &channels.dim[0], p.dim[0])) != TSR_OK))
            return status;
    }
    if ((status = tsr_infer_same(def, infer)) != TSR_OK)
        return status;
    for (uint32_t i = 1; i < infer->node->output_count; i++)
        if ((status = tsr_infer_set(infer, i, tsr_infer_dtype(infer, 0), &channels)) != TSR_OK)
            return status;
    return TSR_OK;
}

static int32_t infer_pool(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), y = x;
    Window window;
    int32_t status;
    (void)def;
    if (x.rank == TSR_RANK_UNKNOWN)
        return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &y);
    if ((status = tsr_infer_want_min_rank(infer, 0, 3)) != TSR_OK ||
        (status = tsr_infer_window(infer, x.rank - 2, NULL, &window)) != TSR_OK)
        return status;
    for (uint32_t i = 0; i < window.spatial; i++)
        if ((status = tsr_infer_window_extent(infer, &window, i, x.dim[2 + i],
                                              &y.dim[2 + i])) != TSR_OK)
            return status;
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &y);
}

/* Reshape 1: the shape is an attribute; 0 keeps an extent, one -1 is what is left. */
static int32_t infer_reshape(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), y;
    uint32_t count, open = UINT32_MAX;
    const int64_t *wanted = tsr_attr_ints(infer->node, "shape", &count);
    int64_t all = x.rank == TSR_RANK_UNKNOWN ? TSR_DIM_UNKNOWN : 1, rest = 1;
    int32_t status;
    (void)def;
    if (count > TSR_MAX_RANK)
        return infer->fail(infer, TSR_UNSUPPORTED, "shape has %u entries, at most %d", count,
                           TSR_MAX_RANK);
    y.rank = count;
    for (uint32_t i = 0; x.rank != TSR_RANK_UNKNOWN && i < x.rank; i++)
        if ((status = tsr_infer_multiply(infer, all, x.dim[i], &all)) != TSR_OK)
            return status;
    for (uint32_t i = 0; i < count; i++) {
        y.dim[i] = wanted[i];
        if (wanted[i] == 0)
            y.dim[i] = x.rank != TSR_RANK_UNKNOWN && i < x.rank ? x.dim[i] : TSR_DIM_UNKNOWN;
        if (wanted[i] < -1 || (wanted[i] == -1 && open != UINT32_MAX) ||
            (wanted[i] == 0 && x.rank != TSR_RANK_UNKNOWN && i >= x.rank))
            return infer->fail(infer, TSR_INVALID_ARGUMENT, "shape may not have %lld at place %u",
                               (long long)wanted[i], i);
        if (wanted[i] == -1)
            open = i;
        else if ((status = tsr_infer_multiply(infer, rest, y.dim[i], &rest)) != TSR_OK)
            return status;
    }
    if (all >= 0 && rest >= 0 &&
        (open == UINT32_MAX ? all != rest : rest == 0 || all % rest != 0))
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "%lld elements do not fit the shape, which has %lld", (long long)all,
                           (long long)rest);
    if (open != UINT32_MAX && all >= 0 && rest > 0)
        y.dim[open] = all / rest;
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &y);
}

/* Cast 1: the type is a name of TensorProto.DataType. */
static int32_t infer_cast(const TsrOpDef *def, TsrInferContext *infer)
{
    const TsrAttr *to = tsr_attr_find(infer->node, "to");
    Shape x = tsr_infer_shape(infer, 0);
    for (uint32_t dtype = 1; to != NULL && dtype < TSR_DTYPE_COUNT; dtype++) {
        const char *name = tsr_dtype_name(dtype);
        int same = to->s.size == strlen(name) &&
                   (def->outputs[0].dtypes & TSR_BIT(dtype)) != 0;
        for (uint64_t i = 0; same && i < to->s.size; i++)
            same = name[i] == (to->s.data[i] | (to->s.data[i] >= 'A' ? 0x20 : 0));
        if (same)
            return tsr_infer_set(infer, 0, dtype, &x);
    }
    return infer->fail(infer, TSR_INVALID_ARGUMENT, "to must name an element type, got '%.*s'",
                       to != NULL ? (int)to->s.size : 0, to != NULL ? to->s.data : "");
}

/* Dropout: the mask has the dtype of the data. */
static int32_t infer_dropout(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0);
    int32_t status = tsr_infer_same(def, infer);
    return status != TSR_OK ? status : tsr_infer_set(infer, 1, tsr_infer_dtype(infer, 0), &x);
}

static const TsrOpParam add_1_in[] = {
    {"A", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam add_1_out[] = {
    {"C", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr add_1_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT},
    {.name = "broadcast", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    {.name = "consumed_inputs", .type = TSR_ATTR_INTS},
};

static const TsrOpParam add_6_in[] = {
    {"A", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE | TSR_TYPES_INDEX |
     TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64)},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE | TSR_TYPES_INDEX |
     TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpParam add_6_out[] = {
    {"C", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE | TSR_TYPES_INDEX |
     TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpAttr add_6_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT},
    {.name = "broadcast", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
};

static const TsrOpParam pow_1_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam pow_1_out[] = {
    {"Z", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam and_1_in[] = {
    {"A", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_BOOL)},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam and_1_out[] = {
    {"C", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam equal_1_in[] = {
    {"A", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_BOOL)},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam prelu_1_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"slope", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam prelu_1_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr prelu_1_attrs[] = {
    {.name = "consumed_inputs", .type = TSR_ATTR_INTS},
};

static const TsrOpParam gemm_1_in[] = {
    {"A", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"C", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr gemm_1_attrs[] = {
    {.name = "alpha", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1.0f},
    {.name = "beta", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1.0f},
    {.name = "broadcast", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    {.name = "transA", .type = TSR_ATTR_INT, .has_default = 1},
    {.name = "transB", .type = TSR_ATTR_INT, .has_default = 1},
};

static const TsrOpParam batch_normalization_1_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"scale", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"mean", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"var", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam batch_normalization_1_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"mean", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
    {"var", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
    {"saved_mean", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
    {"saved_var", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr batch_normalization_1_attrs[] = {
    {.name = "consumed_inputs", .type = TSR_ATTR_INTS, .required = 1},
    {.name = "epsilon", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1e-05f},
    {.name = "is_test", .type = TSR_ATTR_INT, .has_default = 1},
    {.name = "momentum", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.9f},
    {.name = "spatial", .type = TSR_ATTR_INT, .has_default = 1, .i = 1},
};

static const TsrOpAttr batch_normalization_6_attrs[] = {
    {.name = "epsilon", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1e-05f},
    {.name = "is_test", .type = TSR_ATTR_INT, .has_default = 1},
    {.name = "momentum", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.9f},
    {.name = "spatial", .type = TSR_ATTR_INT, .has_default = 1, .i = 1},
};

static const TsrOpParam average_pool_1_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr average_pool_1_attrs[] = {
    {.name = "auto_pad", .type = TSR_ATTR_STRING, .has_default = 1, .s = "NOTSET",
     .words = "NOTSET|SAME_UPPER|SAME_LOWER|VALID"},
    {.name = "kernel_shape", .type = TSR_ATTR_INTS, .required = 1, .min = 1, .max = INT32_MAX},
    {.name = "pads", .type = TSR_ATTR_INTS},
    {.name = "strides", .type = TSR_ATTR_INTS, .min = 1, .max = INT32_MAX},
};

static const TsrOpParam reshape_1_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam reshape_1_out[] = {
    {"reshaped", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr reshape_1_attrs[] = {
    {.name = "consumed_inputs", .type = TSR_ATTR_INTS},
    {.name = "shape", .type = TSR_ATTR_INTS},
};

static const TsrOpParam cast_1_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE |
     TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam cast_1_out[] = {
    {"output", TSR_PARAM_REQUIRED, 2, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE |
     TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpAttr cast_1_attrs[] = {
    {.name = "to", .type = TSR_ATTR_STRING, .required = 1},
};

static const TsrOpParam dropout_1_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"mask", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr dropout_1_attrs[] = {
    {.name = "consumed_inputs", .type = TSR_ATTR_INTS},
    {.name = "is_test", .type = TSR_ATTR_INT, .has_default = 1},
    {.name = "ratio", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.5f},
};

static const TsrOpAttr dropout_6_attrs[] = {
    {.name = "is_test", .type = TSR_ATTR_INT, .has_default = 1},
    {.name = "ratio", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.5f},
};

static const TsrOpParam max_1_in[] = {
    {"data_0", TSR_PARAM_VARIADIC, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam max_1_out[] = {
    {"max", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam min_1_out[] = {
    {"min", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam sum_1_out[] = {
    {"sum", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam mean_1_out[] = {
    {"mean", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam instance_normalization_1_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"scale", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"B", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam instance_normalization_1_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr instance_normalization_1_attrs[] = {
    {.name = "consumed_inputs", .type = TSR_ATTR_INTS},
    {.name = "epsilon", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1e-05f},
};

static const TsrOpAttr leaky_relu_1_attrs[] = {
    {.name = "alpha", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.01f},
    {.name = "consumed_inputs", .type = TSR_ATTR_INTS},
};

static const TsrOpParam tanh_1_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr hard_sigmoid_1_attrs[] = {
    {.name = "alpha", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.2f},
    {.name = "beta", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.5f},
    {.name = "consumed_inputs", .type = TSR_ATTR_INTS},
};

static const TsrOpAttr elu_1_attrs[] = {
    {.name = "alpha", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1.0f},
    {.name = "consumed_inputs", .type = TSR_ATTR_INTS},
};

static const TsrOpAttr selu_1_attrs[] = {
    {.name = "alpha", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1.6732f},
    {.name = "consumed_inputs", .type = TSR_ATTR_INTS},
    {.name = "gamma", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1.0507f},
};

static const TsrOpAttr clip_1_attrs[] = {
    {.name = "consumed_inputs", .type = TSR_ATTR_INTS},
    {.name = "max", .type = TSR_ATTR_FLOAT},
    {.name = "min", .type = TSR_ATTR_FLOAT},
};

static const TsrOpDef definitions[] = {
    {OP_ROW("", "Add", 1), OP_INPUTS(add_1_in), OP_OUTPUTS(add_1_out), OP_ATTRS(add_1_attrs),
     .infer = infer_binary},
    {OP_ROW("", "Add", 6), OP_INPUTS(add_6_in), OP_OUTPUTS(add_6_out), OP_ATTRS(add_6_attrs),
     .infer = infer_binary},
    {OP_ROW("", "Sub", 1), OP_INPUTS(add_1_in), OP_OUTPUTS(add_1_out), OP_ATTRS(add_1_attrs),
     .infer = infer_binary},
    {OP_ROW("", "Sub", 6), OP_INPUTS(add_6_in), OP_OUTPUTS(add_6_out), OP_ATTRS(add_6_attrs),
     .infer = infer_binary},
    {OP_ROW("", "Mul", 1), OP_INPUTS(add_1_in), OP_OUTPUTS(add_1_out), OP_ATTRS(add_1_attrs),
     .infer = infer_binary},
    {OP_ROW("", "Mul", 6), OP_INPUTS(add_6_in), OP_OUTPUTS(add_6_out), OP_ATTRS(add_6_attrs),
     .infer = infer_binary},
    {OP_ROW("", "Div", 1), OP_INPUTS(add_1_in), OP_OUTPUTS(add_1_out), OP_ATTRS(add_1_attrs),
     .infer = infer_binary},
    {OP_ROW("", "Div", 6), OP_INPUTS(add_6_in), OP_OUTPUTS(add_6_out), OP_ATTRS(add_6_attrs),
     .infer = infer_binary},
    {OP_ROW("", "Pow", 1), OP_INPUTS(pow_1_in), OP_OUTPUTS(pow_1_out), OP_ATTRS(add_6_attrs),
     .infer = infer_binary},
    {OP_ROW("", "And", 1), OP_INPUTS(and_1_in), OP_OUTPUTS(and_1_out), OP_ATTRS(add_6_attrs),
     .infer = infer_compare},
    {OP_ROW("", "Or", 1), OP_INPUTS(and_1_in), OP_OUTPUTS(and_1_out), OP_ATTRS(add_6_attrs),
     .infer = infer_compare},
    {OP_ROW("", "Xor", 1), OP_INPUTS(and_1_in), OP_OUTPUTS(and_1_out), OP_ATTRS(add_6_attrs),
     .infer = infer_compare},
    {OP_ROW("", "Equal", 1), OP_INPUTS(equal_1_in), OP_OUTPUTS(and_1_out), OP_ATTRS(add_6_attrs),
     .infer = infer_compare},
    {OP_ROW("", "Greater", 1), OP_INPUTS(add_1_in), OP_OUTPUTS(and_1_out), OP_ATTRS(add_6_attrs),
     .infer = infer_compare},
    {OP_ROW("", "Less", 1), OP_INPUTS(add_1_in), OP_OUTPUTS(and_1_out), OP_ATTRS(add_6_attrs),
     .infer = infer_compare},
    {OP_ROW("", "PRelu", 1), OP_INPUTS(prelu_1_in), OP_OUTPUTS(prelu_1_out),
     OP_ATTRS(prelu_1_attrs), .infer = infer_prelu},
    {OP_ROW("", "PRelu", 6), OP_INPUTS(prelu_1_in), OP_OUTPUTS(prelu_1_out), .infer = infer_prelu},
    {OP_ROW("", "Gemm", 1), OP_INPUTS(gemm_1_in), OP_OUTPUTS(prelu_1_out), OP_ATTRS(gemm_1_attrs),
     .infer = infer_gemm},
    {OP_ROW("", "Gemm", 6), OP_INPUTS(gemm_1_in), OP_OUTPUTS(prelu_1_out), OP_ATTRS(gemm_1_attrs),
     .infer = infer_gemm},
    {OP_ROW("", "BatchNormalization", 1), OP_INPUTS(batch_normalization_1_in),
     OP_OUTPUTS(batch_normalization_1_out), OP_ATTRS(batch_normalization_1_attrs),
     .infer = infer_batch_norm, .infer_format_full = tsr_format_channels},
    {OP_ROW("", "BatchNormalization", 6), OP_INPUTS(batch_normalization_1_in),
     OP_OUTPUTS(batch_normalization_1_out), OP_ATTRS(batch_normalization_6_attrs),
     .infer = infer_batch_norm, .infer_format_full = tsr_format_channels},
    {OP_ROW("", "AveragePool", 1), OP_INPUTS(average_pool_1_in), OP_OUTPUTS(prelu_1_out),
     OP_ATTRS(average_pool_1_attrs), .infer = infer_pool,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "Reshape", 1), OP_INPUTS(reshape_1_in), OP_OUTPUTS(reshape_1_out),
     OP_ATTRS(reshape_1_attrs), .flags = TSR_OP_VIEW, .infer = infer_reshape},
    {OP_ROW("", "Cast", 1), OP_INPUTS(cast_1_in), OP_OUTPUTS(cast_1_out), OP_ATTRS(cast_1_attrs),
     .infer = infer_cast},
    {OP_ROW("", "Dropout", 1), OP_INPUTS(reshape_1_in), OP_OUTPUTS(dropout_1_out),
     OP_ATTRS(dropout_1_attrs), .flags = TSR_OP_RANDOM, .infer = infer_dropout},
    {OP_ROW("", "Dropout", 6), OP_INPUTS(reshape_1_in), OP_OUTPUTS(dropout_1_out),
     OP_ATTRS(dropout_6_attrs), .flags = TSR_OP_RANDOM, .infer = infer_dropout},
    {OP_ROW("", "Max", 1), OP_INPUTS(max_1_in), OP_OUTPUTS(max_1_out), OP_ATTRS(prelu_1_attrs),
     .infer = infer_variadic},
    {OP_ROW("", "Min", 1), OP_INPUTS(max_1_in), OP_OUTPUTS(min_1_out), OP_ATTRS(prelu_1_attrs),
     .infer = infer_variadic},
    {OP_ROW("", "Sum", 1), OP_INPUTS(max_1_in), OP_OUTPUTS(sum_1_out), OP_ATTRS(prelu_1_attrs),
     .infer = infer_variadic},
    {OP_ROW("", "Mean", 1), OP_INPUTS(max_1_in), OP_OUTPUTS(mean_1_out), OP_ATTRS(prelu_1_attrs),
     .infer = infer_variadic},
    {OP_ROW("", "InstanceNormalization", 1), OP_INPUTS(instance_normalization_1_in),
     OP_OUTPUTS(instance_normalization_1_out), OP_ATTRS(instance_normalization_1_attrs),
     .infer = infer_instance_norm},
    {OP_ROW("", "Relu", 1), OP_INPUTS(average_pool_1_in), OP_OUTPUTS(prelu_1_out),
     OP_ATTRS(prelu_1_attrs), .follow = "Y=X"},
    {OP_ROW("", "LeakyRelu", 1), OP_INPUTS(average_pool_1_in), OP_OUTPUTS(prelu_1_out),
     OP_ATTRS(leaky_relu_1_attrs), .follow = "Y=X"},
    {OP_ROW("", "Sigmoid", 1), OP_INPUTS(average_pool_1_in), OP_OUTPUTS(prelu_1_out),
     OP_ATTRS(prelu_1_attrs), .follow = "Y=X"},
    {OP_ROW("", "Tanh", 1), OP_INPUTS(tanh_1_in), OP_OUTPUTS(instance_normalization_1_out),
     OP_ATTRS(prelu_1_attrs), .follow = "output=input"},
    {OP_ROW("", "HardSigmoid", 1), OP_INPUTS(average_pool_1_in), OP_OUTPUTS(prelu_1_out),
     OP_ATTRS(hard_sigmoid_1_attrs), .follow = "Y=X"},
    {OP_ROW("", "Elu", 1), OP_INPUTS(average_pool_1_in), OP_OUTPUTS(prelu_1_out),
     OP_ATTRS(elu_1_attrs), .follow = "Y=X"},
    {OP_ROW("", "Selu", 1), OP_INPUTS(average_pool_1_in), OP_OUTPUTS(prelu_1_out),
     OP_ATTRS(selu_1_attrs), .follow = "Y=X"},
    {OP_ROW("", "Abs", 1), OP_INPUTS(average_pool_1_in), OP_OUTPUTS(prelu_1_out),
     OP_ATTRS(prelu_1_attrs), .follow = "Y=X"},
    {OP_ROW("", "Ceil", 1), OP_INPUTS(average_pool_1_in), OP_OUTPUTS(prelu_1_out),
     OP_ATTRS(prelu_1_attrs), .follow = "Y=X"},
    {OP_ROW("", "Exp", 1), OP_INPUTS(tanh_1_in), OP_OUTPUTS(instance_normalization_1_out),
     OP_ATTRS(prelu_1_attrs), .follow = "output=input"},
    {OP_ROW("", "Floor", 1), OP_INPUTS(average_pool_1_in), OP_OUTPUTS(prelu_1_out),
     OP_ATTRS(prelu_1_attrs), .follow = "Y=X"},
    {OP_ROW("", "Log", 1), OP_INPUTS(tanh_1_in), OP_OUTPUTS(instance_normalization_1_out),
     OP_ATTRS(prelu_1_attrs), .follow = "output=input"},
    {OP_ROW("", "Neg", 1), OP_INPUTS(average_pool_1_in), OP_OUTPUTS(prelu_1_out),
     OP_ATTRS(prelu_1_attrs), .follow = "Y=X"},
    {OP_ROW("", "Reciprocal", 1), OP_INPUTS(average_pool_1_in), OP_OUTPUTS(prelu_1_out),
     OP_ATTRS(prelu_1_attrs), .follow = "Y=X"},
    {OP_ROW("", "Sqrt", 1), OP_INPUTS(average_pool_1_in), OP_OUTPUTS(prelu_1_out),
     OP_ATTRS(prelu_1_attrs), .follow = "Y=X"},
    {OP_ROW("", "Clip", 1), OP_INPUTS(tanh_1_in), OP_OUTPUTS(instance_normalization_1_out),
     OP_ATTRS(clip_1_attrs), .follow = "output=input"},
};

const TsrOps tsr_ops_legacy = OP_FAMILY(definitions);
