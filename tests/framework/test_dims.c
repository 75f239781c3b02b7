/* SPDX-License-Identifier: Apache-2.0
 *
 * test_dims.c: extents as expressions: normal form, text, values, the table in a file.
 */
#include "fixture.h"

#include <tessera/plugin_util.h>

#include "ir/dims.h"

static gint64 apply(TsrDims *dims, guint32 op, gint64 a, gint64 b)
{
    gint64 result;
    ck_assert(tsr_dims_apply(dims, op, a, b, &result));
    return result;
}

static void ck_text(TsrDims *dims, gint64 extent, const char *wanted)
{
    g_autofree char *text = tsr_dims_text(dims, extent);
    ck_assert_str_eq(text, wanted);
}

START_TEST(equal_by_algebra)
{
    g_autoptr(TsrDims) dims = tsr_dims_new();
    const gint64 h = tsr_dims_symbol(dims, "h"), w = tsr_dims_symbol(dims, "w");
    const gint64 twice = apply(dims, TSR_DIM_MUL, h, 2);
    ck_assert(TSR_DIM_IS_SYMBOL(h));
    ck_assert_int_eq(tsr_dims_symbol(dims, "h"), h);
    ck_assert_int_ne(h, w);
    ck_assert_int_eq(apply(dims, TSR_DIM_ADD, h, h), twice);
    ck_assert_int_eq(apply(dims, TSR_DIM_DIV, twice, 2), h);
    ck_assert_int_eq(apply(dims, TSR_DIM_SUB, h, h), 0);
    ck_assert_int_eq(apply(dims, TSR_DIM_DIV, h, h), 1);
    ck_assert_int_eq(apply(dims, TSR_DIM_MUL, h, w), apply(dims, TSR_DIM_MUL, w, h));
    ck_assert_int_eq(apply(dims, TSR_DIM_DIV, apply(dims, TSR_DIM_MUL, h, w), w), h);
    /* floor((2h - 2)/2) + 1 of a window of 2 by steps of 2 over 2h. */
    ck_assert_int_eq(apply(dims, TSR_DIM_ADD,
                           apply(dims, TSR_DIM_DIV, apply(dims, TSR_DIM_SUB, twice, 2), 2), 1),
                     h);
    ck_assert_int_eq(apply(dims, TSR_DIM_MAX, h, 0), h);
    ck_assert_int_eq(apply(dims, TSR_DIM_MIN, h, apply(dims, TSR_DIM_ADD, h, 3)), h);
    ck_assert_int_eq(apply(dims, TSR_DIM_MAX, h, apply(dims, TSR_DIM_ADD, h, 3)),
                     apply(dims, TSR_DIM_ADD, 3, h));
    ck_assert_int_eq(apply(dims, TSR_DIM_ADD, 2, 3), 5);
}
END_TEST

START_TEST(reads_as_written)
{
    g_autoptr(TsrDims) dims = tsr_dims_new();
    const gint64 h = tsr_dims_symbol(dims, "h"), w = tsr_dims_symbol(dims, "w");
    const gint64 less = apply(dims, TSR_DIM_SUB, h, 1);
    ck_text(dims, 7, "7");
    ck_text(dims, h, "h");
    ck_text(dims, apply(dims, TSR_DIM_ADD, apply(dims, TSR_DIM_MUL, 2, h), 1), "2*h + 1");
    ck_text(dims, apply(dims, TSR_DIM_SUB, 4, h), "4 - h");
    ck_text(dims, apply(dims, TSR_DIM_SUB, 0, h), "-h");
    ck_text(dims, apply(dims, TSR_DIM_MUL, h, w), "h*w");
    ck_text(dims, apply(dims, TSR_DIM_ADD, apply(dims, TSR_DIM_DIV, less, 2), 1),
            "floor((h - 1)/2) + 1");
    ck_text(dims, apply(dims, TSR_DIM_MAX, less, 0), "max(h - 1, 0)");
    ck_text(dims, apply(dims, TSR_DIM_MIN, h, w), "min(h, w)");
}
END_TEST

START_TEST(refuses_what_has_no_form)
{
    g_autoptr(TsrDims) dims = tsr_dims_new();
    gint64 value, extent = tsr_dims_symbol(dims, "n");
    const gint64 n = extent, unknown[] = {-1}, known[] = {3};
    ck_assert(!tsr_dims_apply(dims, TSR_DIM_DIV, n, 0, &value));
    ck_assert(!tsr_dims_apply(dims, TSR_DIM_ADD, n, G_GINT64_CONSTANT(1) << 60, &value));
    ck_assert(!tsr_dims_apply(dims, 77, n, 1, &value));
    /* Powers and nests end somewhere. */
    for (guint i = 0; i < 5; i++)
        extent = apply(dims, TSR_DIM_MUL, extent, n);
    ck_assert(!tsr_dims_apply(dims, TSR_DIM_MUL, extent, n, &value));
    extent = n;
    for (guint i = 0; i < 1000; i++) {
        if (!tsr_dims_apply(dims, TSR_DIM_DIV, extent, 2, &value))
            break;
        ck_assert_uint_lt(i, 999);
        extent = apply(dims, TSR_DIM_MUL, value, value);
        extent = apply(dims, TSR_DIM_ADD, extent, 1);
    }
    ck_assert(!tsr_dims_eval(dims, n, unknown, &value));
    ck_assert(tsr_dims_eval(dims, n, known, &value));
    ck_assert_int_eq(value, 3);
    ck_assert_int_eq(tsr_dims_symbol_index(dims, n), 0);
    ck_assert_int_eq(tsr_dims_symbol_index(dims, 5), -1);
}
END_TEST

enum { SYMBOLS = 3, POOL = 40, ROUNDS = 3000 };

/* Random expressions come to what plain arithmetic makes of random values, and so do those of the
 * table that was written and read. */
START_TEST(comes_to_what_arithmetic_says)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(11);
    guint compared = 0;
    for (guint round = 0; round < ROUNDS / POOL; round++) {
        g_autoptr(TsrDims) dims = tsr_dims_new();
        g_autoptr(TsrDims) again = NULL;
        g_autoptr(GVariant) variant = NULL;
        gint64 extents[POOL], wanted[POOL], values[SYMBOLS];
        guint count = SYMBOLS;
        for (guint i = 0; i < SYMBOLS; i++) {
            g_autofree char *name = g_strdup_printf("s%u", i);
            extents[i] = tsr_dims_symbol(dims, name);
            wanted[i] = values[i] = g_rand_int_range(random, 0, 9);
        }
        while (count < POOL) {
            const guint32 op = (guint32)g_rand_int_range(random, TSR_DIM_ADD, TSR_DIM_MAX + 1);
            const guint a = (guint)g_rand_int_range(random, 0, (gint)count);
            const gboolean number = g_rand_boolean(random);
            const guint b = (guint)g_rand_int_range(random, 0, (gint)count);
            const gint64 right = number ? g_rand_int_range(random, -3, 8) : extents[b];
            const gint64 right_value = number ? right : wanted[b];
            gint64 value;
            if (!tsr_dim_combine(op, wanted[a], right_value, &value) || ABS(value) > 1 << 20 ||
                !tsr_dims_apply(dims, op, extents[a], right, &extents[count])) {
                extents[count] = g_rand_int_range(random, 0, 5);
                value = extents[count];
            }
            /* x/x and x*y/y are 1 and x also where x or y is 0, which no size is. */
            if (op == TSR_DIM_DIV && right_value == 0)
                continue;
            wanted[count++] = value;
        }
        variant = g_variant_ref_sink(tsr_dims_to_variant(dims));
        again = tsr_dims_from_variant(variant);
        ck_assert_ptr_nonnull(again);
        for (guint i = 0; i < POOL; i++) {
            gint64 got;
            /* A divisor within may be 0 for these values: then there is no value. */
            if (!tsr_dims_eval(dims, extents[i], values, &got))
                continue;
            ck_assert_int_eq(got, wanted[i]);
            ck_assert(tsr_dims_eval(again, extents[i], values, &got));
            ck_assert_int_eq(got, wanted[i]);
            compared++;
        }
    }
    ck_assert_uint_gt(compared, ROUNDS / 2);
}
END_TEST

START_TEST(refuses_unsound_tables)
{
    static const char *const texts[] = {
        "([(65535, 'n', 0, 0), (65535, 'n', 0, 0)], [])",            /* a name twice */
        "([(65535, 'n', 3, 0)], [])",                                /* a symbol of operands */
        "([(9, '', 1, 2)], [])",                                     /* no kind */
        "([(65535, 'n', 0, 0)], [[]])",                              /* an empty sum */
        "([(65535, 'n', 0, 0)], [[(1, [1])]])",                      /* no such atom */
        "([(65535, 'n', 0, 0)], [[(1, [0])], [(1, [0])]])",          /* a sum twice */
        "([(65535, 'n', 0, 0)], [[(1, [0,0,0,0,0,0,0])]])",          /* too high a power */
        "([(3, '', -9223372036854775808, 2)], [[(1, [0])]])",        /* an atom of itself */
        "([(3, '', -9223372036854775807, 2)], [])",                  /* of no sum */
    };
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autoptr(GVariant) variant =
            g_variant_parse(G_VARIANT_TYPE(TSR_DIMS_TYPE), texts[i], NULL, NULL, NULL);
        g_autoptr(TsrDims) dims = NULL;
        ck_assert_msg(variant != NULL, "%s", texts[i]);
        dims = tsr_dims_from_variant(variant);
        ck_assert_msg(dims == NULL, "%s", texts[i]);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {equal_by_algebra, reads_as_written, refuses_what_has_no_form,
                                  comes_to_what_arithmetic_says, refuses_unsound_tables};
    return fixture_main("dims", tests, G_N_ELEMENTS(tests));
}
