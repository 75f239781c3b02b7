/* SPDX-License-Identifier: Apache-2.0
 *
 * test_quantized.c: the kernels on 8-bit numbers. Every implementation gives the bits of
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

#include "kernel_check.h"
#include "kernel_table.h"

enum { GUARD = 64, MAX_ARGS = 8, FILL_RANDOM = 0, FILL_EXTREME = 1 };

/* An argument in bytes: an input to read, an output, a workspace per block, or NULL. */
typedef struct Arg {
    int kind;
    int64_t bytes;
    const void *data;
} Arg;

/* Not a Check assertion, since the benchmark runs outside of any test. */
static void need(const void *memory)
{
    if (memory == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
}

static uint8_t random_byte(int fill)
{
    const float r = check_random();
    return fill == FILL_EXTREME ? (r < 0.0f ? 255 : 127) : (uint8_t)(int)(r * 127.9f + 128.0f);
}

static void *bytes_new(int64_t count, int fill)
{
    uint8_t *bytes = malloc((size_t)count + 64);
    need(bytes);
    for (int64_t i = 0; i < count; i++)
        bytes[i] = random_byte(fill);
    return bytes;
}

static uint8_t *guarded(int64_t bytes)
{
    uint8_t *memory = aligned_alloc(64, (size_t)(bytes + 2 * GUARD + 63) / 64 * 64);
    need(memory);
    memset(memory, 0xa5, (size_t)(bytes + 2 * GUARD));
    return memory + GUARD;
}

static void guards_check(const uint8_t *memory, int64_t bytes, const char *label, const char *isa,
                         int arg)
{
    for (int i = 1; i <= GUARD; i++)
        ck_assert_msg(memory[-i] == 0xa5 && memory[bytes + i - 1] == 0xa5,
                      "%s %s: wrote outside of arg %d", label, isa, arg);
}

/* Every row of the kernel against `_ref`, in several block counts. */
static void check_rows(const char *kernel, const char *label, const void *params, const Arg *args,
                       int count)
{
    static const uint32_t block_counts[] = { 1, 2, 5 };
    void *given[MAX_ARGS] = { NULL };
    uint8_t *want[MAX_ARGS] = { NULL };
    uint32_t rows;
    const TsrKernelRow *row = tsr_kernel_rows(&rows);
    for (int i = 0; i < count; i++) {
        if (args[i].kind == ARG_INPUT)
            given[i] = (void *)args[i].data;
        if (args[i].kind == ARG_OUTPUT)
            given[i] = want[i] = guarded(args[i].bytes);
    }
    kernel_run_ref(kernel, given, params);
    for (uint32_t r = 0; r < rows; r++) {
        if (strcmp(row[r].name, kernel) != 0 || !tsr_kernel_isa_usable(row[r].isa))
            continue;
        const char *isa = tsr_kernel_isa_name(row[r].isa);
        for (size_t b = 0; b < sizeof(block_counts) / sizeof(block_counts[0]); b++) {
            const uint32_t blocks = block_counts[b];
            for (int i = 0; i < count; i++)
                if (args[i].kind == ARG_OUTPUT || args[i].kind == ARG_WORKSPACE)
                    given[i] = guarded(args[i].bytes *
                                       (args[i].kind == ARG_WORKSPACE ? blocks : 1));
            for (uint32_t block = blocks; block-- > 0;)
                row[r].fn(given, params, block, blocks);
            for (int i = 0; i < count; i++) {
                const int64_t bytes = args[i].bytes *
                                      (args[i].kind == ARG_WORKSPACE ? blocks : 1);
                if (args[i].kind != ARG_OUTPUT && args[i].kind != ARG_WORKSPACE)
                    continue;
                guards_check(given[i], bytes, label, isa, i);
                for (int64_t k = 0; args[i].kind == ARG_OUTPUT && k < bytes; k++)
                    ck_assert_msg(((uint8_t *)given[i])[k] == want[i][k],
                                  "%s %s %s, %u blocks: arg %d byte %d is %u, reference %u",
                                  kernel, label, isa, blocks, i, (int)k,
                                  ((uint8_t *)given[i])[k], want[i][k]);
                free((uint8_t *)given[i] - GUARD);
            }
        }
    }
    for (int i = 0; i < count; i++)
        if (want[i] != NULL)
            free(want[i] - GUARD);
}

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
    const int fill = _i % 2;
    TsrConv2dI8Params p;
    int64_t block;
    char label[64];
    if (s->direct && r->x_signed)
        return;
    conv_params(s, r, &p);
    const int64_t x_bytes = (int64_t)s->n * round_up(s->c, s->plain ? 1 : 16) * s->h * s->w;
    const int64_t y_count = (int64_t)s->n * round_up(s->oc, 16) * p.conv.out_h * p.conv.out_w;
    int8_t *w = conv_weights(&p, &block, fill);
    TsrRequantBlock *table = table_new(s->oc, w, block, 0.002);
    void *x = bytes_new(x_bytes, fill);
    uint8_t zero = (uint8_t)r->x_zero;
    const Arg args[] = {
        { ARG_INPUT, x_bytes, x }, { ARG_INPUT, block, w }, { ARG_INPUT, 0, table },
        { _i & 2 ? ARG_INPUT : ARG_NULL, 1, &zero },
        { ARG_OUTPUT, y_count * (r->y_dtype == TSR_DTYPE_INT32 ? 4 : 1), NULL },
        { s->direct ? ARG_NULL : ARG_WORKSPACE, (int64_t)p.conv.workspace_floats * 4, NULL },
    };
    snprintf(label, sizeof(label), "case %d requant %d fill %d", (int)(s - convs),
             (int)(r - requants), fill);
    check_rows(TSR_KERNEL_CONV2D_I8, label, &p, args, 6);
    free(w);
    free(table);
    free(x);
}
END_TEST

/* One pixel of three channels: (10-2)*2 + (0-2)*-3 + (4-2)*100 + 5 = 227; 227 * 0.5 rounds
 * to 114 (half to even), plus 1; the padding lanes of x must not count. */
START_TEST(test_conv_by_hand)
{
    const TsrConv2dI8Params p = {
        .struct_size = sizeof(p),
        .requant = { .y_dtype = TSR_DTYPE_UINT8, .x_zero = 2, .y_zero = 1, .high = 255,
                     .passes = 1 },
        .conv = { .batch = 1, .in_c = 3, .in_h = 1, .in_w = 1, .out_c = 1, .out_h = 1, .out_w = 1,
                  .kernel_h = 1, .kernel_w = 1, .stride_h = 1, .stride_w = 1, .dilation_h = 1,
                  .dilation_w = 1, .groups = 1, .rows_per_piece = 1, .columns_per_piece = 1,
                  .blocks_per_piece = 1 } };
    uint8_t x[16] = { 10, 0, 4, 99, 255, 77 }, y[16];
    int8_t w[64] = { 2, -3, 100 };
    TsrRequantBlock table = { .factor = { 0.5 }, .bias = { 5 }, .sum = { 99 } };
    void *args[6] = { x, w, &table, NULL, y, NULL };
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

/* ------------------------------------------------------------- elementwise */

static float *floats_new(int64_t count, float size)
{
    float *x = malloc((size_t)count * sizeof(*x) + 64);
    need(x);
    for (int64_t i = 0; i < count; i++) {
        const float r = check_random();
        /* Halves, and what overflows, among the rest. */
        x[i] = i % 7 == 0 ? rintf(r * size) + 0.5f : i % 31 == 0 ? r * 1e30f : r * size;
    }
    if (count > 5) {
        x[3] = NAN;
        x[4] = -INFINITY;
        x[5] = INFINITY;
    }
    return x;
}

static const int64_t shapes[][4] = { /* outer, channels, inner, lanes */
    { 1, 1, 1, 1 }, { 1, 1, 9001, 1 }, { 2, 5, 33, 1 }, { 2, 3, 300, 16 }, { 1, 1, 77, 10 },
};
enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]) };

START_TEST(test_quantize)
{
    static const uint32_t dtypes[] = { TSR_DTYPE_UINT8, TSR_DTYPE_INT8, TSR_DTYPE_INT32 };
    const int64_t *s = shapes[_i / 3];
    const uint32_t dtype = dtypes[_i % 3];
    const int64_t scales = s[1] * s[3], count = s[0] * s[1] * s[2] * s[3];
    const TsrQuantizeParams p = { sizeof(p), dtype, s[0], s[1], s[2], s[3] };
    float *x = floats_new(count, 300.0f), *scale = malloc((size_t)scales * sizeof(*scale));
    int32_t *zero = malloc((size_t)scales * sizeof(*zero)), *words = bytes_new(count * 4, 0);
    for (int64_t i = 0; i < scales; i++) {
        scale[i] = i % 2 == 0 ? 1.0f : 0.37f + 0.01f * (float)i;
        zero[i] = (int32_t)(check_random() * 100.0f) + (dtype == TSR_DTYPE_UINT8 ? 100 : 0);
    }
    if (dtype != TSR_DTYPE_INT32)
        check_rows(TSR_KERNEL_QUANTIZE, "quantize", &p,
                   (const Arg[]){ { ARG_INPUT, 0, x }, { ARG_INPUT, 0, scale },
                                  { ARG_INPUT, 0, zero }, { ARG_OUTPUT, count, NULL } }, 4);
    check_rows(TSR_KERNEL_DEQUANTIZE, "dequantize", &p,
               (const Arg[]){ { ARG_INPUT, 0, words }, { ARG_INPUT, 0, scale },
                              { ARG_INPUT, 0, zero }, { ARG_OUTPUT, count * 4, NULL } }, 4);
    free(x);
    free(scale);
    free(zero);
    free(words);
}
END_TEST

START_TEST(test_dynamic)
{
    static const int64_t counts[] = { 1, 15, 16, 100, 5000 };
    const int64_t count = counts[_i], run = 64, pieces = (count + run - 1) / run;
    const TsrDynamicParams p = { .struct_size = sizeof(p), .count = count, .run = run };
    float *x = malloc((size_t)count * sizeof(*x)), *range = malloc((size_t)pieces * 8);
    for (int64_t i = 0; i < count; i++)
        x[i] = i % 50 == 3 ? NAN : check_random() * 3.0f;
    void *args[2] = { x, range };
    kernel_run_ref(TSR_KERNEL_RANGE_F32, args, &p);
    check_rows(TSR_KERNEL_RANGE_F32, "range", &p,
               (const Arg[]){ { ARG_INPUT, 0, x }, { ARG_OUTPUT, pieces * 8, NULL } }, 2);
    check_rows(TSR_KERNEL_QUANTIZE_DYNAMIC, "dynamic", &p,
               (const Arg[]){ { ARG_INPUT, 0, x }, { ARG_INPUT, 0, range },
                              { ARG_OUTPUT, count, NULL }, { ARG_OUTPUT, 4, NULL },
                              { ARG_OUTPUT, 1, NULL } }, 5);
    free(x);
    free(range);
}
END_TEST

START_TEST(test_add)
{
    static const int64_t counts[] = { 1, 255, 256, 9001 };
    const int64_t count = counts[_i % 4];
    const TsrAddI8Params p = {
        .struct_size = sizeof(p), .a_signed = _i & 4 ? 1 : 0, .b_signed = _i & 8 ? 1 : 0,
        .y_signed = _i & 8 ? 1 : 0, .count = count, .a_scale = 0.25f, .b_scale = 0.5f,
        .y_scale = 0.5f, .a_zero = _i & 4 ? -3 : 100, .b_zero = 7, .y_zero = _i & 8 ? -10 : 10,
        .low = _i & 8 ? -128 : 10, .high = _i & 8 ? 127 : 255 };
    void *a = bytes_new(count, 0), *b = bytes_new(count, 0);
    check_rows(TSR_KERNEL_ADD_I8, "add", &p,
               (const Arg[]){ { ARG_INPUT, 0, a }, { ARG_INPUT, 0, b },
                              { ARG_OUTPUT, count, NULL } }, 3);
    free(a);
    free(b);
}
END_TEST

START_TEST(test_pool)
{
    const uint32_t lanes = _i & 1 ? 16 : 1;
    const int is_signed = _i & 2;
    TsrPool2dI8Params p = {
        .struct_size = sizeof(p), .factor = 1.7,
        .requant = { .x_signed = is_signed != 0, .x_zero = 9, .y_zero = 3,
                     .low = is_signed ? -128 : 0, .high = is_signed ? 127 : 255 },
        .pool = { .kind = _i & 4 ? TSR_POOL_MAX : TSR_POOL_AVERAGE, .count_pads = _i & 8 ? 1 : 0,
                  .lanes = lanes, .outer = 3, .in_h = 9, .in_w = 11, .out_h = 5, .out_w = 6,
                  .kernel_h = 3, .kernel_w = 2, .stride_h = 2, .stride_w = 2, .dilation_h = 1,
                  .dilation_w = 2, .pad_top = 1, .pad_left = 1, .pad_bottom = 1,
                  .pad_right = 1 } };
    void *x = bytes_new(3 * 9 * 11 * (int64_t)lanes, 0);
    check_rows(TSR_KERNEL_POOL2D_I8, "pool", &p,
               (const Arg[]){ { ARG_INPUT, 0, x }, { ARG_OUTPUT, 3 * 5 * 6 * (int64_t)lanes,
                                                     NULL } }, 2);
    free(x);
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
    bench_rows(label, TSR_KERNEL_CONV2D_I8, (void *[]){ x, w, table, NULL, y, workspace }, &p,
               2.0 * (double)(pixels * c * oc * taps), f32);
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
    tcase_add_loop_test(t, test_quantize, 0, 3 * SHAPES);
    tcase_add_loop_test(t, test_dynamic, 0, 5);
    tcase_add_loop_test(t, test_add, 0, 16);
    tcase_add_loop_test(t, test_pool, 0, 16);
}

int main(int argc, char **argv) { return kernel_test_main(argc, argv, "quantized", add, bench); }
