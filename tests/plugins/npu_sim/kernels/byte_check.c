/* SPDX-License-Identifier: Apache-2.0
 *
 * byte_check.c: see byte_check.h.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "byte_check.h"
#include "kernel_table.h"

enum { GUARD = 64, MAX_ARGS = 8 };

/* Not a Check assertion, since the benchmark runs outside of any test. */
void need(void *memory)
{
    if (memory == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
}

uint8_t random_byte(int fill)
{
    const float r = check_random();
    return fill == FILL_EXTREME ? (r < 0.0f ? 255 : 127) : (uint8_t)(int)(r * 127.9f + 128.0f);
}

void *bytes_new(int64_t count, int fill)
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

void check_rows(const char *kernel, const char *label, const void *params, const Arg *args,
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
