/* SPDX-License-Identifier: Apache-2.0
 *
 * test_transdata.c: TransData as nn_engine builds it, on every implementation of the
 * kernel, against the walk of the general engine: every ordered pair of the formats that an
 * origin can have, over ranks, element sizes and odd extents. The memory of x is random
 * also where it is padding, so that no padding may reach y; y lies between guard zones.
 * With --bench: the bytes read and written per second against memcpy of as many.
 */
#include <check.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "aicpu.h"
#include "kernel_check.h"
#include "kernel_table.h"
#include "nn.h"

extern const AicpuFamily aicpu_trans_data;

enum { GUARD = 256, GUARD_BYTE = 0xa5, MAX_FORMATS = 8 };

typedef struct Desc {
    TsrTensorDesc view;
    int64_t shape[8], storage[10];
} Desc;

/* An origin: its format, rank and expand-dims rule, and the storages it can have. */
typedef struct Origin {
    const char *label;
    uint32_t format, rank, expand, count;
    uint32_t formats[MAX_FORMATS];
} Origin;

#define IMAGE_FORMATS                                                               \
    8, { TSR_FORMAT_ND, TSR_FORMAT_NCHW, TSR_FORMAT_NHWC, TSR_FORMAT_HWCN,           \
         TSR_FORMAT_NC1HWC0, TSR_FORMAT_FRACTAL_Z, TSR_FORMAT_FRACTAL_NZ,            \
         TSR_FORMAT_C1HWNCOC0 }
#define EXPANDED_FORMATS                                                            \
    5, { TSR_FORMAT_NCHW, TSR_FORMAT_NC1HWC0, TSR_FORMAT_FRACTAL_Z,                  \
         TSR_FORMAT_C1HWNCOC0, TSR_FORMAT_FRACTAL_NZ }
#define MATRIX_FORMATS 2, { TSR_FORMAT_ND, TSR_FORMAT_FRACTAL_NZ }
#define EN TSR_EXPAND_N
#define EC TSR_EXPAND_C
#define EH TSR_EXPAND_H
#define EW TSR_EXPAND_W

static const Origin origins[] = {
    { "NCHW", TSR_FORMAT_NCHW, 4, 0, IMAGE_FORMATS },
    { "NHWC", TSR_FORMAT_NHWC, 4, 0, IMAGE_FORMATS },
    { "HWCN", TSR_FORMAT_HWCN, 4, 0, IMAGE_FORMATS },
    { "N C W", TSR_FORMAT_NCHW, 3, EN | EC | EW, EXPANDED_FORMATS },
    { "C H W", TSR_FORMAT_NCHW, 3, EC | EH | EW, EXPANDED_FORMATS },
    { "N H W", TSR_FORMAT_NCHW, 3, EN | EH | EW, EXPANDED_FORMATS },
    { "N C", TSR_FORMAT_NCHW, 2, EN | EC, EXPANDED_FORMATS },
    { "H W", TSR_FORMAT_NCHW, 2, EH | EW, EXPANDED_FORMATS },
    { "C", TSR_FORMAT_NCHW, 1, EC, 4,
      { TSR_FORMAT_NCHW, TSR_FORMAT_NC1HWC0, TSR_FORMAT_FRACTAL_Z, TSR_FORMAT_C1HWNCOC0 } },
    { "W", TSR_FORMAT_NCHW, 1, EW, 4,
      { TSR_FORMAT_NCHW, TSR_FORMAT_NC1HWC0, TSR_FORMAT_FRACTAL_Z, TSR_FORMAT_C1HWNCOC0 } },
    { "ND 2", TSR_FORMAT_ND, 2, 0, MATRIX_FORMATS },
    { "ND 3", TSR_FORMAT_ND, 3, 0, MATRIX_FORMATS },
    { "ND 5", TSR_FORMAT_ND, 5, 0, MATRIX_FORMATS },
    { "ND 6", TSR_FORMAT_ND, 6, 0, MATRIX_FORMATS },
};
enum { ORIGINS = sizeof(origins) / sizeof(origins[0]) };

/* ------------------------------------------------------------ descriptors */

/* The storage of that format by its definition in types.h. */
static void desc_init(Desc *d, const Origin *o, const int64_t *shape, uint32_t format,
                      uint32_t dtype)
{
    static const int order[4][4] = { { 0, 1, 2, 3 }, { 0, 1, 2, 3 }, { 0, 3, 1, 2 },
                                     { 3, 2, 0, 1 } };
    static const int turned[4][4] = { { 0, 1, 2, 3 }, { 0, 1, 2, 3 }, { 0, 2, 3, 1 },
                                      { 2, 3, 1, 0 } };
    int64_t e[4] = { 1, 1, 1, 1 }, *s = d->storage;
    uint32_t rank = o->rank, next = 0;
    memset(d, 0, sizeof(*d));
    memcpy(d->shape, shape, o->rank * sizeof(*shape));
    memcpy(s, shape, o->rank * sizeof(*shape));
    for (int i = 0; i < 4; i++) {
        if (o->rank == 4)
            e[i] = shape[order[o->format][i]];
        else if (o->expand >> i & 1)
            e[i] = shape[next++];
    }
    const int64_t c1 = (e[1] + 15) / 16;
    if (format == TSR_FORMAT_NC1HWC0) {
        memcpy(s, (int64_t[]){ e[0], c1, e[2], e[3], 16 }, 5 * sizeof(*s));
        rank = 5;
    } else if (format == TSR_FORMAT_FRACTAL_Z) {
        memcpy(s, (int64_t[]){ c1 * e[2] * e[3], (e[0] + 15) / 16, 16, 16 }, 4 * sizeof(*s));
        rank = 4;
    } else if (format == TSR_FORMAT_C1HWNCOC0) {
        memcpy(s, (int64_t[]){ c1, e[2], e[3], e[0], 16, 16 }, 6 * sizeof(*s));
        rank = 6;
    } else if (format == TSR_FORMAT_FRACTAL_NZ) {
        const int64_t rows = shape[rank - 2], columns = shape[rank - 1];
        memcpy(s + rank - 2, (int64_t[]){ (columns + 15) / 16, (rows + 15) / 16, 16, 16 },
               4 * sizeof(*s));
        rank += 2;
    } else if (o->rank == 4) {
        for (int i = 0; i < 4; i++)
            s[i] = e[turned[format == TSR_FORMAT_ND ? o->format : format][i]];
    }
    d->view = (TsrTensorDesc){ .struct_size = sizeof(d->view), .dtype = dtype,
                               .origin_format = o->format, .storage_format = format,
                               .rank = o->rank, .storage_rank = rank, .shape = d->shape,
                               .storage_shape = d->storage, .name = "t",
                               .expand_dims = o->expand };
}

static size_t desc_bytes(const Desc *d)
{
    return (size_t)tsr_desc_storage_elements(&d->view) * tsr_dtype_bits(d->view.dtype) / 8;
}

/* ------------------------------------------------------------- two engines */

static int32_t run_fail(TsrRunContext *run, int32_t code, const char *format, ...)
{
    (void)run;
    (void)format;
    return code;
}

/* What the general engine makes of x. */
static int32_t reference_run(const Desc *x, void *from, const Desc *y, void *to)
{
    const TsrTensor in = { .struct_size = sizeof(in), .desc = &x->view, .data = from,
                           .size_bytes = desc_bytes(x) };
    TsrTensor out = { .struct_size = sizeof(out), .desc = &y->view, .data = to,
                      .size_bytes = desc_bytes(y) };
    const TsrTensor *inputs[1] = { &in };
    TsrTensor *outputs[1] = { &out };
    TsrRunContext run = { .struct_size = sizeof(run), .input_count = 1, .output_count = 1,
                          .inputs = inputs, .outputs = outputs, .fail = run_fail };
    return aicpu_trans_data.kernels[0].run(&aicpu_trans_data.kernels[0], &run);
}

typedef struct Task {
    TsrTaskSink sink;
    char name[32];
    _Alignas(8) char params[1024];
    uint32_t blocks;
    int count;
} Task;

static int32_t take_task(TsrTaskSink *sink, const TsrKernelTask *task)
{
    Task *t = sink->context;
    if (task->params_size > sizeof(t->params) ||
        task->params_size != tsr_kernel_params_size(task->kernel))
        return TSR_INTERNAL;
    snprintf(t->name, sizeof(t->name), "%s", task->kernel);
    memcpy(t->params, task->params, task->params_size);
    t->blocks = task->block_dim;
    t->count++;
    return TSR_OK;
}

static int32_t sink_fail(TsrTaskSink *sink, int32_t code, const char *format, ...)
{
    (void)sink;
    /* Not a Check assertion, since the benchmark runs outside of any test. */
    fprintf(stderr, "build failed with %d: %s\n", code, format);
    return code;
}

static void task_build(Task *t, const Desc *x, const Desc *y, uint32_t cores, uint32_t padding)
{
    memset(t, 0, sizeof(*t));
    t->sink = (TsrTaskSink){ .struct_size = sizeof(t->sink), .core_count = cores, .context = t,
                             .kernel = take_task, .fail = sink_fail };
    if (nn_build_transdata(&t->sink, "t", &x->view, &y->view, padding, TSR_ARG_INPUT | 0,
                           TSR_ARG_OUTPUT | 0) != TSR_OK || t->count != 1)
        abort();
}

static unsigned char *guarded(size_t bytes)
{
    unsigned char *memory = aligned_alloc(64, (bytes + 2 * GUARD + 63) / 64 * 64);
    if (memory == NULL)
        exit(2);
    memset(memory, GUARD_BYTE, (bytes + 2 * GUARD + 63) / 64 * 64);
    return memory + GUARD;
}

static void fill_random(unsigned char *memory, size_t bytes)
{
    static uint32_t state = 1;
    if (state == 1)
        state = (uint32_t)(check_random() * 1e9f) | 2;
    for (size_t i = 0; i < bytes; i++) {
        state = state * 1664525u + 1013904223u;
        memory[i] = (unsigned char)(state >> 24);
    }
}

/* Runs every implementation and compares all of y. */
static void task_check(const Task *t, const char *label, const Desc *x, unsigned char *from,
                       const Desc *y, const unsigned char *want)
{
    uint32_t count;
    const TsrKernelRow *rows = tsr_kernel_rows(&count);
    const size_t bytes = desc_bytes(y);
    for (uint32_t r = 0; r < count; r++) {
        if (strcmp(rows[r].name, t->name) != 0 || !tsr_kernel_isa_usable(rows[r].isa))
            continue;
        unsigned char *got = guarded(bytes);
        void *args[2] = { from, got };
        for (uint32_t b = t->blocks; b-- > 0;)
            rows[r].fn(args, t->params, b, t->blocks);
        /* Check writes a file at every assertion, so few are made. */
        for (size_t i = 0; i < GUARD; i++)
            if (got[-1 - (ptrdiff_t)i] != GUARD_BYTE || got[bytes + i] != GUARD_BYTE)
                ck_abort_msg("%s %s to %s: wrote outside of y", label,
                             tsr_format_name(x->view.storage_format),
                             tsr_format_name(y->view.storage_format));
        for (size_t i = 0; i < bytes && memcmp(got, want, bytes) != 0; i++)
            ck_assert_msg(got[i] == want[i],
                          "%s [%d,%d,%d,%d] %s to %s, %u bytes, %s, %u blocks: byte %zu is %02x, "
                          "wanted %02x", label, (int)x->shape[0], (int)x->shape[1],
                          (int)x->shape[2], (int)x->shape[3],
                          tsr_format_name(x->view.storage_format),
                          tsr_format_name(y->view.storage_format),
                          tsr_dtype_bits(x->view.dtype) / 8, tsr_kernel_isa_name(rows[r].isa),
                          t->blocks, i, got[i], want[i]);
        free(got - GUARD);
    }
}

static const uint32_t dtypes[3] = { TSR_DTYPE_INT8, TSR_DTYPE_FLOAT16, TSR_DTYPE_FLOAT };

static void pair_check(const Origin *o, const int64_t *shape, uint32_t from, uint32_t to,
                       uint32_t dtype)
{
    Desc x, y;
    Task t;
    desc_init(&x, o, shape, from, dtype);
    desc_init(&y, o, shape, to, dtype);
    unsigned char *in = guarded(desc_bytes(&x)), *want = guarded(desc_bytes(&y));
    fill_random(in, desc_bytes(&x));
    ck_assert_int_eq(reference_run(&x, in, &y, want), TSR_OK);
    if (tsr_desc_elements(&x.view) > 0)
        for (uint32_t cores = 1; cores <= 5; cores += 4) {
            task_build(&t, &x, &y, cores, 0);
            /* Small work is built for one block, but any count has to do. */
            t.blocks = t.blocks < cores ? cores : t.blocks;
            task_check(&t, o->label, &x, in, &y, want);
        }
    free(in - GUARD);
    free(want - GUARD);
}

static void all_pairs(const Origin *o, const int64_t *shape)
{
    for (uint32_t f = 0; f < o->count; f++)
        for (uint32_t k = 0; k < o->count; k++)
            for (int d = 0; d < 3; d++)
                pair_check(o, shape, o->formats[f], o->formats[k], dtypes[d]);
}

START_TEST(test_every_pair)
{
    static const int64_t shapes[][6] = {
        { 1, 1, 1, 1, 1, 1 }, { 2, 3, 5, 7, 2, 3 },   { 1, 16, 16, 16, 16, 1 },
        { 17, 33, 3, 2, 1, 1 }, { 3, 2, 17, 31, 1, 2 }, { 1, 40, 1, 3, 2, 18 },
        { 16, 1, 18, 1, 5, 5 }, { 5, 7, 1, 35, 3, 2 },
    };
    for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++)
        all_pairs(&origins[_i], shapes[s]);
}
END_TEST

/* Every number of channels up to 40, next to a picture of 3 x 5. */
START_TEST(test_channels)
{
    const int64_t c = _i + 1;
    const int64_t shapes[3][4] = { { 2, c, 3, 5 }, { 2, 3, 5, c }, { 3, 5, c, 2 } };
    for (int o = 0; o < 3; o++)
        all_pairs(&origins[o], shapes[o]);
}
END_TEST

/* Extents of 0: no task, and the reference writes nothing. */
START_TEST(test_empty)
{
    const Origin *o = &origins[_i];
    for (uint32_t at = 0; at < o->rank; at++) {
        int64_t shape[6] = { 3, 4, 5, 6, 2, 2 };
        shape[at] = 0;
        all_pairs(o, shape);
    }
}
END_TEST

/* Long enough for several blocks and runs; depthwise weights, the last format, are 16 times
 * as long as the others. */
START_TEST(test_large)
{
    static const int64_t shape[4] = { 2, 70, 33, 35 };
    for (uint32_t k = 0; k + 1 < origins[0].count; k++)
        for (int d = 0; d < 3; d++) {
            pair_check(&origins[0], shape, TSR_FORMAT_NC1HWC0, origins[0].formats[k], dtypes[d]);
            pair_check(&origins[0], shape, origins[0].formats[k], TSR_FORMAT_FRACTAL_NZ,
                       dtypes[d]);
            pair_check(&origins[2], shape, TSR_FORMAT_HWCN, origins[0].formats[k], dtypes[d]);
        }
}
END_TEST

/* Channel 17 of [1, 18, 1, 3] as NC1HWC0, by hand, with another padding than zero. */
START_TEST(test_padding)
{
    static const int64_t shape[4] = { 1, 18, 1, 3 };
    Desc x, y;
    Task t;
    unsigned char in[54], want[2 * 3 * 16];
    desc_init(&x, &origins[0], shape, TSR_FORMAT_NCHW, TSR_DTYPE_INT8);
    desc_init(&y, &origins[0], shape, TSR_FORMAT_NC1HWC0, TSR_DTYPE_INT8);
    memset(want, 0x80, sizeof(want));
    for (int c = 0; c < 18; c++)
        for (int w = 0; w < 3; w++)
            want[(c / 16 * 3 + w) * 16 + c % 16] = in[c * 3 + w] = (unsigned char)(c * 3 + w);
    task_build(&t, &x, &y, 1, 0x80);
    task_check(&t, "padding", &x, in, &y, want);
}
END_TEST

/* Depthwise weights: channel 17 of filter 1 lies on the diagonal of its block. */
START_TEST(test_diagonal)
{
    static const int64_t shape[4] = { 2, 18, 1, 1 };
    static float in[36], want[2 * 2 * 256];
    Desc x, y;
    Task t;
    desc_init(&x, &origins[0], shape, TSR_FORMAT_NCHW, TSR_DTYPE_FLOAT);
    desc_init(&y, &origins[0], shape, TSR_FORMAT_C1HWNCOC0, TSR_DTYPE_FLOAT);
    for (int n = 0; n < 2; n++)
        for (int c = 0; c < 18; c++)
            want[((c / 16 * 2 + n) * 16 + c % 16) * 16 + c % 16] = in[n * 18 + c] =
                1.0f + (float)(n * 18 + c);
    task_build(&t, &x, &y, 1, 0);
    task_check(&t, "diagonal", &x, (unsigned char *)in, &y, (const unsigned char *)want);
}
END_TEST

START_TEST(test_refusals)
{
    static const int64_t shape[5] = { 2, 3, 4, 5, 6 };
    Origin nothing = { "no rule", TSR_FORMAT_NCHW, 3, 0, 0, { 0 } };
    Desc x, y;
    desc_init(&x, &nothing, shape, TSR_FORMAT_NCHW, TSR_DTYPE_FLOAT);
    desc_init(&y, &nothing, shape, TSR_FORMAT_NC1HWC0, TSR_DTYPE_FLOAT);
    ck_assert(!nn_transdata_fits(&x.view, &y.view)); /* which axis is C is not known */
    desc_init(&y, &nothing, shape, TSR_FORMAT_FRACTAL_NZ, TSR_DTYPE_FLOAT);
    ck_assert(nn_transdata_fits(&x.view, &y.view));
    y.shape[0] = 3;
    ck_assert(!nn_transdata_fits(&x.view, &y.view)); /* other extents */
    nothing.rank = 5;
    nothing.format = TSR_FORMAT_NCDHW;
    desc_init(&x, &nothing, shape, TSR_FORMAT_NCDHW, TSR_DTYPE_FLOAT);
    desc_init(&y, &nothing, shape, TSR_FORMAT_NDHWC, TSR_DTYPE_FLOAT);
    ck_assert(!nn_transdata_fits(&x.view, &y.view));
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, test_every_pair, 0, ORIGINS);
    tcase_add_loop_test(tests, test_channels, 0, 40);
    tcase_add_loop_test(tests, test_empty, 0, ORIGINS);
    tcase_add_test(tests, test_large);
    tcase_add_test(tests, test_padding);
    tcase_add_test(tests, test_diagonal);
    tcase_add_test(tests, test_refusals);
}

/* -------------------------------------------------------------- benchmark */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void bench_pair(const Origin *o, const int64_t *shape, uint32_t from, uint32_t to,
                       uint32_t dtype)
{
    enum { RUNS = 31 };
    Desc x, y;
    Task t;
    double best = 1e9, copy = 1e9;
    desc_init(&x, o, shape, from, dtype);
    desc_init(&y, o, shape, to, dtype);
    const size_t bytes = desc_bytes(&x) + desc_bytes(&y);
    unsigned char *in = guarded(bytes / 2), *out = guarded(bytes / 2 + desc_bytes(&y));
    void *args[2] = { in, out };
    task_build(&t, &x, &y, 1, 0);
    fill_random(in, bytes / 2);
    for (int i = 0; i < RUNS; i++) {
        const double start = now();
        memcpy(out, in, bytes / 2);
        const double middle = now();
        tsr_kernel_find(t.name)(args, t.params, 0, 1);
        const double end = now();
        copy = middle - start < copy ? middle - start : copy;
        best = end - middle < best ? end - middle : best;
    }
    printf("%-10s %-10s -> %-10s %-8s [%d,%d,%d,%d] %7.2f GB/s, %.2f of memcpy (%.2f GB/s)\n",
           "transdata", tsr_format_name(from), tsr_format_name(to), tsr_dtype_name(dtype),
           (int)shape[0], (int)shape[1], (int)shape[2], (int)shape[3],
           (double)bytes / best * 1e-9, copy / best, (double)bytes / copy * 1e-9);
    free(in - GUARD);
    free(out - GUARD);
}

static void bench(void)
{
    static const struct {
        int origin;
        int64_t shape[4];
        uint32_t from, to;
    } cases[] = {
        { 0, { 1, 256, 56, 56 }, TSR_FORMAT_NCHW, TSR_FORMAT_NC1HWC0 },
        { 0, { 1, 64, 224, 224 }, TSR_FORMAT_NCHW, TSR_FORMAT_NC1HWC0 },
        { 0, { 1, 3, 224, 224 }, TSR_FORMAT_NCHW, TSR_FORMAT_NC1HWC0 },
        { 1, { 1, 56, 56, 256 }, TSR_FORMAT_NHWC, TSR_FORMAT_NC1HWC0 },
        { 1, { 1, 224, 224, 64 }, TSR_FORMAT_NHWC, TSR_FORMAT_NC1HWC0 },
        { 10, { 1024, 768 }, TSR_FORMAT_ND, TSR_FORMAT_FRACTAL_NZ },
        { 10, { 2048, 3072 }, TSR_FORMAT_ND, TSR_FORMAT_FRACTAL_NZ },
        { 0, { 1, 256, 64, 64 }, TSR_FORMAT_NC1HWC0, TSR_FORMAT_FRACTAL_NZ },
        { 0, { 1, 64, 224, 224 }, TSR_FORMAT_NC1HWC0, TSR_FORMAT_FRACTAL_NZ },
        { 0, { 512, 512, 3, 3 }, TSR_FORMAT_NCHW, TSR_FORMAT_FRACTAL_Z },
        { 0, { 1, 256, 56, 56 }, TSR_FORMAT_NCHW, TSR_FORMAT_NHWC },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (int d = 2; d >= 0; d--) {
            const Origin *o = &origins[cases[i].origin];
            bench_pair(o, cases[i].shape, cases[i].from, cases[i].to, dtypes[d]);
            bench_pair(o, cases[i].shape, cases[i].to, cases[i].from, dtypes[d]);
        }
}

int main(int argc, char **argv)
{
    /* Fresh pages for every large block would take most of the time. */
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    return kernel_test_main(argc, argv, "transdata", add_tests, bench);
}
