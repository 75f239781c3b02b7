/* SPDX-License-Identifier: Apache-2.0
 *
 * group_formats.c: the columns of storage formats that a selector gives are within their
 * bounds, the same twice, and true: every storage format that a node is said to take is forced
 * on it and the numbers are those of the reference engine.
 */
#include <math.h>
#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "ir/storage.h"
#include "plugin/host.h"
#include "plugin_check/claimed.h"
#include "prepare/format_declare.h"
#include "prepare/format_infer.h"
#include "prepare/prepare.h"

enum { CAPACITY = 32, GUARD = 64, GUARD_WORD = 0x5A5A5A5A };

/* What the user means by a picture; without it nothing may be blocked. */
static const char *const pictures[] = {"*:NCHW", NULL};

typedef struct Columns {
    TsrColumnSet set;
    guint32 *formats;
    float scores[CAPACITY + GUARD];
} Columns;

static GError *wrong(const char *format, ...) G_GNUC_PRINTF(1, 2);
static GError *wrong(const char *format, ...)
{
    va_list args;
    GError *error;
    va_start(args, format);
    error = g_error_new_valist(TSR_ERROR, TSR_INTERNAL, format, args);
    va_end(args);
    return error;
}

/* Asks with room for so many columns, and looks at all that was written. */
static GError *ask_columns(const PcContext *context, const TsrFormatSelector *selector,
                           const TsrNodeView *view, guint32 capacity, Columns *out)
{
    const guint32 ports = view->input_count + view->output_count;
    const gsize entries = (gsize)capacity * ports;
    GError *error = NULL;
    gint32 status;
    out->formats = g_new(guint32, entries + GUARD);
    for (gsize i = 0; i < entries + GUARD; i++)
        out->formats[i] = GUARD_WORD;
    for (guint i = 0; i < G_N_ELEMENTS(out->scores); i++)
        out->scores[i] = -12345.0f;
    out->set = (TsrColumnSet){.struct_size = sizeof(out->set), .port_count = ports,
                              .capacity = capacity, .formats = out->formats,
                              .scores = out->scores};
    tsr_host_clear_error();
    status = selector->columns(selector, view, &out->set);
    if (status != TSR_OK) {
        pc_slot_error(context, status, "columns", &error);
        return error;
    }
    if (out->set.count > capacity)
        return wrong("%u columns where there is room for %u", out->set.count, capacity);
    for (gsize i = entries; i < entries + GUARD; i++)
        if (out->formats[i] != GUARD_WORD)
            return wrong("columns writes behind the formats");
    for (guint i = capacity; i < G_N_ELEMENTS(out->scores); i++)
        if (out->scores[i] != -12345.0f)
            return wrong("columns writes behind the scores");
    if (out->set.count != 0 &&
        (out->set.selector < TSR_SELECTOR_KERNEL || out->set.selector > TSR_SELECTOR_CUSTOMIZE))
        return wrong("selector %u is none of kernel, builtin and customize", out->set.selector);
    for (guint32 c = 0; c < out->set.count; c++) {
        if (!isfinite(out->scores[c]))
            return wrong("column %u has score %g", c, (double)out->scores[c]);
        for (guint32 p = 0; p < ports; p++)
            if (strcmp(tsr_format_name(out->formats[c * ports + p]), "unknown") == 0)
                return wrong("column %u gives port %u the format %u, which is none", c, p,
                             out->formats[c * ports + p]);
    }
    return NULL;
}

static GError *ask_opinions(const TsrFormatSelector *selector, const TsrNodeView *view)
{
    for (guint32 f = TSR_FORMAT_ND; TSR_HAS(selector, opinion) && f <= TSR_FORMAT_C1HWNCOC0; f++) {
        const guint32 first = selector->opinion(selector, view, f);
        const guint32 second = selector->opinion(selector, view, f);
        if (first > TSR_OPINION_KEEP || first != second)
            return wrong("opinion on %s is %u, and then %u", tsr_format_name(f), first, second);
    }
    return NULL;
}

/* The node with its origin formats known; FALSE where it is not asked about. */
static gboolean make_node(const PcStart *start, const PcCase *item, PcAsked *asked)
{
    *asked = (PcAsked){.inputs = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref)};
    asked->graph = pc_case_graph(item, start->session, asked->inputs, NULL);
    if (asked->graph == NULL || !tsr_format_declare(asked->graph, pictures, NULL) ||
        !tsr_prepare_graph(asked->graph, NULL, NULL) || !tsr_format_infer(asked->graph, NULL))
        return FALSE;
    for (guint i = 0; i < asked->graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(asked->graph->nodes, i);
        if (node->kind == TSR_NODE_OPERATOR)
            asked->node = node;
    }
    for (guint i = 0; asked->node != NULL && i < asked->node->outputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(asked->node->outputs, i);
        asked->is_dynamic |= value != NULL && !tsr_desc_is_static(&value->desc.view);
    }
    return asked->node != NULL && !asked->is_dynamic;
}

/* Columns of the node into a set of formats, a bit each. */
static GError *look(const PcContext *context, const PcStart *start, const PcCase *item,
                    guint64 *out_formats)
{
    const TsrFormatSelector *selector = start->record->selector;
    TsrSupport support = {0};
    Columns first = {0}, second = {0}, few = {0};
    GError *error = NULL;
    PcAsked asked;
    *out_formats = 0;
    if (make_node(start, item, &asked) &&
        pc_ask(context, start->record, &asked, &support, NULL) &&
        support.answer == TSR_SUPPORT_YES) {
        const TsrNodeView *view = tsr_node_view(asked.node);
        const guint32 ports = view->input_count + view->output_count;
        error = ask_columns(context, selector, view, CAPACITY, &first);
        if (error == NULL)
            error = ask_columns(context, selector, view, CAPACITY, &second);
        if (error == NULL)
            error = ask_columns(context, selector, view, 1, &few);
        if (error == NULL)
            error = ask_opinions(selector, view);
        if (error == NULL &&
            (first.set.count != second.set.count ||
             memcmp(first.formats, second.formats,
                    (gsize)first.set.count * ports * sizeof(guint32)) != 0 ||
             memcmp(first.scores, second.scores, first.set.count * sizeof(float)) != 0))
            error = wrong("asked again, the columns are others");
        for (guint32 i = 0; error == NULL && i < first.set.count * ports; i++)
            if (first.formats[i] < 64)
                *out_formats |= UINT64_C(1) << first.formats[i];
        if (error != NULL)
            g_prefix_error(&error, "%s: ", item->text);
    }
    g_free(first.formats);
    g_free(second.formats);
    g_free(few.formats);
    pc_asked_clear(&asked);
    return error;
}

static GPtrArray *run_case(TsrSession *session, const PcCase *item, const char *force,
                           GError **error)
{
    const TsrCompileOptions options = {.struct_size = sizeof(options), .force_format = force,
                                       .input_formats = force != NULL ? pictures : NULL};
    g_autoptr(GPtrArray) inputs =
        g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    g_autoptr(TsrGraph) graph = pc_case_graph(item, session, inputs, error);
    return graph != NULL ? pc_run(session, graph, &options, inputs, error) : NULL;
}

static void check_forced(PcContext *context, const PcStart *start, TsrSession *reference,
                         const PcCase *item, guint32 format)
{
    g_autoptr(GPtrArray) wanted = NULL;
    g_autoptr(GPtrArray) got = NULL;
    GError *error = NULL;
    wanted = run_case(reference, item, NULL, &error);
    if (wanted == NULL) {
        pc_skip(context, "the reference engine cannot tell: %s", error->message);
        g_clear_error(&error);
        return;
    }
    got = run_case(start->session, item, tsr_format_name(format), &error);
    if (got != NULL)
        pc_same(got, wanted, FALSE, &error);
    pc_end(context, error);
}

static void run(PcContext *context)
{
    PcStart start;
    g_autoptr(TsrSession) reference = NULL;
    g_autofree guint64 *formats = NULL;
    if (!context->plugin->has_selector) {
        pc_skip_check(context, "columns", "the plugin brings no format selector");
        return;
    }
    if (!pc_start(context, &start))
        return;
    if (start.record->selector->engine != NULL &&
        g_ascii_strcasecmp(start.record->selector->engine, context->plugin->engine) != 0) {
        pc_skip_check(context, "columns", "the selector serves '%s'",
                      start.record->selector->engine);
        pc_start_clear(&start);
        return;
    }
    reference = pc_reference(context, NULL);
    formats = g_new0(guint64, start.cases->len);
    if (pc_begin(context, "columns of %u cases", start.cases->len)) {
        GError *error = NULL;
        for (guint i = 0; i < start.cases->len && error == NULL; i++)
            error = look(context, &start, g_ptr_array_index(start.cases, i), &formats[i]);
        pc_end(context, error);
    } else {
        for (guint i = 0; i < start.cases->len; i++)
            g_clear_error(&(GError *){look(context, &start, g_ptr_array_index(start.cases, i),
                                           &formats[i])});
    }
    for (guint i = 0; reference != NULL && i < start.cases->len; i++) {
        const PcCase *item = g_ptr_array_index(start.cases, i);
        for (guint32 f = TSR_FORMAT_NC1HWC0; f <= TSR_FORMAT_C1HWNCOC0; f++)
            if ((formats[i] >> f & 1) != 0 &&
                pc_begin(context, "%s in %s", item->text, tsr_format_name(f)))
                check_forced(context, &start, reference, item, f);
    }
    pc_start_clear(&start);
}

const PcGroup pc_group_formats = {"formats", "columns of the selector, and every format forced",
                                  run, FALSE};
