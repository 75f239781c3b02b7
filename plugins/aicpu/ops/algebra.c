/* SPDX-License-Identifier: Apache-2.0
 *
 * algebra.c: Einsum, Det, ReverseSequence and BitCast.
 */
#include "../number.h"
#include "../walk.h"
#include "../aicpu.h"
#include <math.h>

/* Labels of an Einsum: letters (0 to 51), then the axes under the ellipsis counted from
 * the last one. Inference has checked the equation. */
enum { LETTERS = 52, LABELS = LETTERS + TSR_MAX_RANK, MAX_TERMS = 16 };

typedef struct Einsum {
    uint32_t terms;
    int64_t extent[LABELS];
    int64_t stride[MAX_TERMS][LABELS];
    /* The labels that are walked: those of the output first, then the summed ones. */
    int label[LABELS];
    int outer, all;
    const double *x[MAX_TERMS];
    double *y;
} Einsum;

static int letter_index(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 : -1;
}

/* Reads a term; axes: those of the ellipsis. Returns the number of labels. */
static int read_term(const char **at, const char *end, int64_t axes, int *labels)
{
    int count = 0;
    for (; *at < end && **at != ',' && **at != '-'; (*at)++) {
        int index = letter_index(**at);
        if (**at == '.') {
            *at += 2;
            for (int64_t i = axes; i-- > 0 && count < TSR_MAX_RANK;)
                labels[count++] = LETTERS + (int)i;
        } else if (index >= 0 && count < TSR_MAX_RANK) {
            labels[count++] = index;
        }
    }
    return count;
}

/* Letters of the term that begins at at. */
static int64_t count_letters(const char *at, const char *end)
{
    int64_t letters = 0;
    for (; at < end && *at != ',' && *at != '-'; at++)
        letters += letter_index(*at) >= 0;
    return letters;
}

static void read_inputs(TsrRunContext *run, Einsum *e, const char **at, const char *end,
                        int *uses, int64_t *ellipsis)
{
    for (uint32_t k = 0; k < e->terms; k++) {
        const TsrTensorDesc *x = run->inputs[k]->desc;
        int64_t axes = (int64_t)x->rank - count_letters(*at, end), dense[TSR_MAX_RANK];
        int labels[TSR_MAX_RANK], count = read_term(at, end, axes, labels);
        *ellipsis = axes > *ellipsis ? axes : *ellipsis;
        tsr_shape_strides(x->rank, x->shape, dense);
        for (int i = 0; i < count && i < (int)x->rank; i++) {
            uses[labels[i]]++;
            if (x->shape[i] != 1 || e->extent[labels[i]] == 0)
                e->extent[labels[i]] = x->shape[i];
            /* A label that a term has twice walks its diagonal. */
            e->stride[k][labels[i]] += x->shape[i] == 1 ? 0 : dense[i];
        }
        if (*at < end && **at == ',')
            (*at)++;
    }
}

/* Elements [begin, end) of the output. */
static void contract(void *arg, uint64_t begin, uint64_t end)
{
    const Einsum *e = arg;
    for (uint64_t o = begin; o < end; o++) {
        int64_t offset[MAX_TERMS] = {0}, index[LABELS] = {0}, rest = (int64_t)o;
        double sum = 0.0;
        int more = 1;
        for (int i = e->outer; i-- > 0;) {
            int label = e->label[i];
            for (uint32_t k = 0; k < e->terms; k++)
                offset[k] += rest % e->extent[label] * e->stride[k][label];
            rest /= e->extent[label];
        }
        while (more) {
            double product = 1.0;
            for (uint32_t k = 0; k < e->terms; k++)
                product *= e->x[k][offset[k]];
            sum += product;
            more = 0;
            for (int i = e->all; i-- > e->outer && !more;) {
                int label = e->label[i];
                more = ++index[i] < e->extent[label];
                for (uint32_t k = 0; k < e->terms; k++)
                    offset[k] += more ? e->stride[k][label]
                                      : -(e->extent[label] - 1) * e->stride[k][label];
                if (!more)
                    index[i] = 0;
            }
        }
        e->y[o] = sum;
    }
}

static int32_t run_einsum(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrAttr *equation = tsr_attr_find(run->node, "equation");
    const char *at = equation->s.data, *end = at + equation->s.size;
    int64_t count = tsr_desc_elements(run->outputs[0]->desc), ellipsis = 0;
    int uses[LABELS] = {0}, labels[TSR_MAX_RANK], in_output[LABELS] = {0}, empty = 0;
    Einsum e = {.terms = run->input_count};
    (void)kernel;
    if (e.terms > MAX_TERMS)
        return run->fail(run, TSR_UNSUPPORTED, "has %u inputs, at most %d", e.terms, MAX_TERMS);
    read_inputs(run, &e, &at, end, uses, &ellipsis);
    if (at < end && *at == '-') {
        at += 2;
        e.outer = read_term(&at, end, ellipsis, labels);
        memcpy(e.label, labels, (size_t)e.outer * sizeof(labels[0]));
    } else {
        for (int64_t i = ellipsis; i-- > 0;)
            e.label[e.outer++] = LETTERS + (int)i;
        for (int i = 0; i < LETTERS; i++)
            if (uses[i] == 1)
                e.label[e.outer++] = i;
    }
    for (int i = 0; i < e.outer; i++)
        in_output[e.label[i]] = 1;
    e.all = e.outer;
    for (int i = 0; i < LABELS; i++)
        if (uses[i] > 0 && !in_output[i]) {
            e.label[e.all++] = i;
            empty |= e.extent[i] == 0;
        }
    for (uint32_t k = 0; k < e.terms; k++)
        if ((e.x[k] = aicpu_as_double(run, run->inputs[k])) == NULL && !empty && count > 0)
            return TSR_OUT_OF_MEMORY;
    if ((e.y = aicpu_begin_double(run, run->outputs[0])) == NULL && count > 0)
        return TSR_OUT_OF_MEMORY;
    if (empty)
        for (int64_t i = 0; i < count; i++)
            e.y[i] = 0.0;
    else
        aicpu_parallel(run, count, 256, contract, &e);
    aicpu_finish_double(run->outputs[0], e.y);
    return TSR_OK;
}

/* Determinant by elimination with partial pivots; destroys the matrix. */
static double determinant(double *m, int64_t n)
{
    double result = 1.0;
    for (int64_t k = 0; k < n; k++) {
        int64_t pivot = k;
        for (int64_t r = k + 1; r < n; r++)
            pivot = fabs(m[r * n + k]) > fabs(m[pivot * n + k]) ? r : pivot;
        if (m[pivot * n + k] == 0.0)
            return 0.0;
        for (int64_t c = k; pivot != k && c < n; c++) {
            double swap = m[k * n + c];
            m[k * n + c] = m[pivot * n + c];
            m[pivot * n + c] = swap;
        }
        result *= pivot != k ? -m[k * n + k] : m[k * n + k];
        for (int64_t r = k + 1; r < n; r++) {
            double factor = m[r * n + k] / m[k * n + k];
            for (int64_t c = k; c < n; c++)
                m[r * n + c] -= factor * m[k * n + c];
        }
    }
    return result;
}

static int32_t run_det(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *y = run->outputs[0];
    int64_t n = x->desc->shape[x->desc->rank - 1];
    double *matrix = run->scratch(run, (uint64_t)(n * n + 1) * sizeof(*matrix));
    (void)kernel;
    if (matrix == NULL)
        return TSR_OUT_OF_MEMORY;
    for (int64_t i = 0; i < tsr_desc_elements(y->desc); i++) {
        double value;
        aicpu_load_double(x->desc->dtype, x->data, i * n * n, n * n, matrix);
        value = determinant(matrix, n);
        aicpu_store_double(y->desc->dtype, y->data, i, 1, &value, AICPU_SATURATE);
    }
    return TSR_OK;
}

/* ReverseSequence: the first sequence_lens[b] steps of each batch run backwards. */
static int32_t run_reverse_sequence(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *x = run->inputs[0]->desc;
    int time_first = tsr_attr_int(run->node, "time_axis", 0) == 0;
    const int64_t *lengths = aicpu_as_int64(run, run->inputs[1]);
    int64_t inner = tsr_shape_elements(x->rank - 2, x->shape + 2);
    int64_t steps = x->shape[time_first ? 0 : 1];
    int32_t status = TSR_OK;
    (void)kernel;
    if (tsr_desc_elements(run->inputs[1]->desc) != x->shape[time_first ? 1 : 0])
        return run->fail(run, TSR_INVALID_ARGUMENT, "sequence_lens must have %lld entries",
                         (long long)x->shape[time_first ? 1 : 0]);
    for (int64_t i = 0; i < x->shape[0] * x->shape[1] && status == TSR_OK; i++) {
        int64_t first = i / x->shape[1], second = i % x->shape[1];
        int64_t t = time_first ? first : second, length = lengths[time_first ? second : first];
        int64_t from = t < length ? length - 1 - t : t;
        if (length < 0 || length > steps)
            return run->fail(run, TSR_INVALID_ARGUMENT,
                             "a length must be in [0, %lld], got %lld", (long long)steps,
                             (long long)length);
        from = time_first ? from * x->shape[1] + second : first * x->shape[1] + from;
        status = aicpu_copy_dense(run, x->dtype, run->outputs[0]->data, i * inner,
                                  run->inputs[0]->data, from * inner, inner);
    }
    return status;
}

static int32_t run_bit_cast(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *y = run->outputs[0];
    (void)kernel;
    if (y->data != x->data && y->size_bytes > 0)
        memcpy(y->data, x->data, y->size_bytes);
    return TSR_OK;
}

static const AicpuKernel kernels[] = {
    {.op = "Einsum", .run = run_einsum, .dtypes = TSR_TYPES_NUMERIC},
    {.op = "Det", .run = run_det, .dtypes = TSR_TYPES_FLOAT},
    {.op = "ReverseSequence", .run = run_reverse_sequence},
    {.op = "BitCast", .run = run_bit_cast},
};

const AicpuFamily aicpu_algebra = AICPU_FAMILY(kernels);
