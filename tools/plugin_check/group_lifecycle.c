/* SPDX-License-Identifier: Apache-2.0
 *
 * group_lifecycle.c: started and ended any number of times, a plugin leaves no thread and no
 * open file, can be unloaded, and computes as it did before.
 */
#include <dlfcn.h>
#include <string.h>

#include "base/error.h"
#include "plugin/host.h"
#include "plugin_check/claimed.h"
#include "plugin_check/device_checks.h"
#include "runtime/device.h"

/* Entries of a folder of /proc/self: threads ("task"), open files ("fd"). */
static guint count_own(const char *what)
{
    g_autofree char *path = g_build_filename("/proc/self", what, NULL);
    g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
    guint count = 0;
    while (folder != NULL && g_dir_read_name(folder) != NULL)
        count++;
    return count;
}

/* Threads that are ending need a moment to be gone. */
static guint count_threads(guint wanted)
{
    guint count = count_own("task");
    for (int i = 0; i < 200 && count > wanted; i++) {
        g_usleep(5000);
        count = count_own("task");
    }
    return count;
}

static TsrLoadedPlugin *open_alone(const PcContext *context)
{
    TsrLoadedPlugin *record = g_new0(TsrLoadedPlugin, 1);
    record->path = g_strdup(context->plugin->path);
    record->name = g_strdup(context->plugin->name);
    tsr_plugin_open(record);
    return record;
}

/* A host closes a library that it refuses after init, such as one with a taken operator. */
static void check_unload(PcContext *context)
{
    TsrLoadedPlugin *record = open_alone(context);
    const guint threads = count_own("task");
    void *left;
    if (record->state != TSR_PLUGIN_LOADED) {
        pc_fail(context, "%s", record->reason);
        tsr_plugin_free(record);
        return;
    }
    tsr_plugin_refuse(record, TSR_FAULT_OPS, "for the check");
    left = dlopen(context->plugin->path, RTLD_NOW | RTLD_NOLOAD);
    if (count_threads(1) > 1)
        pc_fail(context, "%u threads are left after shutdown, there were %u before it",
                count_own("task") - 1, threads - 1);
    else if (left != NULL)
        pc_fail(context, "the library stays in memory when it is closed");
    else
        pc_pass(context);
    tsr_plugin_free(record);
}

static GError *cycle(const PcContext *context)
{
    GError *error = NULL;
    TsrSession *session = pc_session(context, &error);
    if (session != NULL)
        pc_loaded(context, session, &error);
    if (error == NULL && session->set->device != NULL)
        tsr_session_device(session, &error);
    tsr_session_free(session);
    return error;
}

static void check_cycles(PcContext *context)
{
    GError *error = NULL;
    guint threads, files;
    for (int i = 0; i < 3 && error == NULL; i++)
        error = cycle(context);
    threads = count_own("task");
    files = count_own("fd");
    for (gint i = 0; i < context->settings->cycles && error == NULL; i++) {
        error = cycle(context);
        g_prefix_error(&error, "in cycle %d: ", i + 1);
    }
    if (error == NULL && count_threads(threads) > threads)
        error = g_error_new(TSR_ERROR, TSR_INTERNAL, "%u threads are left of %d cycles",
                            count_own("task") - threads, context->settings->cycles);
    if (error == NULL && count_own("fd") > files)
        error = g_error_new(TSR_ERROR, TSR_INTERNAL, "%u open files are left of %d cycles",
                            count_own("fd") - files, context->settings->cycles);
    pc_end(context, error);
}

static GPtrArray *compute(PcContext *context, char **out_text, GError **error)
{
    PcStart start;
    GPtrArray *results = NULL;
    g_autoptr(GPtrArray) claimed = NULL;
    if (!pc_start(context, &start))
        return NULL;
    claimed = pc_claimed(context, start.session, start.record, start.cases, 1);
    if (claimed->len != 0) {
        const PcCase *item = g_ptr_array_index(claimed, 0);
        g_autoptr(GPtrArray) inputs =
            g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
        g_autoptr(TsrGraph) graph = pc_case_graph(item, start.session, inputs, error);
        *out_text = g_strdup(item->text);
        results = graph != NULL ? pc_run(start.session, graph, NULL, inputs, error) : NULL;
    }
    pc_start_clear(&start);
    return results;
}

static void check_again(PcContext *context)
{
    g_autofree char *text = NULL;
    g_autofree char *other = NULL;
    g_autoptr(GPtrArray) first = NULL;
    g_autoptr(GPtrArray) second = NULL;
    GError *error = NULL;
    first = compute(context, &text, &error);
    if (text == NULL) {
        pc_skip(context, "the engine takes none of the cases");
        return;
    }
    if (first != NULL && (second = compute(context, &other, &error)) != NULL &&
        !pc_same(second, first, TRUE, &error))
        g_prefix_error(&error, "%s: ", text);
    pc_end(context, error);
}

static void run(PcContext *context)
{
    const PcPlugin *plugin = context->plugin;
    if (pc_begin(context, "can be unloaded"))
        check_unload(context);
    if (pc_begin(context, "%d times started and ended", context->settings->cycles))
        check_cycles(context);
    pc_device_lifecycle(context);
    if (plugin->engine == NULL || plugin->needs_other_device)
        pc_skip_check(context, "computes the same after a new start", "%s",
                      plugin->engine == NULL ? "the plugin brings no engine"
                                             : "the device of the engine is not here");
    else if (pc_begin(context, "computes the same after a new start"))
        check_again(context);
}

const PcGroup pc_group_lifecycle = {"lifecycle", "start, end, unload, start again", run, FALSE};
