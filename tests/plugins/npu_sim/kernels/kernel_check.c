/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel_check.c: see kernel_check.h. Every output and workspace lies between guard
 * zones, blocks run in reverse order and in several counts. A kernel with narrow forms is
 * checked in all of them by the same case.
 */
#include "kernel_check.h"
#include "kernel_table.h"
#include <tessera/plugin_util.h>
#include "../../../support/check_main.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { GUARD = 64, MAX_ARGS = 12 };
#define GUARD_BITS 0x7fc0beefu /* a NaN of our own */

static uint64_t state;

static void seed_once(void)
{
    const char *text = getenv("TSR_TEST_SEED");
    if (state != 0)
        return;
    state = text != NULL ? strtoull(text, NULL, 0) : 20250114u;
    printf("TSR_TEST_SEED=%" PRIu64 "\n", state);
    state = state * 2 + 1;
}

float check_random(void)
{
    seed_once();
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (float)((int32_t)(state >> 40) - (1 << 23)) / (float)(1 << 23);
}

/* A form of a kernel: its name, and which arguments are of its type instead of float. */
typedef struct Form {
    char kernel[48];
    uint32_t dtype, narrow;
} Form;

/* The arguments of storage type by kernel, one bit each, and whether the narrow form needs
 * its workspace (the last argument) always. */
static const struct {
    const char *kernel;
    uint32_t narrow;
    int workspace;
} narrow_kernels[] = {
    { TSR_KERNEL_CONV2D_F32, 0x1b, 1 },     { TSR_KERNEL_CONV2D_DEPTHWISE_F32, 0x1b, 0 },
    { TSR_KERNEL_CONV2D_NCHW_F32, 0x19, 1 }, { TSR_KERNEL_GEMM_F32, 0x1b, 1 },
    { TSR_KERNEL_PACK_PANELS_F32, 0x3, 0 }, { TSR_KERNEL_POOL2D_F32, 0x3, 0 },
    { TSR_KERNEL_RESIZE2D_F32, 0x5, 0 },    { TSR_KERNEL_SCALE_SHIFT_F32, 0x9, 0 },
    { TSR_KERNEL_UNARY_F32, 0x3, 0 },       { TSR_KERNEL_BINARY_F32, 0x7, 0 },
    { TSR_KERNEL_SOFTMAX_F32, 0x3, 0 },     { TSR_KERNEL_NORMALIZE_F32, 0xcf, 0 },
    { TSR_KERNEL_REDUCE_F32, 0x3, 0 },      { TSR_KERNEL_TRANSPOSE_B32, 0x3, 0 },
    { TSR_KERNEL_SHUFFLE_B32, 0x3, 0 },
};

/* Form 0 is the case's kernel, 1 float16, 2 bfloat16; 0 when there is no such form. */
static int form_of(const KernelCase *c, int form, Form *out)
{
    const size_t length = strlen(c->kernel);
    *out = (Form){ .dtype = TSR_DTYPE_FLOAT };
    memcpy(out->kernel, c->kernel, length + 1);
    for (size_t i = 0; form > 0 && i < sizeof(narrow_kernels) / sizeof(narrow_kernels[0]); i++) {
        if (strcmp(narrow_kernels[i].kernel, c->kernel) != 0)
            continue;
        if (narrow_kernels[i].workspace && c->args[c->arg_count - 1].kind != ARG_WORKSPACE)
            return 0;
        out->dtype = form == 1 ? TSR_DTYPE_FLOAT16 : TSR_DTYPE_BFLOAT16;
        out->narrow = narrow_kernels[i].narrow;
        strcpy(out->kernel + length - 3, strstr(c->kernel, "_b32") != NULL ? "b16"
                                         : form == 1 ? "f16" : "bf16");
        return 1;
    }
    return form == 0;
}

static int64_t arg_bytes(const KernelCase *c, const Form *f, int arg)
{
    return c->args[arg].floats * (f->narrow >> arg & 1 ? 2 : 4);
}

static float element_get(const Form *f, int arg, const void *memory, int64_t i)
{
    if (!(f->narrow >> arg & 1))
        return ((const float *)memory)[i];
    return f->dtype == TSR_DTYPE_FLOAT16 ? tsr_float16_to_float(((const uint16_t *)memory)[i])
                                         : tsr_bfloat16_to_float(((const uint16_t *)memory)[i]);
}

static void element_put(const Form *f, int arg, void *memory, int64_t i, float v)
{
    if (!(f->narrow >> arg & 1))
        ((float *)memory)[i] = v;
    else
        ((uint16_t *)memory)[i] = f->dtype == TSR_DTYPE_FLOAT16 ? tsr_float_to_float16(v)
                                                                : tsr_float_to_bfloat16(v);
}

static void *guarded_new(int64_t bytes)
{
    const int64_t all = (bytes + 8 * GUARD + 63) / 64 * 64;
    const uint32_t guard = GUARD_BITS;
    char *memory = aligned_alloc(64, (size_t)all);
    /* Not a Check assertion, since the benchmark runs outside of any test. */
    if (memory == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    for (int64_t i = 0; i < all; i += 4)
        memcpy(memory + i, &guard, 4);
    return memory + 4 * GUARD;
}

static void guarded_free(void *memory)
{
    if (memory != NULL)
        free((char *)memory - 4 * GUARD);
}

static void guarded_check(const KernelCase *c, const Form *f, const char *isa, int arg,
                          const char *memory, int64_t bytes)
{
    const uint32_t guard = GUARD_BITS;
    char pattern[4 * GUARD + 4];
    for (int i = 0; i <= GUARD; i++)
        memcpy(pattern + 4 * i, &guard, 4);
    ck_assert_msg(memcmp(memory - 4 * GUARD, pattern, 4 * GUARD) == 0,
                  "%s %s %s: wrote before arg %d", f->kernel, c->label, isa, arg);
    ck_assert_msg(memcmp(memory + bytes, pattern + bytes % 4, 4 * GUARD) == 0,
                  "%s %s %s: wrote past arg %d (%" PRId64 " bytes)", f->kernel, c->label, isa, arg,
                  bytes);
}

static int is_padding(const KernelArg *a, int64_t i)
{
    if (a->channels <= 0)
        return 0;
    return i / 16 / a->inner % ((a->channels + 15) / 16) * 16 + i % 16 >= a->channels;
}

static void *input_new(const KernelCase *c, const Form *f, int arg)
{
    const KernelArg *a = &c->args[arg];
    void *memory = guarded_new(arg_bytes(c, f, arg));
    const float low = a->low == a->high ? -1.0f : a->low;
    const float high = a->low == a->high ? 1.0f : a->high;
    for (int64_t i = 0; i < a->floats; i++) {
        const float v = a->data != NULL ? a->data[i]
                                        : low + (high - low) * (check_random() * 0.5f + 0.5f);
        element_put(f, arg, memory, i, is_padding(a, i) ? NAN : v);
    }
    return memory;
}

static void blocks_run(TsrKernelFn fn, void *const *args, const void *params, uint32_t blocks)
{
    for (uint32_t b = blocks; b-- > 0;)
        fn(args, params, b, blocks);
}

static TsrKernelFn ref_find(const char *kernel)
{
    uint32_t count;
    const TsrKernelRow *rows = tsr_kernel_rows(&count);
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].isa == TSR_ISA_REF && strcmp(rows[i].name, kernel) == 0)
            return rows[i].fn;
    ck_abort_msg("no reference row for %s", kernel);
    return NULL;
}

void kernel_run_ref(const char *kernel, void *const *args, const void *params)
{
    ref_find(kernel)(args, params, 0, 1);
}

/* What one rounding may differ by, relative to the result. */
static double rounding(const Form *f, int arg)
{
    return !(f->narrow >> arg & 1) ? 0.0 : f->dtype == TSR_DTYPE_FLOAT16 ? 0x1p-10 : 0x1p-7;
}

/* Infinity of float16 as the number after its largest, next to which sums may end. */
static double finite_of(const Form *f, float v)
{
    return f->dtype == TSR_DTYPE_FLOAT16 && isinf(v) ? copysign(65536.0, (double)v) : (double)v;
}

static void outputs_compare(const KernelCase *c, const Form *f, const char *isa, uint32_t blocks,
                            int arg, const void *got, const void *want)
{
    const KernelArg *a = &c->args[arg];
    /* Movements and maxima are exact in every type. */
    const double relative = c->tolerance > 0.0 || strncmp(c->kernel, "pack", 4) == 0
                                ? c->tolerance + rounding(f, arg) : 0.0;
    const double absolute = c->tolerance + (f->narrow != 0 && relative > 0.0 ? 0x1p-24 : 0.0);
    for (int64_t i = 0; i < a->floats; i++) {
        const float g = element_get(f, arg, got, i), w = element_get(f, arg, want, i);
        if (is_padding(a, i) || memcmp(&g, &w, 4) == 0)
            continue;
        if (isnan(g) && isnan(w) && (c->tolerance > 0.0 || f->narrow != 0))
            continue;
        const double error = fabs(finite_of(f, g) - finite_of(f, w));
        ck_assert_msg(error <= fmax(absolute, relative * fabs(finite_of(f, w))),
                      "%s %s %s, %u blocks: arg %d [%" PRId64 "] is %.9g, reference %.9g",
                      f->kernel, c->label, isa, blocks, arg, i, (double)g, (double)w);
    }
}

static void form_check(const KernelCase *c, const Form *f)
{
    static const uint32_t block_counts[] = { 1, 2, 5 };
    void *memory[MAX_ARGS] = { NULL }, *want[MAX_ARGS] = { NULL };
    void *args[MAX_ARGS] = { NULL };
    uint32_t count;
    const TsrKernelRow *rows = tsr_kernel_rows(&count);
    for (int i = 0; i < c->arg_count; i++) {
        if (c->args[i].kind == ARG_INPUT)
            memory[i] = input_new(c, f, i);
        else if (c->args[i].kind != ARG_NULL)
            memory[i] = guarded_new(arg_bytes(c, f, i));
        if (c->args[i].kind == ARG_OUTPUT)
            want[i] = memory[i];
        args[i] = memory[i];
    }
    ref_find(f->kernel)(args, c->params, 0, 1);
    for (uint32_t r = 0; r < count; r++) {
        if (strcmp(rows[r].name, f->kernel) != 0 || !tsr_kernel_isa_usable(rows[r].isa))
            continue;
        const char *isa = tsr_kernel_isa_name(rows[r].isa);
        for (size_t b = 0; b < sizeof(block_counts) / sizeof(block_counts[0]); b++) {
            for (int i = 0; i < c->arg_count; i++) {
                if (c->args[i].kind == ARG_WORKSPACE) {
                    guarded_free(memory[i]);
                    memory[i] = guarded_new(arg_bytes(c, f, i) * block_counts[b]);
                } else if (c->args[i].kind == ARG_OUTPUT) {
                    memory[i] = guarded_new(arg_bytes(c, f, i));
                }
                args[i] = memory[i];
            }
            blocks_run(rows[r].fn, args, c->params, block_counts[b]);
            for (int i = 0; i < c->arg_count; i++) {
                if (c->args[i].kind == ARG_WORKSPACE)
                    guarded_check(c, f, isa, i, memory[i], arg_bytes(c, f, i) * block_counts[b]);
                if (c->args[i].kind != ARG_OUTPUT)
                    continue;
                guarded_check(c, f, isa, i, memory[i], arg_bytes(c, f, i));
                outputs_compare(c, f, isa, block_counts[b], i, memory[i], want[i]);
                guarded_free(memory[i]);
                memory[i] = NULL;
            }
        }
    }
    for (int i = 0; i < c->arg_count; i++) {
        guarded_free(memory[i]);
        guarded_free(want[i]);
    }
}

void kernel_case_check(const KernelCase *c)
{
    Form f;
    for (int form = 0; form < 3; form++)
        if (form_of(c, form, &f))
            form_check(c, &f);
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int double_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void form_bench(const KernelCase *c, const Form *f, double *f32)
{
    enum { RUNS = 15 };
    void *args[MAX_ARGS] = { NULL };
    uint32_t count;
    double ref = 0.0;
    const TsrKernelRow *rows = tsr_kernel_rows(&count);
    for (int i = 0; i < c->arg_count; i++)
        if (c->args[i].kind != ARG_NULL)
            args[i] = c->args[i].kind == ARG_INPUT ? input_new(c, f, i)
                                                   : guarded_new(arg_bytes(c, f, i));
    for (uint32_t r = count; r-- > 0;) {
        double times[RUNS], median;
        int runs = rows[r].isa == TSR_ISA_REF ? 1 : RUNS;
        if (strcmp(rows[r].name, f->kernel) != 0 || !tsr_kernel_isa_usable(rows[r].isa))
            continue;
        if (rows[r].isa == TSR_ISA_REF && (c->flop > 5e7 || f->narrow != 0))
            continue;
        for (int i = 0; i < runs; i++) {
            const double start = seconds_now();
            rows[r].fn(args, c->params, 0, 1);
            times[i] = seconds_now() - start;
        }
        qsort(times, (size_t)runs, sizeof(times[0]), double_compare);
        median = times[runs / 2];
        if (rows[r].isa == TSR_ISA_REF)
            ref = median;
        printf("%-22s %-34s %-7s %12.0f ns", f->kernel, c->label,
               tsr_kernel_isa_name(rows[r].isa), median * 1e9);
        if (c->flop > 0.0)
            printf(" %8.2f GFLOP/s", c->flop / median * 1e-9);
        if (c->bytes > 0.0)
            printf(" %8.2f GB/s", c->bytes / median * 1e-9);
        if (ref > 0.0)
            printf(" %8.1fx", ref / median);
        if (f->narrow != 0)
            printf(" %8.2f of the time of f32", median / f32[rows[r].isa]);
        else
            f32[rows[r].isa] = median;
        printf("\n");
    }
    for (int i = 0; i < c->arg_count; i++)
        guarded_free(args[i]);
}

void kernel_case_bench(const KernelCase *c)
{
    double f32[TSR_ISA_COUNT] = { 0.0 };
    Form f;
    for (int form = 0; form < 3; form++)
        if (form_of(c, form, &f))
            form_bench(c, &f, f32);
}

int kernel_test_main(int argc, char **argv, const char *name, void (*add)(struct TCase *),
                     void (*bench)(void))
{
    if (argc == 2 && bench != NULL && strcmp(argv[1], "--bench") == 0) {
        printf("compiler %s\n", __VERSION__);
        bench();
        return 0;
    }
    TCase *tests = tcase_create(name);
    add((struct TCase *)tests);
    tcase_set_timeout(tests, 120);
    return check_main(name, tests);
}
