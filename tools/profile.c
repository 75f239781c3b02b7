/* SPDX-License-Identifier: Apache-2.0
 *
 * profile.c: see profile.h. Cores report at the same time, so records are taken under
 * a lock; profiling is not free, and is said not to be.
 */
#include "profile.h"

#include "base/error.h"
#include "json.h"

typedef struct Record {
    guint32 task;
    guint32 core;
    guint64 begin_ns;
    guint64 end_ns;
} Record;

struct TsrProfile {
    TsrModel *model;
    GArray *records;
    GMutex lock;
};

static void take_record(gpointer user, guint32 task, guint32 core, guint64 begin_ns,
                        guint64 end_ns)
{
    TsrProfile *profile = user;
    Record record = {task, core, begin_ns, end_ns};
    g_mutex_lock(&profile->lock);
    g_array_append_val(profile->records, record);
    g_mutex_unlock(&profile->lock);
}

TsrProfile *tsr_profile_new(TsrModel *model, GError **error)
{
    TsrSink *sink = tsr_bound_model_sink(model->bound);
    TsrProfile *profile = g_new0(TsrProfile, 1);
    profile->model = model;
    profile->records = g_array_new(FALSE, FALSE, sizeof(Record));
    g_mutex_init(&profile->lock);
    if (sink != NULL && tsr_sink_set_hook(sink, take_record, profile))
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
        tsr_sink_set_hook(tsr_bound_model_sink(profile->model->bound), NULL, NULL);
    g_array_unref(profile->records);
    g_mutex_clear(&profile->lock);
    g_free(profile);
}

double tsr_profile_task_us(TsrProfile *profile, guint task)
{
    guint64 total = 0;
    for (guint i = 0; i < profile->records->len; i++) {
        const Record *record = &g_array_index(profile->records, Record, i);
        if (record->task == task)
            total += record->end_ns - record->begin_ns;
    }
    return (double)total / 1000.0;
}

static void add_event(JsonBuilder *json, const TsrProgram *program, const Record *record,
                      guint64 origin)
{
    const TsrProgramTask *task = g_ptr_array_index(program->tasks, record->task);
    json_builder_begin_object(json);
    tsr_json_string(json, "name", task->name != NULL ? task->name : "");
    tsr_json_string(json, "cat", task->kernel[0] != '\0' ? task->kernel : "host");
    tsr_json_string(json, "ph", "X");
    tsr_json_int(json, "pid", 1);
    tsr_json_int(json, "tid", record->core);
    tsr_json_double(json, "ts", (double)(record->begin_ns - origin) / 1000.0);
    tsr_json_double(json, "dur", (double)(record->end_ns - record->begin_ns) / 1000.0);
    json_builder_end_object(json);
}

gboolean tsr_profile_write(TsrProfile *profile, const char *path, GError **error)
{
    const TsrProgram *program = tsr_bound_model_program(profile->model->bound);
    g_autoptr(JsonBuilder) json = json_builder_new();
    g_autoptr(JsonGenerator) generator = json_generator_new();
    g_autoptr(JsonNode) root = NULL;
    guint64 origin = G_MAXUINT64;
    for (guint i = 0; i < profile->records->len; i++)
        origin = MIN(origin, g_array_index(profile->records, Record, i).begin_ns);
    json_builder_begin_object(json);
    tsr_json_begin_array(json, "traceEvents");
    for (guint i = 0; i < profile->records->len; i++) {
        const Record *record = &g_array_index(profile->records, Record, i);
        if (record->task < program->tasks->len)
            add_event(json, program, record, origin);
    }
    json_builder_end_array(json);
    json_builder_end_object(json);
    root = json_builder_get_root(json);
    json_generator_set_root(generator, root);
    return json_generator_to_file(generator, path, error);
}
