/* SPDX-License-Identifier: Apache-2.0
 *
 * op_registry.c: a hash of "domain\nname" to the versions of that operator,
 * highest since_version first. Definitions of a plugin that was built against an older minor
 * of the ABI are smaller than ours; the registry keeps whole copies of those, whose missing
 * ends are zero.
 */
#include "ir/op_registry.h"

#include <string.h>

#include "base/error.h"
#include "base/nearest.h"

typedef struct Entry {
    const TsrOpDef *def;
    char *owner;
} Entry;

struct TsrOpRegistry {
    gatomicrefcount refs;
    GHashTable *operators; /* key -> GArray of Entry */
    GHashTable *domains;
    GSList *kept; /* Kept */
};

typedef struct Kept {
    gpointer data;
    GDestroyNotify destroy;
} Kept;

static void entries_free(gpointer data)
{
    GArray *entries = data;
    for (guint i = 0; i < entries->len; i++)
        g_free(g_array_index(entries, Entry, i).owner);
    g_array_unref(entries);
}

TsrOpRegistry *tsr_op_registry_new(void)
{
    TsrOpRegistry *registry = g_new0(TsrOpRegistry, 1);
    g_atomic_ref_count_init(&registry->refs);
    registry->operators = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, entries_free);
    registry->domains = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return registry;
}

TsrOpRegistry *tsr_op_registry_ref(TsrOpRegistry *registry)
{
    g_atomic_ref_count_inc(&registry->refs);
    return registry;
}

void tsr_op_registry_unref(TsrOpRegistry *registry)
{
    if (registry == NULL || !g_atomic_ref_count_dec(&registry->refs))
        return;
    g_hash_table_unref(registry->operators);
    g_hash_table_unref(registry->domains);
    for (GSList *at = registry->kept; at != NULL; at = at->next) {
        Kept *kept = at->data;
        kept->destroy(kept->data);
        g_free(kept);
    }
    g_slist_free(registry->kept);
    g_free(registry);
}

void tsr_op_registry_keep(TsrOpRegistry *registry, gpointer data, GDestroyNotify destroy)
{
    Kept *kept = g_new(Kept, 1);
    *kept = (Kept){data, destroy};
    registry->kept = g_slist_prepend(registry->kept, kept);
}

/* "ai.onnx" is the long name of the default domain (ONNX IR.md). */
static const char *short_domain(const char *domain)
{
    return domain == NULL || strcmp(domain, "ai.onnx") == 0 ? "" : domain;
}

static char *make_key(const char *domain, const char *name)
{
    return g_strconcat(short_domain(domain), "\n", name, NULL);
}

/* What rows had in the first version of the ABI; they are never smaller. */
enum {
    LEAST_DEF = offsetof(TsrOpDef, infer_range),
    LEAST_PARAM = sizeof(TsrOpParam),
    LEAST_ATTR = offsetof(TsrOpAttr, reserved),
};

/* Far above what anybody has; a larger number is no count. */
enum { OPS_MAX = 65536, PARAMS_MAX = 4096 };

static gboolean params_are_sound(const TsrOpParam *params, guint32 count, guint32 stride)
{
    if (count == 0)
        return TRUE;
    if (count > PARAMS_MAX || params == NULL || stride < LEAST_PARAM)
        return FALSE;
    for (guint32 i = 0; i < count; i++) {
        const TsrOpParam *param =
            (const TsrOpParam *)((const char *)params + (gsize)i * stride);
        if (param->name == NULL || param->kind > TSR_PARAM_VARIADIC_MIXED)
            return FALSE;
        if (param->kind >= TSR_PARAM_VARIADIC && i + 1 != count)
            return FALSE;
    }
    return TRUE;
}

static gboolean def_is_sound(const TsrOpDef *def)
{
    if (def->domain == NULL || def->name == NULL || def->name[0] == '\0' ||
        def->since_version == 0)
        return FALSE;
    if (!params_are_sound(def->inputs, def->input_count, def->input_stride) ||
        !params_are_sound(def->outputs, def->output_count, def->output_stride))
        return FALSE;
    if (def->attr_count > PARAMS_MAX)
        return FALSE;
    if (def->attr_count != 0 && (def->attrs == NULL || def->attr_stride < LEAST_ATTR))
        return FALSE;
    for (guint32 i = 0; i < def->attr_count; i++)
        if (tsr_op_attr(def, i)->name == NULL)
            return FALSE;
    return TRUE;
}

static Entry *find_version(TsrOpRegistry *registry, const TsrOpDef *def)
{
    g_autofree char *key = make_key(def->domain, def->name);
    GArray *entries = g_hash_table_lookup(registry->operators, key);
    for (guint i = 0; entries != NULL && i < entries->len; i++) {
        Entry *entry = &g_array_index(entries, Entry, i);
        if (entry->def->since_version == def->since_version)
            return entry;
    }
    return NULL;
}

static gint newest_first(gconstpointer a, gconstpointer b)
{
    const Entry *first = a, *second = b;
    return first->def->since_version > second->def->since_version ? -1 : 1;
}

static void insert(TsrOpRegistry *registry, const TsrOpDef *def, const char *owner)
{
    g_autofree char *key = make_key(def->domain, def->name);
    GArray *entries = g_hash_table_lookup(registry->operators, key);
    Entry entry = {def, g_strdup(owner)};
    if (entries == NULL) {
        entries = g_array_new(FALSE, FALSE, sizeof(Entry));
        g_hash_table_insert(registry->operators, g_steal_pointer(&key), entries);
    }
    g_array_append_val(entries, entry);
    g_array_sort(entries, newest_first);
    g_hash_table_add(registry->domains, g_strdup(short_domain(def->domain)));
}

static const TsrOpDef *def_at(const TsrOps *ops, guint32 index)
{
    return (const TsrOpDef *)((const char *)ops->ops + (gsize)index * ops->op_stride);
}

/* Rows as large as ours, of which the writer filled the first stride bytes each. */
static gpointer widen(TsrOpRegistry *registry, gconstpointer rows, guint32 count, guint32 stride,
                      gsize wanted)
{
    char *whole = g_malloc0_n(count, wanted);
    for (guint32 i = 0; i < count; i++)
        memcpy(whole + i * wanted, (const char *)rows + (gsize)i * stride, stride);
    tsr_op_registry_keep(registry, whole, g_free);
    return whole;
}

/* The table with definitions and attributes that reach as far as this header's. */
static TsrOps widen_ops(TsrOpRegistry *registry, const TsrOps *ops)
{
    TsrOps whole = *ops;
    TsrOpDef *defs;
    gboolean small = FALSE;
    for (guint32 i = 0; i < ops->op_count; i++)
        small |= def_at(ops, i)->struct_size < sizeof(TsrOpDef) ||
                 (def_at(ops, i)->attr_count != 0 &&
                  def_at(ops, i)->attr_stride < sizeof(TsrOpAttr));
    if (!small)
        return whole;
    defs = widen(registry, ops->ops, ops->op_count, MIN(ops->op_stride, sizeof(TsrOpDef)),
                 sizeof(TsrOpDef));
    for (guint32 i = 0; i < ops->op_count; i++) {
        TsrOpDef *def = &defs[i];
        if (def->struct_size < sizeof(TsrOpDef))
            memset((char *)def + def->struct_size, 0, sizeof(TsrOpDef) - def->struct_size);
        if (def->attr_count == 0 || def->attr_stride >= sizeof(TsrOpAttr))
            continue;
        def->attrs = widen(registry, def->attrs, def->attr_count, def->attr_stride,
                           sizeof(TsrOpAttr));
        def->attr_stride = sizeof(TsrOpAttr);
    }
    whole.ops = defs;
    whole.op_stride = sizeof(TsrOpDef);
    return whole;
}

/* Whether an earlier row of the table defines the same operator version. */
static gboolean is_repeated(const TsrOps *ops, guint32 index)
{
    const TsrOpDef *def = def_at(ops, index);
    for (guint32 i = 0; i < index; i++) {
        const TsrOpDef *other = def_at(ops, i);
        if (other->since_version == def->since_version && strcmp(other->name, def->name) == 0 &&
            strcmp(short_domain(other->domain), short_domain(def->domain)) == 0)
            return TRUE;
    }
    return FALSE;
}

gboolean tsr_op_registry_check(const TsrOps *ops, const char *owner, GError **error)
{
    if (ops->op_count > OPS_MAX) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "operator table of '%s' says that it has %u definitions; wanted at most %d",
                    owner, ops->op_count, OPS_MAX);
        return FALSE;
    }
    if (ops->op_count != 0 && (ops->ops == NULL || ops->op_stride < LEAST_DEF)) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "operator table of '%s': stride %u is below %u", owner, ops->op_stride,
                    LEAST_DEF);
        return FALSE;
    }
    for (guint32 i = 0; i < ops->op_count; i++) {
        const TsrOpDef *def = def_at(ops, i);
        if (def->struct_size < LEAST_DEF || def->struct_size > ops->op_stride) {
            g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                        "operator table of '%s': definition %u says that it is %u bytes long; "
                        "wanted %u to its stride, %u",
                        owner, i, def->struct_size, LEAST_DEF, ops->op_stride);
            return FALSE;
        }
        if (!def_is_sound(def)) {
            g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                        "operator table of '%s': definition %u ('%s') is malformed", owner, i,
                        def->name != NULL ? def->name : "");
            return FALSE;
        }
        if (is_repeated(ops, i)) {
            g_set_error(error, TSR_ERROR, TSR_ALREADY_EXISTS,
                        "operator '%s' of domain '%s' since version %u is defined twice by '%s'",
                        def->name, def->domain, def->since_version, owner);
            return FALSE;
        }
    }
    return TRUE;
}

gboolean tsr_op_registry_add(TsrOpRegistry *registry, const TsrOps *ops, const char *owner,
                             GError **error)
{
    TsrOps whole;
    if (!tsr_op_registry_check(ops, owner, error))
        return FALSE;
    for (guint32 i = 0; i < ops->op_count; i++) {
        const TsrOpDef *def = def_at(ops, i);
        const Entry *taken = find_version(registry, def);
        if (taken != NULL) {
            g_set_error(error, TSR_ERROR, TSR_ALREADY_EXISTS,
                        "operator '%s' of domain '%s' since version %u is defined by both '%s' "
                        "and '%s'",
                        def->name, def->domain, def->since_version, taken->owner, owner);
            return FALSE;
        }
    }
    whole = widen_ops(registry, ops);
    for (guint32 i = 0; i < ops->op_count; i++)
        insert(registry, def_at(&whole, i), owner);
    return TRUE;
}

static GArray *find_entries(TsrOpRegistry *registry, const char *domain, const char *name)
{
    g_autofree char *key = make_key(domain, name);
    return g_hash_table_lookup(registry->operators, key);
}

const TsrOpDef *tsr_op_registry_find(TsrOpRegistry *registry, const char *domain,
                                     const char *name, gint64 opset)
{
    GArray *entries = find_entries(registry, domain, name);
    for (guint i = 0; entries != NULL && i < entries->len; i++) {
        const TsrOpDef *def = g_array_index(entries, Entry, i).def;
        if (def->since_version <= opset)
            return def;
    }
    return NULL;
}

/* What may have been meant, as the end of a sentence. (transfer full) */
static char *nearest_op(TsrOpRegistry *registry, const char *domain, const char *name)
{
    g_autoptr(GPtrArray) defs = tsr_op_registry_list(registry);
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (guint i = 0; i < defs->len; i++) {
        const TsrOpDef *def = g_ptr_array_index(defs, i);
        if (strcmp(short_domain(def->domain), short_domain(domain)) == 0)
            g_ptr_array_add(names, (gpointer)def->name);
    }
    return tsr_nearest_hint(name, (const char *const *)names->pdata, names->len);
}

const TsrOpDef *tsr_op_registry_get(TsrOpRegistry *registry, const char *domain,
                                    const char *name, gint64 opset, GError **error)
{
    const TsrOpDef *def = tsr_op_registry_find(registry, domain, name, opset);
    GArray *entries = find_entries(registry, domain, name);
    if (def != NULL)
        return def;
    if (entries != NULL) {
        g_set_error(error, TSR_ERROR, TSR_UNSUPPORTED,
                    "operator '%s' of domain '%s' is wanted at opset %" G_GINT64_FORMAT
                    ", but known only since version %u",
                    name, domain, opset,
                    g_array_index(entries, Entry, entries->len - 1).def->since_version);
    } else if (tsr_op_registry_has_domain(registry, domain)) {
        g_autofree char *hint = nearest_op(registry, domain, name);
        g_set_error(error, TSR_ERROR, TSR_UNSUPPORTED,
                    "operator '%s' is not defined in domain '%s'%s", name, domain, hint);
    } else {
        g_set_error(error, TSR_ERROR, TSR_UNSUPPORTED,
                    "operator '%s' is in domain '%s', which no plugin has registered", name,
                    domain);
    }
    return NULL;
}

gboolean tsr_op_registry_has_domain(TsrOpRegistry *registry, const char *domain)
{
    return g_hash_table_contains(registry->domains, short_domain(domain));
}

GPtrArray *tsr_op_registry_list(TsrOpRegistry *registry)
{
    GPtrArray *list = g_ptr_array_new();
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, registry->operators);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        GArray *entries = value;
        for (guint i = 0; i < entries->len; i++)
            g_ptr_array_add(list, (gpointer)g_array_index(entries, Entry, i).def);
    }
    return list;
}

const TsrOpParam *tsr_op_input_at(const TsrOpDef *def, guint32 instance_index)
{
    if (instance_index < def->input_count)
        return tsr_op_input(def, instance_index);
    if (def->input_count != 0 &&
        tsr_op_input(def, def->input_count - 1)->kind >= TSR_PARAM_VARIADIC)
        return tsr_op_input(def, def->input_count - 1);
    return NULL;
}

const TsrOpParam *tsr_op_output_at(const TsrOpDef *def, guint32 instance_index)
{
    if (instance_index < def->output_count)
        return tsr_op_output(def, instance_index);
    if (def->output_count != 0 &&
        tsr_op_output(def, def->output_count - 1)->kind >= TSR_PARAM_VARIADIC)
        return tsr_op_output(def, def->output_count - 1);
    return NULL;
}
