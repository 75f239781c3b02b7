/* SPDX-License-Identifier: Apache-2.0
 *
 * quantized.c: see quantized.h. Sums are exact: what could leave int32 is refused, by the
 * weights themselves, so that kernels need no wider sums.
 */
#include <math.h>
#include <stdlib.h>
#include "quantized.h"

const NnQuantPorts nn_q_ports_linear = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };
const NnQuantPorts nn_q_ports_integer = { 0, NN_Q_NONE, 2, 1, NN_Q_NONE, 3, NN_Q_NONE, NN_Q_NONE,
                                          NN_Q_NONE };

static const TsrTensor *value_of(const TsrNodeView *node, int port)
{
    return port >= 0 ? nn_value(node, (uint32_t)port) : NULL;
}

int32_t nn_q_int_at(const TsrTensor *t, int64_t i)
{
    if (tsr_desc_elements(t->desc) == 1)
        i = 0;
    if (t->desc->dtype == TSR_DTYPE_INT32)
        return ((const int32_t *)t->data)[i];
    return t->desc->dtype == TSR_DTYPE_INT8 ? ((const int8_t *)t->data)[i]
                                            : ((const uint8_t *)t->data)[i];
}

int nn_q_check_constant(const TsrNodeView *node, int port, int optional, uint32_t dtype,
                        int64_t count, const char *what, TsrSupport *out_support)
{
    const TsrTensorDesc *d = port >= 0 ? nn_input(node, (uint32_t)port) : NULL;
    const TsrTensor *value = value_of(node, port);
    if (d == NULL && (optional || port < 0))
        return 1;
    if (value == NULL) {
        tsr_support_no(out_support, TSR_REFUSE_VALUE, "%s has to be constant", what);
        return 0;
    }
    if (dtype != 0 ? d->dtype != dtype : !nn_is_byte(d->dtype)) {
        tsr_support_no(out_support, TSR_REFUSE_DTYPE, "%s is %s, wanted %s", what,
                       tsr_dtype_name(d->dtype),
                       dtype != 0 ? tsr_dtype_name(dtype) : "uint8 or int8");
        return 0;
    }
    if (d->rank > 1 || (tsr_desc_elements(d) != 1 && tsr_desc_elements(d) != count)) {
        tsr_support_no(out_support, TSR_REFUSE_SHAPE,
                       "%s has %lld elements at rank %u, wanted 1 or %lld", what,
                       (long long)tsr_desc_elements(d), d->rank, (long long)count);
        return 0;
    }
    for (int64_t i = 0; dtype == TSR_DTYPE_FLOAT && i < tsr_desc_elements(d); i++)
        if (!(((const float *)value->data)[i] >= 1e-30f &&
              ((const float *)value->data)[i] <= 1e30f)) {
            tsr_support_no(out_support, TSR_REFUSE_VALUE, "%s is %g, wanted 1e-30 to 1e30", what,
                           (double)((const float *)value->data)[i]);
            return 0;
        }
    return 1;
}

int nn_q_check_product(const TsrNodeView *node, const NnQuantPorts *ports, int64_t channels,
                       TsrSupport *out_support)
{
    const TsrTensorDesc *x = nn_input(node, (uint32_t)ports->x);
    const TsrTensorDesc *w = nn_input(node, (uint32_t)ports->w);
    const TsrTensorDesc *x_zero = nn_input(node, (uint32_t)ports->x_zero);
    if (x == NULL || w == NULL || !nn_is_byte(x->dtype) || !nn_is_byte(w->dtype)) {
        tsr_support_no(out_support, TSR_REFUSE_DTYPE, "x and w have to be uint8 or int8");
        return 0;
    }
    if (value_of(node, ports->w) == NULL) {
        tsr_support_no(out_support, TSR_REFUSE_VALUE, "the weights have to be constant");
        return 0;
    }
    if (x_zero != NULL && (!tsr_desc_is_static(x_zero) || tsr_desc_elements(x_zero) != 1)) {
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "the zero point of x is no single number");
        return 0;
    }
    if (x_zero != NULL && x_zero->dtype != x->dtype) {
        tsr_support_no(out_support, TSR_REFUSE_DTYPE, "the zero point of x is %s, x %s",
                       tsr_dtype_name(x_zero->dtype), tsr_dtype_name(x->dtype));
        return 0;
    }
    return nn_q_check_constant(node, ports->x_scale, 0, TSR_DTYPE_FLOAT, 1, "the scale of x",
                               out_support) &&
           nn_q_check_constant(node, ports->w_scale, 0, TSR_DTYPE_FLOAT, channels,
                               "the scale of w", out_support) &&
           nn_q_check_constant(node, ports->w_zero, 1, w->dtype, channels,
                               "the zero point of w", out_support) &&
           nn_q_check_constant(node, ports->y_scale, 0, TSR_DTYPE_FLOAT, 1, "the scale of y",
                               out_support) &&
           nn_q_check_constant(node, ports->y_zero, 0, ports->y_zero < 0 ? 0
                                                           : node->outputs[0]->dtype,
                               1, "the zero point of y", out_support) &&
           nn_q_check_constant(node, ports->bias, 1, TSR_DTYPE_INT32, channels, "the bias",
                               out_support);
}

int nn_q_check_sums(const NnQuantWeights *w, const TsrTensor *bias, TsrSupport *out_support)
{
    for (int64_t o = 0; o < w->channels; o++) {
        int64_t most = bias != NULL ? llabs((long long)nn_q_int_at(bias, o)) : 0;
        for (int64_t i = 0; i < w->depth && most <= INT32_MAX; i++)
            most += 255 * (int64_t)abs(nn_q_weight(w, o, i));
        if (most > INT32_MAX) {
            tsr_support_no(out_support, TSR_REFUSE_VALUE,
                           "sums of output channel %lld may leave int32", (long long)o);
            return 0;
        }
    }
    return 1;
}

uint32_t nn_q_passes(const NnQuantWeights *w)
{
    int32_t low = 0, high = 0;
    uint32_t passes = 1;
    for (int64_t o = 0; o < w->channels; o++)
        for (int64_t i = 0; i < w->depth; i++) {
            const int32_t v = nn_q_weight(w, o, i);
            low = v < low ? v : low;
            high = v > high ? v : high;
        }
    while (high > 127 * (int32_t)passes || low < -128 * (int32_t)passes)
        passes++;
    return passes;
}

void nn_q_limits(const TsrNodeView *node, int32_t *out_low, int32_t *out_high)
{
    const int is_signed = node->outputs[0]->dtype == TSR_DTYPE_INT8;
    const int64_t least = is_signed ? -128 : 0, most = is_signed ? 127 : 255;
    const int64_t low = tsr_attr_int(node, "low", least), high = tsr_attr_int(node, "high", most);
    *out_low = (int32_t)(low > least ? low : least);
    *out_high = (int32_t)(high < most ? high : most);
}

float nn_q_scale(const TsrNodeView *node, int port)
{
    const TsrTensor *value = value_of(node, port);
    return value != NULL ? ((const float *)value->data)[0] : 1.0f;
}

int32_t nn_q_zero(const TsrNodeView *node, int port)
{
    const TsrTensor *value = value_of(node, port);
    return value != NULL ? nn_q_int_at(value, 0) : 0;
}

void nn_q_requant(const TsrNodeView *node, const NnQuantPorts *ports, TsrRequant *out,
                  uint32_t *out_x_zero)
{
    *out = (TsrRequant){ .x_signed = node->inputs[ports->x]->dtype == TSR_DTYPE_INT8,
                         .y_dtype = node->outputs[0]->dtype,
                         .x_zero = nn_q_zero(node, ports->x_zero),
                         .y_zero = nn_q_zero(node, ports->y_zero), .passes = 1 };
    nn_q_limits(node, &out->low, &out->high);
    *out_x_zero = nn_input(node, (uint32_t)ports->x_zero) != NULL &&
                          value_of(node, ports->x_zero) == NULL
                      ? TSR_ARG_INPUT | (uint32_t)ports->x_zero : TSR_ARG_NULL;
}

int32_t nn_q_table(const TsrNodeView *node, TsrTaskSink *sink, const NnQuantPorts *ports,
                   const NnQuantWeights *w, uint32_t *out_arg)
{
    const int64_t blocks = nn_ceil_div(w->channels, 16);
    const TsrTensor *scale = value_of(node, ports->w_scale), *bias = value_of(node, ports->bias);
    const double x_scale = (double)nn_q_scale(node, ports->x_scale);
    const double y_scale = (double)nn_q_scale(node, ports->y_scale);
    TsrRequantBlock *table = calloc((size_t)blocks, sizeof(*table));
    int32_t status;
    if (table == NULL)
        return sink->fail(sink, TSR_OUT_OF_MEMORY, "%s '%s': scales", node->op_type, node->name);
    for (int64_t o = 0; o < w->channels; o++) {
        TsrRequantBlock *t = &table[o / 16];
        const float *scales = scale != NULL ? scale->data : NULL;
        if (scale != NULL)
            t->factor[o % 16] =
                x_scale * (double)scales[tsr_desc_elements(scale->desc) == 1 ? 0 : o] / y_scale;
        if (bias != NULL)
            t->bias[o % 16] = nn_q_int_at(bias, o);
        for (int64_t i = 0; i < w->depth; i++)
            t->sum[o % 16] += nn_q_weight(w, o, i);
    }
    status = sink->constant(sink, table, (uint64_t)blocks * sizeof(*table), out_arg);
    free(table);
    return status;
}
