/* SPDX-License-Identifier: Apache-2.0
 *
 * algebra.c: definitions of ONNX operators:
 * linear algebra, running products and reinterpreted bits.
 * Rows follow the ONNX changelog: one for each version whose types, attributes or
 * meaning changed.
 */
#include "families.h"

/* The terms of an Einsum equation. A label is a letter (0 to 51) or an axis under the
 * ellipsis, counted from the last one (52 on). */
enum { LETTERS = 52, LABELS = LETTERS + TSR_MAX_RANK };

static int letter_index(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 : -1;
}

/* Reads one term up to ',' or "->" or the end; labels[] in order, the ellipsis as the
 * number of axes it stands for when rank is known. Returns the count or -1. */
static int read_term(const char **at, const char *end, uint32_t rank, int64_t *ellipsis,
                     int *labels)
{
    int letters = 0, count = 0, seen = 0;
    for (const char *p = *at; p < end && *p != ',' && *p != '-'; p++)
        letters += letter_index(*p) >= 0;
    for (; *at < end && **at != ',' && **at != '-'; (*at)++) {
        int index = letter_index(**at);
        if (**at == ' ')
            continue;
        if (**at == '.' && end - *at >= 3 && (*at)[1] == '.' && (*at)[2] == '.' && !seen) {
            int64_t axes = rank == TSR_RANK_UNKNOWN ? *ellipsis : (int64_t)rank - letters;
            seen = 1;
            *at += 2;
            if (axes < 0 || axes + letters > TSR_MAX_RANK)
                return -1;
            if (axes > *ellipsis)
                *ellipsis = axes;
            for (int64_t i = axes; i-- > 0;)
                labels[count++] = LETTERS + (int)i;
            continue;
        }
        if (index < 0 || count >= TSR_MAX_RANK)
            return -1;
        labels[count++] = index;
    }
    return count;
}

/* Einsum: each label has one extent (1 broadcasts under the ellipsis); without "->" the
 * output has the ellipsis and the labels that occur once, sorted. */
static int32_t infer_einsum(const TsrOpDef *def, TsrInferContext *infer)
{
    const TsrAttr *equation = tsr_attr_find(infer->node, "equation");
    const char *at, *end;
    int64_t extent[LABELS], ellipsis = 0;
    int labels[TSR_MAX_RANK], count, uses[LABELS] = {0};
    Shape y = {.rank = 0};
    int32_t status;
    (void)def;
    if (equation == NULL)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "needs the attribute equation");
    at = equation->s.data;
    end = at + equation->s.size;
    for (int i = 0; i < LABELS; i++)
        extent[i] = TSR_DIM_UNKNOWN;
    for (uint32_t k = 0; k < infer->node->input_count; k++) {
        Shape x = tsr_infer_shape(infer, k);
        if (x.rank == TSR_RANK_UNKNOWN)
            return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &x);
        count = read_term(&at, end, x.rank, &ellipsis, labels);
        if (count != (int)x.rank)
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "term %u of equation '%.*s' does not fit rank %u", k,
                               (int)equation->s.size, equation->s.data, x.rank);
        for (int i = 0; i < count; i++) {
            int label = labels[i];
            uses[label]++;
            if (label >= LETTERS && (extent[label] == 1 || x.dim[i] == 1))
                extent[label] = extent[label] == 1 || extent[label] < 0 ? x.dim[i]
                                                                        : extent[label];
            else if ((status = tsr_infer_join(infer, "extents of one label", &extent[label],
                                              x.dim[i])) != TSR_OK)
                return status;
        }
        if (k + 1 < infer->node->input_count && (at >= end || *at++ != ','))
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "equation '%.*s' has not one term for each of %u inputs",
                               (int)equation->s.size, equation->s.data, infer->node->input_count);
    }
    if (end - at >= 2 && at[0] == '-' && at[1] == '>') {
        at += 2;
        count = read_term(&at, end, TSR_RANK_UNKNOWN, &ellipsis, labels);
        for (int i = 0; i < count; i++) {
            if (labels[i] < LETTERS && uses[labels[i]] == 0)
                count = -1;
            else
                y.dim[y.rank++] = extent[labels[i]];
        }
        if (count < 0 || at != end)
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "the output of equation '%.*s' is not made of its labels",
                               (int)equation->s.size, equation->s.data);
    } else if (at != end) {
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "equation '%.*s' has more than %u terms",
                           (int)equation->s.size, equation->s.data, infer->node->input_count);
    } else {
        for (int64_t i = ellipsis; i-- > 0 && y.rank < TSR_MAX_RANK;)
            y.dim[y.rank++] = extent[LETTERS + i];
        for (int i = 0; i < LETTERS && y.rank < TSR_MAX_RANK; i++)
            if (uses[i] == 1)
                y.dim[y.rank++] = extent[i];
    }
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &y);
}

/* Det: [..., M, M] in, [...] out. */
static int32_t infer_det(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape y = tsr_infer_shape(infer, 0);
    int32_t status = tsr_infer_want_min_rank(infer, 0, 2);
    (void)def;
    if (status != TSR_OK)
        return status;
    if (y.rank != TSR_RANK_UNKNOWN) {
        if ((status = tsr_infer_join(infer, "rows and columns", &y.dim[y.rank - 1],
                                     y.dim[y.rank - 2])) != TSR_OK)
            return status;
        y.rank -= 2;
    }
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &y);
}

static int32_t infer_cumprod(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0);
    int64_t axis = 0;
    uint32_t normal;
    int known;
    int32_t status = tsr_infer_int(infer, "axis", 1, &axis, &known);
    if (status == TSR_OK && known && x.rank != TSR_RANK_UNKNOWN)
        status = tsr_infer_axis(infer, "axis", axis, x.rank, &normal);
    return status != TSR_OK ? status : tsr_infer_same(def, infer);
}

static int32_t infer_reverse_sequence(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), lengths = tsr_infer_shape(infer, 1);
    int64_t batch_axis = tsr_attr_int(infer->node, "batch_axis", 1), batch;
    int32_t status;
    if (batch_axis < 0 || batch_axis > 1)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "batch_axis must be 0 or 1, got %lld",
                           (long long)batch_axis);
    if (batch_axis == tsr_attr_int(infer->node, "time_axis", 0))
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "batch_axis and time_axis are both %lld",
                           (long long)batch_axis);
    if ((status = tsr_infer_want_min_rank(infer, 0, 2)) != TSR_OK ||
        (status = tsr_infer_want_rank(infer, 1, 1)) != TSR_OK)
        return status;
    if (x.rank != TSR_RANK_UNKNOWN && lengths.rank == 1) {
        batch = x.dim[batch_axis];
        if ((status = tsr_infer_join(infer, "batch size and entries of sequence_lens", &batch,
                                     lengths.dim[0])) != TSR_OK)
            return status;
    }
    return tsr_infer_same(def, infer);
}

/* BitCast: the same bits under another type of the same width. */
static int32_t infer_bit_cast(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0);
    int64_t to = tsr_attr_int(infer->node, "to", 0);
    uint32_t from = tsr_infer_dtype(infer, 0);
    if (to < 0 || to >= TSR_DTYPE_COUNT || !(def->outputs[0].dtypes & TSR_BIT((uint32_t)to)))
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "to must be an element type but string, got %lld", (long long)to);
    if (from != TSR_DTYPE_UNDEFINED && tsr_dtype_bits(from) != tsr_dtype_bits((uint32_t)to))
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "%s has %u bits, %s has %u", tsr_dtype_name(from),
                           tsr_dtype_bits(from), tsr_dtype_name((uint32_t)to),
                           tsr_dtype_bits((uint32_t)to));
    return tsr_infer_set(infer, 0, (uint32_t)to, &x);
}

static const TsrOpParam einsum_12_in[] = {
    {"Inputs", TSR_PARAM_VARIADIC, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam einsum_12_out[] = {
    {"Output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr einsum_12_attrs[] = {
    {.name = "equation", .type = TSR_ATTR_STRING, .required = 1},
};

static const TsrOpParam det_11_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam det_11_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam det_22_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam det_22_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam cum_prod_26_in[] = {
    {"x", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_UINT32) |
     TSR_BIT(TSR_DTYPE_UINT64)},
    {"axis", TSR_PARAM_REQUIRED, 2, TSR_TYPES_INDEX},
};

static const TsrOpParam cum_prod_26_out[] = {
    {"y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_UINT32) |
     TSR_BIT(TSR_DTYPE_UINT64)},
};

static const TsrOpAttr cum_prod_26_attrs[] = {
    {.name = "exclusive", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    {.name = "reverse", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
};

static const TsrOpParam reverse_sequence_10_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TYPES_V1},
    {"sequence_lens", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam reverse_sequence_10_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TYPES_V1},
};

static const TsrOpAttr reverse_sequence_10_attrs[] = {
    {.name = "batch_axis", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 0, .max = 1},
    {.name = "time_axis", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
};

static const TsrOpParam bit_cast_26_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC | TYPES_FLOAT8 | TSR_TYPES_COMPLEX |
     TYPES_INT4 | TYPES_INT2 | TSR_BIT(TSR_DTYPE_BOOL) | TSR_BIT(TSR_DTYPE_FLOAT4E2M1) |
     TSR_BIT(TSR_DTYPE_FLOAT8E8M0)},
};

static const TsrOpParam bit_cast_26_out[] = {
    {"output", TSR_PARAM_REQUIRED, 2, TSR_TYPES_NUMERIC | TYPES_FLOAT8 | TSR_TYPES_COMPLEX |
     TYPES_INT4 | TYPES_INT2 | TSR_BIT(TSR_DTYPE_BOOL) | TSR_BIT(TSR_DTYPE_FLOAT4E2M1) |
     TSR_BIT(TSR_DTYPE_FLOAT8E8M0)},
};

static const TsrOpAttr bit_cast_26_attrs[] = {
    {.name = "to", .type = TSR_ATTR_INT, .required = 1},
};

static const TsrOpDef definitions[] = {
    {OP_ROW("", "Einsum", 12), OP_INPUTS(einsum_12_in), OP_OUTPUTS(einsum_12_out),
     OP_ATTRS(einsum_12_attrs), .infer = infer_einsum, .infer_format_full = tsr_format_unrelated},
    {OP_ROW("", "Det", 11), OP_INPUTS(det_11_in), OP_OUTPUTS(det_11_out), .infer = infer_det,
     .infer_format_full = tsr_format_unrelated},
    {OP_ROW("", "Det", 22), OP_INPUTS(det_22_in), OP_OUTPUTS(det_22_out), .infer = infer_det,
     .infer_format_full = tsr_format_unrelated},
    {OP_ROW("", "CumProd", 26), OP_INPUTS(cum_prod_26_in), OP_OUTPUTS(cum_prod_26_out),
     OP_ATTRS(cum_prod_26_attrs), .value_inputs = 1u << 1, .infer = infer_cumprod,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ReverseSequence", 10), OP_INPUTS(reverse_sequence_10_in),
     OP_OUTPUTS(reverse_sequence_10_out), OP_ATTRS(reverse_sequence_10_attrs),
     .infer = infer_reverse_sequence},
    {OP_ROW("", "BitCast", 26), OP_INPUTS(bit_cast_26_in), OP_OUTPUTS(bit_cast_26_out),
     OP_ATTRS(bit_cast_26_attrs), .flags = TSR_OP_VIEW, .infer = infer_bit_cast},
};

const TsrOps tsr_ops_algebra = OP_FAMILY(definitions);
