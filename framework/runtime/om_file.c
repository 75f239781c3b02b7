/* SPDX-License-Identifier: Apache-2.0
 *
 * om_file.c: see om_file.h.
 */
#include "runtime/om_file.h"

#include <string.h>
#include <xxhash.h>

#include "base/error.h"
#include "build/graph_variant.h"

gboolean tsr_om_corrupt(GError **error, const char *format, ...)
{
    va_list args;
    g_autofree char *text = NULL;
    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, TSR_ERROR, TSR_CORRUPT, "%s", text);
    return FALSE;
}
static gboolean check_section(const TsrOmFile *file, const TsrOmSection *section,
                              gboolean skip_weights, GError **error)
{
    gsize size;
    const guint8 *data = g_bytes_get_data(file->bytes, &size);
    guint64 hash;
    if (memchr(section->name, '\0', sizeof(section->name)) == NULL)
        return tsr_om_corrupt(error, "a section's name has no end");
    if (section->offset % 64 != 0 || section->offset > size ||
        section->size > size - section->offset)
        return tsr_om_corrupt(error,
                              "section '%s' (%" G_GUINT64_FORMAT " bytes at %" G_GUINT64_FORMAT
                              ") leaves the file of %zu bytes",
                              section->name, section->size, section->offset, size);
    if (skip_weights && strcmp(section->name, TSR_OM_WEIGHTS) == 0)
        return TRUE;
    hash = XXH3_64bits(data + section->offset, section->size);
    if (hash != section->hash)
        return tsr_om_corrupt(error,
                              "section '%s' has hash %016" G_GINT64_MODIFIER "x, wanted %016"
                              G_GINT64_MODIFIER "x: the file is damaged",
                              section->name, hash, section->hash);
    return TRUE;
}

static gboolean check_header(TsrOmFile *file, GError **error)
{
    gsize size;
    const guint8 *data = g_bytes_get_data(file->bytes, &size);
    const TsrOmHeader *header = (const TsrOmHeader *)data;
    if (size < sizeof(*header))
        return tsr_om_corrupt(error, "truncated: %zu bytes are less than the header's %zu", size,
                              sizeof(*header));
    if (memcmp(header->magic, TSR_OM_MAGIC, sizeof(header->magic)) != 0)
        return tsr_om_corrupt(error, "not an offline model: it does not begin with " TSR_OM_MAGIC);
    if (header->version > TSR_OM_VERSION) {
        g_set_error(error, TSR_ERROR, TSR_INCOMPATIBLE,
                    "has format version %u, newer than the %u that this program reads: compile "
                    "it again or update",
                    header->version, TSR_OM_VERSION);
        return FALSE;
    }
    if (header->version == 0)
        return tsr_om_corrupt(error, "has format version 0, which never was");
    if (header->version < TSR_OM_VERSION) {
        g_set_error(error, TSR_ERROR, TSR_INCOMPATIBLE,
                    "has format version %u, older than the %u that this program reads: compile "
                    "it again",
                    header->version, TSR_OM_VERSION);
        return FALSE;
    }
    if (header->file_size != size)
        return tsr_om_corrupt(error,
                              "truncated: %zu bytes, the header wants %" G_GUINT64_FORMAT, size,
                              header->file_size);
    if (header->section_count == 0 || header->section_count > TSR_OM_MAX_SECTIONS ||
        sizeof(*header) + header->section_count * sizeof(TsrOmSection) > size)
        return tsr_om_corrupt(error, "has %u sections, wanted 1 to %u", header->section_count,
                              TSR_OM_MAX_SECTIONS);
    file->header = header;
    file->sections = (const TsrOmSection *)(data + sizeof(*header));
    if (XXH3_64bits(file->sections, header->section_count * sizeof(TsrOmSection)) !=
        header->table_hash)
        return tsr_om_corrupt(error, "the hash of the section table is wrong: the file is damaged");
    return TRUE;
}

static gboolean open_bytes(GBytes *bytes, gboolean skip_weights, TsrOmFile *out_file,
                           GError **error)
{
    TsrOmFile file = {g_bytes_ref(bytes), NULL, NULL};
    gboolean done = check_header(&file, error);
    for (guint32 i = 0; done && i < file.header->section_count; i++)
        done = check_section(&file, &file.sections[i], skip_weights, error);
    if (done)
        *out_file = file;
    else
        tsr_om_close(&file);
    return done;
}

gboolean tsr_om_open_bytes(GBytes *bytes, TsrOmFile *out_file, GError **error)
{
    return open_bytes(bytes, FALSE, out_file, error);
}

static gboolean open_path(const char *path, gboolean skip_weights, TsrOmFile *out_file,
                          GError **error)
{
    g_autoptr(GError) cause = NULL;
    GMappedFile *mapped = g_mapped_file_new(path, FALSE, &cause);
    g_autoptr(GBytes) bytes = NULL;
    gboolean done;
    if (mapped == NULL) {
        g_set_error(error, TSR_ERROR, TSR_IO, "offline model '%s': %s", path, cause->message);
        return FALSE;
    }
    bytes = g_mapped_file_get_bytes(mapped);
    g_mapped_file_unref(mapped);
    done = open_bytes(bytes, skip_weights, out_file, error);
    if (!done)
        g_prefix_error(error, "offline model '%s': ", path);
    return done;
}

gboolean tsr_om_open(const char *path, TsrOmFile *out_file, GError **error)
{
    return open_path(path, FALSE, out_file, error);
}

gboolean tsr_om_open_tables(const char *path, TsrOmFile *out_file, GError **error)
{
    return open_path(path, TRUE, out_file, error);
}

void tsr_om_close(TsrOmFile *file)
{
    g_clear_pointer(&file->bytes, g_bytes_unref);
}

GBytes *tsr_om_section_bytes(const TsrOmFile *file, const char *name, GError **error)
{
    for (guint32 i = 0; i < file->header->section_count; i++)
        if (strcmp(file->sections[i].name, name) == 0)
            return g_bytes_new_from_bytes(file->bytes, file->sections[i].offset,
                                          file->sections[i].size);
    tsr_om_corrupt(error, "has no section '%s'", name);
    return NULL;
}

GVariant *tsr_om_section(const TsrOmFile *file, const char *name, const char *type,
                         GError **error)
{
    g_autoptr(GBytes) bytes = tsr_om_section_bytes(file, name, error);
    GVariant *variant;
    if (bytes == NULL)
        return NULL;
    variant = g_variant_ref_sink(g_variant_new_from_bytes(G_VARIANT_TYPE(type), bytes, FALSE));
    if (!g_variant_is_normal_form(variant)) {
        g_clear_pointer(&variant, g_variant_unref);
        tsr_om_corrupt(error, "section '%s' is not a %s", name, type);
    }
    return variant;
}

static void clear_engine(gpointer data)
{
    TsrOmEngine *engine = data;
    g_free(engine->name);
    g_free(engine->plugin_version);
    g_free(engine->compat);
}

GArray *tsr_om_engines(GVariant *meta)
{
    GArray *engines = g_array_new(FALSE, FALSE, sizeof(TsrOmEngine));
    g_autoptr(GVariant) list =
        g_variant_lookup_value(meta, "engines", G_VARIANT_TYPE("a(ssuus)"));
    g_array_set_clear_func(engines, clear_engine);
    for (gsize i = 0; list != NULL && i < g_variant_n_children(list); i++) {
        TsrOmEngine engine;
        g_variant_get_child(list, i, "(ssuus)", &engine.name, &engine.plugin_version,
                            &engine.abi_major, &engine.blob_version, &engine.compat);
        g_array_append_val(engines, engine);
    }
    return engines;
}

static void clear_cluster(gpointer data)
{
    TsrOmCluster *cluster = data;
    g_free(cluster->engine);
    g_free(cluster->first);
    g_free(cluster->compat);
}

GArray *tsr_om_clusters(GVariant *meta)
{
    GArray *clusters = g_array_new(FALSE, FALSE, sizeof(TsrOmCluster));
    g_autoptr(GVariant) list =
        g_variant_lookup_value(meta, "clusters", G_VARIANT_TYPE(TSR_OM_CLUSTERS_TYPE));
    g_array_set_clear_func(clusters, clear_cluster);
    for (gsize i = 0; list != NULL && i < g_variant_n_children(list); i++) {
        TsrOmCluster cluster;
        g_variant_get_child(list, i, "(susst)", &cluster.engine, &cluster.nodes, &cluster.first,
                            &cluster.compat, &cluster.hash);
        g_array_append_val(clusters, cluster);
    }
    return clusters;
}
TsrWeights *tsr_om_weights(const TsrOmFile *file, GError **error)
{
    g_autoptr(GBytes) block = tsr_om_section_bytes(file, TSR_OM_WEIGHTS, error);
    return block != NULL ? tsr_weights_new_block(block) : NULL;
}
gboolean tsr_om_has_section(const TsrOmFile *file, const char *name)
{
    for (guint32 i = 0; i < file->header->section_count; i++)
        if (strcmp(file->sections[i].name, name) == 0)
            return TRUE;
    return FALSE;
}

gboolean tsr_om_only_gears(const TsrOmFile *file)
{
    g_autoptr(GVariant) meta = tsr_om_section(file, TSR_OM_META, "a{sv}", NULL);
    gboolean only = FALSE;
    if (meta != NULL)
        (void)g_variant_lookup(meta, "only_gears", "b", &only);
    return only;
}

guint tsr_om_gear_count(const TsrOmFile *file)
{
    guint count = 0;
    for (;; count++) {
        g_autofree char *name = g_strdup_printf(TSR_OM_GEAR "%u", count);
        if (!tsr_om_has_section(file, name))
            return count;
    }
}

GVariant *tsr_om_gear(const TsrOmFile *file, guint index, GError **error)
{
    static const char type[] = "(a{sv}" TSR_GRAPH_VARIANT_TYPE TSR_OM_TASKS_TYPE
                               TSR_OM_MEMORY_TYPE ")";
    g_autofree char *name = g_strdup_printf(TSR_OM_GEAR "%u", index);
    return tsr_om_section(file, name, type, error);
}

gboolean tsr_om_gear_tables(const TsrOmFile *file, guint index, GVariant **out_meta,
                            GVariant **out_tasks, GError **error)
{
    g_autoptr(GVariant) whole = tsr_om_gear(file, index, error);
    if (whole == NULL)
        return FALSE;
    *out_meta = g_variant_get_child_value(whole, 0);
    *out_tasks = g_variant_get_child_value(whole, 2);
    return TRUE;
}
