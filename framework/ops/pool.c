/* SPDX-License-Identifier: Apache-2.0
 *
 * pool.c: definitions of ONNX operators:
 * pooling.
 * Rows follow the ONNX changelog from opset 7 on: one for each version whose types,
 * attributes or meaning changed.
 */
#include "families.h"

/* Pooling: the spatial axes shrink, batch and channels stay. MaxPool's second output
 * holds int64 indices. */
static int32_t infer_pool(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), out = x;
    Window window;
    int32_t status;
    (void)def;
    if (x.rank != TSR_RANK_UNKNOWN) {
        if ((status = tsr_infer_want_min_rank(infer, 0, 3)) != TSR_OK ||
            (status = tsr_infer_window(infer, x.rank - 2, NULL, &window)) != TSR_OK)
            return status;
        for (uint32_t i = 0; i < window.spatial; i++)
            if ((status = tsr_infer_window_extent(infer, &window, i, x.dim[2 + i],
                                                  &out.dim[2 + i])) != TSR_OK)
                return status;
    }
    if ((status = tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &out)) != TSR_OK)
        return status;
    return tsr_infer_set(infer, 1, TSR_DTYPE_INT64, &out);
}

static int32_t infer_global_pool(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0);
    int32_t status = tsr_infer_want_min_rank(infer, 0, 2);
    (void)def;
    if (status != TSR_OK)
        return status;
    for (uint32_t i = 2; x.rank != TSR_RANK_UNKNOWN && i < x.rank; i++)
        x.dim[i] = 1;
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &x);
}

static const TsrOpParam max_pool_1_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam max_pool_1_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr max_pool_1_attrs[] = {
    {.name = "auto_pad", .type = TSR_ATTR_STRING, .has_default = 1, .s = "NOTSET",
     .words = "NOTSET|SAME_UPPER|SAME_LOWER|VALID"},
    {.name = "kernel_shape", .type = TSR_ATTR_INTS, .required = 1, .min = 1, .max = INT32_MAX},
    {.name = "pads", .type = TSR_ATTR_INTS},
    {.name = "strides", .type = TSR_ATTR_INTS, .min = 1, .max = INT32_MAX},
};

static const TsrOpParam max_pool_8_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"Indices", TSR_PARAM_OPTIONAL, 2, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpAttr max_pool_8_attrs[] = {
    {.name = "auto_pad", .type = TSR_ATTR_STRING, .has_default = 1, .s = "NOTSET",
     .words = "NOTSET|SAME_UPPER|SAME_LOWER|VALID"},
    {.name = "kernel_shape", .type = TSR_ATTR_INTS, .required = 1, .min = 1, .max = INT32_MAX},
    {.name = "pads", .type = TSR_ATTR_INTS},
    {.name = "storage_order", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    {.name = "strides", .type = TSR_ATTR_INTS, .min = 1, .max = INT32_MAX},
};

static const TsrOpAttr max_pool_10_attrs[] = {
    {.name = "auto_pad", .type = TSR_ATTR_STRING, .has_default = 1, .s = "NOTSET",
     .words = "NOTSET|SAME_UPPER|SAME_LOWER|VALID"},
    {.name = "ceil_mode", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    {.name = "dilations", .type = TSR_ATTR_INTS, .min = 1, .max = INT32_MAX},
    {.name = "kernel_shape", .type = TSR_ATTR_INTS, .required = 1, .min = 1, .max = INT32_MAX},
    {.name = "pads", .type = TSR_ATTR_INTS},
    {.name = "storage_order", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    {.name = "strides", .type = TSR_ATTR_INTS, .min = 1, .max = INT32_MAX},
};

static const TsrOpParam max_pool_12_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8)},
};

static const TsrOpParam max_pool_12_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8)},
    {"Indices", TSR_PARAM_OPTIONAL, 2, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam max_pool_22_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8)},
};

static const TsrOpParam max_pool_22_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_BIT(TSR_DTYPE_UINT8) |
     TSR_BIT(TSR_DTYPE_INT8)},
    {"Indices", TSR_PARAM_OPTIONAL, 2, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpAttr average_pool_7_attrs[] = {
    {.name = "auto_pad", .type = TSR_ATTR_STRING, .has_default = 1, .s = "NOTSET",
     .words = "NOTSET|SAME_UPPER|SAME_LOWER|VALID"},
    {.name = "count_include_pad", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    {.name = "kernel_shape", .type = TSR_ATTR_INTS, .required = 1, .min = 1, .max = INT32_MAX},
    {.name = "pads", .type = TSR_ATTR_INTS},
    {.name = "strides", .type = TSR_ATTR_INTS, .min = 1, .max = INT32_MAX},
};

static const TsrOpAttr average_pool_10_attrs[] = {
    {.name = "auto_pad", .type = TSR_ATTR_STRING, .has_default = 1, .s = "NOTSET",
     .words = "NOTSET|SAME_UPPER|SAME_LOWER|VALID"},
    {.name = "ceil_mode", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    {.name = "count_include_pad", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    {.name = "kernel_shape", .type = TSR_ATTR_INTS, .required = 1, .min = 1, .max = INT32_MAX},
    {.name = "pads", .type = TSR_ATTR_INTS},
    {.name = "strides", .type = TSR_ATTR_INTS, .min = 1, .max = INT32_MAX},
};

static const TsrOpAttr average_pool_19_attrs[] = {
    {.name = "auto_pad", .type = TSR_ATTR_STRING, .has_default = 1, .s = "NOTSET",
     .words = "NOTSET|SAME_UPPER|SAME_LOWER|VALID"},
    {.name = "ceil_mode", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    {.name = "count_include_pad", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    {.name = "dilations", .type = TSR_ATTR_INTS, .min = 1, .max = INT32_MAX},
    {.name = "kernel_shape", .type = TSR_ATTR_INTS, .required = 1, .min = 1, .max = INT32_MAX},
    {.name = "pads", .type = TSR_ATTR_INTS},
    {.name = "strides", .type = TSR_ATTR_INTS, .min = 1, .max = INT32_MAX},
};

static const TsrOpParam average_pool_22_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam average_pool_22_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpAttr lp_pool_2_attrs[] = {
    {.name = "auto_pad", .type = TSR_ATTR_STRING, .has_default = 1, .s = "NOTSET",
     .words = "NOTSET|SAME_UPPER|SAME_LOWER|VALID"},
    {.name = "kernel_shape", .type = TSR_ATTR_INTS, .required = 1, .min = 1, .max = INT32_MAX},
    {.name = "p", .type = TSR_ATTR_INT, .has_default = 1, .i = 2, .min = 1, .max = INT32_MAX},
    {.name = "pads", .type = TSR_ATTR_INTS},
    {.name = "strides", .type = TSR_ATTR_INTS, .min = 1, .max = INT32_MAX},
};

static const TsrOpAttr lp_pool_18_attrs[] = {
    {.name = "auto_pad", .type = TSR_ATTR_STRING, .has_default = 1, .s = "NOTSET",
     .words = "NOTSET|SAME_UPPER|SAME_LOWER|VALID"},
    {.name = "ceil_mode", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    {.name = "dilations", .type = TSR_ATTR_INTS, .min = 1, .max = INT32_MAX},
    {.name = "kernel_shape", .type = TSR_ATTR_INTS, .required = 1, .min = 1, .max = INT32_MAX},
    {.name = "p", .type = TSR_ATTR_INT, .has_default = 1, .i = 2, .min = 1, .max = INT32_MAX},
    {.name = "pads", .type = TSR_ATTR_INTS},
    {.name = "strides", .type = TSR_ATTR_INTS, .min = 1, .max = INT32_MAX},
};

static const TsrOpAttr global_lp_pool_2_attrs[] = {
    {.name = "p", .type = TSR_ATTR_INT, .has_default = 1, .i = 2, .min = 1, .max = INT32_MAX},
};

static const TsrOpDef definitions[] = {
    {OP_ROW("", "MaxPool", 1), OP_INPUTS(max_pool_1_in), OP_OUTPUTS(max_pool_1_out),
     OP_ATTRS(max_pool_1_attrs), .infer = infer_pool, .infer_format_full = tsr_format_channels},
    {OP_ROW("", "MaxPool", 8), OP_INPUTS(max_pool_1_in), OP_OUTPUTS(max_pool_8_out),
     OP_ATTRS(max_pool_8_attrs), .infer = infer_pool, .infer_format_full = tsr_format_channels},
    {OP_ROW("", "MaxPool", 10), OP_INPUTS(max_pool_1_in), OP_OUTPUTS(max_pool_8_out),
     OP_ATTRS(max_pool_10_attrs), .infer = infer_pool, .infer_format_full = tsr_format_channels},
    {OP_ROW("", "MaxPool", 11), OP_INPUTS(max_pool_1_in), OP_OUTPUTS(max_pool_8_out),
     OP_ATTRS(max_pool_10_attrs), .infer = infer_pool, .infer_format_full = tsr_format_channels},
    {OP_ROW("", "MaxPool", 12), OP_INPUTS(max_pool_12_in), OP_OUTPUTS(max_pool_12_out),
     OP_ATTRS(max_pool_10_attrs), .infer = infer_pool, .infer_format_full = tsr_format_channels},
    {OP_ROW("", "MaxPool", 22), OP_INPUTS(max_pool_22_in), OP_OUTPUTS(max_pool_22_out),
     OP_ATTRS(max_pool_10_attrs), .infer = infer_pool, .infer_format_full = tsr_format_channels},
    {OP_ROW("", "AveragePool", 7), OP_INPUTS(max_pool_1_in), OP_OUTPUTS(max_pool_1_out),
     OP_ATTRS(average_pool_7_attrs), .infer = infer_pool,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "AveragePool", 10), OP_INPUTS(max_pool_1_in), OP_OUTPUTS(max_pool_1_out),
     OP_ATTRS(average_pool_10_attrs), .infer = infer_pool,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "AveragePool", 11), OP_INPUTS(max_pool_1_in), OP_OUTPUTS(max_pool_1_out),
     OP_ATTRS(average_pool_10_attrs), .infer = infer_pool,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "AveragePool", 19), OP_INPUTS(max_pool_1_in), OP_OUTPUTS(max_pool_1_out),
     OP_ATTRS(average_pool_19_attrs), .infer = infer_pool,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "AveragePool", 22), OP_INPUTS(average_pool_22_in), OP_OUTPUTS(average_pool_22_out),
     OP_ATTRS(average_pool_19_attrs), .infer = infer_pool,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "LpPool", 2), OP_INPUTS(max_pool_1_in), OP_OUTPUTS(max_pool_1_out),
     OP_ATTRS(lp_pool_2_attrs), .infer = infer_pool, .infer_format_full = tsr_format_channels},
    {OP_ROW("", "LpPool", 11), OP_INPUTS(max_pool_1_in), OP_OUTPUTS(max_pool_1_out),
     OP_ATTRS(lp_pool_2_attrs), .infer = infer_pool, .infer_format_full = tsr_format_channels},
    {OP_ROW("", "LpPool", 18), OP_INPUTS(max_pool_1_in), OP_OUTPUTS(max_pool_1_out),
     OP_ATTRS(lp_pool_18_attrs), .infer = infer_pool, .infer_format_full = tsr_format_channels},
    {OP_ROW("", "LpPool", 22), OP_INPUTS(average_pool_22_in), OP_OUTPUTS(average_pool_22_out),
     OP_ATTRS(lp_pool_18_attrs), .infer = infer_pool, .infer_format_full = tsr_format_channels},
    {OP_ROW("", "GlobalAveragePool", 1), OP_INPUTS(max_pool_1_in), OP_OUTPUTS(max_pool_1_out),
     .infer = infer_global_pool, .infer_format_full = tsr_format_channels},
    {OP_ROW("", "GlobalAveragePool", 22), OP_INPUTS(average_pool_22_in),
     OP_OUTPUTS(average_pool_22_out), .infer = infer_global_pool,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "GlobalMaxPool", 1), OP_INPUTS(max_pool_1_in), OP_OUTPUTS(max_pool_1_out),
     .infer = infer_global_pool, .infer_format_full = tsr_format_channels},
    {OP_ROW("", "GlobalMaxPool", 22), OP_INPUTS(average_pool_22_in),
     OP_OUTPUTS(average_pool_22_out), .infer = infer_global_pool,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "GlobalLpPool", 2), OP_INPUTS(max_pool_1_in), OP_OUTPUTS(max_pool_1_out),
     OP_ATTRS(global_lp_pool_2_attrs), .infer = infer_global_pool,
     .infer_format_full = tsr_format_channels},
    {OP_ROW("", "GlobalLpPool", 22), OP_INPUTS(average_pool_22_in),
     OP_OUTPUTS(average_pool_22_out), OP_ATTRS(global_lp_pool_2_attrs), .infer = infer_global_pool,
     .infer_format_full = tsr_format_channels},
};

const TsrOps tsr_ops_pool = OP_FAMILY(definitions);
