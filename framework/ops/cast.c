/* SPDX-License-Identifier: Apache-2.0
 *
 * cast.c: definitions of ONNX operators:
 * conversion of element types.
 * Rows follow the ONNX changelog from opset 7 on: one for each version whose types,
 * attributes or meaning changed.
 */
#include "elements.h"
#include "families.h"

static int32_t infer_cast(const TsrOpDef *def, TsrInferContext *infer)
{
    int64_t to = tsr_attr_int(infer->node, "to", 0);
    Shape shape = tsr_infer_shape(infer, 0);
    if (to <= 0 || to >= TSR_DTYPE_COUNT || !(def->outputs[0].dtypes & TSR_BIT(to)))
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "'to' must be an element type that version %u casts to, got %lld",
                           def->since_version, (long long)to);
    return tsr_infer_set(infer, 0, (uint32_t)to, &shape);
}

static int32_t infer_cast_like(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape shape = tsr_infer_shape(infer, 0);
    (void)def;
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 1), &shape);
}

static const TsrOpParam cast_6_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE |
     TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam cast_6_out[] = {
    {"output", TSR_PARAM_REQUIRED, 2, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE |
     TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpAttr cast_6_attrs[] = {
    {.name = "to", .type = TSR_ATTR_INT, .required = 1},
};

static const TsrOpParam cast_9_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE |
     TSR_BIT(TSR_DTYPE_STRING) | TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam cast_9_out[] = {
    {"output", TSR_PARAM_REQUIRED, 2, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE |
     TSR_BIT(TSR_DTYPE_STRING) | TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam cast_13_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC | TSR_BIT(TSR_DTYPE_STRING) |
     TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam cast_13_out[] = {
    {"output", TSR_PARAM_REQUIRED, 2, TSR_TYPES_NUMERIC | TSR_BIT(TSR_DTYPE_STRING) |
     TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam cast_19_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC | TYPES_FLOAT8 | TSR_BIT(TSR_DTYPE_STRING) |
     TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam cast_19_out[] = {
    {"output", TSR_PARAM_REQUIRED, 2, TSR_TYPES_NUMERIC | TYPES_FLOAT8 |
     TSR_BIT(TSR_DTYPE_STRING) | TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpAttr cast_19_attrs[] = {
    {.name = "saturate", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 0, .max = 1},
    {.name = "to", .type = TSR_ATTR_INT, .required = 1},
};

static const TsrOpParam cast_21_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC | TYPES_FLOAT8 | TYPES_INT4 |
     TSR_BIT(TSR_DTYPE_STRING) | TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam cast_21_out[] = {
    {"output", TSR_PARAM_REQUIRED, 2, TSR_TYPES_NUMERIC | TYPES_FLOAT8 | TYPES_INT4 |
     TSR_BIT(TSR_DTYPE_STRING) | TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam cast_23_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC | TYPES_FLOAT8 | TYPES_INT4 |
     TSR_BIT(TSR_DTYPE_STRING) | TSR_BIT(TSR_DTYPE_BOOL) | TSR_BIT(TSR_DTYPE_FLOAT4E2M1)},
};

static const TsrOpParam cast_23_out[] = {
    {"output", TSR_PARAM_REQUIRED, 2, TSR_TYPES_NUMERIC | TYPES_FLOAT8 | TYPES_INT4 |
     TSR_BIT(TSR_DTYPE_STRING) | TSR_BIT(TSR_DTYPE_BOOL) | TSR_BIT(TSR_DTYPE_FLOAT4E2M1)},
};

static const TsrOpParam cast_24_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC | TYPES_FLOAT8 | TYPES_INT4 |
     TSR_BIT(TSR_DTYPE_STRING) | TSR_BIT(TSR_DTYPE_BOOL) | TSR_BIT(TSR_DTYPE_FLOAT4E2M1) |
     TSR_BIT(TSR_DTYPE_FLOAT8E8M0)},
};

static const TsrOpParam cast_24_out[] = {
    {"output", TSR_PARAM_REQUIRED, 2, TSR_TYPES_NUMERIC | TYPES_FLOAT8 | TYPES_INT4 |
     TSR_BIT(TSR_DTYPE_STRING) | TSR_BIT(TSR_DTYPE_BOOL) | TSR_BIT(TSR_DTYPE_FLOAT4E2M1) |
     TSR_BIT(TSR_DTYPE_FLOAT8E8M0)},
};

static const TsrOpAttr cast_24_attrs[] = {
    {.name = "round_mode", .type = TSR_ATTR_STRING, .has_default = 1, .s = "up",
     .words = "up|down|nearest"},
    {.name = "saturate", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 0, .max = 1},
    {.name = "to", .type = TSR_ATTR_INT, .required = 1},
};

static const TsrOpParam cast_25_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC | TYPES_FLOAT8 | TYPES_INT4 | TYPES_INT2 |
     TSR_BIT(TSR_DTYPE_STRING) | TSR_BIT(TSR_DTYPE_BOOL) | TSR_BIT(TSR_DTYPE_FLOAT4E2M1) |
     TSR_BIT(TSR_DTYPE_FLOAT8E8M0)},
};

static const TsrOpParam cast_25_out[] = {
    {"output", TSR_PARAM_REQUIRED, 2, TSR_TYPES_NUMERIC | TYPES_FLOAT8 | TYPES_INT4 | TYPES_INT2 |
     TSR_BIT(TSR_DTYPE_STRING) | TSR_BIT(TSR_DTYPE_BOOL) | TSR_BIT(TSR_DTYPE_FLOAT4E2M1) |
     TSR_BIT(TSR_DTYPE_FLOAT8E8M0)},
};

static const TsrOpParam cast_like_15_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC | TSR_BIT(TSR_DTYPE_STRING) |
     TSR_BIT(TSR_DTYPE_BOOL)},
    {"target_type", TSR_PARAM_REQUIRED, 2, TSR_TYPES_NUMERIC | TSR_BIT(TSR_DTYPE_STRING) |
     TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam cast_like_19_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC | TYPES_FLOAT8 | TSR_BIT(TSR_DTYPE_STRING) |
     TSR_BIT(TSR_DTYPE_BOOL)},
    {"target_type", TSR_PARAM_REQUIRED, 2, TSR_TYPES_NUMERIC | TYPES_FLOAT8 |
     TSR_BIT(TSR_DTYPE_STRING) | TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpAttr cast_like_19_attrs[] = {
    {.name = "saturate", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 0, .max = 1},
};

static const TsrOpParam cast_like_21_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC | TYPES_FLOAT8 | TYPES_INT4 |
     TSR_BIT(TSR_DTYPE_STRING) | TSR_BIT(TSR_DTYPE_BOOL)},
    {"target_type", TSR_PARAM_REQUIRED, 2, TSR_TYPES_NUMERIC | TYPES_FLOAT8 | TYPES_INT4 |
     TSR_BIT(TSR_DTYPE_STRING) | TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam cast_like_23_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC | TYPES_FLOAT8 | TYPES_INT4 |
     TSR_BIT(TSR_DTYPE_STRING) | TSR_BIT(TSR_DTYPE_BOOL) | TSR_BIT(TSR_DTYPE_FLOAT4E2M1)},
    {"target_type", TSR_PARAM_REQUIRED, 2, TSR_TYPES_NUMERIC | TYPES_FLOAT8 | TYPES_INT4 |
     TSR_BIT(TSR_DTYPE_STRING) | TSR_BIT(TSR_DTYPE_BOOL) | TSR_BIT(TSR_DTYPE_FLOAT4E2M1)},
};

static const TsrOpParam cast_like_24_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC | TYPES_FLOAT8 | TYPES_INT4 |
     TSR_BIT(TSR_DTYPE_STRING) | TSR_BIT(TSR_DTYPE_BOOL) | TSR_BIT(TSR_DTYPE_FLOAT4E2M1) |
     TSR_BIT(TSR_DTYPE_FLOAT8E8M0)},
    {"target_type", TSR_PARAM_REQUIRED, 2, TSR_TYPES_NUMERIC | TYPES_FLOAT8 | TYPES_INT4 |
     TSR_BIT(TSR_DTYPE_STRING) | TSR_BIT(TSR_DTYPE_BOOL) | TSR_BIT(TSR_DTYPE_FLOAT4E2M1) |
     TSR_BIT(TSR_DTYPE_FLOAT8E8M0)},
};

static const TsrOpAttr cast_like_24_attrs[] = {
    {.name = "round_mode", .type = TSR_ATTR_STRING, .has_default = 1, .s = "up",
     .words = "up|down|nearest"},
    {.name = "saturate", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 0, .max = 1},
};

static const TsrOpParam cast_like_25_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC | TYPES_FLOAT8 | TYPES_INT4 | TYPES_INT2 |
     TSR_BIT(TSR_DTYPE_STRING) | TSR_BIT(TSR_DTYPE_BOOL) | TSR_BIT(TSR_DTYPE_FLOAT4E2M1) |
     TSR_BIT(TSR_DTYPE_FLOAT8E8M0)},
    {"target_type", TSR_PARAM_REQUIRED, 2, TSR_TYPES_NUMERIC | TYPES_FLOAT8 | TYPES_INT4 |
     TYPES_INT2 | TSR_BIT(TSR_DTYPE_STRING) | TSR_BIT(TSR_DTYPE_BOOL) |
     TSR_BIT(TSR_DTYPE_FLOAT4E2M1) | TSR_BIT(TSR_DTYPE_FLOAT8E8M0)},
};

static const TsrOpDef definitions[] = {
    {OP_MAP("", "Cast", 6), OP_INPUTS(cast_6_in), OP_OUTPUTS(cast_6_out), OP_ATTRS(cast_6_attrs),
     .infer = infer_cast,
     .infer_elements = tsr_elements_same},
    {OP_MAP("", "Cast", 9), OP_INPUTS(cast_9_in), OP_OUTPUTS(cast_9_out), OP_ATTRS(cast_6_attrs),
     .infer = infer_cast,
     .infer_elements = tsr_elements_same},
    {OP_MAP("", "Cast", 13), OP_INPUTS(cast_13_in), OP_OUTPUTS(cast_13_out),
     OP_ATTRS(cast_6_attrs), .infer = infer_cast,
     .infer_elements = tsr_elements_same},
    {OP_MAP("", "Cast", 19), OP_INPUTS(cast_19_in), OP_OUTPUTS(cast_19_out),
     OP_ATTRS(cast_19_attrs), .infer = infer_cast,
     .infer_elements = tsr_elements_same},
    {OP_MAP("", "Cast", 21), OP_INPUTS(cast_21_in), OP_OUTPUTS(cast_21_out),
     OP_ATTRS(cast_19_attrs), .infer = infer_cast,
     .infer_elements = tsr_elements_same},
    {OP_MAP("", "Cast", 23), OP_INPUTS(cast_23_in), OP_OUTPUTS(cast_23_out),
     OP_ATTRS(cast_19_attrs), .infer = infer_cast,
     .infer_elements = tsr_elements_same},
    {OP_MAP("", "Cast", 24), OP_INPUTS(cast_24_in), OP_OUTPUTS(cast_24_out),
     OP_ATTRS(cast_24_attrs), .infer = infer_cast,
     .infer_elements = tsr_elements_same},
    {OP_MAP("", "Cast", 25), OP_INPUTS(cast_25_in), OP_OUTPUTS(cast_25_out),
     OP_ATTRS(cast_24_attrs), .infer = infer_cast,
     .infer_elements = tsr_elements_same},
    {OP_ROW("", "CastLike", 15), OP_INPUTS(cast_like_15_in), OP_OUTPUTS(cast_13_out),
     .infer = infer_cast_like},
    {OP_ROW("", "CastLike", 19), OP_INPUTS(cast_like_19_in), OP_OUTPUTS(cast_19_out),
     OP_ATTRS(cast_like_19_attrs), .infer = infer_cast_like},
    {OP_ROW("", "CastLike", 21), OP_INPUTS(cast_like_21_in), OP_OUTPUTS(cast_21_out),
     OP_ATTRS(cast_like_19_attrs), .infer = infer_cast_like},
    {OP_ROW("", "CastLike", 23), OP_INPUTS(cast_like_23_in), OP_OUTPUTS(cast_23_out),
     OP_ATTRS(cast_like_19_attrs), .infer = infer_cast_like},
    {OP_ROW("", "CastLike", 24), OP_INPUTS(cast_like_24_in), OP_OUTPUTS(cast_24_out),
     OP_ATTRS(cast_like_24_attrs), .infer = infer_cast_like},
    {OP_ROW("", "CastLike", 25), OP_INPUTS(cast_like_25_in), OP_OUTPUTS(cast_25_out),
     OP_ATTRS(cast_like_24_attrs), .infer = infer_cast_like},
};

const TsrOps tsr_ops_cast = OP_FAMILY(definitions);
