/* SPDX-License-Identifier: Apache-2.0
 *
 * report.c: see report.h.
 */
#include "report.h"

#include <stdio.h>
#include <tessera/plugin_util.h>

void tsr_report_warn(const TsrCompileReport *report)
{
    const GPtrArray *conflicts = report->format_conflicts;
    for (guint i = 0; conflicts != NULL && i < conflicts->len; i++) {
        g_autofree char *text = tsr_format_conflict_to_text(g_ptr_array_index(conflicts, i));
        fprintf(stderr, "warning: formats: %s\n", text);
    }
}

void tsr_report_json(JsonBuilder *json, const TsrCompileReport *report)
{
    const GPtrArray *conflicts = report->format_conflicts;
    tsr_json_begin_array(json, "format_conflicts");
    for (guint i = 0; conflicts != NULL && i < conflicts->len; i++) {
        const TsrFormatConflict *conflict = g_ptr_array_index(conflicts, i);
        json_builder_begin_object(json);
        tsr_json_string(json, "value", conflict->value);
        tsr_json_string(json, "format", tsr_format_name(conflict->format));
        tsr_json_string(json, "anchor", conflict->anchor);
        tsr_json_string(json, "wanted", tsr_format_name(conflict->wanted));
        tsr_json_string(json, "wanted_by", conflict->wanted_by);
        tsr_json_string(json, "node", conflict->node);
        json_builder_end_object(json);
    }
    json_builder_end_array(json);
}
