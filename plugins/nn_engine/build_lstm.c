/* SPDX-License-Identifier: Apache-2.0
 *
 * build_lstm.c: ONNX LSTM (7 to 22) with constant weights and default activations as one
 * task of LSTM_F32. W and R are packed here so that the four gates of 16 hidden units
 * lie side by side, and the two halves of B are added.
 */
#include <stdlib.h>
#include "nn.h"

enum { GATES = 4 };

/* Whether every name in activations is the default at its place. */
static int default_activations(const TsrNodeView *node)
{
    static const char *const names[3] = { "Sigmoid", "Tanh", "Tanh" };
    const TsrAttr *attr = tsr_attr_find(node, "activations");
    for (uint32_t i = 0; attr != NULL && i < attr->count; i++)
        if (attr->strings[i].size != strlen(names[i % 3]) ||
            memcmp(attr->strings[i].data, names[i % 3], attr->strings[i].size) != 0)
            return 0;
    return 1;
}

static int has_shape(const TsrTensorDesc *desc, uint32_t rank, int64_t a, int64_t b, int64_t c)
{
    return desc == NULL || (desc->rank == rank && desc->shape[0] == a && desc->shape[1] == b &&
                            (rank < 3 || desc->shape[2] == c));
}

static void lstm_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    const TsrTensorDesc *x = node->inputs[0], *w = node->inputs[1];
    const int64_t hidden = tsr_attr_int(node, "hidden_size", 0);
    const int64_t directions = tsr_attr_is(node, "direction", "bidirectional") ? 2 : 1;
    (void)op;
    if (nn_input(node, 4) != NULL || nn_input(node, 7) != NULL) {
        tsr_support_no(out_support, TSR_REFUSE_ATTR, "sequence_lens or peepholes are given");
        return;
    }
    if (nn_value(node, 1) == NULL || nn_value(node, 2) == NULL ||
        (nn_input(node, 3) != NULL && nn_value(node, 3) == NULL)) {
        tsr_support_no(out_support, TSR_REFUSE_VALUE, "W, R and B have to be constant");
        return;
    }
    if (tsr_attr_int(node, "layout", 0) != 0 || tsr_attr_int(node, "input_forget", 0) != 0 ||
        tsr_attr_find(node, "clip") != NULL || !default_activations(node)) {
        tsr_support_no(out_support, TSR_REFUSE_ATTR,
                       "layout, input_forget, clip or activations are not the defaults");
        return;
    }
    if (x->rank != 3 || x->shape[0] < 1 || hidden < 1 || hidden > INT64_C(1) << 20 ||
        !has_shape(w, 3, directions, GATES * hidden, x->shape[2]) ||
        !has_shape(node->inputs[2], 3, directions, GATES * hidden, hidden) ||
        !has_shape(nn_input(node, 3), 2, directions, 2 * GATES * hidden, 0) ||
        !has_shape(nn_input(node, 5), 3, directions, x->shape[1], hidden) ||
        !has_shape(nn_input(node, 6), 3, directions, x->shape[1], hidden))
        tsr_support_no(out_support, TSR_REFUSE_SHAPE,
                       "an input does not have the shape that X and hidden_size %lld ask for",
                       (long long)hidden);
}

/* Copies rows of one gate block: W or R [4 * hidden, columns] of a direction to every
 * 64th float from `to`, block after block of 16 units. */
static void pack_part(const float *from, int64_t hidden, int64_t columns, int64_t rows, float *to)
{
    for (int64_t gate = 0; gate < GATES; gate++)
        for (int64_t j = 0; j < hidden; j++)
            for (int64_t k = 0; k < columns; k++)
                to[(j / 16 * rows + k) * 64 + gate * 16 + j % 16] =
                    from[(gate * hidden + j) * columns + k];
}

static int32_t add_packed(const TsrNodeView *node, TsrTaskSink *sink, const TsrLstmParams *p,
                          uint32_t *out_w, uint32_t *out_bias)
{
    const int64_t blocks = nn_ceil_div(p->hidden, 16), rows = p->input + p->hidden;
    const int64_t each = blocks * rows * 64, floats = p->directions * each;
    const float *w = node->values[1]->data, *r = node->values[2]->data;
    const float *b = nn_value(node, 3) != NULL ? node->values[3]->data : NULL;
    float *packed = calloc((size_t)floats, sizeof(*packed));
    float *bias = calloc((size_t)(p->directions * blocks * 64), sizeof(*bias));
    int32_t status = TSR_OK;
    if (packed == NULL || bias == NULL)
        status = sink->fail(sink, TSR_OUT_OF_MEMORY, "LSTM '%s': %lld weights", node->name,
                            (long long)floats);
    for (int64_t d = 0; d < p->directions && status == TSR_OK; d++) {
        const int64_t all = GATES * p->hidden;
        pack_part(w + d * all * p->input, p->hidden, p->input, rows, packed + d * each);
        pack_part(r + d * all * p->hidden, p->hidden, p->hidden, rows,
                  packed + d * each + p->input * 64);
        for (int64_t i = 0; b != NULL && i < all; i++) {
            const int64_t j = i % p->hidden;
            bias[((d * blocks + j / 16) * GATES + i / p->hidden) * 16 + j % 16] =
                b[d * 2 * all + i] + b[d * 2 * all + all + i];
        }
    }
    if (status == TSR_OK)
        status = sink->constant(sink, packed, (uint64_t)floats * sizeof(*packed), out_w);
    if (status == TSR_OK)
        status = sink->constant(sink, bias,
                                (uint64_t)(p->directions * blocks * 64) * sizeof(*bias), out_bias);
    free(packed);
    free(bias);
    return status;
}

static int32_t lstm_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const int64_t *x = node->inputs[0]->shape;
    uint32_t args[9] = { TSR_ARG_INPUT | 0, TSR_ARG_NULL, TSR_ARG_NULL, TSR_ARG_NULL,
                         TSR_ARG_NULL, TSR_ARG_OUTPUT | 0, TSR_ARG_NULL, TSR_ARG_NULL,
                         TSR_ARG_NULL };
    TsrLstmParams p = { .struct_size = sizeof(p),
                        .reverse = (uint32_t)tsr_attr_is(node, "direction", "reverse"),
                        .seq = x[0], .batch = x[1], .input = x[2],
                        .hidden = tsr_attr_int(node, "hidden_size", 0),
                        .directions = node->inputs[1]->shape[0] };
    uint32_t blocks;
    int32_t status = add_packed(node, sink, &p, &args[1], &args[2]);
    (void)op;
    for (uint32_t i = 0; i < 2; i++) {
        if (nn_input(node, 5 + i) != NULL)
            args[3 + i] = TSR_ARG_INPUT | (5 + i);
        if (node->output_count > 1 + i && node->outputs[1 + i] != NULL)
            args[6 + i] = TSR_ARG_OUTPUT | (1 + i);
    }
    blocks = nn_block_dim(sink, p.directions * p.batch,
                          (double)p.seq * (double)(p.directions * p.batch * p.hidden) *
                              (double)(p.input + p.hidden) / 4.0);
    p.workspace_floats = 3 * (uint64_t)nn_round_up(p.hidden, 16);
    if (status == TSR_OK)
        status = sink->workspace(sink, p.workspace_floats * blocks * sizeof(float), &args[8]);
    if (status != TSR_OK)
        return status;
    return nn_task(sink, TSR_KERNEL_LSTM_F32, blocks, args, 9, &p, sizeof(p));
}

static const NnOp ops[] = {
    { .op_type = "LSTM", .domain = "", .min_version = 7, .max_version = 22,
      .flags = NN_STATIC_ONLY | NN_WIDENS, .check = lstm_check, .build = lstm_build },
};

const NnOpTable nn_lstm_ops = { ops, sizeof(ops) / sizeof(ops[0]) };
