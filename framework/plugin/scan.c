/* SPDX-License-Identifier: Apache-2.0
 *
 * scan.c: see scan.h. Tells from the end of the child and from the last step that it named
 * what became of the plugin.
 */
#include "plugin/scan.h"

#include <stdlib.h>
#include <string.h>

#include "plugin/conf.h"
#include "plugin/scan_cache.h"
#include "plugin/scan_child.h"
#include "plugin/scan_report.h"

char *tsr_scan_find_program(char **out_reason)
{
    const char *named = secure_getenv("TESSERA_SCAN");
    g_autoptr(GPtrArray) places = tsr_conf_homes("tools/scan/tessera-scan", "tessera-scan");
    g_autoptr(GString) tried = g_string_new(NULL);
    if (named != NULL && named[0] != '\0') {
        g_ptr_array_set_size(places, 0);
        if (g_path_is_absolute(named))
            g_ptr_array_add(places, g_strdup(named));
    }
    for (guint i = 0; i < places->len; i++) {
        const char *path = g_ptr_array_index(places, i);
        char *real = g_file_test(path, G_FILE_TEST_IS_EXECUTABLE) ? realpath(path, NULL) : NULL;
        if (real != NULL)
            return real;
        g_string_append_printf(tried, "%s'%s'", tried->len != 0 ? ", " : "", path);
    }
    *out_reason = places->len != 0
                      ? g_strdup_printf("there is no program %s", tried->str)
                      : g_strdup("TESSERA_SCAN is no absolute path");
    return NULL;
}

/* "; it printed 'text'", on one line; "" when it did not. (transfer full) */
static char *printed_text(const TsrScanChild *child)
{
    g_autofree char *text = g_utf8_make_valid(child->output->str, (gssize)child->output->len);
    if (child->output_size == 0)
        return g_strdup("");
    for (char *at = text; *at != '\0'; at++)
        if (g_ascii_iscntrl(*at))
            *at = ' ';
    g_strchomp(text);
    return g_strdup_printf("; it printed '%s'%s", text,
                           child->output_size > child->output->len ? "..." : "");
}

static const char *signal_name(int number)
{
    const char *name = sigabbrev_np(number);
    return name != NULL ? name : "?";
}

/* What the child could not say of itself. */
static void judge(GKeyFile *report, const TsrScanChild *child, const TsrScanOptions *options,
                  const char *step)
{
    g_autofree char *printed = printed_text(child);
    g_autofree char *reason = NULL;
    TsrPluginFault fault = TSR_FAULT_EXIT;
    if (strcmp(step, TSR_SCAN_STEP_DONE) == 0) {
        if (child->output_size == 0 || tsr_scan_report_fault(report) != TSR_FAULT_NONE)
            return;
        fault = TSR_FAULT_PRINTED;
        reason = g_strdup_printf("printed %" G_GUINT64_FORMAT
                                 " bytes while it was loaded, which a plugin never does%s",
                                 child->output_size, printed);
    } else if (child->timed_out) {
        fault = TSR_FAULT_TIMEOUT;
        reason = g_strdup_printf("was still in step '%s' of loading after %g s%s", step,
                                 options->timeout_ms / 1000.0, printed);
    } else if (child->signal != 0) {
        fault = TSR_FAULT_SIGNAL;
        reason = g_strdup_printf("died of signal %d (SIG%s, %s) in step '%s' of loading%s",
                                 child->signal, signal_name(child->signal),
                                 g_strsignal(child->signal), step, printed);
    } else {
        reason = g_strdup_printf("ended its process with status %d in step '%s' of loading%s",
                                 child->status, step, printed);
    }
    tsr_scan_report_set_fault(report, fault, reason);
}

/* NULL with *out_trouble when the scanner itself does not work. (transfer full) */
static GKeyFile *look(const TsrLoadedPlugin *record, const TsrScanOptions *options,
                      char **out_trouble)
{
    g_autoptr(GKeyFile) report = g_key_file_new();
    g_autofree char *build = NULL, *step = NULL;
    TsrScanChild child;
    gboolean is_ours;
    if (tsr_scan_child_run(&child, options, record->path, record->name, out_trouble)) {
        if (child.report->len != 0)
            g_key_file_load_from_data(report, child.report->str, child.report->len,
                                      G_KEY_FILE_NONE, NULL);
        build = g_key_file_get_string(report, TSR_SCAN_GROUP, "build", NULL);
        step = g_key_file_get_string(report, TSR_SCAN_GROUP, "step", NULL);
        is_ours = step != NULL && g_strcmp0(build, tsr_scan_build()) == 0;
        if (is_ours)
            judge(report, &child, options, step);
        else if (build != NULL)
            *out_trouble = g_strdup_printf("'%s' is of build %s, this is %s", options->program,
                                           build, tsr_scan_build());
        else
            *out_trouble =
                g_strdup_printf("'%s' ended with status %d, signal %d before it began",
                                options->program, child.status, child.signal);
    } else {
        is_ours = FALSE;
    }
    tsr_scan_child_clear(&child);
    return is_ours && tsr_scan_report_fault(report) != TSR_FAULT_COUNT
               ? g_steal_pointer(&report)
               : NULL;
}

/* Whether the same file will do the same again. What a plugin says of the moment is asked
 * again, and so is what another library on this machine may mend; both do no harm. */
static gboolean is_lasting(TsrPluginFault fault)
{
    return fault != TSR_FAULT_QUERY && fault != TSR_FAULT_INIT && fault != TSR_FAULT_LOADER &&
           fault != TSR_FAULT_MISSING_SYMBOL;
}

gboolean tsr_scan_plugin(TsrLoadedPlugin *record, const TsrScanOptions *options,
                         char **out_trouble)
{
    TsrScanStamp stamp = {0};
    const gboolean stamped = tsr_scan_stamp_init(&stamp, record, options->program);
    g_autoptr(GKeyFile) report = NULL;
    g_autofree char *reason = NULL;
    TsrPluginFault fault;
    if (stamped && !options->rescan)
        report = tsr_scan_cache_load(&stamp);
    record->looked_at = report != NULL ? "cached" : "scanned";
    if (report == NULL) {
        report = look(record, options, out_trouble);
        if (report != NULL && stamped && is_lasting(tsr_scan_report_fault(report)))
            tsr_scan_cache_store(&stamp, report);
    }
    tsr_scan_stamp_clear(&stamp);
    fault = report != NULL ? tsr_scan_report_fault(report) : TSR_FAULT_NONE;
    if (report == NULL)
        record->looked_at = "in process";
    if (fault == TSR_FAULT_NONE)
        return TRUE;
    reason = g_key_file_get_string(report, TSR_SCAN_GROUP, "reason", NULL);
    return tsr_plugin_set_fault(record, fault, reason != NULL ? reason : "for a lost reason");
}
