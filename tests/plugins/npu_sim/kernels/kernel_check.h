/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel_check.h: runs every implementation of a kernel against its `_ref` on the same
 * seeded random inputs, and times them. A new row of the kernel table is covered without a
 * new test, and so are the narrow forms of a kernel. The seed is printed and can be set by
 * TSR_TEST_SEED.
 */
#ifndef TSR_KERNEL_CHECK_H
#define TSR_KERNEL_CHECK_H

#include <tessera/device_kernels.h>

enum { ARG_NULL = 0, ARG_INPUT, ARG_OUTPUT, ARG_WORKSPACE };

/* One argument of a kernel. Blocked tensors (channels > 0) have `inner` pixels per
 * channel block; their padding lanes are NaN in inputs and ignored in outputs. */
typedef struct KernelArg {
    int kind;
    int64_t floats;   /* workspace: per block */
    int64_t channels, inner;
    const float *data; /* of an input; random in [-1, 1] where NULL */
    float low, high;  /* range of random values; both 0 means [-1, 1] */
} KernelArg;

typedef struct KernelCase {
    const char *kernel;
    const char *label;
    const void *params;
    const KernelArg *args;
    int arg_count;
    double tolerance; /* |got - want| <= tolerance * max(1, |want|); 0: bit for bit */
    double flop;      /* of one run, for --bench */
    double bytes;
} KernelCase;

/* Fails the running Check test with a message that names the case, the row and the
 * element where a row differs from `_ref` or writes outside its memory. */
void kernel_case_check(const KernelCase *c);

/* Prints median time, rate and speed-up over `_ref` (which is timed once and only when
 * it is short) of every usable row. */
void kernel_case_bench(const KernelCase *c);

/* Runs one implementation on one block; for tests of `_ref` by hand vectors. */
void kernel_run_ref(const char *kernel, void *const *args, const void *params);

/* A random number of [-1, 1]; the sequence follows from the seed. */
float check_random(void);

/* Runs the suite that `add` makes, or `bench` when the only argument is --bench.
 * Returns the exit status of main. */
struct TCase;
int kernel_test_main(int argc, char **argv, const char *name, void (*add)(struct TCase *),
                     void (*bench)(void));

#endif
