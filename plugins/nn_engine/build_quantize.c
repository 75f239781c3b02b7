/* SPDX-License-Identifier: Apache-2.0
 *
 * build_quantize.c: ONNX QuantizeLinear and DequantizeLinear (10 to 25) between float and
 * uint8, int8 (and int32 back to float), with one scale or one per entry of an axis, and
 * DynamicQuantizeLinear 11. One scale leaves elements in their places, so that any storage
 * passes through; scales of channels also come in blocks.
 */
#include <stdlib.h>
#include "quantized.h"

static int is_quantize(const TsrNodeView *node) { return node->op_type[0] == 'Q'; }

/* One scale for everything; else *out_axis is that of the scales. */
static int is_single(const TsrNodeView *node, int64_t *out_axis)
{
    const TsrTensorDesc *scale = node->inputs[1];
    *out_axis = tsr_axis_normalize(tsr_attr_int(node, "axis", 1), node->inputs[0]->rank);
    return tsr_desc_elements(scale) == 1;
}

static void quantize_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    const TsrTensorDesc *x = nn_input(node, 0), *y = node->outputs[0];
    const TsrTensorDesc *zero = nn_input(node, 2);
    const TsrTensorDesc *number = is_quantize(node) ? x : y, *integer = is_quantize(node) ? y : x;
    const int64_t precision = tsr_attr_int(node, "precision", 0);
    int64_t axis;
    (void)op;
    if (number->dtype != TSR_DTYPE_FLOAT || precision > TSR_DTYPE_FLOAT) {
        tsr_support_no(out_support, TSR_REFUSE_DTYPE, "no kernel for numbers of %s",
                       tsr_dtype_name(precision > TSR_DTYPE_FLOAT ? (uint32_t)precision
                                                                  : number->dtype));
        return;
    }
    if (!nn_is_byte(integer->dtype) &&
        (is_quantize(node) || integer->dtype != TSR_DTYPE_INT32)) {
        tsr_support_no(out_support, TSR_REFUSE_DTYPE, "no kernel for quantized %s",
                       tsr_dtype_name(integer->dtype));
        return;
    }
    if (tsr_attr_int(node, "block_size", 0) != 0 || node->inputs[1]->rank > 1) {
        tsr_support_no(out_support, TSR_REFUSE_ATTR, "scales of blocks of an axis");
        return;
    }
    if (nn_value(node, 1) == NULL || (zero != NULL && nn_value(node, 2) == NULL)) {
        tsr_support_no(out_support, TSR_REFUSE_VALUE, "the %s has to be constant",
                       nn_value(node, 1) == NULL ? "scale" : "zero point");
        return;
    }
    if (!is_single(node, &axis) &&
        (axis < 0 || x->shape[axis] != tsr_desc_elements(node->inputs[1]))) {
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "%lld scales do not fit the axis",
                       (long long)tsr_desc_elements(node->inputs[1]));
        return;
    }
    if (!nn_q_check_constant(node, 1, 0, TSR_DTYPE_FLOAT, tsr_desc_elements(node->inputs[1]),
                             "the scale", out_support))
        return;
    if (zero != NULL && (zero->dtype != integer->dtype ||
                         tsr_desc_elements(zero) != tsr_desc_elements(node->inputs[1])))
        tsr_support_no(out_support, TSR_REFUSE_SHAPE,
                       "the zero point has %lld elements of %s, wanted %lld of %s",
                       (long long)tsr_desc_elements(zero), tsr_dtype_name(zero->dtype),
                       (long long)tsr_desc_elements(node->inputs[1]),
                       tsr_dtype_name(integer->dtype));
}

static void quantize_columns(const NnOp *op, const TsrNodeView *node, TsrColumnSet *set)
{
    int64_t axis;
    (void)op;
    if (is_single(node, &axis)) {
        nn_column_mask(set, node, 5.0f, TSR_FORMAT_ANY, 1);
        return;
    }
    if (axis == 1 && nn_is_picture(node->inputs[0]) && tsr_desc_is_static(node->inputs[0]))
        nn_column_mask(set, node, 5.0f, TSR_FORMAT_NC1HWC0, 1);
    nn_column(set, 5.0f, (const uint32_t[]){ TSR_FORMAT_ND }, 1);
}

static const NnSelect quantize_select = NN_SELECT_CUSTOMIZE(quantize_columns);

/* The shape of the kernel's walk over the storage of x. */
static int fill_shape(const TsrNodeView *node, TsrQuantizeParams *p)
{
    const TsrTensorDesc *x = node->inputs[0];
    int64_t axis;
    if (!nn_q_same_storage(x, node->outputs[0]))
        return 0;
    p->outer = p->channels = p->inner = p->lanes = 1;
    if (is_single(node, &axis)) {
        p->inner = tsr_desc_storage_elements(x);
        return 1;
    }
    if (nn_is_blocked(x) && axis == 1) {
        p->outer = x->storage_shape[0];
        p->channels = x->storage_shape[1];
        p->inner = x->storage_shape[2] * x->storage_shape[3];
        p->lanes = TSR_NPU_C0;
        return 1;
    }
    if (nn_is_internal(x))
        return 0;
    p->outer = tsr_shape_elements((uint32_t)axis, x->shape);
    p->channels = x->shape[axis];
    p->inner = tsr_shape_elements(x->rank - (uint32_t)axis - 1, x->shape + axis + 1);
    /* Neighbours with scales of their own are lanes. */
    if (p->inner == 1) {
        p->inner = p->outer;
        p->lanes = p->channels;
        p->outer = p->channels = 1;
    }
    return 1;
}

static int32_t quantize_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const TsrTensor *scale = node->values[1], *zero = nn_value(node, 2);
    TsrQuantizeParams p = { .struct_size = sizeof(p),
                            .dtype = is_quantize(node) ? node->outputs[0]->dtype
                                                       : node->inputs[0]->dtype };
    uint32_t args[4] = { TSR_ARG_INPUT | 0, TSR_ARG_NULL, TSR_ARG_NULL, TSR_ARG_OUTPUT | 0 };
    int32_t status, *zeros;
    int64_t count, given, runs;
    float *scales;
    (void)op;
    if (!fill_shape(node, &p))
        return sink->fail(sink, TSR_UNSUPPORTED, "%s '%s': x is %s, y %s", node->op_type,
                          node->name, tsr_format_name(node->inputs[0]->storage_format),
                          tsr_format_name(node->outputs[0]->storage_format));
    count = p.channels * p.lanes;
    given = tsr_desc_elements(scale->desc);
    scales = malloc((size_t)count * sizeof(*scales));
    zeros = calloc((size_t)count, sizeof(*zeros));
    status = scales != NULL && zeros != NULL
                 ? TSR_OK : sink->fail(sink, TSR_OUT_OF_MEMORY, "%s '%s': scales", node->op_type,
                                       node->name);
    for (int64_t i = 0; status == TSR_OK && i < count; i++) {
        /* Padding lanes: any scale will do. */
        const int64_t at = i < given ? i : given - 1;
        scales[i] = ((const float *)scale->data)[at];
        zeros[i] = zero != NULL ? nn_q_int_at(zero, at) : 0;
    }
    if (status == TSR_OK)
        status = sink->constant(sink, scales, (uint64_t)count * sizeof(*scales), &args[1]);
    if (status == TSR_OK)
        status = sink->constant(sink, zeros, (uint64_t)count * sizeof(*zeros), &args[2]);
    free(scales);
    free(zeros);
    if (status != TSR_OK)
        return status;
    runs = p.outer * p.channels * nn_ceil_div(p.inner * p.lanes, 4096);
    return nn_task(sink, is_quantize(node) ? TSR_KERNEL_QUANTIZE : TSR_KERNEL_DEQUANTIZE,
                   nn_block_dim(sink, runs, (double)tsr_desc_storage_elements(node->inputs[0])),
                   args, 4, &p, sizeof(p));
}

static int32_t dynamic_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const int64_t count = tsr_desc_elements(node->inputs[0]), run = 16384;
    const int64_t pieces = nn_ceil_div(count, run);
    const TsrDynamicParams p = { .struct_size = sizeof(p), .count = count, .run = run };
    const uint32_t blocks = nn_block_dim(sink, pieces, (double)count);
    uint32_t args[5] = { TSR_ARG_INPUT | 0, TSR_ARG_NULL, TSR_ARG_OUTPUT | 0, TSR_ARG_NULL,
                         TSR_ARG_NULL };
    int32_t status = sink->workspace(sink, (uint64_t)pieces * 2 * sizeof(float), &args[1]);
    (void)op;
    for (uint32_t i = 1; i < node->output_count; i++)
        if (node->outputs[i] != NULL)
            args[2 + i] = TSR_ARG_OUTPUT | i;
    if (status == TSR_OK)
        status = nn_task(sink, TSR_KERNEL_RANGE_F32, blocks, args, 2, &p, sizeof(p));
    if (status != TSR_OK)
        return status;
    return nn_task(sink, TSR_KERNEL_QUANTIZE_DYNAMIC, blocks, args, 5, &p, sizeof(p));
}

static const NnOp ops[] = {
    { .op_type = "QuantizeLinear", .domain = "", .min_version = 10, .max_version = 25,
      .flags = NN_ANY_DTYPE, .check = quantize_check, .build = quantize_build,
      .select = &quantize_select },
    { .op_type = "DequantizeLinear", .domain = "", .min_version = 10, .max_version = 25,
      .flags = NN_ANY_DTYPE, .check = quantize_check, .build = quantize_build,
      .select = &quantize_select },
    { .op_type = "DynamicQuantizeLinear", .domain = "", .min_version = 11, .max_version = 11,
      .flags = NN_ANY_DTYPE, .build = dynamic_build },
};

const NnOpTable nn_quantize_ops = { ops, sizeof(ops) / sizeof(ops[0]) };
