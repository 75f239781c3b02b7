/* SPDX-License-Identifier: Apache-2.0
 *
 * test_quantized.c: sums of products of bytes. Every implementation gives the bits of
 * its `_ref`, over odd sizes, strides and channel counts and with all elements at their
 * limits, where 16-bit sums of products would saturate; `_ref` itself is checked by hand
 * vectors. --bench compares them with the float kernels of the same size.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "byte_check.h"
#include "kernel_table.h"

static int64_t round_up(int64_t a, int64_t b) { return (a + b - 1) / b * b; }

/* A table of `channels`; sums belong to w, [block][rest][16][4]. */
static TsrRequantBlock *table_new(int64_t channels, const int8_t *w, int64_t block_bytes,
                                  double factor)
{
    const int64_t blocks = (channels + 15) / 16;
    TsrRequantBlock *table = calloc((size_t)blocks, sizeof(*table));
    need(table);
    for (int64_t c = 0; c < channels; c++) {
        TsrRequantBlock *t = &table[c / 16];
        t->bias[c % 16] = (int32_t)(check_random() * 1000.0f);
        t->factor[c % 16] = factor * (1.25 + (double)check_random());
        for (int64_t i = 0; w != NULL && i < block_bytes; i++)
            if (i / 4 % 16 == c % 16)
                t->sum[c % 16] += w[c / 16 * block_bytes + i];
    }
    return table;
}

static const TsrRequant requants[] = {
    { .x_signed = 0, .y_dtype = TSR_DTYPE_UINT8, .x_zero = 0, .y_zero = 0, .low = 0,
      .high = 255, .passes = 1 },
    { .x_signed = 0, .y_dtype = TSR_DTYPE_UINT8, .x_zero = 131, .y_zero = 117, .low = 117,
      .high = 200, .passes = 1 },
    { .x_signed = 1, .y_dtype = TSR_DTYPE_INT8, .x_zero = -7, .y_zero = 5, .low = -128,
      .high = 127, .passes = 1 },
    { .x_signed = 1, .y_dtype = TSR_DTYPE_INT32, .x_zero = 3, .passes = 2 },
};
enum { REQUANTS = sizeof(requants) / sizeof(requants[0]) };

/* ------------------------------------------------------------- convolution */

typedef struct ConvCase {
    int32_t n, c, h, w, oc, kh, kw, stride, dilation, pad, rows, columns, blocks;
    int plain, direct;
} ConvCase;

static const ConvCase convs[] = {
    { 1, 16, 9, 13, 32, 3, 3, 1, 1, 1, 3, 0, 1, 0, 0 },
    { 2, 3, 12, 11, 17, 5, 3, 2, 1, 2, 2, 0, 2, 1, 0 },
    { 1, 40, 7, 7, 50, 1, 1, 1, 1, 0, 7, 0, 4, 0, 0 },
    { 1, 33, 1, 61, 70, 1, 1, 1, 1, 0, 1, 25, 2, 0, 1 },
    { 1, 6, 10, 10, 5, 3, 3, 1, 2, 2, 4, 0, 1, 1, 0 },
    { 1, 20, 8, 9, 16, 2, 2, 3, 1, 0, 1, 0, 1, 0, 0 },
    { 1, 3, 7, 67, 17, 3, 3, 2, 1, 1, 2, 0, 2, 1, 0 },
    { 1, 6, 5, 37, 5, 3, 3, 1, 1, 1, 4, 0, 1, 1, 0 },
};

/* Fills params and packed weights, every output channel's lanes beyond its count zero. */
static int8_t *conv_weights(const TsrConv2dI8Params *p, int64_t *out_block, int fill)
{
    const TsrConv2dParams *c = &p->conv;
    const int64_t taps = (int64_t)c->kernel_h * c->kernel_w, unit = c->x_plain ? 4 : 16;
    const int64_t padded = round_up(c->in_c, 4), block = p->requant.passes * padded * taps * 16;
    int8_t *w = calloc((size_t)(block * ((c->out_c + 15) / 16)), 1), *to = w;
    need(w);
    for (int64_t b = 0; b < c->out_c; b += 16)
        for (uint32_t pass = 0; pass < p->requant.passes; pass++)
            for (int64_t first = 0; first < padded; first += unit)
                for (int64_t tap = 0; tap < taps; tap++)
                    for (int64_t q = first; q < first + unit && q < padded; q += 4)
                        for (int64_t o = b; o < b + 16; o++)
                            for (int64_t k = q; k < q + 4; k++, to++)
                                *to = o < c->out_c && k < c->in_c
                                          ? (int8_t)(random_byte(fill) - (fill ? 0 : 128)) : 0;
    *out_block = block;
    return w;
}

static void conv_params(const ConvCase *s, const TsrRequant *r, TsrConv2dI8Params *p)
{
    const int32_t oh = (s->h + 2 * s->pad - (s->kh - 1) * s->dilation - 1) / s->stride + 1;
    const int32_t ow = (s->w + 2 * s->pad - (s->kw - 1) * s->dilation - 1) / s->stride + 1;
    *p = (TsrConv2dI8Params){ .struct_size = sizeof(*p), .requant = *r };
    p->conv = (TsrConv2dParams){
        .struct_size = sizeof(p->conv), .x_plain = (uint32_t)s->plain, .batch = s->n,
        .in_c = s->c, .in_h = s->h, .in_w = s->w, .out_c = s->oc, .out_h = oh, .out_w = ow,
        .kernel_h = s->kh, .kernel_w = s->kw, .stride_h = s->stride, .stride_w = s->stride,
        .dilation_h = s->dilation, .dilation_w = s->dilation, .pad_top = s->pad,
        .pad_left = s->pad, .groups = 1, .rows_per_piece = s->rows < oh ? s->rows : oh,
        .columns_per_piece = s->columns > 0 ? s->columns : ow, .blocks_per_piece = s->blocks };
    if (!s->direct) {
        /* As build_conv.c reckons the slab. */
        const int64_t eh = (s->kh - 1) * s->dilation + 1, ew = (s->kw - 1) * s->dilation + 1;
        const int64_t step = s->stride < eh ? s->stride : eh;
        const int64_t phases = s->stride < ew ? s->stride : ew;
        const int64_t pixels = ((p->conv.rows_per_piece - 1) * step + eh) * phases *
                               (ow + (ew - 1) / s->stride);
        p->conv.workspace_floats =
            (uint64_t)(round_up(s->c, s->plain ? 4 : 16) * pixels + 63) / 64 * 16;
    }
}

START_TEST(test_conv)
{
    const ConvCase *s = &convs[_i / REQUANTS / 2];
    const TsrRequant *r = &requants[_i / 2 % REQUANTS];
    const int fill = _i % 2, residual = _i & 4 && r->y_dtype != TSR_DTYPE_INT32;
    TsrConv2dI8Params p;
    int64_t block;
    char label[64];
    if (s->direct && r->x_signed)
        return;
    conv_params(s, r, &p);
    p.requant.residual_signed = !r->x_signed;
    p.requant.residual_zero = -5;
    p.requant.residual_factor = 0.37;
    const int64_t x_bytes = (int64_t)s->n * round_up(s->c, s->plain ? 1 : 16) * s->h * s->w;
    const int64_t y_count = (int64_t)s->n * round_up(s->oc, 16) * p.conv.out_h * p.conv.out_w;
    int8_t *w = conv_weights(&p, &block, fill);
    TsrRequantBlock *table = table_new(s->oc, w, block, 0.002);
    void *x = bytes_new(x_bytes, fill);
    void *z = bytes_new(y_count, fill);
    uint8_t zero = (uint8_t)r->x_zero;
    const Arg args[] = {
        { ARG_INPUT, x_bytes, x }, { ARG_INPUT, block, w }, { ARG_INPUT, 0, table },
        { _i & 2 ? ARG_INPUT : ARG_NULL, 1, &zero },
        { residual ? ARG_INPUT : ARG_NULL, y_count, z },
        { ARG_OUTPUT, y_count * (r->y_dtype == TSR_DTYPE_INT32 ? 4 : 1), NULL },
        { s->direct ? ARG_NULL : ARG_WORKSPACE, (int64_t)p.conv.workspace_floats * 4, NULL },
    };
    snprintf(label, sizeof(label), "case %d requant %d fill %d", (int)(s - convs),
             (int)(r - requants), fill);
    check_rows(TSR_KERNEL_CONV2D_I8, label, &p, args, 7);
    free(w);
    free(table);
    free(x);
    free(z);
}
END_TEST

/* One pixel of three channels: (10-2)*2 + (0-2)*-3 + (4-2)*100 + 5 = 227; 227 * 0.5 rounds
 * to 114 (half to even), plus 1; the padding lanes of x must not count. With a residual of
 * (9 - 3) * 0.25 it is 115 and 1. */
START_TEST(test_conv_by_hand)
{
    const TsrConv2dI8Params p = {
        .struct_size = sizeof(p),
        .requant = { .y_dtype = TSR_DTYPE_UINT8, .x_zero = 2, .y_zero = 1, .high = 255,
                     .passes = 1, .residual_zero = 3, .residual_factor = 0.25 },
        .conv = { .batch = 1, .in_c = 3, .in_h = 1, .in_w = 1, .out_c = 1, .out_h = 1, .out_w = 1,
                  .kernel_h = 1, .kernel_w = 1, .stride_h = 1, .stride_w = 1, .dilation_h = 1,
                  .dilation_w = 1, .groups = 1, .rows_per_piece = 1, .columns_per_piece = 1,
                  .blocks_per_piece = 1 } };
    uint8_t x[16] = { 10, 0, 4, 99, 255, 77 }, z[16] = { 9, 3 }, y[16];
    int8_t w[64] = { 2, -3, 100 };
    TsrRequantBlock table = { .factor = { 0.5 }, .bias = { 5 }, .sum = { 99 } };
    void *args[7] = { x, w, &table, NULL, NULL, y, NULL };
    uint32_t count;
    const TsrKernelRow *rows = tsr_kernel_rows(&count);
    for (uint32_t r = 0; r < count; r++) {
        if (strcmp(rows[r].name, TSR_KERNEL_CONV2D_I8) != 0 ||
            !tsr_kernel_isa_usable(rows[r].isa))
            continue;
        memset(y, 0, sizeof(y));
        rows[r].fn(args, &p, 0, 1);
        ck_assert_uint_eq(y[0], 115);
        ck_assert_uint_eq(y[1], 1);
        args[4] = z;
        rows[r].fn(args, &p, 0, 1);
        ck_assert_uint_eq(y[0], 116);
        ck_assert_uint_eq(y[1], 1);
        args[4] = NULL;
    }
}
END_TEST

START_TEST(test_depthwise)
{
    const ConvCase *s = &convs[_i / REQUANTS];
    const TsrRequant *r = &requants[_i % REQUANTS];
    const int64_t taps = (int64_t)s->kh * s->kw, lanes = round_up(s->c, 16);
    TsrConv2dI8Params p;
    int16_t *w = calloc((size_t)(lanes * taps), sizeof(*w));
    conv_params(s, r, &p);
    p.conv.out_c = s->c;
    for (int64_t i = 0; i < lanes * taps; i++)
        w[i] = i / taps / 16 * 16 + i % 16 < s->c ? (int16_t)(check_random() * 255.0f) : 0;
    const int64_t x_bytes = (int64_t)s->n * lanes * s->h * s->w;
    const int64_t y_count = (int64_t)s->n * lanes * p.conv.out_h * p.conv.out_w;
    TsrRequantBlock *table = table_new(s->c, NULL, 0, 0.002);
    void *x = bytes_new(x_bytes, FILL_RANDOM);
    const Arg args[] = {
        { ARG_INPUT, x_bytes, x }, { ARG_INPUT, 0, w }, { ARG_INPUT, 0, table },
        { ARG_NULL, 0, NULL },
        { ARG_OUTPUT, y_count * (r->y_dtype == TSR_DTYPE_INT32 ? 4 : 1), NULL },
    };
    check_rows(TSR_KERNEL_CONV2D_DEPTHWISE_I8, "depthwise", &p, args, 5);
    free(w);
    free(table);
    free(x);
}
END_TEST

/* ------------------------------------------------------------------ matrix */

static const int64_t gemms[][5] = { /* m, n, k, rows and panels of a piece */
    { 1, 1, 1, 1, 1 },     { 3, 17, 5, 2, 1 },    { 13, 33, 64, 5, 2 }, { 29, 100, 31, 29, 7 },
    { 12, 16, 128, 12, 1 }, { 1, 129, 300, 1, 3 }, { 25, 40, 7, 10, 2 },
};

START_TEST(test_gemm)
{
    const int64_t *s = gemms[_i / REQUANTS / 2];
    const TsrRequant *r = &requants[_i / 2 % REQUANTS];
    const int fill = _i % 2;
    const int64_t m = s[0], n = s[1], k = s[2], quads = (k + 3) / 4;
    const int64_t block = r->passes * quads * 64, blocks = (n + 15) / 16;
    const int copied = r->x_signed || k % 4 != 0;
    const TsrGemmI8Params p = { .struct_size = sizeof(p), .requant = *r, .m = m, .n = n, .k = k,
                                .rows_per_piece = s[3], .panels_per_piece = s[4],
                                .workspace_floats = (uint64_t)(s[3] * quads) };
    int8_t *w = calloc((size_t)(block * blocks), 1);
    uint8_t *a = bytes_new(m * k, fill), zero = (uint8_t)r->x_zero;
    char label[64];
    for (int64_t i = 0; i < block * blocks; i++)
        if (i / block * 16 + i / 4 % 16 < n && i % block / 64 % quads * 4 + i % 4 < k)
            w[i] = (int8_t)(random_byte(fill) - (fill ? 0 : 128));
    TsrRequantBlock *table = table_new(n, w, block, 0.002);
    const Arg args[] = {
        { ARG_INPUT, m * k, a }, { ARG_INPUT, 0, w }, { ARG_INPUT, 0, table },
        { _i & 2 ? ARG_INPUT : ARG_NULL, 1, &zero },
        { ARG_OUTPUT, m * n * (r->y_dtype == TSR_DTYPE_INT32 ? 4 : 1), NULL },
        { copied ? ARG_WORKSPACE : ARG_NULL, (int64_t)p.workspace_floats * 4, NULL },
    };
    snprintf(label, sizeof(label), "case %d requant %d fill %d", _i / REQUANTS / 2,
             (int)(r - requants), fill);
    check_rows(TSR_KERNEL_GEMM_I8, label, &p, args, 6);
    free(w);
    free(a);
    free(table);
}
END_TEST

/* ------------------------------------------------------------------- bench */

static double best_time(TsrKernelFn fn, void *const *args, const void *params)
{
    double best = INFINITY;
    for (int i = 0; i < 15; i++) {
        struct timespec a, b;
        clock_gettime(CLOCK_MONOTONIC, &a);
        fn(args, params, 0, 1);
        clock_gettime(CLOCK_MONOTONIC, &b);
        best = fmin(best, (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec));
    }
    return best;
}

/* The rows of an int8 kernel beside the float kernel of the best instruction set. */
static void bench_rows(const char *label, const char *kernel, void *const *args,
                       const void *params, double operations, double f32)
{
    uint32_t count;
    const TsrKernelRow *rows = tsr_kernel_rows(&count);
    for (uint32_t r = 0; r < count; r++) {
        if (strcmp(rows[r].name, kernel) != 0 || rows[r].isa == TSR_ISA_REF ||
            !tsr_kernel_isa_usable(rows[r].isa))
            continue;
        const double seconds = best_time(rows[r].fn, args, params);
        printf("%-10s %-30s %-12s %10.0f ns %8.1f GOP/s %6.2fx of f32\n", kernel, label,
               tsr_kernel_isa_name(rows[r].isa), seconds * 1e9, operations / seconds * 1e-9,
               f32 / seconds);
    }
}

static void bench_conv(int32_t c, int32_t h, int32_t oc, int32_t k)
{
    const ConvCase s = { 1, c, h, h, oc, k, k, 1, 1, k / 2, h, 0, oc / 16, 0, 0 };
    TsrConv2dI8Params p;
    int64_t block;
    char label[64];
    conv_params(&s, &requants[0], &p);
    TsrConv2dParams f = p.conv;
    int8_t *w = conv_weights(&p, &block, FILL_RANDOM);
    TsrRequantBlock *table = table_new(oc, w, block, 0.002);
    const int64_t pixels = (int64_t)h * h, taps = (int64_t)k * k;
    void *x = bytes_new(c * pixels, 0), *y = bytes_new(oc * pixels * 4, 0);
    void *workspace = bytes_new((int64_t)p.conv.workspace_floats * 4, 0);
    float *xf = calloc((size_t)(c * pixels), 4), *wf = calloc((size_t)(oc * c * taps), 4);
    float *slab = calloc((size_t)p.conv.workspace_floats * 4, 4);
    void *float_args[6] = { xf, wf, NULL, NULL, y, slab };
    f.workspace_floats = p.conv.workspace_floats * 4;
    const double f32 = best_time(tsr_kernel_find(TSR_KERNEL_CONV2D_F32), float_args, &f);
    snprintf(label, sizeof(label), "%dx%dx%d to %d, %dx%d", c, h, h, oc, k, k);
    bench_rows(label, TSR_KERNEL_CONV2D_I8, (void *[]){ x, w, table, NULL, NULL, y, workspace },
               &p, 2.0 * (double)(pixels * c * oc * taps), f32);
    free(w);
    free(table);
    free(x);
    free(y);
    free(workspace);
    free(xf);
    free(wf);
    free(slab);
}

static void bench_gemm(int64_t m, int64_t n, int64_t k)
{
    const TsrGemmI8Params p = { .struct_size = sizeof(p), .requant = requants[0], .m = m, .n = n,
                                .k = k, .rows_per_piece = m, .panels_per_piece = n / 16 };
    const TsrGemmParams f = { .struct_size = sizeof(f), .m = m, .n = n, .k = k, .a_row = k,
                              .a_column = 1, .rows_per_piece = m, .panels_per_piece = n / 16,
                              .workspace_floats = (uint64_t)(m * k) };
    uint8_t *a = bytes_new(m * k, 0), *y = bytes_new(m * n * 4, 0);
    int8_t *w = bytes_new(n * k, 0);
    TsrRequantBlock *table = table_new(n, w, k * 16, 0.002);
    float *af = calloc((size_t)(m * k), 4), *wf = calloc((size_t)(n * k), 4);
    float *copy = calloc((size_t)(m * k), 4);
    void *float_args[6] = { af, wf, NULL, NULL, y, copy };
    char label[64];
    const double f32 = best_time(tsr_kernel_find(TSR_KERNEL_GEMM_F32), float_args, &f);
    snprintf(label, sizeof(label), "%dx%dx%d", (int)m, (int)n, (int)k);
    bench_rows(label, TSR_KERNEL_GEMM_I8, (void *[]){ a, w, table, NULL, y, NULL }, &p,
               2.0 * (double)(m * n * k), f32);
    free(a);
    free(y);
    free(w);
    free(table);
    free(af);
    free(wf);
    free(copy);
}

static void bench(void)
{
    bench_conv(64, 56, 64, 3);
    bench_conv(256, 14, 256, 3);
    bench_conv(256, 28, 512, 1);
    bench_gemm(128, 384, 384);
    bench_gemm(256, 1024, 1024);
    bench_gemm(1, 1024, 1024);
}

static void add(struct TCase *tests)
{
    TCase *t = (TCase *)tests;
    tcase_add_loop_test(t, test_conv, 0, 2 * REQUANTS * (int)(sizeof(convs) / sizeof(convs[0])));
    tcase_add_test(t, test_conv_by_hand);
    tcase_add_loop_test(t, test_depthwise, 0,
                        REQUANTS * (int)(sizeof(convs) / sizeof(convs[0])));
    tcase_add_loop_test(t, test_gemm, 0, 2 * REQUANTS * (int)(sizeof(gemms) / sizeof(gemms[0])));
}

int main(int argc, char **argv) { return kernel_test_main(argc, argv, "quantized", add, bench); }
