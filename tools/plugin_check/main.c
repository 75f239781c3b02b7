/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c: `tessera-plugin-check PLUGIN.so`: the conformance kit (docs/plugin-check.md). Loads
 * nothing itself: a child process looks at the plugin, and each group runs in children of its
 * own, several groups side by side.
 */
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "options.h"
#include "plugin_check/child.h"
#include "plugin_check/report.h"
#include "plugin_check/setup.h"

static const PcGroup *const groups[] = {
    &pc_group_load,    &pc_group_lifecycle, &pc_group_leaks,  &pc_group_purity,
    &pc_group_claims,  &pc_group_formats,   &pc_group_fusion, &pc_group_offline,
    &pc_group_errors,  &pc_group_threads,
};

static gboolean is_group(const char *name)
{
    for (gsize i = 0; i < G_N_ELEMENTS(groups); i++)
        if (strcmp(groups[i]->name, name) == 0)
            return TRUE;
    return FALSE;
}

static void list_groups(void)
{
    for (gsize i = 0; i < G_N_ELEMENTS(groups); i++)
        printf("%-10s %s\n", groups[i]->name, groups[i]->about);
}

/* GLib keeps freed pieces for itself unless it is told not to before it starts, which would
 * hide what is given back. */
static void restart_without_slices(char **argv)
{
    if (g_getenv("G_SLICE") == NULL && g_setenv("G_SLICE", "always-malloc", TRUE))
        execv("/proc/self/exe", argv); /* goes on here where that fails */
}

/* What the user has set for sessions must not put another plugin in the place of this one. */
static void ignore_user(void)
{
    static const char *const names[] = {"TESSERA_PLUGIN_PATH", "TESSERA_PLUGIN_PATH_ADD",
                                        "TESSERA_PLUGINS_CONF"};
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
        g_unsetenv(names[i]);
}

/* The groups that are wanted; of a plugin that cannot be loaded only the first makes sense. */
static void run_groups(const PcPlugin *plugin, const PcSettings *settings, char **wanted,
                       guint jobs, GPtrArray *results)
{
    const PcGroup *chosen[G_N_ELEMENTS(groups)];
    guint count = 0;
    for (gsize i = 0; i < G_N_ELEMENTS(groups); i++)
        if (wanted == NULL || g_strv_contains((const char *const *)wanted, groups[i]->name))
            chosen[count++] = groups[i];
    if (plugin->is_known) {
        pc_children_run(chosen, count, plugin, settings, jobs, results);
        return;
    }
    for (guint i = 0; i < count; i++)
        if (chosen[i] == groups[0])
            pc_children_run(&chosen[i], 1, plugin, settings, jobs, results);
        else
            pc_report_skip(results, chosen[i]->name, "nodes and tables",
                           "the plugin cannot be loaded");
}

int main(int argc, char **argv)
{
    PcSettings settings = {.cycles = 100, .timeout_s = 30, .threads = 4};
    g_auto(GStrv) wanted = NULL;
    gint jobs = (gint)g_get_num_processors();
    gboolean json = FALSE, list = FALSE, verbose = FALSE;
    const GOptionEntry entries[] = {
        {"group", 'g', 0, G_OPTION_ARG_STRING_ARRAY, &wanted, "Only this group; repeatable",
         "NAME"},
        {"list", 'l', 0, G_OPTION_ARG_NONE, &list, "Lists the groups", NULL},
        {"full", 0, 0, G_OPTION_ARG_NONE, &settings.full, "Every shape with every type", NULL},
        {"cycles", 0, 0, G_OPTION_ARG_INT, &settings.cycles,
         "Times that the plugin is started and ended (100)", "N"},
        {"timeout", 0, 0, G_OPTION_ARG_INT, &settings.timeout_s, "Seconds for one check (30)",
         "S"},
        {"jobs", 'j', 0, G_OPTION_ARG_INT, &jobs, "Groups side by side (as many as processors)",
         "N"},
        {"json", 0, 0, G_OPTION_ARG_NONE, &json, "Prints one JSON object", NULL},
        {"verbose", 'v', 0, G_OPTION_ARG_NONE, &verbose, "Lists checks that passed as well",
         NULL},
        {NULL},
    };
    g_autoptr(GOptionContext) options = g_option_context_new("PLUGIN.so");
    g_autoptr(GPtrArray) results = g_ptr_array_new_with_free_func((GDestroyNotify)pc_result_free);
    g_autoptr(GError) error = NULL;
    PcSetup setup;
    int status;

    restart_without_slices(argv);
    ignore_user();
    g_option_context_set_summary(options, "Checks a plugin of Tessera against its contract.");
    g_option_context_add_main_entries(options, entries, NULL);
    if (!g_option_context_parse(options, &argc, &argv, &error))
        return tsr_tool_usage("%s", error->message);
    if (list) {
        list_groups();
        return TSR_EXIT_DONE;
    }
    if (argc != 2)
        return tsr_tool_usage("wanted one PLUGIN.so, got %d; see --help", argc - 1);
    for (guint i = 0; wanted != NULL && wanted[i] != NULL; i++)
        if (!is_group(wanted[i]))
            return tsr_tool_usage("no group is called '%s'; see --list", wanted[i]);
    if (settings.cycles < 1 || settings.timeout_s < 1 || jobs < 1)
        return tsr_tool_usage("--cycles, --timeout and --jobs are at least 1");
    if (!pc_setup_make(&setup, argv[1], settings.timeout_s, &error))
        return tsr_tool_fail(g_steal_pointer(&error));
    run_groups(&setup.plugin, &settings, wanted, (guint)jobs, results);
    status = pc_report_print(&setup.plugin, results, json, verbose);
    pc_setup_clear(&setup);
    return status;
}
