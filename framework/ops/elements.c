/* SPDX-License-Identifier: Apache-2.0
 *
 * elements.c: see elements.h.
 */
#include "elements.h"

#include "infer_util.h"

enum { ROOM = TSR_INFER_ELEMENTS };

/* Inference has been through: shapes of inputs and attributes are sound. */

int32_t tsr_elements_shape(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0);
    const TsrAttr *end_attr = tsr_attr_find(infer->node, "end");
    int64_t rank = x.rank, begin = tsr_attr_int(infer->node, "start", 0), end;
    (void)def;
    if (x.rank == TSR_RANK_UNKNOWN)
        return TSR_OK;
    end = end_attr != NULL ? end_attr->i : rank;
    begin = begin < 0 ? begin + rank : begin;
    end = end < 0 ? end + rank : end;
    begin = begin < 0 ? 0 : begin > rank ? rank : begin;
    end = end < begin ? begin : end > rank ? rank : end;
    for (int64_t i = begin; i < end; i++)
        if (x.dim[i] == TSR_DIM_UNKNOWN)
            return TSR_OK;
    infer->set_elements(infer, 0, (uint32_t)(end - begin), x.dim + begin);
    return TSR_OK;
}

int32_t tsr_elements_size(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0);
    int64_t size = 1;
    (void)def;
    for (uint32_t i = 0; x.rank != TSR_RANK_UNKNOWN && i < x.rank; i++)
        size = tsr_extent(infer, TSR_DIM_MUL, size, x.dim[i]);
    if (x.rank != TSR_RANK_UNKNOWN && size != TSR_DIM_UNKNOWN)
        infer->set_elements(infer, 0, 1, &size);
    return TSR_OK;
}

static int is_integer(const TsrInferContext *infer, uint32_t index)
{
    const uint32_t dtype = tsr_infer_dtype(infer, index);
    return dtype == TSR_DTYPE_INT64 || dtype == TSR_DTYPE_INT32;
}

int32_t tsr_elements_same(const TsrOpDef *def, TsrInferContext *infer)
{
    const int64_t to = tsr_attr_int(infer->node, "to", TSR_DTYPE_INT64);
    int64_t elements[ROOM], count = infer->elements(infer, 0, elements, ROOM);
    (void)def;
    if (count >= 0 && is_integer(infer, 0) && (to == TSR_DTYPE_INT64 || to == TSR_DTYPE_INT32))
        infer->set_elements(infer, 0, (uint32_t)count, elements);
    return TSR_OK;
}

int32_t tsr_elements_gather(const TsrOpDef *def, TsrInferContext *infer)
{
    int64_t from[ROOM], indices[ROOM], out[ROOM];
    const int64_t size = infer->elements(infer, 0, from, ROOM);
    const int64_t count = infer->elements(infer, 1, indices, ROOM);
    (void)def;
    if (size < 0 || count < 0 || tsr_infer_shape(infer, 0).rank != 1)
        return TSR_OK;
    for (int64_t i = 0; i < count; i++) {
        const int64_t place = indices[i] < 0 ? indices[i] + size : indices[i];
        if (TSR_DIM_IS_SYMBOL(indices[i]) || place < 0 || place >= size)
            return TSR_OK;
        out[i] = from[place];
    }
    infer->set_elements(infer, 0, (uint32_t)count, out);
    return TSR_OK;
}

/* The numbers of an input or, up to version 9, of the attribute; FALSE: not all known. */
static int slice_numbers(TsrInferContext *infer, const TsrOpDef *def, const char *name,
                         uint32_t index, int64_t otherwise, int64_t *out)
{
    const TsrAttr *attr = tsr_attr_find(infer->node, name);
    int64_t room[ROOM];
    *out = otherwise;
    if (def->since_version < 10) {
        *out = attr != NULL && attr->count == 1 ? attr->ints[0] : otherwise;
        return attr == NULL || attr->count == 1;
    }
    if (tsr_infer_input(infer, index) == NULL)
        return 1;
    if (infer->elements(infer, index, room, ROOM) != 1 || TSR_DIM_IS_SYMBOL(room[0]))
        return 0;
    *out = room[0];
    return 1;
}

int32_t tsr_elements_slice(const TsrOpDef *def, TsrInferContext *infer)
{
    int64_t from[ROOM], out[ROOM], start, end, axis, step;
    const int64_t size = infer->elements(infer, 0, from, ROOM);
    uint32_t count = 0;
    if (size < 0 || tsr_infer_shape(infer, 0).rank != 1 ||
        !slice_numbers(infer, def, "starts", 1, 0, &start) ||
        !slice_numbers(infer, def, "ends", 2, size, &end) ||
        !slice_numbers(infer, def, "axes", 3, 0, &axis) ||
        !slice_numbers(infer, def, "steps", 4, 1, &step) || step < 1)
        return TSR_OK;
    start = start < -size ? 0 : start < 0 ? start + size : start;
    end = end < -size ? 0 : end < 0 ? end + size : end > size ? size : end;
    for (int64_t i = start; i < end; i += step > size ? size : step)
        out[count++] = from[i];
    infer->set_elements(infer, 0, count, out);
    return TSR_OK;
}

int32_t tsr_elements_concat(const TsrOpDef *def, TsrInferContext *infer)
{
    int64_t out[ROOM];
    uint32_t count = 0;
    (void)def;
    for (uint32_t i = 0; i < infer->node->input_count; i++) {
        const int64_t more = infer->elements(infer, i, out + count, ROOM - count);
        if (more < 0)
            return TSR_OK;
        count += (uint32_t)more;
    }
    infer->set_elements(infer, 0, count, out);
    return TSR_OK;
}

/* Whether an element is at least 0 in every run. */
static int is_nonnegative(TsrInferContext *infer, int64_t element)
{
    int64_t larger;
    return TSR_DIM_IS_SYMBOL(element)
               ? infer->combine(infer, TSR_DIM_MAX, element, 0, &larger) && larger == element
               : element >= 0;
}

/* Elements of a and b side by side, one of an input standing for all. Returns how many; -1: they
 * are not known. */
static int64_t pairs(TsrInferContext *infer, uint32_t first, int64_t *a, int64_t *b)
{
    int64_t a_count = infer->elements(infer, first, a, ROOM);
    int64_t b_count = infer->elements(infer, first + 1, b, ROOM);
    int64_t count = a_count == 1 ? b_count : a_count;
    if (a_count < 0 || b_count < 0 || (a_count != b_count && a_count != 1 && b_count != 1))
        return -1;
    for (int64_t i = 1; i < count; i++) {
        a[i] = a_count == 1 ? a[0] : a[i];
        b[i] = b_count == 1 ? b[0] : b[i];
    }
    return count;
}

static int32_t calculate(TsrInferContext *infer, uint32_t op)
{
    int64_t a[ROOM], b[ROOM], out[ROOM], count;
    if (infer->node->input_count != 2 || !is_integer(infer, 0))
        return TSR_OK;
    count = pairs(infer, 0, a, b);
    for (int64_t i = 0; i < count; i++) {
        /* Integer division of ONNX rounds to zero; DIV rounds down. */
        if (op == TSR_DIM_DIV &&
            (!is_nonnegative(infer, a[i]) || !is_nonnegative(infer, b[i])))
            return TSR_OK;
        if (!infer->combine(infer, op, a[i], b[i], &out[i]))
            return TSR_OK;
    }
    if (count >= 0)
        infer->set_elements(infer, 0, (uint32_t)count, out);
    return TSR_OK;
}

int32_t tsr_elements_add(const TsrOpDef *def, TsrInferContext *infer)
{
    (void)def;
    return calculate(infer, TSR_DIM_ADD);
}

int32_t tsr_elements_sub(const TsrOpDef *def, TsrInferContext *infer)
{
    (void)def;
    return calculate(infer, TSR_DIM_SUB);
}

int32_t tsr_elements_mul(const TsrOpDef *def, TsrInferContext *infer)
{
    (void)def;
    return calculate(infer, TSR_DIM_MUL);
}

int32_t tsr_elements_div(const TsrOpDef *def, TsrInferContext *infer)
{
    (void)def;
    return calculate(infer, TSR_DIM_DIV);
}

int32_t tsr_elements_min(const TsrOpDef *def, TsrInferContext *infer)
{
    (void)def;
    return calculate(infer, TSR_DIM_MIN);
}

int32_t tsr_elements_max(const TsrOpDef *def, TsrInferContext *infer)
{
    (void)def;
    return calculate(infer, TSR_DIM_MAX);
}

int32_t tsr_elements_equal(const TsrOpDef *def, TsrInferContext *infer)
{
    int64_t a[ROOM], b[ROOM], out[ROOM];
    const int64_t count = is_integer(infer, 0) ? pairs(infer, 0, a, b) : -1;
    (void)def;
    for (int64_t i = 0; i < count; i++) {
        const int numbers = !TSR_DIM_IS_SYMBOL(a[i]) && !TSR_DIM_IS_SYMBOL(b[i]);
        /* "Is this size -1?" is no for all sizes. */
        const int apart = (!TSR_DIM_IS_SYMBOL(a[i]) && a[i] < 0 && is_nonnegative(infer, b[i])) ||
                          (!TSR_DIM_IS_SYMBOL(b[i]) && b[i] < 0 && is_nonnegative(infer, a[i]));
        if (a[i] != b[i] && !numbers && !apart)
            return TSR_OK;
        out[i] = a[i] == b[i];
    }
    if (count >= 0)
        infer->set_elements(infer, 0, (uint32_t)count, out);
    return TSR_OK;
}

int32_t tsr_elements_where(const TsrOpDef *def, TsrInferContext *infer)
{
    int64_t condition[ROOM], a[ROOM], b[ROOM], out[ROOM];
    const int64_t choices = infer->elements(infer, 0, condition, ROOM);
    int64_t count = is_integer(infer, 1) ? pairs(infer, 1, a, b) : -1;
    (void)def;
    if (choices < 0 || count < 0 || (choices != count && choices != 1 && count != 1))
        return TSR_OK;
    for (int64_t i = 0; i < (choices > count ? choices : count); i++) {
        const int64_t chosen = condition[choices == 1 ? 0 : i];
        if (TSR_DIM_IS_SYMBOL(chosen))
            return TSR_OK;
        out[i] = (chosen != 0 ? a : b)[count == 1 ? 0 : i];
    }
    infer->set_elements(infer, 0, (uint32_t)(choices > count ? choices : count), out);
    return TSR_OK;
}

/* ConstantOfShape of a list. */
int32_t tsr_elements_fill(const TsrOpDef *def, TsrInferContext *infer)
{
    const TsrAttr *value = tsr_attr_find(infer->node, "value");
    int64_t size[ROOM], out[ROOM];
    (void)def;
    if (value == NULL || value->tensor == NULL || value->tensor->desc->dtype != TSR_DTYPE_INT64 ||
        infer->elements(infer, 0, size, ROOM) != 1 || TSR_DIM_IS_SYMBOL(size[0]) ||
        size[0] > ROOM)
        return TSR_OK;
    for (int64_t i = 0; i < size[0]; i++)
        out[i] = *(const int64_t *)value->tensor->data;
    infer->set_elements(infer, 0, (uint32_t)(size[0] < 0 ? 0 : size[0]), out);
    return TSR_OK;
}
