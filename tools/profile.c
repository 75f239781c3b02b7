/* SPDX-License-Identifier: Apache-2.0
 *
 * profile.c: see profile.h. What cores report is kept by runtime/task_log.c without a lock; here
 * it is read, when no run is on.
 */
#include "profile.h"

#include <tessera/plugin.h>

#include "base/error.h"
#include "json.h"
#include "runtime/task_log.h"

struct TsrProfile {
    TsrModel *model;
    TsrTaskLog *log;
    double *task_us;     /* per task, once asked for */
};

/* The groups of the timeline. */
enum { CORES = 1, STREAMS = 2 };

TsrProfile *tsr_profile_new(TsrModel *model, GError **error)
{
    TsrSink *sink = tsr_bound_model_sink(model->bound);
    TsrProfile *profile = g_new0(TsrProfile, 1);
    profile->model = model;
    profile->log = tsr_task_log_new();
    if (sink != NULL && tsr_sink_set_log(sink, profile->log))
        return profile;
    g_set_error(error, TSR_ERROR, TSR_UNSUPPORTED,
                "a profile needs a model with a task list and a device that reports its tasks");
    profile->model = NULL;
    tsr_profile_free(profile);
    return NULL;
}

void tsr_profile_free(TsrProfile *profile)
{
    if (profile == NULL)
        return;
    if (profile->model != NULL)
        tsr_sink_set_log(tsr_bound_model_sink(profile->model->bound), NULL);
    tsr_task_log_free(profile->log);
    g_free(profile->task_us);
    g_free(profile);
}

double tsr_profile_task_us(TsrProfile *profile, guint task)
{
    const guint count = tsr_bound_model_program(profile->model->bound)->tasks->len;
    if (profile->task_us == NULL) {
        g_autoptr(GArray) tasks = tsr_task_log_tasks(profile->log);
        profile->task_us = g_new0(double, count + 1);
        for (guint i = 0; i < tasks->len; i++) {
            const TsrTaskRecord *record = &g_array_index(tasks, TsrTaskRecord, i);
            if (record->task < count)
                profile->task_us[record->task] +=
                    (double)(record->end_ns - record->begin_ns) / 1000.0;
        }
    }
    return task < count ? profile->task_us[task] : 0.0;
}

GArray *tsr_profile_records(TsrProfile *profile)
{
    return tsr_task_log_records(profile->log);
}

/* The kernel, or what else the task does; NULL: it takes no time. */
static const char *category(const TsrProgramTask *task)
{
    switch (task->kind) {
    case TSR_TASK_KERNEL:
        return task->kernel;
    case TSR_TASK_HOST_CALL:
        return "host";
    case TSR_TASK_MEMCPY:
    case TSR_TASK_MEMCPY_AT:
        return "copy";
    case TSR_TASK_COUNT_BEGIN:
    case TSR_TASK_COUNT_NEXT:
        return "count";
    default:
        return NULL;
    }
}

static void add_event(JsonBuilder *json, const TsrProgram *program, const TsrTaskRecord *record,
                      guint group, guint64 origin)
{
    const TsrProgramTask *task = record->task < program->tasks->len
                                     ? g_ptr_array_index(program->tasks, record->task)
                                     : NULL;
    if (task == NULL || category(task) == NULL)
        return;
    json_builder_begin_object(json);
    tsr_json_string(json, "name", task->name != NULL ? task->name : "");
    tsr_json_string(json, "cat", category(task));
    tsr_json_string(json, "ph", "X");
    tsr_json_int(json, "pid", group);
    tsr_json_int(json, "tid", group == CORES ? record->core : task->stream);
    tsr_json_double(json, "ts", (double)(record->begin_ns - origin) / 1000.0);
    tsr_json_double(json, "dur", (double)(record->end_ns - record->begin_ns) / 1000.0);
    tsr_json_begin_object(json, "args");
    tsr_json_int(json, "task", record->task);
    tsr_json_int(json, "stream", task->stream);
    json_builder_end_object(json);
    json_builder_end_object(json);
}

/* What viewers call a group, or a line of it. */
static void add_name(JsonBuilder *json, const char *kind, guint group, guint line,
                     const char *name)
{
    json_builder_begin_object(json);
    tsr_json_string(json, "name", kind);
    tsr_json_string(json, "ph", "M");
    tsr_json_int(json, "pid", group);
    tsr_json_int(json, "tid", line);
    tsr_json_begin_object(json, "args");
    tsr_json_string(json, "name", name);
    json_builder_end_object(json);
    json_builder_end_object(json);
}

static void add_lines(JsonBuilder *json, guint group, const char *all, const char *one,
                      guint count)
{
    add_name(json, "process_name", group, 0, all);
    for (guint i = 0; i < count; i++) {
        g_autofree char *name = g_strdup_printf("%s %u", one, i);
        add_name(json, "thread_name", group, i, name);
    }
}

gboolean tsr_profile_write(TsrProfile *profile, const char *path, GError **error)
{
    const TsrProgram *program = tsr_bound_model_program(profile->model->bound);
    g_autoptr(GArray) records = tsr_task_log_records(profile->log);
    g_autoptr(GArray) tasks = tsr_task_log_tasks(profile->log);
    g_autoptr(JsonBuilder) json = json_builder_new();
    g_autoptr(JsonGenerator) generator = json_generator_new();
    g_autoptr(JsonNode) root = NULL;
    const guint64 origin =
        records->len != 0 ? g_array_index(records, TsrTaskRecord, 0).begin_ns : 0;
    json_builder_begin_object(json);
    tsr_json_begin_array(json, "traceEvents");
    add_lines(json, CORES, "cores", "core",
              tsr_device_traits(profile->model->session->device).core_count);
    add_lines(json, STREAMS, "streams", "stream", program->stream_count);
    for (guint i = 0; i < records->len; i++)
        add_event(json, program, &g_array_index(records, TsrTaskRecord, i), CORES, origin);
    for (guint i = 0; i < tasks->len; i++)
        add_event(json, program, &g_array_index(tasks, TsrTaskRecord, i), STREAMS, origin);
    json_builder_end_array(json);
    json_builder_end_object(json);
    root = json_builder_get_root(json);
    json_generator_set_root(generator, root);
    return json_generator_to_file(generator, path, error);
}
