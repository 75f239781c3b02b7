/* SPDX-License-Identifier: Apache-2.0
 *
 * eltwise_f32_tmpl.h: UNARY_F32, BINARY_F32, SCALE_SHIFT_F32 and CHAIN_F32 for one
 * instruction set, compiled by eltwise_f32_avx2.c and eltwise_f32_avx512.c, which define
 * the four names. The operator is chosen once per run: each has a loop of its own.
 */
#include "kernel_list.h"
#include "split.h"
#include "vec_math.h"
#include "velem.h"

enum { RUN = 1024 };

typedef struct UnaryArgs {
    v16 alpha, beta;
} UnaryArgs;

#define UNARY_FN(name, expression)                                                  \
    static inline v16 name(v16 x, const UnaryArgs *u)                               \
    {                                                                               \
        (void)u;                                                                    \
        return expression;                                                          \
    }
UNARY_FN(u_copy, x)
UNARY_FN(u_relu, vm_relu(x))
UNARY_FN(u_clip, vm_clip(x, u->alpha, u->beta))
UNARY_FN(u_leaky_relu, vm_leaky_relu(x, u->alpha))
UNARY_FN(u_hard_swish, vm_hard_swish(x))
UNARY_FN(u_hard_sigmoid, vm_hard_sigmoid(x, u->alpha, u->beta))
UNARY_FN(u_sigmoid, vm_sigmoid(x))
UNARY_FN(u_tanh, vm_tanh(x))
UNARY_FN(u_exp, vm_exp(x))
UNARY_FN(u_log, vm_log(x))
UNARY_FN(u_sqrt, v_sqrt(x))
UNARY_FN(u_neg, v_float_of(vi_add(v_bits(x), vi_set1((int32_t)0x80000000u))))
UNARY_FN(u_abs, vm_abs(x))
UNARY_FN(u_elu, v_select(v_lt(x, v_zero()), v_mul(u->alpha, vm_expm1(x)), x))
UNARY_FN(u_erf, vm_erf(x))
UNARY_FN(u_gelu, vm_gelu(x))
UNARY_FN(u_gelu_tanh, vm_gelu_tanh(x))
UNARY_FN(u_reciprocal, v_div(v_set1(1.0f), x))
UNARY_FN(u_floor, v_floor(x))
UNARY_FN(u_ceil, v_ceil(x))
/* log(1 + exp x) = max(x, 0) + log(1 + exp(-|x|)) never overflows. */
UNARY_FN(u_softplus,
         v_add(vm_relu(x), vm_log(v_add(v_set1(1.0f), vm_exp(v_sub(v_zero(), vm_abs(x)))))))
UNARY_FN(u_scaled_hard_swish, v_fma(vm_hard_swish(x), u->alpha, u->beta))

typedef void (*UnaryRun)(const elem *x, elem *y, int64_t count, const UnaryArgs *u);

#define UNARY_RUN(name)                                                             \
    static void run_##name(const elem *x, elem *y, int64_t count, const UnaryArgs *u) \
    {                                                                               \
        int64_t i = 0;                                                              \
        for (; i + 16 <= count; i += 16)                                            \
            e_store(y + i, u_##name(e_load(x + i), u));                             \
        if (i < count)                                                              \
            e_store_n(y + i, u_##name(e_load_n(x + i, (int)(count - i)), u),        \
                      (int)(count - i));                                            \
    }
UNARY_RUN(copy)
UNARY_RUN(relu)
UNARY_RUN(clip)
UNARY_RUN(leaky_relu)
UNARY_RUN(hard_swish)
UNARY_RUN(hard_sigmoid)
UNARY_RUN(sigmoid)
UNARY_RUN(tanh)
UNARY_RUN(exp)
UNARY_RUN(log)
UNARY_RUN(sqrt)
UNARY_RUN(neg)
UNARY_RUN(abs)
UNARY_RUN(elu)
UNARY_RUN(erf)
UNARY_RUN(gelu)
UNARY_RUN(gelu_tanh)
UNARY_RUN(reciprocal)
UNARY_RUN(floor)
UNARY_RUN(ceil)
UNARY_RUN(softplus)
UNARY_RUN(scaled_hard_swish)

static const UnaryRun unary_runs[TSR_UNARY_COUNT] = {
    [TSR_UNARY_COPY] = run_copy,
    [TSR_UNARY_RELU] = run_relu,
    [TSR_UNARY_CLIP] = run_clip,
    [TSR_UNARY_LEAKY_RELU] = run_leaky_relu,
    [TSR_UNARY_HARD_SWISH] = run_hard_swish,
    [TSR_UNARY_HARD_SIGMOID] = run_hard_sigmoid,
    [TSR_UNARY_SIGMOID] = run_sigmoid,
    [TSR_UNARY_TANH] = run_tanh,
    [TSR_UNARY_EXP] = run_exp,
    [TSR_UNARY_LOG] = run_log,
    [TSR_UNARY_SQRT] = run_sqrt,
    [TSR_UNARY_NEG] = run_neg,
    [TSR_UNARY_ABS] = run_abs,
    [TSR_UNARY_ELU] = run_elu,
    [TSR_UNARY_ERF] = run_erf,
    [TSR_UNARY_GELU] = run_gelu,
    [TSR_UNARY_GELU_TANH] = run_gelu_tanh,
    [TSR_UNARY_RECIPROCAL] = run_reciprocal,
    [TSR_UNARY_FLOOR] = run_floor,
    [TSR_UNARY_CEIL] = run_ceil,
    [TSR_UNARY_SOFTPLUS] = run_softplus,
    [TSR_UNARY_SCALED_HARD_SWISH] = run_scaled_hard_swish,
};

void UNARY(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    const TsrUnaryParams *p = params;
    const UnaryArgs u = { .alpha = v_set1(p->alpha), .beta = v_set1(p->beta) };
    int64_t begin, end;
    split_range(split_pieces(p->count, RUN), block_index, block_dim, &begin, &end);
    begin *= RUN;
    end *= RUN;
    if (end > p->count)
        end = p->count;
    if (begin < end)
        unary_runs[p->op]((const elem *)args[0] + begin, (elem *)args[1] + begin, end - begin,
                          &u);
}

static inline v16 b_add(v16 a, v16 b) { return v_add(a, b); }
static inline v16 b_sub(v16 a, v16 b) { return v_sub(a, b); }
static inline v16 b_mul(v16 a, v16 b) { return v_mul(a, b); }
static inline v16 b_div(v16 a, v16 b) { return v_div(a, b); }
static inline v16 b_max(v16 a, v16 b) { return v_max_nan(a, b); }
static inline v16 b_min(v16 a, v16 b) { return v_min_nan(a, b); }
static inline v16 b_prelu(v16 a, v16 b) { return vm_leaky_relu(a, b); }

/* Powers go through powf, since exp(b log a) loses digits; squares are common. */
static inline v16 b_pow(v16 a, v16 b)
{
    float base[16], exponent[16];
    int squares = 1;
    v_store(base, a);
    v_store(exponent, b);
    for (int i = 0; i < 16; i++)
        squares &= exponent[i] == 2.0f;
    if (squares)
        return v_mul(a, a);
    for (int i = 0; i < 16; i++)
        base[i] = powf(base[i], exponent[i]);
    return v_load(base);
}

/* a_one, b_one: that operand is one element for the whole run. */
typedef void (*BinaryRun)(const elem *a, int a_one, const elem *b, int b_one, elem *y,
                          int64_t count, const TsrActivation *activation);

#define BINARY_RUN(name)                                                            \
    static void run_##name(const elem *a, int a_one, const elem *b, int b_one, elem *y, \
                           int64_t count, const TsrActivation *activation)          \
    {                                                                               \
        v16 av = v_set1(a_one ? e_get(*a) : 0), bv = v_set1(b_one ? e_get(*b) : 0); \
        int64_t i = 0;                                                              \
        for (; i + 16 <= count; i += 16) {                                          \
            if (!a_one)                                                             \
                av = e_load(a + i);                                                 \
            if (!b_one)                                                             \
                bv = e_load(b + i);                                                 \
            e_store(y + i, vm_activate(b_##name(av, bv), activation));              \
        }                                                                           \
        if (i < count) {                                                            \
            const int n = (int)(count - i);                                         \
            if (!a_one)                                                             \
                av = e_load_n(a + i, n);                                            \
            if (!b_one)                                                             \
                bv = e_load_n(b + i, n);                                            \
            e_store_n(y + i, vm_activate(b_##name(av, bv), activation), n);         \
        }                                                                           \
    }
BINARY_RUN(add)
BINARY_RUN(sub)
BINARY_RUN(mul)
BINARY_RUN(div)
BINARY_RUN(max)
BINARY_RUN(min)
BINARY_RUN(pow)
BINARY_RUN(prelu)

static const BinaryRun binary_runs[TSR_BINARY_COUNT] = {
    [TSR_BINARY_ADD] = run_add,
    [TSR_BINARY_SUB] = run_sub,
    [TSR_BINARY_MUL] = run_mul,
    [TSR_BINARY_DIV] = run_div,
    [TSR_BINARY_MAX] = run_max,
    [TSR_BINARY_MIN] = run_min,
    [TSR_BINARY_POW] = run_pow,
    [TSR_BINARY_PRELU] = run_prelu,
};

void BINARY(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    const TsrBinaryParams *p = params;
    const uint32_t last = p->rank - 1;
    const int64_t length = p->shape[last], per_row = split_pieces(length, RUN);
    const int64_t a_last = p->a_step[last], b_last = p->b_step[last];
    int64_t rows = 1, begin, end;
    for (uint32_t i = 0; i < last; i++)
        rows *= p->shape[i];
    split_range(rows * per_row, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t row = piece / per_row, at = piece % per_row * RUN;
        const int64_t count = length - at < RUN ? length - at : RUN;
        int64_t a = at * a_last, b = at * b_last, rest = row;
        for (uint32_t i = last; i-- > 0; rest /= p->shape[i]) {
            a += rest % p->shape[i] * p->a_step[i];
            b += rest % p->shape[i] * p->b_step[i];
        }
        binary_runs[p->op]((const elem *)args[0] + a, a_last == 0, (const elem *)args[1] + b,
                           b_last == 0, (elem *)args[2] + row * length + at, count,
                           &p->activation);
    }
}

void SCALE_SHIFT(void *const *args, const void *params, uint32_t block_index,
                 uint32_t block_dim)
{
    const TsrScaleShiftParams *p = params;
    const int64_t length = p->inner * p->lanes;
    int64_t begin, end;
    split_range(p->outer * p->channels, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t c = piece % p->channels;
        const float *scale = (const float *)args[1] + c * p->lanes;
        const float *shift = (const float *)args[2] + c * p->lanes;
        const elem *x = (const elem *)args[0] + piece * length;
        elem *y = (elem *)args[3] + piece * length;
        const v16 s = p->lanes == 16 ? v_load(scale) : v_set1(*scale);
        const v16 t = p->lanes == 16 ? v_load(shift) : v_set1(*shift);
        int64_t i = 0;
        for (; i + 16 <= length; i += 16)
            e_store(y + i, vm_activate(v_fma(e_load(x + i), s, t), &p->activation));
        if (i < length)
            e_store_n(y + i,
                      vm_activate(v_fma(e_load_n(x + i, (int)(length - i)), s, t),
                                  &p->activation),
                      (int)(length - i));
    }
}

/* One run of a chain: the first step brings x to y, the others stay there, in L1. */
static void run_chain(const TsrChainParams *p, const elem *x, elem *y, int64_t count,
                      const elem *const *operands)
{
    static const TsrActivation none = { TSR_ACT_NONE, 0.0f, 0.0f };
    for (uint32_t i = 0; i < p->step_count; i++) {
        const TsrChainStep *step = &p->steps[i];
        const elem *from = i == 0 ? x : y;
        if (!step->binary) {
            const UnaryArgs u = { v_set1(step->alpha), v_set1(step->beta) };
            unary_runs[step->op](from, y, count, &u);
            continue;
        }
        const elem *operand = operands[step->operand];
        const int one = p->operand_step[step->operand][p->rank - 1] == 0;
        if (step->reversed)
            binary_runs[step->op](operand, one, from, 0, y, count, &none);
        else
            binary_runs[step->op](from, 0, operand, one, y, count, &none);
    }
}

void CHAIN(void *const *args, const void *params, uint32_t block_index, uint32_t block_dim)
{
    const TsrChainParams *p = params;
    const uint32_t last = p->rank - 1;
    const int64_t length = p->shape[last], per_row = split_pieces(length, RUN);
    const elem *operands[TSR_NPU_CHAIN_OPERANDS];
    int64_t rows = 1, begin, end;
    for (uint32_t i = 0; i < last; i++)
        rows *= p->shape[i];
    split_range(rows * per_row, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t row = piece / per_row, at = piece % per_row * RUN;
        for (uint32_t k = 0; k < p->operand_count; k++) {
            const int64_t *step = p->operand_step[k];
            int64_t offset = at * step[last], rest = row;
            for (uint32_t i = last; i-- > 0; rest /= p->shape[i])
                offset += rest % p->shape[i] * step[i];
            operands[k] = (const elem *)args[2 + k] + offset;
        }
        run_chain(p, (const elem *)args[0] + row * length + at,
                  (elem *)args[1] + row * length + at, length - at < RUN ? length - at : RUN,
                  operands);
    }
}
