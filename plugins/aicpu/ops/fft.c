/* SPDX-License-Identifier: Apache-2.0
 *
 * fft.c: see fft.h. A pass of radix r over sub-transforms of length l reads r elements that
 * lie m = n / (l r) apart, transforms them, and writes them r-fold interleaved with a
 * root of unity each; after the last pass everything stands in order.
 */
#include "fft.h"

#include <math.h>

#define PI 3.14159265358979323846

typedef AicpuComplexFloat Complex;

int32_t aicpu_fft_make(TsrRunContext *run, AicpuFft *fft, int64_t n, int inverse)
{
    int64_t rest = n, largest = 1;
    fft->n = n;
    fft->inverse = inverse;
    fft->factor_count = 0;
    for (; rest % 4 == 0; rest /= 4)
        fft->factors[fft->factor_count++] = 4;
    if (rest % 2 == 0) {
        /* A lone factor 2 goes first, where its pass has the longest inner loop. */
        rest /= 2;
        fft->factors[fft->factor_count++] = 2;
        fft->factors[fft->factor_count - 1] = fft->factors[0];
        fft->factors[0] = 2;
    }
    for (int64_t prime = 3; prime * prime <= rest; prime += 2)
        for (; rest % prime == 0; rest /= prime)
            fft->factors[fft->factor_count++] = prime;
    if (rest > 1)
        fft->factors[fft->factor_count++] = rest;
    for (uint32_t i = 0; i < fft->factor_count; i++)
        if (fft->factors[i] > largest)
            largest = fft->factors[i];
    fft->root = run->scratch(run, (uint64_t)(3 * n + largest) * sizeof(Complex));
    if (fft->root == NULL)
        return TSR_OUT_OF_MEMORY;
    fft->data = fft->root + n;
    fft->work = fft->data + n;
    for (int64_t k = 0; k < n; k++) {
        double angle = 2.0 * PI * (double)k / (double)n;
        fft->root[k] = (Complex){(float)cos(angle), (float)(inverse ? sin(angle) : -sin(angle))};
    }
    return TSR_OK;
}

static Complex add(Complex a, Complex b)
{
    return (Complex){a.re + b.re, a.im + b.im};
}

static Complex sub(Complex a, Complex b)
{
    return (Complex){a.re - b.re, a.im - b.im};
}

static Complex mul(Complex a, Complex b)
{
    return (Complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* a times i (inverse) or -i. */
static Complex turn(Complex a, int inverse)
{
    return inverse ? (Complex){-a.im, a.re} : (Complex){a.im, -a.re};
}

static void butterfly_2(Complex *t, int inverse)
{
    Complex sum = add(t[0], t[1]), difference = sub(t[0], t[1]);
    (void)inverse;
    t[0] = sum;
    t[1] = difference;
}

static void butterfly_3(Complex *t, int inverse)
{
    static const float sine = 0.86602540378443864676f;
    Complex sum = add(t[1], t[2]), difference = sub(t[1], t[2]);
    Complex even = {t[0].re - 0.5f * sum.re, t[0].im - 0.5f * sum.im};
    Complex odd = turn((Complex){sine * difference.re, sine * difference.im}, inverse);
    t[0] = add(t[0], sum);
    t[1] = add(even, odd);
    t[2] = sub(even, odd);
}

static void butterfly_4(Complex *t, int inverse)
{
    Complex even_sum = add(t[0], t[2]), even_difference = sub(t[0], t[2]);
    Complex odd_sum = add(t[1], t[3]), odd_difference = turn(sub(t[1], t[3]), inverse);
    t[0] = add(even_sum, odd_sum);
    t[1] = add(even_difference, odd_difference);
    t[2] = sub(even_sum, odd_sum);
    t[3] = sub(even_difference, odd_difference);
}

static void butterfly_5(Complex *t, int inverse)
{
    static const float c1 = 0.3090169943749474241f, s1 = 0.95105651629515357212f;
    static const float c2 = -0.8090169943749474241f, s2 = 0.58778525229247312917f;
    Complex sum1 = add(t[1], t[4]), difference1 = sub(t[1], t[4]);
    Complex sum2 = add(t[2], t[3]), difference2 = sub(t[2], t[3]);
    Complex even1 = {t[0].re + c1 * sum1.re + c2 * sum2.re, t[0].im + c1 * sum1.im + c2 * sum2.im};
    Complex even2 = {t[0].re + c2 * sum1.re + c1 * sum2.re, t[0].im + c2 * sum1.im + c1 * sum2.im};
    Complex odd1 = turn((Complex){s1 * difference1.re + s2 * difference2.re,
                                  s1 * difference1.im + s2 * difference2.im},
                        inverse);
    Complex odd2 = turn((Complex){s2 * difference1.re - s1 * difference2.re,
                                  s2 * difference1.im - s1 * difference2.im},
                        inverse);
    t[0] = add(add(t[0], sum1), sum2);
    t[1] = add(even1, odd1);
    t[4] = sub(even1, odd1);
    t[2] = add(even2, odd2);
    t[3] = sub(even2, odd2);
}

/* Any radix by its definition: element b of the pass lies at from[b * span]. */
static void sum_any(const AicpuFft *fft, int64_t radix, const Complex *from, int64_t span,
                    Complex *out)
{
    int64_t step = fft->n / radix;
    for (int64_t q = 0; q < radix; q++) {
        Complex sum = from[0];
        for (int64_t b = 1, at = 0; b < radix; b++) {
            at = (at + q) % radix;
            sum = add(sum, mul(from[b * span], fft->root[at * step]));
        }
        out[q] = sum;
    }
}

typedef void (*Butterfly)(Complex *t, int inverse);
static const Butterfly butterflies[6] = {
    [2] = butterfly_2, [3] = butterfly_3, [4] = butterfly_4, [5] = butterfly_5,
};

/* One pass; length is the product of the radices before it. */
static void pass(const AicpuFft *fft, int64_t radix, int64_t length, const Complex *from,
                 Complex *to, Complex *sums)
{
    int64_t span = fft->n / (length * radix);
    Butterfly butterfly = radix <= 5 ? butterflies[radix] : NULL;
    for (int64_t k = 0; k < length; k++) {
        for (int64_t i = 0; i < span; i++) {
            const Complex *first = from + i + span * radix * k;
            if (butterfly != NULL) {
                for (int64_t b = 0; b < radix; b++)
                    sums[b] = first[span * b];
                butterfly(sums, fft->inverse);
            } else {
                sum_any(fft, radix, first, span, sums);
            }
            for (int64_t m = 0; m < radix; m++) {
                int64_t exponent = m * i * length;
                to[i + span * (k + length * m)] =
                    exponent == 0 ? sums[m] : mul(sums[m], fft->root[exponent % fft->n]);
            }
        }
    }
}

void aicpu_fft_run(AicpuFft *fft)
{
    Complex *from = fft->data, *to = fft->work, *sums = fft->work + fft->n;
    float factor = 1.0f / (float)fft->n;
    int64_t length = 1;
    for (uint32_t i = 0; i < fft->factor_count; i++) {
        Complex *swap = from;
        pass(fft, fft->factors[i], length, from, to, sums);
        length *= fft->factors[i];
        from = to;
        to = swap;
    }
    for (int64_t i = 0; i < fft->n; i++) {
        fft->data[i] = from[i];
        if (fft->inverse) {
            fft->data[i].re *= factor;
            fft->data[i].im *= factor;
        }
    }
}
