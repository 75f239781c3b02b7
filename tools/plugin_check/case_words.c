/* SPDX-License-Identifier: Apache-2.0
 *
 * case_words.c: from a word of a case (cases.h) to the value that it describes. Numbers and
 * texts come from one small generator, so that every run sees the same.
 */
#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "ir/array.h"
#include "ir/graph.h"
#include "plugin_check/cases.h"

/* xorshift32: G. Marsaglia, "Xorshift RNGs", 2003. */
static guint32 next(guint32 *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

static void put(TsrArray *array, gsize at, double value)
{
    guint8 *data = array->tensor.data;
    switch (array->desc.view.dtype) {
#define PUT(number, type)                                                           \
    case number:                                                                    \
        ((type *)(gpointer)data)[at] = (type)value;                                 \
        break
        PUT(TSR_DTYPE_FLOAT, float);
        PUT(TSR_DTYPE_DOUBLE, double);
        PUT(TSR_DTYPE_INT8, gint8);
        PUT(TSR_DTYPE_UINT8, guint8);
        PUT(TSR_DTYPE_INT16, gint16);
        PUT(TSR_DTYPE_UINT16, guint16);
        PUT(TSR_DTYPE_INT32, gint32);
        PUT(TSR_DTYPE_UINT32, guint32);
        PUT(TSR_DTYPE_INT64, gint64);
        PUT(TSR_DTYPE_UINT64, guint64);
#undef PUT
    case TSR_DTYPE_BOOL:
        data[at] = value > 0.0;
        break;
    case TSR_DTYPE_FLOAT16:
        ((guint16 *)(gpointer)data)[at] = tsr_float_to_float16((float)value);
        break;
    case TSR_DTYPE_BFLOAT16:
        ((guint16 *)(gpointer)data)[at] = tsr_float_to_bfloat16((float)value);
        break;
    case TSR_DTYPE_STRING: {
        char text[G_ASCII_DTOSTR_BUF_SIZE];
        g_ascii_dtostr(text, sizeof(text), value);
        tsr_array_set_string(array, (TsrString *)(gpointer)data + at, text, strlen(text));
        break;
    }
    default:
        break; /* such tensors are all zero */
    }
}

/* Texts that operators on texts treat differently: nothing, blanks, letters of both cases and
 * of more than a byte, numbers. */
static void fill_texts(TsrArray *array, guint32 *seed)
{
    static const char *const texts[] = {"",    "a",  "The cat sat", " b  a ", "\303\204hre",
                                        "a1b", "42", "stop"};
    TsrString *elements = array->tensor.data;
    const gint64 count = tsr_desc_elements(&array->desc.view);
    for (gint64 i = 0; i < count; i++) {
        const char *text = texts[next(seed) % G_N_ELEMENTS(texts)];
        tsr_array_set_string(array, &elements[i], text, strlen(text));
    }
}

typedef struct Range {
    gint64 bound;       /* above 0: integers below it */
    gboolean positive;
    gboolean unit;      /* 0 to 1 */
    gboolean numbers;   /* also where the elements are texts */
} Range;

static void fill(TsrArray *array, guint32 *seed, Range range)
{
    const guint32 dtype = array->desc.view.dtype;
    const gint64 count = tsr_desc_elements(&array->desc.view);
    if (dtype == TSR_DTYPE_STRING && !range.numbers) {
        fill_texts(array, seed);
        return;
    }
    memset(array->tensor.data, 0, array->tensor.size_bytes);
    for (gint64 i = 0; i < count; i++) {
        const double unit = next(seed) / 4294967296.0;
        double value = range.unit       ? unit
                       : range.positive ? 0.5 + unit
                                        : 2.0 * unit - 1.0;
        if (range.bound > 0)
            value = (double)(gint64)(unit * (double)range.bound);
        else if ((TSR_BIT(dtype) & (TSR_TYPES_SIGNED | TSR_BIT(TSR_DTYPE_STRING))) != 0)
            value = (double)(gint64)(range.positive ? 1.0 + unit * 5.0 : unit * 11.0 - 5.0);
        else if ((TSR_BIT(dtype) & TSR_TYPES_UNSIGNED) != 0)
            value = (double)(gint64)(range.positive ? 1.0 + unit * 5.0 : unit * 11.0);
        put(array, (gsize)i, value);
    }
}

static guint32 letter_dtype(char letter, guint32 own)
{
    static const struct {
        char letter;
        guint32 dtype;
    } letters[] = {
        {'f', TSR_DTYPE_FLOAT}, {'d', TSR_DTYPE_DOUBLE}, {'h', TSR_DTYPE_FLOAT16},
        {'l', TSR_DTYPE_INT64}, {'i', TSR_DTYPE_INT32},  {'u', TSR_DTYPE_UINT8},
        {'s', TSR_DTYPE_INT8},  {'b', TSR_DTYPE_BOOL},   {'t', TSR_DTYPE_STRING},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(letters); i++)
        if (letters[i].letter == letter)
            return letters[i].dtype;
    return own;
}

/* Values that are written out, from a '=' on. */
static const char *read_values(const char *at, TsrArray *array)
{
    for (gsize i = 0; *at == '=' || *at == ','; i++) {
        if (array->desc.view.dtype == TSR_DTYPE_STRING) {
            const gsize size = strcspn(at + 1, ",|]");
            tsr_array_set_string(array, (TsrString *)array->tensor.data + i, at + 1, size);
            at += 1 + size;
        } else {
            char *end;
            put(array, i, g_ascii_strtod(at + 1, &end));
            at = end;
        }
    }
    return at;
}

/* "2x3<5": the shape and what is in it. *at goes behind it. */
static TsrArray *read_tensor(const char **at, guint32 dtype, guint32 *seed, GError **error)
{
    gint64 shape[TSR_MAX_RANK];
    guint32 rank = 0;
    Range range = {0};
    TsrArray *array;
    char *end;
    while (g_ascii_isdigit(**at) && rank < TSR_MAX_RANK) {
        shape[rank++] = g_ascii_strtoll(*at, &end, 10);
        *at = *end == 'x' ? end + 1 : end;
    }
    array = tsr_array_create(dtype, rank, shape, error);
    if (array == NULL)
        return NULL;
    if (**at == '=') {
        *at = read_values(*at, array);
        return array;
    }
    if (**at == '<') {
        range.bound = g_ascii_strtoll(*at + 1, &end, 10);
        *at = end;
    } else if (**at != '\0' && strchr("+%#", **at) != NULL) {
        range.positive = **at == '+';
        range.unit = **at == '%';
        range.numbers = **at == '#';
        ++*at;
    }
    fill(array, seed, range);
    return array;
}

/* "[2x3|4]", with *at behind the bracket that opens it. */
static TsrArray *read_sequence(const char **at, guint32 dtype, guint32 *seed, GError **error)
{
    g_autoptr(GPtrArray) items = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    while (**at != ']' && **at != '\0') {
        TsrArray *item = read_tensor(at, dtype, seed, error);
        if (item == NULL)
            return NULL;
        g_ptr_array_add(items, item);
        *at += **at == '|';
    }
    *at += **at == ']';
    return tsr_array_new_items(NULL, TSR_KIND_SEQUENCE, dtype, (TsrArray *const *)items->pdata,
                               items->len);
}

static TsrArray *read_value(const char **at, guint32 dtype, guint32 *seed, GError **error)
{
    if (**at != '[')
        return read_tensor(at, dtype, seed, error);
    ++*at;
    return read_sequence(at, dtype, seed, error);
}

TsrArray *pc_word_array(const char *word, guint32 own, guint32 *seed, gboolean *out_constant,
                        GError **error)
{
    guint32 dtype;
    *out_constant = word[0] == '!' || strchr(word, '=') != NULL;
    word += word[0] == '!' || word[0] == '&';
    dtype = letter_dtype(*word++, own);
    if (*word == '?') {
        const gboolean is_empty = word[1] == '-', is_sequence = word[1] == '[';
        g_autoptr(TsrArray) item = NULL;
        word++;
        if (!is_empty && (item = read_value(&word, dtype, seed, error)) == NULL)
            return NULL;
        return tsr_array_new_items(NULL,
                                   is_sequence ? TSR_KIND_OPTIONAL_SEQUENCE : TSR_KIND_OPTIONAL,
                                   dtype, &item, is_empty ? 0 : 1);
    }
    return read_value(&word, dtype, seed, error);
}

TsrValue *pc_word_input(const char *word, guint32 own, const char *name, TsrGraph *graph,
                        const TsrArray *array, GError **error)
{
    TsrDesc desc;
    if (array != NULL && array->desc.view.kind == TSR_KIND_TENSOR)
        return tsr_build_input(graph, name, array->desc.view.dtype, array->desc.view.rank,
                               array->desc.shape, error);
    tsr_desc_init(&desc);
    desc.view.kind = array != NULL ? array->desc.view.kind : TSR_KIND_TENSOR;
    desc.view.dtype = letter_dtype(word[word[0] == '&'], own);
    desc.view.rank = TSR_RANK_UNKNOWN;
    return tsr_graph_add_input(graph, name, &desc.view, error);
}
