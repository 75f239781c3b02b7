/* SPDX-License-Identifier: Apache-2.0
 *
 * om_write.h: a program to an offline model, in memory or in a file.
 */
#ifndef TSR_BUILD_OM_WRITE_H
#define TSR_BUILD_OM_WRITE_H

#include "build/program.h"
#include "plugin/plugin_set.h"

/* The whole file as bytes, 64-byte aligned. The program's weights are used up. Errors:
 * OUT_OF_MEMORY. (transfer full) */
GBytes *tsr_om_assemble(TsrProgram *program, const TsrPluginSet *set, GError **error);

/* Writes bytes to a file: beside it first, then renamed, so that a reader never sees
 * half of it. Errors: IO. */
gboolean tsr_om_save(GBytes *om, const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;

#endif
