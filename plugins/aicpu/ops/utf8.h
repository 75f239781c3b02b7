/* SPDX-License-Identifier: Apache-2.0
 *
 * utf8.h: code points of UTF-8 text and their simple case mapping, without the locale of
 * the machine. Used by the string operators.
 */
#ifndef AICPU_OPS_UTF8_H
#define AICPU_OPS_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Reads the code point at *at and moves on; a byte that begins none counts as U+FFFD. */
uint32_t aicpu_utf8_next(const char **at, const char *end);
/* Writes a code point (at most 4 bytes) and returns how many. */
size_t aicpu_utf8_put(uint32_t code, char *out);
/* Simple (one to one) mappings for Latin, Greek, Cyrillic and Armenian letters. */
uint32_t aicpu_utf8_lower(uint32_t code);
uint32_t aicpu_utf8_upper(uint32_t code);
/* White space: what separates words (Unicode White_Space and U+001C to U+001F). */
int aicpu_utf8_is_space(uint32_t code);

#endif
