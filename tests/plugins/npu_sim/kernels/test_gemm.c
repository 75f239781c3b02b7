/* SPDX-License-Identifier: Apache-2.0
 *
 * test_gemm.c: matrix products and panel packing: `_ref` against identities and a
 * product done by hand, every row against `_ref`, one row of A in all widths and the same
 * bits however its panels are cut; --bench times square, FC, one-row and batched products.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernel_check.h"
#include "kernel_table.h"
#include "split.h"

typedef struct GemmShape {
    int batch, m, n, k, transposed, bias, residual, act;
} GemmShape;

static void with_case(const GemmShape *s, int64_t rows, int64_t panels,
                      void (*fn)(const KernelCase *))
{
    const int64_t all_panels = split_pieces(s->n, 16);
    TsrGemmParams p = { .struct_size = sizeof(p), .batch_rank = 1, .m = s->m, .n = s->n,
                        .k = s->k, .batch_shape = { s->batch },
                        .a_step = { (int64_t)s->m * s->k }, .b_step = { s->batch > 2 ? 0 : 1 },
                        .rows_per_piece = rows, .panels_per_piece = panels,
                        .activation = { (uint32_t)s->act, 0.1f, 0.5f } };
    const int64_t y = (int64_t)s->batch * s->m * s->n;
    char label[64];
    p.a_row = s->transposed ? 1 : s->k;
    p.a_column = s->transposed ? s->m : 1;
    p.workspace_floats = (uint64_t)(rows * split_pieces(s->k, 16) * 16);
    const KernelArg args[6] = {
        { .kind = ARG_INPUT, .floats = (int64_t)s->batch * s->m * s->k },
        { .kind = ARG_INPUT, .floats = (s->batch > 2 ? 1 : s->batch) * all_panels * 16 * s->k },
        { .kind = s->bias ? ARG_INPUT : ARG_NULL, .floats = all_panels * 16 },
        { .kind = s->residual ? ARG_INPUT : ARG_NULL, .floats = y },
        { .kind = ARG_OUTPUT, .floats = y },
        { .kind = ARG_WORKSPACE, .floats = (int64_t)p.workspace_floats },
    };
    snprintf(label, sizeof(label), "%dx %dx%dx%d t%d a%d", s->batch, s->m, s->n, s->k,
             s->transposed, s->act);
    fn(&(KernelCase){ .kernel = TSR_KERNEL_GEMM_F32, .label = label, .params = &p, .args = args,
                      .arg_count = 6, .tolerance = 2e-6 * sqrt((double)s->k + 4.0),
                      .flop = 2.0 * s->batch * s->m * (double)s->n * s->k,
                      .bytes = s->m == 1 ? 4.0 * s->n * s->k : 0.0 });
}

START_TEST(test_rows_match_reference)
{
    static const int sizes[] = { 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 129 };
    const int m = sizes[_i];
    for (int j = 0; j < 12; j++) {
        const GemmShape s = { 1 + j % 3, m, sizes[j], sizes[(j * 5 + _i) % 12], j & 1, j & 2,
                              j & 4, j % TSR_ACT_COUNT };
        with_case(&s, m, split_pieces(s.n, 16), kernel_case_check);
        with_case(&s, (m + 2) / 3, 1, kernel_case_check);
    }
}
END_TEST

/* One row: groups of panels of every width, cut in pieces of several sizes. */
START_TEST(test_one_row)
{
    static const int widths[] = { 1, 16, 17, 32, 33, 48, 70, 90, 111, 128, 129, 200, 257, 271 };
    static const int depths[] = { 1, 3, 4, 5, 63, 130 };
    const int n = widths[_i];
    for (int j = 0; j < 6; j++) {
        const GemmShape s = { 1 + j % 3, 1, n, depths[j], 0, j & 1, j & 2,
                              (j + _i) % TSR_ACT_COUNT };
        with_case(&s, 1, split_pieces(n, 16), kernel_case_check);
        with_case(&s, 1, 1 + j % 5, kernel_case_check);
    }
}
END_TEST

/* So many weights that they are asked for ahead. */
START_TEST(test_one_row_of_many_weights)
{
    const GemmShape s = { 1, 1, 271, 2050, 0, 1, 1, TSR_ACT_RELU };
    with_case(&s, 1, 17, kernel_case_check);
    with_case(&s, 1, 9, kernel_case_check);
}
END_TEST

/* Cores share a row's panels: neither their number nor the pieces change a bit. */
START_TEST(test_one_row_is_the_same_in_pieces)
{
    enum { K = 61, N = 271, PANELS = 17 };
    static const int widths[] = { 9, 32, 48, 129, 160, N };
    static float x[K], panels[K * PANELS * 16], slab[5 * 64];
    float want[N], got[N];
    uint32_t count;
    const TsrKernelRow *rows = tsr_kernel_rows(&count);
    for (int i = 0; i < K; i++)
        x[i] = check_random();
    for (int i = 0; i < K * PANELS * 16; i++)
        panels[i] = check_random();
    for (uint32_t r = 0; r < count; r++) {
        if (strcmp(rows[r].name, TSR_KERNEL_GEMM_F32) != 0 || !tsr_kernel_isa_usable(rows[r].isa))
            continue;
        for (int i = 0; i < 6; i++) {
            TsrGemmParams p = { .struct_size = sizeof(p), .m = 1, .n = widths[i], .k = K,
                                .a_row = K, .a_column = 1, .rows_per_piece = 1,
                                .panels_per_piece = PANELS, .workspace_floats = 64 };
            void *args[6] = { x, panels, NULL, NULL, want, slab };
            rows[r].fn(args, &p, 0, 1);
            args[4] = got;
            for (p.panels_per_piece = 1; p.panels_per_piece <= 12; p.panels_per_piece++) {
                memset(got, 0, sizeof(got));
                for (uint32_t block = 0; block < 5; block++)
                    rows[r].fn(args, &p, block, 5);
                ck_assert_msg(memcmp(got, want, (size_t)widths[i] * sizeof(float)) == 0,
                              "%s: %d columns in pieces of %d panels differ",
                              tsr_kernel_isa_name(rows[r].isa), widths[i],
                              (int)p.panels_per_piece);
            }
        }
    }
}
END_TEST

/* No inner dim: y is the bias alone. */
START_TEST(test_empty_inner_dim)
{
    const GemmShape s = { 1, 3, 17, 0, 0, 1, 0, TSR_ACT_NONE };
    with_case(&s, 3, 2, kernel_case_check);
}
END_TEST

START_TEST(test_packing)
{
    static const int sizes[] = { 1, 2, 7, 16, 17, 33, 64 };
    for (int i = 0; i < 7; i++)
        for (int transposed = 0; transposed < 2; transposed++) {
            const int n = sizes[i], k = sizes[(i + 3) % 7];
            const TsrPackPanelsParams p = { sizeof(p), 0.5f, 2, k, n, transposed ? 1 : n,
                                            transposed ? k : 1, (int64_t)n * k };
            const KernelArg args[2] = {
                { .kind = ARG_INPUT, .floats = 2 * (int64_t)n * k },
                { .kind = ARG_OUTPUT, .floats = 2 * split_pieces(n, 16) * 16 * k },
            };
            kernel_case_check(&(KernelCase){ .kernel = TSR_KERNEL_PACK_PANELS_F32,
                                             .label = "pack", .params = &p, .args = args,
                                             .arg_count = 2 });
        }
}
END_TEST

/* Packing B and multiplying by hand-made numbers: [1 2; 3 4] * [5 6; 7 8] + [1 0]. */
START_TEST(test_reference_by_hand)
{
    float a[4] = { 1, 2, 3, 4 }, b[4] = { 5, 6, 7, 8 }, panels[32], bias[16] = { 1 }, y[4];
    const float want[4] = { 20, 22, 44, 50 };
    void *pack_args[2] = { b, panels }, *args[6] = { a, panels, bias, NULL, y, NULL };
    const TsrPackPanelsParams pack = { sizeof(pack), 1.0f, 1, 2, 2, 2, 1, 4 };
    const TsrGemmParams p = { .struct_size = sizeof(p), .m = 2, .n = 2, .k = 2, .a_row = 2,
                              .a_column = 1, .rows_per_piece = 2, .panels_per_piece = 1 };
    kernel_run_ref(TSR_KERNEL_PACK_PANELS_F32, pack_args, &pack);
    kernel_run_ref(TSR_KERNEL_GEMM_F32, args, &p);
    for (int i = 0; i < 4; i++)
        ck_assert_float_eq(y[i], want[i]);
    for (int i = 0; i < 32; i++)
        if (i % 16 >= 2)
            ck_assert_float_eq(panels[i], 0.0f);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_reference_by_hand);
    tcase_add_test(tests, test_packing);
    tcase_add_test(tests, test_empty_inner_dim);
    tcase_add_test(tests, test_one_row_of_many_weights);
    tcase_add_test(tests, test_one_row_is_the_same_in_pieces);
    tcase_add_loop_test(tests, test_rows_match_reference, 0, 12);
    tcase_add_loop_test(tests, test_one_row, 0, 14);
}

static void bench(void)
{
    static const GemmShape shapes[] = {
        { 1, 256, 256, 256, 0, 0, 0, 0 },   { 1, 512, 512, 512, 0, 0, 0, 0 },
        { 1, 1024, 1024, 1024, 0, 0, 0, 0 }, { 1, 1, 1000, 2048, 0, 1, 0, 0 },
        { 1, 1, 4096, 4096, 0, 1, 0, 0 },    { 1, 128, 768, 768, 0, 1, 0, 0 },
        { 1, 96, 96, 96, 0, 0, 0, 0 },       { 1, 1, 96, 96, 0, 1, 0, 0 },
        { 1, 1, 1, 1536, 0, 1, 0, 0 },       { 1, 1, 1536, 384, 0, 1, 0, 0 },
        { 1, 1, 384, 1536, 0, 1, 0, 0 },     { 1, 1, 4096, 384, 0, 1, 0, 0 },
    };
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        const int64_t fit = 131072 / split_pieces(shapes[i].k, 16) / 16 / 14 * 14;
        const int64_t rows = shapes[i].m < fit ? shapes[i].m : fit;
        with_case(&shapes[i], rows, split_pieces(shapes[i].n, 16), kernel_case_bench);
    }
}

int main(int argc, char **argv)
{
    return kernel_test_main(argc, argv, "gemm", add_tests, bench);
}
