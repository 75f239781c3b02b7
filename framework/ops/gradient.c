/* SPDX-License-Identifier: Apache-2.0
 *
 * gradient.c: the definition of Gradient (ai.onnx.preview.training 1). It has no kernel:
 * prepare/gradient.c writes the derivative as nodes.
 */
#include "families.h"

/* Output i is the derivative with respect to input i, so it looks like it. */
static int32_t infer_gradient(const TsrOpDef *def, TsrInferContext *infer)
{
    int32_t status = TSR_OK;
    (void)def;
    for (uint32_t i = 0; i < infer->node->output_count && status == TSR_OK; i++) {
        Shape shape = tsr_infer_shape(infer, i);
        status = tsr_infer_set(infer, i, tsr_infer_dtype(infer, i), &shape);
    }
    return status;
}

static const TsrOpParam gradient_in[] = {
    {"Inputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V1},
};
static const TsrOpParam gradient_out[] = {
    {"Outputs", TSR_PARAM_VARIADIC_MIXED, 0, TSR_TYPES_FLOAT_IEEE},
};
static const TsrOpAttr gradient_attrs[] = {
    {.name = "xs", .type = TSR_ATTR_STRINGS, .required = 1},
    {.name = "y", .type = TSR_ATTR_STRING, .required = 1},
    {.name = "zs", .type = TSR_ATTR_STRINGS},
};

static const TsrOpDef gradient_defs[] = {
    {OP_ROW("ai.onnx.preview.training", "Gradient", 1), OP_INPUTS(gradient_in),
     OP_OUTPUTS(gradient_out), OP_ATTRS(gradient_attrs), .flags = TSR_OP_NO_FOLD,
     .infer = infer_gradient},
};

const TsrOps tsr_ops_gradient = OP_FAMILY(gradient_defs);
