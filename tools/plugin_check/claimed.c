/* SPDX-License-Identifier: Apache-2.0
 *
 * claimed.c: see claimed.h.
 */
#include "plugin_check/claimed.h"

#include <math.h>
#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "plugin/host.h"
#include "prepare/prepare.h"

gboolean pc_asked_make(PcAsked *asked, const PcCase *item, TsrSession *session, GError **error)
{
    *asked = (PcAsked){.inputs = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref)};
    asked->graph = pc_case_graph(item, session, asked->inputs, error);
    if (asked->graph == NULL || !tsr_prepare_graph(asked->graph, NULL, error))
        return FALSE;
    for (guint i = 0; i < asked->graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(asked->graph->nodes, i);
        if (node->kind != TSR_NODE_OPERATOR)
            continue;
        asked->node = node;
        for (guint k = 0; k < node->outputs->len; k++) {
            const TsrValue *value = g_ptr_array_index(node->outputs, k);
            asked->is_dynamic |= value != NULL && !tsr_desc_is_static(&value->desc.view);
        }
    }
    return TRUE;
}

void pc_asked_clear(PcAsked *asked)
{
    g_clear_pointer(&asked->graph, tsr_graph_unref);
    g_clear_pointer(&asked->inputs, g_ptr_array_unref);
    asked->node = NULL;
}

static gboolean bad_answer(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
static gboolean bad_answer(GError **error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_propagate_error(error, g_error_new_valist(TSR_ERROR, TSR_INTERNAL, format, args));
    va_end(args);
    return FALSE;
}

static gboolean judge(const TsrSupport *support, GError **error)
{
    const gboolean has_end = memchr(support->reason, '\0', sizeof(support->reason)) != NULL;
    if (support->answer > TSR_SUPPORT_IF)
        return bad_answer(error, "check answers %u, which is neither no, yes nor if",
                          support->answer);
    if (!has_end)
        return bad_answer(error, "the reason of check has no end within its %zu bytes",
                          sizeof(support->reason));
    if (support->answer != TSR_SUPPORT_YES && support->reason[0] == '\0')
        return bad_answer(error, "check says %s without a reason",
                          support->answer == TSR_SUPPORT_NO ? "no" : "if");
    if (support->answer == TSR_SUPPORT_NO &&
        (support->reason_code == TSR_REFUSE_NONE || support->reason_code > TSR_REFUSE_USER))
        return bad_answer(error, "check says no with reason code %u, which is none",
                          support->reason_code);
    if (!isfinite(support->cost) || support->cost < 0.0f)
        return bad_answer(error, "check says that the node costs %g", (double)support->cost);
    return TRUE;
}

gboolean pc_ask(const PcContext *context, const TsrLoadedPlugin *record, const PcAsked *asked,
                TsrSupport *out_support, GError **error)
{
    gint32 status;
    *out_support = (TsrSupport){.struct_size = sizeof(*out_support)};
    if (asked->is_dynamic && !(record->engine->flags & TSR_ENGINE_DYNAMIC)) {
        out_support->reason_code = TSR_REFUSE_DYNAMIC; /* the host does not ask either */
        return TRUE;
    }
    tsr_host_clear_error();
    status = record->engine->check(record->engine, tsr_node_view(asked->node), out_support);
    if (status != TSR_OK)
        return pc_slot_error(context, status, "check", error);
    return judge(out_support, error);
}

GPtrArray *pc_claimed(const PcContext *context, TsrSession *session,
                      const TsrLoadedPlugin *record, GPtrArray *cases, guint most)
{
    GPtrArray *claimed = g_ptr_array_new();
    const char *last = "";
    for (guint i = 0; i < cases->len && claimed->len < most; i++) {
        PcCase *item = g_ptr_array_index(cases, i);
        TsrSupport support = {0};
        PcAsked asked;
        if (strcmp(item->op, last) == 0 || item->is_random)
            continue;
        if (pc_asked_make(&asked, item, session, NULL) && asked.node != NULL &&
            pc_ask(context, record, &asked, &support, NULL) && support.answer == TSR_SUPPORT_YES) {
            g_ptr_array_add(claimed, item);
            last = item->op;
        }
        pc_asked_clear(&asked);
    }
    return claimed;
}

gboolean pc_start(PcContext *context, PcStart *out_start)
{
    const PcPlugin *plugin = context->plugin;
    GError *error = NULL;
    *out_start = (PcStart){0};
    if (plugin->engine == NULL) {
        pc_skip_check(context, "nodes", "the plugin brings no engine");
        return FALSE;
    }
    if (plugin->needs_other_device) {
        pc_skip_check(context, "nodes", "the device of the engine is not here");
        return FALSE;
    }
    out_start->session = pc_session(context, &error);
    out_start->record =
        out_start->session != NULL ? pc_loaded(context, out_start->session, &error) : NULL;
    if (out_start->record == NULL || out_start->record->engine == NULL) {
        if (pc_begin(context, "a session"))
            pc_fail(context, "%s", error != NULL ? error->message : "the engine is gone");
        g_clear_error(&error);
        pc_start_clear(out_start);
        return FALSE;
    }
    out_start->cases = pc_cases_new(out_start->session, context->settings->full);
    return TRUE;
}

void pc_start_clear(PcStart *start)
{
    g_clear_pointer(&start->cases, g_ptr_array_unref);
    g_clear_pointer(&start->session, tsr_session_free);
    start->record = NULL;
}
