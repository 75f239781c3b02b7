/* SPDX-License-Identifier: Apache-2.0
 *
 * build_excite.c: SqueezeExcite of tessera.nn ("Squeeze-and-Excitation Networks", Hu et al.,
 * 2018) in three tasks: the means of the channels, both small layers by one kernel, and the
 * product with the picture. In NC1HWC0 as in plain storage; only real channels are read.
 */
#include <stdlib.h>
#include "nn.h"

enum { X, W1, B1, W2, B2 };

static void excite_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    const TsrTensorDesc *x = nn_input(node, X), *w1 = nn_input(node, W1), *w2 = nn_input(node, W2);
    (void)op;
    for (uint32_t i = W1; i <= B2; i++)
        if (nn_input(node, i) != NULL && nn_value(node, i) == NULL) {
            tsr_support_no(out_support, TSR_REFUSE_VALUE, "input %u has to be constant", i);
            return;
        }
    if (x == NULL || w1 == NULL || w2 == NULL || !nn_is_picture(x) || w1->rank != 4 ||
        w2->rank != 4 || w2->shape[0] != w1->shape[1] || w2->shape[1] != w1->shape[0] ||
        tsr_desc_elements(w1) != w1->shape[0] * w1->shape[1] ||
        tsr_desc_elements(w2) != tsr_desc_elements(w1) ||
        (x->shape[1] >= 0 && x->shape[1] != w1->shape[1]))
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "X, W1 and W2 do not fit");
}

/* The layers' weights and biases stay plain. */
static void excite_columns(const NnOp *op, const TsrNodeView *node, TsrColumnSet *set)
{
    (void)op;
    if (!tsr_desc_is_static(node->inputs[X]))
        return;
    nn_column_mask(set, node, 8.0f, TSR_FORMAT_NC1HWC0, 1u << X);
    nn_column(set, 7.0f, (const uint32_t[]){ TSR_FORMAT_ND }, 1);
}

static const NnSelect excite_select = NN_SELECT_CUSTOMIZE(excite_columns);

/* W [to, from, 1, 1] as [to / 16][from][16], padded with zeros. */
static int32_t add_layer(const TsrNodeView *node, TsrTaskSink *sink, uint32_t i, uint32_t *out_w,
                         uint32_t *out_b)
{
    const int64_t to = node->inputs[i]->shape[0], from = node->inputs[i]->shape[1];
    const int64_t all = nn_round_up(to, 16);
    const float *w = node->values[i]->data;
    float *packed = calloc((size_t)(all * (from + 1)) + 1, sizeof(float));
    int32_t status;
    if (packed == NULL)
        return sink->fail(sink, TSR_OUT_OF_MEMORY, "SqueezeExcite '%s': weights", node->name);
    for (int64_t k = 0; k < to * from; k++)
        packed[(k / from / 16 * from + k % from) * 16 + k / from % 16] = w[k];
    *out_b = TSR_ARG_NULL;
    status = sink->constant(sink, packed, (uint64_t)(all * from) * sizeof(float), out_w);
    if (status == TSR_OK && nn_value(node, i + 1) != NULL) {
        memset(packed, 0, (size_t)all * sizeof(float));
        memcpy(packed, node->values[i + 1]->data, (size_t)to * sizeof(float));
        status = sink->constant(sink, packed, (uint64_t)all * sizeof(float), out_b);
    }
    free(packed);
    return status;
}

static TsrActivation named_activation(const TsrNodeView *node, const char *kind,
                                      const char *alpha, const char *beta)
{
    return (TsrActivation){ (uint32_t)tsr_attr_int(node, kind, TSR_ACT_NONE),
                            tsr_attr_float(node, alpha, 0.0f), tsr_attr_float(node, beta, 0.0f) };
}

static int32_t excite_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const TsrTensorDesc *x = node->inputs[X];
    const int blocked = nn_is_blocked(x);
    const int64_t lanes = blocked ? TSR_NPU_C0 : 1;
    const int64_t places = nn_round_up(x->shape[1], lanes), pixels = x->shape[2] * x->shape[3];
    const int64_t planes = x->shape[0] * (places / lanes);
    const TsrReduceParams mean = { sizeof(mean), TSR_REDUCE_MEAN, planes, pixels, lanes };
    const TsrExciteParams excite = {
        .struct_size = sizeof(excite), .batch = x->shape[0], .channels = x->shape[1],
        .squeezed = node->inputs[W1]->shape[0], .step = places,
        .squeeze = named_activation(node, "squeeze_activation", "squeeze_alpha", "squeeze_beta"),
        .gate = named_activation(node, "gate_activation", "gate_alpha", "gate_beta"),
        .summand = (float)tsr_attr_int(node, "residual", 0),
        .workspace_floats = (uint64_t)nn_round_up(node->inputs[W1]->shape[0], 16),
    };
    const TsrScaleShiftParams scale = { sizeof(scale), (uint32_t)lanes, 1, planes, pixels,
                                        nn_activation_of(node) };
    const uint64_t gates = (uint64_t)(planes * lanes) * sizeof(float);
    const uint32_t blocks = nn_block_dim(sink, excite.batch,
                                         (double)excite.batch * (double)excite.channels *
                                             (double)excite.squeezed / 8.0);
    uint32_t means = 0, gate = 0, hidden = 0, zeros = 0, w[2], b[2];
    float *zero = calloc((size_t)(planes * lanes) + 1, sizeof(float));
    int32_t status = zero != NULL ? TSR_OK : TSR_OUT_OF_MEMORY;
    (void)op;
    if (status == TSR_OK)
        status = sink->constant(sink, zero, gates, &zeros);
    free(zero);
    if (status == TSR_OK)
        status = add_layer(node, sink, W1, &w[0], &b[0]);
    if (status == TSR_OK)
        status = add_layer(node, sink, W2, &w[1], &b[1]);
    if (status == TSR_OK)
        status = sink->workspace(sink, gates, &means);
    if (status == TSR_OK)
        status = sink->workspace(sink, gates, &gate);
    if (status == TSR_OK)
        status = sink->workspace(sink, excite.workspace_floats * blocks * sizeof(float), &hidden);
    if (status == TSR_OK)
        status = nn_task(sink, TSR_KERNEL_REDUCE_F32,
                         nn_block_dim(sink, planes, (double)tsr_desc_storage_elements(x)),
                         (const uint32_t[]){ TSR_ARG_INPUT | X, means }, 2, &mean, sizeof(mean));
    if (status == TSR_OK)
        status = nn_task(sink, TSR_KERNEL_EXCITE_F32, blocks,
                         (const uint32_t[]){ means, w[0], b[0], w[1], b[1], gate, hidden }, 7,
                         &excite, sizeof(excite));
    if (status != TSR_OK)
        return status;
    return nn_task(sink, TSR_KERNEL_SCALE_SHIFT_F32,
                   nn_block_dim(sink, planes, (double)tsr_desc_storage_elements(x)),
                   (const uint32_t[]){ TSR_ARG_INPUT | X, gate, zeros, TSR_ARG_OUTPUT | 0 }, 4,
                   &scale, sizeof(scale));
}

static const NnOp ops[] = {
    { .op_type = "SqueezeExcite", .domain = NN_DOMAIN, .min_version = 1, .max_version = 1,
      .flags = NN_WIDENS, .check = excite_check, .build = excite_build, .select = &excite_select },
};

const NnOpTable nn_excite_ops = { ops, sizeof(ops) / sizeof(ops[0]) };
