/* SPDX-License-Identifier: Apache-2.0
 *
 * test_memory_plan.c: the planners on random lives, on a partial order, and how near they
 * come to the bound. What a plan must not do is checked here pair by pair.
 */
#include "build/memory_plan.h"
#include "fixture.h"

static const TsrPlanOptions planned = {.reuse = TRUE};

static void random_pieces(GRand *random, TsrPiece *pieces, guint count)
{
    for (guint i = 0; i < count; i++) {
        pieces[i] = (TsrPiece){.offset = 12345};
        pieces[i].birth = (guint32)g_rand_int_range(random, 0, 50);
        pieces[i].death = pieces[i].birth + (guint32)g_rand_int_range(random, 0, 12);
        pieces[i].size = (guint64)g_rand_int_range(random, 0, 5000);
    }
}

static gboolean together(const TsrPiece *a, const TsrPiece *b)
{
    return !(a->death < b->birth || b->death < a->birth);
}

static gboolean apart(const TsrPiece *a, const TsrPiece *b)
{
    return a->offset + a->size <= b->offset || b->offset + b->size <= a->offset;
}

START_TEST(random_plans)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    guint64 made = 0, bound = 0;
    for (guint round = 0; round < 100; round++) {
        const guint count = 1 + round;
        TsrPiece pieces[101];
        TsrMemoryStats stats = {0};
        guint64 most = 0, end = 0;
        random_pieces(random, pieces, count);
        tsr_memory_plan(pieces, count, &planned, &stats);
        for (guint32 t = 0; t < 64; t++) {
            guint64 alive = 0;
            for (guint i = 0; i < count; i++)
                alive += pieces[i].birth <= t && t <= pieces[i].death ? pieces[i].size : 0;
            most = MAX(most, alive);
        }
        ck_assert_uint_eq(stats.lower_bound_bytes, most);
        ck_assert_uint_ge(stats.activation_bytes, most);
        ck_assert_uint_le(stats.activation_bytes, stats.no_reuse_bytes);
        for (guint i = 0; i < count; i++) {
            ck_assert_uint_eq(pieces[i].offset % 64, 0);
            ck_assert_uint_gt(pieces[i].size, 0);
            end = MAX(end, pieces[i].offset + pieces[i].size);
            for (guint k = 0; k < i; k++)
                ck_assert(!together(&pieces[i], &pieces[k]) || apart(&pieces[i], &pieces[k]));
        }
        ck_assert_uint_eq(end, stats.activation_bytes);
        ck_assert_ptr_nonnull(stats.planner);
        made += stats.activation_bytes;
        bound += stats.lower_bound_bytes;
    }
    /* Together the planners come within 3 % of the bound on lives that look like nothing. */
    ck_assert_uint_le(made, bound + bound * 3 / 100);
}
END_TEST

START_TEST(deterministic)
{
    g_autoptr(GRand) first = g_rand_new_with_seed(3), second = g_rand_new_with_seed(3);
    TsrPiece a[90], b[90];
    TsrMemoryStats stats = {0};
    random_pieces(first, a, 90);
    random_pieces(second, b, 90);
    tsr_memory_plan(a, 90, &planned, &stats);
    tsr_memory_plan(b, 90, &planned, &stats);
    for (guint i = 0; i < 90; i++)
        ck_assert_uint_eq(a[i].offset, b[i].offset);
}
END_TEST

START_TEST(without_reuse)
{
    const TsrPlanOptions options = {.reuse = FALSE};
    g_autoptr(GRand) random = g_rand_new_with_seed(5);
    TsrPiece pieces[40];
    TsrMemoryStats stats = {0};
    guint64 end = 0;
    random_pieces(random, pieces, 40);
    tsr_memory_plan(pieces, 40, &options, &stats);
    for (guint i = 0; i < 40; i++) {
        ck_assert_uint_eq(pieces[i].offset, end);
        end += pieces[i].size;
    }
    ck_assert_uint_eq(stats.activation_bytes, end);
    ck_assert_uint_eq(stats.no_reuse_bytes, end);
    ck_assert_str_eq(stats.planner, "no reuse");
}
END_TEST

START_TEST(alignment_comes_first)
{
    const TsrPlanOptions options = {.reuse = TRUE, .alignment = 512};
    g_autoptr(GRand) random = g_rand_new_with_seed(6);
    TsrPiece pieces[40];
    TsrMemoryStats stats = {0};
    random_pieces(random, pieces, 40);
    tsr_memory_plan(pieces, 40, &options, &stats);
    for (guint i = 0; i < 40; i++) {
        ck_assert_uint_eq(pieces[i].offset % 512, 0);
        ck_assert_uint_eq(pieces[i].size % 512, 0);
    }
}
END_TEST

/* Pieces that never meet share one place. */
START_TEST(chain_needs_two)
{
    TsrPiece pieces[30];
    TsrMemoryStats stats = {0};
    for (guint32 i = 0; i < 30; i++)
        pieces[i] = (TsrPiece){6400, 0, i, i + 1};
    tsr_memory_plan(pieces, 30, &planned, &stats);
    ck_assert_uint_eq(stats.activation_bytes, 2 * 6400);
    ck_assert_uint_eq(stats.lower_bound_bytes, 2 * 6400);
}
END_TEST

/* Largest first strands the middle one; another planner must do better. */
START_TEST(planners_compete)
{
    TsrPiece pieces[] = {{3 * 64, 0, 0, 2}, {4 * 64, 0, 3, 5}, {2 * 64, 0, 2, 3},
                         {2 * 64, 0, 1, 1}, {1 * 64, 0, 4, 6}, {3 * 64, 0, 6, 8},
                         {3 * 64, 0, 5, 6}};
    TsrMemoryStats stats = {0};
    tsr_memory_plan(pieces, G_N_ELEMENTS(pieces), &planned, &stats);
    ck_assert_uint_eq(stats.activation_bytes, stats.lower_bound_bytes);
}
END_TEST

/* Two streams of two pieces each, and what their order is known to be: piece i is on
 * stream i % 2; with the event, all of stream 0 is done before stream 1 begins. */
typedef struct Streams {
    gboolean event;
} Streams;

static gboolean streams_before(gconstpointer user, guint a, guint b)
{
    const Streams *streams = user;
    return a % 2 == b % 2 ? a < b : streams->event && a % 2 == 0;
}

static gboolean streams_alive(gconstpointer user, guint piece, guint task)
{
    (void)user;
    return piece == task;
}

START_TEST(across_streams_only_by_event)
{
    Streams streams = {FALSE};
    const TsrPieceOrder order = {streams_before, streams_alive, &streams, 4};
    const TsrPlanOptions options = {.reuse = TRUE, .order = &order};
    TsrMemoryStats stats = {0};
    TsrPiece pieces[4];
    for (guint32 i = 0; i < 4; i++)
        pieces[i] = (TsrPiece){640, 0, i, i}; /* in serial order nobody meets anybody */
    tsr_memory_plan(pieces, 4, &options, &stats);
    ck_assert_uint_eq(stats.activation_bytes, 2 * 640);
    for (guint i = 0; i < 4; i += 2)
        for (guint k = 1; k < 4; k += 2)
            ck_assert(apart(&pieces[i], &pieces[k]));
    streams.event = TRUE;
    tsr_memory_plan(pieces, 4, &options, &stats);
    ck_assert_uint_eq(stats.activation_bytes, 640);
}
END_TEST

/* Thousands of pieces take no time worth speaking of. */
START_TEST(many)
{
    enum { COUNT = 4000 };
    g_autofree TsrPiece *pieces = g_new0(TsrPiece, COUNT);
    g_autoptr(GRand) random = g_rand_new_with_seed(9);
    TsrMemoryStats stats = {0};
    for (guint32 i = 0; i < COUNT; i++)
        pieces[i] = (TsrPiece){(guint64)g_rand_int_range(random, 1, 100000), 0, i,
                               i + (guint32)g_rand_int_range(random, 1, 6)};
    tsr_memory_plan(pieces, COUNT, &planned, &stats);
    ck_assert_uint_le(stats.activation_bytes, stats.lower_bound_bytes * 11 / 10);
}
END_TEST

START_TEST(nothing)
{
    TsrMemoryStats stats = {0};
    tsr_memory_plan(NULL, 0, &planned, &stats);
    ck_assert_uint_eq(stats.activation_bytes, 0);
    ck_assert_uint_eq(stats.lower_bound_bytes, 0);
}
END_TEST

FIXTURE_MAIN("memory_plan", random_plans, deterministic, without_reuse, alignment_comes_first,
             chain_needs_two, planners_compete, across_streams_only_by_event, many, nothing)
