/* SPDX-License-Identifier: Apache-2.0
 *
 * compare.c: see compare.h. A table says how an element of each type is read: as one or
 * two doubles, or as bits that must be equal.
 */
#include "compare.h"

#include <math.h>
#include <string.h>
#include <tessera/plugin_util.h>

#include "ir/array.h"

/* Layout of a float narrower than 16 bits. Source: ONNX float8.md and float4.md. */
typedef struct Minifloat {
    guint32 exponent_bits;
    guint32 mantissa_bits;
    gint32 bias;
    gboolean ieee;      /* the highest exponent is infinity or NaN */
    gint32 nan;         /* the magnitude that is NaN otherwise, or -1 */
    gboolean no_minus0; /* the code of minus zero is NaN */
} Minifloat;

static double minifloat_value(const Minifloat *format, guint32 code)
{
    guint32 bits = format->exponent_bits + format->mantissa_bits;
    guint32 magnitude = code & ((1u << bits) - 1), top = (1u << format->exponent_bits) - 1;
    guint32 exponent = magnitude >> format->mantissa_bits;
    guint32 mantissa = magnitude & ((1u << format->mantissa_bits) - 1);
    gboolean negative = (code >> bits) != 0;
    double value;
    if ((gint32)magnitude == format->nan || (format->no_minus0 && negative && magnitude == 0))
        return NAN;
    if (format->ieee && exponent == top)
        value = mantissa != 0 ? NAN : INFINITY;
    else if (exponent == 0)
        value = ldexp(mantissa, 1 - format->bias - (gint32)format->mantissa_bits);
    else
        value = ldexp(mantissa + (1u << format->mantissa_bits),
                      (gint32)exponent - format->bias - (gint32)format->mantissa_bits);
    return negative ? -value : value;
}

static const Minifloat e4m3fn = {4, 3, 7, FALSE, 0x7f, FALSE};
static const Minifloat e4m3fnuz = {4, 3, 8, FALSE, -1, TRUE};
static const Minifloat e5m2 = {5, 2, 15, TRUE, -1, FALSE};
static const Minifloat e5m2fnuz = {5, 2, 16, FALSE, -1, TRUE};
static const Minifloat e2m1 = {2, 1, 1, FALSE, -1, FALSE};

static guint32 packed_code(const guint8 *data, gsize index, guint32 bits)
{
    gsize at = index * bits;
    return (guint32)(data[at / 8] >> (at % 8)) & ((1u << bits) - 1);
}

static double read_float(const guint8 *data, gsize index)
{
    return ((const float *)(gconstpointer)data)[index];
}

static double read_double(const guint8 *data, gsize index)
{
    return ((const double *)(gconstpointer)data)[index];
}

static double read_float16(const guint8 *data, gsize index)
{
    return tsr_float16_to_float(((const guint16 *)(gconstpointer)data)[index]);
}

static double read_bfloat16(const guint8 *data, gsize index)
{
    return tsr_bfloat16_to_float(((const guint16 *)(gconstpointer)data)[index]);
}

static double read_e4m3fn(const guint8 *data, gsize index)
{
    return minifloat_value(&e4m3fn, data[index]);
}

static double read_e4m3fnuz(const guint8 *data, gsize index)
{
    return minifloat_value(&e4m3fnuz, data[index]);
}

static double read_e5m2(const guint8 *data, gsize index)
{
    return minifloat_value(&e5m2, data[index]);
}

static double read_e5m2fnuz(const guint8 *data, gsize index)
{
    return minifloat_value(&e5m2fnuz, data[index]);
}

static double read_e2m1(const guint8 *data, gsize index)
{
    return minifloat_value(&e2m1, packed_code(data, index, 4));
}

/* A power of two without a sign; all ones is NaN. */
static double read_e8m0(const guint8 *data, gsize index)
{
    return data[index] == 0xff ? NAN : ldexp(1.0, data[index] - 127);
}

/* How floats are read: parts per element, each a double. */
static const struct {
    guint parts;
    double (*read)(const guint8 *data, gsize index);
} float_rows[TSR_DTYPE_COUNT] = {
    [TSR_DTYPE_FLOAT] = {1, read_float},
    [TSR_DTYPE_DOUBLE] = {1, read_double},
    [TSR_DTYPE_FLOAT16] = {1, read_float16},
    [TSR_DTYPE_BFLOAT16] = {1, read_bfloat16},
    [TSR_DTYPE_COMPLEX64] = {2, read_float},
    [TSR_DTYPE_COMPLEX128] = {2, read_double},
    [TSR_DTYPE_FLOAT8E4M3FN] = {1, read_e4m3fn},
    [TSR_DTYPE_FLOAT8E4M3FNUZ] = {1, read_e4m3fnuz},
    [TSR_DTYPE_FLOAT8E5M2] = {1, read_e5m2},
    [TSR_DTYPE_FLOAT8E5M2FNUZ] = {1, read_e5m2fnuz},
    [TSR_DTYPE_FLOAT8E8M0] = {1, read_e8m0},
    [TSR_DTYPE_FLOAT4E2M1] = {1, read_e2m1},
};

static gboolean is_signed(guint32 dtype)
{
    return (TSR_BIT(dtype) & (TSR_TYPES_SIGNED | TSR_BIT(TSR_DTYPE_INT4) |
                              TSR_BIT(TSR_DTYPE_INT2))) != 0;
}

/* The bits of an integer or bool, sign-extended where the type is signed. */
static guint64 read_bits(guint32 dtype, const guint8 *data, gsize index)
{
    guint32 bits = tsr_dtype_bits(dtype);
    guint64 value = 0;
    if (bits < 8)
        value = packed_code(data, index, bits);
    else
        memcpy(&value, data + index * (bits / 8), bits / 8);
    if (is_signed(dtype) && bits < 64 && (value >> (bits - 1)) != 0)
        value |= ~UINT64_C(0) << bits;
    return value;
}

static void append_element(GString *out, guint32 dtype, gconstpointer data, gsize index)
{
    if (dtype == TSR_DTYPE_STRING) {
        const TsrString *text = (const TsrString *)data + index;
        g_string_append_printf(out, "\"%.*s\"", (int)MIN(text->size, 60), text->data);
    } else if (float_rows[dtype].parts == 2) {
        g_string_append_printf(out, "%.9g%+.9gi", float_rows[dtype].read(data, 2 * index),
                               float_rows[dtype].read(data, 2 * index + 1));
    } else if (float_rows[dtype].parts == 1) {
        g_string_append_printf(out, "%.9g", float_rows[dtype].read(data, index));
    } else if (is_signed(dtype)) {
        g_string_append_printf(out, "%" G_GINT64_FORMAT, (gint64)read_bits(dtype, data, index));
    } else {
        g_string_append_printf(out, "%" G_GUINT64_FORMAT, read_bits(dtype, data, index));
    }
}

typedef struct Tolerance {
    double rtol;
    double atol;
    double largest; /* error seen so far */
} Tolerance;

static gboolean floats_agree(guint32 dtype, gconstpointer got, gconstpointer wanted, gsize index,
                             Tolerance *tolerance)
{
    guint parts = float_rows[dtype].parts;
    double error = 0, magnitude = 0;
    for (guint p = 0; p < parts; p++) {
        double a = float_rows[dtype].read(got, index * parts + p);
        double b = float_rows[dtype].read(wanted, index * parts + p);
        if (isnan(a) && isnan(b))
            continue;
        if (isinf(a) || isinf(b) || isnan(a) || isnan(b)) {
            if (a == b)
                continue;
            tolerance->largest = INFINITY;
            return FALSE;
        }
        error = hypot(error, a - b);
        magnitude = hypot(magnitude, b);
    }
    tolerance->largest = MAX(tolerance->largest, error);
    return error <= tolerance->atol + tolerance->rtol * magnitude;
}

static gboolean strings_agree(gconstpointer got, gconstpointer wanted, gsize index)
{
    const TsrString *a = (const TsrString *)got + index, *b = (const TsrString *)wanted + index;
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

static gboolean elements_agree(guint32 dtype, gconstpointer got, gconstpointer wanted,
                               gsize index, Tolerance *tolerance)
{
    if (dtype == TSR_DTYPE_STRING)
        return strings_agree(got, wanted, index);
    if (float_rows[dtype].parts != 0)
        return floats_agree(dtype, got, wanted, index, tolerance);
    return read_bits(dtype, got, index) == read_bits(dtype, wanted, index);
}

static void append_shape(GString *out, TsrArray *array)
{
    char text[TSR_MAX_RANK * 24];
    g_string_append_printf(out, "%s%s", tsr_dtype_name(tsr_array_dtype(array)),
                           tsr_shape_text(tsr_array_rank(array), tsr_array_shape(array), text,
                                          sizeof(text)));
}

static void append_position(GString *out, TsrArray *array, gint64 index)
{
    const gint64 *shape = tsr_array_shape(array);
    guint32 rank = tsr_array_rank(array);
    gint64 at[TSR_MAX_RANK];
    char text[TSR_MAX_RANK * 24];
    for (guint32 i = rank; i-- > 0;) {
        at[i] = index % shape[i];
        index /= shape[i];
    }
    g_string_append(out, tsr_shape_text(rank, at, text, sizeof(text)));
}

static gboolean compare_tensors(TsrArray *got, TsrArray *wanted, double rtol, double atol,
                                GString *out_reason)
{
    guint32 dtype = tsr_array_dtype(wanted), rank = tsr_array_rank(wanted);
    gint64 count = tsr_shape_elements(rank, tsr_array_shape(wanted)), bad = 0, first = 0;
    gconstpointer got_data = tsr_array_data(got), wanted_data = tsr_array_data(wanted);
    Tolerance tolerance = {rtol, atol, 0};

    if (tsr_array_dtype(got) != dtype || tsr_array_rank(got) != rank ||
        (rank != 0 && memcmp(tsr_array_shape(got), tsr_array_shape(wanted),
                             rank * sizeof(gint64)) != 0)) {
        g_string_append(out_reason, "wanted ");
        append_shape(out_reason, wanted);
        g_string_append(out_reason, ", got ");
        append_shape(out_reason, got);
        return FALSE;
    }
    for (gint64 i = 0; i < count; i++) {
        if (elements_agree(dtype, got_data, wanted_data, (gsize)i, &tolerance))
            continue;
        if (bad++ == 0)
            first = i;
    }
    if (bad == 0)
        return TRUE;
    g_string_append(out_reason, "element ");
    append_position(out_reason, wanted, first);
    g_string_append(out_reason, ": wanted ");
    append_element(out_reason, dtype, wanted_data, (gsize)first);
    g_string_append(out_reason, ", got ");
    append_element(out_reason, dtype, got_data, (gsize)first);
    g_string_append_printf(out_reason, "; %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " differ",
                           bad, count);
    if (float_rows[dtype].parts != 0)
        g_string_append_printf(out_reason, ", largest error %.3g", tolerance.largest);
    return FALSE;
}

static gboolean is_optional(const TsrArray *array)
{
    return array->desc.view.kind == TSR_KIND_OPTIONAL ||
           array->desc.view.kind == TSR_KIND_OPTIONAL_SEQUENCE;
}

/* Sequences, optionals and maps: as many items, each alike. A full optional equals what
 * it holds. */
static gboolean compare_items(TsrArray *got, TsrArray *wanted, double rtol, double atol,
                              GString *out_reason)
{
    if (is_optional(got) && !is_optional(wanted) && got->items->len == 1)
        return tsr_compare_arrays(g_ptr_array_index(got->items, 0), wanted, rtol, atol,
                                  out_reason);
    if (is_optional(wanted) && !is_optional(got) && wanted->items->len == 1)
        return tsr_compare_arrays(got, g_ptr_array_index(wanted->items, 0), rtol, atol,
                                  out_reason);
    if (got->items == NULL || wanted->items == NULL || got->items->len != wanted->items->len) {
        g_string_append_printf(out_reason, "wanted a %s of %u items, got a %s of %u",
                               tsr_kind_name(wanted->desc.view.kind),
                               wanted->items != NULL ? wanted->items->len : 0,
                               tsr_kind_name(got->desc.view.kind),
                               got->items != NULL ? got->items->len : 0);
        return FALSE;
    }
    for (guint i = 0; i < wanted->items->len; i++) {
        g_autoptr(GString) reason = g_string_new(NULL);
        if (tsr_compare_arrays(g_ptr_array_index(got->items, i),
                               g_ptr_array_index(wanted->items, i), rtol, atol, reason))
            continue;
        g_string_append_printf(out_reason, "item %u: %s", i, reason->str);
        return FALSE;
    }
    return TRUE;
}

gboolean tsr_compare_arrays(TsrArray *got, TsrArray *wanted, double rtol, double atol,
                            GString *out_reason)
{
    return got->items != NULL || wanted->items != NULL
               ? compare_items(got, wanted, rtol, atol, out_reason)
               : compare_tensors(got, wanted, rtol, atol, out_reason);
}
