/* SPDX-License-Identifier: Apache-2.0
 *
 * conf.c: see conf.h. One row a key; a group whose keys are names (plugins,
 * fusion, selectors, pins) has one handler for all of them.
 */
#include "plugin/conf.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <tessera/plugin.h>

#include "base/error.h"

typedef gboolean (*KeyHandler)(TsrConf *conf, GKeyFile *file, const char *group,
                               const char *key, GError **error);

static gboolean bad_value(const TsrConf *conf, const char *group, const char *key,
                          const char *value, const char *wanted, GError **error)
{
    g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                "'%s': [%s] %s: '%s' is not %s", conf->path, group, key, value, wanted);
    return FALSE;
}

/* GLib may hand out a value together with an error; then it is an error. NULL names file,
 * group and key. (transfer full) */
static char *read_word(const TsrConf *conf, GKeyFile *file, const char *group, const char *key,
                       GError **error)
{
    g_autoptr(GError) cause = NULL;
    g_autofree char *word = g_key_file_get_string(file, group, key, &cause);
    if (cause == NULL)
        return g_steal_pointer(&word);
    g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT, "'%s': [%s] %s: %s", conf->path, group,
                key, cause->message);
    return NULL;
}

/* The same for a list. (transfer full) */
static char **read_words(const TsrConf *conf, GKeyFile *file, const char *group,
                         const char *key, GError **error)
{
    g_autoptr(GError) cause = NULL;
    g_auto(GStrv) words = g_key_file_get_string_list(file, group, key, NULL, &cause);
    if (cause == NULL)
        return g_steal_pointer(&words);
    g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT, "'%s': [%s] %s: %s", conf->path, group,
                key, cause->message);
    return NULL;
}

/* A path is relative to the file that names it, never to the current directory. */
static char *relative_to_file(const TsrConf *conf, const char *path)
{
    g_autofree char *base = g_path_get_dirname(conf->path);
    return g_path_is_absolute(path) ? g_strdup(path) : g_build_filename(base, path, NULL);
}

static gboolean read_search_path(TsrConf *conf, GKeyFile *file, const char *group,
                                 const char *key, GError **error)
{
    g_auto(GStrv) list = read_words(conf, file, group, key, error);
    for (guint i = 0; list != NULL && list[i] != NULL; i++)
        if (list[i][0] != '\0')
            g_ptr_array_add(conf->search_path, relative_to_file(conf, list[i]));
    return list != NULL;
}

static gboolean read_device(TsrConf *conf, GKeyFile *file, const char *group, const char *key,
                            GError **error)
{
    g_free(conf->device);
    conf->device = read_word(conf, file, group, key, error);
    return conf->device != NULL;
}

static gboolean read_fallback(TsrConf *conf, GKeyFile *file, const char *group, const char *key,
                              GError **error)
{
    g_free(conf->fallback);
    conf->fallback = read_word(conf, file, group, key, error);
    if (conf->fallback == NULL)
        return FALSE;
    if (strcmp(conf->fallback, "strict") != 0 && strcmp(conf->fallback, "warn") != 0 &&
        strcmp(conf->fallback, "silent") != 0)
        return bad_value(conf, group, key, conf->fallback, "strict, warn or silent", error);
    return TRUE;
}

static gboolean read_switch(TsrConf *conf, GKeyFile *file, const char *group, const char *key,
                            gboolean *out_on, GError **error)
{
    g_autofree char *word = read_word(conf, file, group, key, error);
    if (word == NULL)
        return FALSE;
    *out_on = strcmp(word, "on") == 0;
    if (!*out_on && strcmp(word, "off") != 0)
        return bad_value(conf, group, key, word, "on or off", error);
    return TRUE;
}

gboolean tsr_conf_read_placement(const char *word, gboolean *out_by_cost)
{
    *out_by_cost = strcmp(word, "cost") == 0;
    return *out_by_cost || strcmp(word, "priority") == 0;
}

static gboolean read_placement(TsrConf *conf, GKeyFile *file, const char *group,
                               const char *key, GError **error)
{
    g_autofree char *word = read_word(conf, file, group, key, error);
    if (word == NULL)
        return FALSE;
    if (!tsr_conf_read_placement(word, &conf->by_cost))
        return bad_value(conf, group, key, word, "priority or cost", error);
    return TRUE;
}

/* A number from 1 to most; wanted says so. */
static gboolean read_number(const TsrConf *conf, GKeyFile *file, const char *group,
                            const char *key, guint most, const char *wanted, guint *out,
                            GError **error)
{
    g_autofree char *word = read_word(conf, file, group, key, error);
    guint64 number;
    if (word == NULL)
        return FALSE;
    if (!g_ascii_string_to_unsigned(word, 10, 1, most, &number, NULL))
        return bad_value(conf, group, key, word, wanted, error);
    *out = (guint)number;
    return TRUE;
}

static gboolean read_min_cluster(TsrConf *conf, GKeyFile *file, const char *group,
                                 const char *key, GError **error)
{
    return read_number(conf, file, group, key, 1000000, "a number of nodes from 1 to 1000000",
                       &conf->min_cluster_nodes, error);
}

static gboolean read_scan(TsrConf *conf, GKeyFile *file, const char *group, const char *key,
                          GError **error)
{
    gboolean on;
    if (!read_switch(conf, file, group, key, &on, error))
        return FALSE;
    conf->no_scan = !on;
    return TRUE;
}

static gboolean read_scan_timeout(TsrConf *conf, GKeyFile *file, const char *group,
                                  const char *key, GError **error)
{
    return read_number(conf, file, group, key, 600, "a number of seconds from 1 to 600",
                       &conf->scan_timeout_s, error);
}

static gboolean read_priority(TsrConf *conf, GKeyFile *file, const char *group,
                              const char *key, GError **error)
{
    g_auto(GStrv) list = read_words(conf, file, group, key, error);
    for (guint i = 0; list != NULL && list[i] != NULL; i++) {
        g_autofree char *name = g_ascii_strdown(g_strstrip(list[i]), -1);
        if (name[0] != '\0')
            g_ptr_array_add(conf->priority, g_steal_pointer(&name));
    }
    return list != NULL;
}

static gboolean read_plugin(TsrConf *conf, GKeyFile *file, const char *group, const char *key,
                            GError **error)
{
    gboolean on;
    if (!read_switch(conf, file, group, key, &on, error))
        return FALSE;
    g_ptr_array_add(conf->plugins, g_strdup(key));
    if (!on)
        g_hash_table_add(conf->switched_off, g_strdup(key));
    return TRUE;
}

static gboolean read_fusion(TsrConf *conf, GKeyFile *file, const char *group, const char *key,
                            GError **error)
{
    gboolean on;
    if (!read_switch(conf, file, group, key, &on, error))
        return FALSE;
    g_hash_table_insert(conf->fusion, g_strdup(strcmp(key, "default") == 0 ? "*" : key),
                        (gpointer)(on ? "on" : "off"));
    return TRUE;
}

static gboolean read_selector(TsrConf *conf, GKeyFile *file, const char *group,
                              const char *key, GError **error)
{
    gboolean on;
    if (!read_switch(conf, file, group, key, &on, error))
        return FALSE;
    g_hash_table_insert(conf->selectors, g_strdup(key), (gpointer)(on ? "on" : "off"));
    return TRUE;
}

gboolean tsr_conf_read_rule(const char *word, TsrEngineRule *out_rule)
{
    static const struct {
        const char *word;
        TsrEngineRule rule;
    } rows[] = {{"off", TSR_RULE_OFF}, {"allow", TSR_RULE_ALLOW}, {"deny", TSR_RULE_DENY},
                {"require", TSR_RULE_REQUIRE}};
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        if (strcmp(rows[i].word, word) == 0) {
            *out_rule = rows[i].rule;
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean read_engine_rule(TsrConf *conf, GKeyFile *file, const char *group,
                                 const char *key, GError **error)
{
    g_autofree char *word = read_word(conf, file, group, key, error);
    TsrEngineRule rule;
    if (word == NULL)
        return FALSE;
    if (!tsr_conf_read_rule(word, &rule))
        return bad_value(conf, group, key, word,
                         "off, allow, deny or require (the order of engines is key 'priority')",
                         error);
    g_hash_table_insert(conf->rules, g_ascii_strdown(key, -1), GUINT_TO_POINTER(rule));
    return TRUE;
}

static gboolean read_op_pin(TsrConf *conf, GKeyFile *file, const char *group, const char *key,
                            GError **error)
{
    g_autofree char *engine = read_word(conf, file, group, key, error);
    if (engine != NULL)
        tsr_pins_add(conf->pins, TRUE, key, engine, "[pins.op] of the configuration");
    return engine != NULL;
}

static gboolean read_node_pin(TsrConf *conf, GKeyFile *file, const char *group,
                              const char *key, GError **error)
{
    g_autofree char *engine = read_word(conf, file, group, key, error);
    if (engine != NULL)
        tsr_pins_add(conf->pins, FALSE, key, engine, "[pins.node] of the configuration");
    return engine != NULL;
}

static gboolean read_custom_ops(TsrConf *conf, GKeyFile *file, const char *group,
                                const char *key, GError **error)
{
    g_auto(GStrv) list = g_key_file_get_string_list(file, group, key, NULL, error);
    for (guint i = 0; list != NULL && list[i] != NULL; i++)
        if (list[i][0] != '\0')
            g_ptr_array_add(conf->custom_ops, relative_to_file(conf, list[i]));
    return list != NULL;
}

gboolean tsr_conf_read_precision(GHashTable *table, const char *path, GKeyFile *file,
                                 const char *key, GError **error)
{
    static const struct {
        const char *key;
        guint32 precision;
    } rows[] = {{"white", TSR_PRECISION_WHITE}, {"black", TSR_PRECISION_BLACK},
                {"grey", TSR_PRECISION_GREY}};
    g_autofree char *text = g_key_file_get_string(file, "precision", key, NULL);
    g_auto(GStrv) words = g_strsplit_set(text != NULL ? text : "", ",;", -1);
    guint row = 0;
    while (row < G_N_ELEMENTS(rows) && strcmp(rows[row].key, key) != 0)
        row++;
    if (row == G_N_ELEMENTS(rows)) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "'%s': [precision] %s: wanted white, black or grey", path, key);
        return FALSE;
    }
    for (guint i = 0; words[i] != NULL; i++) {
        const char *word = g_strstrip(words[i]);
        guint before = GPOINTER_TO_UINT(g_hash_table_lookup(table, word));
        if (word[0] == '\0')
            continue;
        if (before != 0 && before != rows[row].precision + 1) {
            g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                        "'%s': [precision] %s: '%s' is in another list too", path, key, word);
            return FALSE;
        }
        g_hash_table_insert(table, g_strdup(word), GUINT_TO_POINTER(rows[row].precision + 1));
    }
    return TRUE;
}

static gboolean read_precision(TsrConf *conf, GKeyFile *file, const char *group,
                               const char *key, GError **error)
{
    (void)group;
    return tsr_conf_read_precision(conf->precision, conf->path, file, key, error);
}

static const struct {
    const char *group;
    const char *key; /* NULL: every key of the group is a name */
    KeyHandler handler;
} key_rows[] = {
    {"tessera", "search_path", read_search_path},
    {"tessera", "device", read_device},
    {"tessera", "fallback", read_fallback},
    {"tessera", "custom_ops", read_custom_ops},
    {"tessera", "placement", read_placement},
    {"tessera", "min_cluster_nodes", read_min_cluster},
    {"tessera", "scan", read_scan},
    {"tessera", "scan_timeout", read_scan_timeout},
    {"engines", "priority", read_priority},
    {"engines", NULL, read_engine_rule},
    {"plugins", NULL, read_plugin},
    {"fusion", NULL, read_fusion},
    {"selectors", NULL, read_selector},
    {"pins.op", NULL, read_op_pin},
    {"pins.node", NULL, read_node_pin},
    {"precision", NULL, read_precision},
};

static gboolean read_key(TsrConf *conf, GKeyFile *file, const char *group, const char *key,
                         GError **error)
{
    gboolean group_known = FALSE;
    for (gsize i = 0; i < G_N_ELEMENTS(key_rows); i++) {
        if (strcmp(key_rows[i].group, group) != 0)
            continue;
        group_known = TRUE;
        if (key_rows[i].key == NULL || strcmp(key_rows[i].key, key) == 0)
            return key_rows[i].handler(conf, file, group, key, error);
    }
    g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT, "'%s': [%s] %s: unknown %s", conf->path,
                group, key, group_known ? "key" : "group");
    return FALSE;
}

static TsrConf *conf_new(void)
{
    TsrConf *conf = g_new0(TsrConf, 1);
    conf->search_path = g_ptr_array_new_with_free_func(g_free);
    conf->plugins = g_ptr_array_new_with_free_func(g_free);
    conf->switched_off = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    conf->priority = g_ptr_array_new_with_free_func(g_free);
    conf->custom_ops = g_ptr_array_new_with_free_func(g_free);
    conf->fusion = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    conf->selectors = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    conf->pins = tsr_pins_new();
    conf->rules = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    conf->precision = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return conf;
}

TsrConf *tsr_conf_load(const char *path, GError **error)
{
    g_autoptr(GKeyFile) file = g_key_file_new();
    g_autoptr(TsrConf) conf = conf_new();
    g_autoptr(GError) cause = NULL;
    g_auto(GStrv) groups = NULL;

    conf->path = g_canonicalize_filename(path, NULL);
    if (!g_key_file_load_from_file(file, conf->path, G_KEY_FILE_NONE, &cause)) {
        g_set_error(error, TSR_ERROR,
                    cause->domain == G_FILE_ERROR ? TSR_IO : TSR_INVALID_ARGUMENT,
                    "configuration '%s': %s", conf->path, cause->message);
        return NULL;
    }
    groups = g_key_file_get_groups(file, NULL);
    for (guint g = 0; groups[g] != NULL; g++) {
        g_auto(GStrv) keys = g_key_file_get_keys(file, groups[g], NULL, NULL);
        for (guint k = 0; keys != NULL && keys[k] != NULL; k++)
            if (!read_key(conf, file, groups[g], keys[k], error)) {
                g_prefix_error(error, "configuration ");
                return NULL;
            }
    }
    return g_steal_pointer(&conf);
}

static char *library_dir(void)
{
    Dl_info info;
    g_autofree char *real = NULL;
    if (dladdr((void *)tsr_conf_load, &info) == 0 || info.dli_fname == NULL)
        return NULL;
    /* Of a command that the shell found in PATH the loader knows the bare name only. */
    real = realpath(strchr(info.dli_fname, '/') != NULL ? info.dli_fname : "/proc/self/exe",
                    NULL);
    return real != NULL ? g_path_get_dirname(real) : NULL;
}

/* Seen from the code's own file: the library in libdir or the build tree, the command in
 * bindir. */
GPtrArray *tsr_conf_homes(const char *tree_leaf, const char *leaf)
{
    GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *base = library_dir();
    if (base != NULL) {
        g_autofree char *tree = g_build_filename(base, "..", tree_leaf, NULL);
        g_autofree char *beside = g_build_filename(base, "..", TSR_LIBDIR, "tessera", leaf, NULL);
        g_ptr_array_add(paths, g_canonicalize_filename(tree, NULL));
        g_ptr_array_add(paths, g_build_filename(base, "tessera", leaf, NULL));
        g_ptr_array_add(paths, g_canonicalize_filename(beside, NULL));
    }
    g_ptr_array_add(paths, g_build_filename(TSR_PLUGIN_DIR, leaf, NULL));
    return paths;
}

GPtrArray *tsr_conf_library_dirs(void)
{
    return tsr_conf_homes("plugins", NULL);
}

char *tsr_conf_default_path(void)
{
    const char *named = secure_getenv("TESSERA_PLUGINS_CONF");
    g_autoptr(GPtrArray) candidates = tsr_conf_homes("plugins.conf", "plugins.conf");
    if (named != NULL && named[0] != '\0')
        return g_strdup(named);
    for (guint k = 0; k < candidates->len; k++)
        if (g_file_test(g_ptr_array_index(candidates, k), G_FILE_TEST_IS_REGULAR))
            return g_strdup(g_ptr_array_index(candidates, k));
    return NULL;
}

void tsr_conf_free(TsrConf *conf)
{
    if (conf == NULL)
        return;
    g_free(conf->path);
    g_free(conf->device);
    g_free(conf->fallback);
    g_ptr_array_unref(conf->search_path);
    g_ptr_array_unref(conf->plugins);
    g_ptr_array_unref(conf->priority);
    g_ptr_array_unref(conf->custom_ops);
    g_hash_table_unref(conf->switched_off);
    g_hash_table_unref(conf->fusion);
    g_hash_table_unref(conf->selectors);
    g_ptr_array_unref(conf->pins);
    g_hash_table_unref(conf->rules);
    g_hash_table_unref(conf->precision);
    g_free(conf);
}
