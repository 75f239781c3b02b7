/* SPDX-License-Identifier: Apache-2.0
 *
 * engine.c: answers "can nn_engine run this node?" from the rows of nn.h, and holds the
 * reading of attributes that several families share. Called by the framework when it
 * places nodes. Invariant: what check() accepts, executor.c can build as soon as the
 * shapes are known.
 */
#include <limits.h>
#include "nn.h"

static const NnOpTable *const tables[] = {
    &nn_conv_ops, &nn_gemm_ops, &nn_pool_ops, &nn_eltwise_ops, &nn_norm_ops, &nn_layout_ops,
    &nn_resize_ops, &nn_deconv_ops, &nn_recurrent_ops, &nn_shuffle_ops, &nn_transdata_ops,
    &nn_attention_ops, &nn_chain_ops, &nn_cast_ops, &nn_window_ops, &nn_excite_ops,
    &nn_separable_ops, &nn_pixel_rows_ops,
    &nn_quant_conv_ops, &nn_quant_gemm_ops, &nn_quantize_ops, &nn_quant_eltwise_ops,
};

const NnOp *nn_op_find(const TsrNodeView *node, int *out_op_known)
{
    *out_op_known = 0;
    for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
        for (uint32_t i = 0; i < tables[t]->count; i++) {
            const NnOp *op = &tables[t]->ops[i];
            if (strcmp(op->op_type, node->op_type) != 0 || strcmp(op->domain, node->domain) != 0)
                continue;
            *out_op_known = 1;
            if (node->since_version >= op->min_version &&
                node->since_version <= op->max_version)
                return op;
        }
    return NULL;
}

/* Whether dtype, rank and extents of a port are ours; fills the refusal. */
static int check_port(const NnOp *op, const TsrTensorDesc *desc, const char *what, uint32_t index,
                      uint64_t dtypes, TsrSupport *out_support)
{
    char text[96];
    if (desc->kind != TSR_KIND_TENSOR) {
        tsr_support_no(out_support, TSR_REFUSE_DTYPE, "%s %u is no tensor", what, index);
        return 0;
    }
    if (desc->dtype >= TSR_DTYPE_COUNT || !(dtypes >> desc->dtype & 1)) {
        tsr_support_no(out_support, TSR_REFUSE_DTYPE, "%s %u is %s, only %s is supported", what,
                       index, tsr_dtype_name(desc->dtype),
                       tsr_dtype_name((uint32_t)__builtin_ctzll(dtypes)));
        return 0;
    }
    if (desc->rank == TSR_RANK_UNKNOWN || desc->rank > TSR_NPU_MAX_DIMS) {
        tsr_support_no(out_support,
                       desc->rank == TSR_RANK_UNKNOWN ? TSR_REFUSE_DYNAMIC : TSR_REFUSE_SHAPE,
                       "%s %u: rank %s, up to %d is supported", what, index,
                       desc->rank == TSR_RANK_UNKNOWN ? "is unknown" : "is too high",
                       TSR_NPU_MAX_DIMS);
        return 0;
    }
    if ((op->flags & NN_STATIC_ONLY) && !tsr_desc_is_static(desc)) {
        tsr_support_no(out_support, TSR_REFUSE_DYNAMIC, "%s %u has the shape %s", what, index,
                       tsr_shape_text(desc->rank, desc->shape, text, sizeof(text)));
        return 0;
    }
    if (tsr_desc_is_static(desc)) {
        int64_t elements = 1;
        for (uint32_t i = 0; i < desc->rank; i++)
            if (desc->shape[i] > INT32_MAX ||
                __builtin_mul_overflow(elements, desc->shape[i], &elements) ||
                elements > INT64_C(1) << 40) {
                tsr_support_no(out_support, TSR_REFUSE_SHAPE, "%s %u has the shape %s, too large",
                               what, index,
                               tsr_shape_text(desc->rank, desc->shape, text, sizeof(text)));
                return 0;
            }
    }
    return 1;
}

static uint64_t row_dtypes(const NnOp *op)
{
    return op->dtypes != 0                 ? op->dtypes
           : (op->flags & NN_WIDENS) != 0 ? NN_FLOATS
                                           : TSR_BIT(TSR_DTYPE_FLOAT);
}

/* Input 0 chooses the float type; constants of our own operators may be float as well. */
static uint64_t input_dtypes(const NnOp *op, const TsrNodeView *node, uint32_t i)
{
    const uint64_t own = row_dtypes(op);
    if ((op->flags & NN_ANY_DTYPE) || (op->f32_inputs != 0 && i >= op->f32_inputs))
        return UINT64_MAX;
    if (i == 0)
        return own;
    if (node->inputs[0] == NULL)
        return TSR_BIT(TSR_DTYPE_FLOAT);
    return TSR_BIT(node->inputs[0]->dtype) |
           (strcmp(op->domain, NN_DOMAIN) == 0 && nn_value(node, i) != NULL
                ? TSR_BIT(TSR_DTYPE_FLOAT) : 0);
}

/* Further outputs are statistics, which stay float; rows that widen and those that fusion
 * makes have none. */
static uint64_t output_dtypes(const NnOp *op, const TsrNodeView *node, uint32_t i)
{
    if (op->flags & NN_ANY_DTYPE)
        return UINT64_MAX;
    if (i > 0 && (op->flags & NN_WIDENS) == 0 && strcmp(op->domain, NN_DOMAIN) != 0)
        return TSR_BIT(TSR_DTYPE_FLOAT);
    return TSR_BIT(node->input_count > 0 && node->inputs[0] != NULL ? node->inputs[0]->dtype
                                                                    : TSR_DTYPE_FLOAT);
}

static int32_t engine_check(const TsrEngine *engine, const TsrNodeView *node,
                            TsrSupport *out_support)
{
    int known;
    const NnOp *op = nn_op_find(node, &known);
    (void)engine;
    if (op == NULL && known)
        return tsr_support_no(out_support, TSR_REFUSE_VERSION, "%s: version %u has no row",
                              node->op_type, node->since_version);
    if (op == NULL)
        return tsr_support_no(out_support, TSR_REFUSE_OP, "%s%s%s: no such row", node->domain,
                              node->domain[0] ? "." : "", node->op_type);
    if (node->output_count == 0 || node->outputs[0] == NULL)
        return tsr_support_no(out_support, TSR_REFUSE_ATTR, "output 0 is not wanted");
    tsr_support_yes(out_support, 0.0f);
    for (uint32_t i = 0; i < node->input_count; i++)
        if (node->inputs[i] != NULL &&
            !check_port(op, node->inputs[i], "input", i, input_dtypes(op, node, i), out_support))
            return TSR_OK;
    for (uint32_t i = 0; i < node->output_count; i++)
        if (node->outputs[i] != NULL &&
            !check_port(op, node->outputs[i], "output", i, output_dtypes(op, node, i),
                        out_support))
            return TSR_OK;
    if (op->check != NULL)
        op->check(op, node, out_support);
    return TSR_OK;
}

const TsrEngine nn_engine = {
    .struct_size = sizeof(TsrEngine),
    .flags = TSR_ENGINE_DYNAMIC,
    .name = "nn_engine",
    .device = "npu_sim",
    .default_priority = 90,
    .blob_version = 4,
    .check = engine_check,
    .precision = nn_precision,
};

int nn_is_picture(const TsrTensorDesc *desc)
{
    return desc->rank == 4 &&
           (desc->origin_format == TSR_FORMAT_NCHW || desc->origin_format == TSR_FORMAT_ND);
}

int nn_constant_float(const TsrNodeView *node, uint32_t i, float missing, float *out_value)
{
    const TsrTensor *value;
    *out_value = missing;
    if (nn_input(node, i) == NULL)
        return 1;
    value = nn_value(node, i);
    if (value == NULL || !nn_is_float(value->desc->dtype) ||
        tsr_desc_elements(value->desc) != 1 || value->data == NULL)
        return 0;
    *out_value = nn_float_at(value, 0);
    return 1;
}

int nn_picture_of(const TsrTensorDesc *desc, NnPicture *out_picture)
{
    const int64_t *s = desc->shape;
    if (desc->rank != 3 && desc->rank != 4)
        return 0;
    for (uint32_t i = 0; i < desc->rank; i++)
        if (s[i] < 0 || s[i] > INT32_MAX)
            return 0;
    *out_picture = (NnPicture){ (int32_t)s[0], (int32_t)s[1],
                                desc->rank == 4 ? (int32_t)s[2] : 1,
                                (int32_t)s[desc->rank - 1] };
    return 1;
}

/* Fills out with the attribute, or with `missing`; 0 when count or range is wrong. */
static int read_ints(const TsrNodeView *node, const char *name, uint32_t want, int64_t missing,
                     int64_t least, int32_t *out)
{
    uint32_t count;
    const int64_t *ints = tsr_attr_ints(node, name, &count);
    if (count != 0 && count != want)
        return 0;
    for (uint32_t i = 0; i < want; i++) {
        const int64_t v = count != 0 ? ints[i] : missing;
        if (v < least || v > 1 << 20)
            return 0;
        out[i] = (int32_t)v;
    }
    return 1;
}

/* Pads of one dimension under auto_pad (ONNX Conv 22): out = ceil(in / stride). */
static void same_pads(int upper, int64_t in, int64_t out, int64_t kernel, int64_t stride,
                      int64_t dilation, int32_t *out_begin, int32_t *out_end)
{
    int64_t total = (out - 1) * stride + (kernel - 1) * dilation + 1 - in;
    if (total < 0)
        total = 0;
    *out_begin = (int32_t)(upper ? total / 2 : total - total / 2);
    *out_end = (int32_t)(total - *out_begin);
}

int nn_window_of(const TsrNodeView *node, uint32_t spatial, const int64_t *kernel,
                 const NnPicture *x, const NnPicture *y, NnWindow *out_window)
{
    int32_t strides[2] = { 1, 1 }, dilations[2] = { 1, 1 }, pads[4] = { 0, 0, 0, 0 };
    const uint32_t w = spatial - 1;
    const int upper = tsr_attr_is(node, "auto_pad", "SAME_UPPER");
    const int lower = tsr_attr_is(node, "auto_pad", "SAME_LOWER");
    NnWindow o;
    if (spatial < 1 || spatial > 2 || !read_ints(node, "strides", spatial, 1, 1, strides) ||
        !read_ints(node, "dilations", spatial, 1, 1, dilations) ||
        !read_ints(node, "pads", 2 * spatial, 0, 0, pads))
        return 0;
    for (uint32_t i = 0; i < spatial; i++)
        if (kernel[i] < 1 || kernel[i] > 1 << 20)
            return 0;
    o = (NnWindow){ 1, (int32_t)kernel[w], 1, strides[w], 1, dilations[w],
                    0, pads[w], 0, pads[spatial + w] };
    if (spatial == 2) {
        o.kernel_h = (int32_t)kernel[0];
        o.stride_h = strides[0];
        o.dilation_h = dilations[0];
        o.pad_top = pads[0];
        o.pad_bottom = pads[2];
    }
    if (tsr_attr_is(node, "auto_pad", "VALID"))
        o.pad_top = o.pad_left = o.pad_bottom = o.pad_right = 0;
    if (upper || lower) {
        same_pads(upper, x->w, y->w, o.kernel_w, o.stride_w, o.dilation_w, &o.pad_left,
                  &o.pad_right);
        if (spatial == 2)
            same_pads(upper, x->h, y->h, o.kernel_h, o.stride_h, o.dilation_h, &o.pad_top,
                      &o.pad_bottom);
    }
    *out_window = o;
    return 1;
}

int64_t nn_window_extent(const TsrNodeView *node, uint32_t axis, uint32_t spatial, int64_t in,
                         int64_t kernel)
{
    uint32_t strides, dilations, pads;
    const int64_t *s = tsr_attr_ints(node, "strides", &strides);
    const int64_t *d = tsr_attr_ints(node, "dilations", &dilations);
    const int64_t *p = tsr_attr_ints(node, "pads", &pads);
    const int64_t stride = strides == spatial && s[axis] > 0 ? s[axis] : 1;
    const int64_t extent = (kernel - 1) * (dilations == spatial ? d[axis] : 1) + 1;
    int64_t behind = 0, out;
    if (in < 0 || kernel < 0)
        return TSR_DIM_UNKNOWN;
    if (tsr_attr_is(node, "auto_pad", "SAME_UPPER") || tsr_attr_is(node, "auto_pad", "SAME_LOWER"))
        return nn_ceil_div(in, stride);
    if (pads == 2 * spatial && !tsr_attr_is(node, "auto_pad", "VALID")) {
        behind = p[spatial + axis];
        in += p[axis] + behind;
    }
    if (in < extent)
        return 0;
    out = (in - extent) / stride + 1;
    /* A last window that is cut must begin before the padding behind (ONNX AveragePool 19). */
    if (tsr_attr_int(node, "ceil_mode", 0) != 0 && (in - extent) % stride != 0 &&
        out * stride < in - behind)
        out++;
    return out;
}

TsrActivation nn_activation_of(const TsrNodeView *node)
{
    const TsrActivation a = { (uint32_t)tsr_attr_int(node, "activation", TSR_ACT_NONE),
                              tsr_attr_float(node, "alpha", 0.0f),
                              tsr_attr_float(node, "beta", 0.0f) };
    return a;
}
