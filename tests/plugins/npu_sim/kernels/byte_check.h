/* SPDX-License-Identifier: Apache-2.0
 *
 * byte_check.h: what kernel_check.h does, for arguments in bytes: every implementation of a
 * kernel gives the bits of its `_ref` and stays within its memory.
 */
#ifndef TSR_BYTE_CHECK_H
#define TSR_BYTE_CHECK_H

#include <stdint.h>

#include "kernel_check.h"

enum { FILL_RANDOM = 0, FILL_EXTREME = 1 };

/* An argument in bytes: an input to read, an output, a workspace per block, or NULL. */
typedef struct Arg {
    int kind;
    int64_t bytes;
    const void *data;
} Arg;

/* Ends the program when there is no memory; benchmarks run outside of any test. */
void need(void *memory);
uint8_t random_byte(int fill);
void *bytes_new(int64_t count, int fill);

/* Every row of the kernel against `_ref`, in several block counts. */
void check_rows(const char *kernel, const char *label, const void *params, const Arg *args,
                int count);

#endif
