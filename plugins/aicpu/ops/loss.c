/* SPDX-License-Identifier: Apache-2.0
 *
 * loss.c: NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss, which is the first one
 * after a log-softmax over the classes. Sums are double.
 */
#include "../number.h"
#include "../aicpu.h"
#include <math.h>

/* log_p[n, c, i] = x - log(sum over c of exp(x)); all of [n, classes, inner]. */
static void log_softmax(const double *x, double *y, int64_t n, int64_t classes, int64_t inner)
{
    for (int64_t p = 0; p < n * inner; p++) {
        int64_t base = p / inner * classes * inner + p % inner;
        double largest = -INFINITY, sum = 0.0;
        for (int64_t c = 0; c < classes; c++)
            largest = fmax(largest, x[base + c * inner]);
        for (int64_t c = 0; c < classes; c++)
            sum += exp(x[base + c * inner] - largest);
        for (int64_t c = 0; c < classes; c++)
            y[base + c * inner] = x[base + c * inner] - largest - log(sum);
    }
}

/* mode 1: the scores are not log-probabilities yet. */
static int32_t run_loss(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *x_desc = run->inputs[0]->desc;
    const TsrTensor *y = aicpu_output(run, 0), *log_prob = aicpu_output(run, 1);
    const TsrAttr *ignore = tsr_attr_find(run->node, "ignore_index");
    int none = tsr_attr_is(run->node, "reduction", "none");
    int mean = tsr_attr_is(run->node, "reduction", "mean");
    int64_t classes = x_desc->shape[1], n = x_desc->shape[0];
    int64_t inner = tsr_shape_elements(x_desc->rank - 2, x_desc->shape + 2);
    const double *x = aicpu_as_double(run, run->inputs[0]);
    const double *weights = aicpu_as_double(run, aicpu_input(run, 2));
    const int64_t *labels = aicpu_as_int64(run, run->inputs[1]);
    double sum = 0.0, total = 0.0;
    if (x == NULL || labels == NULL || (aicpu_input(run, 2) != NULL && weights == NULL))
        return TSR_OUT_OF_MEMORY;
    if (kernel->mode == 1) {
        double *logs = run->scratch(run, (uint64_t)(n * classes * inner + 1) * sizeof(double));
        if (logs == NULL)
            return TSR_OUT_OF_MEMORY;
        log_softmax(x, logs, n, classes, inner);
        x = logs;
        if (log_prob != NULL)
            aicpu_store_double(log_prob->desc->dtype, log_prob->data, 0, n * classes * inner, x,
                               AICPU_SATURATE);
    }
    for (int64_t p = 0; p < n * inner; p++) {
        int64_t label = labels[p];
        int ignored = ignore != NULL && label == ignore->i;
        double weight = 0.0, loss = 0.0;
        if (!ignored && (label < 0 || label >= classes))
            return run->fail(run, TSR_INVALID_ARGUMENT, "a label must be in [0, %lld), got %lld",
                             (long long)classes, (long long)label);
        if (!ignored) {
            weight = weights != NULL ? weights[label] : 1.0;
            loss = -weight * x[p / inner * classes * inner + label * inner + p % inner];
        }
        sum += loss;
        total += weight;
        if (none && y != NULL)
            aicpu_store_double(y->desc->dtype, y->data, p, 1, &loss, AICPU_SATURATE);
    }
    if (mean)
        sum /= total;
    if (!none && y != NULL)
        aicpu_store_double(y->desc->dtype, y->data, 0, 1, &sum, AICPU_SATURATE);
    return TSR_OK;
}

static const AicpuKernel kernels[] = {
    {.op = "NegativeLogLikelihoodLoss", .run = run_loss, .dtypes = TSR_TYPES_FLOAT},
    {.op = "SoftmaxCrossEntropyLoss", .run = run_loss, .mode = 1, .dtypes = TSR_TYPES_FLOAT},
};

const AicpuFamily aicpu_loss = AICPU_FAMILY(kernels);
