/* SPDX-License-Identifier: Apache-2.0
 *
 * regex.c: recursive descent over the pattern into relative code, so that a repeated part
 * is a copy of its steps; then a simulation of all threads at once. Syntax: the RE2 page
 * but for Unicode classes (\p).
 */
#include "regex.h"
#include "utf8.h"
#include <string.h>

enum { CHAR, ANY, SET, SPLIT, JUMP, BEGIN, END, WORD, NOT_WORD, MATCH };
enum { FOLD = 1, DOT_ALL = 2, MULTI = 4, NEGATED = 8 };
enum { MAX_DEPTH = 200, MAX_REPEAT = 1000 };

typedef struct Parser {
    AicpuRegex *re;
    const char *at, *end;
    uint8_t flags;
    int depth;
} Parser;

static int bad(Parser *p, const char *error)
{
    if (p->re->error == NULL)
        p->re->error = error;
    return 0;
}

static int emit(Parser *p, uint8_t op, int32_t x, int32_t y)
{
    AicpuRegexStep step = {op, p->flags & (FOLD | DOT_ALL | MULTI), x, y};
    if (p->re->count >= AICPU_REGEX_CODE - 1)
        return bad(p, "is too large");
    p->re->code[p->re->count++] = step;
    return 1;
}

/* Makes room for one step in front of the part that begins at first. */
static int insert(Parser *p, uint32_t first, uint8_t op, int32_t x, int32_t y)
{
    AicpuRegexStep *code = p->re->code;
    if (!emit(p, op, x, y))
        return 0;
    memmove(code + first + 1, code + first, (p->re->count - 1 - first) * sizeof(*code));
    code[first] = (AicpuRegexStep){op, 0, x, y};
    return 1;
}

static int add_range(Parser *p, uint32_t low, uint32_t high)
{
    if (p->re->range_count >= AICPU_REGEX_RANGES)
        return bad(p, "has too many classes");
    p->re->range[p->re->range_count][0] = low;
    p->re->range[p->re->range_count++][1] = high;
    return 1;
}

/* The ranges of \d, \w, \s; their complements for capital letters. 0: none of them. */
static int add_class(Parser *p, char name)
{
    static const uint32_t digit[][2] = {{'0', '9'}}, space[][2] = {{9, 10}, {12, 13}, {32, 32}};
    static const uint32_t word[][2] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
    char small = (char)(name | 0x20);
    const uint32_t(*set)[2] = small == 'd' ? digit : small == 's' ? space : word;
    int count = small == 'd' ? 1 : small == 's' ? 3 : 4;
    uint32_t next = 0;
    if (small != 'd' && small != 's' && small != 'w')
        return 0;
    for (int i = 0; i < count; i++) {
        if (name == small ? !add_range(p, set[i][0], set[i][1])
                          : !add_range(p, next, set[i][0] - 1))
            return 1;
        next = set[i][1] + 1;
    }
    if (name != small)
        add_range(p, next, 0x10ffff);
    return 1;
}

/* The character that follows a backslash, when it stands for one. */
static int escaped(Parser *p, uint32_t *out)
{
    static const char from[] = "nrtfva", to[] = "\n\r\t\f\v\a";
    const char *found;
    uint32_t code;
    if (p->at >= p->end)
        return bad(p, "ends in a backslash");
    code = aicpu_utf8_next(&p->at, p->end);
    if (code == 'x') {
        int braces = p->at < p->end && *p->at == '{', digits = 0;
        p->at += braces;
        code = 0;
        while (p->at < p->end && digits < (braces ? 6 : 2)) {
            char c = *p->at, small = (char)(c | 0x20);
            if (c >= '0' && c <= '9')
                code = code * 16 + (uint32_t)(c - '0');
            else if (small >= 'a' && small <= 'f')
                code = code * 16 + (uint32_t)(small - 'a' + 10);
            else
                break;
            p->at++;
            digits++;
        }
        if (digits == 0 || (braces && (p->at >= p->end || *p->at++ != '}')))
            return bad(p, "has an incomplete \\x");
        *out = code;
        return 1;
    }
    found = code < 128 ? memchr(from, (int)code, sizeof(from) - 1) : NULL;
    if (found != NULL)
        code = (uint32_t)to[found - from];
    else if ((code >= '0' && code <= '9') || (code < 128 && ((code | 0x20) >= 'a') &&
                                              ((code | 0x20) <= 'z')))
        return bad(p, "has an escape that is not supported");
    *out = code;
    return 1;
}

/* [:name:] within a class. */
static int posix_class(Parser *p)
{
    static const struct {
        const char *name;
        uint32_t ranges[4][2];
    } classes[] = {
        {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}}, {"alpha", {{'A', 'Z'}, {'a', 'z'}}},
        {"ascii", {{1, 127}}}, {"blank", {{9, 9}, {32, 32}}}, {"cntrl", {{1, 31}, {127, 127}}},
        {"digit", {{'0', '9'}}}, {"graph", {{33, 126}}}, {"lower", {{'a', 'z'}}},
        {"print", {{32, 126}}}, {"punct", {{33, 47}, {58, 64}, {91, 96}, {123, 126}}},
        {"space", {{9, 13}, {32, 32}}}, {"upper", {{'A', 'Z'}}},
        {"word", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}},
        {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
    };
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        size_t n = strlen(classes[i].name);
        if ((size_t)(p->end - p->at) < n + 4 || memcmp(p->at + 2, classes[i].name, n) != 0 ||
            memcmp(p->at + 2 + n, ":]", 2) != 0)
            continue;
        p->at += n + 4;
        for (int k = 0; k < 4 && classes[i].ranges[k][1] != 0; k++)
            if (!add_range(p, classes[i].ranges[k][0], classes[i].ranges[k][1]))
                return 0;
        return 1;
    }
    return bad(p, "names an unknown class");
}

static int parse_set(Parser *p)
{
    uint32_t first = p->re->range_count;
    int negated = p->at < p->end && *p->at == '^', any = 0;
    p->at += negated;
    for (; p->at < p->end && (*p->at != ']' || !any); any = 1) {
        uint32_t low, high;
        if (p->end - p->at > 1 && p->at[0] == '[' && p->at[1] == ':') {
            if (!posix_class(p))
                return 0;
            continue;
        }
        if (*p->at == '\\' && p->end - p->at > 1 && add_class(p, p->at[1])) {
            p->at += 2;
            continue;
        }
        if (*p->at == '\\') {
            p->at++;
            if (!escaped(p, &low))
                return 0;
        } else {
            low = aicpu_utf8_next(&p->at, p->end);
        }
        high = low;
        if (p->end - p->at > 1 && p->at[0] == '-' && p->at[1] != ']') {
            p->at++;
            if (*p->at == '\\') {
                p->at++;
                if (!escaped(p, &high))
                    return 0;
            } else {
                high = aicpu_utf8_next(&p->at, p->end);
            }
        }
        if (high < low)
            return bad(p, "has a range that runs backwards");
        if (!add_range(p, low, high))
            return 0;
    }
    if (p->at >= p->end)
        return bad(p, "has a class without ']'");
    p->at++;
    if (!emit(p, SET, (int32_t)first, (int32_t)(p->re->range_count - first)))
        return 0;
    if (negated)
        p->re->code[p->re->count - 1].flags |= NEGATED;
    return 1;
}

static int parse_choice(Parser *p);

/* What follows '(': a group, or flags such as (?i) or (?i:...). */
static int parse_group(Parser *p)
{
    uint8_t before = p->flags;
    if (++p->depth > MAX_DEPTH)
        return bad(p, "nests too deep");
    if (p->end - p->at > 1 && p->at[0] == '?') {
        int off = 0;
        p->at++;
        if (*p->at == 'P' || *p->at == '<') { /* a name, which nobody asks for */
            while (p->at < p->end && *p->at != '>')
                p->at++;
            if (p->at >= p->end)
                return bad(p, "has a group name without '>'");
            p->at++;
        } else {
            for (; p->at < p->end && *p->at != ':' && *p->at != ')'; p->at++) {
                uint8_t flag = *p->at == 'i' ? FOLD : *p->at == 's' ? DOT_ALL
                               : *p->at == 'm'                      ? MULTI : 0;
                if (*p->at == '-')
                    off = 1;
                else if (flag == 0 && *p->at != 'U')
                    return bad(p, "has an unknown group flag");
                else
                    p->flags = (uint8_t)(off ? p->flags & ~flag : p->flags | flag);
            }
            if (p->at < p->end && *p->at == ')') { /* holds for the rest of this group */
                p->at++;
                p->depth--;
                return 1;
            }
            p->at++;
        }
    }
    if (!parse_choice(p))
        return 0;
    if (p->at >= p->end || *p->at++ != ')')
        return bad(p, "lacks a ')'");
    p->flags = before;
    p->depth--;
    return 1;
}

static int parse_atom(Parser *p)
{
    uint32_t code, first = p->re->range_count;
    switch (*p->at) {
    case '(': p->at++; return parse_group(p);
    case '[': p->at++; return parse_set(p);
    case '.': p->at++; return emit(p, ANY, 0, 0);
    case '^': p->at++; return emit(p, BEGIN, 0, 0);
    case '$': p->at++; return emit(p, END, 0, 0);
    case '*':
    case '+':
    case '?': return bad(p, "repeats nothing");
    case '\\':
        p->at++;
        if (p->at < p->end && add_class(p, *p->at)) {
            p->at++;
            return emit(p, SET, (int32_t)first, (int32_t)(p->re->range_count - first));
        }
        if (p->at < p->end && strchr("bBAz", *p->at) != NULL && *p->at != '\0') {
            char c = *p->at++;
            uint8_t flags = p->flags;
            int done;
            p->flags &= (uint8_t)~MULTI;
            done = emit(p, c == 'b' ? WORD : c == 'B' ? NOT_WORD : c == 'A' ? BEGIN : END, 0, 0);
            p->flags = flags;
            return done;
        }
        return escaped(p, &code) && emit(p, CHAR, (int32_t)code, 0);
    default:
        code = aicpu_utf8_next(&p->at, p->end);
        return emit(p, CHAR, (int32_t)code, 0);
    }
}

/* Reads {m}, {m,} or {m,n}; 0 when the brace is an ordinary character. */
static int read_counts(Parser *p, int *low, int *high)
{
    const char *q = p->at + 1;
    int value[2] = {-1, -1}, k = 0;
    for (; q < p->end && *q != '}'; q++) {
        if (*q == ',' && k == 0)
            k = 1;
        else if (*q >= '0' && *q <= '9' && value[k] < MAX_REPEAT * 10)
            value[k] = (value[k] < 0 ? 0 : value[k] * 10) + (*q - '0');
        else
            return 0;
    }
    if (q >= p->end || value[0] < 0)
        return 0;
    *low = value[0];
    *high = k == 0 ? value[0] : value[1];
    p->at = q + 1;
    return 1;
}

/* Repeats the part that begins at first low to high times (-1: without end). */
static int repeat(Parser *p, uint32_t first, int low, int high)
{
    AicpuRegexStep *code = p->re->code;
    uint32_t size = p->re->count - first, part = first;
    if (low > MAX_REPEAT || high > MAX_REPEAT || (high >= 0 && high < low))
        return bad(p, "has a repetition count out of range");
    if (high == 0) {
        p->re->count = first;
        return 1;
    }
    /* low copies, the last of which may loop; or optional ones up to high. */
    for (int i = 1; i < (low > 1 ? low : 1); i++) {
        if (p->re->count + size >= AICPU_REGEX_CODE - 1)
            return bad(p, "is too large");
        memcpy(code + p->re->count, code + part, size * sizeof(*code));
        part = p->re->count;
        p->re->count += size;
    }
    if (high < 0 && low > 0)
        return emit(p, SPLIT, -(int32_t)size, 1);
    if (high < 0)
        return insert(p, part, SPLIT, 1, (int32_t)size + 2) &&
               emit(p, JUMP, -(int32_t)size - 1, 0);
    if (low == 0 && !insert(p, part, SPLIT, 1, (int32_t)size + 1))
        return 0;
    part += low == 0;
    for (int i = low > 1 ? low : 1; i < high; i++) {
        if (p->re->count + size + 1 >= AICPU_REGEX_CODE - 1)
            return bad(p, "is too large");
        emit(p, SPLIT, 1, (int32_t)size + 1);
        memcpy(code + p->re->count, code + part, size * sizeof(*code));
        p->re->count += size;
    }
    return 1;
}

static int parse_sequence(Parser *p)
{
    while (p->at < p->end && *p->at != '|' && *p->at != ')') {
        uint32_t first = p->re->count;
        int low, high;
        if (p->end - p->at > 1 && p->at[0] == '\\' && p->at[1] == 'Q') {
            for (p->at += 2; p->at < p->end; )
                if (p->end - p->at > 1 && p->at[0] == '\\' && p->at[1] == 'E') {
                    p->at += 2;
                    break;
                } else if (!emit(p, CHAR, (int32_t)aicpu_utf8_next(&p->at, p->end), 0)) {
                    return 0;
                }
            continue;
        }
        if (!parse_atom(p))
            return 0;
        while (p->at < p->end) {
            if (*p->at == '*' || *p->at == '+' || *p->at == '?') {
                low = *p->at == '+';
                high = *p->at++ == '?' ? 1 : -1;
            } else if (*p->at != '{' || !read_counts(p, &low, &high)) {
                break;
            }
            if (p->at < p->end && *p->at == '?')
                p->at++; /* fewest first is the same set of texts */
            if (p->re->count > first && !repeat(p, first, low, high))
                return 0;
        }
    }
    return 1;
}

static int parse_choice(Parser *p)
{
    uint32_t first = p->re->count;
    if (!parse_sequence(p))
        return 0;
    while (p->at < p->end && *p->at == '|') {
        uint32_t jump;
        p->at++;
        if (!insert(p, first, SPLIT, 1, (int32_t)(p->re->count - first) + 2) ||
            !emit(p, JUMP, 0, 0))
            return 0;
        jump = p->re->count - 1;
        if (!parse_sequence(p))
            return 0;
        p->re->code[jump].x = (int32_t)(p->re->count - jump);
    }
    return 1;
}

int aicpu_regex_compile(AicpuRegex *regex, const char *pattern, size_t size)
{
    Parser p = {regex, pattern, pattern + size, 0, 0};
    regex->count = regex->range_count = 0;
    regex->error = NULL;
    if (!parse_choice(&p))
        return 0;
    if (p.at != p.end)
        return bad(&p, "has a ')' too many");
    regex->code[regex->count++] = (AicpuRegexStep){MATCH, 0, 0, 0};
    memset(regex->mark, 0, sizeof(regex->mark));
    regex->epoch = 0;
    return 1;
}

static int is_word(uint32_t code)
{
    return (code >= '0' && code <= '9') || (code >= 'A' && code <= 'Z') || code == '_' ||
           (code >= 'a' && code <= 'z');
}

/* Follows the steps that read nothing; before and after are the characters around, or
 * UINT32_MAX at the ends. */
static void add_thread(AicpuRegex *re, int list, uint32_t pc, uint32_t before, uint32_t after)
{
    uint32_t depth = 0;
    re->stack[depth++] = pc;
    while (depth > 0) {
        const AicpuRegexStep *step = &re->code[pc = re->stack[--depth]];
        int go;
        if (re->mark[pc] == re->epoch)
            continue;
        re->mark[pc] = re->epoch;
        switch (step->op) {
        case JUMP: re->stack[depth++] = pc + (uint32_t)step->x; break;
        case SPLIT:
            re->stack[depth++] = pc + (uint32_t)step->y;
            re->stack[depth++] = pc + (uint32_t)step->x;
            break;
        case BEGIN:
        case END:
        case WORD:
        case NOT_WORD:
            if (step->op == BEGIN || step->op == END) {
                uint32_t side = step->op == BEGIN ? before : after;
                go = side == UINT32_MAX || ((step->flags & MULTI) && side == '\n');
            } else {
                go = (is_word(before) != is_word(after)) == (step->op == WORD);
            }
            if (go)
                re->stack[depth++] = pc + 1;
            break;
        default: re->list[list][re->used[list]++] = pc;
        }
    }
}

static int reads(const AicpuRegex *re, const AicpuRegexStep *step, uint32_t code)
{
    uint32_t variant[3] = {code, aicpu_utf8_lower(code), aicpu_utf8_upper(code)};
    int variants = step->flags & FOLD ? 3 : 1, found = 0;
    if (step->op == ANY)
        return code != '\n' || (step->flags & DOT_ALL);
    if (step->op == CHAR) {
        for (int i = 0; i < variants; i++)
            found |= variant[i] == (uint32_t)step->x;
        return found;
    }
    for (int k = step->x; step->op == SET && k < step->x + step->y; k++)
        for (int i = 0; i < variants; i++)
            found |= variant[i] >= re->range[k][0] && variant[i] <= re->range[k][1];
    return step->op == SET && found == !(step->flags & NEGATED);
}

int aicpu_regex_matches(AicpuRegex *regex, const char *text, size_t size)
{
    const char *at = text, *end = text + size, *peek = at;
    uint32_t code, after = peek < end ? aicpu_utf8_next(&peek, end) : UINT32_MAX;
    int now = 0;
    regex->used[0] = 0;
    regex->epoch++;
    add_thread(regex, 0, 0, UINT32_MAX, after);
    while (at < end) {
        code = after;
        at = peek;
        after = peek < end ? aicpu_utf8_next(&peek, end) : UINT32_MAX;
        regex->used[!now] = 0;
        regex->epoch++;
        for (uint32_t i = 0; i < regex->used[now]; i++) {
            uint32_t pc = regex->list[now][i];
            if (regex->code[pc].op != MATCH && reads(regex, &regex->code[pc], code))
                add_thread(regex, !now, pc + 1, code, after);
        }
        now = !now;
    }
    for (uint32_t i = 0; i < regex->used[now]; i++)
        if (regex->code[regex->list[now][i]].op == MATCH)
            return 1;
    return 0;
}
