/* SPDX-License-Identifier: Apache-2.0
 *
 * case_build.c: from the words of a case to a graph with its input tensors, and from a graph to
 * results. Numbers come from one small generator, so that every run sees the same.
 */
#include <stdlib.h>
#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "compare.h"
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
    default:
        break; /* such tensors are all zero */
    }
}

/* bound above 0: integers below it. */
static void fill(TsrArray *array, guint32 *seed, gint64 bound, gboolean positive)
{
    const guint32 dtype = array->desc.view.dtype;
    const gint64 count = tsr_desc_elements(&array->desc.view);
    memset(array->tensor.data, 0, array->tensor.size_bytes);
    for (gint64 i = 0; i < count; i++) {
        const double unit = next(seed) / 4294967296.0;
        double value = positive ? 0.5 + unit : 2.0 * unit - 1.0;
        if (bound > 0)
            value = (double)(gint64)(unit * (double)bound);
        else if ((TSR_BIT(dtype) & TSR_TYPES_SIGNED) != 0)
            value = (double)(gint64)(positive ? 1.0 + unit * 5.0 : unit * 11.0 - 5.0);
        else if ((TSR_BIT(dtype) & TSR_TYPES_UNSIGNED) != 0)
            value = (double)(gint64)(positive ? 1.0 + unit * 5.0 : unit * 11.0);
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
        {'s', TSR_DTYPE_INT8},  {'b', TSR_DTYPE_BOOL},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(letters); i++)
        if (letters[i].letter == letter)
            return letters[i].dtype;
    return own;
}

TsrArray *pc_word_array(const char *word, guint32 own, guint32 *seed, gboolean *out_constant,
                        GError **error)
{
    gint64 shape[TSR_MAX_RANK], bound = 0;
    guint32 rank = 0, dtype;
    TsrArray *array;
    char *end;
    *out_constant = word[0] == '!' || strchr(word, '=') != NULL;
    word += word[0] == '!';
    dtype = letter_dtype(*word++, own);
    while (g_ascii_isdigit(*word) && rank < TSR_MAX_RANK) {
        shape[rank++] = g_ascii_strtoll(word, &end, 10);
        word = *end == 'x' ? end + 1 : end;
    }
    array = tsr_array_create(dtype, rank, shape, error);
    if (array == NULL)
        return NULL;
    if (*word == '=') {
        for (gsize i = 0; *word == '=' || *word == ','; i++, word = end)
            put(array, i, g_ascii_strtod(word + 1, &end));
        return array;
    }
    if (*word == '<')
        bound = g_ascii_strtoll(word + 1, NULL, 10);
    fill(array, seed, bound, *word == '+');
    return array;
}

/* The node by the definition of the case's version, which only cases without attributes ask
 * for. */
static gboolean build_version(const PcCase *item, TsrGraph *graph, TsrValue *const *inputs,
                              guint count, TsrValue **outputs, GError **error)
{
    const char *colons = strstr(item->op, "::");
    g_autofree char *domain =
        colons != NULL ? g_strndup(item->op, (gsize)(colons - item->op)) : g_strdup("");
    const TsrOpDef *def = tsr_op_registry_get(
        graph->registry, domain, colons != NULL ? colons + 2 : item->op, item->version, error);
    TsrNode *node = def != NULL ? tsr_graph_add_node(graph, def, "node", inputs, count, NULL,
                                                     item->outputs, NULL, 0, NULL, 0, error)
                                : NULL;
    for (guint i = 0; node != NULL && i < item->outputs; i++)
        outputs[i] = g_ptr_array_index(node->outputs, i);
    return node != NULL;
}

TsrGraph *pc_case_graph(const PcCase *item, TsrSession *session, GPtrArray *out_inputs,
                        GError **error)
{
    TsrGraph *graph = tsr_session_graph(session, "case");
    g_auto(GStrv) words = g_strsplit(item->inputs, " ", -1);
    const guint count = item->inputs[0] != '\0' ? g_strv_length(words) : 0;
    TsrValue *inputs[16] = {NULL}, *outputs[8] = {NULL};
    guint32 seed = item->seed != 0 ? item->seed : 2463534242u;
    gboolean good = count <= G_N_ELEMENTS(inputs) && item->outputs <= G_N_ELEMENTS(outputs);
    for (guint i = 0; good && i < count; i++) {
        g_autofree char *name = g_strdup_printf("x%u", i);
        g_autoptr(TsrArray) array = NULL;
        gboolean constant = FALSE;
        if (strcmp(words[i], "-") == 0)
            continue;
        array = pc_word_array(words[i], item->dtype, &seed, &constant, error);
        if (array == NULL)
            good = FALSE;
        else if (constant)
            good = (inputs[i] = tsr_build_constant(graph, name, array, error)) != NULL;
        else
            good = (inputs[i] = tsr_build_input(graph, name, array->desc.view.dtype,
                                                array->desc.view.rank, array->desc.shape,
                                                error)) != NULL;
        if (good && !constant)
            g_ptr_array_add(out_inputs, g_steal_pointer(&array));
    }
    if (good && item->version != 0)
        good = build_version(item, graph, inputs, count, outputs, error);
    else if (good)
        good = tsr_build_node_full(graph, item->op, "node", inputs, count, item->attrs, outputs,
                                   item->outputs, error);
    for (guint i = 0; good && i < item->outputs; i++) {
        g_autofree char *name = g_strdup_printf("y%u", i);
        tsr_build_output(graph, name, outputs[i]);
    }
    if (!good)
        g_clear_pointer(&graph, tsr_graph_unref);
    return graph;
}

GPtrArray *pc_run_model(TsrModel *model, GPtrArray *inputs, GError **error)
{
    const guint count = tsr_model_output_count(model);
    g_autofree TsrArray **outputs = g_new0(TsrArray *, count);
    GPtrArray *results = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    const gboolean good =
        tsr_model_run(model, (TsrArray *const *)inputs->pdata, outputs, error);
    for (guint i = 0; i < count; i++)
        if (outputs[i] != NULL)
            g_ptr_array_add(results, outputs[i]);
    if (!good)
        g_clear_pointer(&results, g_ptr_array_unref);
    return results;
}

GPtrArray *pc_run(TsrSession *session, TsrGraph *graph, const TsrCompileOptions *options,
                  GPtrArray *inputs, GError **error)
{
    g_autoptr(TsrModel) model = tsr_session_compile(session, graph, options, error);
    return model != NULL ? pc_run_model(model, inputs, error) : NULL;
}

/* A quantized number may fall to either side of a tie. */
static gboolean close_bytes(TsrArray *got, TsrArray *wanted)
{
    const guint32 dtype = wanted->desc.view.dtype;
    if ((dtype != TSR_DTYPE_INT8 && dtype != TSR_DTYPE_UINT8) ||
        got->desc.view.dtype != dtype || got->tensor.size_bytes != wanted->tensor.size_bytes)
        return FALSE;
    for (gsize i = 0; i < wanted->tensor.size_bytes; i++) {
        const guint8 a = ((guint8 *)got->tensor.data)[i], b = ((guint8 *)wanted->tensor.data)[i];
        const int difference = dtype == TSR_DTYPE_INT8 ? (gint8)a - (gint8)b : a - b;
        if (difference < -1 || difference > 1)
            return FALSE;
    }
    return TRUE;
}

gboolean pc_same(GPtrArray *got, GPtrArray *wanted, gboolean exactly, GError **error)
{
    g_autoptr(GString) reason = g_string_new(NULL);
    if (got->len != wanted->len) {
        g_set_error(error, TSR_ERROR, TSR_INTERNAL, "%u outputs, wanted %u", got->len, wanted->len);
        return FALSE;
    }
    for (guint i = 0; i < wanted->len; i++) {
        TsrArray *want = g_ptr_array_index(wanted, i);
        const guint32 dtype = want->desc.view.dtype;
        const double tolerance = exactly                          ? 0.0
                                 : dtype == TSR_DTYPE_FLOAT16    ? 4e-3
                                 : dtype == TSR_DTYPE_BFLOAT16   ? 3e-2
                                 : dtype == TSR_DTYPE_DOUBLE     ? 1e-9
                                                                  : 1e-4;
        if (tsr_compare_arrays(g_ptr_array_index(got, i), want, tolerance, tolerance / 10.0,
                               reason) ||
            (!exactly && close_bytes(g_ptr_array_index(got, i), want)))
            continue;
        g_set_error(error, TSR_ERROR, TSR_INTERNAL, "output %u: %s", i, reason->str);
        return FALSE;
    }
    return TRUE;
}
