/* SPDX-License-Identifier: Apache-2.0
 *
 * virtual_device.c: see virtual_device.h.
 */
#include "plugin/virtual_device.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "plugin/host.h"

enum { CORES_MAX = 4096, LANES_MAX = 1024, ALIGNMENT_MAX = 1 << 20 };

typedef struct VirtualDevice {
    TsrDevice table; /* first: slots find the rest by it */
    TsrDeviceInfo info;
    char *name;
} VirtualDevice;

/* What open gives out; streams, events and models of it are it as well. */
struct TsrDeviceContext {
    const VirtualDevice *device;
    guint32 core_count;
};

gboolean tsr_device_info_check(const TsrDeviceInfo *info, const char *name, GError **error)
{
    const guint32 align = info->alignment, lanes = info->c0_lanes;
    if (info->core_count >= 1 && info->core_count <= CORES_MAX && lanes <= LANES_MAX &&
        (lanes & (lanes - 1)) == 0 && align <= ALIGNMENT_MAX && (align & (align - 1)) == 0)
        return TRUE;
    g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                "device '%s' says that it has %u cores, channel blocks of %u and an alignment of "
                "%u; wanted 1 to %d cores, and powers of two up to %d and %d",
                name, info->core_count, lanes, align, CORES_MAX, LANES_MAX, ALIGNMENT_MAX);
    return FALSE;
}

/* ------------------------------------------------------------------- slots */

static int32_t cannot(const TsrDeviceContext *context, const char *what)
{
    const TsrHost *host = tsr_host_get();
    return host->set_error(host, TSR_UNSUPPORTED,
                           "device '%s' is only declared, so that nothing can be %s there",
                           context->device->name, what);
}

static int32_t device_open(const TsrDevice *device, uint32_t core_count,
                           TsrDeviceContext **out_context)
{
    TsrDeviceContext *context = g_new0(TsrDeviceContext, 1);
    context->device = (const VirtualDevice *)device;
    context->core_count = core_count != 0 ? core_count : context->device->info.core_count;
    *out_context = context;
    return TSR_OK;
}

static void device_close(TsrDeviceContext *context)
{
    g_free(context);
}

static int32_t device_get_info(TsrDeviceContext *context, TsrDeviceInfo *out_info)
{
    *out_info = context->device->info;
    out_info->core_count = context->core_count;
    return TSR_OK;
}

static int32_t device_memory_alloc(TsrDeviceContext *context, uint64_t size_bytes,
                                   void **out_memory)
{
    (void)context;
    *out_memory = tsr_memory_alloc(MAX(size_bytes, 1));
    return *out_memory != NULL ? TSR_OK : TSR_OUT_OF_MEMORY;
}

static void device_memory_free(TsrDeviceContext *context, void *memory)
{
    (void)context;
    tsr_memory_free(memory);
}

/* Never called: every way to run one is refused. */
static void no_kernel(void *const *args, const void *params, uint32_t block_index,
                      uint32_t block_dim)
{
    (void)args;
    (void)params;
    (void)block_index;
    (void)block_dim;
}

static TsrKernelFn device_kernel_find(TsrDeviceContext *context, const char *name)
{
    (void)context;
    (void)name;
    return no_kernel;
}

static int32_t device_stream_create(TsrDeviceContext *context, TsrStream **out_stream)
{
    *out_stream = (TsrStream *)context;
    return TSR_OK;
}

static void device_stream_destroy(TsrStream *stream)
{
    (void)stream;
}

static int32_t device_launch(TsrStream *stream, const TsrTask *task)
{
    (void)task;
    return cannot((const TsrDeviceContext *)stream, "launched");
}

static int32_t device_synchronize(TsrStream *stream)
{
    (void)stream;
    return TSR_OK;
}

static int32_t device_event_create(TsrDeviceContext *context, TsrEvent **out_event)
{
    *out_event = (TsrEvent *)context;
    return TSR_OK;
}

static void device_event_destroy(TsrEvent *event)
{
    (void)event;
}

static int32_t device_event_record(TsrEvent *event, TsrStream *stream)
{
    (void)stream;
    return cannot((const TsrDeviceContext *)event, "recorded");
}

static int32_t device_event_wait(TsrStream *stream, TsrEvent *event)
{
    (void)event;
    return cannot((const TsrDeviceContext *)stream, "waited for");
}

static int32_t device_event_query(TsrEvent *event, uint32_t *out_done)
{
    (void)event;
    *out_done = 1;
    return TSR_OK;
}

static int32_t device_model_load(TsrDeviceContext *context, const TsrTaskList *tasks,
                                 TsrDeviceModel **out_model)
{
    (void)tasks;
    *out_model = (TsrDeviceModel *)context;
    return TSR_OK;
}

static int32_t device_model_execute(TsrDeviceModel *model, uint64_t timeout_us)
{
    (void)timeout_us;
    return cannot((const TsrDeviceContext *)model, "run");
}

static void device_model_unload(TsrDeviceModel *model)
{
    (void)model;
}

/* Compiling folds constants on the host, which may ask for cores. */
static void device_parallel(TsrDeviceContext *context, uint32_t block_dim,
                            void (*fn)(void *arg, uint32_t block, uint32_t block_dim), void *arg)
{
    (void)context;
    for (uint32_t block = 0; block < block_dim; block++)
        fn(arg, block, block_dim);
}

static const TsrDevice device_slots = {
    .struct_size = sizeof(TsrDevice),
    .flags = TSR_DEVICE_HOST_ACCESSIBLE,
    .open = device_open,
    .close = device_close,
    .get_info = device_get_info,
    .memory_alloc = device_memory_alloc,
    .memory_free = device_memory_free,
    .kernel_find = device_kernel_find,
    .stream_create = device_stream_create,
    .stream_destroy = device_stream_destroy,
    .launch = device_launch,
    .stream_synchronize = device_synchronize,
    .event_create = device_event_create,
    .event_destroy = device_event_destroy,
    .event_record = device_event_record,
    .event_wait = device_event_wait,
    .event_query = device_event_query,
    .model_load = device_model_load,
    .model_execute = device_model_execute,
    .model_unload = device_model_unload,
    .parallel = device_parallel,
};

/* -------------------------------------------------------------------- file */

#define GROUP "device"

/* The numbers of a file, with what they are when it does not say. */
typedef struct NumberRow {
    const char *key;
    gsize offset, size;
    guint64 otherwise;
    gboolean mandatory;
} NumberRow;

#define NUMBER(key, otherwise, mandatory)                                           \
    {#key, offsetof(TsrDeviceInfo, key), sizeof(((TsrDeviceInfo *)NULL)->key), otherwise, \
     mandatory}

static const NumberRow numbers[] = {
    NUMBER(core_count, 1, FALSE),     NUMBER(c0_lanes, 0, TRUE),
    NUMBER(alignment, 64, FALSE),     NUMBER(l1_bytes, 32768, FALSE),
    NUMBER(l2_bytes, 1 << 20, FALSE), NUMBER(memory_bytes, 0, FALSE),
};

static gboolean read_number(GKeyFile *file, const char *path, const NumberRow *row,
                            TsrDeviceInfo *info, GError **error)
{
    g_autofree char *word = g_key_file_get_value(file, GROUP, row->key, NULL);
    guint64 number = row->otherwise;
    guint32 narrow;
    if (word == NULL && row->mandatory) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "device file '%s': [" GROUP "] lacks the key %s", path, row->key);
        return FALSE;
    }
    if (word != NULL &&
        !g_ascii_string_to_unsigned(word, 10, 1, row->size == 4 ? G_MAXUINT32 : G_MAXUINT64,
                                    &number, NULL)) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "device file '%s': [" GROUP "] %s: wanted a number above 0, got '%s'", path,
                    row->key, word);
        return FALSE;
    }
    narrow = (guint32)number;
    memcpy((char *)info + row->offset, row->size == 4 ? (gpointer)&narrow : (gpointer)&number,
           row->size);
    return TRUE;
}

static gboolean check_keys(GKeyFile *file, const char *path, GError **error)
{
    const char *known[G_N_ELEMENTS(numbers) + 2] = {"name", "isa"};
    g_auto(GStrv) groups = g_key_file_get_groups(file, NULL);
    g_auto(GStrv) keys = g_key_file_get_keys(file, GROUP, NULL, NULL);
    for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++)
        known[i + 2] = numbers[i].key;
    for (guint i = 0; groups[i] != NULL; i++) {
        if (strcmp(groups[i], GROUP) == 0)
            continue;
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "device file '%s': unknown group [%s]; wanted [" GROUP "]", path, groups[i]);
        return FALSE;
    }
    for (guint i = 0; keys != NULL && keys[i] != NULL; i++) {
        g_autofree char *hint = NULL;
        gboolean found = FALSE;
        for (gsize k = 0; k < G_N_ELEMENTS(known); k++)
            found |= strcmp(known[k], keys[i]) == 0;
        if (found)
            continue;
        hint = tsr_nearest_hint(keys[i], known, G_N_ELEMENTS(known));
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "device file '%s': [" GROUP "] has the unknown key %s%s", path, keys[i],
                    hint);
        return FALSE;
    }
    return TRUE;
}

static gboolean read_device(VirtualDevice *device, GKeyFile *file, const char *path,
                            GError **error)
{
    g_autofree char *isa = g_key_file_get_string(file, GROUP, "isa", NULL);
    if (!check_keys(file, path, error))
        return FALSE;
    device->name = g_key_file_get_string(file, GROUP, "name", NULL);
    if (device->name == NULL || device->name[0] == '\0') {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "device file '%s': [" GROUP "] lacks the key name", path);
        return FALSE;
    }
    for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++)
        if (!read_number(file, path, &numbers[i], &device->info, error))
            return FALSE;
    g_strlcpy(device->info.isa, isa != NULL ? isa : "", sizeof(device->info.isa));
    if (tsr_device_info_check(&device->info, device->name, error))
        return TRUE;
    g_prefix_error(error, "device file '%s': ", path);
    return FALSE;
}

TsrLoadedPlugin *tsr_virtual_device_new(const char *path, GError **error)
{
    g_autoptr(GKeyFile) file = g_key_file_new();
    g_autoptr(GError) cause = NULL;
    VirtualDevice *device;
    TsrLoadedPlugin *record;
    if (!g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, &cause)) {
        g_set_error(error, TSR_ERROR, TSR_IO, "device file '%s': %s", path, cause->message);
        return NULL;
    }
    device = g_new0(VirtualDevice, 1);
    device->table = device_slots;
    device->info.struct_size = sizeof(device->info);
    record = g_new0(TsrLoadedPlugin, 1);
    record->state = TSR_PLUGIN_LOADED;
    record->path = g_strdup(path);
    record->device = &device->table;
    if (!read_device(device, file, path, error)) {
        tsr_virtual_device_free(record);
        return NULL;
    }
    device->table.name = device->name;
    record->name = g_strdup(device->name);
    return record;
}

void tsr_virtual_device_free(TsrLoadedPlugin *record)
{
    VirtualDevice *device;
    if (record == NULL)
        return;
    device = (VirtualDevice *)record->device;
    g_free(device->name);
    g_free(device);
    tsr_plugin_free(record);
}
