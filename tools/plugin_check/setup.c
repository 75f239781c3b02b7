/* SPDX-License-Identifier: Apache-2.0
 *
 * setup.c: see setup.h.
 */
#include "plugin_check/setup.h"

#include <fcntl.h>
#include <glib-unix.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

#define GROUP "plugin"

/* Never returns: loads the plugin and writes what it is. */
static void look(const PcSetup *setup, int fd)
{
    TsrLoadedPlugin record = {.path = setup->path, .name = setup->name};
    const int null = open("/dev/null", O_RDWR);
    g_autoptr(GKeyFile) facts = g_key_file_new();
    g_autofree char *text = NULL;
    gsize size = 0;
    const int high = fcntl(fd, F_DUPFD_CLOEXEC, 100);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    tsr_plugin_open(&record);
    if (record.state != TSR_PLUGIN_LOADED)
        _exit(1);
    if (record.engine != NULL) {
        g_key_file_set_string(facts, GROUP, "engine", record.engine->name);
        g_key_file_set_uint64(facts, GROUP, "flags", record.engine->flags);
        if (record.engine->device != NULL)
            g_key_file_set_string(facts, GROUP, "wants", record.engine->device);
    }
    if (record.device != NULL)
        g_key_file_set_string(facts, GROUP, "device", record.device->name);
    g_key_file_set_boolean(facts, GROUP, "selector", record.selector != NULL);
    g_key_file_set_boolean(facts, GROUP, "fusion", record.fusion != NULL);
    text = g_key_file_to_data(facts, &size, NULL);
    if (write(high, text, size) != (gssize)size)
        _exit(1);
    _exit(0);
}

/* What a child says of the plugin; NULL when it does not come to its end. */
static GKeyFile *ask(const PcSetup *setup, gint timeout_s)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GKeyFile) facts = g_key_file_new();
    const gint64 end = g_get_monotonic_time() + (gint64)timeout_s * G_USEC_PER_SEC;
    int pipe_ends[2], status = 1;
    gssize got = 1;
    pid_t pid;
    fflush(NULL);
    if (!g_unix_open_pipe(pipe_ends, FD_CLOEXEC, NULL) || (pid = fork()) < 0)
        return NULL;
    if (pid == 0)
        look(setup, pipe_ends[1]);
    close(pipe_ends[1]);
    while (got > 0 && g_get_monotonic_time() < end) {
        struct pollfd fd = {pipe_ends[0], POLLIN, 0};
        char bytes[1024];
        if (poll(&fd, 1, 100) <= 0)
            continue;
        got = read(pipe_ends[0], bytes, sizeof(bytes));
        if (got > 0)
            g_string_append_len(text, bytes, got);
    }
    if (got > 0)
        kill(pid, SIGKILL);
    close(pipe_ends[0]);
    waitpid(pid, &status, 0);
    return status == 0 && g_key_file_load_from_data(facts, text->str, text->len, 0, NULL)
               ? g_steal_pointer(&facts)
               : NULL;
}

static char *write_conf(const PcSetup *setup, const char *leaf, const char *device,
                        gboolean with_plugin, GError **error)
{
    static const char *const helpers[] = {"aicpu", "npu_sim"};
    g_autoptr(GString) text = g_string_new("[tessera]\nscan=off\nfallback=silent\n");
    g_autofree char *folder = g_path_get_dirname(setup->path);
    char *path = g_build_filename(setup->folder, leaf, NULL);
    if (with_plugin || strcmp(setup->name, "aicpu") == 0)
        g_string_append_printf(text, "search_path=%s\n", folder);
    g_string_append_printf(text, "device=%s\n[plugins]\n", device);
    if (with_plugin)
        g_string_append_printf(text, "%s=on\n", setup->name);
    for (gsize i = 0; i < (with_plugin ? G_N_ELEMENTS(helpers) : 1); i++)
        if (!with_plugin || strcmp(helpers[i], setup->name) != 0)
            g_string_append_printf(text, "%s=on\n", helpers[i]);
    if (!g_file_set_contents(path, text->str, -1, error))
        g_clear_pointer(&path, g_free);
    return path;
}

gboolean pc_setup_make(PcSetup *setup, const char *path, gint timeout_s, GError **error)
{
    g_autoptr(GKeyFile) facts = NULL;
    g_autofree char *wants = NULL;
    const char *device;
    *setup = (PcSetup){.path = realpath(path, NULL)};
    if (setup->path == NULL || !g_file_test(setup->path, G_FILE_TEST_IS_REGULAR) ||
        !g_str_has_suffix(setup->path, ".so")) {
        g_set_error(error, TSR_ERROR, TSR_NOT_FOUND, "'%s' is no file NAME.so", path);
        return FALSE;
    }
    setup->name = g_path_get_basename(setup->path);
    setup->name[strlen(setup->name) - 3] = '\0';
    setup->folder = g_dir_make_tmp("tessera_plugin_check_XXXXXX", error);
    if (setup->folder == NULL)
        return FALSE;
    facts = ask(setup, timeout_s);
    setup->plugin = (PcPlugin){.path = setup->path, .name = setup->name,
                               .folder = setup->folder, .is_known = facts != NULL};
    if (facts != NULL) {
        PcPlugin *plugin = &setup->plugin;
        plugin->engine = g_key_file_get_string(facts, GROUP, "engine", NULL);
        plugin->engine_flags = (guint32)g_key_file_get_uint64(facts, GROUP, "flags", NULL);
        plugin->device = g_key_file_get_string(facts, GROUP, "device", NULL);
        plugin->has_selector = g_key_file_get_boolean(facts, GROUP, "selector", NULL);
        plugin->has_fusion = g_key_file_get_boolean(facts, GROUP, "fusion", NULL);
        wants = g_key_file_get_string(facts, GROUP, "wants", NULL);
    }
    device = setup->plugin.device != NULL ? setup->plugin.device : "npu_sim";
    setup->plugin.needs_other_device = wants != NULL && strcmp(wants, device) != 0;
    setup->plugin.conf = write_conf(setup, "plugins.conf", device, TRUE, error);
    setup->plugin.reference_conf = write_conf(setup, "reference.conf", "npu_sim", FALSE, error);
    return setup->plugin.conf != NULL && setup->plugin.reference_conf != NULL;
}

void pc_setup_clear(PcSetup *setup)
{
    g_autoptr(GDir) folder = setup->folder != NULL ? g_dir_open(setup->folder, 0, NULL) : NULL;
    const char *name;
    while (folder != NULL && (name = g_dir_read_name(folder)) != NULL) {
        g_autofree char *path = g_build_filename(setup->folder, name, NULL);
        g_remove(path);
    }
    if (setup->folder != NULL)
        g_rmdir(setup->folder);
    g_free(setup->plugin.conf);
    g_free(setup->plugin.reference_conf);
    g_free(setup->plugin.engine);
    g_free(setup->plugin.device);
    g_free(setup->folder);
    g_free(setup->name);
    free(setup->path);
}
