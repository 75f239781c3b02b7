/* SPDX-License-Identifier: Apache-2.0
 *
 * fixture.c: see fixture.h.
 */
#include "fixture.h"

#include <tessera/plugin_util.h>

#include "ops/ops.h"
#include "../support/check_main.h"

void fixture_error(GError **error, gint32 code, const char *part, const char *where)
{
    ck_assert_msg(*error != NULL, "%s: no error, wanted %s", where, tsr_status_name(code));
    ck_assert_msg((*error)->domain == TSR_ERROR, "%s: error of domain %s: %s", where,
                  g_quark_to_string((*error)->domain), (*error)->message);
    ck_assert_msg((*error)->code == code, "%s: wanted %s, got %s: %s", where,
                  tsr_status_name(code), tsr_status_name((*error)->code), (*error)->message);
    ck_assert_msg(strstr((*error)->message, part) != NULL, "%s: '%s' lacks '%s'", where,
                  (*error)->message, part);
    g_clear_error(error);
}

TsrSession *fixture_session(guint threads)
{
    TsrSessionOptions options = TSR_SESSION_OPTIONS_INIT;
    GError *error = NULL;
    TsrSession *session;
    options.threads = threads;
    session = tsr_session_new(&options, &error);
    ck_no_error(error);
    return session;
}

TsrOpRegistry *fixture_registry(void)
{
    TsrOpRegistry *registry = tsr_op_registry_new();
    guint32 count;
    const TsrOps *const *tables = tsr_ops_builtin(&count);
    GError *error = NULL;
    for (guint32 i = 0; i < count; i++)
        ck_assert_msg(tsr_op_registry_add(registry, tables[i], "builtin", &error), "%s",
                      error->message);
    return registry;
}

TsrGraph *fixture_graph(void)
{
    g_autoptr(TsrOpRegistry) registry = fixture_registry();
    return tsr_graph_new(registry, "test");
}

TsrValue *fixture_input(TsrGraph *graph, const char *name, guint32 rank, const gint64 *shape)
{
    GError *error = NULL;
    TsrValue *value = tsr_build_input(graph, name, TSR_DTYPE_FLOAT, rank, shape, &error);
    ck_no_error(error);
    return value;
}

TsrValue *fixture_constant(TsrGraph *graph, const char *name, guint32 rank, const gint64 *shape)
{
    g_autoptr(TsrArray) array = tsr_array_create(TSR_DTYPE_FLOAT, rank, shape, NULL);
    float *data = tsr_array_data(array);
    GError *error = NULL;
    TsrValue *value;
    for (gsize i = 0; i < tsr_array_size_bytes(array) / sizeof(float); i++)
        data[i] = (float)i;
    value = tsr_build_constant(graph, name, array, &error);
    ck_no_error(error);
    return value;
}

TsrValue *fixture_integers(TsrGraph *graph, const char *name, gint64 count,
                           const gint64 *values)
{
    g_autoptr(TsrArray) array = tsr_array_create(TSR_DTYPE_INT64, 1, &count, NULL);
    TsrValue *value;
    GError *error = NULL;
    memcpy(tsr_array_data(array), values, (gsize)count * sizeof(*values));
    value = tsr_build_constant(graph, name, array, &error);
    ck_no_error(error);
    return value;
}

TsrValue *fixture_node(TsrGraph *graph, const char *op, const char *name,
                       TsrValue *const *inputs, const char *attrs)
{
    GError *error = NULL;
    TsrValue *value = tsr_build_node(graph, op, name, inputs, attrs, &error);
    ck_no_error(error);
    return value;
}

TsrNode *fixture_find(TsrGraph *graph, const char *name)
{
    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrNode *node = g_ptr_array_index(graph->nodes, i);
        if (strcmp(node->name, name) == 0)
            return node;
    }
    return NULL;
}

TsrArray *fixture_array(const float *data, guint32 rank, const gint64 *shape)
{
    GError *error = NULL;
    TsrArray *array = tsr_array_create(TSR_DTYPE_FLOAT, rank, shape, &error);
    float *target;
    ck_no_error(error);
    target = tsr_array_data(array);
    for (gsize i = 0; i < tsr_array_size_bytes(array) / sizeof(float); i++)
        target[i] = data != NULL ? data[i]
                                 : (float)(i % 7 + 1) * 0.25f * (i % 3 == 1 ? -1.0f : 1.0f);
    return array;
}

/* ------------------------------------------------------------------- engines */

static gboolean takes(const FakeEngine *fake, const char *op)
{
    g_autofree char *word = g_strdup_printf(" %s ", op);
    return fake->ops == NULL || strstr(fake->ops, word) != NULL;
}

static float cost_of(const FakeEngine *fake, const char *op)
{
    g_autofree char *word = g_strdup_printf(" %s=", op);
    const char *at = fake->costs != NULL ? strstr(fake->costs, word) : NULL;
    return at != NULL ? (float)g_ascii_strtod(at + strlen(word), NULL) : 1.0f;
}

static int32_t fake_check(const TsrEngine *engine, const TsrNodeView *node,
                          TsrSupport *out_support)
{
    FakeEngine *fake = (FakeEngine *)engine;
    fake->checks++;
    if (takes(fake, node->op_type))
        return tsr_support_yes(out_support, cost_of(fake, node->op_type));
    return tsr_support_no(out_support, TSR_REFUSE_OP, "no rule for %s", node->op_type);
}

static int32_t fake_confirm(const TsrEngine *engine, const TsrNodeView *const *nodes,
                            uint32_t node_count, TsrSupport *out_support)
{
    FakeEngine *fake = (FakeEngine *)engine;
    fake->confirms++;
    if (fake->cluster_limit == 0 || node_count <= fake->cluster_limit)
        return tsr_support_yes(out_support, 1.0f);
    return tsr_support_no(out_support, TSR_REFUSE_CLUSTER, "%u nodes from '%s' on are too many",
                          node_count, nodes[0]->name);
}

void fake_engine_init(FakeEngine *fake, const char *name, const char *ops)
{
    memset(fake, 0, sizeof(*fake));
    fake->engine.struct_size = sizeof(fake->engine);
    fake->engine.flags = TSR_ENGINE_HOST | TSR_ENGINE_DYNAMIC;
    fake->engine.name = name;
    fake->engine.check = fake_check;
    fake->engine.confirm = fake_confirm;
    fake->ops = ops;
}

TsrPluginSet *fixture_set(FakeEngine *const *engines, guint count, const char *conf)
{
    g_autofree char *directory = fixture_directory();
    g_autofree char *path = fixture_file(directory, "plugins.conf", conf != NULL ? conf : "", -1);
    TsrPluginSet *set = g_new0(TsrPluginSet, 1);
    GError *error = NULL;
    set->conf = tsr_conf_load(path, &error);
    ck_no_error(error);
    set->registry = fixture_registry();
    set->plugins = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_plugin_free);
    set->engines = g_array_new(FALSE, FALSE, sizeof(TsrRankedEngine));
    set->warnings = g_ptr_array_new_with_free_func(g_free);
    set->searched = g_ptr_array_new_with_free_func(g_free);
    set->fallback = TSR_FALLBACK_WARN;
    for (guint i = 0; i < count; i++) {
        TsrLoadedPlugin *record = g_new0(TsrLoadedPlugin, 1);
        TsrRankedEngine ranked = {record, &engines[i]->engine,
                                  g_intern_string(engines[i]->engine.name), "test"};
        record->name = g_strdup(engines[i]->engine.name);
        record->state = TSR_PLUGIN_LOADED;
        record->engine = &engines[i]->engine;
        if (engines[i]->fusion.pass_count != 0)
            record->fusion = &engines[i]->fusion;
        g_ptr_array_add(set->plugins, record);
        g_array_append_val(set->engines, ranked);
    }
    return set;
}

/* --------------------------------------------------------------------- files */

char *fixture_directory(void)
{
    GError *error = NULL;
    char *path = g_dir_make_tmp("tessera_test_XXXXXX", &error);
    ck_no_error(error);
    return path;
}

char *fixture_file(const char *directory, const char *name, const void *data, gssize size)
{
    char *path = g_build_filename(directory, name, NULL);
    GError *error = NULL;
    g_file_set_contents(path, data, size, &error);
    ck_no_error(error);
    return path;
}

int fixture_main(const char *name, const TTest *const *tests, gsize count)
{
    TCase *tcase = tcase_create(name);
    for (gsize i = 0; i < count; i++)
        tcase_add_test(tcase, tests[i]);
    tcase_set_timeout(tcase, 60);
    return check_main(name, tcase);
}
