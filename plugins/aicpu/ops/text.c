/* SPDX-License-Identifier: Apache-2.0
 *
 * text.c: the string operators. Case and white space are those of utf8.c, whatever the
 * locale of the machine.
 */
#include "../number.h"
#include "../aicpu.h"
#include "regex.h"
#include "utf8.h"

static const TsrString *strings_of(const TsrTensor *tensor)
{
    return tensor->data;
}

/* A mapped copy in scratch memory: lower 1, upper 2; the string itself for 0. */
static int32_t change_case(TsrRunContext *run, TsrString from, int how, TsrString *out)
{
    const char *at = from.data, *end = from.data + from.size;
    char *to;
    *out = from;
    if (how == 0 || from.size == 0)
        return TSR_OK;
    to = run->scratch(run, 4 * from.size);
    if (to == NULL)
        return TSR_OUT_OF_MEMORY;
    out->data = to;
    while (at < end) {
        const char *before = at;
        uint32_t code = aicpu_utf8_next(&at, end);
        uint32_t mapped = how == 1 ? aicpu_utf8_lower(code) : aicpu_utf8_upper(code);
        if (mapped == code) { /* also keeps bytes that are no UTF-8 */
            memcpy(to, before, (size_t)(at - before));
            to += at - before;
        } else {
            to += aicpu_utf8_put(mapped, to);
        }
    }
    out->size = (uint64_t)(to - out->data);
    return TSR_OK;
}

static int same_string(TsrString a, TsrString b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* StringNormalizer: without the stop words, then in another case; never empty. */
static int32_t run_normalizer(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *x = run->inputs[0]->desc;
    const TsrAttr *stop = tsr_attr_find(run->node, "stopwords");
    int sensitive = tsr_attr_int(run->node, "is_case_sensitive", 0) != 0;
    int how = tsr_attr_is(run->node, "case_change_action", "LOWER")   ? 1
              : tsr_attr_is(run->node, "case_change_action", "UPPER") ? 2
                                                                      : 0;
    int64_t count = tsr_desc_elements(x), kept = 0, shape[2] = {1, 1};
    uint32_t stops = stop != NULL ? stop->count : 0;
    TsrString *keep = run->scratch(run, (uint64_t)(count + stops + 1) * sizeof(*keep));
    TsrString *word = keep + count;
    int32_t status = TSR_OK;
    (void)kernel;
    if (keep == NULL)
        return TSR_OUT_OF_MEMORY;
    for (uint32_t k = 0; k < stops && status == TSR_OK; k++)
        status = change_case(run, stop->strings[k], sensitive ? 0 : 1, &word[k]);
    for (int64_t i = 0; i < count && status == TSR_OK; i++) {
        TsrString folded;
        int found = 0;
        if ((status = change_case(run, strings_of(run->inputs[0])[i], sensitive ? 0 : 1,
                                  &folded)) != TSR_OK)
            return status;
        for (uint32_t k = 0; k < stops && !found; k++)
            found = same_string(folded, word[k]);
        if (!found)
            status = change_case(run, strings_of(run->inputs[0])[i], how, &keep[kept++]);
    }
    shape[x->rank - 1] = kept > 0 ? kept : 1;
    if (status != TSR_OK ||
        (status = run->alloc_output(run, 0, TSR_DTYPE_STRING, x->rank, shape)) != TSR_OK)
        return status;
    for (int64_t i = 0; i < kept && status == TSR_OK; i++)
        status = run->set_string(run, (TsrString *)run->outputs[0]->data + i, keep[i].data,
                                 keep[i].size);
    return status;
}

static int32_t run_concat(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *y = run->outputs[0]->desc;
    int64_t stride[2][TSR_MAX_RANK], count = tsr_desc_elements(y), room = 0;
    char *buffer = NULL;
    (void)kernel;
    for (uint32_t k = 0; k < 2; k++)
        tsr_broadcast_strides(run->inputs[k]->desc->rank, run->inputs[k]->desc->shape, y->rank,
                              stride[k]);
    for (int64_t i = 0; i < count; i++) {
        int64_t at[2] = {0, 0}, rest = i;
        TsrString part[2];
        int32_t status;
        for (uint32_t d = y->rank; d-- > 0;) {
            at[0] += rest % y->shape[d] * stride[0][d];
            at[1] += rest % y->shape[d] * stride[1][d];
            rest /= y->shape[d];
        }
        for (int k = 0; k < 2; k++)
            part[k] = strings_of(run->inputs[k])[at[k]];
        if ((int64_t)(part[0].size + part[1].size) > room) {
            room = 2 * (int64_t)(part[0].size + part[1].size);
            if ((buffer = run->scratch(run, (uint64_t)room)) == NULL)
                return TSR_OUT_OF_MEMORY;
        }
        if (part[0].size > 0)
            memcpy(buffer, part[0].data, part[0].size);
        if (part[1].size > 0)
            memcpy(buffer + part[0].size, part[1].data, part[1].size);
        status = run->set_string(run, (TsrString *)run->outputs[0]->data + i, buffer,
                                 part[0].size + part[1].size);
        if (status != TSR_OK)
            return status;
    }
    return TSR_OK;
}

/* Takes the next piece off text; 0 when there is none. An empty delimiter stands for white
 * space, runs of which separate. limit: pieces that may still be split off (-1: all). */
static int next_piece(TsrString *text, int *done, TsrString delimiter, int64_t limit,
                      TsrString *out)
{
    const char *at = text->data, *end = text->data + text->size, *begin = at;
    if (*done)
        return 0;
    if (delimiter.size == 0) {
        const char *before = at;
        while (at < end && aicpu_utf8_is_space(aicpu_utf8_next(&at, end)))
            before = at;
        begin = at = before;
        if (begin >= end)
            return 0;
        while (limit != 0 && at < end) {
            before = at;
            if (aicpu_utf8_is_space(aicpu_utf8_next(&at, end))) {
                *out = (TsrString){begin, (uint64_t)(before - begin)};
                *text = (TsrString){at, (uint64_t)(end - at)};
                return 1;
            }
        }
    } else {
        for (; limit != 0 && (uint64_t)(end - at) >= delimiter.size; at++)
            if (memcmp(at, delimiter.data, delimiter.size) == 0) {
                *out = (TsrString){begin, (uint64_t)(at - begin)};
                *text = (TsrString){at + delimiter.size,
                                    (uint64_t)(end - at) - delimiter.size};
                return 1;
            }
    }
    *out = (TsrString){begin, (uint64_t)(end - begin)};
    *done = 1;
    return 1;
}

/* StringSplit: a first walk counts the pieces, a second writes them. */
static int32_t run_split(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *x = run->inputs[0]->desc;
    const TsrAttr *attr = tsr_attr_find(run->node, "delimiter");
    const TsrAttr *limit = tsr_attr_find(run->node, "maxsplit");
    TsrString delimiter = attr != NULL ? attr->s : (TsrString){NULL, 0};
    int64_t count = tsr_desc_elements(x), most = 0, shape[TSR_MAX_RANK];
    int64_t *pieces = run->scratch(run, (uint64_t)(count + 1) * sizeof(*pieces));
    int32_t status = TSR_OK;
    (void)kernel;
    if (pieces == NULL)
        return TSR_OUT_OF_MEMORY;
    for (int pass = 0; pass < 2 && status == TSR_OK; pass++) {
        for (int64_t i = 0; i < count && status == TSR_OK; i++) {
            TsrString text = strings_of(run->inputs[0])[i], piece;
            int done = 0;
            int64_t n = 0, left = limit != NULL ? limit->i : -1;
            if (text.data == NULL)
                text.data = "";
            for (; next_piece(&text, &done, delimiter, left, &piece); n++) {
                left -= left > 0;
                if (pass == 1 && aicpu_output(run, 0) != NULL && status == TSR_OK)
                    status = run->set_string(run, (TsrString *)run->outputs[0]->data + i * most +
                                                      n, piece.data, piece.size);
            }
            pieces[i] = n;
            most = n > most ? n : most;
        }
        if (pass == 1)
            break;
        memcpy(shape, x->shape, x->rank * sizeof(int64_t));
        shape[x->rank] = most;
        if (aicpu_output(run, 0) != NULL)
            status = run->alloc_output(run, 0, TSR_DTYPE_STRING, x->rank + 1, shape);
        if (status == TSR_OK && aicpu_output(run, 1) != NULL)
            status = run->alloc_output(run, 1, TSR_DTYPE_INT64, x->rank, shape);
    }
    if (status == TSR_OK && aicpu_output(run, 1) != NULL && count > 0)
        memcpy(run->outputs[1]->data, pieces, (size_t)count * sizeof(*pieces));
    return status;
}

static int32_t run_regex(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrAttr *pattern = tsr_attr_find(run->node, "pattern");
    int64_t count = tsr_desc_elements(run->inputs[0]->desc);
    AicpuRegex *regex = run->scratch(run, sizeof(*regex));
    (void)kernel;
    if (regex == NULL)
        return TSR_OUT_OF_MEMORY;
    if (!aicpu_regex_compile(regex, pattern != NULL ? pattern->s.data : "",
                             pattern != NULL ? pattern->s.size : 0))
        return run->fail(run, TSR_INVALID_ARGUMENT, "the pattern '%.*s' %s",
                         (int)pattern->s.size, pattern->s.data, regex->error);
    for (int64_t i = 0; i < count; i++) {
        TsrString text = strings_of(run->inputs[0])[i];
        ((uint8_t *)run->outputs[0]->data)[i] =
            (uint8_t)aicpu_regex_matches(regex, text.data != NULL ? text.data : "", text.size);
    }
    return TSR_OK;
}

/* Whether the n-gram of x at stride step equals pool entry first. */
static int gram_equals(const TsrTensor *x, int64_t at, int64_t step, int64_t n,
                       const TsrAttr *pool, int64_t first)
{
    for (int64_t i = 0; i < n; i++) {
        if (pool->type == TSR_ATTR_STRINGS) {
            if (!same_string(strings_of(x)[at + i * step], pool->strings[first + i]))
                return 0;
        } else {
            int64_t value;
            aicpu_load_int64(x->desc->dtype, x->data, at + i * step, 1, &value);
            if (value != pool->ints[first + i])
                return 0;
        }
    }
    return 1;
}

/* TfIdfVectorizer: counts the n-grams of the pool, whose sections ngram_counts bounds. */
static int32_t run_tfidf(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0];
    const TsrAttr *pool = tsr_attr_find(run->node, "pool_strings");
    const TsrAttr *weights = tsr_attr_find(run->node, "weights");
    uint32_t sections, indexes;
    const int64_t *bounds = tsr_attr_ints(run->node, "ngram_counts", &sections);
    const int64_t *index = tsr_attr_ints(run->node, "ngram_indexes", &indexes);
    int64_t low = tsr_attr_int(run->node, "min_gram_length", 1);
    int64_t high = tsr_attr_int(run->node, "max_gram_length", 1);
    int64_t skips = tsr_attr_int(run->node, "max_skip_count", 0), gram = 0;
    int64_t length = x->desc->shape[x->desc->rank - 1];
    int64_t rows = x->desc->rank == 2 ? x->desc->shape[0] : 1;
    int64_t columns = run->outputs[0]->desc->shape[x->desc->rank - 1];
    float *y = run->outputs[0]->data;
    (void)kernel;
    if (pool == NULL || pool->count == 0)
        pool = tsr_attr_find(run->node, "pool_int64s");
    if (pool == NULL || (x->desc->dtype == TSR_DTYPE_STRING) != (pool->type == TSR_ATTR_STRINGS))
        return run->fail(run, TSR_INVALID_ARGUMENT,
                         "needs one pool, of the type of X, which is %s",
                         tsr_dtype_name(x->desc->dtype));
    memset(y, 0, run->outputs[0]->size_bytes);
    for (uint32_t s = 0; s < sections; s++) {
        int64_t n = (int64_t)s + 1, end = s + 1 < sections ? bounds[s + 1] : pool->count;
        if (bounds[s] < 0 || end < bounds[s] || end > pool->count || (end - bounds[s]) % n != 0)
            return run->fail(run, TSR_INVALID_ARGUMENT,
                             "ngram_counts does not split a pool of %u into %lld-grams",
                             pool->count, (long long)n);
        for (int64_t first = bounds[s]; first < end; first += n, gram++) {
            if (gram >= indexes)
                return run->fail(run, TSR_INVALID_ARGUMENT,
                                 "the pool has more n-grams than ngram_indexes, %u", indexes);
            for (int64_t k = 1; n >= low && n <= high && k <= (n == 1 ? 1 : skips + 1); k++)
                for (int64_t r = 0; r < rows; r++)
                    for (int64_t i = 0; i + (n - 1) * k < length; i++)
                        y[r * columns + index[gram]] +=
                            (float)gram_equals(x, r * length + i, k, n, pool, first);
        }
    }
    if (tsr_attr_is(run->node, "mode", "TF"))
        return TSR_OK;
    if (weights != NULL && weights->count != indexes)
        return run->fail(run, TSR_INVALID_ARGUMENT, "weights must have %u entries, got %u",
                         indexes, weights->count);
    for (int64_t i = 0; i < rows * columns; i++)
        if (tsr_attr_is(run->node, "mode", "IDF") && y[i] > 1.0f)
            y[i] = 1.0f;
    for (uint32_t k = 0; weights != NULL && k < indexes; k++)
        for (int64_t r = 0; r < rows; r++)
            y[r * columns + index[k]] *= weights->floats[k];
    return TSR_OK;
}

static const AicpuKernel kernels[] = {
    {.op = "StringNormalizer", .run = run_normalizer},
    {.op = "StringConcat", .run = run_concat},
    {.op = "StringSplit", .run = run_split},
    {.op = "RegexFullMatch", .run = run_regex},
    {.op = "TfIdfVectorizer", .run = run_tfidf},
};

const AicpuFamily aicpu_text = AICPU_FAMILY(kernels);
