/* SPDX-License-Identifier: Apache-2.0
 *
 * test_copy.c: windows of blocked and of plain tensors: `_ref` by hand, every row against
 * `_ref`, bit for bit. Padding lanes of x are NaN, which must not reach a channel of y.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernel_check.h"

static int64_t blocks_of(int64_t channels) { return (channels + 15) / 16; }

static void channels_case(const TsrCopyChannelsParams *p, int with_x,
                          void (*fn)(const KernelCase *))
{
    const int32_t *a = p->x_shape, *b = p->y_shape;
    const int64_t x = a[0] * blocks_of(a[1]) * a[2] * a[3] * 16;
    const int64_t y = b[0] * blocks_of(b[1]) * b[2] * b[3] * 16;
    char label[96];
    const KernelArg args[2] = {
        { .kind = with_x ? ARG_INPUT : ARG_NULL, .floats = x, .channels = a[1],
          .inner = (int64_t)a[2] * a[3] },
        { .kind = ARG_OUTPUT, .floats = y, .channels = b[1], .inner = (int64_t)b[2] * b[3] },
    };
    snprintf(label, sizeof(label), "channels %d + %d of %d to %d of %d, fill %u", p->x_first[1],
             p->count[1], a[1], p->y_first[1], b[1], p->fill);
    fn(&(KernelCase){ .kernel = TSR_KERNEL_COPY_CHANNELS_B32, .label = label, .params = p,
                      .args = args, .arg_count = 2, .bytes = 8.0 * (double)y });
}

/* Every offset of x and y modulo a block, and every length up to a little over two. */
START_TEST(test_channels)
{
    TsrCopyChannelsParams p = { .struct_size = sizeof(p), .fill = (uint32_t)_i & 1,
                                .value = 0x40490fdb, .x_step = { 1, 1, 1, 1 } };
    const int x_first = _i / 2;
    for (int y_first = 0; y_first < 18; y_first++)
        for (int count = 1; count < 40; count += 1 + count / 6) {
            const int32_t x_shape[4] = { 2, x_first + count + count % 3, 2, 3 };
            const int32_t y_shape[4] = { 2, y_first + count + (x_first + count) % 3, 2, 3 };
            memcpy(p.x_shape, x_shape, sizeof(x_shape));
            memcpy(p.y_shape, y_shape, sizeof(y_shape));
            memcpy(p.count, (int32_t[]){ 2, count, 2, 3 }, sizeof(p.count));
            p.x_first[1] = x_first;
            p.y_first[1] = y_first;
            channels_case(&p, 1, kernel_case_check);
        }
}
END_TEST

/* Windows along all axes, with steps, and with runs longer than a piece. */
START_TEST(test_windows)
{
    static const TsrCopyChannelsParams cases[] = {
        { .x_shape = { 3, 20, 5, 7 }, .y_shape = { 2, 19, 8, 9 }, .x_first = { 1, 3, 1, 2 },
          .x_step = { 1, 1, 1, 1 }, .y_first = { 0, 1, 2, 3 }, .count = { 2, 17, 4, 5 } },
        { .x_shape = { 3, 33, 9, 9 }, .y_shape = { 3, 33, 5, 3 }, .x_first = { 2, 0, 8, 1 },
          .x_step = { -1, 1, -2, 3 }, .y_first = { 0, 0, 0, 0 }, .count = { 3, 33, 5, 3 } },
        { .x_shape = { 1, 5, 2, 700 }, .y_shape = { 1, 37, 2, 900 }, .x_first = { 0, 1, 0, 0 },
          .x_step = { 1, 1, 1, 1 }, .y_first = { 0, 15, 0, 100 }, .count = { 1, 4, 2, 700 } },
        { .x_shape = { 1, 16, 1, 300 }, .y_shape = { 1, 16, 1, 300 }, .x_step = { 1, 1, 1, -1 },
          .x_first = { 0, 0, 0, 299 }, .count = { 1, 16, 1, 300 } },
        { .x_shape = { 1, 40, 1, 1 }, .y_shape = { 1, 8, 1, 1 }, .x_step = { 1, 1, 1, 1 },
          .x_first = { 0, 31, 0, 0 }, .count = { 1, 8, 1, 1 } },
        { .x_shape = { 1, 4, 1, 1 }, .y_shape = { 1, 4, 1, 6 }, .x_step = { 1, 1, 1, 1 },
          .y_first = { 0, 0, 0, 2 }, .count = { 1, 4, 0, 1 } },
    };
    TsrCopyChannelsParams p = cases[_i / 3];
    p.struct_size = sizeof(p);
    p.fill = _i % 3 > 0;
    p.value = 0xbf800000;
    channels_case(&p, _i % 3 < 2, kernel_case_check);
}
END_TEST

START_TEST(test_channels_reference)
{
    /* x has channels 0, 1, ..., 17; channels 15 to 17 become 1 to 3 of y. */
    float x[32], y[16];
    void *args[2] = { x, y };
    const TsrCopyChannelsParams p = { .struct_size = sizeof(p), .x_shape = { 1, 18, 1, 1 },
                                      .y_shape = { 1, 5, 1, 1 }, .x_first = { 0, 15, 0, 0 },
                                      .x_step = { 1, 1, 1, 1 }, .y_first = { 0, 1, 0, 0 },
                                      .count = { 1, 3, 1, 1 } };
    for (int i = 0; i < 32; i++)
        x[i] = i < 18 ? (float)i : NAN;
    for (int i = 0; i < 16; i++)
        y[i] = -1.0f;
    kernel_run_ref(TSR_KERNEL_COPY_CHANNELS_B32, args, &p);
    ck_assert_int_eq(memcmp(y, ((float[]){ -1, 15, 16, 17, -1 }), 5 * sizeof(float)), 0);
}
END_TEST

static void plain_case(const TsrCopyWindowParams *p, const char *label, int64_t x,
                       void (*fn)(const KernelCase *))
{
    int64_t y = 1;
    for (uint32_t d = 0; d < p->rank; d++)
        y *= p->shape[d];
    const KernelArg args[2] = { { .kind = x > 0 ? ARG_INPUT : ARG_NULL, .floats = x },
                                { .kind = ARG_OUTPUT, .floats = y } };
    fn(&(KernelCase){ .kernel = TSR_KERNEL_COPY_WINDOW_B32, .label = label, .params = p,
                      .args = args, .arg_count = 2, .bytes = 8.0 * (double)y });
}

static const TsrCopyWindowParams plains[] = {
    { .rank = 1, .shape = { 7 }, .begin = { 2 }, .end = { 5 }, .x_step = { 2 }, .x_offset = 3 },
    { .rank = 1, .shape = { 9999 }, .begin = { 4000 }, .end = { 9000 }, .x_step = { 1 } },
    { .rank = 3, .shape = { 3, 4, 5 }, .begin = { 1, 0, 2 }, .end = { 2, 4, 5 },
      .x_step = { 20, 5, 1 } },
    { .rank = 2, .shape = { 6, 4 }, .begin = { 0, 0 }, .end = { 6, 4 }, .x_step = { -5, -1 },
      .x_offset = 29 },
    { .rank = 8, .shape = { 2, 1, 2, 3, 1, 2, 1, 3 }, .begin = { 0, 0, 1, 1, 0, 0, 0, 1 },
      .end = { 2, 1, 2, 3, 1, 1, 1, 3 }, .x_step = { 8, 8, 8, 4, 4, 4, 4, 2 } },
    { .rank = 2, .shape = { 3, 4 }, .begin = { 1, 4 }, .end = { 2, 4 }, .x_step = { 1, 1 } },
};

START_TEST(test_plain)
{
    TsrCopyWindowParams p = plains[_i / 2];
    char label[16];
    p.struct_size = sizeof(p);
    p.value = 0x7f800000;
    snprintf(label, sizeof(label), "case %d", _i);
    plain_case(&p, label, _i % 2 ? 0 : 6000, kernel_case_check);
}
END_TEST

START_TEST(test_plain_reference)
{
    float x[6] = { 0, 1, 2, 3, 4, 5 }, y[8];
    const float want[8] = { 9, 5, 4, 3, 9, 2, 1, 0 };
    void *args[2] = { x, y };
    TsrCopyWindowParams p = { .struct_size = sizeof(p), .rank = 2, .shape = { 2, 4 },
                              .begin = { 0, 1 }, .end = { 2, 4 }, .x_step = { -3, -1 },
                              .x_offset = 5 };
    memcpy(&p.value, &(float){ 9.0f }, sizeof(float));
    kernel_run_ref(TSR_KERNEL_COPY_WINDOW_B32, args, &p);
    ck_assert_int_eq(memcmp(y, want, sizeof(y)), 0);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, test_channels_reference);
    tcase_add_loop_test(tests, test_channels, 0, 36);
    tcase_add_loop_test(tests, test_windows, 0, 18);
    tcase_add_test(tests, test_plain_reference);
    tcase_add_loop_test(tests, test_plain, 0, 2 * sizeof(plains) / sizeof(plains[0]));
}

static void bench(void)
{
    TsrCopyChannelsParams p = { .struct_size = sizeof(p), .x_shape = { 1, 112, 1, 784 },
                                .y_shape = { 1, 136, 1, 784 }, .x_step = { 1, 1, 1, 1 },
                                .count = { 1, 112, 1, 784 } };
    const TsrCopyWindowParams crop = { .struct_size = sizeof(crop), .rank = 3,
                                       .shape = { 64, 54, 54 }, .end = { 64, 54, 54 },
                                       .x_step = { 3136, 56, 1 }, .x_offset = 57 };
    channels_case(&p, 1, kernel_case_bench);
    p.y_first[1] = 24;
    channels_case(&p, 1, kernel_case_bench);
    plain_case(&crop, "crop 64 x 54 x 54", 64 * 3136, kernel_case_bench);
}

int main(int argc, char **argv)
{
    return kernel_test_main(argc, argv, "copy", add_tests, bench);
}
