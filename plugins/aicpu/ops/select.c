/* SPDX-License-Identifier: Apache-2.0
 *
 * select.c: NonZero, Compress, Unique, TopK: elements chosen by their values. The first
 * three allocate their outputs once they know how many there are.
 */
#include "../aicpu.h"
#include "../number.h"
#include "../walk.h"
#include <math.h>
#include <stdlib.h>

/* Whether element i is not zero (strings: not empty). */
static int is_set(const TsrTensor *x, int64_t i)
{
    double value;
    if (x->desc->dtype == TSR_DTYPE_STRING)
        return ((const TsrString *)x->data)[i].size != 0;
    aicpu_load_double(x->desc->dtype, x->data, i, 1, &value);
    return value != 0.0;
}

static int32_t run_nonzero(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0];
    int64_t count = tsr_desc_elements(x->desc), found = 0, shape[2], stride[TSR_MAX_RANK], n = 0;
    uint32_t rank = x->desc->rank;
    int64_t *y;
    int32_t status;
    (void)kernel;
    for (int64_t i = 0; i < count; i++)
        found += is_set(x, i);
    shape[0] = rank;
    shape[1] = found;
    if ((status = run->alloc_output(run, 0, TSR_DTYPE_INT64, 2, shape)) != TSR_OK)
        return status;
    y = run->outputs[0]->data;
    tsr_shape_strides(rank, x->desc->shape, stride);
    for (int64_t i = 0; i < count; i++) {
        if (!is_set(x, i))
            continue;
        for (uint32_t d = 0; d < rank; d++)
            y[d * found + n] = i / stride[d] % x->desc->shape[d];
        n++;
    }
    return TSR_OK;
}

/* Compress: entries of the axis whose condition is set; without axis the elements. */
static int32_t run_compress(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *condition = run->inputs[1];
    const TsrAttr *attr = tsr_attr_find(run->node, "axis");
    int64_t shape[TSR_MAX_RANK], outer = 1, extent = tsr_desc_elements(x->desc), inner = 1;
    int64_t limit = tsr_desc_elements(condition->desc), found = 0, n = 0, axis = 0;
    uint32_t rank = 1;
    int32_t status;
    (void)kernel;
    if (attr != NULL) {
        rank = x->desc->rank;
        axis = tsr_axis_normalize(attr->i, rank);
        if (axis < 0)
            return run->fail(run, TSR_INVALID_ARGUMENT, "axis is outside of rank %u", rank);
        memcpy(shape, x->desc->shape, rank * sizeof(int64_t));
        extent = shape[axis];
        outer = tsr_shape_elements((uint32_t)axis, shape);
        inner = tsr_shape_elements(rank - (uint32_t)axis - 1, shape + axis + 1);
    }
    limit = limit < extent ? limit : extent;
    for (int64_t i = 0; i < limit; i++)
        found += ((const uint8_t *)condition->data)[i] != 0;
    shape[axis] = found;
    if ((status = run->alloc_output(run, 0, x->desc->dtype, rank, shape)) != TSR_OK)
        return status;
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < limit && status == TSR_OK; i++)
            if (((const uint8_t *)condition->data)[i])
                status = aicpu_copy_dense(run, x->desc->dtype, run->outputs[0]->data,
                                          n++ * inner, x->data, (o * extent + i) * inner, inner);
    return status;
}

/* A slice of x along an axis, for sorting: where it begins and what it looks like. */
typedef struct Entry {
    const TsrTensor *x;
    int64_t outer, extent, inner; /* of the axis */
    int64_t index;
} Entry;

/* Order of two elements: -1, 0, 1; NaN counts as larger than numbers. */
static int compare_elements(const TsrTensor *x, int64_t i, int64_t k)
{
    double a, b;
    if (x->desc->dtype == TSR_DTYPE_STRING) {
        const TsrString *s = (const TsrString *)x->data + i, *t = (const TsrString *)x->data + k;
        uint64_t n = s->size < t->size ? s->size : t->size;
        int order = n > 0 ? memcmp(s->data, t->data, n) : 0;
        return order != 0 ? (order > 0) - (order < 0) : (s->size > t->size) - (s->size < t->size);
    }
    if (aicpu_is_integer(x->desc->dtype)) {
        int64_t u, v;
        aicpu_load_int64(x->desc->dtype, x->data, i, 1, &u);
        aicpu_load_int64(x->desc->dtype, x->data, k, 1, &v);
        if (x->desc->dtype == TSR_DTYPE_UINT64)
            return ((uint64_t)u > (uint64_t)v) - ((uint64_t)u < (uint64_t)v);
        return (u > v) - (u < v);
    }
    aicpu_load_double(x->desc->dtype, x->data, i, 1, &a);
    aicpu_load_double(x->desc->dtype, x->data, k, 1, &b);
    if (isnan(a) || isnan(b))
        return !!isnan(a) - !!isnan(b);
    return (a > b) - (a < b);
}

static int compare_slices(const Entry *a, const Entry *b)
{
    for (int64_t o = 0; o < a->outer; o++)
        for (int64_t i = 0; i < a->inner; i++) {
            int order = compare_elements(a->x, (o * a->extent + a->index) * a->inner + i,
                                         (o * a->extent + b->index) * a->inner + i);
            if (order != 0)
                return order;
        }
    return 0;
}

static int by_value(const void *p, const void *q)
{
    const Entry *a = p, *b = q;
    int order = compare_slices(a, b);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

static int by_value_descending(const void *p, const void *q)
{
    const Entry *a = p, *b = q;
    int order = compare_slices(b, a);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

/* An entry of the distinct ones: first index and which group it is. */
typedef struct Group {
    int64_t first;
    int64_t count;
    int64_t sorted; /* its place in the order of values */
} Group;

static int by_first(const void *p, const void *q)
{
    const Group *a = p, *b = q;
    return (a->first > b->first) - (a->first < b->first);
}

static int32_t run_unique(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0];
    const TsrAttr *attr = tsr_attr_find(run->node, "axis");
    Entry base = {x, 1, tsr_desc_elements(x->desc), 1, 0}, *entries;
    int64_t shape[TSR_MAX_RANK], groups = 0, axis = 0, *place;
    uint32_t rank = 1;
    Group *group;
    int32_t status;
    (void)kernel;
    if (attr != NULL) {
        rank = x->desc->rank;
        axis = tsr_axis_normalize(attr->i, rank);
        if (axis < 0)
            return run->fail(run, TSR_INVALID_ARGUMENT, "axis is outside of rank %u", rank);
        memcpy(shape, x->desc->shape, rank * sizeof(int64_t));
        base.extent = shape[axis];
        base.outer = tsr_shape_elements((uint32_t)axis, shape);
        base.inner = tsr_shape_elements(rank - (uint32_t)axis - 1, shape + axis + 1);
    }
    entries = run->scratch(run, (uint64_t)(base.extent + 1) * sizeof(*entries));
    group = run->scratch(run, (uint64_t)(base.extent + 1) * sizeof(*group));
    place = run->scratch(run, (uint64_t)(2 * base.extent + 1) * sizeof(*place));
    if (entries == NULL || group == NULL || place == NULL)
        return TSR_OUT_OF_MEMORY;
    for (int64_t i = 0; i < base.extent; i++) {
        entries[i] = base;
        entries[i].index = i;
    }
    qsort(entries, (size_t)base.extent, sizeof(*entries), by_value);
    for (int64_t i = 0; i < base.extent; i++) {
        if (i == 0 || compare_slices(&entries[i - 1], &entries[i]) != 0) {
            group[groups].first = entries[i].index;
            group[groups].count = 0;
            group[groups].sorted = groups;
            groups++;
        }
        group[groups - 1].count++;
        place[entries[i].index] = groups - 1;
    }
    if (!tsr_attr_int(run->node, "sorted", 1))
        qsort(group, (size_t)groups, sizeof(*group), by_first);
    for (int64_t g = 0; g < groups; g++)
        place[base.extent + group[g].sorted] = g;
    shape[axis] = groups;
    if ((status = run->alloc_output(run, 0, x->desc->dtype, rank, shape)) != TSR_OK)
        return status;
    for (int64_t o = 0; o < base.outer; o++)
        for (int64_t g = 0; g < groups && status == TSR_OK; g++)
            status = aicpu_copy_dense(run, x->desc->dtype, run->outputs[0]->data,
                                      (o * groups + g) * base.inner, x->data,
                                      (o * base.extent + group[g].first) * base.inner,
                                      base.inner);
    for (uint32_t k = 1; k < 4 && status == TSR_OK; k++) {
        int64_t n = k == 2 ? base.extent : groups, *out;
        if (k >= run->output_count || run->node->outputs[k] == NULL)
            continue;
        if ((status = run->alloc_output(run, k, TSR_DTYPE_INT64, 1, &n)) != TSR_OK)
            return status;
        out = run->outputs[k]->data;
        for (int64_t i = 0; i < n; i++)
            out[i] = k == 1   ? group[i].first
                     : k == 2 ? place[base.extent + place[i]]
                              : group[i].count;
    }
    return status;
}

/* TopK: ties go to the lower index. */
static int32_t run_top_k(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0];
    TsrTensor *values = aicpu_output(run, 0), *indices = aicpu_output(run, 1);
    const TsrTensorDesc *y = values != NULL ? values->desc : indices->desc;
    int64_t axis = tsr_axis_normalize(tsr_attr_int(run->node, "axis", -1), x->desc->rank);
    int largest = tsr_attr_int(run->node, "largest", 1) != 0;
    int64_t n, k, inner, lines;
    Entry *entries;
    (void)kernel;
    if (axis < 0)
        return run->fail(run, TSR_INVALID_ARGUMENT, "axis is outside of rank %u", x->desc->rank);
    n = x->desc->shape[axis];
    k = y->shape[axis];
    inner = tsr_shape_elements(x->desc->rank - (uint32_t)axis - 1, x->desc->shape + axis + 1);
    lines = n > 0 ? tsr_desc_elements(x->desc) / n : 0;
    entries = run->scratch(run, (uint64_t)(n + 1) * sizeof(*entries));
    if (entries == NULL)
        return TSR_OUT_OF_MEMORY;
    for (int64_t v = 0; v < lines; v++) {
        int64_t base = v / inner * n * inner + v % inner, out = v / inner * k * inner + v % inner;
        for (int64_t i = 0; i < n; i++) /* one element each, stride as the extent of slices */
            entries[i] = (Entry){x, 1, 1, 1, base + i * inner};
        qsort(entries, (size_t)n, sizeof(*entries), largest ? by_value_descending : by_value);
        for (int64_t i = 0; i < k; i++) {
            int32_t status = TSR_OK;
            if (values != NULL)
                status = aicpu_copy_dense(run, x->desc->dtype, values->data, out + i * inner,
                                          x->data, entries[i].index, 1);
            if (status != TSR_OK)
                return status;
            if (indices != NULL)
                ((int64_t *)indices->data)[out + i * inner] = (entries[i].index - base) / inner;
        }
    }
    return TSR_OK;
}

static const AicpuKernel kernels[] = {
    {.op = "NonZero", .run = run_nonzero},
    {.op = "Compress", .run = run_compress},
    {.op = "Unique", .run = run_unique},
    {.op = "TopK", .run = run_top_k, .dtypes = TSR_TYPES_NUMERIC},
};

const AicpuFamily aicpu_select = AICPU_FAMILY(kernels);
