/* SPDX-License-Identifier: Apache-2.0
 *
 * page_timeline.c: the timeline of a report, see page.h: a lane per core.
 */
#include "page.h"

enum { WIDTH = 1000, LANE = 34, MARGIN = 10 };

static guint hue_of(const TsrProgramTask *task)
{
    return g_str_hash(task->kernel != NULL ? task->kernel : "host") % 360;
}

static void draw_record(GString *out, const TsrProgramTask *task, const TsrTaskRecord *record,
                        guint64 begin_ns, double ns_per_pixel)
{
    const double x = (double)(record->begin_ns - begin_ns) / ns_per_pixel;
    const double width = (double)(record->end_ns - record->begin_ns) / ns_per_pixel;
    g_string_append_printf(out,
                           "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" "
                           "fill=\"hsl(%u 55%% 65%%)\"><title>",
                           MARGIN + x, MARGIN + record->core * LANE, MAX(width, 0.2), LANE - 4,
                           hue_of(task));
    tsr_page_text(out, task->name != NULL ? task->name : "");
    g_string_append(out, " (");
    tsr_page_text(out, task->kernel != NULL ? task->kernel : "host");
    g_string_append_printf(out, ") %.2f us, stream %u</title></rect>\n",
                           (double)(record->end_ns - record->begin_ns) / 1000.0, task->stream);
}

void tsr_page_timeline(GString *out, TsrProfile *profile, const TsrProgram *program,
                       const char *why)
{
    g_autoptr(GArray) records = profile != NULL ? tsr_profile_records(profile) : NULL;
    guint64 begin = G_MAXUINT64, end = 0;
    guint cores = 1;
    g_string_append(out, "<h2 id=\"timeline\">Timeline</h2>\n");
    if (records == NULL || records->len == 0) {
        g_string_append(out, "<p>There is none: ");
        tsr_page_text(out, why != NULL ? why : "the device reported no task");
        g_string_append(out, "</p>\n");
        return;
    }
    for (guint i = 0; i < records->len; i++) {
        const TsrTaskRecord *record = &g_array_index(records, TsrTaskRecord, i);
        begin = MIN(begin, record->begin_ns);
        end = MAX(end, record->end_ns);
        cores = MAX(cores, record->core + 1);
    }
    g_string_append_printf(out,
                           "<p>One run with random inputs here: %.3f ms on %u core%s, %u "
                           "stream%s. A lane is a core.</p>\n<svg class=\"memory\" width=\"%d\" "
                           "height=\"%u\">\n",
                           (double)(end - begin) / 1e6, cores, cores == 1 ? "" : "s",
                           program->stream_count, program->stream_count == 1 ? "" : "s",
                           WIDTH + 2 * MARGIN, 2 * MARGIN + cores * LANE);
    for (guint i = 0; i < records->len; i++) {
        const TsrTaskRecord *record = &g_array_index(records, TsrTaskRecord, i);
        if (record->task < program->tasks->len)
            draw_record(out, g_ptr_array_index(program->tasks, record->task), record, begin,
                        MAX((double)(end - begin) / WIDTH, 1.0));
    }
    g_string_append(out, "</svg>\n");
}
