/* SPDX-License-Identifier: Apache-2.0
 *
 * random.c: definitions of ONNX operators:
 * random numbers; the values are not those of another implementation.
 * Rows follow the ONNX changelog: one for each version whose types, attributes or
 * meaning changed.
 */
#include "families.h"

/* The dtype that the attribute names, or missing. */
static int32_t random_dtype(const TsrOpDef *def, TsrInferContext *infer, uint32_t missing,
                            uint32_t *out)
{
    int64_t dtype = tsr_attr_int(infer->node, "dtype", missing);
    if (dtype == TSR_DTYPE_UNDEFINED) { /* the input's is not known yet */
        *out = TSR_DTYPE_UNDEFINED;
        return TSR_OK;
    }
    if (dtype < 0 || dtype >= TSR_DTYPE_COUNT ||
        !(def->outputs[0].dtypes & TSR_BIT((uint32_t)dtype)))
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "dtype must be an element type of the output, got %lld",
                           (long long)dtype);
    *out = (uint32_t)dtype;
    return TSR_OK;
}

/* RandomNormal, RandomUniform: the shape is an attribute. */
static int32_t infer_random(const TsrOpDef *def, TsrInferContext *infer)
{
    uint32_t count, dtype;
    const int64_t *extents = tsr_attr_ints(infer->node, "shape", &count);
    Shape y = {.rank = count};
    int32_t status = random_dtype(def, infer, TSR_DTYPE_FLOAT, &dtype);
    if (status != TSR_OK)
        return status;
    for (uint32_t i = 0; i < count && i < TSR_MAX_RANK; i++) {
        if (extents[i] < 0)
            return infer->fail(infer, TSR_INVALID_ARGUMENT, "shape must not be negative, got %lld",
                               (long long)extents[i]);
        y.dim[i] = extents[i];
    }
    return tsr_infer_set(infer, 0, dtype, &y);
}

static int32_t infer_random_like(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape y = tsr_infer_shape(infer, 0);
    uint32_t dtype;
    int32_t status = random_dtype(def, infer, tsr_infer_dtype(infer, 0), &dtype);
    return status != TSR_OK ? status : tsr_infer_set(infer, 0, dtype, &y);
}

/* Multinomial: [batch, classes] in, [batch, sample_size] out. */
static int32_t infer_multinomial(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), y = tsr_shape_unknown(2);
    uint32_t dtype;
    int32_t status;
    if ((status = tsr_infer_want_rank(infer, 0, 2)) != TSR_OK ||
        (status = random_dtype(def, infer, TSR_DTYPE_INT32, &dtype)) != TSR_OK)
        return status;
    if (x.rank == 2)
        y.dim[0] = x.dim[0];
    y.dim[1] = tsr_attr_int(infer->node, "sample_size", 1);
    return tsr_infer_set(infer, 0, dtype, &y);
}

static const TsrOpParam random_normal_1_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr random_normal_1_attrs[] = {
    {.name = "dtype", .type = TSR_ATTR_INT, .has_default = 1, .i = 1},
    {.name = "mean", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.0f},
    {.name = "scale", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1.0f},
    {.name = "seed", .type = TSR_ATTR_FLOAT},
    {.name = "shape", .type = TSR_ATTR_INTS, .required = 1},
};

static const TsrOpParam random_normal_22_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpAttr random_uniform_1_attrs[] = {
    {.name = "dtype", .type = TSR_ATTR_INT, .has_default = 1, .i = 1},
    {.name = "high", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1.0f},
    {.name = "low", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.0f},
    {.name = "seed", .type = TSR_ATTR_FLOAT},
    {.name = "shape", .type = TSR_ATTR_INTS, .required = 1},
};

static const TsrOpParam random_normal_like_1_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TYPES_V1},
};

static const TsrOpParam random_normal_like_1_out[] = {
    {"output", TSR_PARAM_REQUIRED, 2, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr random_normal_like_1_attrs[] = {
    {.name = "dtype", .type = TSR_ATTR_INT},
    {.name = "mean", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.0f},
    {.name = "scale", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1.0f},
    {.name = "seed", .type = TSR_ATTR_FLOAT},
};

static const TsrOpParam random_normal_like_22_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TYPES_V13},
};

static const TsrOpParam random_normal_like_22_out[] = {
    {"output", TSR_PARAM_REQUIRED, 2, TSR_TYPES_FLOAT},
};

static const TsrOpAttr random_uniform_like_1_attrs[] = {
    {.name = "dtype", .type = TSR_ATTR_INT},
    {.name = "high", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1.0f},
    {.name = "low", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.0f},
    {.name = "seed", .type = TSR_ATTR_FLOAT},
};

static const TsrOpParam bernoulli_15_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam bernoulli_15_out[] = {
    {"output", TSR_PARAM_REQUIRED, 2, TSR_TYPES_NUMERIC | TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpAttr bernoulli_15_attrs[] = {
    {.name = "dtype", .type = TSR_ATTR_INT},
    {.name = "seed", .type = TSR_ATTR_FLOAT},
};

static const TsrOpParam bernoulli_22_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam multinomial_7_out[] = {
    {"output", TSR_PARAM_REQUIRED, 2, TSR_TYPES_INDEX},
};

static const TsrOpAttr multinomial_7_attrs[] = {
    {.name = "dtype", .type = TSR_ATTR_INT, .has_default = 1, .i = 6},
    {.name = "sample_size", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 1,
     .max = INT32_MAX},
    {.name = "seed", .type = TSR_ATTR_FLOAT},
};

static const TsrOpDef definitions[] = {
    {OP_ROW("", "RandomNormal", 1), OP_OUTPUTS(random_normal_1_out),
     OP_ATTRS(random_normal_1_attrs), .flags = TSR_OP_RANDOM, .infer = infer_random},
    {OP_ROW("", "RandomNormal", 22), OP_OUTPUTS(random_normal_22_out),
     OP_ATTRS(random_normal_1_attrs), .flags = TSR_OP_RANDOM, .infer = infer_random},
    {OP_ROW("", "RandomUniform", 1), OP_OUTPUTS(random_normal_1_out),
     OP_ATTRS(random_uniform_1_attrs), .flags = TSR_OP_RANDOM, .infer = infer_random},
    {OP_ROW("", "RandomUniform", 22), OP_OUTPUTS(random_normal_22_out),
     OP_ATTRS(random_uniform_1_attrs), .flags = TSR_OP_RANDOM, .infer = infer_random},
    {OP_ROW("", "RandomNormalLike", 1), OP_INPUTS(random_normal_like_1_in),
     OP_OUTPUTS(random_normal_like_1_out), OP_ATTRS(random_normal_like_1_attrs),
     .flags = TSR_OP_RANDOM, .infer = infer_random_like},
    {OP_ROW("", "RandomNormalLike", 22), OP_INPUTS(random_normal_like_22_in),
     OP_OUTPUTS(random_normal_like_22_out), OP_ATTRS(random_normal_like_1_attrs),
     .flags = TSR_OP_RANDOM, .infer = infer_random_like},
    {OP_ROW("", "RandomUniformLike", 1), OP_INPUTS(random_normal_like_1_in),
     OP_OUTPUTS(random_normal_like_1_out), OP_ATTRS(random_uniform_like_1_attrs),
     .flags = TSR_OP_RANDOM, .infer = infer_random_like},
    {OP_ROW("", "RandomUniformLike", 22), OP_INPUTS(random_normal_like_22_in),
     OP_OUTPUTS(random_normal_like_22_out), OP_ATTRS(random_uniform_like_1_attrs),
     .flags = TSR_OP_RANDOM, .infer = infer_random_like},
    {OP_ROW("", "Bernoulli", 15), OP_INPUTS(bernoulli_15_in), OP_OUTPUTS(bernoulli_15_out),
     OP_ATTRS(bernoulli_15_attrs), .flags = TSR_OP_RANDOM, .infer = infer_random_like},
    {OP_ROW("", "Bernoulli", 22), OP_INPUTS(bernoulli_22_in), OP_OUTPUTS(bernoulli_15_out),
     OP_ATTRS(bernoulli_15_attrs), .flags = TSR_OP_RANDOM, .infer = infer_random_like},
    {OP_ROW("", "Multinomial", 7), OP_INPUTS(bernoulli_15_in), OP_OUTPUTS(multinomial_7_out),
     OP_ATTRS(multinomial_7_attrs), .flags = TSR_OP_RANDOM, .infer = infer_multinomial},
    {OP_ROW("", "Multinomial", 22), OP_INPUTS(bernoulli_22_in), OP_OUTPUTS(multinomial_7_out),
     OP_ATTRS(multinomial_7_attrs), .flags = TSR_OP_RANDOM, .infer = infer_multinomial},
};

const TsrOps tsr_ops_random = OP_FAMILY(definitions);
