/* SPDX-License-Identifier: Apache-2.0
 *
 * build_cast.c: ONNX Cast (6 to 25) between the float types of 2 and 4 bytes, and from
 * small integers to them, as a task of CAST. Elements keep their places, so that any
 * storage format passes through.
 */
#include "nn.h"

/* The types that each type can be cast to, one TSR_BIT each. */
static const uint64_t targets[TSR_DTYPE_COUNT] = {
    [TSR_DTYPE_FLOAT] = TSR_BIT(TSR_DTYPE_FLOAT16) | TSR_BIT(TSR_DTYPE_BFLOAT16),
    [TSR_DTYPE_FLOAT16] = TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_BFLOAT16),
    [TSR_DTYPE_BFLOAT16] = TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16),
    [TSR_DTYPE_INT8] = NN_FLOATS,
    [TSR_DTYPE_UINT8] = NN_FLOATS,
    [TSR_DTYPE_INT32] = TSR_BIT(TSR_DTYPE_FLOAT),
};

static void cast_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    const uint32_t from = node->inputs[0]->dtype, to = node->outputs[0]->dtype;
    (void)op;
    if (from >= TSR_DTYPE_COUNT || to >= TSR_DTYPE_COUNT || !(targets[from] >> to & 1))
        tsr_support_no(out_support, TSR_REFUSE_DTYPE, "no kernel from %s to %s",
                       tsr_dtype_name(from), tsr_dtype_name(to));
}

int32_t nn_build_cast(TsrTaskSink *sink, uint32_t from, uint32_t to, uint32_t x_arg,
                      uint32_t y_arg, int64_t count)
{
    const uint32_t args[2] = { x_arg, y_arg };
    const TsrCastParams p = { .struct_size = sizeof(p), .from = from, .to = to, .count = count };
    return nn_task(sink, TSR_KERNEL_CAST,
                   nn_block_dim(sink, nn_ceil_div(count, 1024), (double)count), args, 2, &p,
                   sizeof(p));
}

static int32_t cast_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const TsrTensorDesc *x = node->inputs[0], *y = node->outputs[0];
    const int64_t count = tsr_desc_storage_elements(y);
    (void)op;
    if (tsr_desc_storage_elements(x) != count)
        return sink->fail(sink, TSR_UNSUPPORTED, "Cast '%s': formats of X and Y differ",
                          node->name);
    return nn_build_cast(sink, x->dtype, y->dtype, TSR_ARG_INPUT | 0, TSR_ARG_OUTPUT | 0, count);
}

static const NnOp ops[] = {
    { .op_type = "Cast", .domain = "", .min_version = 6, .max_version = 25,
      .flags = NN_ANY_DTYPE, .check = cast_check, .build = cast_build,
      .select = &nn_select_agnostic },
};

const NnOpTable nn_cast_ops = { ops, sizeof(ops) / sizeof(ops[0]) };
