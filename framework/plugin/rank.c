/* SPDX-License-Identifier: Apache-2.0
 *
 * rank.c: see rank.h.
 */
#include "plugin/rank.h"

#include <string.h>

#include "base/error.h"
#include "base/nearest.h"

static char *join(const GPtrArray *texts, const char *separator)
{
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < texts->len; i++)
        g_string_append_printf(out, "%s%s", i != 0 ? separator : "",
                               (const char *)g_ptr_array_index(texts, i));
    return g_string_free(out, FALSE);
}

static const TsrLoadedPlugin *find_engine_plugin(const TsrPluginSet *set, const char *name)
{
    for (guint i = 0; i < set->plugins->len; i++) {
        const TsrLoadedPlugin *record = g_ptr_array_index(set->plugins, i);
        if (record->state == TSR_PLUGIN_LOADED && record->engine != NULL &&
            g_ascii_strcasecmp(record->engine->name, name) == 0)
            return record;
    }
    return NULL;
}

TsrEngineRule tsr_rank_rule(const TsrConf *conf, const char *engine)
{
    g_autofree char *name = g_ascii_strdown(engine, -1);
    return (TsrEngineRule)(GPOINTER_TO_UINT(g_hash_table_lookup(conf->rules, name)) &
                           ~TSR_RULE_IS_OPTION);
}

/* Where the user's word on an engine stands. */
static const char *rule_source(const TsrConf *conf, const char *engine)
{
    g_autofree char *name = g_ascii_strdown(engine, -1);
    guint word = GPOINTER_TO_UINT(g_hash_table_lookup(conf->rules, name));
    return (word & TSR_RULE_IS_OPTION) != 0 ? "--engine" : "[engines] of the configuration";
}

gboolean tsr_rank_read_modes(TsrConf *conf, const char *const *texts, GError **error)
{
    for (guint i = 0; texts != NULL && texts[i] != NULL; i++) {
        const char *equals = strrchr(texts[i], '=');
        g_autofree char *name =
            equals != NULL ? g_ascii_strdown(texts[i], equals - texts[i]) : NULL;
        TsrEngineRule rule;
        if (name == NULL || name[0] == '\0' || !tsr_conf_read_rule(equals + 1, &rule)) {
            g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                        "--engine: wanted NAME=off, allow, deny or require, got '%s'", texts[i]);
            return FALSE;
        }
        g_hash_table_insert(conf->rules, g_steal_pointer(&name),
                            GUINT_TO_POINTER(rule | TSR_RULE_IS_OPTION));
    }
    return TRUE;
}

static gboolean is_denied(const TsrPluginSet *set, const char *name)
{
    const TsrEngineRule rule = tsr_rank_rule(set->conf, name);
    return rule == TSR_RULE_DENY || rule == TSR_RULE_OFF;
}

static void rank(TsrPluginSet *set, const TsrLoadedPlugin *record, const char *source)
{
    TsrRankedEngine ranked = {record, record->engine, g_intern_string(record->engine->name),
                              source};
    if (tsr_plugin_set_find_engine(set, record->engine->name) == NULL &&
        !is_denied(set, record->engine->name))
        g_array_append_val(set->engines, ranked);
}

/* Why an engine that a list names is not there. (transfer full) */
static char *why_absent(const TsrPluginSet *set, const char *name)
{
    GString *known = g_string_new(NULL);
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    g_autofree char *hint = NULL;
    for (guint i = 0; i < set->plugins->len; i++) {
        const TsrLoadedPlugin *record = g_ptr_array_index(set->plugins, i);
        if (g_ascii_strcasecmp(record->name, name) == 0 && record->state != TSR_PLUGIN_LOADED) {
            g_string_free(known, TRUE);
            return g_strdup_printf("its plugin is %s: %s", tsr_plugin_state_name(record->state),
                                   record->reason);
        }
        if (record->state == TSR_PLUGIN_LOADED && record->engine != NULL) {
            g_string_append_printf(known, "%s%s", known->len != 0 ? ", " : "",
                                   record->engine->name);
            g_ptr_array_add(names, (gpointer)record->engine->name);
        }
    }
    hint = tsr_nearest_hint(name, (const char *const *)names->pdata, names->len);
    g_string_prepend(known, "no loaded plugin brings it; there are: ");
    g_string_append(known, hint);
    return g_string_free(known, FALSE);
}

static gint by_default_priority(gconstpointer a, gconstpointer b)
{
    const TsrLoadedPlugin *first = *(TsrLoadedPlugin *const *)a;
    const TsrLoadedPlugin *second = *(TsrLoadedPlugin *const *)b;
    if (first->engine->default_priority != second->engine->default_priority)
        return first->engine->default_priority > second->engine->default_priority ? -1 : 1;
    return strcmp(first->engine->name, second->engine->name);
}

/* Ranks those under a rule, or all with TSR_RULE_NONE, by the plugins' own numbers. */
static void rank_by_default(TsrPluginSet *set, TsrEngineRule only, const char *source)
{
    g_autoptr(GPtrArray) found = g_ptr_array_new();
    for (guint i = 0; i < set->plugins->len; i++) {
        TsrLoadedPlugin *record = g_ptr_array_index(set->plugins, i);
        if (record->state == TSR_PLUGIN_LOADED && record->engine != NULL &&
            (only == TSR_RULE_NONE || tsr_rank_rule(set->conf, record->engine->name) == only))
            g_ptr_array_add(found, record);
    }
    g_ptr_array_sort(found, by_default_priority);
    for (guint i = 0; i < found->len; i++)
        rank(set, g_ptr_array_index(found, i), source);
}

/* A rule on an engine that is not there: an error where it is required, else no more than a
 * warning when the name looks misspelt. */
static gboolean check_rules(TsrPluginSet *set, gboolean safe_mode, GError **error)
{
    GHashTableIter iter;
    gpointer name, word;
    g_hash_table_iter_init(&iter, set->conf->rules);
    while (g_hash_table_iter_next(&iter, &name, &word)) {
        const TsrEngineRule rule = tsr_rank_rule(set->conf, name);
        g_autofree char *why = NULL;
        if (find_engine_plugin(set, name) != NULL || (rule == TSR_RULE_REQUIRE && safe_mode))
            continue;
        why = why_absent(set, name);
        if (rule == TSR_RULE_REQUIRE) {
            g_set_error(error, TSR_ERROR, TSR_NOT_FOUND, "engine '%s' is required by %s: %s",
                        (const char *)name, rule_source(set->conf, name), why);
            return FALSE;
        }
        if (strstr(why, "did you mean") != NULL)
            tsr_plugin_set_warn(set, "engine '%s' of %s: %s", (const char *)name,
                                rule_source(set->conf, name), why);
    }
    return TRUE;
}

/* The reference engine takes what a user's list leaves over, unless forbidden. */
static void rank_reference(TsrPluginSet *set)
{
    for (guint i = 0; i < set->plugins->len; i++) {
        const TsrLoadedPlugin *record = g_ptr_array_index(set->plugins, i);
        if (record->state == TSR_PLUGIN_LOADED && record->engine != NULL &&
            (record->engine->flags & TSR_ENGINE_REFERENCE) != 0)
            rank(set, record, "reference engine, appended as the last resort");
    }
}

/* Tells the user when nothing but reference engines is left. */
static void note_slow_set(TsrPluginSet *set, gboolean safe_mode)
{
    gboolean fast = safe_mode;
    for (guint i = 0; i < set->engines->len; i++)
        fast |= (g_array_index(set->engines, TsrRankedEngine, i).engine->flags &
                 TSR_ENGINE_REFERENCE) == 0;
    if (!fast)
        tsr_plugin_set_warn(set,
                            "only the reference engine '%s' is in use: results are right, but "
                            "slow",
                            g_array_index(set->engines, TsrRankedEngine, 0).name);
}

gboolean tsr_rank_engines(TsrPluginSet *set, const TsrPluginOptions *options, GError **error)
{
    if (options->engine_priority != NULL) {
        for (guint i = 0; options->engine_priority[i] != NULL; i++) {
            const char *name = options->engine_priority[i];
            const TsrLoadedPlugin *record = find_engine_plugin(set, name);
            if (record == NULL) {
                g_autofree char *why = why_absent(set, name);
                g_set_error(error, TSR_ERROR, TSR_NOT_FOUND,
                            "engine '%s' of the engine priority: %s", name, why);
                return FALSE;
            }
            rank(set, record, "--engine-priority");
        }
    } else if (set->conf->priority->len != 0) {
        for (guint i = 0; i < set->conf->priority->len; i++) {
            const char *name = g_ptr_array_index(set->conf->priority, i);
            const TsrLoadedPlugin *record = find_engine_plugin(set, name);
            if (record == NULL) {
                g_autofree char *why = why_absent(set, name);
                tsr_plugin_set_warn(set, "engine '%s' of the priority in '%s' is not used: %s",
                                    name, set->conf->path, why);
                continue;
            }
            rank(set, record, "[engines] priority of the configuration");
        }
    } else {
        rank_by_default(set, TSR_RULE_NONE, "the plugin's default priority");
    }
    rank_by_default(set, TSR_RULE_REQUIRE, "required by the user, in no list");
    rank_by_default(set, TSR_RULE_ALLOW, "allowed by the user, in no list");
    if (!check_rules(set, options->safe_mode, error))
        return FALSE;
    if (tsr_custom_ops_count(set->custom) != 0)
        rank(set, tsr_custom_ops_plugin(set->custom), "custom operators of the configuration");
    if (set->fallback != TSR_FALLBACK_STRICT)
        rank_reference(set);
    if (options->safe_mode) {
        for (guint i = set->engines->len; i-- > 0;)
            if ((g_array_index(set->engines, TsrRankedEngine, i).engine->flags &
                 TSR_ENGINE_REFERENCE) == 0)
                g_array_remove_index(set->engines, i);
    }
    if (set->engines->len == 0) {
        g_autofree char *dirs = join(set->searched, ", ");
        g_set_error(error, TSR_ERROR, TSR_NOT_FOUND,
                    "no engine is usable; searched for plugins in %s", dirs);
        return FALSE;
    }
    note_slow_set(set, options->safe_mode);
    return TRUE;
}

char *tsr_rank_unused_reason(const TsrPluginSet *set, const TsrLoadedPlugin *record)
{
    const char *name = record->engine->name;
    const TsrRankedEngine *ranked = tsr_plugin_set_find_engine(set, name);
    if (ranked != NULL && ranked->plugin == record)
        return NULL;
    if (ranked != NULL)
        return g_strdup_printf("plugin '%s' brings an engine of that name too, and comes first",
                               ranked->plugin->name);
    if (is_denied(set, name))
        return g_strdup_printf("denied by %s", rule_source(set->conf, name));
    return g_strdup("no list names it");
}
