/* SPDX-License-Identifier: Apache-2.0
 *
 * utf8.c: decoding, encoding and case mapping. The table has the ranges of the Unicode
 * character database in which upper and lower case differ by a constant, or alternate.
 */
#include "utf8.h"

uint32_t aicpu_utf8_next(const char **at, const char *end)
{
    const unsigned char *p = (const unsigned char *)*at;
    ptrdiff_t room = end - *at;
    int extra = p[0] >= 0xf0 && p[0] < 0xf8 ? 3 : p[0] >= 0xe0 ? 2 : p[0] >= 0xc0 ? 1 : 0;
    static const uint32_t least[4] = {0, 0x80, 0x800, 0x10000};
    uint32_t code = extra == 0 ? p[0] : p[0] & (0x3fu >> extra);
    *at += 1;
    if (p[0] < 0x80)
        return code;
    if (extra == 0 || p[0] >= 0xf8 || room <= extra)
        return 0xfffd;
    for (int i = 1; i <= extra; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0xfffd;
        code = code << 6 | (p[i] & 0x3fu);
    }
    if (code < least[extra] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return 0xfffd;
    *at += extra;
    return code;
}

size_t aicpu_utf8_put(uint32_t code, char *out)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

/* Upper-case letters of a range. step 2: every other code point, the lower case follows. */
typedef struct CaseRange {
    uint32_t first, last, delta, step;
} CaseRange;

static const CaseRange ranges[] = {
    {0x41, 0x5a, 32, 1},      {0xc0, 0xd6, 32, 1},      {0xd8, 0xde, 32, 1},
    {0x100, 0x12e, 1, 2},     {0x132, 0x136, 1, 2},     {0x139, 0x147, 1, 2},
    {0x14a, 0x176, 1, 2},     {0x179, 0x17d, 1, 2},     {0x386, 0x386, 38, 1},
    {0x388, 0x38a, 37, 1},    {0x38c, 0x38c, 64, 1},    {0x38e, 0x38f, 63, 1},
    {0x391, 0x3a1, 32, 1},    {0x3a3, 0x3ab, 32, 1},    {0x400, 0x40f, 80, 1},
    {0x410, 0x42f, 32, 1},    {0x460, 0x480, 1, 2},     {0x48a, 0x4be, 1, 2},
    {0x4d0, 0x52e, 1, 2},     {0x531, 0x556, 48, 1},    {0x1e00, 0x1e94, 1, 2},
    {0x1ea0, 0x1efe, 1, 2},   {0xff21, 0xff3a, 32, 1},
};

enum { RANGES = sizeof(ranges) / sizeof(ranges[0]) };

uint32_t aicpu_utf8_lower(uint32_t code)
{
    if (code == 0x178)
        return 0xff;
    for (int i = 0; i < RANGES; i++)
        if (code >= ranges[i].first && code <= ranges[i].last &&
            (code - ranges[i].first) % ranges[i].step == 0)
            return code + ranges[i].delta;
    return code;
}

uint32_t aicpu_utf8_upper(uint32_t code)
{
    if (code == 0xff)
        return 0x178;
    for (int i = 0; i < RANGES; i++) {
        uint32_t first = ranges[i].first + ranges[i].delta, last = ranges[i].last + ranges[i].delta;
        if (code >= first && code <= last && (code - first) % ranges[i].step == 0)
            return code - ranges[i].delta;
    }
    return code;
}

int aicpu_utf8_is_space(uint32_t code)
{
    return code == 0x20 || (code >= 0x09 && code <= 0x0d) || (code >= 0x1c && code <= 0x1f) ||
           code == 0x85 || code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) ||
           code == 0x2028 || code == 0x2029 || code == 0x202f || code == 0x205f ||
           code == 0x3000;
}
