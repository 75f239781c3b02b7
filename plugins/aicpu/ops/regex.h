/* SPDX-License-Identifier: Apache-2.0
 *
 * regex.h: a matcher for the regular expressions of RegexFullMatch (RE2 syntax). Its time
 * is proportional to text times pattern, whatever the pattern: it follows all threads of
 * the automaton at once (Thompson 1968) and never backtracks.
 */
#ifndef AICPU_OPS_REGEX_H
#define AICPU_OPS_REGEX_H

#include <stddef.h>
#include <stdint.h>

enum { AICPU_REGEX_CODE = 4096, AICPU_REGEX_RANGES = 2048 };

/* One step; x and y are relative places of the next ones, or a range of ranges. */
typedef struct AicpuRegexStep {
    uint8_t op;
    uint8_t flags;
    int32_t x, y;
} AicpuRegexStep;

typedef struct AicpuRegex {
    uint32_t count, range_count;
    AicpuRegexStep code[AICPU_REGEX_CODE];
    uint32_t range[AICPU_REGEX_RANGES][2];
    uint32_t list[2][AICPU_REGEX_CODE], used[2];  /* threads: this and the next character */
    uint32_t mark[AICPU_REGEX_CODE], stack[2 * AICPU_REGEX_CODE];
    uint32_t epoch;
    const char *error; /* what is wrong with the pattern */
} AicpuRegex;

/* Compiles a pattern; 0 with regex->error set when it is none or too large. */
int aicpu_regex_compile(AicpuRegex *regex, const char *pattern, size_t size);
/* Whether the whole text matches. */
int aicpu_regex_matches(AicpuRegex *regex, const char *text, size_t size);

#endif
