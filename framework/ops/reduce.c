/* SPDX-License-Identifier: Apache-2.0
 *
 * reduce.c: definitions of ONNX operators:
 * reductions along axes.
 * Rows follow the ONNX changelog from opset 7 on: one for each version whose types,
 * attributes or meaning changed.
 */
#include "families.h"

/* Reduce*: axes by attribute or, later, by input; no axes means all of them unless
 * noop_with_empty_axes. */
static int32_t infer_reduce(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), out = {.rank = 0};
    uint32_t dtype = tsr_infer_dtype(infer, 0), reduced = 0;
    int64_t keep = tsr_attr_int(infer->node, "keepdims", 1), axes[2 * TSR_MAX_RANK], count;
    int known;
    int32_t status;
    (void)def;
    if (x.rank == TSR_RANK_UNKNOWN)
        return tsr_infer_set(infer, 0, dtype, &x);
    if ((status = tsr_infer_axes(infer, 1, x.rank, axes, &count, &known)) != TSR_OK)
        return status;
    if (!known) {
        out = tsr_shape_unknown(keep ? x.rank
                                : count > 0 && count <= (int64_t)x.rank
                                    ? x.rank - (uint32_t)count
                                    : TSR_RANK_UNKNOWN);
        return tsr_infer_set(infer, 0, dtype, &out);
    }
    for (int64_t i = 0; i < count; i++)
        reduced |= 1u << axes[i];
    if (count <= 0 && !tsr_attr_int(infer->node, "noop_with_empty_axes", 0))
        reduced = UINT32_MAX;
    for (uint32_t i = 0; i < x.rank; i++)
        if (!(reduced & (1u << i)))
            out.dim[out.rank++] = x.dim[i];
        else if (keep)
            out.dim[out.rank++] = 1;
    return tsr_infer_set(infer, 0, dtype, &out);
}

static int32_t infer_arg(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), out = {.rank = 0};
    uint32_t axis;
    int32_t status;
    (void)def;
    if (x.rank == TSR_RANK_UNKNOWN)
        return tsr_infer_set(infer, 0, TSR_DTYPE_INT64, &x);
    status = tsr_infer_axis(infer, "axis", tsr_attr_int(infer->node, "axis", 0), x.rank, &axis);
    if (status != TSR_OK)
        return status;
    if (x.dim[axis] == 0)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "axis %u has no elements to choose from",
                           axis);
    for (uint32_t i = 0; i < x.rank; i++)
        if (i != axis)
            out.dim[out.rank++] = x.dim[i];
        else if (tsr_attr_int(infer->node, "keepdims", 1))
            out.dim[out.rank++] = 1;
    return tsr_infer_set(infer, 0, TSR_DTYPE_INT64, &out);
}

static int32_t infer_cumsum(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0);
    int64_t axis[2 * TSR_MAX_RANK], count;
    uint32_t normal;
    int known;
    int32_t status = tsr_infer_ints(infer, 1, axis, &count, &known);
    if (status != TSR_OK)
        return status;
    if (count >= 0 && count != 1)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "axis must be one number, got %lld",
                           (long long)count);
    if (known && x.rank != TSR_RANK_UNKNOWN &&
        (status = tsr_infer_axis(infer, "axis", axis[0], x.rank, &normal)) != TSR_OK)
        return status;
    return tsr_infer_same(def, infer);
}

static const TsrOpParam reduce_mean_1_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE | TSR_TYPES_INDEX |
     TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpParam reduce_mean_1_out[] = {
    {"reduced", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE | TSR_TYPES_INDEX |
     TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpAttr reduce_mean_1_attrs[] = {
    {.name = "axes", .type = TSR_ATTR_INTS},
    {.name = "keepdims", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 0, .max = 1},
};

static const TsrOpParam reduce_mean_13_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_UINT32) |
     TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpParam reduce_mean_13_out[] = {
    {"reduced", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX |
     TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpParam reduce_mean_18_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_UINT32) |
     TSR_BIT(TSR_DTYPE_UINT64)},
    {"axes", TSR_PARAM_OPTIONAL, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpAttr reduce_mean_18_attrs[] = {
    {.name = "keepdims", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 0, .max = 1},
    {.name = "noop_with_empty_axes", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
};

static const TsrOpParam reduce_max_12_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE | TSR_TYPES_INDEX |
     TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8) | TSR_BIT(TSR_DTYPE_UINT32) |
     TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpParam reduce_max_12_out[] = {
    {"reduced", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE | TSR_TYPES_INDEX |
     TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8) | TSR_BIT(TSR_DTYPE_UINT32) |
     TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpParam reduce_max_13_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8) | TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpParam reduce_max_13_out[] = {
    {"reduced", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX |
     TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8) | TSR_BIT(TSR_DTYPE_UINT32) |
     TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpParam reduce_max_18_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8) | TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64)},
    {"axes", TSR_PARAM_OPTIONAL, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam reduce_max_20_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8) | TSR_BIT(TSR_DTYPE_BOOL) | TSR_BIT(TSR_DTYPE_UINT32) |
     TSR_BIT(TSR_DTYPE_UINT64)},
    {"axes", TSR_PARAM_OPTIONAL, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam reduce_max_20_out[] = {
    {"reduced", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX |
     TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_INT8) | TSR_BIT(TSR_DTYPE_BOOL) |
     TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpParam arg_max_1_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam arg_max_1_out[] = {
    {"reduced", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpAttr arg_max_1_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .has_default = 1},
    {.name = "keepdims", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 0, .max = 1},
};

static const TsrOpAttr arg_max_12_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .has_default = 1},
    {.name = "keepdims", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 0, .max = 1},
    {.name = "select_last_index", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
};

static const TsrOpParam arg_max_13_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC},
};

static const TsrOpParam cum_sum_11_in[] = {
    {"x", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_FLOAT) |
     TSR_BIT(TSR_DTYPE_DOUBLE) | TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64)},
    {"axis", TSR_PARAM_REQUIRED, 2, TSR_TYPES_INDEX},
};

static const TsrOpParam cum_sum_11_out[] = {
    {"y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_FLOAT) |
     TSR_BIT(TSR_DTYPE_DOUBLE) | TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpAttr cum_sum_11_attrs[] = {
    {.name = "exclusive", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    {.name = "reverse", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
};

static const TsrOpParam cum_sum_14_in[] = {
    {"x", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_UINT32) |
     TSR_BIT(TSR_DTYPE_UINT64)},
    {"axis", TSR_PARAM_REQUIRED, 2, TSR_TYPES_INDEX},
};

static const TsrOpParam cum_sum_14_out[] = {
    {"y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_UINT32) |
     TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpDef definitions[] = {
    {OP_ROW("", "ReduceMean", 1), OP_INPUTS(reduce_mean_1_in), OP_OUTPUTS(reduce_mean_1_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceMean", 11), OP_INPUTS(reduce_mean_1_in), OP_OUTPUTS(reduce_mean_1_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceMean", 13), OP_INPUTS(reduce_mean_13_in), OP_OUTPUTS(reduce_mean_13_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceMean", 18), OP_INPUTS(reduce_mean_18_in), OP_OUTPUTS(reduce_mean_13_out),
     OP_ATTRS(reduce_mean_18_attrs), .value_inputs = 1u << 1, .infer = infer_reduce,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceMax", 1), OP_INPUTS(reduce_mean_1_in), OP_OUTPUTS(reduce_mean_1_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceMax", 11), OP_INPUTS(reduce_mean_1_in), OP_OUTPUTS(reduce_mean_1_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceMax", 12), OP_INPUTS(reduce_max_12_in), OP_OUTPUTS(reduce_max_12_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceMax", 13), OP_INPUTS(reduce_max_13_in), OP_OUTPUTS(reduce_max_13_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceMax", 18), OP_INPUTS(reduce_max_18_in), OP_OUTPUTS(reduce_max_13_out),
     OP_ATTRS(reduce_mean_18_attrs), .value_inputs = 1u << 1, .infer = infer_reduce,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceMax", 20), OP_INPUTS(reduce_max_20_in), OP_OUTPUTS(reduce_max_20_out),
     OP_ATTRS(reduce_mean_18_attrs), .value_inputs = 1u << 1, .infer = infer_reduce,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceMin", 1), OP_INPUTS(reduce_mean_1_in), OP_OUTPUTS(reduce_mean_1_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceMin", 11), OP_INPUTS(reduce_mean_1_in), OP_OUTPUTS(reduce_mean_1_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceMin", 12), OP_INPUTS(reduce_max_12_in), OP_OUTPUTS(reduce_max_12_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceMin", 13), OP_INPUTS(reduce_max_13_in), OP_OUTPUTS(reduce_max_13_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceMin", 18), OP_INPUTS(reduce_max_18_in), OP_OUTPUTS(reduce_max_13_out),
     OP_ATTRS(reduce_mean_18_attrs), .value_inputs = 1u << 1, .infer = infer_reduce,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceMin", 20), OP_INPUTS(reduce_max_20_in), OP_OUTPUTS(reduce_max_20_out),
     OP_ATTRS(reduce_mean_18_attrs), .value_inputs = 1u << 1, .infer = infer_reduce,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceSum", 1), OP_INPUTS(reduce_mean_1_in), OP_OUTPUTS(reduce_mean_1_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceSum", 11), OP_INPUTS(reduce_mean_1_in), OP_OUTPUTS(reduce_mean_1_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceSum", 13), OP_INPUTS(reduce_mean_18_in), OP_OUTPUTS(reduce_mean_13_out),
     OP_ATTRS(reduce_mean_18_attrs), .value_inputs = 1u << 1, .infer = infer_reduce,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceProd", 1), OP_INPUTS(reduce_mean_1_in), OP_OUTPUTS(reduce_mean_1_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceProd", 11), OP_INPUTS(reduce_mean_1_in), OP_OUTPUTS(reduce_mean_1_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceProd", 13), OP_INPUTS(reduce_mean_13_in), OP_OUTPUTS(reduce_mean_13_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceProd", 18), OP_INPUTS(reduce_mean_18_in), OP_OUTPUTS(reduce_mean_13_out),
     OP_ATTRS(reduce_mean_18_attrs), .value_inputs = 1u << 1, .infer = infer_reduce,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceL1", 1), OP_INPUTS(reduce_mean_1_in), OP_OUTPUTS(reduce_mean_1_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceL1", 11), OP_INPUTS(reduce_mean_1_in), OP_OUTPUTS(reduce_mean_1_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceL1", 13), OP_INPUTS(reduce_mean_13_in), OP_OUTPUTS(reduce_mean_13_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceL1", 18), OP_INPUTS(reduce_mean_18_in), OP_OUTPUTS(reduce_mean_13_out),
     OP_ATTRS(reduce_mean_18_attrs), .value_inputs = 1u << 1, .infer = infer_reduce,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceL2", 1), OP_INPUTS(reduce_mean_1_in), OP_OUTPUTS(reduce_mean_1_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceL2", 11), OP_INPUTS(reduce_mean_1_in), OP_OUTPUTS(reduce_mean_1_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceL2", 13), OP_INPUTS(reduce_mean_13_in), OP_OUTPUTS(reduce_mean_13_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceL2", 18), OP_INPUTS(reduce_mean_18_in), OP_OUTPUTS(reduce_mean_13_out),
     OP_ATTRS(reduce_mean_18_attrs), .value_inputs = 1u << 1, .infer = infer_reduce,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceLogSum", 1), OP_INPUTS(reduce_mean_1_in), OP_OUTPUTS(reduce_mean_1_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceLogSum", 11), OP_INPUTS(reduce_mean_1_in), OP_OUTPUTS(reduce_mean_1_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceLogSum", 13), OP_INPUTS(reduce_mean_13_in), OP_OUTPUTS(reduce_mean_13_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceLogSum", 18), OP_INPUTS(reduce_mean_18_in), OP_OUTPUTS(reduce_mean_13_out),
     OP_ATTRS(reduce_mean_18_attrs), .value_inputs = 1u << 1, .infer = infer_reduce,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceLogSumExp", 1), OP_INPUTS(reduce_mean_1_in), OP_OUTPUTS(reduce_mean_1_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceLogSumExp", 11), OP_INPUTS(reduce_mean_1_in), OP_OUTPUTS(reduce_mean_1_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceLogSumExp", 13), OP_INPUTS(reduce_mean_13_in),
     OP_OUTPUTS(reduce_mean_13_out), OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceLogSumExp", 18), OP_INPUTS(reduce_mean_18_in),
     OP_OUTPUTS(reduce_mean_13_out), OP_ATTRS(reduce_mean_18_attrs), .value_inputs = 1u << 1,
     .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceSumSquare", 1), OP_INPUTS(reduce_mean_1_in), OP_OUTPUTS(reduce_mean_1_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceSumSquare", 11), OP_INPUTS(reduce_mean_1_in), OP_OUTPUTS(reduce_mean_1_out),
     OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceSumSquare", 13), OP_INPUTS(reduce_mean_13_in),
     OP_OUTPUTS(reduce_mean_13_out), OP_ATTRS(reduce_mean_1_attrs), .infer = infer_reduce,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReduceSumSquare", 18), OP_INPUTS(reduce_mean_18_in),
     OP_OUTPUTS(reduce_mean_13_out), OP_ATTRS(reduce_mean_18_attrs), .value_inputs = 1u << 1,
     .infer = infer_reduce, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ArgMax", 1), OP_INPUTS(arg_max_1_in), OP_OUTPUTS(arg_max_1_out),
     OP_ATTRS(arg_max_1_attrs), .infer = infer_arg, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ArgMax", 11), OP_INPUTS(arg_max_1_in), OP_OUTPUTS(arg_max_1_out),
     OP_ATTRS(arg_max_1_attrs), .infer = infer_arg, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ArgMax", 12), OP_INPUTS(arg_max_1_in), OP_OUTPUTS(arg_max_1_out),
     OP_ATTRS(arg_max_12_attrs), .infer = infer_arg, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ArgMax", 13), OP_INPUTS(arg_max_13_in), OP_OUTPUTS(arg_max_1_out),
     OP_ATTRS(arg_max_12_attrs), .infer = infer_arg, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ArgMin", 1), OP_INPUTS(arg_max_1_in), OP_OUTPUTS(arg_max_1_out),
     OP_ATTRS(arg_max_1_attrs), .infer = infer_arg, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ArgMin", 11), OP_INPUTS(arg_max_1_in), OP_OUTPUTS(arg_max_1_out),
     OP_ATTRS(arg_max_1_attrs), .infer = infer_arg, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ArgMin", 12), OP_INPUTS(arg_max_1_in), OP_OUTPUTS(arg_max_1_out),
     OP_ATTRS(arg_max_12_attrs), .infer = infer_arg, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ArgMin", 13), OP_INPUTS(arg_max_13_in), OP_OUTPUTS(arg_max_1_out),
     OP_ATTRS(arg_max_12_attrs), .infer = infer_arg, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "CumSum", 11), OP_INPUTS(cum_sum_11_in), OP_OUTPUTS(cum_sum_11_out),
     OP_ATTRS(cum_sum_11_attrs), .value_inputs = 1u << 1, .infer = infer_cumsum,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "CumSum", 14), OP_INPUTS(cum_sum_14_in), OP_OUTPUTS(cum_sum_14_out),
     OP_ATTRS(cum_sum_11_attrs), .value_inputs = 1u << 1, .infer = infer_cumsum,
     .infer_format_full = tsr_format_keep},
};

const TsrOps tsr_ops_reduce = OP_FAMILY(definitions);
