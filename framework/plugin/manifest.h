/* SPDX-License-Identifier: Apache-2.0
 *
 * manifest.h: NAME.plugin, a key file beside a plugin's library that says what is in it, so
 * that it can be listed, and refused, without being loaded. What the library then says of
 * itself must be the same.
 */
#ifndef TSR_PLUGIN_MANIFEST_H
#define TSR_PLUGIN_MANIFEST_H

#include "plugin/loader.h"

typedef struct TsrManifest {
    char *path;            /* of the manifest itself */
    char *library;         /* absolute */
    char *name;
    char *version;
    char *description;     /* NULL where it is not given; likewise below */
    guint32 abi_major;
    char **kind;           /* which of engine, device, ops, fusion, selector it brings */
    char **engines;        /* their names; there is one at most so far */
    char **capabilities;   /* names of TSR_ENGINE_ and TSR_DEVICE_ flags */
    gboolean has_priority;
    gint default_priority;
} TsrManifest;

/* Reads a manifest. Errors: INVALID_ARGUMENT names path and key; IO. (transfer full) */
TsrManifest *tsr_manifest_load(const char *path, GError **error);
void tsr_manifest_free(TsrManifest *manifest); /* NULL is a no-op */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrManifest, tsr_manifest_free)

/* Whether an opened library is what the manifest says. INCOMPATIBLE names key, both words and
 * both files. */
gboolean tsr_manifest_check(const TsrManifest *manifest, const TsrLoadedPlugin *record,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

#endif
