/* SPDX-License-Identifier: Apache-2.0
 *
 * format_problem.c: see format_problem.h.
 */
#include "optimize/format_problem.h"

#include <math.h>
#include <string.h>
#include <tessera/plugin_util.h>

#include "ir/storage_layout.h"

#define COLUMN_CAPACITY 64
/* Weight of a column without the format that the user forces, in bytes. */
#define FORCED 1e15
/* A higher score, a multiple of a node's bytes, is no score. */
#define SCORE_LIMIT 1e6f

typedef struct Size {
    guint32 format;
    double bytes;
} Size;

static TsrValue *port_value(const TsrNode *node, guint port)
{
    return port < node->inputs->len
               ? g_ptr_array_index(node->inputs, port)
               : g_ptr_array_index(node->outputs, port - node->inputs->len);
}

static guint port_count(const TsrNode *node)
{
    return node->inputs->len + node->outputs->len;
}

static guint32 plain_format(const TsrValue *value)
{
    return value != NULL ? value->desc.view.origin_format : TSR_FORMAT_ND;
}

/* Bytes of the value stored so, or a negative number when it cannot be. */
static double stored_bytes(const TsrValue *value, guint32 format, guint32 c0_lanes)
{
    TsrDesc trial;
    guint64 bytes;
    tsr_desc_init(&trial);
    tsr_desc_copy(&trial, &value->desc.view);
    if (!tsr_desc_set_storage(&trial, format, c0_lanes) ||
        !tsr_desc_storage_bytes(&trial.view, &bytes))
        return -1.0;
    return (double)bytes;
}

static void clear_column(gpointer column)
{
    g_free(((TsrFormatColumn *)column)->formats);
}

static void clear_node(gpointer node)
{
    g_array_unref(((TsrFormatNode *)node)->columns);
    g_array_unref(((TsrFormatNode *)node)->values);
}

static void clear_value(gpointer value)
{
    g_array_unref(((TsrFormatValue *)value)->uses);
    g_array_unref(((TsrFormatValue *)value)->sizes);
}

/* ------------------------------------------------------------------ columns */

/* What a selector wrote for one node. */
typedef struct Asked {
    guint32 *formats;
    float scores[COLUMN_CAPACITY];
    guint count;
} Asked;

static gboolean is_static(const TsrNode *node)
{
    for (guint i = 0; i < port_count(node); i++) {
        const TsrValue *value = port_value(node, i);
        if (value != NULL && !tsr_desc_is_static(&value->desc.view))
            return FALSE;
    }
    return TRUE;
}

/* A selector that says what cannot be is told to the user and not asked any further. */
static gboolean are_sound(TsrNode *node, const TsrFormatSelector *selector,
                          const TsrColumnSet *columns)
{
    const char *name = selector->name;
    g_clear_pointer(&node->selector_fault, g_free);
    if (columns->count > COLUMN_CAPACITY)
        node->selector_fault =
            g_strdup_printf("selector '%s' says that it filled %u columns, there is room for %d",
                            name, columns->count, COLUMN_CAPACITY);
    else if (columns->selector > TSR_SELECTOR_CUSTOMIZE)
        node->selector_fault =
            g_strdup_printf("selector '%s' says that it is of kind %u, which there is not", name,
                            columns->selector);
    for (guint32 c = 0; node->selector_fault == NULL && c < columns->count; c++)
        if (!isfinite(columns->scores[c]) || fabsf(columns->scores[c]) > SCORE_LIMIT)
            node->selector_fault =
                g_strdup_printf("selector '%s' gives column %u the score %g", name, c,
                                (double)columns->scores[c]);
    return node->selector_fault == NULL;
}

static void ask(TsrFormatNode *item, const TsrPluginSet *set, Asked *asked)
{
    const guint ports = port_count(item->node);
    g_autoptr(GPtrArray) selectors = NULL;
    asked->count = 0;
    if (item->node->engine == NULL || item->node->keeps_plain || !is_static(item->node))
        return;
    selectors = tsr_plugin_set_selectors(set, item->node->engine);
    if (selectors->len != 0)
        asked->formats = g_new0(guint32, (gsize)COLUMN_CAPACITY * ports + 1);
    for (guint i = 0; i < selectors->len && asked->count == 0; i++) {
        const TsrFormatSelector *selector = g_ptr_array_index(selectors, i);
        TsrColumnSet columns = {.struct_size = sizeof(columns), .port_count = ports,
                                .capacity = COLUMN_CAPACITY, .formats = asked->formats,
                                .scores = asked->scores};
        if (selector->columns(selector, tsr_node_view(item->node), &columns) != TSR_OK ||
            !are_sound(item->node, selector, &columns))
            continue;
        item->selector = columns.selector;
        item->asked = selector->name;
        asked->count = columns.count;
    }
}

static void note_format(GArray *formats, guint32 format)
{
    for (guint i = 0; i < formats->len; i++)
        if (g_array_index(formats, guint32, i) == format)
            return;
    g_array_append_val(formats, format);
}

/* Whether all tensors that would be blocked alike mean the same, so that the same block of
 * each holds the same channels. */
static gboolean mean_the_same(const TsrNode *node, const guint32 *formats)
{
    for (guint i = 0; i < port_count(node); i++)
        for (guint k = 0; k < i; k++) {
            const TsrValue *a = port_value(node, i), *b = port_value(node, k);
            if (a != NULL && b != NULL && formats[i] == formats[k] &&
                formats[i] >= TSR_FORMAT_NC1HWC0 && formats[i] != TSR_FORMAT_FRACTAL_NZ &&
                (a->desc.view.origin_format != b->desc.view.origin_format ||
                 a->desc.view.expand_dims != b->desc.view.expand_dims))
                return FALSE;
        }
    return TRUE;
}

/* Adds a column with TSR_FORMAT_ANY replaced, unless a port cannot be stored so or the node
 * has that very column already. */
static void add_column(TsrFormatNode *item, const guint32 *asked, guint32 any, float score,
                       guint32 c0_lanes)
{
    const guint ports = port_count(item->node);
    g_autofree guint32 *formats = g_new0(guint32, ports + 1);
    TsrFormatColumn column = {.score = score};
    for (guint i = 0; i < ports; i++) {
        const TsrValue *value = port_value(item->node, i);
        const guint32 format = asked[i] == TSR_FORMAT_ANY ? any : asked[i];
        if (value == NULL)
            formats[i] = TSR_FORMAT_ND;
        else if (format == TSR_FORMAT_ND || format == plain_format(value))
            formats[i] = plain_format(value);
        else if (stored_bytes(value, format, c0_lanes) >= 0.0)
            formats[i] = format;
        else
            return;
    }
    if (!mean_the_same(item->node, formats))
        return;
    for (guint c = 0; c < item->columns->len; c++)
        if (memcmp(tsr_format_column(item, c)->formats, formats, ports * sizeof(*formats)) == 0)
            return;
    column.formats = g_steal_pointer(&formats);
    g_array_append_val(item->columns, column);
}

static gboolean has_format(const TsrFormatNode *item, const TsrFormatColumn *column,
                           guint32 format)
{
    gboolean plain = TRUE;
    for (guint i = 0; i < port_count(item->node); i++) {
        const TsrValue *value = port_value(item->node, i);
        if (value != NULL && column->formats[i] == format)
            return TRUE;
        plain &= value == NULL || column->formats[i] == plain_format(value);
    }
    return plain && format == TSR_FORMAT_ANY;
}

static void weigh_columns(TsrFormatNode *item, guint32 force, guint32 c0_lanes)
{
    float best = -G_MAXFLOAT;
    gboolean can = FALSE;
    double bytes = 0.0;
    for (guint i = 0; i < port_count(item->node); i++) {
        const TsrValue *value = port_value(item->node, i);
        const double own = value != NULL && value->constant == NULL
                               ? stored_bytes(value, TSR_FORMAT_ND, c0_lanes)
                               : 0.0;
        bytes += MAX(own, 0.0);
    }
    for (guint c = 0; c < item->columns->len; c++) {
        best = MAX(best, tsr_format_column(item, c)->score);
        can |= has_format(item, tsr_format_column(item, c), force);
    }
    for (guint c = 0; c < item->columns->len; c++) {
        TsrFormatColumn *column = &g_array_index(item->columns, TsrFormatColumn, c);
        column->penalty = (double)(best - column->score) * bytes;
        if (force != TSR_FORMAT_ND && can && !has_format(item, column, force))
            column->penalty += FORCED;
    }
}

static void fill_columns(TsrFormatProblem *problem, TsrFormatNode *item, const Asked *asked,
                         guint32 force)
{
    const guint ports = port_count(item->node);
    g_autofree guint32 *plain = g_new0(guint32, ports + 1);
    for (guint c = 0; c < asked->count; c++) {
        const guint32 *formats = asked->formats + (gsize)c * ports;
        gboolean any = FALSE;
        for (guint i = 0; i < ports; i++)
            any |= formats[i] == TSR_FORMAT_ANY;
        for (guint f = 0; f < (any ? problem->formats->len : 1); f++)
            add_column(item, formats, g_array_index(problem->formats, guint32, f),
                       asked->scores[c], problem->c0_lanes);
    }
    if (item->columns->len == 0)
        add_column(item, plain, TSR_FORMAT_ND, 0.0f, problem->c0_lanes);
    weigh_columns(item, force, problem->c0_lanes);
}

/* ------------------------------------------------------------------- values */

static TsrFormatValue *value_of(TsrFormatProblem *problem, GHashTable *numbers, TsrValue *value,
                                guint *out_number)
{
    gpointer number = g_hash_table_lookup(numbers, value);
    if (number == NULL) {
        TsrFormatValue fresh = {.value = value, .producer = -1,
                                .fixed = value->desc.view.storage_format};
        fresh.uses = g_array_new(FALSE, FALSE, sizeof(TsrFormatUse));
        fresh.sizes = g_array_new(FALSE, FALSE, sizeof(Size));
        g_array_append_val(problem->values, fresh);
        number = GUINT_TO_POINTER(problem->values->len);
        g_hash_table_insert(numbers, value, number);
    }
    *out_number = GPOINTER_TO_UINT(number) - 1;
    return tsr_format_value(problem, *out_number);
}

static void link_node(TsrFormatProblem *problem, GHashTable *numbers, guint index)
{
    TsrFormatNode *item = tsr_format_node(problem, index);
    for (guint i = 0; i < port_count(item->node); i++) {
        TsrValue *value = port_value(item->node, i);
        TsrFormatUse use = {(gint)index, i, TSR_FORMAT_ND};
        TsrFormatValue *entry;
        gboolean known = FALSE;
        guint number;
        if (value == NULL || value->constant != NULL)
            continue;
        entry = value_of(problem, numbers, value, &number);
        if (i < item->node->inputs->len) {
            g_array_append_val(entry->uses, use);
        } else {
            entry->producer = (gint)index;
            entry->port = i;
        }
        for (guint k = 0; k < item->values->len; k++)
            known |= g_array_index(item->values, guint, k) == number;
        if (!known)
            g_array_append_val(item->values, number);
    }
}

static void add_outsider(TsrFormatProblem *problem, GHashTable *numbers, TsrValue *value,
                         guint32 format)
{
    TsrFormatUse use = {-1, 0, format == TSR_FORMAT_ND ? plain_format(value) : format};
    guint number;
    TsrFormatValue *entry;
    if (value->constant != NULL)
        return;
    entry = value_of(problem, numbers, value, &number);
    g_array_append_val(entry->uses, use);
}

/* Who else reads: outputs of the graph want what the user said, subgraphs want plain. */
static void add_outsiders(TsrFormatProblem *problem, GHashTable *numbers, TsrGraph *graph)
{
    for (guint i = 0; i < graph->outputs->len; i++) {
        const TsrGraphOutput *output = &g_array_index(graph->outputs, TsrGraphOutput, i);
        add_outsider(problem, numbers, output->value, output->storage_format);
    }
    for (guint i = 0; i < problem->values->len; i++) {
        TsrValue *value = tsr_format_value(problem, i)->value;
        if (tsr_value_is_captured(value))
            add_outsider(problem, numbers, value, TSR_FORMAT_ND);
    }
}

TsrFormatProblem *tsr_format_problem_new(TsrGraph *graph, const TsrPluginSet *set,
                                         guint32 c0_lanes, guint32 force, GError **error)
{
    g_autoptr(GPtrArray) order = tsr_graph_sort(graph, error);
    g_autoptr(GHashTable) numbers = g_hash_table_new(NULL, NULL);
    g_autofree Asked *asked = NULL;
    const guint32 nd = TSR_FORMAT_ND;
    TsrFormatProblem *problem;
    if (order == NULL)
        return NULL;
    problem = g_new0(TsrFormatProblem, 1);
    problem->c0_lanes = c0_lanes;
    problem->nodes = g_array_new(FALSE, FALSE, sizeof(TsrFormatNode));
    problem->values = g_array_new(FALSE, FALSE, sizeof(TsrFormatValue));
    problem->formats = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_array_set_clear_func(problem->nodes, clear_node);
    g_array_set_clear_func(problem->values, clear_value);
    g_array_append_val(problem->formats, nd);
    asked = g_new0(Asked, order->len + 1);
    for (guint i = 0; i < order->len; i++) {
        TsrFormatNode item = {.node = g_ptr_array_index(order, i)};
        Asked *answer = &asked[problem->nodes->len];
        if (item.node->kind != TSR_NODE_OPERATOR)
            continue;
        item.columns = g_array_new(FALSE, FALSE, sizeof(TsrFormatColumn));
        item.values = g_array_new(FALSE, FALSE, sizeof(guint));
        g_array_set_clear_func(item.columns, clear_column);
        ask(&item, set, answer);
        for (guint k = 0; k < answer->count * port_count(item.node); k++)
            if (answer->formats[k] != TSR_FORMAT_ANY && answer->formats[k] >= TSR_FORMAT_NC1HWC0)
                note_format(problem->formats, answer->formats[k]);
        g_array_append_val(problem->nodes, item);
    }
    for (guint i = 0; i < graph->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(graph->inputs, i);
        if (value->desc.view.storage_format != plain_format(value))
            note_format(problem->formats, value->desc.view.storage_format);
    }
    if (force != TSR_FORMAT_ND && force != TSR_FORMAT_ANY)
        note_format(problem->formats, force);
    for (guint i = 0; i < problem->nodes->len; i++) {
        fill_columns(problem, tsr_format_node(problem, i), &asked[i], force);
        g_free(asked[i].formats);
        link_node(problem, numbers, i);
    }
    add_outsiders(problem, numbers, graph);
    return problem;
}

void tsr_format_problem_free(TsrFormatProblem *problem)
{
    if (problem == NULL)
        return;
    g_array_unref(problem->nodes);
    g_array_unref(problem->values);
    g_array_unref(problem->formats);
    g_free(problem);
}

/* --------------------------------------------------------------------- cost */

static double size_of(const TsrFormatProblem *problem, TsrFormatValue *value, guint32 format)
{
    Size size = {format, 0.0};
    for (guint i = 0; i < value->sizes->len; i++)
        if (g_array_index(value->sizes, Size, i).format == format)
            return g_array_index(value->sizes, Size, i).bytes;
    size.bytes = MAX(stored_bytes(value->value, format, problem->c0_lanes), 0.0);
    g_array_append_val(value->sizes, size);
    return size.bytes;
}

double tsr_format_conversion(const TsrFormatProblem *problem, guint value, guint32 from,
                             guint32 to)
{
    TsrFormatValue *entry = tsr_format_value(problem, value);
    TsrDesc first, second;
    if (from == to)
        return 0.0;
    tsr_desc_init(&first);
    tsr_desc_init(&second);
    tsr_desc_copy(&first, &entry->value->desc.view);
    tsr_desc_copy(&second, &entry->value->desc.view);
    if (tsr_desc_set_storage(&first, from, problem->c0_lanes) &&
        tsr_desc_set_storage(&second, to, problem->c0_lanes) &&
        tsr_storage_same_bytes(&first.view, &second.view))
        return 0.0;
    return size_of(problem, entry, from) + size_of(problem, entry, to);
}

guint32 tsr_format_produced(const TsrFormatProblem *problem, const TsrFormatValue *value)
{
    const TsrFormatNode *node;
    if (value->producer < 0)
        return value->fixed;
    node = tsr_format_node(problem, (guint)value->producer);
    return tsr_format_column(node, node->chosen)->formats[value->port];
}

guint32 tsr_format_wanted(const TsrFormatProblem *problem, const TsrFormatUse *use)
{
    const TsrFormatNode *node;
    if (use->node < 0)
        return use->format;
    node = tsr_format_node(problem, (guint)use->node);
    return tsr_format_column(node, node->chosen)->formats[use->port];
}

static double value_cost(const TsrFormatProblem *problem, guint index)
{
    const TsrFormatValue *value = tsr_format_value(problem, index);
    const guint32 produced = tsr_format_produced(problem, value);
    double cost = 0.0;
    for (guint i = 0; i < value->uses->len; i++) {
        const guint32 wanted =
            tsr_format_wanted(problem, &g_array_index(value->uses, TsrFormatUse, i));
        gboolean first = wanted != produced;
        for (guint k = 0; k < i && first; k++)
            first = tsr_format_wanted(problem, &g_array_index(value->uses, TsrFormatUse, k)) !=
                    wanted;
        if (first)
            cost += tsr_format_conversion(problem, index, produced, wanted);
    }
    return cost;
}

double tsr_format_node_cost(const TsrFormatProblem *problem, guint node)
{
    const TsrFormatNode *item = tsr_format_node(problem, node);
    double cost = tsr_format_column(item, item->chosen)->penalty;
    for (guint i = 0; i < item->values->len; i++)
        cost += value_cost(problem, g_array_index(item->values, guint, i));
    return cost;
}

double tsr_format_cost(const TsrFormatProblem *problem)
{
    double cost = 0.0;
    for (guint i = 0; i < problem->nodes->len; i++) {
        const TsrFormatNode *item = tsr_format_node(problem, i);
        cost += tsr_format_column(item, item->chosen)->penalty;
    }
    for (guint i = 0; i < problem->values->len; i++)
        cost += value_cost(problem, i);
    return cost;
}
