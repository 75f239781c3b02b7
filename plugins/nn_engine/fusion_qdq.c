/* SPDX-License-Identifier: Apache-2.0
 *
 * fusion_qdq.c: the pass nn_qdq: an operator between DequantizeLinear and QuantizeLinear,
 * as quantizers export them, becomes an operator on bytes. Called through the table in
 * fusion.c, before formats are inferred. What stays of a pair Quantize-Dequantize is never
 * removed: it rounds.
 *
 *   MaxPool, Reshape, Flatten, Transpose, Squeeze, Unsqueeze, Concat whose inputs and output
 *     share scale and zero point: the same operator on bytes. Exact: with them
 *     Quantize(Dequantize(q)) is q.
 *   Add of equal shapes (QAdd): exact, the kernel rounds as the float operators do.
 *   Conv, Gemm, MatMul with constant weights (QConv, QMatMul): the sum is exact instead of
 *     rounded to float at every step, so that y is within one step of quantization.
 *   AveragePool, GlobalAveragePool (QPool): likewise within one step.
 *
 * A Relu or Clip before QuantizeLinear narrows the range of y, which is exact since
 * rounding is monotone. A float bias is rounded to the scale of the sum, which is what
 * quantizers do. Only the value that vanishes (between operator and QuantizeLinear) must
 * not be read elsewhere; a DequantizeLinear with other readers stays for them.
 */
#include <math.h>
#include <stdlib.h>
#include "fusion_match.h"
#include "quantized.h"

enum { MAX_INPUTS = 16, MAX_ATTRS = 16, CONV_PORTS = 9 };

/* A tensor of bytes or int32 behind a DequantizeLinear, or before a QuantizeLinear. */
typedef struct Quant {
    uint32_t value;           /* the integers */
    uint32_t scale, zero;     /* values; zero may be TSR_NO_VALUE */
    const TsrTensor *scale_tensor, *zero_tensor;
    uint32_t dtype;
    int64_t scales, axis;     /* axis of x, where there are several */
} Quant;

/* Reads node, a QuantizeLinear or DequantizeLinear with constant parameters. */
static int read_quant(const TsrGraphEdit *edit, uint32_t node, const char *op_type, Quant *out)
{
    const TsrNodeView *view = node != UINT32_MAX ? edit->node(edit, node) : NULL;
    const int forward = op_type[0] == 'Q';
    if (!nn_is_op(view, "", op_type) || nn_value(view, 1) == NULL ||
        (nn_input(view, 2) != NULL && nn_value(view, 2) == NULL) ||
        view->inputs[1]->dtype != TSR_DTYPE_FLOAT || view->inputs[1]->rank > 1 ||
        tsr_attr_int(view, "block_size", 0) != 0 ||
        view->inputs[0]->rank == TSR_RANK_UNKNOWN)
        return 0;
    *out = (Quant){ .scale = edit->input_value(edit, node, 1), .zero = TSR_NO_VALUE,
                    .scale_tensor = view->values[1], .zero_tensor = nn_value(view, 2) };
    out->value = forward ? edit->output_value(edit, node, 0) : edit->input_value(edit, node, 0);
    out->dtype = (forward ? view->outputs[0] : view->inputs[0])->dtype;
    if ((forward ? view->inputs[0] : view->outputs[0])->dtype != TSR_DTYPE_FLOAT)
        return 0;
    if (out->zero_tensor != NULL) {
        out->zero = edit->input_value(edit, node, 2);
        if (out->zero_tensor->desc->dtype != out->dtype ||
            tsr_desc_elements(out->zero_tensor->desc) != tsr_desc_elements(view->inputs[1]))
            return 0;
    }
    out->scales = tsr_desc_elements(view->inputs[1]);
    out->axis = tsr_axis_normalize(tsr_attr_int(view, "axis", 1), view->inputs[0]->rank);
    for (int64_t i = 0; i < out->scales; i++)
        if (!(((const float *)out->scale_tensor->data)[i] > 0.0f))
            return 0;
    return out->scales == 1 ||
           (out->axis >= 0 && view->inputs[0]->shape[out->axis] == out->scales);
}

/* The DequantizeLinear that writes that input. */
static int read_input(const TsrGraphEdit *edit, uint32_t node, uint32_t index, Quant *out)
{
    const uint32_t value = edit->input_value(edit, node, index);
    return value != TSR_NO_VALUE &&
           read_quant(edit, edit->producer(edit, value), "DequantizeLinear", out);
}

static int is_byte_tensor(const Quant *q) { return nn_is_byte(q->dtype) && q->scales == 1; }

static float scale_of(const Quant *q, int64_t i)
{
    return ((const float *)q->scale_tensor->data)[q->scales == 1 ? 0 : i];
}

static int32_t zero_of(const Quant *q)
{
    return q->zero_tensor != NULL ? nn_q_int_at(q->zero_tensor, 0) : 0;
}

static int same_params(const Quant *a, const Quant *b)
{
    return a->dtype == b->dtype && scale_of(a, 0) == scale_of(b, 0) && zero_of(a) == zero_of(b);
}

/* The zero point as a value, made where the node has none. */
static uint32_t zero_value(const TsrGraphEdit *edit, const Quant *q)
{
    static const uint8_t none = 0;
    const TsrTensorDesc desc = { .struct_size = sizeof(desc), .dtype = q->dtype, .name = "" };
    return q->zero != TSR_NO_VALUE ? q->zero : edit->add_constant(edit, &desc, &none);
}

/* A pattern under construction: the operator, what follows it, and the result. */
typedef struct Match {
    uint32_t node;          /* the operator */
    NnPattern pattern;
    Quant y;
    int32_t low, high;      /* of y's elements */
    int activated;
} Match;

/* The element of y for a limit of an activation. */
static int32_t limit_of(const Quant *y, float v)
{
    const int is_signed = y->dtype == TSR_DTYPE_INT8;
    const double q = rint((double)(v / scale_of(y, 0))) + zero_of(y);
    return (int32_t)fmin(fmax(q, is_signed ? -128.0 : 0.0), is_signed ? 127.0 : 255.0);
}

/* Reads what stands before the QuantizeLinear `node`. */
static int read_match(const TsrGraphEdit *edit, uint32_t node, Match *m)
{
    TsrActivation a;
    *m = (Match){ .node = nn_vanishing_producer(edit, node, 0) };
    if (!read_quant(edit, node, "QuantizeLinear", &m->y) || !is_byte_tensor(&m->y) ||
        m->node == UINT32_MAX || edit->node(edit, m->node) == NULL)
        return 0;
    m->low = m->y.dtype == TSR_DTYPE_INT8 ? -128 : 0;
    m->high = m->y.dtype == TSR_DTYPE_INT8 ? 127 : 255;
    nn_pattern_add(&m->pattern, node);
    a = nn_activation_node(edit->node(edit, m->node));
    if (a.kind == TSR_ACT_RELU || (a.kind == TSR_ACT_CLIP && a.alpha <= a.beta)) {
        const float low = a.kind == TSR_ACT_RELU ? 0.0f : a.alpha;
        const float high = a.kind == TSR_ACT_RELU ? INFINITY : a.beta;
        m->low = limit_of(&m->y, low);
        m->high = limit_of(&m->y, high);
        m->activated = 1;
        nn_pattern_add(&m->pattern, m->node);
        m->node = nn_vanishing_producer(edit, m->node, 0);
        if (m->node == UINT32_MAX || edit->node(edit, m->node) == NULL)
            return 0;
    }
    nn_pattern_add(&m->pattern, m->node);
    return 1;
}

/* Replaces the pattern; attributes of the operator with these names are kept. */
static int32_t replace(const TsrGraphEdit *edit, const Match *m, const char *op_type,
                       const uint32_t *inputs, uint32_t count, const char *const *kept)
{
    const TsrNodeView *view = edit->node(edit, m->node);
    const TsrAttr low = nn_attr_int("low", m->low), high = nn_attr_int("high", m->high);
    const TsrAttr *attrs[MAX_ATTRS] = { &low, &high };
    uint32_t attr_count = 2;
    for (; kept != NULL && *kept != NULL; kept++) {
        const TsrAttr *attr = tsr_attr_find(view, *kept);
        if (attr != NULL && (attr->type != TSR_ATTR_INTS || attr->count > 0))
            attrs[attr_count++] = attr;
    }
    for (uint32_t i = 0; i < count; i++)
        if (inputs[i] == TSR_NO_VALUE && i + 1 < CONV_PORTS)
            return TSR_UNSUPPORTED;
    return nn_replace(edit, &m->pattern, NN_DOMAIN, op_type, inputs, count, m->y.value, attrs,
                      attr_count);
}

/* -------------------------------------------------------- sums of products */

/* The bias in the scale of the sum: int32 behind a DequantizeLinear of just that scale, or
 * a float constant, rounded. 0 when there is one that is neither. */
static int bias_value(const TsrGraphEdit *edit, const Match *m, uint32_t index, const Quant *x,
                      const Quant *w, int64_t channels, uint32_t *out_value)
{
    const uint32_t value = edit->input_value(edit, m->node, index);
    const TsrTensor *constant = value != TSR_NO_VALUE ? edit->constant(edit, value) : NULL;
    const TsrTensorDesc desc = { .struct_size = sizeof(desc), .dtype = TSR_DTYPE_INT32,
                                 .rank = 1, .storage_rank = 1, .shape = &channels,
                                 .storage_shape = &channels, .name = "" };
    int32_t *rounded;
    Quant b;
    *out_value = TSR_NO_VALUE;
    if (value == TSR_NO_VALUE)
        return 1;
    if (read_input(edit, m->node, index, &b)) {
        const TsrTensorDesc *d = edit->desc(edit, b.value);
        int fits = b.dtype == TSR_DTYPE_INT32 && edit->constant(edit, b.value) != NULL &&
                   d->rank == 1 && d->shape[0] == channels;
        for (int64_t i = 0; fits && i < channels; i++) {
            const double want = (double)scale_of(x, 0) * (double)scale_of(w, i);
            fits = fabs((double)scale_of(&b, i) - want) <= 1e-6 * want;
        }
        for (int64_t i = 0; fits && b.zero_tensor != NULL && i < b.scales; i++)
            fits = nn_q_int_at(b.zero_tensor, i) == 0;
        *out_value = b.value;
        return fits;
    }
    if (constant == NULL || constant->desc->dtype != TSR_DTYPE_FLOAT ||
        constant->desc->rank != 1 || constant->desc->shape[0] != channels ||
        (rounded = malloc((size_t)channels * sizeof(*rounded) + 1)) == NULL)
        return 0;
    for (int64_t i = 0; i < channels; i++) {
        const double v = (double)((const float *)constant->data)[i] /
                         ((double)scale_of(x, 0) * (double)scale_of(w, i));
        if (!(fabs(v) < 1073741824.0)) {
            free(rounded);
            return 0;
        }
        rounded[i] = (int32_t)rint(v);
    }
    *out_value = edit->add_constant(edit, &desc, rounded);
    free(rounded);
    return *out_value != TSR_NO_VALUE;
}

/* channel_axis: of the weights; bias_input: UINT32_MAX for none. */
static int32_t fuse_product(const TsrGraphEdit *edit, const Match *m, int64_t channel_axis,
                            uint32_t bias_input, const char *op_type, const char *const *kept)
{
    uint32_t inputs[CONV_PORTS], bias = TSR_NO_VALUE;
    const TsrTensorDesc *d;
    Quant x, w;
    if (!read_input(edit, m->node, 0, &x) || !is_byte_tensor(&x) ||
        !read_input(edit, m->node, 1, &w) || !nn_is_byte(w.dtype) ||
        edit->constant(edit, w.value) == NULL)
        return TSR_UNSUPPORTED;
    d = edit->desc(edit, w.value);
    if (d->rank <= channel_axis || (w.scales != 1 && w.axis != channel_axis) ||
        (bias_input != UINT32_MAX &&
         !bias_value(edit, m, bias_input, &x, &w, d->shape[channel_axis], &bias)))
        return TSR_UNSUPPORTED;
    inputs[0] = x.value;
    inputs[1] = x.scale;
    inputs[2] = zero_value(edit, &x);
    inputs[3] = w.value;
    inputs[4] = w.scale;
    inputs[5] = zero_value(edit, &w);
    inputs[6] = m->y.scale;
    inputs[7] = zero_value(edit, &m->y);
    inputs[8] = bias;
    return replace(edit, m, op_type, inputs, bias != TSR_NO_VALUE ? 9 : 8, kept);
}

static int32_t fuse_conv(const TsrGraphEdit *edit, const Match *m)
{
    static const char *const kept[] = { "auto_pad", "dilations", "group", "kernel_shape", "pads",
                                        "strides", NULL };
    const TsrNodeView *view = edit->node(edit, m->node);
    return fuse_product(edit, m, 0, view->input_count > 2 ? 2 : UINT32_MAX, "QConv", kept);
}

static int32_t fuse_gemm(const TsrGraphEdit *edit, const Match *m)
{
    static const char *const kept[] = { "transB", NULL };
    const TsrNodeView *view = edit->node(edit, m->node);
    if (view->since_version < 7 || tsr_attr_float(view, "alpha", 1.0f) != 1.0f ||
        tsr_attr_float(view, "beta", 1.0f) != 1.0f || tsr_attr_int(view, "transA", 0) != 0)
        return TSR_UNSUPPORTED;
    return fuse_product(edit, m, tsr_attr_int(view, "transB", 0) != 0 ? 0 : 1,
                        view->input_count > 2 ? 2 : UINT32_MAX, "QMatMul", kept);
}

static int32_t fuse_matmul(const TsrGraphEdit *edit, const Match *m)
{
    const TsrNodeView *view = edit->node(edit, m->node);
    if (view->inputs[1]->rank != 2)
        return TSR_UNSUPPORTED;
    return fuse_product(edit, m, 1, UINT32_MAX, "QMatMul", NULL);
}

/* ------------------------------------------------------------------- others */

static int32_t fuse_add(const TsrGraphEdit *edit, const Match *m)
{
    const TsrNodeView *view = edit->node(edit, m->node);
    Quant a, b;
    if (view->since_version < 7 || !nn_same_static(view->inputs[0], view->inputs[1]) ||
        !read_input(edit, m->node, 0, &a) || !read_input(edit, m->node, 1, &b) ||
        !is_byte_tensor(&a) || !is_byte_tensor(&b))
        return TSR_UNSUPPORTED;
    const uint32_t inputs[8] = { a.value, a.scale, zero_value(edit, &a), b.value, b.scale,
                                 zero_value(edit, &b), m->y.scale, zero_value(edit, &m->y) };
    return replace(edit, m, "QAdd", inputs, 8, NULL);
}

static int32_t fuse_pool(const TsrGraphEdit *edit, const Match *m)
{
    static const char *const kept[] = { "auto_pad", "count_include_pad", "dilations",
                                        "kernel_shape", "pads", "strides", NULL };
    const TsrNodeView *view = edit->node(edit, m->node);
    Quant x;
    if (tsr_attr_int(view, "ceil_mode", 0) != 0 || !read_input(edit, m->node, 0, &x) ||
        !is_byte_tensor(&x))
        return TSR_UNSUPPORTED;
    const uint32_t inputs[5] = { x.value, x.scale, zero_value(edit, &x), m->y.scale,
                                 zero_value(edit, &m->y) };
    return replace(edit, m, "QPool", inputs, 5, kept);
}

/* The same operator on bytes. data_inputs: how many of its inputs are dequantized, 0: all;
 * since: the first version that takes bytes. */
static int32_t fuse_move(const TsrGraphEdit *edit, const Match *m, uint32_t data_inputs,
                         uint32_t since)
{
    const TsrNodeView *view = edit->node(edit, m->node);
    uint32_t inputs[MAX_INPUTS];
    if (m->activated || view->since_version < since || view->input_count > MAX_INPUTS ||
        (view->output_count > 1 && view->outputs[1] != NULL))
        return TSR_UNSUPPORTED;
    for (uint32_t i = 0; i < view->input_count; i++) {
        Quant x;
        inputs[i] = edit->input_value(edit, m->node, i);
        if (data_inputs != 0 && i >= data_inputs)
            continue;
        if (!read_input(edit, m->node, i, &x) || !is_byte_tensor(&x) || !same_params(&x, &m->y))
            return TSR_UNSUPPORTED;
        inputs[i] = x.value;
    }
    return nn_replace(edit, &m->pattern, "", view->op_type, inputs, view->input_count,
                      m->y.value, view->attrs, view->attr_count);
}

/* What stands between; either fuse or a movement of bytes. */
static const struct {
    const char *op_type;
    int32_t (*fuse)(const TsrGraphEdit *edit, const Match *m);
    uint32_t data_inputs, since;
} rules[] = {
    { .op_type = "Conv", .fuse = fuse_conv },
    { .op_type = "Gemm", .fuse = fuse_gemm },
    { .op_type = "MatMul", .fuse = fuse_matmul },
    { .op_type = "Add", .fuse = fuse_add },
    { .op_type = "AveragePool", .fuse = fuse_pool },
    { .op_type = "GlobalAveragePool", .fuse = fuse_pool },
    { .op_type = "MaxPool", .data_inputs = 1, .since = 12 },
    { .op_type = "Reshape", .data_inputs = 1, .since = 5 },
    { .op_type = "Flatten", .data_inputs = 1, .since = 9 },
    { .op_type = "Transpose", .data_inputs = 1, .since = 1 },
    { .op_type = "Squeeze", .data_inputs = 1, .since = 1 },
    { .op_type = "Unsqueeze", .data_inputs = 1, .since = 1 },
    { .op_type = "Concat", .data_inputs = 0, .since = 4 },
};

static int32_t apply_qdq(const TsrFusionPass *pass, const TsrGraphEdit *edit, uint32_t node)
{
    Match m;
    (void)pass;
    if (edit->node(edit, node) == NULL || !read_match(edit, node, &m))
        return TSR_UNSUPPORTED;
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (!nn_is_op(edit->node(edit, m.node), "", rules[i].op_type))
            continue;
        return rules[i].fuse != NULL
                   ? rules[i].fuse(edit, &m)
                   : fuse_move(edit, &m, rules[i].data_inputs, rules[i].since);
    }
    return TSR_UNSUPPORTED;
}

static const char *const roots[] = { "QuantizeLinear" };

const TsrFusionPass nn_qdq_pass = {
    .struct_size = sizeof(TsrFusionPass), .order = 5, .name = "nn_qdq",
    .description = "Computes what stands between DequantizeLinear and QuantizeLinear on bytes",
    .default_on = 1, .root_count = 1, .root_ops = roots, .apply = apply_qdq,
    .stage = TSR_STAGE_BEFORE_FORMATS,
};
