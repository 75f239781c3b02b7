/* SPDX-License-Identifier: Apache-2.0
 *
 * test_cycles.c: sessions that come and go: plugins are loaded, a model compiled, run, saved,
 * loaded and run, and all is shut down, a hundred times, or TESSERA_CYCLES times. After the
 * first tenth nothing may grow: memory in use, open files, threads, mapped files. Both with
 * plugins that stay mapped, as is the rule, and with TESSERA_UNLOAD, which closes them.
 */
#include <malloc.h>
#include <sys/wait.h>
#include <tessera/plugin_util.h>
#include <unistd.h>

#include "api/session.h"
#include "fixture.h"

enum { CYCLES = 100, RESCANS = 8, SLACK_BYTES = 1024 };

/* What a process has of what may leak. */
typedef struct Usage {
    gsize bytes;    /* in use, of all that was allocated */
    guint files, threads, mappings;
} Usage;

static guint count_entries(const char *path)
{
    GDir *dir = g_dir_open(path, 0, NULL);
    guint count = 0;
    ck_assert_ptr_nonnull(dir);
    while (g_dir_read_name(dir) != NULL)
        count++;
    g_dir_close(dir);
    return count;
}

/* Mappings of files: those of memory come and go with the allocator. */
static guint count_mapped(const char *part)
{
    g_autofree char *text = NULL;
    g_auto(GStrv) lines = NULL;
    guint count = 0;
    ck_assert(g_file_get_contents("/proc/self/maps", &text, NULL, NULL));
    lines = g_strsplit(text, "\n", -1);
    for (guint i = 0; lines[i] != NULL; i++)
        count += strchr(lines[i], '/') != NULL && strstr(lines[i], part) != NULL;
    return count;
}

static Usage usage_now(void)
{
    Usage usage = {.files = count_entries("/proc/self/fd"), .mappings = count_mapped("/")};
    const struct mallinfo2 info = mallinfo2();
    usage.bytes = info.uordblks + info.hblkhd;
    /* A thread that was joined may be seen for a moment. */
    for (guint tries = 0; tries < 100; tries++) {
        usage.threads = count_entries("/proc/self/task");
        if (usage.threads == 1)
            break;
        g_usleep(2000);
    }
    return usage;
}

static TsrSession *session_new(const char *conf, gboolean rescan)
{
    TsrSessionOptions options = TSR_SESSION_OPTIONS_INIT;
    GError *error = NULL;
    TsrSession *session;
    options.plugins_conf = conf;
    options.threads = 2;
    options.rescan = rescan;
    session = tsr_session_new(&options, &error);
    ck_assert_msg(session != NULL, "%s", error != NULL ? error->message : "");
    return session;
}

/* On the device, on the host (NonZero), with conversions and a fusion between them. */
static TsrModel *compile(TsrSession *session)
{
    g_autoptr(TsrGraph) graph = tsr_session_graph(session, "cycle");
    TsrValue *y = fixture_input(graph, "x", SHAPE(1, 20, 8, 8));
    GError *error = NULL;
    TsrModel *model;
    y = fixture_node(graph, "Conv", "conv",
                     VALUES(y, fixture_constant(graph, "w", SHAPE(24, 20, 3, 3))), NULL);
    y = fixture_node(graph, "Relu", "relu", VALUES(y), NULL);
    tsr_build_output(graph, "out", fixture_node(graph, "Softmax", "soft", VALUES(y), "axis=1"));
    tsr_build_output(graph, "where", fixture_node(graph, "NonZero", "nonzero", VALUES(y), NULL));
    model = tsr_session_compile(session, graph, NULL, &error);
    ck_assert_msg(model != NULL, "%s", error != NULL ? error->message : "");
    return model;
}

static void run(TsrModel *model)
{
    g_autoptr(TsrArray) x = fixture_array(NULL, SHAPE(1, 20, 8, 8));
    TsrArray *outputs[] = {NULL, NULL};
    GError *error = NULL;
    ck_assert_msg(tsr_model_run(model, &x, outputs, &error), "%s",
                  error != NULL ? error->message : "");
    tsr_array_unref(outputs[0]);
    tsr_array_unref(outputs[1]);
}

static void cycle(const char *conf, const char *om, gboolean rescan)
{
    g_autoptr(TsrSession) session = session_new(conf, rescan);
    g_autoptr(TsrModel) model = compile(session);
    g_autoptr(TsrModel) loaded = NULL;
    GError *error = NULL;
    run(model);
    ck_assert(tsr_model_save(model, om, &error));
    loaded = tsr_session_load(session, om, &error);
    ck_no_error(error);
    run(loaded);
}

/* Plugins of the build, and two that are refused each time: one after it was opened. */
static char *write_conf(const char *directory, const char *more)
{
    g_autofree char *text = g_strdup_printf(
        "[tessera]\nsearch_path=%s;%s\ndevice=npu_sim\n%s[plugins]\nnn_engine=on\naicpu=on\n"
        "npu_sim=on\nbad_init_fails=on\nbad_wrong_abi=on\n[engines]\npriority=nn_engine;aicpu\n",
        PLUGINS_DIR, BAD_PLUGINS_DIR, more);
    return fixture_file(directory, "plugins.conf", text, -1);
}

static guint cycles_wanted(void)
{
    const char *text = g_getenv("TESSERA_CYCLES");
    guint64 count;
    return text != NULL && g_ascii_string_to_unsigned(text, 10, 10, 1000000, &count, NULL)
               ? (guint)count
               : CYCLES;
}

/* Nothing grows from the first tenth of the cycles to the end. */
static void ck_flat(const char *more, guint cycles, gboolean rescan)
{
    g_autofree char *directory = fixture_directory();
    g_autofree char *conf = write_conf(directory, more);
    g_autofree char *om = g_build_filename(directory, "m.om", NULL);
    Usage begin, end;
    for (guint i = 0; i < MAX(cycles / 10, 3); i++)
        cycle(conf, om, rescan);
    begin = usage_now();
    for (guint i = MAX(cycles / 10, 3); i < cycles; i++)
        cycle(conf, om, rescan);
    end = usage_now();
    ck_assert_msg(end.bytes <= begin.bytes + SLACK_BYTES,
                  "%u cycles: %zu bytes in use, %zu before", cycles, end.bytes, begin.bytes);
    ck_assert_uint_eq(end.files, begin.files);
    ck_assert_uint_eq(end.threads, begin.threads);
    ck_assert_uint_eq(end.mappings, begin.mappings);
}

START_TEST(resident)
{
    g_unsetenv("TESSERA_UNLOAD");
    ck_flat("", cycles_wanted(), FALSE);
    /* One handle a library, however often it was opened; refused ones are closed. */
    ck_assert_uint_gt(count_mapped("/nn_engine.so"), 0);
    ck_assert_uint_eq(count_mapped("/bad_init_fails.so"), 0);
    ck_assert_uint_eq(count_mapped("/bad_wrong_abi.so"), 0);
}
END_TEST

/* Refused in this very process, cycle by cycle. */
START_TEST(refused_here)
{
    g_unsetenv("TESSERA_UNLOAD");
    ck_flat("scan=off\n", cycles_wanted() / 2, FALSE);
    ck_assert_uint_eq(count_mapped("/bad_init_fails.so"), 0);
    ck_assert_uint_eq(count_mapped("/bad_wrong_abi.so"), 0);
}
END_TEST

START_TEST(unloaded)
{
    g_setenv("TESSERA_UNLOAD", "1", TRUE);
    ck_flat("", cycles_wanted(), FALSE);
    ck_assert_uint_eq(count_mapped("/nn_engine.so"), 0);
    ck_assert_uint_eq(count_mapped("/npu_sim.so"), 0);
    ck_assert_uint_eq(count_mapped("/aicpu.so"), 0);
    g_unsetenv("TESSERA_UNLOAD");
}
END_TEST

/* Every plugin is looked at in a child, every time; no child stays. */
START_TEST(scanned)
{
    g_unsetenv("TESSERA_UNLOAD");
    ck_flat("", RESCANS, TRUE);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}
END_TEST

/* Without the allocators' caches, whose contents count as in use, numbers are exact. */
static void without_caches(void)
{
    static const char *const settings[][2] = {
        {"GLIBC_TUNABLES", "glibc.malloc.tcache_count=0"},
        {"G_SLICE", "always-malloc"},
        {"MALLOC_ARENA_MAX", "1"},
    };
    char *const argv[] = {(char *)"cycles", NULL};
    if (g_strcmp0(g_getenv(settings[0][0]), settings[0][1]) == 0)
        return;
    for (gsize i = 0; i < G_N_ELEMENTS(settings); i++)
        g_setenv(settings[i][0], settings[i][1], TRUE);
    execv("/proc/self/exe", argv);
}

int main(void)
{
    const TTest *const tests[] = {resident, refused_here, unloaded, scanned};
    without_caches();
    return fixture_main("cycles", tests, G_N_ELEMENTS(tests));
}
