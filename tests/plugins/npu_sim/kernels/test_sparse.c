/* SPDX-License-Identifier: Apache-2.0
 *
 * test_sparse.c: CONV2D_SPARSE_F32 and SHUFFLE_B32: `_ref` by hand, every row against
 * `_ref` over odd channel counts, groups and pieces.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernel_check.h"
#include "split.h"

enum { MOST = 4096 };

/* Block b reads `depth` channels from b on, wrapping around; block 1 reads none. */
static int fill_table(int32_t *table, int in, int out_blocks, int depth, int64_t pixels)
{
    int32_t *offsets = table + out_blocks + 1;
    int entries = 0;
    for (int b = 0; b < out_blocks; b++) {
        table[b] = entries;
        for (int k = 0; b != 1 && k < depth; k++) {
            const int c = (b + 3 * k) % in;
            offsets[entries++] = (int32_t)(c / 16 * pixels * 16 + c % 16);
        }
    }
    table[out_blocks] = entries;
    return entries;
}

static void with_sparse(int n, int in, int out, int depth, int64_t pixels, int64_t piece,
                        int act, void (*fn)(const KernelCase *))
{
    static int32_t table[MOST];
    const int64_t in_blocks = split_pieces(in, 16), out_blocks = split_pieces(out, 16);
    const int entries = fill_table(table, in, (int)out_blocks, depth, pixels);
    const TsrConvSparseParams p = { .struct_size = sizeof(p), .batch = n, .in_c = in,
                                    .out_c = out, .pixels = pixels, .pixels_per_piece = piece,
                                    .activation = { (uint32_t)act, 0.25f, 0.75f } };
    const KernelArg y = { .kind = ARG_OUTPUT, .channels = out, .inner = pixels,
                          .floats = n * out_blocks * pixels * 16 };
    KernelArg args[6] = {
        { .kind = ARG_INPUT, .channels = in, .inner = pixels,
          .floats = n * in_blocks * pixels * 16 },
        { .kind = ARG_INPUT, .floats = entries * 16 },
        { .kind = ARG_INPUT, .floats = out_blocks + 1 + entries, .data = (const float *)table },
        { .kind = act ? ARG_INPUT : ARG_NULL, .floats = out_blocks * 16 },
        y,
        y,
    };
    char label[80];
    args[4].kind = act & 1 ? ARG_INPUT : ARG_NULL;
    snprintf(label, sizeof(label), "%d x %d->%d, %d channels each, %d pixels in runs of %d", n, in,
             out, depth, (int)pixels, (int)piece);
    fn(&(KernelCase){ .kernel = TSR_KERNEL_CONV2D_SPARSE_F32, .label = label, .params = &p,
                      .args = args, .arg_count = 6, .tolerance = 2e-6 * sqrt((double)depth + 4.0),
                      .flop = 32.0 * n * entries * (double)pixels });
}

START_TEST(test_sparse_rows)
{
    static const int pixels[] = { 1, 3, 13, 14, 15, 29, 49 };
    const int n = pixels[_i];
    with_sparse(1, 16, 16, 16, n, n, TSR_ACT_RELU, kernel_case_check);
    with_sparse(2, 33, 65, 7, n, 5, TSR_ACT_NONE, kernel_case_check);
    with_sparse(3, 5, 17, 40, n, 14, TSR_ACT_LEAKY_RELU, kernel_case_check);
}
END_TEST

static void with_shuffle(int n, int channels, int groups, int64_t inner,
                         void (*fn)(const KernelCase *))
{
    const int64_t floats = n * split_pieces(channels, 16) * 16 * inner;
    const TsrShuffleParams p = { sizeof(p), (uint32_t)groups, n, channels, inner };
    const KernelArg args[2] = {
        { .kind = ARG_INPUT, .channels = channels, .inner = inner, .floats = floats },
        { .kind = ARG_OUTPUT, .channels = channels, .inner = inner, .floats = floats },
    };
    char label[64];
    snprintf(label, sizeof(label), "%d x %d channels, %d groups, %d pixels", n, channels, groups,
             (int)inner);
    fn(&(KernelCase){ .kernel = TSR_KERNEL_SHUFFLE_B32, .label = label, .params = &p,
                      .args = args, .arg_count = 2, .bytes = 8.0 * (double)floats });
}

START_TEST(test_shuffle_rows)
{
    static const int inners[] = { 1, 15, 49, 255, 257 };
    with_shuffle(1, 24, 4, inners[_i], kernel_case_check);
    with_shuffle(2, 34, 2, inners[_i], kernel_case_check);
    with_shuffle(1, 16, 16, inners[_i], kernel_case_check);
    with_shuffle(3, 1, 1, inners[_i], kernel_case_check);
}
END_TEST

/* Six channels in two groups: 0 3 1 4 2 5. And y = 2 * channel 4 + 3. */
START_TEST(test_reference_by_hand)
{
    static const float want[6] = { 0, 3, 1, 4, 2, 5 };
    const int32_t table[3] = { 0, 1, 4 };
    float x[16], y[16], w[16] = { 2.0f }, bias[16] = { 3.0f };
    void *shuffle[2] = { x, y }, *sparse[6] = { x, w, (void *)table, bias, NULL, y };
    const TsrShuffleParams s = { sizeof(s), 2, 1, 6, 1 };
    const TsrConvSparseParams p = { .struct_size = sizeof(p), .batch = 1, .in_c = 6, .out_c = 1,
                                    .pixels = 1, .pixels_per_piece = 1 };
    for (int i = 0; i < 16; i++)
        x[i] = (float)i;
    kernel_run_ref(TSR_KERNEL_SHUFFLE_B32, shuffle, &s);
    for (int i = 0; i < 6; i++)
        ck_assert_float_eq(y[i], want[i]);
    kernel_run_ref(TSR_KERNEL_CONV2D_SPARSE_F32, sparse, &p);
    ck_assert_float_eq(y[0], 11.0f);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_reference_by_hand);
    tcase_add_loop_test(tests, test_sparse_rows, 0, 7);
    tcase_add_loop_test(tests, test_shuffle_rows, 0, 5);
}

static void bench(void)
{
    with_sparse(1, 272, 272, 68, 196, 196, TSR_ACT_RELU, kernel_case_bench);
    with_sparse(1, 136, 136, 34, 784, 784, TSR_ACT_RELU, kernel_case_bench);
    with_shuffle(1, 272, 4, 196, kernel_case_bench);
    with_shuffle(1, 136, 4, 784, kernel_case_bench);
}

int main(int argc, char **argv)
{
    return kernel_test_main(argc, argv, "sparse", add_tests, bench);
}
