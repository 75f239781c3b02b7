/* SPDX-License-Identifier: Apache-2.0
 *
 * random.c: RandomUniform, RandomNormal and their Like forms, Bernoulli, Multinomial, and
 * Dropout, which draws a mask when it trains.
 */
#include "random.h"
#include "../aicpu.h"
#include "../number.h"
#include "../walk.h"
#include <math.h>
#include <stdatomic.h>
#include <time.h>

static uint32_t random_bits(AicpuRandom *random)
{
    uint32_t *s = random->state, bits;
    if (random->next == AICPU_RANDOM_STATE) {
        for (uint32_t k = 0; k < AICPU_RANDOM_STATE; k++) {
            uint32_t mixed = (s[k] & 0x80000000u) | (s[(k + 1) % AICPU_RANDOM_STATE] & 0x7fffffffu);
            s[k] = s[(k + 397) % AICPU_RANDOM_STATE] ^ mixed >> 1 ^
                   (mixed & 1 ? 0x9908b0dfu : 0);
        }
        random->next = 0;
    }
    bits = s[random->next++];
    bits ^= bits >> 11;
    bits ^= bits << 7 & 0x9d2c5680u;
    bits ^= bits << 15 & 0xefc60000u;
    return bits ^ bits >> 18;
}

void aicpu_random_seed(AicpuRandom *random, uint32_t seed)
{
    for (uint32_t k = 0; k < AICPU_RANDOM_STATE; k++) {
        random->state[k] = seed;
        seed = 1812433253u * (seed ^ seed >> 30) + k + 1;
    }
    random->next = AICPU_RANDOM_STATE;
    random->has_normal = 0;
}

void aicpu_random_init(AicpuRandom *random, const TsrNodeView *node, uint32_t stream)
{
    static atomic_uint runs;
    const TsrAttr *seed = tsr_attr_find(node, "seed");
    struct timespec now;
    uint32_t value;
    if (seed != NULL) {
        double number = seed->type == TSR_ATTR_FLOAT ? (double)seed->f : (double)seed->i;
        value = fabs(number) < 9e18 ? (uint32_t)(int64_t)number : 0;
    } else {
        timespec_get(&now, TIME_UTC);
        value = (uint32_t)now.tv_nsec * 2654435761u ^ (uint32_t)now.tv_sec ^
                atomic_fetch_add(&runs, 1) << 16;
    }
    aicpu_random_seed(random, value ^ stream * 2654435769u);
}

double aicpu_random_uniform(AicpuRandom *random)
{
    double high = (double)(random_bits(random) >> 5), low = (double)(random_bits(random) >> 6);
    return (high * 67108864.0 + low) / 9007199254740992.0;
}

/* Marsaglia's polar method. */
double aicpu_random_normal(AicpuRandom *random)
{
    double u, v, square, factor;
    if (random->has_normal) {
        random->has_normal = 0;
        return random->normal;
    }
    do {
        u = 2.0 * aicpu_random_uniform(random) - 1.0;
        v = 2.0 * aicpu_random_uniform(random) - 1.0;
        square = u * u + v * v;
    } while (square >= 1.0 || square == 0.0);
    factor = sqrt(-2.0 * log(square) / square);
    random->has_normal = 1;
    random->normal = factor * u;
    return factor * v;
}

/* mode 1: normal; else uniform. */
static int32_t run_random(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *y = run->outputs[0];
    double low = (double)tsr_attr_float(run->node, kernel->mode ? "mean" : "low", 0.0f);
    double scale = kernel->mode ? (double)tsr_attr_float(run->node, "scale", 1.0f)
                                : (double)tsr_attr_float(run->node, "high", 1.0f) - low;
    AicpuRandom random;
    aicpu_random_init(&random, run->node, 1 + kernel->mode);
    for (int64_t i = 0; i < tsr_desc_elements(y->desc); i++) {
        double value = kernel->mode ? aicpu_random_normal(&random)
                                    : aicpu_random_uniform(&random);
        value = low + scale * value;
        aicpu_store_double(y->desc->dtype, y->data, i, 1, &value, AICPU_SATURATE);
    }
    return TSR_OK;
}

/* Bernoulli: 1 with the probability that the input says. */
static int32_t run_bernoulli(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *y = run->outputs[0];
    AicpuRandom random;
    (void)kernel;
    aicpu_random_init(&random, run->node, 3);
    for (int64_t i = 0; i < tsr_desc_elements(y->desc); i++) {
        double p, value;
        aicpu_load_double(x->desc->dtype, x->data, i, 1, &p);
        value = aicpu_random_uniform(&random) < p;
        aicpu_store_double(y->desc->dtype, y->data, i, 1, &value, AICPU_SATURATE);
    }
    return TSR_OK;
}

/* Multinomial: classes drawn with probabilities in proportion to exp(x). */
static int32_t run_multinomial(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *y = run->outputs[0];
    int64_t classes = run->inputs[0]->desc->shape[1], samples = y->desc->shape[1];
    const double *x = aicpu_as_double(run, run->inputs[0]);
    AicpuRandom random;
    (void)kernel;
    if (x == NULL)
        return TSR_OUT_OF_MEMORY;
    if (classes < 1 && tsr_desc_elements(y->desc) > 0)
        return run->fail(run, TSR_INVALID_ARGUMENT, "there are no classes to draw from");
    aicpu_random_init(&random, run->node, 4);
    for (int64_t b = 0; b < y->desc->shape[0]; b++) {
        const double *row = x + b * classes;
        double largest = -INFINITY, total = 0.0;
        for (int64_t c = 0; c < classes; c++)
            largest = fmax(largest, row[c]);
        for (int64_t c = 0; c < classes; c++)
            total += exp(row[c] - largest);
        for (int64_t s = 0; s < samples; s++) {
            double left = aicpu_random_uniform(&random) * total;
            int64_t c = 0;
            for (; c < classes - 1; c++) {
                left -= exp(row[c] - largest);
                if (left < 0.0)
                    break;
            }
            aicpu_store_int64(y->desc->dtype, y->data, b * samples + s, 1, &c);
        }
    }
    return TSR_OK;
}

/* Dropout: the input, and a mask of ones where it is wanted. In training, which an input (12
 * on) or an attribute (before 7) says, elements are dropped with probability ratio and the
 * others scaled up. */
static int32_t run_dropout(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *y = aicpu_output(run, 0), *mask = aicpu_output(run, 1);
    int64_t count = tsr_desc_elements(x->desc);
    uint32_t dtype = x->desc->dtype;
    int old = run->node->since_version < 7;
    double ratio = aicpu_scalar_double(aicpu_input(run, 1),
                                       (double)tsr_attr_float(run->node, "ratio", 0.5f));
    double one = 1.0;
    AicpuRandom random;
    (void)kernel;
    if ((old ? tsr_attr_int(run->node, "is_test", 0) != 0
             : aicpu_scalar_int64(aicpu_input(run, 2), 0) == 0) || ratio == 0.0) {
        for (int64_t i = 0; mask != NULL && i < count; i++)
            aicpu_store_double(mask->desc->dtype, mask->data, i, 1, &one, AICPU_SATURATE);
        return y == NULL || y->data == x->data
                   ? TSR_OK
                   : aicpu_copy_dense(run, dtype, y->data, 0, x->data, 0, count);
    }
    if (!(ratio >= 0.0 && ratio < 1.0))
        return run->fail(run, TSR_INVALID_ARGUMENT, "ratio must be in [0, 1), got %g", ratio);
    aicpu_random_init(&random, run->node, 0);
    for (int64_t i = 0; i < count; i++) {
        double keep = aicpu_random_uniform(&random) >= ratio, value;
        aicpu_load_double(dtype, x->data, i, 1, &value);
        value = keep * value / (1.0 - ratio);
        if (y != NULL)
            aicpu_store_double(dtype, y->data, i, 1, &value, AICPU_SATURATE);
        if (mask != NULL)
            aicpu_store_double(mask->desc->dtype, mask->data, i, 1, &keep, AICPU_SATURATE);
    }
    return TSR_OK;
}

static const AicpuKernel kernels[] = {
    {.op = "RandomUniform", .run = run_random},
    {.op = "RandomUniformLike", .run = run_random},
    {.op = "RandomNormal", .run = run_random, .mode = 1},
    {.op = "RandomNormalLike", .run = run_random, .mode = 1},
    {.op = "Bernoulli", .run = run_bernoulli, .dtypes = TSR_TYPES_FLOAT},
    {.op = "Multinomial", .run = run_multinomial, .dtypes = TSR_TYPES_FLOAT},
    {.op = "Dropout", .run = run_dropout},
};

const AicpuFamily aicpu_random = AICPU_FAMILY(kernels);
