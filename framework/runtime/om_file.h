/* SPDX-License-Identifier: Apache-2.0
 *
 * om_file.h: an offline model as a file: mapped, its header and the hash of every section
 * checked before anything in it is believed; and what of it can be read without a program.
 */
#ifndef TSR_RUNTIME_OM_FILE_H
#define TSR_RUNTIME_OM_FILE_H

#include "build/om_format.h"
#include "build/weights.h"

/* An opened file: sections found and hashed. */
typedef struct TsrOmFile {
    GBytes *bytes;
    const TsrOmHeader *header;
    const TsrOmSection *sections;
} TsrOmFile;

/* An engine that the model's tasks were built by. */
typedef struct TsrOmEngine {
    char *name;
    char *plugin_version;
    guint32 abi_major;
    guint32 blob_version;
    char *compat;
} TsrOmEngine;

/* A cluster of one engine. */
typedef struct TsrOmCluster {
    char *engine;
    guint32 nodes;
    char *first;           /* node */
    char *compat;          /* the engine's text on what can run it */
    guint64 hash;
} TsrOmCluster;

/* Maps a file. Errors: IO; CORRUPT (truncated, wrong magic, wrong hash) and
 * INCOMPATIBLE (newer version) name the section and the numbers. */
gboolean tsr_om_open(const char *path, TsrOmFile *out_file, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The same without a look at the weights, which are most of a file. */
gboolean tsr_om_open_tables(const char *path, TsrOmFile *out_file, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* As tsr_om_open for a file in memory. */
gboolean tsr_om_open_bytes(GBytes *bytes, TsrOmFile *out_file, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
void tsr_om_close(TsrOmFile *file);

/* A GVariant section in normal form, or an error naming it. (transfer full) */
GVariant *tsr_om_section(const TsrOmFile *file, const char *name, const char *type,
                         GError **error);
/* The raw bytes of a section. (transfer full) */
GBytes *tsr_om_section_bytes(const TsrOmFile *file, const char *name, GError **error);

/* Engines of the "meta" section: GArray of TsrOmEngine. (transfer full) */
GArray *tsr_om_engines(GVariant *meta);

/* Clusters of that section: GArray of TsrOmCluster. (transfer full) */
GArray *tsr_om_clusters(GVariant *meta);
/* "meta" and "tasks" of the index-th program for fixed shapes. (transfer full) */
gboolean tsr_om_gear_tables(const TsrOmFile *file, guint index, GVariant **out_meta,
                            GVariant **out_tasks, GError **error);

gboolean tsr_om_has_section(const TsrOmFile *file, const char *name);

/* The weights, as they lie in the mapping. (transfer full) */
TsrWeights *tsr_om_weights(const TsrOmFile *file, GError **error);
/* Whether shapes that no gear has may not run, how many gears there are, and the section of the
 * index-th: the tuple of a program. */
gboolean tsr_om_only_gears(const TsrOmFile *file);
guint tsr_om_gear_count(const TsrOmFile *file);
GVariant *tsr_om_gear(const TsrOmFile *file, guint index, GError **error);

/* Sets CORRUPT; returns FALSE. */
gboolean tsr_om_corrupt(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

#endif
