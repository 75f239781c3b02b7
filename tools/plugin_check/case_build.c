/* SPDX-License-Identifier: Apache-2.0
 *
 * case_build.c: from a case to a graph with its input values, and from a graph to results.
 */
#include <stdlib.h>
#include <string.h>
#include <tessera/plugin_util.h>

#include "api/build_attrs.h"
#include "base/error.h"
#include "compare.h"
#include "ir/array.h"
#include "plugin_check/cases.h"
#include "plugin_check/nets.h"

/* What the node of a case is made of. */
typedef struct Parts {
    GHashTable *values;    /* TsrValue by the names that bodies call them: x0, x1, ... */
    GPtrArray *attrs;      /* TsrAttrBox */
    GPtrArray *subgraphs;  /* TsrGraph */
} Parts;

/* "leaf_weights=T2=1,2 nodes_modes=u1=0" */
static gboolean add_tensors(const PcCase *item, guint32 *seed, Parts *parts, GError **error)
{
    g_auto(GStrv) words = g_strsplit(item->tensors != NULL ? item->tensors : "", " ", -1);
    for (guint i = 0; words[i] != NULL; i++) {
        char *equals = strchr(words[i], '=');
        g_autoptr(TsrArray) array = NULL;
        g_autoptr(GBytes) bytes = NULL;
        gboolean constant;
        *equals = '\0';
        array = pc_word_array(equals + 1, item->dtype, seed, &constant, error);
        if (array == NULL)
            return FALSE;
        bytes = tsr_array_to_bytes(array);
        g_ptr_array_add(parts->attrs, tsr_attr_new_tensor(words[i], &array->desc.view, bytes));
    }
    return TRUE;
}

/* "then_branch: y=Neg(x1) | else_branch: a=Abs(x1); y=Relu(a)" */
static gboolean add_bodies(const PcCase *item, TsrGraph *graph, Parts *parts, GError **error)
{
    g_auto(GStrv) bodies = g_strsplit(item->bodies != NULL ? item->bodies : "", " | ", -1);
    for (guint i = 0; bodies[i] != NULL; i++) {
        char *colon = strstr(bodies[i], ": ");
        TsrGraph *body = tsr_graph_new(graph->registry, "body");
        *colon = '\0';
        g_ptr_array_add(parts->subgraphs, body);
        g_ptr_array_add(parts->attrs, tsr_attr_new_graph(bodies[i], i));
        if (!pc_net_body(colon + 2, item->dtype, body, parts->values, error))
            return FALSE;
    }
    return TRUE;
}

/* The value of a word of the inputs; NULL with an error. */
static TsrValue *add_value(const PcCase *item, guint index, const char *word, guint32 *seed,
                           TsrGraph *graph, GPtrArray *out_inputs, GError **error)
{
    g_autofree char *name = g_strdup_printf("x%u", index);
    g_autoptr(TsrArray) array = NULL;
    gboolean constant = FALSE;
    TsrValue *value;
    array = pc_word_array(word, item->dtype, seed, &constant, error);
    if (array == NULL)
        return NULL;
    if (constant)
        return tsr_build_constant(graph, name, array, error);
    value = pc_word_input(word, item->dtype, name, graph, array, error);
    if (value != NULL)
        g_ptr_array_add(out_inputs, g_steal_pointer(&array));
    return value;
}

static TsrNode *add_node(const PcCase *item, TsrGraph *graph, TsrValue *const *inputs,
                         guint count, guint32 *seed, Parts *parts, GError **error)
{
    const char *colons = strstr(item->op, "::");
    g_autofree char *domain =
        colons != NULL ? g_strndup(item->op, (gsize)(colons - item->op)) : g_strdup("");
    const TsrOpDef *def =
        tsr_op_registry_get(graph->registry, domain, colons != NULL ? colons + 2 : item->op,
                            item->version != 0 ? item->version : G_MAXINT64, error);
    if (def == NULL ||
        (item->attrs != NULL && !tsr_build_attrs(def, item->attrs, parts->attrs, error)) ||
        !add_tensors(item, seed, parts, error) || !add_bodies(item, graph, parts, error))
        return NULL;
    return tsr_graph_add_node(graph, def, "node", inputs, count, NULL, item->outputs,
                              (TsrAttrBox *const *)parts->attrs->pdata, parts->attrs->len,
                              (TsrGraph *const *)parts->subgraphs->pdata, parts->subgraphs->len,
                              error);
}

TsrGraph *pc_case_graph(const PcCase *item, TsrSession *session, GPtrArray *out_inputs,
                        GError **error)
{
    TsrGraph *graph = tsr_session_graph(session, "case");
    g_auto(GStrv) words = g_strsplit(item->inputs, " ", -1);
    const guint count = item->inputs[0] != '\0' ? g_strv_length(words) : 0;
    g_autoptr(GHashTable) values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GPtrArray) attrs = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_attr_unref);
    g_autoptr(GPtrArray) subgraphs =
        g_ptr_array_new_with_free_func((GDestroyNotify)tsr_graph_unref);
    Parts parts = {values, attrs, subgraphs};
    TsrValue *inputs[16] = {NULL};
    TsrNode *node = NULL;
    guint32 seed = item->seed != 0 ? item->seed : 2463534242u;
    guint given = 0;
    gboolean good = count <= G_N_ELEMENTS(inputs);
    for (guint i = 0; good && i < count; i++) {
        TsrValue *value = NULL;
        if (strcmp(words[i], "-") != 0) {
            value = add_value(item, i, words[i], &seed, graph, out_inputs, error);
            g_hash_table_insert(values, g_strdup_printf("x%u", i), value);
            good = value != NULL;
        }
        if (words[i][0] != '&') /* which only bodies see */
            inputs[given++] = value;
    }
    if (good)
        node = add_node(item, graph, inputs, given, &seed, &parts, error);
    for (guint i = 0; node != NULL && i < item->outputs; i++) {
        g_autofree char *name = g_strdup_printf("y%u", i);
        tsr_build_output(graph, name, g_ptr_array_index(node->outputs, i));
    }
    if (node == NULL)
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

gboolean pc_same_form(GPtrArray *got, GPtrArray *wanted, GError **error)
{
    for (guint i = 0; i < MIN(got->len, wanted->len); i++) {
        const TsrTensorDesc *a = &((TsrArray *)g_ptr_array_index(got, i))->desc.view;
        const TsrTensorDesc *b = &((TsrArray *)g_ptr_array_index(wanted, i))->desc.view;
        if (a->kind == b->kind && a->dtype == b->dtype && a->rank == b->rank &&
            (a->rank == 0 || memcmp(a->shape, b->shape, a->rank * sizeof(a->shape[0])) == 0))
            continue;
        g_set_error(error, TSR_ERROR, TSR_INTERNAL,
                    "output %u: the element type or shape is not that of the reference", i);
        return FALSE;
    }
    return TRUE;
}
