/* SPDX-License-Identifier: Apache-2.0
 *
 * format_select.c: see format_select.h. Heavy operators propagate their formats first; from
 * there, and from plain storage, the cost of all conversions is lowered, and the cheaper of
 * the two results is taken. Then the graph is brought to what was chosen.
 */
#include "optimize/format_select.h"

#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "ir/storage.h"
#include "optimize/format_assign.h"
#include "optimize/transdata.h"

/* Brings one node's inputs to the formats it chose and marks its outputs. */
static gboolean apply(TsrNode *node, const guint32 *formats, TsrTransInserter *inserter,
                      guint32 c0_lanes, GError **error)
{
    for (guint i = 0; i < node->inputs->len; i++) {
        TsrValue *value = g_ptr_array_index(node->inputs, i), *converted;
        if (value == NULL || value->desc.view.storage_format == formats[i])
            continue;
        converted = tsr_trans_convert(inserter, node->graph, value, formats[i], node->engine,
                                      error);
        if (converted == NULL)
            return FALSE;
        tsr_node_set_input(node, i, converted);
    }
    for (guint i = 0; i < node->outputs->len; i++) {
        TsrValue *value = g_ptr_array_index(node->outputs, i);
        guint32 format = formats[node->inputs->len + i];
        if (value == NULL || tsr_desc_set_storage(&value->desc, format, c0_lanes))
            continue;
        g_set_error(error, TSR_ERROR, TSR_INTERNAL, "'%s' cannot be stored as %s", value->name,
                    tsr_format_name(format));
        return FALSE;
    }
    return TRUE;
}

/* Outputs of the graph are plain, or as the user wants them. */
static gboolean restore_borders(TsrGraph *graph, TsrTransInserter *inserter, GError **error)
{
    for (guint i = 0; i < graph->outputs->len; i++) {
        TsrGraphOutput *output = &g_array_index(graph->outputs, TsrGraphOutput, i);
        TsrValue *value = output->value;
        const guint32 wanted = output->storage_format != TSR_FORMAT_ND
                                   ? output->storage_format
                                   : value->desc.view.origin_format;
        if (value->desc.view.storage_format == wanted || value->producer->graph != graph)
            continue;
        value = tsr_trans_convert(inserter, graph, value, wanted, value->producer->engine,
                                  error);
        if (value == NULL)
            return FALSE;
        output->value = value;
    }
    return TRUE;
}

static gboolean restore_captured(TsrGraph *root, TsrGraph *graph, TsrTransInserter *inserter,
                                 GError **error)
{
    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i);
        for (guint k = 0; graph != root && k < node->inputs->len; k++) {
            TsrValue *value = g_ptr_array_index(node->inputs, k);
            if (value == NULL || value->desc.view.storage_format ==
                                     value->desc.view.origin_format)
                continue;
            value = tsr_trans_convert(inserter, value->producer->graph, value,
                                      value->desc.view.origin_format, value->producer->engine,
                                      error);
            if (value == NULL)
                return FALSE;
            tsr_node_set_input(node, k, value);
        }
        for (guint s = 0; s < node->subgraphs->len; s++) {
            TsrGraph *subgraph = g_ptr_array_index(node->subgraphs, s);
            for (guint k = 0; k < subgraph->outputs->len; k++) {
                TsrGraphOutput *output = &g_array_index(subgraph->outputs, TsrGraphOutput, k);
                if (output->value->desc.view.storage_format ==
                    output->value->desc.view.origin_format)
                    continue;
                output->value = tsr_trans_convert(
                    inserter, output->value->producer->graph, output->value,
                    output->value->desc.view.origin_format, output->value->producer->engine,
                    error);
                if (output->value == NULL)
                    return FALSE;
            }
            if (!restore_captured(root, subgraph, inserter, error))
                return FALSE;
        }
    }
    return TRUE;
}

static void clear_choice(gpointer choice)
{
    g_free(((TsrFormatChoice *)choice)->formats);
}

/* Keeps for `explain` what the node could have taken and what that would have cost. */
static void record_choices(TsrFormatProblem *problem, guint index, double total)
{
    TsrFormatNode *item = tsr_format_node(problem, index);
    const gsize ports = item->node->inputs->len + item->node->outputs->len;
    const guint chosen = item->chosen;
    const double here = tsr_format_node_cost(problem, index);
    g_clear_pointer(&item->node->choices, g_array_unref);
    item->node->choices = g_array_new(FALSE, FALSE, sizeof(TsrFormatChoice));
    g_array_set_clear_func(item->node->choices, clear_choice);
    item->node->selector = item->selector;
    item->node->selector_name = item->asked != NULL ? g_intern_string(item->asked) : NULL;
    for (guint c = 0; c < item->columns->len; c++) {
        const TsrFormatColumn *column = tsr_format_column(item, c);
        TsrFormatChoice choice = {.score = column->score, .chosen = c == chosen};
        choice.formats = g_memdup2(column->formats, ports * sizeof(*choice.formats));
        item->chosen = c;
        choice.cost = (guint64)(total - here + tsr_format_node_cost(problem, index));
        g_array_append_val(item->node->choices, choice);
    }
    item->chosen = chosen;
}

static void remember(const TsrFormatProblem *problem, guint *out_chosen)
{
    for (guint i = 0; i < problem->nodes->len; i++)
        out_chosen[i] = tsr_format_node(problem, i)->chosen;
}

/* Assigns the cheapest columns that we find. */
static void assign(TsrFormatProblem *problem, TsrFormatReport *report)
{
    g_autofree guint *spread = g_new0(guint, problem->nodes->len + 1);
    double from_spread;
    tsr_format_propagate(problem);
    report->cost_propagated = (guint64)tsr_format_cost(problem);
    tsr_format_improve(problem);
    from_spread = tsr_format_cost(problem);
    remember(problem, spread);
    tsr_format_assign_plain(problem);
    report->cost_plain = (guint64)tsr_format_cost(problem);
    tsr_format_improve(problem);
    if (from_spread <= tsr_format_cost(problem))
        for (guint i = 0; i < problem->nodes->len; i++)
            tsr_format_node(problem, i)->chosen = spread[i];
    report->cost = (guint64)tsr_format_cost(problem);
}

gboolean tsr_format_select(TsrGraph *graph, const TsrPluginSet *set, guint32 c0_lanes,
                           guint32 force, TsrFormatReport *out_report, GError **error)
{
    g_autoptr(TsrFormatProblem) problem =
        tsr_format_problem_new(graph, set, c0_lanes, force, error);
    TsrFormatReport costs = {0};
    TsrTransInserter *inserter;
    gboolean done = TRUE;
    double total;
    if (problem == NULL)
        return FALSE;
    assign(problem, &costs);
    total = tsr_format_cost(problem);
    for (guint i = 0; i < problem->nodes->len; i++)
        record_choices(problem, i, total);
    inserter = tsr_trans_inserter_new(set, c0_lanes);
    for (guint i = 0; i < problem->nodes->len && done; i++) {
        const TsrFormatNode *item = tsr_format_node(problem, i);
        done = apply(item->node, tsr_format_column(item, item->chosen)->formats, inserter,
                     c0_lanes, error);
    }
    done = done && restore_borders(graph, inserter, error) &&
           restore_captured(graph, graph, inserter, error);
    tsr_trans_inserter_finish(inserter, out_report);
    out_report->cost = costs.cost;
    out_report->cost_plain = costs.cost_plain;
    out_report->cost_propagated = costs.cost_propagated;
    return done;
}
