/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel_check.c: see kernel_check.h. Every output and workspace lies between guard
 * zones, blocks run in reverse order and in several counts.
 */
#include "kernel_check.h"
#include "kernel_table.h"
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

static float *guarded_new(int64_t floats)
{
    const int64_t all = (floats + 2 * GUARD + 15) / 16 * 16;
    uint32_t *memory = aligned_alloc(64, (size_t)all * 4);
    const uint32_t guard = GUARD_BITS;
    /* Not a Check assertion, since the benchmark runs outside of any test. */
    if (memory == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    for (int64_t i = 0; i < all; i++)
        memcpy(memory + i, &guard, 4);
    return (float *)memory + GUARD;
}

static void guarded_free(float *memory)
{
    if (memory != NULL)
        free(memory - GUARD);
}

static void guarded_check(const KernelCase *c, const char *isa, int arg, const float *memory,
                          int64_t floats)
{
    const uint32_t guard = GUARD_BITS;
    for (int64_t i = 0; i < GUARD; i++) {
        ck_assert_msg(memcmp(memory - 1 - i, &guard, 4) == 0, "%s %s %s: wrote before arg %d",
                      c->kernel, c->label, isa, arg);
        ck_assert_msg(memcmp(memory + floats + i, &guard, 4) == 0,
                      "%s %s %s: wrote past arg %d (%" PRId64 " floats)", c->kernel, c->label, isa,
                      arg, floats);
    }
}

static int is_padding(const KernelArg *a, int64_t i)
{
    if (a->channels <= 0)
        return 0;
    return i / 16 / a->inner % ((a->channels + 15) / 16) * 16 + i % 16 >= a->channels;
}

static float *input_new(const KernelArg *a)
{
    float *memory = guarded_new(a->floats);
    const float low = a->low == a->high ? -1.0f : a->low;
    const float high = a->low == a->high ? 1.0f : a->high;
    for (int64_t i = 0; i < a->floats; i++) {
        if (a->data != NULL)
            memory[i] = a->data[i];
        else
            memory[i] = low + (high - low) * (check_random() * 0.5f + 0.5f);
        if (is_padding(a, i))
            memory[i] = NAN;
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

static void outputs_compare(const KernelCase *c, const char *isa, uint32_t blocks, int arg,
                            const float *got, const float *want)
{
    const KernelArg *a = &c->args[arg];
    for (int64_t i = 0; i < a->floats; i++) {
        if (is_padding(a, i) || memcmp(got + i, want + i, 4) == 0)
            continue;
        if (isnan(got[i]) && isnan(want[i]) && c->tolerance > 0.0)
            continue;
        const double error = fabs((double)got[i] - (double)want[i]);
        ck_assert_msg(error <= c->tolerance * fmax(1.0, fabs((double)want[i])),
                      "%s %s %s, %u blocks: arg %d [%" PRId64 "] is %.9g, reference %.9g",
                      c->kernel, c->label, isa, blocks, arg, i, (double)got[i],
                      (double)want[i]);
    }
}

void kernel_case_check(const KernelCase *c)
{
    static const uint32_t block_counts[] = { 1, 2, 5 };
    float *memory[MAX_ARGS] = { NULL }, *want[MAX_ARGS] = { NULL };
    void *args[MAX_ARGS] = { NULL };
    uint32_t count;
    const TsrKernelRow *rows = tsr_kernel_rows(&count);
    for (int i = 0; i < c->arg_count; i++) {
        if (c->args[i].kind == ARG_INPUT)
            memory[i] = input_new(&c->args[i]);
        else if (c->args[i].kind == ARG_WORKSPACE)
            memory[i] = guarded_new(c->args[i].floats);
        else if (c->args[i].kind == ARG_OUTPUT)
            memory[i] = want[i] = guarded_new(c->args[i].floats);
        args[i] = memory[i];
    }
    ref_find(c->kernel)(args, c->params, 0, 1);
    for (uint32_t r = 0; r < count; r++) {
        if (strcmp(rows[r].name, c->kernel) != 0 || !tsr_kernel_isa_usable(rows[r].isa))
            continue;
        const char *isa = tsr_kernel_isa_name(rows[r].isa);
        for (size_t b = 0; b < sizeof(block_counts) / sizeof(block_counts[0]); b++) {
            for (int i = 0; i < c->arg_count; i++) {
                if (c->args[i].kind == ARG_WORKSPACE) {
                    guarded_free(memory[i]);
                    memory[i] = guarded_new(c->args[i].floats * block_counts[b]);
                } else if (c->args[i].kind == ARG_OUTPUT) {
                    memory[i] = guarded_new(c->args[i].floats);
                }
                args[i] = memory[i];
            }
            blocks_run(rows[r].fn, args, c->params, block_counts[b]);
            for (int i = 0; i < c->arg_count; i++) {
                if (c->args[i].kind == ARG_WORKSPACE)
                    guarded_check(c, isa, i, memory[i], c->args[i].floats * block_counts[b]);
                if (c->args[i].kind != ARG_OUTPUT)
                    continue;
                guarded_check(c, isa, i, memory[i], c->args[i].floats);
                outputs_compare(c, isa, block_counts[b], i, memory[i], want[i]);
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

void kernel_case_bench(const KernelCase *c)
{
    enum { RUNS = 15 };
    void *args[MAX_ARGS] = { NULL };
    uint32_t count;
    double ref = 0.0;
    const TsrKernelRow *rows = tsr_kernel_rows(&count);
    for (int i = 0; i < c->arg_count; i++)
        if (c->args[i].kind != ARG_NULL)
            args[i] = c->args[i].kind == ARG_INPUT ? input_new(&c->args[i])
                                                   : guarded_new(c->args[i].floats);
    for (uint32_t r = count; r-- > 0;) {
        double times[RUNS], median;
        int runs = rows[r].isa == TSR_ISA_REF ? 1 : RUNS;
        if (strcmp(rows[r].name, c->kernel) != 0 || !tsr_kernel_isa_usable(rows[r].isa))
            continue;
        if (rows[r].isa == TSR_ISA_REF && c->flop > 5e7)
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
        printf("%-22s %-34s %-7s %12.0f ns", c->kernel, c->label,
               tsr_kernel_isa_name(rows[r].isa), median * 1e9);
        if (c->flop > 0.0)
            printf(" %8.2f GFLOP/s", c->flop / median * 1e-9);
        if (c->bytes > 0.0)
            printf(" %8.2f GB/s", c->bytes / median * 1e-9);
        if (ref > 0.0)
            printf(" %8.1fx", ref / median);
        printf("\n");
    }
    for (int i = 0; i < c->arg_count; i++)
        guarded_free(args[i]);
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
