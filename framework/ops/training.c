/* SPDX-License-Identifier: Apache-2.0
 *
 * training.c: definitions of ONNX operators:
 * of the domain ai.onnx.preview.training: steps of an optimizer.
 * Rows follow the ONNX changelog: one for each version whose types, attributes or
 * meaning changed.
 */
#include "families.h"

/* Inputs R, T, then the tensors, their gradients and one or two accumulators of each; the
 * outputs are the new tensors and accumulators. */
static int32_t infer_optimizer(const TsrOpDef *def, TsrInferContext *infer)
{
    uint32_t groups = strcmp(def->name, "Adam") == 0 ? 4 : 3, rest, count;
    if (infer->node->input_count < 2 + groups || (infer->node->input_count - 2) % groups != 0)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "needs %u inputs for each tensor beside R and T, got %u", groups,
                           infer->node->input_count);
    rest = infer->node->input_count - 2;
    count = rest / groups;
    if (infer->node->output_count > rest - count)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "has %u outputs, at most %u are given",
                           infer->node->output_count, rest - count);
    for (uint32_t i = 0; i < rest; i++) {
        Shape shape = tsr_infer_shape(infer, 2 + i), first = tsr_infer_shape(infer, 2 + i % count);
        int32_t status = TSR_OK;
        uint32_t output = i < count ? i : i - count;
        if (first.rank != TSR_RANK_UNKNOWN)
            status = tsr_infer_want_rank(infer, 2 + i, first.rank);
        for (uint32_t d = 0; status == TSR_OK && shape.rank == first.rank &&
                             shape.rank != TSR_RANK_UNKNOWN && d < shape.rank; d++)
            status = tsr_infer_join(infer, "extents of a tensor and its state", &shape.dim[d],
                                    first.dim[d]);
        if (status == TSR_OK && (i < count || i >= 2 * count))
            status = tsr_infer_set(infer, output, tsr_infer_dtype(infer, 2 + i), &shape);
        if (status != TSR_OK)
            return status;
    }
    return TSR_OK;
}

static const TsrOpParam adagrad_1_in[] = {
    {"R", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_DOUBLE)},
    {"T", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_INT64)},
    {"inputs", TSR_PARAM_VARIADIC_MIXED, 0, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_DOUBLE)},
};

static const TsrOpParam adagrad_1_out[] = {
    {"outputs", TSR_PARAM_VARIADIC_MIXED, 0, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_DOUBLE)},
};

static const TsrOpAttr adagrad_1_attrs[] = {
    {.name = "decay_factor", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.0f},
    {.name = "epsilon", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.0f},
    {.name = "norm_coefficient", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.0f},
};

static const TsrOpAttr adam_1_attrs[] = {
    {.name = "alpha", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.9f},
    {.name = "beta", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.999f},
    {.name = "epsilon", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.0f},
    {.name = "norm_coefficient", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.0f},
    {.name = "norm_coefficient_post", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.0f},
};

static const TsrOpAttr momentum_1_attrs[] = {
    {.name = "alpha", .type = TSR_ATTR_FLOAT, .required = 1},
    {.name = "beta", .type = TSR_ATTR_FLOAT, .required = 1},
    {.name = "mode", .type = TSR_ATTR_STRING, .required = 1, .words = "standard|nesterov"},
    {.name = "norm_coefficient", .type = TSR_ATTR_FLOAT, .required = 1},
};

static const TsrOpDef definitions[] = {
    {OP_ROW("ai.onnx.preview.training", "Adagrad", 1), OP_INPUTS(adagrad_1_in),
     OP_OUTPUTS(adagrad_1_out), OP_ATTRS(adagrad_1_attrs), .infer = infer_optimizer},
    {OP_ROW("ai.onnx.preview.training", "Adam", 1), OP_INPUTS(adagrad_1_in),
     OP_OUTPUTS(adagrad_1_out), OP_ATTRS(adam_1_attrs), .infer = infer_optimizer},
    {OP_ROW("ai.onnx.preview.training", "Momentum", 1), OP_INPUTS(adagrad_1_in),
     OP_OUTPUTS(adagrad_1_out), OP_ATTRS(momentum_1_attrs), .infer = infer_optimizer},
};

const TsrOps tsr_ops_training = OP_FAMILY(definitions);
