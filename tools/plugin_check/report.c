/* SPDX-License-Identifier: Apache-2.0
 *
 * report.c: see report.h.
 */
#include "plugin_check/report.h"

#include <stdio.h>
#include <string.h>

#include "json.h"
#include "options.h"

static const char *const words[] = {"passed", "failed", "skipped"};

typedef struct Count {
    guint verdicts[G_N_ELEMENTS(words)];
} Count;

void pc_report_skip(GPtrArray *results, const char *group, const char *check,
                    const char *reason)
{
    PcResult *result = g_new(PcResult, 1);
    *result = (PcResult){group, g_strdup(check), PC_SKIPPED, g_strdup(reason)};
    g_ptr_array_add(results, result);
}

static Count count_from(GPtrArray *results, guint begin, guint end)
{
    Count count = {{0}};
    for (guint i = begin; i < end; i++)
        count.verdicts[((PcResult *)g_ptr_array_index(results, i))->verdict]++;
    return count;
}

/* First result behind those of the group that `begin` is of. */
static guint group_end(GPtrArray *results, guint begin)
{
    const char *group = ((PcResult *)g_ptr_array_index(results, begin))->group;
    guint end = begin;
    while (end < results->len &&
           strcmp(((PcResult *)g_ptr_array_index(results, end))->group, group) == 0)
        end++;
    return end;
}

static void print_text(GPtrArray *results, gboolean verbose)
{
    for (guint begin = 0, end; begin < results->len; begin = end) {
        const char *group = ((PcResult *)g_ptr_array_index(results, begin))->group;
        Count count;
        end = group_end(results, begin);
        count = count_from(results, begin, end);
        for (guint i = begin; i < end; i++) {
            const PcResult *result = g_ptr_array_index(results, i);
            if (result->verdict == PC_PASSED && verbose)
                printf("ok      %s: %s\n", group, result->check);
            else if (result->verdict == PC_FAILED)
                printf("FAILED  %s: %s: %s\n", group, result->check, result->reason);
            else if (result->verdict == PC_SKIPPED)
                printf("skipped %s: %s: %s\n", group, result->check, result->reason);
        }
        printf("%-10s %u passed, %u failed, %u skipped\n", group, count.verdicts[PC_PASSED],
               count.verdicts[PC_FAILED], count.verdicts[PC_SKIPPED]);
    }
}

static void add_counts(JsonBuilder *json, const Count *count)
{
    for (gsize i = 0; i < G_N_ELEMENTS(words); i++)
        tsr_json_int(json, words[i], count->verdicts[i]);
}

static void print_json(const PcPlugin *plugin, GPtrArray *results, const Count *all)
{
    g_autoptr(JsonBuilder) json = json_builder_new();
    json_builder_begin_object(json);
    tsr_json_string(json, "plugin", plugin->path);
    tsr_json_string(json, "engine", plugin->engine);
    tsr_json_string(json, "device", plugin->device);
    add_counts(json, all);
    tsr_json_begin_array(json, "groups");
    for (guint begin = 0, end; begin < results->len; begin = end) {
        Count count;
        end = group_end(results, begin);
        count = count_from(results, begin, end);
        json_builder_begin_object(json);
        tsr_json_string(json, "name", ((PcResult *)g_ptr_array_index(results, begin))->group);
        add_counts(json, &count);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
    tsr_json_begin_array(json, "checks");
    for (guint i = 0; i < results->len; i++) {
        const PcResult *result = g_ptr_array_index(results, i);
        json_builder_begin_object(json);
        tsr_json_string(json, "group", result->group);
        tsr_json_string(json, "check", result->check);
        tsr_json_string(json, "verdict", words[result->verdict]);
        tsr_json_string(json, "reason", result->reason);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
    json_builder_end_object(json);
    tsr_json_print(json);
}

int pc_report_print(const PcPlugin *plugin, GPtrArray *results, gboolean json, gboolean verbose)
{
    const Count all = count_from(results, 0, results->len);
    if (json) {
        print_json(plugin, results, &all);
    } else {
        print_text(results, verbose);
        printf("%u passed, %u failed, %u skipped\n", all.verdicts[PC_PASSED],
               all.verdicts[PC_FAILED], all.verdicts[PC_SKIPPED]);
    }
    return all.verdicts[PC_FAILED] == 0 ? TSR_EXIT_DONE : TSR_EXIT_FAILED;
}
