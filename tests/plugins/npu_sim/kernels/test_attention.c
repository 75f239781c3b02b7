/* SPDX-License-Identifier: Apache-2.0
 *
 * test_attention.c: laws that the reference attention obeys, and every row against it
 * over odd lengths and head sizes, all layouts of the operands, masks and causality;
 * --bench times an encoder's heads and a decoder's single query.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernel_check.h"
#include "split.h"

typedef struct Shape {
    int64_t batch, heads, kv_heads, queries, keys, size, v_size;
    int places_first; /* [b, s, h, d] instead of [b, h, s, d] */
    int keys_last;    /* K is [b, h, d, s] */
    int mask;         /* 0 none, 1 of keys, 2 of queries and keys, 3 one number per row */
    int causal;
    int64_t rows;     /* per piece */
} Shape;

static void set_steps(int64_t *step, int64_t heads, int64_t places, int64_t size, int first)
{
    step[0] = heads * places * size;
    step[1] = first ? size : places * size;
    step[2] = first ? heads * size : size;
    step[3] = 1;
}

static void with_case(const Shape *s, void (*fn)(const KernelCase *))
{
    TsrAttentionParams p = {
        .struct_size = sizeof(p), .causal = (uint32_t)s->causal, .scale = 0.4f,
        .batch = s->batch, .heads = s->heads, .queries = s->queries, .keys = s->keys,
        .size = s->size, .v_size = s->v_size, .group = s->heads / s->kv_heads,
        .rows_per_piece = s->rows,
    };
    const int64_t row = split_pieces(s->keys, 32) * 32;
    const int64_t masks[4] = { 0, s->batch * s->keys, s->queries * s->keys, s->queries };
    char label[96];
    set_steps(p.q_step, s->heads, s->queries, s->size, s->places_first);
    set_steps(p.k_step, s->kv_heads, s->keys, s->size, s->places_first);
    set_steps(p.v_step, s->kv_heads, s->keys, s->v_size, s->places_first);
    set_steps(p.y_step, s->heads, s->queries, s->v_size, s->places_first);
    if (s->keys_last) {
        set_steps(p.k_step, s->kv_heads, s->keys, s->size, 0);
        p.k_step[2] = 1;
        p.k_step[3] = s->keys;
    }
    p.mask_step[0] = s->mask == 1 ? s->keys : 0;
    p.mask_step[2] = s->mask == 2 ? s->keys : s->mask == 3 ? 1 : 0;
    p.mask_step[3] = s->mask == 1 || s->mask == 2;
    p.workspace_floats = (uint64_t)(s->rows * row + 32 * s->size);
    const KernelArg args[6] = {
        { .kind = ARG_INPUT, .floats = s->batch * s->heads * s->queries * s->size },
        { .kind = ARG_INPUT, .floats = s->batch * s->kv_heads * s->keys * s->size },
        { .kind = ARG_INPUT, .floats = s->batch * s->kv_heads * s->keys * s->v_size },
        { .kind = s->mask ? ARG_INPUT : ARG_NULL, .floats = masks[s->mask], .low = -3.0f,
          .high = 3.0f },
        { .kind = ARG_OUTPUT, .floats = s->batch * s->heads * s->queries * s->v_size },
        { .kind = ARG_WORKSPACE, .floats = (int64_t)p.workspace_floats },
    };
    snprintf(label, sizeof(label), "%dx%dx%d q%d k%d d%d/%d l%d%d m%d c%d", (int)s->batch,
             (int)s->heads, (int)s->kv_heads, (int)s->queries, (int)s->keys, (int)s->size,
             (int)s->v_size, s->places_first, s->keys_last, s->mask, s->causal);
    fn(&(KernelCase){ .kernel = TSR_KERNEL_ATTENTION_F32, .label = label, .params = &p,
                      .args = args, .arg_count = 6, .tolerance = 3e-6,
                      .flop = 2.0 * (double)(s->batch * s->heads * s->queries * s->keys) *
                              (double)(s->size + s->v_size),
                      .bytes = s->queries == 1
                                   ? 4.0 * (double)(s->batch * s->kv_heads * s->keys) *
                                         (double)(s->size + s->v_size) : 0.0 });
}

START_TEST(test_rows_match_reference)
{
    static const int sizes[] = { 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 129 };
    const int64_t keys = sizes[_i];
    for (int j = 0; j < 12; j++)
        for (int layout = 0; layout < 3; layout++) {
            const Shape s = { .batch = 1 + j % 2, .heads = j % 3 == 0 ? 4 : 3,
                              .kv_heads = j % 3 == 0 ? 2 : 3, .queries = sizes[(j * 7 + _i) % 12],
                              .keys = keys, .size = sizes[j], .v_size = sizes[(j * 5 + 3) % 12],
                              .places_first = layout == 1, .keys_last = layout == 2,
                              .mask = (j + layout) % 4, .causal = j % 4 == 1,
                              .rows = 1 + (j * 13 + _i * 5) % 128 };
            with_case(&s, kernel_case_check);
        }
}
END_TEST

/* No keys: a sum over nothing. */
START_TEST(test_no_keys)
{
    const Shape s = { .batch = 1, .heads = 2, .kv_heads = 2, .queries = 5, .keys = 0, .size = 3,
                      .v_size = 17, .rows = 5 };
    with_case(&s, kernel_case_check);
}
END_TEST

static void run_small(const float *q, const float *mask, float *y, uint32_t causal,
                      uint32_t zero_rows)
{
    /* Three keys of size 2, whose values count them; two queries. */
    float k[6] = { 1, 0, 0, 1, 1, 1 }, v[3] = { 1, 2, 4 }, workspace[64 + 64];
    const TsrAttentionParams p = {
        .struct_size = sizeof(p), .causal = causal, .zero_rows = zero_rows, .scale = 1.0f,
        .batch = 1, .heads = 1, .queries = 2, .keys = 3, .size = 2, .v_size = 1, .group = 1,
        .q_step = { 0, 0, 2, 1 }, .k_step = { 0, 0, 2, 1 }, .v_step = { 0, 0, 1, 1 },
        .y_step = { 0, 0, 1, 1 }, .mask_step = { 0, 0, 3, 1 }, .rows_per_piece = 2,
        .workspace_floats = 128,
    };
    void *args[6] = { (void *)q, k, v, (void *)mask, y, workspace };
    kernel_run_ref(TSR_KERNEL_ATTENTION_F32, args, &p);
}

/* Scores 0, 0, 0 give the mean; ln 2, 0, ln 2 the weights 2, 1, 2 of 5. */
START_TEST(test_reference_by_hand)
{
    const float q[4] = { 0, 0, logf(2.0f), 0 };
    float y[2];
    run_small(q, NULL, y, 0, 0);
    ck_assert_float_eq_tol(y[0], 7.0f / 3.0f, 1e-6f);
    ck_assert_float_eq_tol(y[1], (2 * 1 + 1 * 2 + 2 * 4) / 5.0f, 1e-6f);
}
END_TEST

START_TEST(test_reference_masks)
{
    const float q[4] = { 5, -3, 0, 0 }, inf = INFINITY;
    const float one[6] = { -inf, 0, -inf, 0, -inf, 0 }, none[6] = { -inf, -inf, -inf, 0, 0, 0 };
    float y[2];
    run_small(q, one, y, 0, 0);
    ck_assert_float_eq_tol(y[0], 2.0f, 1e-6f);
    ck_assert_float_eq_tol(y[1], 2.5f, 1e-6f);
    run_small(q, NULL, y, 1, 0);
    ck_assert_float_eq_tol(y[0], 1.0f, 1e-6f);
    ck_assert_float_eq_tol(y[1], 1.5f, 1e-6f);
    run_small(q, none, y, 0, 0);
    ck_assert(isnan(y[0]));
    run_small(q, none, y, 0, 1);
    ck_assert_float_eq(y[0], 0.0f);
    ck_assert_float_eq_tol(y[1], 7.0f / 3.0f, 1e-6f);
}
END_TEST

/* A row that forbids every key, and one with a NaN besides, in each row of the table. */
START_TEST(test_forbidden_rows)
{
    static float mask[40];
    for (int i = 0; i < 40; i++)
        mask[i] = i < 20 || _i == 1 ? -INFINITY : 0.0f;
    if (_i == 1)
        mask[23] = NAN;
    TsrAttentionParams p = {
        .struct_size = sizeof(p), .zero_rows = 1, .scale = 1.0f, .batch = 1, .heads = 1,
        .queries = 2, .keys = 20, .size = 3, .v_size = 5, .group = 1, .q_step = { 6, 6, 3, 1 },
        .k_step = { 60, 60, 3, 1 }, .v_step = { 100, 100, 5, 1 }, .y_step = { 10, 10, 5, 1 },
        .mask_step = { 0, 0, 20, 1 }, .rows_per_piece = 2, .workspace_floats = 64 + 96,
    };
    const KernelArg args[6] = {
        { .kind = ARG_INPUT, .floats = 6 },      { .kind = ARG_INPUT, .floats = 60 },
        { .kind = ARG_INPUT, .floats = 100 },    { .kind = ARG_INPUT, .floats = 40, .data = mask },
        { .kind = ARG_OUTPUT, .floats = 10 },    { .kind = ARG_WORKSPACE, .floats = 160 },
    };
    kernel_case_check(&(KernelCase){ .kernel = TSR_KERNEL_ATTENTION_F32, .label = "forbidden",
                                     .params = &p, .args = args, .arg_count = 6,
                                     .tolerance = 2e-6 });
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_reference_by_hand);
    tcase_add_test(tests, test_reference_masks);
    tcase_add_test(tests, test_no_keys);
    tcase_add_loop_test(tests, test_forbidden_rows, 0, 2);
    tcase_add_loop_test(tests, test_rows_match_reference, 0, 12);
}

static void bench(void)
{
    static const Shape shapes[] = {
        { 1, 12, 12, 128, 128, 32, 32, 1, 0, 1, 0, 64 },
        { 1, 12, 12, 128, 128, 32, 32, 1, 0, 1, 0, 128 },
        { 1, 12, 12, 512, 512, 64, 64, 1, 0, 1, 0, 64 },
        { 1, 12, 12, 512, 512, 64, 64, 0, 1, 1, 0, 64 },
        { 1, 6, 6, 1, 256, 64, 64, 0, 0, 1, 0, 1 },
        { 1, 32, 8, 1, 2048, 128, 128, 0, 0, 0, 0, 1 },
    };
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
        with_case(&shapes[i], kernel_case_bench);
}

int main(int argc, char **argv)
{
    return kernel_test_main(argc, argv, "attention", add_tests, bench);
}
