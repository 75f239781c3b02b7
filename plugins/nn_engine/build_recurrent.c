/* SPDX-License-Identifier: Apache-2.0
 *
 * build_recurrent.c: ONNX LSTM and GRU (1 to 22) with constant weights as two tasks: one
 * GEMM for the products of all inputs, and the recurrence of LSTM_F32 or GRU_F32. W and R
 * are packed here so that the gates of 16 hidden units lie side by side.
 */
#include <stdlib.h>
#include "nn.h"

enum { LSTM = 4, GRU = 3 }; /* NnOp.kernel_op: gates of the cell */

/* Activations that the kernels have, as ONNX names them (RNN 7: without case). */
typedef struct Activation {
    const char *name;
    uint32_t kind;
    int takes_alpha, takes_beta;
    float alpha, beta;
} Activation;

static const Activation known[] = {
    { "Sigmoid", TSR_ACT_SIGMOID, 0, 0, 0.0f, 0.0f },
    { "Tanh", TSR_ACT_TANH, 0, 0, 0.0f, 0.0f },
    { "Relu", TSR_ACT_RELU, 0, 0, 0.0f, 0.0f },
    { "LeakyRelu", TSR_ACT_LEAKY_RELU, 1, 0, 0.01f, 0.0f },
    { "HardSigmoid", TSR_ACT_HARD_SIGMOID, 1, 1, 0.2f, 0.5f },
};

static int is_word(const TsrString *s, const char *word)
{
    if (s->size != strlen(word))
        return 0;
    for (uint64_t i = 0; i < s->size; i++)
        if ((s->data[i] | 0x20) != (word[i] | 0x20))
            return 0;
    return 1;
}

/* Reads what each direction does with the sums: f, g and, for LSTM, h. 0 when an activation
 * is none of ours; *out_bad is then its name. The lists of alpha and beta have entries only
 * for those that take one. */
static int read_activations(const TsrNodeView *node, uint32_t gates, uint32_t directions,
                            TsrActivation out[2][3], TsrString *out_bad)
{
    const TsrAttr *names = tsr_attr_find(node, "activations");
    const TsrAttr *alphas = tsr_attr_find(node, "activation_alpha");
    const TsrAttr *betas = tsr_attr_find(node, "activation_beta");
    const uint32_t each = gates - 1;
    uint32_t alpha = 0, beta = 0;
    for (uint32_t i = 0; i < each * directions; i++) {
        const Activation *found = &known[i % each != 0];
        TsrActivation *to = &out[i / each][i % each];
        if (names != NULL && i < names->count) {
            found = NULL;
            for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
                if (is_word(&names->strings[i], known[k].name))
                    found = &known[k];
            *out_bad = names->strings[i];
        }
        if (found == NULL)
            return 0;
        *to = (TsrActivation){ found->kind, found->alpha, found->beta };
        if (found->takes_alpha && alphas != NULL && alpha < alphas->count)
            to->alpha = alphas->floats[alpha++];
        if (found->takes_beta && betas != NULL && beta < betas->count)
            to->beta = betas->floats[beta++];
    }
    return 1;
}

static int has_shape(const TsrTensorDesc *desc, uint32_t rank, int64_t a, int64_t b, int64_t c)
{
    return desc == NULL || (desc->rank == rank && desc->shape[0] == a &&
                            (rank < 2 || desc->shape[1] == b) &&
                            (rank < 3 || desc->shape[2] == c));
}

static int lengths_fit(const TsrTensor *lengths, int64_t seq)
{
    for (int64_t i = 0; lengths != NULL && i < tsr_desc_elements(lengths->desc); i++)
        if (((const int32_t *)lengths->data)[i] < 0 || ((const int32_t *)lengths->data)[i] > seq)
            return 0;
    return 1;
}

static void recurrent_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    const TsrTensorDesc *x = node->inputs[0], *w = node->inputs[1];
    const int batch_first = tsr_attr_int(node, "layout", 0) != 0;
    const int64_t directions = tsr_attr_is(node, "direction", "bidirectional") ? 2 : 1;
    const int64_t gates = op->kernel_op, batch = x->rank == 3 ? x->shape[!batch_first] : 0;
    const int64_t first = batch_first ? batch : directions;
    const int64_t second = batch_first ? directions : batch;
    const int64_t hidden = tsr_attr_int(node, "hidden_size",
                                        w->rank == 3 ? w->shape[1] / gates : 0);
    TsrActivation activations[2][3];
    TsrString bad;
    if (nn_value(node, 1) == NULL || nn_value(node, 2) == NULL ||
        (nn_input(node, 3) != NULL && nn_value(node, 3) == NULL) ||
        (nn_input(node, 7) != NULL && nn_value(node, 7) == NULL)) {
        tsr_support_no(out_support, TSR_REFUSE_VALUE, "W, R, B and P have to be constant");
        return;
    }
    if (!read_activations(node, op->kernel_op, (uint32_t)directions, activations, &bad)) {
        tsr_support_no(out_support, TSR_REFUSE_ATTR, "the activation '%.*s' is none of the "
                       "kernel's", bad.size < 64 ? (int)bad.size : 64, bad.data);
        return;
    }
    if (x->rank != 3 || x->shape[batch_first] < 1 || x->shape[2] < 1 || hidden < 1 ||
        hidden > INT64_C(1) << 20 || !has_shape(w, 3, directions, gates * hidden, x->shape[2]) ||
        !has_shape(node->inputs[2], 3, directions, gates * hidden, hidden) ||
        !has_shape(nn_input(node, 3), 2, directions, 2 * gates * hidden, 0) ||
        !has_shape(nn_input(node, 4), 1, batch, 0, 0) ||
        !has_shape(nn_input(node, 5), 3, first, second, hidden) ||
        !has_shape(nn_input(node, 6), 3, first, second, hidden) ||
        !has_shape(nn_input(node, 7), 2, directions, 3 * hidden, 0)) {
        tsr_support_no(out_support, TSR_REFUSE_SHAPE,
                       "an input does not have the shape that X and hidden_size %lld ask for",
                       (long long)hidden);
        return;
    }
    if (!lengths_fit(nn_value(node, 4), x->shape[batch_first]))
        tsr_support_no(out_support, TSR_REFUSE_VALUE, "a sequence length is not in [0, %lld]",
                       (long long)x->shape[batch_first]);
}

/* Constants under construction: W as panels of GEMM, R as the kernels read it, the bias of
 * the GEMM, and peepholes or the recurrent bias of a GRU's h. */
typedef struct Packed {
    float *w, *r, *bias, *extra;
    int64_t w_count, r_count, bias_count, extra_count;
} Packed;

/* Where weight k of gate g for unit j lies in a direction: with `rows` weights for a unit. */
static int64_t packed_at(int64_t gates, int64_t rows, int64_t g, int64_t j, int64_t k)
{
    return ((j / 16 * rows + k) * gates + g) * 16 + j % 16;
}

static void pack_direction(const TsrNodeView *node, const TsrRecurrentParams *p, int64_t gates,
                           int64_t d, Packed *out)
{
    const int64_t hidden = p->hidden, all = gates * hidden, input = node->inputs[0]->shape[2];
    const int64_t padded = nn_round_up(hidden, 16);
    const int split = gates == GRU && !p->flag; /* h has a product of its own */
    const float *w = (const float *)node->values[1]->data + d * all * input;
    const float *r = (const float *)node->values[2]->data + d * all * hidden;
    const float *b = nn_value(node, 3) != NULL ? node->values[3]->data : NULL;
    const float *peepholes = nn_value(node, 7) != NULL ? node->values[7]->data : NULL;
    float *to = out->r + d * padded * hidden * gates;
    for (int64_t g = 0; g < gates; g++)
        for (int64_t j = 0; j < hidden; j++) {
            const int64_t row = g * hidden + j, unit = (j / 16 * gates + g) * 16 + j % 16;
            float *panel = out->w + d * gates * padded * input + unit / 16 * 16 * input;
            for (int64_t k = 0; k < input; k++)
                panel[k * 16 + j % 16] = w[row * input + k];
            for (int64_t k = 0; k < hidden; k++)
                if (split && g == 2)
                    to[2 * padded * hidden + packed_at(1, hidden, 0, j, k)] = r[row * hidden + k];
                else
                    to[packed_at(split ? 2 : gates, hidden, g, j, k)] = r[row * hidden + k];
            if (b == NULL)
                continue;
            out->bias[d * gates * padded + unit] = b[d * 2 * all + row];
            if (gates == GRU && p->flag && g == 2)
                out->extra[d * padded + j] = b[d * 2 * all + all + row];
            else
                out->bias[d * gates * padded + unit] += b[d * 2 * all + all + row];
        }
    for (int64_t i = 0; gates == LSTM && peepholes != NULL && i < 3 * hidden; i++)
        out->extra[(d * 3 + i / hidden) * padded + i % hidden] = peepholes[d * 3 * hidden + i];
}

/* Adds one constant; TSR_ARG_NULL for one without elements. */
static int32_t add_floats(TsrTaskSink *sink, const float *floats, int64_t count,
                          uint32_t *out_arg)
{
    *out_arg = TSR_ARG_NULL;
    return count > 0 ? sink->constant(sink, floats, (uint64_t)count * sizeof(float), out_arg)
                     : TSR_OK;
}

/* args: w, bias, r, extra. */
static int32_t add_packed(const TsrNodeView *node, TsrTaskSink *sink, const TsrRecurrentParams *p,
                          int64_t gates, uint32_t *out_args)
{
    const int64_t units = p->directions * nn_round_up(p->hidden, 16);
    const int has_bias = nn_input(node, 3) != NULL;
    const int64_t extra = gates == LSTM ? 3 * (nn_input(node, 7) != NULL)
                                        : has_bias && p->flag;
    Packed packed = { .w_count = units * gates * node->inputs[0]->shape[2],
                      .r_count = units * gates * p->hidden,
                      .bias_count = has_bias ? units * gates : 0, .extra_count = extra * units };
    float *all = calloc((size_t)(packed.w_count + packed.r_count + packed.bias_count +
                                 packed.extra_count), sizeof(*all));
    int32_t status = TSR_OK;
    if (all == NULL)
        return sink->fail(sink, TSR_OUT_OF_MEMORY, "%s '%s': %lld weights", node->op_type,
                          node->name, (long long)(packed.w_count + packed.r_count));
    packed.w = all;
    packed.r = packed.w + packed.w_count;
    packed.bias = packed.r + packed.r_count;
    packed.extra = packed.bias + packed.bias_count;
    for (int64_t d = 0; d < p->directions; d++)
        pack_direction(node, p, gates, d, &packed);
    status = add_floats(sink, packed.w, packed.w_count, &out_args[0]);
    if (status == TSR_OK)
        status = add_floats(sink, packed.bias, packed.bias_count, &out_args[1]);
    if (status == TSR_OK)
        status = add_floats(sink, packed.r, packed.r_count, &out_args[2]);
    if (status == TSR_OK)
        status = add_floats(sink, packed.extra, packed.extra_count, &out_args[3]);
    free(all);
    return status;
}

/* Steps of all tensors; sums have one row for each row of x. */
static void set_steps(TsrRecurrentParams *p, int batch_first, int64_t row)
{
    const int64_t hidden = p->hidden, state = p->directions * hidden;
    const int64_t plain[7] = { p->batch * row, row, p->batch * state, p->batch * hidden, hidden,
                               p->batch * hidden, hidden };
    const int64_t turned[7] = { row, p->seq * row, state, hidden, p->seq * state, hidden, state };
    const int64_t *steps = batch_first ? turned : plain;
    memcpy(p->sums_step, steps, sizeof(p->sums_step));
    memcpy(p->y_step, steps + 2, sizeof(p->y_step));
    memcpy(p->state_step, steps + 5, sizeof(p->state_step));
}

static uint32_t input_arg(const TsrNodeView *node, uint32_t i)
{
    return nn_input(node, i) != NULL ? TSR_ARG_INPUT | i : TSR_ARG_NULL;
}

static uint32_t output_arg(const TsrNodeView *node, uint32_t i)
{
    return i < node->output_count && node->outputs[i] != NULL ? TSR_ARG_OUTPUT | i
                                                              : TSR_ARG_NULL;
}

static int32_t add_recurrence(const TsrNodeView *node, TsrTaskSink *sink, TsrRecurrentParams *p,
                              int64_t gates, const uint32_t *operands)
{
    const uint32_t lstm[9] = { operands[0], operands[1], operands[2], input_arg(node, 4),
                               input_arg(node, 5), input_arg(node, 6), TSR_ARG_OUTPUT | 0,
                               output_arg(node, 1), output_arg(node, 2) };
    const uint32_t gru[7] = { lstm[0], lstm[1], lstm[2], lstm[3], lstm[4], lstm[6], lstm[7] };
    const uint32_t count = gates == LSTM ? 9 : 7;
    const int64_t cores = sink->core_count > 0 ? sink->core_count : 1;
    const double products = (double)p->seq * (double)(p->directions * p->batch) *
                            (double)(gates * p->hidden) * (double)p->hidden;
    uint32_t args[10], blocks;
    int32_t status;
    /* Entries share loads of weights, but each core shall have its share of them. */
    p->entries_per_piece = nn_ceil_div(p->directions * p->batch, cores);
    if (p->entries_per_piece > TSR_NPU_RECURRENT_ENTRIES)
        p->entries_per_piece = TSR_NPU_RECURRENT_ENTRIES;
    if (p->entries_per_piece > p->batch)
        p->entries_per_piece = p->batch;
    blocks = nn_block_dim(sink, p->directions * nn_ceil_div(p->batch, p->entries_per_piece),
                          products / 16.0);
    p->workspace_floats =
        (uint64_t)(p->entries_per_piece * (2 + gates) * nn_round_up(p->hidden, 16));
    memcpy(args, gates == LSTM ? lstm : gru, count * sizeof(*args));
    status = sink->workspace(sink, p->workspace_floats * blocks * sizeof(float), &args[count]);
    if (status != TSR_OK)
        return status;
    return nn_compute_task(sink, gates == LSTM ? TSR_KERNEL_LSTM_F32 : TSR_KERNEL_GRU_F32, blocks,
                           2.0 * products, args, count + 1, p, sizeof(*p));
}

static int32_t recurrent_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const TsrTensorDesc *x = node->inputs[0], *w = node->inputs[1];
    const int batch_first = tsr_attr_int(node, "layout", 0) != 0;
    const int64_t gates = op->kernel_op;
    TsrRecurrentParams p = {
        .struct_size = sizeof(p), .reverse = (uint32_t)tsr_attr_is(node, "direction", "reverse"),
        .flag = tsr_attr_int(node, gates == LSTM ? "input_forget" : "linear_before_reset", 0) != 0,
        .clip = tsr_attr_float(node, "clip", 0.0f), .seq = x->shape[batch_first],
        .batch = x->shape[!batch_first], .hidden = w->shape[1] / gates,
        .directions = w->shape[0],
    };
    const int64_t row = p.directions * gates * nn_round_up(p.hidden, 16);
    TsrGemmParams gemm = { .m = p.seq * p.batch, .n = row, .k = x->shape[2],
                           .a_row = x->shape[2], .a_column = 1 };
    uint32_t packed[4], sums = TSR_ARG_NULL;
    TsrString bad;
    int32_t status = add_packed(node, sink, &p, gates, packed);
    read_activations(node, (uint32_t)gates, (uint32_t)p.directions, p.activations, &bad);
    set_steps(&p, batch_first, row);
    if (status == TSR_OK)
        status = sink->workspace(sink, (uint64_t)(gemm.m * row) * sizeof(float), &sums);
    if (status == TSR_OK)
        status = nn_gemm_task(sink, TSR_DTYPE_FLOAT, &gemm,
                              (const uint32_t[5]){ TSR_ARG_INPUT | 0, packed[0], packed[1],
                                                   TSR_ARG_NULL, sums });
    if (status != TSR_OK)
        return status;
    return add_recurrence(node, sink, &p, gates, (const uint32_t[3]){ sums, packed[2], packed[3] });
}

static const NnOp ops[] = {
    { .op_type = "LSTM", .domain = "", .min_version = 1, .max_version = 22, .f32_inputs = 4,
      .kernel_op = LSTM, .flags = NN_STATIC_ONLY | NN_WIDENS, .check = recurrent_check,
      .build = recurrent_build },
    { .op_type = "GRU", .domain = "", .min_version = 1, .max_version = 22, .f32_inputs = 4,
      .kernel_op = GRU, .flags = NN_STATIC_ONLY | NN_WIDENS, .check = recurrent_check,
      .build = recurrent_build },
};

const NnOpTable nn_recurrent_ops = { ops, sizeof(ops) / sizeof(ops[0]) };
