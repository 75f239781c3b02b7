/* SPDX-License-Identifier: Apache-2.0
 *
 * custom_op.h: operators that are a plain C function in any shared library, described in
 * a key file (docs/custom-ops.md). They run on an engine of their own, "custom", which
 * takes what is described and nothing else.
 */
#ifndef TSR_PLUGIN_CUSTOM_OP_H
#define TSR_PLUGIN_CUSTOM_OP_H

#include "plugin/loader.h"

#define TSR_CUSTOM_ENGINE "custom"

typedef struct TsrCustomOps TsrCustomOps;

TsrCustomOps *tsr_custom_ops_new(void);          /* (transfer full) */
void tsr_custom_ops_free(TsrCustomOps *custom);  /* NULL is a no-op */

/* Reads one key file, opens its library and checks the signature against what the
 * arguments are. Errors: IO, INVALID_ARGUMENT, NOT_FOUND, naming file, group and key. */
gboolean tsr_custom_ops_add(TsrCustomOps *custom, const char *path, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

guint tsr_custom_ops_count(const TsrCustomOps *custom);
/* The operators' definition table; live as long as custom. */
const TsrOps *tsr_custom_ops_table(TsrCustomOps *custom);
/* A plugin record with the engine and executor of these operators. (transfer none) */
const TsrLoadedPlugin *tsr_custom_ops_plugin(TsrCustomOps *custom);

#endif
