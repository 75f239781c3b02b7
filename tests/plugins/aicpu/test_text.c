/* SPDX-License-Identifier: Apache-2.0
 *
 * test_text.c: the string operators, and the regular expressions one construct at a time.
 */
#include "support/op_check.h"

enum { MAX_TEXTS = 16 };

static void in_strings(OpHarness *h, uint32_t rank, const int64_t *shape,
                       const char *const *texts)
{
    TsrString strings[MAX_TEXTS];
    int64_t count = tsr_shape_elements(rank, shape);
    for (int64_t i = 0; i < count; i++)
        strings[i] = (TsrString){texts[i], strlen(texts[i])};
    op_harness_input(h, TSR_DTYPE_STRING, rank, shape, strings);
}

static void want_strings(OpHarness *h, uint32_t index, const int64_t *shape, size_t rank,
                         const char *const *texts)
{
    const TsrString *got = op_harness_output(h, index)->data;
    want_shape(h, index, TSR_DTYPE_STRING, shape, rank);
    for (int64_t i = 0; i < tsr_shape_elements((uint32_t)rank, shape); i++)
        ck_assert_msg(got[i].size == strlen(texts[i]) &&
                          (got[i].size == 0 || memcmp(got[i].data, texts[i], got[i].size) == 0),
                      "string %lld is '%.*s', wanted '%s'", (long long)i, (int)got[i].size,
                      got[i].data, texts[i]);
}

#define TEXTS(...) (const char *const[]){__VA_ARGS__}

START_TEST(normalizer)
{
    OpHarness *h = op("StringNormalizer", 10);
    in_strings(h, 1, I64(3), TEXTS("Übel", "the", "ЁЖ"));
    op_harness_string(h, "case_change_action", "LOWER");
    op_harness_strings(h, "stopwords", 1, TEXTS("The"));
    runs(h);
    want_strings(h, 0, LIST(2), TEXTS("übel", "ёж"));
    op_harness_free(h);
    h = op("StringNormalizer", 10);
    in_strings(h, 2, I64(1, 1), TEXTS("the"));
    op_harness_strings(h, "stopwords", 1, TEXTS("the"));
    runs(h);
    want_strings(h, 0, LIST(1, 1), TEXTS(""));
    op_harness_free(h);
    h = op("StringNormalizer", 10);
    in_strings(h, 1, I64(1), TEXTS("çÿa"));
    op_harness_string(h, "case_change_action", "UPPER");
    op_harness_int(h, "is_case_sensitive", 1);
    runs(h);
    want_strings(h, 0, LIST(1), TEXTS("ÇŸA"));
    op_harness_free(h);
}
END_TEST

START_TEST(concat_and_split)
{
    OpHarness *h = op("StringConcat", 20);
    in_strings(h, 1, I64(2), TEXTS("a", ""));
    in_strings(h, 1, I64(1), TEXTS("z"));
    runs(h);
    want_strings(h, 0, LIST(2), TEXTS("az", "z"));
    op_harness_free(h);
    h = op("StringSplit", 20);
    in_strings(h, 1, I64(2), TEXTS("a,,b", "c"));
    op_harness_string(h, "delimiter", ",");
    op_harness_outputs(h, 2, 0);
    runs(h);
    want_strings(h, 0, LIST(2, 3), TEXTS("a", "", "b", "c", "", ""));
    want_i64(h, 1, I64(3, 1), LIST(2));
    op_harness_free(h);
    h = op("StringSplit", 20);
    in_strings(h, 1, I64(2), TEXTS("  a b\tc ", ""));
    op_harness_int(h, "maxsplit", 1);
    op_harness_outputs(h, 2, 0);
    runs(h);
    want_strings(h, 0, LIST(2, 2), TEXTS("a", "b\tc ", "", ""));
    want_i64(h, 1, I64(2, 0), LIST(2));
    op_harness_free(h);
}
END_TEST

/* yes and no are texts that the pattern must and must not match. */
static const struct {
    const char *pattern, *yes, *no;
} cases[] = {
    {"abc", "abc", "abcd"}, {"a|bc|d", "bc", "a|bc"}, {"a*", "", "b"}, {"(ab)+c?", "abab", "aba"},
    {"a{2,3}", "aaa", "a"}, {"a{2}", "aa", "aaa"}, {"a{2,}b", "aaaab", "ab"},
    {"[a-c^]+", "ab^", "d"}, {"[^a-c]", "d", "b"}, {"[]x]", "]", "y"}, {"\\d\\w\\s", "1_ ", "a_ "},
    {"\\D\\W\\S", "a-b", "1-b"}, {".", "ä", "\n"}, {"(?s).", "\n", ""}, {"(?i)äB", "Äb", "ab"},
    {"^a$", "a", "aa"}, {"a\\b.+", "a b", "ab "}, {"\\x41\\x{e4}", "Aä", "Aa"},
    {"[[:alpha:]_]+", "a_Z", "1"}, {"(a*)*b", "aab", "aac"}, {"a.*?b", "axb", "axc"},
    {"\\Qa.b\\E", "a.b", "axb"}, {"(?P<x>a)(?:b)", "ab", "a"}, {"()", "", "a"},
    {"(\\W|^)[\\w.\\-]{0,25}@(yahoo|gmail)\\.com(\\W|$)", "account@gmail.com", "x@y.com"},
};

START_TEST(regex)
{
    OpHarness *h;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const uint8_t *got;
        h = op("RegexFullMatch", 20);
        in_strings(h, 1, I64(2), TEXTS(cases[i].yes, cases[i].no));
        op_harness_string(h, "pattern", cases[i].pattern);
        runs(h);
        got = op_harness_output(h, 0)->data;
        ck_assert_msg(got[0] == 1 && got[1] == 0, "'%s' gives %d for '%s', %d for '%s'",
                      cases[i].pattern, got[0], cases[i].yes, got[1], cases[i].no);
        op_harness_free(h);
    }
    static const char *const wrong[] = {"(a", "a)", "[a", "*a", "a{3,2}", "\\p{L}", "[b-a]",
                                        "(?z)a", "a\\", "((((a{100}){100}){100}){100})"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        h = op("RegexFullMatch", 20);
        in_strings(h, 1, I64(1), TEXTS("a"));
        op_harness_string(h, "pattern", wrong[i]);
        fails(h, TSR_INVALID_ARGUMENT, "the pattern");
    }
}
END_TEST

/* Texts on the wrong side of a diagonal become empty. */
START_TEST(triangle)
{
    OpHarness *h = op("Trilu", 14);
    in_strings(h, 2, I64(2, 3), TEXTS("a", "b", "c", "d", "e", "f"));
    runs(h);
    want_strings(h, 0, LIST(2, 3), TEXTS("a", "b", "c", "", "e", "f"));
    op_harness_free(h);
    h = op("Trilu", 14);
    in_strings(h, 3, I64(2, 2, 1), TEXTS("a", "b", "c", "d"));
    op_harness_int(h, "upper", 0);
    runs(h);
    want_strings(h, 0, LIST(2, 2, 1), TEXTS("a", "b", "c", "d"));
    op_harness_free(h);
}
END_TEST

START_TEST(tfidf)
{
    static const char *const modes[3] = {"TF", "IDF", "TFIDF"};
    /* 1-grams 2 and 3, 2-gram (2, 3): seen twice, once, twice without skips */
    static const float want[3][3] = {{2, 2, 2}, {10, 20, 30}, {20, 40, 60}};
    for (int m = 0; m < 3; m++) {
        OpHarness *h = op("TfIdfVectorizer", 9);
        in_i64(h, I64(2, 3, 2, 3, 5), LIST(5));
        op_harness_string(h, "mode", modes[m]);
        op_harness_int(h, "min_gram_length", 1);
        op_harness_int(h, "max_gram_length", 2);
        op_harness_int(h, "max_skip_count", 0);
        op_harness_ints(h, "ngram_counts", 2, I64(0, 2));
        op_harness_ints(h, "ngram_indexes", 3, I64(0, 1, 2));
        op_harness_ints(h, "pool_int64s", 4, I64(2, 3, 2, 3));
        op_harness_floats(h, "weights", 3, F(10, 20, 30));
        runs(h);
        want_f32(h, 0, want[m], LIST(3));
        op_harness_free(h);
    }
}
END_TEST

OP_TEST_MAIN(normalizer, concat_and_split, regex, triangle, tfidf)
