/* SPDX-License-Identifier: Apache-2.0
 *
 * test_fit.c: whether an offline model fits, by its tables alone: what its engines say of each
 * cluster, versions, devices; and compiling for a device that is not there.
 */
#include <tessera/plugin_util.h>

#include "api/fit.h"
#include "fixture.h"

/* ------------------------------------------------------------ engines by hand */

typedef struct Scribe {
    FakeEngine fake;      /* first: the slots find the rest by it */
    guint32 answer;       /* to validate */
    int32_t status;
    GString *asked;       /* texts that validate got */
} Scribe;

static TsrPlugin plugin = {.struct_size = sizeof(TsrPlugin), .name = "scribe", .version = "1.0"};

static int32_t describe(const TsrEngine *engine, const TsrNodeView *const *nodes,
                        uint32_t node_count, char *out_text, uint32_t capacity)
{
    (void)engine;
    g_snprintf(out_text, capacity, "%u from %s", node_count, nodes[0]->name);
    return TSR_OK;
}

static int32_t validate(const TsrEngine *engine, uint32_t blob_version, const char *compat,
                        TsrSupport *out_support)
{
    Scribe *scribe = (Scribe *)engine;
    g_string_append_printf(scribe->asked, "%u:%s;", blob_version, compat);
    out_support->answer = scribe->answer;
    g_strlcpy(out_support->reason, "the ink is dry", sizeof(out_support->reason));
    return scribe->status;
}

static int32_t run_nothing(const TsrExecutor *executor, void *state, TsrRunContext *run)
{
    (void)executor;
    (void)state;
    (void)run;
    return TSR_UNSUPPORTED;
}

static const TsrExecutor executor = {.struct_size = sizeof(TsrExecutor), .run = run_nothing};

static void scribe_init(Scribe *scribe, const char *name, const char *ops)
{
    fake_engine_init(&scribe->fake, name, ops);
    scribe->fake.engine.blob_version = 7;
    scribe->fake.engine.compat = "of the whole engine";
    scribe->answer = TSR_SUPPORT_YES;
    scribe->status = TSR_OK;
    scribe->asked = g_string_new(NULL);
}

/* A session of the two engines, or of the first alone. */
static TsrSession *session_of(Scribe *first, Scribe *second)
{
    FakeEngine *fakes[] = {&first->fake, second != NULL ? &second->fake : NULL};
    TsrSession *session = g_new0(TsrSession, 1);
    g_atomic_ref_count_init(&session->refs);
    g_mutex_init(&session->plan_lock);
    session->set = fixture_set(fakes, second != NULL ? 2 : 1, NULL);
    for (guint i = 0; i < session->set->plugins->len; i++) {
        TsrLoadedPlugin *record = g_ptr_array_index(session->set->plugins, i);
        record->plugin = &plugin;
        record->executor = &executor;
    }
    return session;
}

/* add and relu on the first engine, exp on the second. */
static char *compile(TsrSession *session)
{
    g_autoptr(TsrGraph) graph = tsr_session_graph(session, "test");
    g_autofree char *directory = fixture_directory();
    TsrValue *y = fixture_input(graph, "x", SHAPE(4));
    g_autoptr(TsrModel) model = NULL;
    GError *error = NULL;
    char *path = g_build_filename(directory, "m.om", NULL);
    y = fixture_node(graph, "Add", "add", VALUES(y, y), NULL);
    y = fixture_node(graph, "Relu", "relu", VALUES(y), NULL);
    tsr_build_output(graph, "out", fixture_node(graph, "Exp", "exp", VALUES(y), NULL));
    model = tsr_session_compile(session, graph, NULL, &error);
    ck_assert_msg(model != NULL, "%s", error != NULL ? error->message : "");
    ck_assert(tsr_model_save(model, path, &error));
    return path;
}

static void ck_fit(TsrSession *session, const char *path, TsrFit wanted, const char *part)
{
    g_auto(GStrv) reasons = NULL;
    GError *error = NULL;
    TsrFit fit;
    ck_assert_msg(tsr_session_fit(session, path, &fit, &reasons, &error), "%s",
                  error != NULL ? error->message : "");
    ck_assert_msg(fit == wanted, "wanted %s, got %s (%s)", tsr_fit_name(wanted),
                  tsr_fit_name(fit), reasons[0] != NULL ? reasons[0] : "");
    if (part == NULL)
        ck_assert_ptr_null(reasons[0]);
    else
        ck_assert_msg(strstr(reasons[0], part) != NULL, "'%s' lacks '%s'", reasons[0], part);
}

START_TEST(engines_know_their_clusters)
{
    Scribe first, second;
    g_autoptr(TsrSession) session = NULL;
    g_autofree char *path = NULL;
    g_autoptr(GVariant) meta = NULL;
    g_autoptr(GArray) clusters = NULL;
    GError *error = NULL;
    TsrOmFile file;
    scribe_init(&first, "first", " Add Relu ");
    scribe_init(&second, "second", NULL);
    first.fake.engine.describe = describe;
    first.fake.engine.validate = second.fake.engine.validate = validate;
    session = session_of(&first, &second);
    path = compile(session);
    g_string_truncate(first.asked, 0);
    g_string_truncate(second.asked, 0);
    ck_fit(session, path, TSR_FIT_YES, NULL);
    ck_assert_str_eq(first.asked->str, "7:2 from add;");
    ck_assert_str_eq(second.asked->str, "7:of the whole engine;");

    ck_assert(tsr_om_open_tables(path, &file, &error));
    meta = tsr_om_section(&file, TSR_OM_META, "a{sv}", &error);
    clusters = tsr_om_clusters(meta);
    tsr_om_close(&file);
    ck_assert_uint_eq(clusters->len, 2);
    ck_assert_str_eq(g_array_index(clusters, TsrOmCluster, 0).engine, "first");
    ck_assert_uint_eq(g_array_index(clusters, TsrOmCluster, 0).nodes, 2);
    ck_assert_str_eq(g_array_index(clusters, TsrOmCluster, 1).first, "exp");
    ck_assert_uint_ne(g_array_index(clusters, TsrOmCluster, 0).hash,
                      g_array_index(clusters, TsrOmCluster, 1).hash);

    first.answer = TSR_SUPPORT_IF;
    ck_fit(session, path, TSR_FIT_RECOMPILE, "engine 'first' can run it, but: the ink is dry");
    second.answer = TSR_SUPPORT_NO;
    ck_fit(session, path, TSR_FIT_NO,
           "engine 'second' (plugin version 1.0) cannot run it: the ink");
    second.answer = 99;
    ck_fit(session, path, TSR_FIT_NO, "answered 99 to validate");
    second.answer = TSR_SUPPORT_YES;
    second.status = TSR_INTERNAL;
    ck_fit(session, path, TSR_FIT_NO, "failed without saying why");
    ck_assert_ptr_null(tsr_session_load(session, path, &error));
    ck_error(error, TSR_INCOMPATIBLE, "cannot run it");
    g_string_free(first.asked, TRUE);
    g_string_free(second.asked, TRUE);
}
END_TEST

START_TEST(versions_and_absence)
{
    Scribe first, second;
    g_autoptr(TsrSession) session = NULL;
    g_autoptr(TsrSession) alone = NULL;
    g_autofree char *path = NULL;
    scribe_init(&first, "first", " Add Relu ");
    scribe_init(&second, "second", NULL);
    session = session_of(&first, &second);
    path = compile(session);
    ck_fit(session, path, TSR_FIT_YES, NULL);
    plugin.version = "1.1";
    ck_fit(session, path, TSR_FIT_RECOMPILE,
           "version 1.0 of the plugin of engine 'first' built it, version 1.1 is here");
    first.fake.engine.blob_version = 8;
    ck_fit(session, path, TSR_FIT_NO, "its tasks have version 7, the engine here writes 8");
    plugin.version = "1.0";
    first.fake.engine.blob_version = 7;
    alone = session_of(&first, NULL);
    ck_fit(alone, path, TSR_FIT_NO,
           "engine 'second' (plugin version 1.0), which is not in use: no plugin");
    g_string_free(first.asked, TRUE);
    g_string_free(second.asked, TRUE);
}
END_TEST

/* ------------------------------------------------------------ real engines */

static TsrSession *session_new(guint threads, const char *device_file)
{
    TsrSessionOptions options = TSR_SESSION_OPTIONS_INIT;
    GError *error = NULL;
    TsrSession *session;
    options.threads = threads;
    options.device_file = device_file;
    session = tsr_session_new(&options, &error);
    ck_no_error(error);
    return session;
}

static TsrModel *compile_conv(TsrSession *session)
{
    g_autoptr(TsrGraph) graph = tsr_session_graph(session, "conv");
    TsrValue *x = fixture_input(graph, "x", SHAPE(1, 20, 8, 8)), *y;
    GError *error = NULL;
    TsrModel *model;
    y = fixture_node(graph, "Conv", "conv",
                     VALUES(x, fixture_constant(graph, "w", SHAPE(24, 20, 3, 3))), NULL);
    tsr_build_output(graph, "out", fixture_node(graph, "Relu", "relu", VALUES(y), NULL));
    model = tsr_session_compile(session, graph, NULL, &error);
    ck_assert_msg(model != NULL, "%s", error != NULL ? error->message : "");
    return model;
}

static TsrArray *run_once(TsrModel *model, GError **error)
{
    g_autoptr(TsrArray) x = fixture_array(NULL, SHAPE(1, 20, 8, 8));
    TsrArray *outputs[] = {NULL};
    return tsr_model_run(model, &x, outputs, error) ? outputs[0] : NULL;
}

/* Damage of the weights is for loading to find: here nothing reads them. */
START_TEST(tables_alone)
{
    g_autoptr(TsrSession) session = session_new(1, NULL);
    g_autoptr(TsrSession) wider = session_new(2, NULL);
    g_autoptr(TsrModel) model = compile_conv(session);
    g_autofree char *directory = fixture_directory();
    g_autofree char *path = g_build_filename(directory, "m.om", NULL);
    g_autofree char *data = NULL;
    GError *error = NULL;
    TsrOmFile file;
    TsrFit fit;
    gsize size, weights = 0, meta = 0;
    ck_assert(tsr_model_save(model, path, &error));
    ck_fit(session, path, TSR_FIT_YES, NULL);
    ck_fit(wider, path, TSR_FIT_RECOMPILE, "was compiled for 1 cores of device 'npu_sim'");
    ck_assert(tsr_om_open(path, &file, &error));
    for (guint32 i = 0; i < file.header->section_count; i++) {
        if (strcmp(file.sections[i].name, TSR_OM_WEIGHTS) == 0)
            weights = file.sections[i].offset;
        if (strcmp(file.sections[i].name, TSR_OM_META) == 0)
            meta = file.sections[i].offset;
    }
    tsr_om_close(&file);
    ck_assert(g_file_get_contents(path, &data, &size, NULL));
    data[weights] ^= 1;
    ck_assert(g_file_set_contents(path, data, (gssize)size, NULL));
    ck_fit(session, path, TSR_FIT_YES, NULL);
    ck_assert_ptr_null(tsr_session_load(session, path, &error));
    ck_error(error, TSR_CORRUPT, "section 'weights'");
    data[meta] ^= 1;
    ck_assert(g_file_set_contents(path, data, (gssize)size, NULL));
    ck_assert(!tsr_session_fit(session, path, &fit, NULL, &error));
    ck_error(error, TSR_CORRUPT, "section 'meta'");
    data[8]++; /* the format's version */
    ck_assert(g_file_set_contents(path, data, (gssize)size, NULL));
    ck_fit(session, path, TSR_FIT_NO, "newer than the");
}
END_TEST

#define DEVICE "[device]\nname=npu_sim\nc0_lanes=16\ncore_count=3\n"

START_TEST(device_that_is_not_there)
{
    g_autofree char *directory = fixture_directory();
    g_autofree char *file = fixture_file(directory, "device.conf", DEVICE, -1);
    g_autofree char *path = g_build_filename(directory, "m.om", NULL);
    g_autoptr(TsrSession) declared = session_new(0, file);
    g_autoptr(TsrSession) real = session_new(3, NULL);
    g_autoptr(TsrModel) model = compile_conv(declared);
    g_autoptr(TsrModel) direct = compile_conv(real);
    g_autoptr(TsrModel) loaded = NULL;
    g_autoptr(TsrArray) first = NULL;
    g_autoptr(TsrArray) second = NULL;
    GError *error = NULL;
    ck_assert_uint_eq(tsr_bound_model_program(model->bound)->core_count, 3);
    ck_assert_ptr_null(run_once(model, &error));
    ck_error(error, TSR_UNSUPPORTED, "device 'npu_sim' is only declared by");
    ck_assert(tsr_model_save(model, path, &error));
    ck_fit(declared, path, TSR_FIT_YES, NULL);
    ck_fit(real, path, TSR_FIT_YES, NULL);
    loaded = tsr_session_load(real, path, &error);
    ck_no_error(error);
    first = run_once(loaded, &error);
    second = run_once(direct, &error);
    ck_no_error(error);
    ck_assert_mem_eq(tsr_array_data(first), tsr_array_data(second), tsr_array_size_bytes(first));
}
END_TEST

START_TEST(other_blocks)
{
    g_autofree char *directory = fixture_directory();
    g_autofree char *file = fixture_file(
        directory, "device.conf", "[device]\nname=npu_sim\nc0_lanes=8\ncore_count=1\n", -1);
    g_autofree char *path = g_build_filename(directory, "m.om", NULL);
    g_autoptr(TsrSession) declared = session_new(0, file);
    g_autoptr(TsrSession) real = session_new(1, NULL);
    g_autoptr(TsrModel) model = compile_conv(declared);
    GError *error = NULL;
    ck_assert(tsr_model_save(model, path, &error));
    ck_fit(declared, path, TSR_FIT_YES, NULL);
    ck_fit(real, path, TSR_FIT_NO, "channel blocks of 8, device 'npu_sim' has blocks of 16");
    ck_assert_ptr_null(tsr_session_load(real, path, &error));
    ck_error(error, TSR_INCOMPATIBLE, "channel blocks of 8");
}
END_TEST

START_TEST(bad_device_files)
{
    static const struct {
        const char *text, *part;
        gint32 code;
    } rows[] = {
        {NULL, "No such file", TSR_IO},
        {"[device]\nc0_lanes=16\n", "lacks the key name", TSR_INVALID_ARGUMENT},
        {"[device]\nname=d\n", "lacks the key c0_lanes", TSR_INVALID_ARGUMENT},
        {"[device]\nname=d\nc0_lanes=0\n", "wanted a number above 0, got '0'",
         TSR_INVALID_ARGUMENT},
        {"[device]\nname=d\nc0_lanes=12\n", "powers of two", TSR_INVALID_ARGUMENT},
        {"[device]\nname=d\nc0_lanes=16\ncore_count=99999\n", "99999 cores",
         TSR_INVALID_ARGUMENT},
        {"[device]\nname=d\nc0_lanes=16\ncores=2\n", "unknown key cores", TSR_INVALID_ARGUMENT},
        {DEVICE "[devices]\nname=d\n", "unknown group [devices]", TSR_INVALID_ARGUMENT},
        {"name=d\n", "device.conf", TSR_IO},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        TsrSessionOptions options = TSR_SESSION_OPTIONS_INIT;
        g_autofree char *directory = fixture_directory();
        g_autofree char *file = rows[i].text != NULL
                                    ? fixture_file(directory, "device.conf", rows[i].text, -1)
                                    : g_build_filename(directory, "device.conf", NULL);
        GError *error = NULL;
        options.device_file = file;
        ck_assert_msg(tsr_session_new(&options, &error) == NULL, "row %zu", i);
        ck_error(error, rows[i].code, rows[i].part);
    }
}
END_TEST

FIXTURE_MAIN("fit", engines_know_their_clusters, versions_and_absence, tables_alone,
             device_that_is_not_there, other_blocks, bad_device_files)
