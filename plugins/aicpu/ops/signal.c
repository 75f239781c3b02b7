/* SPDX-License-Identifier: Apache-2.0
 *
 * signal.c: DFT, STFT, window functions and MelWeightMatrix. Lengths that are a power of
 * two go through the radix-2 transform, others through sums with a table of roots.
 */
#include "../number.h"
#include "../walk.h"
#include "../aicpu.h"
#include "fft.h"
#include <math.h>

#define PI 3.14159265358979323846

typedef struct Complex {
    double re, im;
} Complex;

/* What a transform of one length needs: roots exp(+-2 pi i k / n) and memory. */
typedef struct Plan {
    int64_t n;
    Complex *root, *in, *out;
} Plan;

static int32_t plan_make(TsrRunContext *run, Plan *plan, int64_t n, int inverse)
{
    plan->n = n;
    plan->root = run->scratch(run, (uint64_t)(3 * n) * sizeof(Complex));
    if (plan->root == NULL)
        return TSR_OUT_OF_MEMORY;
    plan->in = plan->root + n;
    plan->out = plan->in + n;
    for (int64_t k = 0; k < n; k++) {
        double angle = (inverse ? 2.0 : -2.0) * PI * (double)k / (double)n;
        plan->root[k] = (Complex){cos(angle), sin(angle)};
    }
    return TSR_OK;
}

static Complex times(Complex a, Complex b)
{
    return (Complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* Cooley and Tukey, in bit-reversed order, in place of plan->out. */
static void radix_2(const Plan *plan)
{
    int64_t n = plan->n;
    for (int64_t i = 0, j = 0; i < n; i++) {
        int64_t bit = n >> 1;
        plan->out[j] = plan->in[i];
        for (; bit > 0 && (j & bit); bit >>= 1)
            j ^= bit;
        j |= bit;
    }
    for (int64_t half = 1; half < n; half *= 2)
        for (int64_t first = 0; first < n; first += 2 * half)
            for (int64_t k = 0; k < half; k++) {
                Complex *a = &plan->out[first + k], *b = a + half;
                Complex t = times(plan->root[k * (n / (2 * half))], *b);
                *b = (Complex){a->re - t.re, a->im - t.im};
                *a = (Complex){a->re + t.re, a->im + t.im};
            }
}

/* plan->out = transform of plan->in, without a factor. */
static void transform(const Plan *plan)
{
    int64_t n = plan->n;
    if ((n & (n - 1)) == 0) {
        radix_2(plan);
        return;
    }
    for (int64_t k = 0; k < n; k++) {
        Complex sum = {0.0, 0.0};
        for (int64_t i = 0, at = 0; i < n; i++) {
            Complex t = times(plan->in[i], plan->root[at]);
            sum = (Complex){sum.re + t.re, sum.im + t.im};
            at += k;
            at -= at >= n ? n : 0;
        }
        plan->out[k] = sum;
    }
}

/* plan->out = transform of plan->in in single precision. */
static void transform_float(const Plan *plan, AicpuFft *fft)
{
    for (int64_t i = 0; i < plan->n; i++)
        fft->data[i] = (AicpuComplexFloat){(float)plan->in[i].re, (float)plan->in[i].im};
    aicpu_fft_run(fft);
    for (int64_t i = 0; i < plan->n; i++)
        plan->out[i] = (Complex){fft->data[i].re, fft->data[i].im};
}

/* DFT: input padded with zeros or cut to dft_length. */
static int32_t run_dft(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *x_desc = run->inputs[0]->desc, *y_desc = run->outputs[0]->desc;
    int inverse = tsr_attr_int(run->node, "inverse", 0) != 0;
    int onesided = tsr_attr_int(run->node, "onesided", 0) != 0;
    uint32_t rank = x_desc->rank;
    int64_t parts = x_desc->shape[rank - 1], out_parts = y_desc->shape[rank - 1];
    int64_t axis = run->node->since_version < 20
                       ? tsr_attr_int(run->node, "axis", 1)
                       : aicpu_scalar_int64(aicpu_input(run, 2), -2);
    int64_t in_n, out_n, inner, length;
    const double *x = aicpu_as_double(run, run->inputs[0]);
    double *y = aicpu_begin_double(run, run->outputs[0]);
    /* A complex signal in its own precision, as the specification's reference does. */
    int single = parts == 2 && !onesided && x_desc->dtype == TSR_DTYPE_FLOAT;
    AicpuFft fft;
    Plan plan;
    (void)kernel;
    axis = tsr_axis_normalize(axis, rank);
    if (axis < 0 || axis == rank - 1 || parts < 1 || parts > 2)
        return run->fail(run, TSR_INVALID_ARGUMENT,
                         "axis %lld is not before the last one, which must have 1 or 2 parts, "
                         "got %lld", (long long)axis, (long long)parts);
    in_n = x_desc->shape[axis];
    out_n = y_desc->shape[axis];
    inner = tsr_shape_elements(rank - (uint32_t)axis - 2, x_desc->shape + axis + 1);
    length = aicpu_scalar_int64(aicpu_input(run, 1),
                                onesided && inverse ? 2 * (in_n - 1) : in_n);
    if (length < 1)
        return length == 0 && tsr_desc_elements(y_desc) == 0
                   ? TSR_OK
                   : run->fail(run, TSR_INVALID_ARGUMENT, "dft_length must be positive, got %lld",
                               (long long)length);
    if (x == NULL || y == NULL || plan_make(run, &plan, length, inverse) != TSR_OK ||
        (single && aicpu_fft_make(run, &fft, length, inverse) != TSR_OK))
        return TSR_OUT_OF_MEMORY;
    for (int64_t v = 0; v < tsr_shape_elements((uint32_t)axis, x_desc->shape) * inner; v++) {
        const double *from = x + (v / inner * in_n * inner + v % inner) * parts;
        double *to = y + (v / inner * out_n * inner + v % inner) * out_parts;
        double factor = inverse && !single ? 1.0 / (double)length : 1.0;
        for (int64_t i = 0; i < length; i++) {
            /* The other half of a one-sided spectrum is its conjugate. */
            int mirrored = onesided && inverse && i > length / 2;
            int64_t at = mirrored ? length - i : i;
            plan.in[i] = (Complex){0.0, 0.0};
            if (at < in_n) {
                plan.in[i].re = from[at * inner * parts];
                plan.in[i].im = parts == 2 ? from[at * inner * parts + 1] : 0.0;
                if (mirrored)
                    plan.in[i].im = -plan.in[i].im;
            }
        }
        if (single)
            transform_float(&plan, &fft);
        else
            transform(&plan);
        for (int64_t i = 0; i < out_n; i++) {
            to[i * inner * out_parts] = plan.out[i].re * factor;
            if (out_parts == 2)
                to[i * inner * out_parts + 1] = plan.out[i].im * factor;
        }
    }
    aicpu_finish_double(run->outputs[0], y);
    return TSR_OK;
}

static int32_t run_stft(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *x_desc = run->inputs[0]->desc, *y_desc = run->outputs[0]->desc;
    int64_t batch = x_desc->shape[0], signal = x_desc->shape[1];
    int64_t parts = x_desc->rank > 2 ? x_desc->shape[2] : 1;
    int64_t step = aicpu_scalar_int64(run->inputs[1], 1), frames = y_desc->shape[1];
    int64_t bins = y_desc->shape[2];
    const TsrTensor *window = aicpu_input(run, 2);
    int64_t length = aicpu_scalar_int64(aicpu_input(run, 3),
                                        window != NULL ? window->desc->shape[0] : signal);
    const double *x = aicpu_as_double(run, run->inputs[0]);
    const double *w = aicpu_as_double(run, window);
    double *y = aicpu_begin_double(run, run->outputs[0]);
    Plan plan;
    (void)kernel;
    if (step < 1 || length < 1 || parts < 1 || parts > 2 ||
        (window != NULL && window->desc->shape[0] != length) ||
        (frames > 0 && (frames - 1) * step + length > signal))
        return run->fail(run, TSR_INVALID_ARGUMENT,
                         "frames of %lld at steps of %lld do not fit a signal of %lld or the "
                         "window", (long long)length, (long long)step, (long long)signal);
    if (x == NULL || y == NULL || (window != NULL && w == NULL) ||
        plan_make(run, &plan, length, 0) != TSR_OK)
        return TSR_OUT_OF_MEMORY;
    for (int64_t f = 0; f < batch * frames; f++) {
        const double *from = x + (f / frames * signal + f % frames * step) * parts;
        for (int64_t i = 0; i < length; i++) {
            double scale = w != NULL ? w[i] : 1.0;
            plan.in[i].re = from[i * parts] * scale;
            plan.in[i].im = parts == 2 ? from[i * parts + 1] * scale : 0.0;
        }
        transform(&plan);
        for (int64_t i = 0; i < bins; i++) {
            y[(f * bins + i) * 2] = plan.out[i].re;
            y[(f * bins + i) * 2 + 1] = plan.out[i].im;
        }
    }
    aicpu_finish_double(run->outputs[0], y);
    return TSR_OK;
}

/* Windows are cosine sums: table holds the three factors. */
static int32_t run_window(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *y = run->outputs[0];
    const double *factor = kernel->table;
    int64_t n = y->desc->shape[0];
    int periodic = tsr_attr_int(run->node, "periodic", 1) != 0;
    double period = (double)(periodic ? n : n - 1);
    for (int64_t i = 0; i < n; i++) {
        double angle = period > 0.0 ? 2.0 * PI * (double)i / period : PI;
        double value = factor[0] - factor[1] * cos(angle) + factor[2] * cos(2.0 * angle);
        /* The operator casts a float, which decides what an integer becomes. */
        if (y->desc->dtype != TSR_DTYPE_DOUBLE)
            value = aicpu_round_to(TSR_DTYPE_FLOAT, value);
        aicpu_store_double(y->desc->dtype, y->data, i, 1, &value, AICPU_SATURATE);
    }
    return TSR_OK;
}

/* MelWeightMatrix: triangles whose corners are equally spaced on the mel scale, rounded
 * down to places of the spectrum. */
static int32_t run_mel(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *y = run->outputs[0];
    int64_t bins = y->desc->shape[1], places = y->desc->shape[0];
    int64_t length = aicpu_scalar_int64(run->inputs[1], 0);
    double rate = aicpu_scalar_double(run->inputs[2], 0.0);
    double low = 2595.0 * log10(1.0 + aicpu_scalar_double(run->inputs[3], 0.0) / 700.0);
    double high = 2595.0 * log10(1.0 + aicpu_scalar_double(run->inputs[4], 0.0) / 700.0);
    double step = (high - low) / (double)(bins + 2);
    double *out = aicpu_begin_double(run, y);
    (void)kernel;
    if (out == NULL)
        return TSR_OUT_OF_MEMORY;
    if (!(rate > 0.0))
        return run->fail(run, TSR_INVALID_ARGUMENT, "sample_rate must be positive, got %g", rate);
    for (int64_t i = 0; i < bins * places; i++)
        out[i] = 0.0;
    for (int64_t b = 0; b < bins; b++) {
        double corner[3];
        for (int k = 0; k < 3; k++) {
            double mel = low + (double)(b + k) * step;
            double hertz = 700.0 * (pow(10.0, mel / 2595.0) - 1.0);
            corner[k] = floor((double)(length + 1) * hertz / rate);
        }
        for (int64_t i = 0; i < places; i++) {
            double at = (double)i, *value = &out[i * bins + b];
            if (at == corner[1])
                *value = 1.0;
            else if (at >= corner[0] && at < corner[1])
                *value = (at - corner[0]) / (corner[1] - corner[0]);
            else if (at > corner[1] && at < corner[2])
                *value = (corner[2] - at) / (corner[2] - corner[1]);
        }
    }
    aicpu_finish_double(y, out);
    return TSR_OK;
}

static const double hann[3] = {0.5, 0.5, 0.0};
static const double hamming[3] = {25.0 / 46.0, 21.0 / 46.0, 0.0};
static const double blackman[3] = {0.42, 0.5, 0.08};

static const AicpuKernel kernels[] = {
    {.op = "DFT", .run = run_dft, .dtypes = TSR_TYPES_FLOAT},
    {.op = "STFT", .run = run_stft, .dtypes = TSR_TYPES_FLOAT},
    {.op = "HannWindow", .run = run_window, .table = hann},
    {.op = "HammingWindow", .run = run_window, .table = hamming},
    {.op = "BlackmanWindow", .run = run_window, .table = blackman},
    {.op = "MelWeightMatrix", .run = run_mel},
};

const AicpuFamily aicpu_signal = AICPU_FAMILY(kernels);
