/* SPDX-License-Identifier: Apache-2.0
 *
 * fusion_qdq_product.c: the products of the pass nn_qdq, with the Add behind them; see
 * fusion_qdq.c, which calls this.
 */
#include <math.h>
#include <stdlib.h>
#include "fusion_qdq.h"
#include "ops_quantized.h"

/* Input `index` of a node; UINT32_MAX: there is none. */
typedef struct Port {
    uint32_t node, index;
} Port;

/* The bias in the scale of the sum: int32 behind a DequantizeLinear of just that scale, or
 * a float constant, rounded. 0 when there is one that is neither. */
static int bias_value(const TsrGraphEdit *edit, const Port *port, const NnQuant *x,
                      const NnQuant *w, int64_t channels, uint32_t *out_value)
{
    const uint32_t value = port->node != UINT32_MAX
                               ? edit->input_value(edit, port->node, port->index) : TSR_NO_VALUE;
    const TsrTensor *constant = value != TSR_NO_VALUE ? edit->constant(edit, value) : NULL;
    const TsrTensorDesc desc = { .struct_size = sizeof(desc), .dtype = TSR_DTYPE_INT32,
                                 .rank = 1, .storage_rank = 1, .shape = &channels,
                                 .storage_shape = &channels, .name = "" };
    int32_t *rounded;
    NnQuant b;
    *out_value = TSR_NO_VALUE;
    if (value == TSR_NO_VALUE)
        return 1;
    if (nn_qdq_input(edit, port->node, port->index, &b)) {
        const TsrTensorDesc *d = edit->desc(edit, b.value);
        int fits = b.dtype == TSR_DTYPE_INT32 && edit->constant(edit, b.value) != NULL &&
                   d->rank == 1 && d->shape[0] == channels;
        for (int64_t i = 0; fits && i < channels; i++) {
            const double want = (double)nn_qdq_scale(x, 0) * (double)nn_qdq_scale(w, i);
            fits = fabs((double)nn_qdq_scale(&b, i) - want) <= 1e-6 * want;
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
                         ((double)nn_qdq_scale(x, 0) * (double)nn_qdq_scale(w, i));
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

/* The product m->node by a weight's channel axis; z: its residual, or NULL. */
static int32_t fuse_product(const TsrGraphEdit *edit, const NnQdqMatch *m, int64_t channel_axis,
                            const Port *bias_port, const NnQuant *z, const char *op_type,
                            const char *const *kept)
{
    uint32_t inputs[NN_QCONV_INPUTS], bias = TSR_NO_VALUE;
    const TsrTensorDesc *d;
    NnQuant x, w;
    if (!nn_qdq_input(edit, m->node, 0, &x) || !nn_qdq_is_byte(&x) ||
        !nn_qdq_input(edit, m->node, 1, &w) || !nn_is_byte(w.dtype) ||
        edit->constant(edit, w.value) == NULL)
        return TSR_UNSUPPORTED;
    d = edit->desc(edit, w.value);
    if (d->rank <= channel_axis || (w.scales != 1 && w.axis != channel_axis) ||
        !bias_value(edit, bias_port, &x, &w, d->shape[channel_axis], &bias))
        return TSR_UNSUPPORTED;
    inputs[0] = x.value;
    inputs[1] = x.scale;
    inputs[2] = nn_qdq_zero(edit, &x);
    inputs[3] = w.value;
    inputs[4] = w.scale;
    inputs[5] = nn_qdq_zero(edit, &w);
    inputs[6] = m->y.scale;
    inputs[7] = nn_qdq_zero(edit, &m->y);
    inputs[NN_QCONV_BIAS] = bias;
    if (z == NULL)
        return nn_qdq_replace(edit, m, op_type, inputs, bias != TSR_NO_VALUE ? 9 : 8, kept);
    inputs[NN_QCONV_RESIDUAL] = z->value;
    inputs[NN_QCONV_RESIDUAL + 1] = z->scale;
    inputs[NN_QCONV_RESIDUAL + 2] = nn_qdq_zero(edit, z);
    return nn_qdq_replace(edit, m, op_type, inputs, NN_QCONV_INPUTS, kept);
}

/* The bias that the operator itself has, as its third input. */
static Port own_bias(const TsrGraphEdit *edit, const NnQdqMatch *m)
{
    return (Port){ edit->node(edit, m->node)->input_count > 2 ? m->node : UINT32_MAX, 2 };
}

static const char *const conv_attrs[] = { "auto_pad", "dilations", "group", "kernel_shape",
                                          "pads", "strides", NULL };

int32_t nn_qdq_conv(const TsrGraphEdit *edit, const NnQdqMatch *m)
{
    const Port bias = own_bias(edit, m);
    return fuse_product(edit, m, 0, &bias, NULL, "QConv", conv_attrs);
}

int32_t nn_qdq_gemm(const TsrGraphEdit *edit, const NnQdqMatch *m)
{
    static const char *const kept[] = { "transB", NULL };
    const TsrNodeView *view = edit->node(edit, m->node);
    const Port bias = own_bias(edit, m);
    if (view->since_version < 7 || tsr_attr_float(view, "alpha", 1.0f) != 1.0f ||
        tsr_attr_float(view, "beta", 1.0f) != 1.0f || tsr_attr_int(view, "transA", 0) != 0)
        return TSR_UNSUPPORTED;
    return fuse_product(edit, m, tsr_attr_int(view, "transB", 0) != 0 ? 0 : 1, &bias, NULL,
                        "QMatMul", kept);
}

static int32_t matmul_with(const TsrGraphEdit *edit, const NnQdqMatch *m, const Port *bias)
{
    const TsrNodeView *view = edit->node(edit, m->node);
    return view->inputs[1]->rank == 2
               ? fuse_product(edit, m, 1, bias, NULL, "QMatMul", NULL) : TSR_UNSUPPORTED;
}

int32_t nn_qdq_matmul(const TsrGraphEdit *edit, const NnQdqMatch *m)
{
    const Port none = { UINT32_MAX, 0 };
    return matmul_with(edit, m, &none);
}

/* The residual may not be one of many single channels: their kernel has none. */
static int32_t fuse_residual(const TsrGraphEdit *edit, const NnQdqMatch *m, const Port *residual)
{
    const TsrNodeView *view = edit->node(edit, m->node);
    const Port bias = own_bias(edit, m);
    const TsrTensorDesc *z_desc = edit->node(edit, residual->node)->inputs[residual->index];
    NnQuant z;
    if (tsr_attr_int(view, "group", 1) != 1 || !nn_same_static(view->outputs[0], z_desc) ||
        !nn_qdq_input(edit, residual->node, residual->index, &z) || !nn_qdq_is_byte(&z))
        return TSR_UNSUPPORTED;
    return fuse_product(edit, m, 0, &bias, &z, "QConv", conv_attrs);
}

int32_t nn_qdq_sum(const TsrGraphEdit *edit, const NnQdqMatch *m)
{
    for (uint32_t side = 0; side < 2; side++) {
        const Port other = { m->node, 1 - side };
        NnQdqMatch product = *m;
        int32_t status = TSR_UNSUPPORTED;
        product.node = nn_vanishing_producer(edit, m->node, side);
        if (product.node == UINT32_MAX || edit->node(edit, product.node) == NULL ||
            !nn_pattern_add(&product.pattern, product.node))
            continue;
        if (nn_is_op(edit->node(edit, product.node), "", "MatMul"))
            status = matmul_with(edit, &product, &other);
        else if (nn_is_op(edit->node(edit, product.node), "", "Conv"))
            status = fuse_residual(edit, &product, &other);
        if (status != TSR_UNSUPPORTED)
            return status;
    }
    return TSR_UNSUPPORTED;
}
