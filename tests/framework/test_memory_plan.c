/* SPDX-License-Identifier: Apache-2.0
 *
 * test_memory_plan.c: the planner on random lives, and the checker on plans that were
 * damaged.
 */
#include "build/memory_plan.h"
#include "fixture.h"

static GArray *random_rows(GRand *random, guint count)
{
    GArray *rows = g_array_new(FALSE, TRUE, sizeof(TsrMemoryRow));
    for (guint i = 0; i < count; i++) {
        TsrMemoryRow row = {.name = (char *)"row"};
        row.birth = (guint32)g_rand_int_range(random, 0, 50);
        row.death = row.birth + (guint32)g_rand_int_range(random, 0, 12);
        row.size = (guint64)g_rand_int_range(random, 0, 5000);
        g_array_append_val(rows, row);
    }
    return rows;
}

static TsrMemoryRow *row_at(GArray *rows, guint index)
{
    return &g_array_index(rows, TsrMemoryRow, index);
}

static gboolean together(const TsrMemoryRow *a, const TsrMemoryRow *b)
{
    return !(a->death < b->birth || b->death < a->birth);
}

START_TEST(random_plans)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    guint64 planned = 0, bound = 0;
    for (guint round = 0; round < 100; round++) {
        g_autoptr(GArray) rows = random_rows(random, 1 + round);
        TsrMemoryStats stats = {0};
        GError *error = NULL;
        guint64 most = 0;
        tsr_memory_plan(rows, TRUE, &stats);
        ck_assert_msg(tsr_memory_check(rows, stats.activation_bytes, &error), "%s",
                      error != NULL ? error->message : "");
        for (guint32 t = 0; t < 64; t++) {
            guint64 alive = 0;
            for (guint i = 0; i < rows->len; i++)
                alive += row_at(rows, i)->birth <= t && t <= row_at(rows, i)->death
                             ? row_at(rows, i)->size
                             : 0;
            most = MAX(most, alive);
        }
        ck_assert_uint_eq(stats.lower_bound_bytes, most);
        ck_assert_uint_ge(stats.activation_bytes, most);
        ck_assert_uint_le(stats.activation_bytes, stats.no_reuse_bytes);
        for (guint i = 0; i < rows->len; i++) {
            const TsrMemoryRow *a = row_at(rows, i);
            ck_assert_uint_eq(a->offset % 64, 0);
            ck_assert_uint_gt(a->size, 0);
            for (guint k = 0; k < i; k++) {
                const TsrMemoryRow *b = row_at(rows, k);
                ck_assert(!together(a, b) || a->offset + a->size <= b->offset ||
                          b->offset + b->size <= a->offset);
            }
        }
        planned += stats.activation_bytes;
        bound += stats.lower_bound_bytes;
    }
    /* Best fit stays near the bound on the whole. */
    ck_assert_uint_le(planned, bound + bound / 4);
}
END_TEST

START_TEST(deterministic)
{
    g_autoptr(GRand) first = g_rand_new_with_seed(3), second = g_rand_new_with_seed(3);
    g_autoptr(GArray) a = random_rows(first, 60);
    g_autoptr(GArray) b = random_rows(second, 60);
    TsrMemoryStats stats = {0};
    tsr_memory_plan(a, TRUE, &stats);
    tsr_memory_plan(b, TRUE, &stats);
    for (guint i = 0; i < a->len; i++)
        ck_assert_uint_eq(row_at(a, i)->offset, row_at(b, i)->offset);
}
END_TEST

START_TEST(without_reuse)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(5);
    g_autoptr(GArray) rows = random_rows(random, 40);
    TsrMemoryStats stats = {0};
    GError *error = NULL;
    guint64 end = 0;
    tsr_memory_plan(rows, FALSE, &stats);
    for (guint i = 0; i < rows->len; i++) {
        ck_assert_uint_eq(row_at(rows, i)->offset, end);
        end += row_at(rows, i)->size;
    }
    ck_assert_uint_eq(stats.activation_bytes, end);
    ck_assert_uint_eq(stats.no_reuse_bytes, end);
    ck_assert(tsr_memory_check(rows, end, &error));
}
END_TEST

/* Tensors that never meet share one place. */
START_TEST(chain_needs_two)
{
    g_autoptr(GArray) rows = g_array_new(FALSE, TRUE, sizeof(TsrMemoryRow));
    TsrMemoryStats stats = {0};
    for (guint32 i = 0; i < 30; i++) {
        TsrMemoryRow row = {(char *)"row", 0, 6400, i, i + 1, FALSE};
        g_array_append_val(rows, row);
    }
    tsr_memory_plan(rows, TRUE, &stats);
    ck_assert_uint_eq(stats.activation_bytes, 2 * 6400);
    ck_assert_uint_eq(stats.lower_bound_bytes, 2 * 6400);
}
END_TEST

START_TEST(damage_is_found)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(11);
    guint found = 0;
    for (guint round = 0; round < 50; round++) {
        g_autoptr(GArray) rows = random_rows(random, 40);
        guint victim = (guint)g_rand_int_range(random, 0, 40);
        TsrMemoryStats stats = {0};
        GError *error = NULL;
        tsr_memory_plan(rows, TRUE, &stats);
        for (guint i = 0; i < rows->len; i++) {
            if (i == victim || !together(row_at(rows, i), row_at(rows, victim)))
                continue;
            row_at(rows, victim)->offset = row_at(rows, i)->offset;
            ck_assert(!tsr_memory_check(rows, stats.activation_bytes + 8192, &error));
            ck_error(error, TSR_INTERNAL, "alive at once and overlap");
            found++;
            break;
        }
    }
    ck_assert_uint_gt(found, 40);
}
END_TEST

START_TEST(borders_are_checked)
{
    g_autoptr(GArray) rows = g_array_new(FALSE, TRUE, sizeof(TsrMemoryRow));
    TsrMemoryRow row = {(char *)"row", 64, 128, 1, 2, FALSE};
    GError *error = NULL;
    g_array_append_val(rows, row);
    ck_assert(tsr_memory_check(rows, 192, &error));
    ck_assert(!tsr_memory_check(rows, 191, &error));
    ck_error(error, TSR_INTERNAL, "'row' at 64 with 128 bytes leaves");
    ck_assert(!tsr_memory_check(rows, 10, &error));
    ck_error(error, TSR_INTERNAL, "leaves");
    row_at(rows, 0)->offset = G_MAXUINT64 - 63; /* would wrap */
    ck_assert(!tsr_memory_check(rows, 192, &error));
    ck_error(error, TSR_INTERNAL, "leaves");
    row_at(rows, 0)->offset = 0;
    row_at(rows, 0)->death = 0; /* before its birth */
    ck_assert(!tsr_memory_check(rows, 192, &error));
    ck_error(error, TSR_INTERNAL, "'row'");
}
END_TEST

START_TEST(nothing)
{
    g_autoptr(GArray) rows = g_array_new(FALSE, TRUE, sizeof(TsrMemoryRow));
    TsrMemoryStats stats = {0};
    GError *error = NULL;
    tsr_memory_plan(rows, TRUE, &stats);
    ck_assert_uint_eq(stats.activation_bytes, 0);
    ck_assert(tsr_memory_check(rows, 0, &error));
}
END_TEST

FIXTURE_MAIN("memory_plan", random_plans, deterministic, without_reuse, chain_needs_two,
             damage_is_found, borders_are_checked, nothing)
