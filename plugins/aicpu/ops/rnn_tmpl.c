/* SPDX-License-Identifier: Apache-2.0
 *
 * rnn_tmpl.c: RNN, GRU and LSTM with all their attributes, for one type of numbers. Included
 * by rnn_f32.c and rnn_f64.c with REAL, RUN (the name of the run function) and the matrix
 * product GEMM, AS_REAL, BEGIN_REAL and FINISH_REAL for it. The input part of all gates and
 * steps is one matrix product up front; a step then adds the recurrent part and applies
 * the gates. Names follow the equations of the ONNX operators.
 */
#include "rnn.h"
#include "../number.h"
#include "../walk.h"
#include <tgmath.h>

/* An activation with its alpha and beta; defaults from the table of the spec. */
typedef struct Activation {
    const char *name;
    REAL (*fn)(REAL x, REAL alpha, REAL beta);
    REAL alpha;
    REAL beta;
} Activation;

static REAL act_relu(REAL x, REAL a, REAL b) { (void)a; (void)b; return x > 0 ? x : 0; }
static REAL act_tanh(REAL x, REAL a, REAL b) { (void)a; (void)b; return tanh(x); }
static REAL act_sigmoid(REAL x, REAL a, REAL b)
{
    (void)a;
    (void)b;
    return 1.0f / (1.0f + exp(-x));
}
static REAL act_affine(REAL x, REAL a, REAL b) { return a * x + b; }
static REAL act_leaky_relu(REAL x, REAL a, REAL b) { (void)b; return x < 0 ? a * x : x; }
static REAL act_thresholded(REAL x, REAL a, REAL b) { (void)b; return x > a ? x : 0; }
static REAL act_scaled_tanh(REAL x, REAL a, REAL b) { return a * tanh(b * x); }
static REAL act_hard_sigmoid(REAL x, REAL a, REAL b)
{
    REAL y = a * x + b;
    return y < 0 ? 0 : y > 1 ? 1 : y;
}
static REAL act_elu(REAL x, REAL a, REAL b) { (void)b; return x < 0 ? a * expm1(x) : x; }
static REAL act_softsign(REAL x, REAL a, REAL b)
{
    (void)a;
    (void)b;
    return x / (1.0f + fabs(x));
}
static REAL act_softplus(REAL x, REAL a, REAL b)
{
    (void)a;
    (void)b;
    return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}

static const Activation activations[] = {
    {"Relu", act_relu, 0.0f, 0.0f},
    {"Tanh", act_tanh, 0.0f, 0.0f},
    {"Sigmoid", act_sigmoid, 0.0f, 0.0f},
    {"Affine", act_affine, 1.0f, 0.0f},
    {"LeakyRelu", act_leaky_relu, 0.01f, 0.0f},
    {"ThresholdedRelu", act_thresholded, 1.0f, 0.0f},
    {"ScaledTanh", act_scaled_tanh, 1.0f, 1.0f},
    {"HardSigmoid", act_hard_sigmoid, 0.2f, 0.5f},
    {"Elu", act_elu, 1.0f, 0.0f},
    {"Softsign", act_softsign, 0.0f, 0.0f},
    {"Softplus", act_softplus, 0.0f, 0.0f},
};

typedef struct Rnn {
    TsrRunContext *run;
    uint32_t cell;
    int64_t gates;
    int64_t seq, batch, input, hidden, directions;
    int layout, linear_before_reset, input_forget;
    REAL clip;
    Activation act[6];
    const REAL *x, *w, *r, *b, *h0, *c0, *p;
    const TsrTensor *lengths;
    REAL *y, *y_h, *y_c;
    REAL *w_t, *r_t, *x_part, *r_part, *h, *c, *reset;
} Rnn;

static int word_is(const TsrString *s, const char *word)
{
    if (s->size != strlen(word))
        return 0;
    for (uint64_t i = 0; i < s->size; i++) /* names are compared without case (RNN 7) */
        if ((s->data[i] | 0x20) != (word[i] | 0x20))
            return 0;
    return 1;
}

/* alpha and beta lists hold entries only for the activations that take one. */
static int takes_alpha(const char *name)
{
    return strcmp(name, "Affine") == 0 || strcmp(name, "LeakyRelu") == 0 ||
           strcmp(name, "ThresholdedRelu") == 0 || strcmp(name, "ScaledTanh") == 0 ||
           strcmp(name, "HardSigmoid") == 0 || strcmp(name, "Elu") == 0;
}

static int takes_beta(const char *name)
{
    return strcmp(name, "Affine") == 0 || strcmp(name, "ScaledTanh") == 0 ||
           strcmp(name, "HardSigmoid") == 0;
}

static int32_t read_activations(Rnn *rnn)
{
    static const char *const usual[3][3] = {
        {"Tanh", "", ""}, {"Sigmoid", "Tanh", ""}, {"Sigmoid", "Tanh", "Tanh"}};
    const TsrNodeView *node = rnn->run->node;
    const TsrAttr *names = tsr_attr_find(node, "activations");
    const TsrAttr *alpha = tsr_attr_find(node, "activation_alpha");
    const TsrAttr *beta = tsr_attr_find(node, "activation_beta");
    uint32_t each = rnn->cell + 1, next_alpha = 0, next_beta = 0;
    for (uint32_t i = 0; i < each * (uint32_t)rnn->directions; i++) {
        TsrString word = {usual[rnn->cell][i % each], strlen(usual[rnn->cell][i % each])};
        const Activation *found = NULL;
        if (names != NULL && i < names->count)
            word = names->strings[i];
        for (uint32_t k = 0; k < COUNT_OF(activations); k++)
            if (word_is(&word, activations[k].name))
                found = &activations[k];
        if (found == NULL)
            return rnn->run->fail(rnn->run, TSR_UNSUPPORTED, "activation '%.*s' is not known",
                                  (int)word.size, word.data);
        rnn->act[i] = *found;
        if (takes_alpha(found->name) && alpha != NULL && next_alpha < alpha->count)
            rnn->act[i].alpha = alpha->floats[next_alpha++];
        if (takes_beta(found->name) && beta != NULL && next_beta < beta->count)
            rnn->act[i].beta = beta->floats[next_beta++];
    }
    return TSR_OK;
}

/* f(clip(x)) of one of the direction's activations. */
static inline REAL gate(const Rnn *rnn, const Activation *act, REAL x)
{
    if (rnn->clip > 0.0f)
        x = x < -rnn->clip ? -rnn->clip : x > rnn->clip ? rnn->clip : x;
    return act->fn(x, act->alpha, act->beta);
}

/* LSTM of one batch entry: gates in the order i, o, f, c; peepholes i, o, f. */
static void lstm_entry(Rnn *rnn, int64_t d, const Activation *act, const REAL *x, const REAL *r,
                       REAL *h, REAL *c)
{
    int64_t n = rnn->hidden;
    const REAL *b = rnn->b != NULL ? rnn->b + d * 8 * n : NULL;
    const REAL *p = rnn->p != NULL ? rnn->p + d * 3 * n : NULL;
    for (int64_t k = 0; k < n; k++) {
        REAL sum[4], in, out, forget, cell;
        for (int64_t g = 0; g < 4; g++)
            sum[g] = x[g * n + k] + r[g * n + k] +
                     (b != NULL ? b[g * n + k] + b[(4 + g) * n + k] : 0.0f);
        if (p != NULL) {
            sum[0] += p[k] * c[k];
            sum[2] += p[2 * n + k] * c[k];
        }
        in = gate(rnn, &act[0], sum[0]);
        forget = rnn->input_forget ? 1.0f - in : gate(rnn, &act[0], sum[2]);
        cell = gate(rnn, &act[1], sum[3]);
        c[k] = forget * c[k] + in * cell;
        if (p != NULL)
            sum[1] += p[n + k] * c[k];
        out = gate(rnn, &act[0], sum[1]);
        h[k] = out * gate(rnn, &act[2], c[k]);
    }
}

/* GRU of one batch entry: gates in the order z, r, h. With linear_before_reset 0 the
 * recurrent part of h is taken of r (.) H, which needs a product of its own. */
static void gru_entry(Rnn *rnn, int64_t d, const Activation *act, const REAL *x, const REAL *r,
                      REAL *h)
{
    int64_t n = rnn->hidden;
    const REAL *b = rnn->b != NULL ? rnn->b + d * 6 * n : NULL;
    REAL *reset = rnn->reset, *part = rnn->reset + n, *update = rnn->reset + 2 * n;
    for (int64_t k = 0; k < n; k++) {
        REAL z = x[k] + r[k] + (b != NULL ? b[k] + b[3 * n + k] : 0.0f);
        REAL s = x[n + k] + r[n + k] + (b != NULL ? b[n + k] + b[4 * n + k] : 0.0f);
        update[k] = gate(rnn, &act[0], z);
        reset[k] = gate(rnn, &act[0], s);
        if (rnn->linear_before_reset)
            part[k] = reset[k] * (r[2 * n + k] + (b != NULL ? b[5 * n + k] : 0.0f));
        else
            reset[k] *= h[k];
    }
    if (!rnn->linear_before_reset) {
        for (int64_t k = 0; k < n; k++)
            part[k] = b != NULL ? b[5 * n + k] : 0.0f;
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < n; k++)
                part[k] += reset[i] * rnn->r_t[i * 3 * n + 2 * n + k];
    }
    for (int64_t k = 0; k < n; k++) {
        REAL v = gate(rnn, &act[1], x[2 * n + k] + part[k] + (b != NULL ? b[2 * n + k] : 0.0f));
        h[k] = (1.0f - update[k]) * v + update[k] * h[k];
    }
}

static void rnn_entry(Rnn *rnn, int64_t d, const Activation *act, const REAL *x, const REAL *r,
                      REAL *h)
{
    int64_t n = rnn->hidden;
    const REAL *b = rnn->b != NULL ? rnn->b + d * 2 * n : NULL;
    for (int64_t k = 0; k < n; k++)
        h[k] = gate(rnn, act, x[k] + r[k] + (b != NULL ? b[k] + b[n + k] : 0.0f));
}

/* Offset of [direction, batch] states and of [step, direction, batch] outputs. */
static int64_t state_at(const Rnn *rnn, int64_t d, int64_t e)
{
    return (rnn->layout ? e * rnn->directions + d : d * rnn->batch + e) * rnn->hidden;
}

static int64_t output_at(const Rnn *rnn, int64_t t, int64_t d, int64_t e)
{
    return (rnn->layout ? (e * rnn->seq + t) * rnn->directions + d
                        : (t * rnn->directions + d) * rnn->batch + e) * rnn->hidden;
}

/* Runs one direction over all steps. */
static void run_direction(Rnn *rnn, int64_t d, int reverse)
{
    const Activation *act = rnn->act + d * (rnn->cell + 1);
    int64_t n = rnn->hidden, width = rnn->gates * n;
    for (int64_t g = 0; g < width; g++) {
        for (int64_t i = 0; i < rnn->input; i++)
            rnn->w_t[i * width + g] = rnn->w[(d * width + g) * rnn->input + i];
        for (int64_t i = 0; i < n; i++)
            rnn->r_t[i * width + g] = rnn->r[(d * width + g) * n + i];
    }
    GEMM(rnn->run, rnn->seq * rnn->batch, width, rnn->input, rnn->x, rnn->w_t,
                   rnn->x_part, width, 0);
    for (int64_t e = 0; e < rnn->batch; e++)
        for (int64_t k = 0; k < n; k++) {
            rnn->h[e * n + k] = rnn->h0 != NULL ? rnn->h0[state_at(rnn, d, e) + k] : 0.0f;
            rnn->c[e * n + k] = rnn->c0 != NULL ? rnn->c0[state_at(rnn, d, e) + k] : 0.0f;
        }
    for (int64_t s = 0; s < rnn->seq; s++) {
        GEMM(rnn->run, rnn->batch, width, n, rnn->h, rnn->r_t, rnn->r_part, width, 0);
        for (int64_t e = 0; e < rnn->batch; e++) {
            int64_t length = rnn->seq, t;
            REAL *h = rnn->h + e * n;
            const REAL *x, *r = rnn->r_part + e * width;
            if (rnn->lengths != NULL)
                aicpu_load_int64(rnn->lengths->desc->dtype, rnn->lengths->data, e, 1, &length);
            if (s >= length) /* past the end of this sequence: output stays zero */
                continue;
            t = reverse ? length - 1 - s : s;
            x = rnn->x_part + (rnn->layout ? e * rnn->seq + t : t * rnn->batch + e) * width;
            if (rnn->cell == CELL_LSTM)
                lstm_entry(rnn, d, act, x, r, h, rnn->c + e * n);
            else if (rnn->cell == CELL_GRU)
                gru_entry(rnn, d, act, x, r, h);
            else
                rnn_entry(rnn, d, act, x, r, h);
            if (rnn->y != NULL)
                memcpy(rnn->y + output_at(rnn, t, d, e), h, (size_t)n * sizeof(REAL));
        }
    }
    for (int64_t e = 0; e < rnn->batch; e++) {
        if (rnn->y_h != NULL)
            memcpy(rnn->y_h + state_at(rnn, d, e), rnn->h + e * n, (size_t)n * sizeof(REAL));
        if (rnn->y_c != NULL)
            memcpy(rnn->y_c + state_at(rnn, d, e), rnn->c + e * n, (size_t)n * sizeof(REAL));
    }
}

/* Fails unless an optional input has that many elements. */
static int32_t want_elements(Rnn *rnn, uint32_t index, int64_t count)
{
    const TsrTensor *tensor = aicpu_input(rnn->run, index);
    if (tensor == NULL || tsr_desc_elements(tensor->desc) == count)
        return TSR_OK;
    return rnn->run->fail(rnn->run, TSR_INVALID_ARGUMENT,
                          "input %u must have %lld elements, got %lld", index, (long long)count,
                          (long long)tsr_desc_elements(tensor->desc));
}

int32_t RUN(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *x = run->inputs[0]->desc, *w = run->inputs[1]->desc;
    static const int64_t gates[3] = {1, 3, 4};
    Rnn rnn = {.run = run, .cell = kernel->mode, .gates = gates[kernel->mode]};
    REAL **outputs[3] = {&rnn.y, &rnn.y_h, &rnn.y_c};
    int64_t n, width, states;
    int32_t status;
    rnn.layout = tsr_attr_int(run->node, "layout", 0) != 0;
    rnn.linear_before_reset = tsr_attr_int(run->node, "linear_before_reset", 0) != 0;
    rnn.input_forget = tsr_attr_int(run->node, "input_forget", 0) != 0;
    rnn.clip = tsr_attr_float(run->node, "clip", 0.0f);
    rnn.seq = x->shape[rnn.layout ? 1 : 0];
    rnn.batch = x->shape[rnn.layout ? 0 : 1];
    rnn.input = x->shape[2];
    rnn.directions = tsr_attr_is(run->node, "direction", "bidirectional") ? 2 : 1;
    rnn.hidden = n = w->shape[1] / rnn.gates;
    width = rnn.gates * n;
    states = rnn.directions * rnn.batch * n;
    if ((status = read_activations(&rnn)) != TSR_OK ||
        (status = want_elements(&rnn, 1, rnn.directions * width * rnn.input)) != TSR_OK ||
        (status = want_elements(&rnn, 2, rnn.directions * width * n)) != TSR_OK ||
        (status = want_elements(&rnn, 3, rnn.directions * 2 * width)) != TSR_OK ||
        (status = want_elements(&rnn, 4, rnn.batch)) != TSR_OK ||
        (status = want_elements(&rnn, 5, states)) != TSR_OK ||
        (rnn.cell == CELL_LSTM &&
         ((status = want_elements(&rnn, 6, states)) != TSR_OK ||
          (status = want_elements(&rnn, 7, rnn.directions * 3 * n)) != TSR_OK)))
        return status;
    rnn.lengths = aicpu_input(run, 4);
    for (int64_t e = 0; rnn.lengths != NULL && e < rnn.batch; e++) {
        int64_t length;
        aicpu_load_int64(rnn.lengths->desc->dtype, rnn.lengths->data, e, 1, &length);
        if (length < 0 || length > rnn.seq)
            return run->fail(run, TSR_INVALID_ARGUMENT,
                             "a sequence length must be in [0, %lld], got %lld",
                             (long long)rnn.seq, (long long)length);
    }
    rnn.x = AS_REAL(run, run->inputs[0]);
    rnn.w = AS_REAL(run, run->inputs[1]);
    rnn.r = AS_REAL(run, run->inputs[2]);
    rnn.b = AS_REAL(run, aicpu_input(run, 3));
    rnn.h0 = AS_REAL(run, aicpu_input(run, 5));
    rnn.c0 = rnn.cell == CELL_LSTM ? AS_REAL(run, aicpu_input(run, 6)) : NULL;
    rnn.p = rnn.cell == CELL_LSTM ? AS_REAL(run, aicpu_input(run, 7)) : NULL;
    for (uint32_t i = 0; i < 3; i++)
        if (aicpu_output(run, i) != NULL) {
            *outputs[i] = BEGIN_REAL(run, run->outputs[i]);
            if (*outputs[i] == NULL)
                return TSR_OUT_OF_MEMORY;
            memset(*outputs[i], 0,
                   (size_t)tsr_desc_elements(run->outputs[i]->desc) * sizeof(REAL));
        }
    rnn.w_t = run->scratch(run, (uint64_t)(width * rnn.input + 1) * sizeof(REAL));
    rnn.r_t = run->scratch(run, (uint64_t)(width * n + 1) * sizeof(REAL));
    rnn.x_part = run->scratch(run, (uint64_t)(rnn.seq * rnn.batch * width + 1) * sizeof(REAL));
    rnn.r_part = run->scratch(run, (uint64_t)(rnn.batch * width + 1) * sizeof(REAL));
    rnn.h = run->scratch(run, (uint64_t)(2 * rnn.batch * n + 1) * sizeof(REAL));
    rnn.reset = run->scratch(run, (uint64_t)(3 * n + 1) * sizeof(REAL));
    if (rnn.w_t == NULL || rnn.r_t == NULL || rnn.x_part == NULL || rnn.r_part == NULL ||
        rnn.h == NULL || rnn.reset == NULL)
        return TSR_OUT_OF_MEMORY;
    rnn.c = rnn.h + rnn.batch * n;
    for (int64_t d = 0; d < rnn.directions; d++)
        run_direction(&rnn, d, d == 1 || tsr_attr_is(run->node, "direction", "reverse"));
    for (uint32_t i = 0; i < 3; i++)
        if (*outputs[i] != NULL)
            FINISH_REAL(run, run->outputs[i], *outputs[i]);
    return TSR_OK;
}
