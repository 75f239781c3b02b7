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
 *   Add (QAdd), and an activation alone or nothing (QClip): exact, the kernel rounds as the
 *     float operators do.
 *   Conv, Gemm, MatMul with constant weights (QConv, QMatMul), also with the Add of a bias
 *     behind MatMul or of a residual behind Conv: the sum is exact instead of rounded to float
 *     at every step, so that y is within one step of quantization.
 *   AveragePool, GlobalAveragePool (QPool): likewise within one step.
 *
 * A Relu or Clip before QuantizeLinear narrows the range of y, which is exact since
 * rounding is monotone. A float bias is rounded to the scale of the sum, which is what
 * quantizers do. Only the value that vanishes (between operator and QuantizeLinear) must
 * not be read elsewhere; a DequantizeLinear with other readers stays for them.
 */
#include <math.h>
#include "fusion_qdq.h"
#include "ops_quantized.h"

enum { MAX_INPUTS = 16, MAX_ATTRS = 16 };

/* Reads node, a QuantizeLinear or DequantizeLinear with constant parameters. */
static int read_quant(const TsrGraphEdit *edit, uint32_t node, const char *op_type, NnQuant *out)
{
    const TsrNodeView *view = node != UINT32_MAX ? edit->node(edit, node) : NULL;
    const int forward = op_type[0] == 'Q';
    if (!nn_is_op(view, "", op_type) || nn_value(view, 1) == NULL ||
        (nn_input(view, 2) != NULL && nn_value(view, 2) == NULL) ||
        view->inputs[1]->dtype != TSR_DTYPE_FLOAT || view->inputs[1]->rank > 1 ||
        tsr_attr_int(view, "block_size", 0) != 0 ||
        view->inputs[0]->rank == TSR_RANK_UNKNOWN)
        return 0;
    *out = (NnQuant){ .scale = edit->input_value(edit, node, 1), .zero = TSR_NO_VALUE,
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

int nn_qdq_input(const TsrGraphEdit *edit, uint32_t node, uint32_t index, NnQuant *out)
{
    const uint32_t value = edit->input_value(edit, node, index);
    return value != TSR_NO_VALUE &&
           read_quant(edit, edit->producer(edit, value), "DequantizeLinear", out);
}

static int32_t zero_of(const NnQuant *q)
{
    return q->zero_tensor != NULL ? nn_q_int_at(q->zero_tensor, 0) : 0;
}

static int same_params(const NnQuant *a, const NnQuant *b)
{
    return a->dtype == b->dtype && nn_qdq_scale(a, 0) == nn_qdq_scale(b, 0) &&
           zero_of(a) == zero_of(b);
}

uint32_t nn_qdq_zero(const TsrGraphEdit *edit, const NnQuant *q)
{
    static const uint8_t none = 0;
    const TsrTensorDesc desc = { .struct_size = sizeof(desc), .dtype = q->dtype, .name = "" };
    return q->zero != TSR_NO_VALUE ? q->zero : edit->add_constant(edit, &desc, &none);
}

/* The element of y for a limit of an activation. */
static int32_t limit_of(const NnQuant *y, float v)
{
    const int is_signed = y->dtype == TSR_DTYPE_INT8;
    const double q = rint((double)(v / nn_qdq_scale(y, 0))) + zero_of(y);
    return (int32_t)fmin(fmax(q, is_signed ? -128.0 : 0.0), is_signed ? 127.0 : 255.0);
}

/* Reads what stands before the QuantizeLinear `node`. */
static int read_match(const TsrGraphEdit *edit, uint32_t node, NnQdqMatch *m)
{
    TsrActivation a;
    *m = (NnQdqMatch){ .node = nn_vanishing_producer(edit, node, 0), .tail = node };
    if (!read_quant(edit, node, "QuantizeLinear", &m->y) || !nn_qdq_is_byte(&m->y))
        return 0;
    m->low = m->y.dtype == TSR_DTYPE_INT8 ? -128 : 0;
    m->high = m->y.dtype == TSR_DTYPE_INT8 ? 127 : 255;
    nn_pattern_add(&m->pattern, node);
    if (m->node == UINT32_MAX)
        return 1;
    a = nn_activation_node(edit->node(edit, m->node));
    if (a.kind == TSR_ACT_RELU || (a.kind == TSR_ACT_CLIP && a.alpha <= a.beta)) {
        const float low = a.kind == TSR_ACT_RELU ? 0.0f : a.alpha;
        const float high = a.kind == TSR_ACT_RELU ? INFINITY : a.beta;
        m->low = limit_of(&m->y, low);
        m->high = limit_of(&m->y, high);
        m->activated = 1;
        nn_pattern_add(&m->pattern, m->node);
        m->tail = m->node;
        m->node = nn_vanishing_producer(edit, m->node, 0);
    }
    return 1;
}

int32_t nn_qdq_replace(const TsrGraphEdit *edit, const NnQdqMatch *m, const char *op_type,
                const uint32_t *inputs, uint32_t count, const char *const *kept)
{
    const TsrAttr low = nn_attr_int("low", m->low), high = nn_attr_int("high", m->high);
    const TsrAttr *attrs[MAX_ATTRS] = { &low, &high };
    uint32_t attr_count = 2;
    for (; kept != NULL && *kept != NULL; kept++) {
        const TsrAttr *attr = tsr_attr_find(edit->node(edit, m->node), *kept);
        if (attr != NULL && (attr->type != TSR_ATTR_INTS || attr->count > 0))
            attrs[attr_count++] = attr;
    }
    for (uint32_t i = 0; i < count; i++)
        if (inputs[i] == TSR_NO_VALUE && i != NN_QCONV_BIAS)
            return TSR_UNSUPPORTED;
    return nn_replace(edit, &m->pattern, NN_DOMAIN, op_type, inputs, count, m->y.value, attrs,
                      attr_count);
}

/* ------------------------------------------------------------------- others */

static int32_t fuse_add(const TsrGraphEdit *edit, const NnQdqMatch *m)
{
    const TsrNodeView *view = edit->node(edit, m->node);
    NnQuant a, b;
    if (view->since_version < 7 || !nn_qdq_input(edit, m->node, 0, &a) ||
        !nn_qdq_input(edit, m->node, 1, &b) || !nn_qdq_is_byte(&a) || !nn_qdq_is_byte(&b))
        return nn_qdq_sum(edit, m);
    if (!tsr_desc_is_static(view->inputs[0]) || !tsr_desc_is_static(view->inputs[1]))
        return TSR_UNSUPPORTED;
    const uint32_t inputs[8] = { a.value, a.scale, nn_qdq_zero(edit, &a), b.value, b.scale,
                                 nn_qdq_zero(edit, &b), m->y.scale, nn_qdq_zero(edit, &m->y) };
    return nn_qdq_replace(edit, m, "QAdd", inputs, 8, NULL);
}

static int32_t fuse_pool(const TsrGraphEdit *edit, const NnQdqMatch *m)
{
    static const char *const kept[] = { "auto_pad", "ceil_mode", "count_include_pad",
                                        "dilations", "kernel_shape", "pads", "strides", NULL };
    NnQuant x;
    if (!nn_qdq_input(edit, m->node, 0, &x) || !nn_qdq_is_byte(&x))
        return TSR_UNSUPPORTED;
    const uint32_t inputs[5] = { x.value, x.scale, nn_qdq_zero(edit, &x), m->y.scale,
                                 nn_qdq_zero(edit, &m->y) };
    return nn_qdq_replace(edit, m, "QPool", inputs, 5, kept);
}

/* Nothing but an activation, or nothing at all, between x and y. */
static int32_t fuse_clip(const TsrGraphEdit *edit, const NnQdqMatch *m, const NnQuant *x)
{
    const uint32_t inputs[5] = { x->value, x->scale, nn_qdq_zero(edit, x), m->y.scale,
                                 nn_qdq_zero(edit, &m->y) };
    return nn_qdq_replace(edit, m, "QClip", inputs, 5, NULL);
}

/* The same operator on bytes. data_inputs: how many of its inputs are dequantized, 0: all;
 * since: the first version that takes bytes. */
static int32_t fuse_move(const TsrGraphEdit *edit, const NnQdqMatch *m, uint32_t data_inputs,
                         uint32_t since)
{
    const TsrNodeView *view = edit->node(edit, m->node);
    uint32_t inputs[MAX_INPUTS];
    if (m->activated || view->since_version < since || view->input_count > MAX_INPUTS ||
        (view->output_count > 1 && view->outputs[1] != NULL))
        return TSR_UNSUPPORTED;
    for (uint32_t i = 0; i < view->input_count; i++) {
        NnQuant x;
        inputs[i] = edit->input_value(edit, m->node, i);
        if (data_inputs != 0 && i >= data_inputs)
            continue;
        if (!nn_qdq_input(edit, m->node, i, &x) || !nn_qdq_is_byte(&x) || !same_params(&x, &m->y))
            return TSR_UNSUPPORTED;
        inputs[i] = x.value;
    }
    return nn_replace(edit, &m->pattern, "", view->op_type, inputs, view->input_count,
                      m->y.value, view->attrs, view->attr_count);
}

/* What stands between; either fuse or a movement of bytes. */
static const struct {
    const char *op_type;
    int32_t (*fuse)(const TsrGraphEdit *edit, const NnQdqMatch *m);
    uint32_t data_inputs, since;
} rules[] = {
    { .op_type = "Conv", .fuse = nn_qdq_conv },
    { .op_type = "Gemm", .fuse = nn_qdq_gemm },
    { .op_type = "MatMul", .fuse = nn_qdq_matmul },
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
    NnQdqMatch m;
    NnQuant x;
    (void)pass;
    if (edit->node(edit, node) == NULL || !read_match(edit, node, &m))
        return TSR_UNSUPPORTED;
    if (nn_qdq_input(edit, m.tail, 0, &x))
        return nn_qdq_is_byte(&x) ? fuse_clip(edit, &m, &x) : TSR_UNSUPPORTED;
    if (m.node == UINT32_MAX || edit->node(edit, m.node) == NULL ||
        !nn_pattern_add(&m.pattern, m.node))
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
