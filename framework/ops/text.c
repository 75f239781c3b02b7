/* SPDX-License-Identifier: Apache-2.0
 *
 * text.c: definitions of ONNX operators:
 * strings.
 * Rows follow the ONNX changelog: one for each version whose types, attributes or
 * meaning changed.
 */
#include "families.h"

/* StringNormalizer: [C] or [1, C]; how many strings are left depends on them. */
static int32_t infer_normalizer(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape y = tsr_infer_shape(infer, 0);
    (void)def;
    if (y.rank != TSR_RANK_UNKNOWN) {
        if (y.rank < 1 || y.rank > 2 || (y.rank == 2 && y.dim[0] >= 0 && y.dim[0] != 1))
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "X must have the shape [C] or [1, C], got rank %u", y.rank);
        y.dim[y.rank - 1] = TSR_DIM_UNKNOWN;
    }
    return tsr_infer_set(infer, 0, TSR_DTYPE_STRING, &y);
}

static int32_t infer_string_concat(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape y;
    int32_t status = tsr_infer_broadcast(infer, 0, 2, &y);
    (void)def;
    return status != TSR_OK ? status : tsr_infer_set(infer, 0, TSR_DTYPE_STRING, &y);
}

/* StringSplit: the pieces along a new axis, and how many there are. */
static int32_t infer_string_split(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), y = x;
    int32_t status;
    (void)def;
    if (y.rank != TSR_RANK_UNKNOWN) {
        if (y.rank == TSR_MAX_RANK)
            return infer->fail(infer, TSR_UNSUPPORTED, "the output would have rank %u, at most %d",
                               y.rank + 1, TSR_MAX_RANK);
        y.dim[y.rank++] = TSR_DIM_UNKNOWN;
    }
    status = tsr_infer_set(infer, 0, TSR_DTYPE_STRING, &y);
    return status != TSR_OK ? status : tsr_infer_set(infer, 1, TSR_DTYPE_INT64, &x);
}

static int32_t infer_regex(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0);
    (void)def;
    return tsr_infer_set(infer, 0, TSR_DTYPE_BOOL, &x);
}

/* TfIdfVectorizer: as many columns as the largest entry of ngram_indexes says. */
static int32_t infer_tfidf(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape y = tsr_infer_shape(infer, 0);
    int64_t columns = 0;
    uint32_t count;
    const int64_t *indexes = tsr_attr_ints(infer->node, "ngram_indexes", &count);
    (void)def;
    for (uint32_t i = 0; i < count; i++) {
        if (indexes[i] < 0 || indexes[i] > INT32_MAX)
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "ngram_indexes must not be negative, got %lld",
                               (long long)indexes[i]);
        if (indexes[i] >= columns)
            columns = indexes[i] + 1;
    }
    if (y.rank != TSR_RANK_UNKNOWN) {
        if (y.rank < 1 || y.rank > 2)
            return infer->fail(infer, TSR_INVALID_ARGUMENT, "X must have rank 1 or 2, got %u",
                               y.rank);
        y.dim[y.rank - 1] = columns;
    }
    return tsr_infer_set(infer, 0, TSR_DTYPE_FLOAT, &y);
}

static const TsrOpParam string_normalizer_10_in[] = {
    {"X", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_STRING)},
};

static const TsrOpParam string_normalizer_10_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_STRING)},
};

static const TsrOpAttr string_normalizer_10_attrs[] = {
    {.name = "case_change_action", .type = TSR_ATTR_STRING, .has_default = 1, .s = "NONE",
     .words = "LOWER|UPPER|NONE"},
    {.name = "is_case_sensitive", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    {.name = "locale", .type = TSR_ATTR_STRING},
    {.name = "stopwords", .type = TSR_ATTR_STRINGS},
};

static const TsrOpParam string_concat_20_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_STRING)},
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_STRING)},
};

static const TsrOpParam string_concat_20_out[] = {
    {"Z", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_STRING)},
};

static const TsrOpParam string_split_20_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_STRING)},
};

static const TsrOpParam string_split_20_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_STRING)},
    {"Z", TSR_PARAM_REQUIRED, 3, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpAttr string_split_20_attrs[] = {
    {.name = "delimiter", .type = TSR_ATTR_STRING},
    {.name = "maxsplit", .type = TSR_ATTR_INT},
};

static const TsrOpParam regex_full_match_20_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpAttr regex_full_match_20_attrs[] = {
    {.name = "pattern", .type = TSR_ATTR_STRING},
};

static const TsrOpParam tf_idf_vectorizer_9_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INDEX | TSR_BIT(TSR_DTYPE_STRING)},
};

static const TsrOpParam tf_idf_vectorizer_9_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_FLOAT)},
};

static const TsrOpAttr tf_idf_vectorizer_9_attrs[] = {
    {.name = "max_gram_length", .type = TSR_ATTR_INT, .required = 1, .min = 1, .max = INT32_MAX},
    {.name = "max_skip_count", .type = TSR_ATTR_INT, .required = 1, .min = 0, .max = INT32_MAX},
    {.name = "min_gram_length", .type = TSR_ATTR_INT, .required = 1, .min = 1, .max = INT32_MAX},
    {.name = "mode", .type = TSR_ATTR_STRING, .required = 1, .words = "TF|IDF|TFIDF"},
    {.name = "ngram_counts", .type = TSR_ATTR_INTS, .required = 1},
    {.name = "ngram_indexes", .type = TSR_ATTR_INTS, .required = 1},
    {.name = "pool_int64s", .type = TSR_ATTR_INTS},
    {.name = "pool_strings", .type = TSR_ATTR_STRINGS},
    {.name = "weights", .type = TSR_ATTR_FLOATS},
};

static const TsrOpDef definitions[] = {
    {OP_ROW("", "StringNormalizer", 10), OP_INPUTS(string_normalizer_10_in),
     OP_OUTPUTS(string_normalizer_10_out), OP_ATTRS(string_normalizer_10_attrs),
     .flags = TSR_OP_DATA_DEPENDENT, .infer = infer_normalizer},
    {OP_ROW("", "StringConcat", 20), OP_INPUTS(string_concat_20_in),
     OP_OUTPUTS(string_concat_20_out), .infer = infer_string_concat},
    {OP_ROW("", "StringSplit", 20), OP_INPUTS(string_split_20_in), OP_OUTPUTS(string_split_20_out),
     OP_ATTRS(string_split_20_attrs), .flags = TSR_OP_DATA_DEPENDENT, .infer = infer_string_split},
    {OP_ROW("", "RegexFullMatch", 20), OP_INPUTS(string_split_20_in),
     OP_OUTPUTS(regex_full_match_20_out), OP_ATTRS(regex_full_match_20_attrs),
     .infer = infer_regex},
    {OP_ROW("", "TfIdfVectorizer", 9), OP_INPUTS(tf_idf_vectorizer_9_in),
     OP_OUTPUTS(tf_idf_vectorizer_9_out), OP_ATTRS(tf_idf_vectorizer_9_attrs),
     .infer = infer_tfidf},
};

const TsrOps tsr_ops_text = OP_FAMILY(definitions);
