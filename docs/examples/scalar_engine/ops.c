/* SPDX-License-Identifier: Apache-2.0
 *
 * ops.c: the operator that the pass makes: example.scalar.ScaleShift. A model may use it too.
 */
#include "scalar.h"

static const TsrOpParam x[] = {{"x", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT)}};
static const TsrOpParam y[] = {{"y", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT)}};
static const TsrOpAttr attrs[] = {
    {.name = "scale", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 1.0f},
    {.name = "shift", .type = TSR_ATTR_FLOAT, .has_default = 1, .f = 0.0f},
};
static const TsrOpDef definitions[] = {
    {
        .struct_size = sizeof(TsrOpDef),
        .since_version = 1,
        .domain = SCALAR_DOMAIN,
        .name = "ScaleShift",
        .inputs = x,
        .outputs = y,
        .attrs = attrs,
        .input_count = 1,
        .output_count = 1,
        .attr_count = 2,
        .input_stride = sizeof(TsrOpParam),
        .output_stride = sizeof(TsrOpParam),
        .attr_stride = sizeof(TsrOpAttr),
        .flags = TSR_OP_ELEMENTWISE,
        .follow = "y=x",
    },
};

const TsrOps scalar_ops = {
    .struct_size = sizeof(TsrOps),
    .op_count = 1,
    .op_stride = sizeof(TsrOpDef),
    .ops = definitions,
};
