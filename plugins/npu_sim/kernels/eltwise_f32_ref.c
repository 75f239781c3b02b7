/* SPDX-License-Identifier: Apache-2.0
 *
 * eltwise_f32_ref.c: reference elementwise kernels: each operator is its ONNX formula
 * over one element, computed in double by the C library.
 */
#include "act_ref.h"
#include "elem.h"
#include "kernel_list.h"
#include "split.h"

static float unary(const TsrUnaryParams *p, float f)
{
    const double x = (double)f;
    const TsrActivation activation = {
        p->op == TSR_UNARY_SCALED_HARD_SWISH ? TSR_ACT_SCALED_HARD_SWISH : p->op, p->alpha, p->beta
    };
    switch (p->op) {
    case TSR_UNARY_COPY: return f;
    case TSR_UNARY_TANH: return (float)tanh(x);
    case TSR_UNARY_EXP: return (float)exp(x);
    case TSR_UNARY_LOG: return (float)log(x);
    case TSR_UNARY_SQRT: return (float)sqrt(x);
    case TSR_UNARY_NEG: return -f;
    case TSR_UNARY_ABS: return fabsf(f);
    case TSR_UNARY_ELU: return f < 0.0f ? (float)((double)p->alpha * expm1(x)) : f;
    case TSR_UNARY_ERF: return (float)erf(x);
    case TSR_UNARY_GELU: return (float)gelu_ref(x);
    case TSR_UNARY_GELU_TANH: return (float)gelu_tanh_ref(x);
    case TSR_UNARY_RECIPROCAL: return 1.0f / f;
    case TSR_UNARY_FLOOR: return floorf(f);
    case TSR_UNARY_CEIL: return ceilf(f);
    case TSR_UNARY_SOFTPLUS: return (float)(fmax(x, 0.0) + log1p(exp(-fabs(x))));
    default: return activate_ref(f, &activation); /* the same numbers as TSR_ACT_ */
    }
}

void ELEM_FN(unary, ref)(void *const *args, const void *params, uint32_t block_index,
                         uint32_t block_dim)
{
    const TsrUnaryParams *p = params;
    const elem *x = args[0];
    elem *y = args[1];
    int64_t begin, end;
    split_range(p->count, block_index, block_dim, &begin, &end);
    for (int64_t i = begin; i < end; i++)
        y[i] = e_put(unary(p, e_get(x[i])));
}

static float binary(uint32_t op, float a, float b)
{
    switch (op) {
    case TSR_BINARY_ADD: return a + b;
    case TSR_BINARY_SUB: return a - b;
    case TSR_BINARY_MUL: return a * b;
    case TSR_BINARY_DIV: return a / b;
    case TSR_BINARY_MAX: return a > b || a != a ? a : b;
    case TSR_BINARY_MIN: return a < b || a != a ? a : b;
    case TSR_BINARY_POW: return (float)pow((double)a, (double)b);
    default: return a < 0.0f ? a * b : a; /* TSR_BINARY_PRELU */
    }
}

void ELEM_FN(binary, ref)(void *const *args, const void *params, uint32_t block_index,
                          uint32_t block_dim)
{
    const TsrBinaryParams *p = params;
    const elem *a = args[0], *b = args[1];
    elem *y = args[2];
    int64_t count = 1, begin, end;
    for (uint32_t i = 0; i < p->rank; i++)
        count *= p->shape[i];
    split_range(count, block_index, block_dim, &begin, &end);
    for (int64_t i = begin; i < end; i++) {
        int64_t a_at = 0, b_at = 0, rest = i;
        for (uint32_t d = p->rank; d-- > 0; rest /= p->shape[d]) {
            a_at += rest % p->shape[d] * p->a_step[d];
            b_at += rest % p->shape[d] * p->b_step[d];
        }
        y[i] = e_put(activate_ref(binary(p->op, e_get(a[a_at]), e_get(b[b_at])), &p->activation));
    }
}

void ELEM_FN(scale_shift, ref)(void *const *args, const void *params, uint32_t block_index,
                               uint32_t block_dim)
{
    const TsrScaleShiftParams *p = params;
    const elem *x = args[0];
    const float *scale = args[1], *shift = args[2];
    elem *y = args[3];
    const int64_t lanes = p->lanes, length = p->inner * lanes;
    int64_t begin, end;
    split_range(p->outer * p->channels, block_index, block_dim, &begin, &end);
    for (int64_t i = begin * length; i < end * length; i++) {
        const int64_t c = i / length % p->channels * lanes + i % lanes;
        const double v = (double)e_get(x[i]) * (double)scale[c] + (double)shift[c];
        y[i] = e_put(activate_ref((float)v, &p->activation));
    }
}

/* The storage type rounds after every step, as the operators alone would. */
void ELEM_FN(chain, ref)(void *const *args, const void *params, uint32_t block_index,
                         uint32_t block_dim)
{
    const TsrChainParams *p = params;
    const elem *x = args[0];
    elem *y = args[1];
    int64_t count = 1, begin, end;
    for (uint32_t i = 0; i < p->rank; i++)
        count *= p->shape[i];
    split_range(count, block_index, block_dim, &begin, &end);
    for (int64_t i = begin; i < end; i++) {
        elem v = x[i];
        for (uint32_t k = 0; k < p->step_count; k++) {
            const TsrChainStep *step = &p->steps[k];
            const TsrUnaryParams u = { .op = step->op, .alpha = step->alpha, .beta = step->beta };
            const elem *operand = step->binary ? args[2 + step->operand] : NULL;
            int64_t rest = i;
            if (operand == NULL) {
                v = e_put(unary(&u, e_get(v)));
                continue;
            }
            for (uint32_t d = p->rank; d-- > 0; rest /= p->shape[d])
                operand += rest % p->shape[d] * p->operand_step[step->operand][d];
            v = e_put(step->reversed ? binary(step->op, e_get(*operand), e_get(v))
                                     : binary(step->op, e_get(v), e_get(*operand)));
        }
        y[i] = v;
    }
}
