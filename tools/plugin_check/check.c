/* SPDX-License-Identifier: Apache-2.0
 *
 * check.c: see check.h. Verdicts are lines on a pipe: B (a check begins), then P, F or S with
 * a reason, or N for none; child.c reads them.
 */
#include "plugin_check/check.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "plugin/host.h"

/* One line, whatever the text holds. */
static void send_line(const PcContext *context, char kind, const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    g_autofree char *line = NULL;
    const char *at;
    gsize left;
    g_strdelimit(valid, "\n\r\t", ' ');
    line = g_strdup_printf("%c%s\n", kind, valid);
    left = strlen(line);
    for (at = line; left > 0;) {
        const gssize done = write(context->fd, at, left);
        if (done <= 0)
            _exit(4); /* nobody listens any more */
        at += done;
        left -= (gsize)done;
    }
}

gboolean pc_begin(PcContext *context, const char *format, ...)
{
    g_autofree char *name = NULL;
    va_list args;
    if (context->next++ < context->resume)
        return FALSE;
    va_start(args, format);
    name = g_strdup_vprintf(format, args);
    va_end(args);
    send_line(context, 'B', name);
    return TRUE;
}

void pc_pass(PcContext *context)
{
    send_line(context, 'P', "");
}

void pc_fail(PcContext *context, const char *format, ...)
{
    g_autofree char *reason = NULL;
    va_list args;
    va_start(args, format);
    reason = g_strdup_vprintf(format, args);
    va_end(args);
    send_line(context, 'F', reason);
}

void pc_skip(PcContext *context, const char *format, ...)
{
    g_autofree char *reason = NULL;
    va_list args;
    va_start(args, format);
    reason = g_strdup_vprintf(format, args);
    va_end(args);
    send_line(context, 'S', reason);
}

void pc_drop(PcContext *context)
{
    send_line(context, 'N', "");
}

void pc_end(PcContext *context, GError *error)
{
    if (error == NULL)
        pc_pass(context);
    else
        pc_fail(context, "%s", error->message);
    g_clear_error(&error);
}

void pc_skip_check(PcContext *context, const char *name, const char *format, ...)
{
    g_autofree char *reason = NULL;
    va_list args;
    if (!pc_begin(context, "%s", name))
        return;
    va_start(args, format);
    reason = g_strdup_vprintf(format, args);
    va_end(args);
    send_line(context, 'S', reason);
}

static TsrSession *open_session(const char *conf, const char *const *priority, guint threads,
                                GError **error)
{
    TsrSessionOptions options = TSR_SESSION_OPTIONS_INIT;
    options.plugins_conf = conf;
    options.engine_priority = priority;
    options.threads = threads;
    return tsr_session_new(&options, error);
}

TsrSession *pc_session(const PcContext *context, GError **error)
{
    const char *const both[] = {context->plugin->engine, "aicpu", NULL};
    const char *const reference[] = {"aicpu", NULL};
    const gboolean has_other =
        context->plugin->engine != NULL && strcmp(context->plugin->engine, "aicpu") != 0;
    return open_session(context->plugin->conf, has_other ? both : reference, 2, error);
}

TsrSession *pc_reference(const PcContext *context, GError **error)
{
    return open_session(context->plugin->reference_conf, NULL, 1, error);
}

const TsrLoadedPlugin *pc_loaded(const PcContext *context, TsrSession *session, GError **error)
{
    for (guint i = 0; i < session->set->plugins->len; i++) {
        const TsrLoadedPlugin *record = g_ptr_array_index(session->set->plugins, i);
        if (strcmp(record->name, context->plugin->name) != 0)
            continue;
        if (record->state == TSR_PLUGIN_LOADED)
            return record;
        g_set_error(error, TSR_ERROR, TSR_INCOMPATIBLE, "the plugin is %s: %s",
                    tsr_plugin_state_name(record->state), record->reason);
        return NULL;
    }
    g_set_error(error, TSR_ERROR, TSR_INTERNAL, "the session has no record of the plugin");
    return NULL;
}

gboolean pc_slot_error(const PcContext *context, gint32 status, const char *slot, GError **error)
{
    return tsr_host_take_error(status, context->plugin->name, slot, error);
}
