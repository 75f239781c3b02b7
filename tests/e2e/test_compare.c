/* SPDX-License-Identifier: Apache-2.0
 *
 * test_compare.c: what counts as equal, per element type, and how a difference is told.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "../support/check_main.h"

static TsrArray *make(guint32 dtype, gint64 count, const void *data, gsize size)
{
    GError *error = NULL;
    TsrArray *array = tsr_array_create_from(dtype, 1, &count, data, size, &error);
    ck_assert_msg(array != NULL, "%s", error != NULL ? error->message : "");
    return array;
}

static void ck_compare(guint32 dtype, gint64 count, const void *got, const void *wanted,
                       gsize size, const char *reason)
{
    g_autoptr(TsrArray) a = make(dtype, count, got, size);
    g_autoptr(TsrArray) b = make(dtype, count, wanted, size);
    g_autoptr(GString) text = g_string_new(NULL);
    gboolean equal = tsr_compare_arrays(a, b, 1e-3, 1e-7, text);
    ck_assert_msg(equal == (reason == NULL), "%s", text->str);
    ck_assert_msg(reason == NULL || strstr(text->str, reason) != NULL, "'%s' lacks '%s'",
                  text->str, reason);
}
#define FLOATS(got, wanted, reason)                                                 \
    ck_compare(TSR_DTYPE_FLOAT, 1, (const float[]){got}, (const float[]){wanted}, 4, reason)

START_TEST(floats)
{
    FLOATS(1.0f, 1.0009f, NULL);
    FLOATS(1.0f, 1.002f,
           "element [0]: wanted 1.00199997, got 1; 1 of 1 differ, largest error 0.002");
    FLOATS(5e-8f, 0.0f, NULL);
    FLOATS(2e-7f, 0.0f, "differ");
    FLOATS(NAN, NAN, NULL);
    FLOATS(NAN, 1.0f, "got nan");
    FLOATS(1.0f, NAN, "wanted nan");
    FLOATS(INFINITY, INFINITY, NULL);
    FLOATS(-INFINITY, INFINITY, "wanted inf, got -inf");
    FLOATS(3.4e38f, INFINITY, "wanted inf");
    FLOATS(-0.0f, 0.0f, NULL);
}
END_TEST

START_TEST(narrow_floats)
{
    static const struct {
        guint32 dtype;
        guint8 nan, infinity, one, two;
    } rows[] = {
        {TSR_DTYPE_FLOAT8E4M3FN, 0x7f, 0, 0x38, 0x40},
        {TSR_DTYPE_FLOAT8E4M3FNUZ, 0x80, 0, 0x40, 0x48},
        {TSR_DTYPE_FLOAT8E5M2, 0x7e, 0x7c, 0x3c, 0x40},
        {TSR_DTYPE_FLOAT8E5M2FNUZ, 0x80, 0, 0x40, 0x44},
        {TSR_DTYPE_FLOAT8E8M0, 0xff, 0, 0x7f, 0x80},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        ck_compare(rows[i].dtype, 1, &rows[i].nan, &rows[i].nan, 1, NULL);
        ck_compare(rows[i].dtype, 1, &rows[i].one, &rows[i].two, 1, "wanted 2, got 1");
        ck_compare(rows[i].dtype, 1, &rows[i].one, &rows[i].nan, 1, "wanted nan, got 1");
        if (rows[i].infinity != 0)
            ck_compare(rows[i].dtype, 1, &rows[i].one, &rows[i].infinity, 1, "wanted inf");
    }
    ck_compare(TSR_DTYPE_FLOAT8E5M2, 1, "\x7d", "\x7f", 1, NULL); /* two codes of NaN */
    ck_compare(TSR_DTYPE_FLOAT16, 1, (const guint16[]){0x3c00}, (const guint16[]){0x4000}, 2,
               "wanted 2, got 1");
    ck_compare(TSR_DTYPE_BFLOAT16, 1, (const guint16[]){0x3f80}, (const guint16[]){0x4000}, 2,
               "wanted 2, got 1");
    ck_compare(TSR_DTYPE_FLOAT4E2M1, 3, "\x21\x07", "\x21\x06", 2, "wanted 4, got 6; 1 of 3");
    ck_compare(TSR_DTYPE_COMPLEX64, 1, (const float[]){3, 4}, (const float[]){3, 4.004f}, 8, NULL);
    ck_compare(TSR_DTYPE_COMPLEX64, 1, (const float[]){3, 4}, (const float[]){3, 4.1f}, 8, "3+4i");
}
END_TEST

START_TEST(integers)
{
    ck_compare(TSR_DTYPE_INT64, 2, (const gint64[]){1, G_MAXINT64},
               (const gint64[]){1, G_MAXINT64 - 1}, 16,
               "element [1]: wanted 9223372036854775806, got 9223372036854775807; 1 of 2");
    ck_compare(TSR_DTYPE_UINT64, 1, (const guint64[]){G_MAXUINT64}, (const guint64[]){0}, 8,
               "got 18446744073709551615");
    ck_compare(TSR_DTYPE_INT8, 1, "\xff", "\x01", 1, "wanted 1, got -1");
    ck_compare(TSR_DTYPE_UINT8, 1, "\xff", "\x01", 1, "got 255");
    ck_compare(TSR_DTYPE_INT4, 3, "\xf1\x02", "\x11\x02", 2, "element [1]: wanted 1, got -1");
    ck_compare(TSR_DTYPE_INT4, 3, "\x11\xf2", "\x11\x02", 2, NULL); /* beyond the end */
    ck_compare(TSR_DTYPE_UINT2, 4, "\xe4", "\x24", 1, "element [3]: wanted 0, got 3");
    ck_compare(TSR_DTYPE_BOOL, 1, "\1", "\0", 1, "wanted 0, got 1");
}
END_TEST

START_TEST(strings)
{
    const TsrString a[] = {{"one", 3}, {NULL, 0}}, b[] = {{"one", 3}, {"", 0}};
    const TsrString c[] = {{"one", 3}, {"x", 1}};
    ck_compare(TSR_DTYPE_STRING, 2, a, b, sizeof(a), NULL);
    ck_compare(TSR_DTYPE_STRING, 2, a, c, sizeof(a), "element [1]: wanted \"x\", got \"\"");
}
END_TEST

START_TEST(shapes)
{
    const gint64 first[] = {2, 3}, second[] = {3, 2}, none[] = {0, 3};
    g_autoptr(TsrArray) a = tsr_array_create(TSR_DTYPE_FLOAT, 2, first, NULL);
    g_autoptr(TsrArray) b = tsr_array_create(TSR_DTYPE_FLOAT, 2, second, NULL);
    g_autoptr(TsrArray) c = tsr_array_create(TSR_DTYPE_INT32, 2, first, NULL);
    g_autoptr(TsrArray) d = tsr_array_create(TSR_DTYPE_FLOAT, 1, first, NULL);
    g_autoptr(TsrArray) e = tsr_array_create(TSR_DTYPE_FLOAT, 2, none, NULL);
    TsrArray *const others[] = {b, c, d, e};
    g_autoptr(GString) text = g_string_new(NULL);
    for (gsize i = 0; i < G_N_ELEMENTS(others); i++)
        ck_assert(!tsr_compare_arrays(a, others[i], 1, 1, text));
    ck_assert(g_str_has_prefix(text->str, "wanted float[3,2], got float[2,3]"));
    ck_assert(tsr_compare_arrays(e, e, 0, 0, text));
    ((float *)tsr_array_data(b))[4] = 1;
    {
        g_autoptr(TsrArray) zero = tsr_array_create(TSR_DTYPE_FLOAT, 2, second, NULL);
        g_string_truncate(text, 0);
        ck_assert(!tsr_compare_arrays(b, zero, 0, 0, text));
        ck_assert(g_str_has_prefix(text->str, "element [2,0]: wanted 0, got 1"));
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {floats, narrow_floats, integers, strings, shapes};
    TCase *tcase = tcase_create("compare");
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        tcase_add_test(tcase, tests[i]);
    return check_main("compare", tcase);
}
