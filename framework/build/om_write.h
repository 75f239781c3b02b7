/* SPDX-License-Identifier: Apache-2.0
 *
 * om_write.h: a program to an offline model, in memory or in a file.
 */
#ifndef TSR_BUILD_OM_WRITE_H
#define TSR_BUILD_OM_WRITE_H

#include "build/program.h"
#include "plugin/plugin_set.h"

/* What a file holds. All programs and the source have the same weights. */
typedef struct TsrOmContent {
    TsrProgram *program; /* for all shapes */
    GPtrArray *gears;    /* TsrProgram for fixed shapes, at most TSR_OM_MAX_GEARS; or NULL */
    gboolean only_gears; /* no other shapes may run */
    GVariant *source;    /* of TSR_OM_SOURCE, or NULL */
} TsrOmContent;

/* The whole file as bytes, 64-byte aligned. The weights are used up. Errors: OUT_OF_MEMORY.
 * (transfer full) */
GBytes *tsr_om_assemble(const TsrOmContent *content, const TsrPluginSet *set, GError **error);

/* Writes bytes to a file: beside it first, then renamed, so that a reader never sees
 * half of it. Errors: IO. */
gboolean tsr_om_save(GBytes *om, const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;

#endif
