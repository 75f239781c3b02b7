/* SPDX-License-Identifier: Apache-2.0
 *
 * infer_util.c: the vocabulary of shape inference that the operator families share.
 */
#include "infer_util.h"

/* Of an output: with 16 bytes each, sizes still fit int64. */
#define MAX_ELEMENTS (INT64_C(1) << 58)

const TsrTensorDesc *tsr_infer_input(const TsrInferContext *infer, uint32_t index)
{
    return index < infer->node->input_count ? infer->node->inputs[index] : NULL;
}

uint32_t tsr_infer_dtype(const TsrInferContext *infer, uint32_t index)
{
    const TsrTensorDesc *desc = tsr_infer_input(infer, index);
    return desc != NULL ? desc->dtype : TSR_DTYPE_UNDEFINED;
}

Shape tsr_infer_shape(const TsrInferContext *infer, uint32_t index)
{
    const TsrTensorDesc *desc = tsr_infer_input(infer, index);
    Shape shape = {.rank = TSR_RANK_UNKNOWN};
    if (desc == NULL || desc->rank > TSR_MAX_RANK)
        return shape;
    shape.rank = desc->rank;
    for (uint32_t i = 0; i < desc->rank; i++)
        shape.dim[i] = desc->shape[i] >= 0          ? desc->shape[i]
                       : TSR_HAS(infer, extent) ? infer->extent((TsrInferContext *)infer, index, i)
                                                : TSR_DIM_UNKNOWN;
    return shape;
}

Shape tsr_shape_unknown(uint32_t rank)
{
    Shape shape = {.rank = rank <= TSR_MAX_RANK ? rank : TSR_RANK_UNKNOWN};
    for (uint32_t i = 0; i < TSR_MAX_RANK; i++)
        shape.dim[i] = TSR_DIM_UNKNOWN;
    return shape;
}

int32_t tsr_infer_set(TsrInferContext *infer, uint32_t index, uint32_t dtype,
                      const Shape *shape)
{
    int64_t elements = 1;
    if (index >= infer->node->output_count)
        return TSR_OK;
    if (shape->rank == TSR_RANK_UNKNOWN)
        return infer->set_output(infer, index, dtype, TSR_RANK_UNKNOWN, NULL);
    if (shape->rank > TSR_MAX_RANK)
        return infer->fail(infer, TSR_UNSUPPORTED, "output %u would have rank %u, at most %d",
                           index, shape->rank, TSR_MAX_RANK);
    /* Sizes in bytes must stay far from the end of int64; an empty tensor may not. */
    for (uint32_t i = 0; i < shape->rank; i++) {
        char text[TSR_MAX_RANK * 24];
        int64_t extent = shape->dim[i] < 1 ? 1 : shape->dim[i];
        if (extent > MAX_ELEMENTS / elements)
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "output %u of shape %s would be too large", index,
                               tsr_shape_text(shape->rank, shape->dim, text, sizeof(text)));
        elements *= extent;
    }
    return infer->set_output(infer, index, dtype, shape->rank, shape->dim);
}

int32_t tsr_infer_same(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape shape = tsr_infer_shape(infer, 0);
    (void)def;
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &shape);
}

int32_t tsr_infer_want_rank(TsrInferContext *infer, uint32_t index, uint32_t rank)
{
    const TsrTensorDesc *desc = tsr_infer_input(infer, index);
    if (desc == NULL || desc->rank == TSR_RANK_UNKNOWN || desc->rank == rank)
        return TSR_OK;
    return infer->fail(infer, TSR_INVALID_ARGUMENT, "input %u must have rank %u, got rank %u",
                       index, rank, desc->rank);
}

int32_t tsr_infer_want_min_rank(TsrInferContext *infer, uint32_t index, uint32_t rank)
{
    const TsrTensorDesc *desc = tsr_infer_input(infer, index);
    if (desc == NULL || desc->rank == TSR_RANK_UNKNOWN || desc->rank >= rank)
        return TSR_OK;
    return infer->fail(infer, TSR_INVALID_ARGUMENT,
                       "input %u must have at least rank %u, got rank %u", index, rank,
                       desc->rank);
}

int32_t tsr_infer_axis(TsrInferContext *infer, const char *what, int64_t axis, uint32_t rank,
                       uint32_t *out_axis)
{
    int64_t normal = tsr_axis_normalize(axis, rank);
    *out_axis = 0;
    if (normal < 0)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "%s must be in [-%u, %u), got %lld", what,
                           rank, rank, (long long)axis);
    *out_axis = (uint32_t)normal;
    return TSR_OK;
}

int32_t tsr_infer_join(TsrInferContext *infer, const char *what, int64_t *extent, int64_t other)
{
    if (*extent >= 0 && other >= 0 && *extent != other)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "%s must agree, got %lld and %lld", what,
                           (long long)*extent, (long long)other);
    if (other >= 0 || *extent == TSR_DIM_UNKNOWN)
        *extent = other;
    return TSR_OK;
}

int64_t tsr_extent(const TsrInferContext *infer, uint32_t op, int64_t a, int64_t b)
{
    int64_t result;
    if (a == TSR_DIM_UNKNOWN || b == TSR_DIM_UNKNOWN)
        return TSR_DIM_UNKNOWN;
    if (!TSR_DIM_IS_SYMBOL(a) && !TSR_DIM_IS_SYMBOL(b))
        return tsr_dim_combine(op, a, b, &result) ? result : TSR_DIM_UNKNOWN;
    return TSR_HAS(infer, combine) &&
                   infer->combine((TsrInferContext *)infer, op, a, b, &result)
               ? result
               : TSR_DIM_UNKNOWN;
}

int tsr_broadcast_extents(const TsrInferContext *infer, Shape *shape, const Shape *other)
{
    const Shape before = *shape;
    if (!tsr_shape_broadcast(&shape->rank, shape->dim, other->rank, other->dim))
        return 0;
    for (uint32_t i = 0; i < shape->rank; i++) {
        const uint32_t missing = shape->rank - before.rank, others = shape->rank - other->rank;
        if (shape->dim[i] == TSR_DIM_UNKNOWN && i >= missing && i >= others)
            shape->dim[i] = tsr_extent(infer, TSR_DIM_MAX, before.dim[i - missing],
                                       other->dim[i - others]);
    }
    return 1;
}

int32_t tsr_infer_broadcast(TsrInferContext *infer, uint32_t first, uint32_t count,
                            Shape *out_shape)
{
    Shape joined = {.rank = 0};
    for (uint32_t i = first; i < first + count; i++) {
        char a[TSR_MAX_RANK * 24], b[TSR_MAX_RANK * 24];
        Shape shape = tsr_infer_shape(infer, i);
        if (tsr_infer_input(infer, i) == NULL)
            continue;
        if (shape.rank == TSR_RANK_UNKNOWN) {
            *out_shape = shape;
            return TSR_OK;
        }
        if (!tsr_broadcast_extents(infer, &joined, &shape))
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "input %u of shape %s does not broadcast with %s", i,
                               tsr_shape_text(shape.rank, shape.dim, a, sizeof(a)),
                               tsr_shape_text(joined.rank, joined.dim, b, sizeof(b)));
    }
    *out_shape = joined;
    return TSR_OK;
}

int32_t tsr_infer_ints(TsrInferContext *infer, uint32_t index, int64_t *out,
                       int64_t *out_count, int *out_known)
{
    const TsrTensorDesc *desc = tsr_infer_input(infer, index);
    const TsrTensor *value = infer->node->values != NULL && index < infer->node->input_count
                                 ? infer->node->values[index]
                                 : NULL;
    *out_known = 0;
    *out_count = -1;
    if (value != NULL)
        desc = value->desc;
    if (desc == NULL || desc->rank == TSR_RANK_UNKNOWN)
        return TSR_OK;
    if (desc->rank > 1)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "input %u must be a scalar or a list, got rank %u", index, desc->rank);
    *out_count = desc->rank == 0 ? 1 : desc->shape[0];
    if (*out_count > 2 * TSR_MAX_RANK)
        return infer->fail(infer, TSR_UNSUPPORTED, "input %u has %lld entries, at most %d", index,
                           (long long)*out_count, 2 * TSR_MAX_RANK);
    if (value == NULL || *out_count < 0)
        return TSR_OK;
    if (desc->dtype != TSR_DTYPE_INT64 && desc->dtype != TSR_DTYPE_INT32)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "input %u must be int32 or int64, got %s", index,
                           tsr_dtype_name(desc->dtype));
    for (int64_t i = 0; i < *out_count; i++)
        out[i] = desc->dtype == TSR_DTYPE_INT64 ? ((const int64_t *)value->data)[i]
                                                : ((const int32_t *)value->data)[i];
    *out_known = 1;
    return TSR_OK;
}

int64_t tsr_plain_number(int64_t number)
{
    return TSR_DIM_IS_SYMBOL(number) ? INT64_MIN / 2 : number;
}

int32_t tsr_infer_sizes(TsrInferContext *infer, uint32_t index, int64_t *out,
                        int64_t *out_count, int *out_known)
{
    int32_t status = tsr_infer_ints(infer, index, out, out_count, out_known);
    int64_t count;
    for (int64_t i = 0; status == TSR_OK && *out_known && i < *out_count; i++)
        out[i] = tsr_plain_number(out[i]);
    if (status != TSR_OK || *out_known || !TSR_HAS(infer, elements) ||
        tsr_infer_input(infer, index) == NULL)
        return status;
    count = infer->elements(infer, index, out, 2 * TSR_MAX_RANK);
    *out_known = count >= 0;
    if (count >= 0)
        *out_count = count;
    return TSR_OK;
}

int32_t tsr_infer_int(TsrInferContext *infer, const char *what, uint32_t index, int64_t *out,
                      int *out_known)
{
    int64_t values[2 * TSR_MAX_RANK], count;
    int32_t status = tsr_infer_ints(infer, index, values, &count, out_known);
    if (status != TSR_OK)
        return status;
    if (count >= 0 && count != 1)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "%s must be one number, got %lld", what,
                           (long long)count);
    if (*out_known)
        *out = values[0];
    return TSR_OK;
}

int32_t tsr_infer_axes(TsrInferContext *infer, uint32_t index, uint32_t rank,
                       int64_t *out_axes, int64_t *out_count, int *out_known)
{
    const TsrAttr *attr = tsr_attr_find(infer->node, "axes");
    uint32_t seen = 0;
    *out_known = 1;
    *out_count = -1;
    if (attr != NULL) {
        if (attr->count > TSR_MAX_RANK)
            return infer->fail(infer, TSR_INVALID_ARGUMENT, "axes has %u entries, at most %d",
                               attr->count, TSR_MAX_RANK);
        *out_count = attr->count;
        for (uint32_t i = 0; i < attr->count; i++)
            out_axes[i] = attr->ints[i];
    } else if (tsr_infer_input(infer, index) != NULL) {
        int32_t status = tsr_infer_ints(infer, index, out_axes, out_count, out_known);
        if (status != TSR_OK || !*out_known)
            return status;
    }
    for (int64_t i = 0; i < *out_count; i++) {
        uint32_t axis;
        int32_t status = tsr_infer_axis(infer, "an entry of axes", out_axes[i], rank, &axis);
        if (status != TSR_OK)
            return status;
        if (seen & (1u << axis))
            return infer->fail(infer, TSR_INVALID_ARGUMENT, "axes names axis %u twice", axis);
        seen |= 1u << axis;
        out_axes[i] = axis;
    }
    return TSR_OK;
}

int32_t tsr_infer_multiply(TsrInferContext *infer, int64_t a, int64_t b, int64_t *out)
{
    *out = TSR_DIM_UNKNOWN;
    if (a == 0 || b == 0) {
        *out = 0;
        return TSR_OK;
    }
    if (a < 0 || b < 0) {
        *out = tsr_extent(infer, TSR_DIM_MUL, a, b);
        return TSR_OK;
    }
    if (a > INT64_MAX / b)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "an extent of %lld times %lld is too large",
                           (long long)a, (long long)b);
    *out = a * b;
    return TSR_OK;
}

int32_t tsr_infer_matmul_shape(TsrInferContext *infer, uint32_t a_index, uint32_t b_index,
                               Shape *out_shape)
{
    Shape a = tsr_infer_shape(infer, a_index), b = tsr_infer_shape(infer, b_index), out;
    uint32_t a_rank = a.rank, b_rank = b.rank;
    char a_text[TSR_MAX_RANK * 24], b_text[TSR_MAX_RANK * 24];
    int64_t rows, columns, inner, other;
    int fits;
    int32_t status;
    out_shape->rank = TSR_RANK_UNKNOWN;
    if ((status = tsr_infer_want_min_rank(infer, a_index, 1)) != TSR_OK ||
        (status = tsr_infer_want_min_rank(infer, b_index, 1)) != TSR_OK)
        return status;
    if (a.rank == TSR_RANK_UNKNOWN || b.rank == TSR_RANK_UNKNOWN)
        return TSR_OK;
    inner = a.dim[a.rank - 1];
    other = b.dim[b_rank > 1 ? b.rank - 2 : 0];
    rows = a_rank > 1 ? a.dim[a.rank - 2] : 1;
    columns = b_rank > 1 ? b.dim[b.rank - 1] : 1;
    if (inner >= 0 && other >= 0 && inner != other)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "inner dimensions differ (A %s, B %s)",
                           tsr_shape_text(a.rank, a.dim, a_text, sizeof(a_text)),
                           tsr_shape_text(b.rank, b.dim, b_text, sizeof(b_text)));
    out.rank = a_rank > 2 ? a_rank - 2 : 0;
    memcpy(out.dim, a.dim, out.rank * sizeof(out.dim[0]));
    b.rank = b_rank > 2 ? b_rank - 2 : 0;
    fits = tsr_broadcast_extents(infer, &out, &b);
    b.rank = b_rank;
    if (!fits)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "leading dimensions do not broadcast (A %s, B %s)",
                           tsr_shape_text(a.rank, a.dim, a_text, sizeof(a_text)),
                           tsr_shape_text(b.rank, b.dim, b_text, sizeof(b_text)));
    if (a_rank > 1)
        out.dim[out.rank++] = rows;
    if (b_rank > 1)
        out.dim[out.rank++] = columns;
    *out_shape = out;
    return TSR_OK;
}
