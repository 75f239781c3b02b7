/* SPDX-License-Identifier: Apache-2.0
 *
 * precision.c: see precision.h.
 *
 * Nodes are visited in order, so that what a node reads is decided before it. A node with
 * subgraphs and one that handles no tensors keep float: their ports belong to other graphs.
 */
#include "optimize/precision.h"

#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "base/nearest.h"
#include "optimize/narrow.h"
#include "optimize/precision_list.h"
#include "optimize/precision_trial.h"

typedef struct Walk {
    const TsrPluginSet *set;
    TsrPrecisionMode mode;
    guint32 dtype;
    GHashTable *lists[2]; /* the user's own, the configuration's */
    TsrNarrower *narrower;
    TsrPrecisionReport *report;
} Walk;

static const char *const mode_names[] = {
    [TSR_MUST_KEEP_ORIGIN] = "must_keep_origin",
    [TSR_ALLOW_FP16] = "allow_fp32_to_fp16",
    [TSR_ALLOW_BF16] = "allow_bf16",
    [TSR_FORCE_FP16] = "force_fp16",
    [TSR_FORCE_BF16] = "force_bf16",
    [TSR_MIX_FP16] = "mix_fp16",
    [TSR_MIX_BF16] = "mix_bf16",
};

gboolean tsr_precision_mode(const char *word, TsrPrecisionMode *out_mode, GError **error)
{
    g_autofree char *list = NULL;
    const char *nearest;
    *out_mode = TSR_MUST_KEEP_ORIGIN;
    if (word == NULL)
        return TRUE;
    for (guint i = 0; i < G_N_ELEMENTS(mode_names); i++) {
        if (strcmp(mode_names[i], word) == 0) {
            *out_mode = (TsrPrecisionMode)i;
            return TRUE;
        }
    }
    nearest = tsr_nearest_word(word, mode_names, G_N_ELEMENTS(mode_names));
    if (nearest != NULL)
        list = g_strdup_printf("did you mean %s?", nearest);
    else
        list = g_strdup("wanted must_keep_origin, allow_fp32_to_fp16, allow_bf16, force_fp16, "
                        "force_bf16, mix_fp16 or mix_bf16");
    g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT, "precision mode '%s': %s", word, list);
    return FALSE;
}

const char *tsr_precision_mode_name(TsrPrecisionMode mode)
{
    return mode_names[mode];
}

void tsr_precision_report_clear(TsrPrecisionReport *report)
{
    g_clear_pointer(&report->warnings, g_ptr_array_unref);
}

static gboolean is_forced(TsrPrecisionMode mode)
{
    return mode == TSR_FORCE_FP16 || mode == TSR_FORCE_BF16;
}

static gboolean is_mixed(TsrPrecisionMode mode)
{
    return mode == TSR_MIX_FP16 || mode == TSR_MIX_BF16;
}

/* ---------------------------------------------------------------- what to do */

static guint32 class_of(const Walk *walk, TsrNode *node)
{
    const TsrRankedEngine *ranked = tsr_plugin_set_find_engine(walk->set, node->engine);
    guint32 precision = TSR_PRECISION_GREY;
    if (tsr_precision_list_find(walk->lists, G_N_ELEMENTS(walk->lists), node, &precision))
        return precision;
    if (ranked != NULL && TSR_HAS(ranked->engine, precision))
        precision = ranked->engine->precision(ranked->engine, tsr_node_view(node));
    return precision <= TSR_PRECISION_BLACK ? precision : TSR_PRECISION_GREY;
}

static gboolean handles_tensors_only(const TsrNode *node)
{
    const GPtrArray *ports[2] = {node->inputs, node->outputs};
    if (node->subgraphs->len != 0)
        return FALSE;
    for (guint side = 0; side < 2; side++)
        for (guint i = 0; i < ports[side]->len; i++) {
            const TsrValue *value = g_ptr_array_index(ports[side], i);
            if (value != NULL && value->desc.view.kind != TSR_KIND_TENSOR)
                return FALSE;
        }
    return TRUE;
}

/* Whether all that the node reads and a run computes is narrow. */
static gboolean producers_are_narrow(const Walk *walk, const TsrNode *node)
{
    guint narrow = 0;
    for (guint i = 0; i < node->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->inputs, i);
        if (value == NULL || value->constant != NULL ||
            !tsr_narrower_was_float(walk->narrower, value))
            continue;
        if (!tsr_narrower_is_narrow(walk->narrower, value))
            return FALSE;
        narrow++;
    }
    return narrow != 0;
}

static gboolean wants_narrow(const Walk *walk, const TsrNode *node, guint32 precision)
{
    if (is_forced(walk->mode))
        return TRUE;
    if (precision == TSR_PRECISION_WHITE)
        return TRUE;
    return is_mixed(walk->mode) && precision == TSR_PRECISION_GREY &&
           producers_are_narrow(walk, node);
}

/* -------------------------------------------------------------- changing nodes */

/* Gives the node float again where its producers became narrow. */
static gboolean keep_float(Walk *walk, TsrNode *node, GError **error)
{
    for (guint i = 0; i < node->inputs->len; i++) {
        TsrValue *value = g_ptr_array_index(node->inputs, i);
        if (value == NULL || !tsr_narrower_is_narrow(walk->narrower, value))
            continue;
        value = tsr_narrow_value(walk->narrower, value, TSR_DTYPE_FLOAT, node->engine, error);
        if (value == NULL)
            return FALSE;
        tsr_node_set_input(node, i, value);
    }
    return TRUE;
}

static gboolean make_narrow(Walk *walk, TsrNode *node, const TsrPrecisionTrial *trial,
                            const TsrRankedEngine *ranked, GError **error)
{
    node->engine = ranked->name;
    for (guint i = 0; i < node->inputs->len; i++) {
        TsrValue *value = g_ptr_array_index(node->inputs, i);
        if (value == NULL || value->desc.view.dtype == trial->input_dtypes[i])
            continue;
        value = tsr_narrow_value(walk->narrower, value, trial->input_dtypes[i], node->engine,
                                 error);
        if (value == NULL)
            return FALSE;
        tsr_node_set_input(node, i, value);
    }
    for (guint i = 0; i < node->outputs->len; i++) {
        TsrValue *value = g_ptr_array_index(node->outputs, i);
        if (value != NULL && value->desc.view.dtype != trial->output_dtypes[i])
            tsr_narrower_note(walk->narrower, value, trial->output_dtypes[i]);
    }
    return TRUE;
}

static gboolean is_pinned(const TsrPluginSet *set, const TsrNode *node)
{
    return tsr_pins_find(set->conf->pins, node->name, node->def->domain, node->def->name) != NULL;
}

/* The engine that takes the trial: the node's own, and where the mode is forced any. Reasons
 * are collected. */
static const TsrRankedEngine *find_engine(const Walk *walk, const TsrNode *node,
                                          const TsrPrecisionTrial *trial, GString *reasons)
{
    const TsrRankedEngine *own = tsr_plugin_set_find_engine(walk->set, node->engine);
    gboolean others = is_forced(walk->mode) && !is_pinned(walk->set, node);
    for (gint i = -1; i < (others ? (gint)walk->set->engines->len : 0); i++) {
        const TsrRankedEngine *ranked =
            i < 0 ? own : &g_array_index(walk->set->engines, TsrRankedEngine, i);
        g_autofree char *reason = NULL;
        if (ranked == NULL || (i >= 0 && own != NULL && ranked->name == own->name))
            continue;
        if (tsr_precision_trial_ask(trial, ranked, &reason))
            return ranked;
        g_string_append_printf(reasons, "%s%s: %s", reasons->len != 0 ? "; " : "", ranked->name,
                               reason);
    }
    return NULL;
}

/* Tries all float ports, then those of the main type only. */
static gboolean try_narrow(Walk *walk, TsrNode *node, gboolean *out_done, char **out_reason,
                           GError **error)
{
    g_autoptr(GString) reasons = g_string_new(NULL);
    gboolean good = TRUE;
    *out_done = FALSE;
    *out_reason = NULL;
    for (guint extent = TSR_TRIAL_ALL; extent <= TSR_TRIAL_MAIN && !*out_done; extent++) {
        g_autofree char *reason = NULL;
        const TsrRankedEngine *ranked;
        TsrPrecisionTrial *trial =
            tsr_precision_trial_new(walk->narrower, node, walk->dtype, extent, &reason);
        if (trial == NULL && reason == NULL)
            return TRUE; /* nothing in it could be narrow */
        if (trial == NULL) {
            g_string_assign(reasons, reason);
            continue;
        }
        g_string_truncate(reasons, 0);
        ranked = find_engine(walk, node, trial, reasons);
        if (ranked != NULL) {
            good = make_narrow(walk, node, trial, ranked, error);
            *out_done = TRUE;
        }
        tsr_precision_trial_free(trial);
    }
    if (!*out_done)
        *out_reason = g_strdup(reasons->str);
    return good;
}

/* A Cast reads whatever there is; one that became a copy goes away in the end. */
static gboolean visit_cast(Walk *walk, TsrNode *node, GError **error)
{
    TsrValue *input = g_ptr_array_index(node->inputs, 0);
    TsrValue *output = g_ptr_array_index(node->outputs, 0);
    const TsrRankedEngine *own = tsr_plugin_set_find_engine(walk->set, node->engine);
    TsrSupport support = {.struct_size = sizeof(support)};
    if (!tsr_narrower_is_narrow(walk->narrower, input))
        return TRUE;
    if (input->desc.view.dtype == output->desc.view.dtype)
        return TRUE;
    if (own != NULL &&
        own->engine->check(own->engine, tsr_node_view(node), &support) == TSR_OK &&
        support.answer != TSR_SUPPORT_NO)
        return TRUE;
    return keep_float(walk, node, error);
}

static gboolean visit_graph(Walk *walk, TsrGraph *graph, GError **error);

static gboolean visit(Walk *walk, TsrNode *node, GError **error)
{
    g_autofree char *reason = NULL;
    gboolean done = FALSE;
    guint32 precision;
    if (tsr_is_cast(node))
        return visit_cast(walk, node, error);
    for (guint s = 0; s < node->subgraphs->len; s++)
        if (!visit_graph(walk, g_ptr_array_index(node->subgraphs, s), error))
            return FALSE;
    if (!handles_tensors_only(node))
        return keep_float(walk, node, error);
    precision = class_of(walk, node);
    if (wants_narrow(walk, node, precision) &&
        !try_narrow(walk, node, &done, &reason, error))
        return FALSE;
    if (done)
        return TRUE;
    if (reason != NULL && is_forced(walk->mode)) {
        g_autofree char *text = tsr_node_to_text(node);
        g_set_error(error, TSR_ERROR, TSR_UNSUPPORTED, "%s: no engine takes %s in %s (%s)",
                    tsr_precision_mode_name(walk->mode), text, tsr_dtype_name(walk->dtype),
                    reason);
        return FALSE;
    }
    if (reason != NULL && precision == TSR_PRECISION_WHITE) {
        g_autofree char *text = tsr_node_to_text(node);
        g_ptr_array_add(walk->report->warnings,
                        g_strdup_printf("%s stays float (%s)", text, reason));
    }
    return keep_float(walk, node, error);
}

/* Not before every reader is decided: until then a value's type tells whether it was float. */
static void drop_copies(TsrGraph *graph, gpointer data)
{
    (void)data;
    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i);
        TsrValue *input, *output;
        if (!tsr_is_cast(node))
            continue;
        input = g_ptr_array_index(node->inputs, 0);
        output = g_ptr_array_index(node->outputs, 0);
        if (input->desc.view.dtype == output->desc.view.dtype)
            tsr_value_replace_uses(output, input);
    }
}

/* Nodes in order, then what the graph puts out, which keeps its type. */
static gboolean visit_graph(Walk *walk, TsrGraph *graph, GError **error)
{
    g_autoptr(GPtrArray) order = tsr_graph_sort(graph, error);
    if (order == NULL)
        return FALSE;
    for (guint i = 0; i < order->len; i++) {
        TsrNode *node = g_ptr_array_index(order, i);
        if (node->kind == TSR_NODE_OPERATOR && !visit(walk, node, error))
            return FALSE;
    }
    for (guint i = 0; i < graph->outputs->len; i++) {
        TsrGraphOutput *output = &g_array_index(graph->outputs, TsrGraphOutput, i);
        if (!tsr_narrower_is_narrow(walk->narrower, output->value))
            continue;
        output->value = tsr_narrow_value(walk->narrower, output->value, TSR_DTYPE_FLOAT,
                                         output->value->producer->engine, error);
        if (output->value == NULL)
            return FALSE;
    }
    return TRUE;
}

/* --------------------------------------------------------------------- report */

/* The type that a node computes in: a narrow one where any of its values has it, else that of
 * its first output. */
static void count_ops(TsrGraph *graph, gpointer data)
{
    TsrPrecisionReport *report = data;
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        const TsrValue *first = node->outputs->len != 0 ? g_ptr_array_index(node->outputs, 0)
                                                        : NULL;
        guint32 dtype = first != NULL ? first->desc.view.dtype : TSR_DTYPE_UNDEFINED;
        if (node->kind != TSR_NODE_OPERATOR || tsr_is_cast(node))
            continue;
        for (guint k = 0; k < node->inputs->len; k++) {
            const TsrValue *value = g_ptr_array_index(node->inputs, k);
            guint32 got = value != NULL ? value->desc.view.dtype : TSR_DTYPE_UNDEFINED;
            if (got == TSR_DTYPE_FLOAT16 || got == TSR_DTYPE_BFLOAT16)
                dtype = got;
        }
        report->ops[MIN(dtype, TSR_DTYPE_COUNT - 1)]++;
    }
}

gboolean tsr_precision_apply(TsrGraph *graph, const TsrPluginSet *set, TsrPrecisionMode mode,
                             GHashTable *list, TsrPrecisionReport *report, GError **error)
{
    Walk walk = {.set = set, .mode = mode, .lists = {list, set->conf->precision},
                 .report = report,
                 .dtype = mode == TSR_ALLOW_BF16 || mode == TSR_FORCE_BF16 ||
                                  mode == TSR_MIX_BF16
                              ? TSR_DTYPE_BFLOAT16
                              : TSR_DTYPE_FLOAT16};
    gboolean done = TRUE;
    *report = (TsrPrecisionReport){.mode = mode,
                                   .warnings = g_ptr_array_new_with_free_func(g_free)};
    if (mode != TSR_MUST_KEEP_ORIGIN) {
        if (list != NULL)
            tsr_precision_list_check(list, graph, report->warnings);
        walk.narrower = tsr_narrower_new(set, report->warnings);
        done = visit_graph(&walk, graph, error);
        if (done)
            tsr_graph_foreach(graph, drop_copies, NULL);
        report->casts = tsr_narrower_casts(walk.narrower);
        report->constants = tsr_narrower_constants(walk.narrower);
        tsr_narrower_free(walk.narrower);
    }
    tsr_graph_foreach(graph, count_ops, report);
    return done;
}
