/* SPDX-License-Identifier: Apache-2.0
 *
 * nonsense_operators.c: says that its table of operators is longer than it is.
 */
#include "good_engine.h"

static const TsrOpParam param[] = {{"x", TSR_PARAM_REQUIRED, 1, 0}};
static const TsrOpDef definition = {
    .struct_size = sizeof(TsrOpDef), .since_version = 1, .domain = "nonsense", .name = "Same",
    .inputs = param, .input_count = 1, .input_stride = sizeof(TsrOpParam),
    .outputs = param, .output_count = 4000000000u, .output_stride = sizeof(TsrOpParam),
    .follow = "x=x",
};
static const TsrOps ops = {.struct_size = sizeof(TsrOps), .op_count = 3000000000u,
                           .op_stride = sizeof(TsrOpDef), .ops = &definition};

#define PLUGIN_NAME "nonsense_operators"
#define PLUGIN_OPS &ops
#include "good_plugin.h"
