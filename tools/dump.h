/* SPDX-License-Identifier: Apache-2.0
 *
 * dump.h: every tensor of a run as .npy, under the user's names and in the order that the user
 * knows, with an index of what lies where on the device.
 */
#ifndef TSR_TOOLS_DUMP_H
#define TSR_TOOLS_DUMP_H

#include "api/session.h"

typedef struct TsrDump TsrDump;

typedef struct TsrDumpOptions {
    const char *directory;
    const char *nodes;  /* "a,b": values, or nodes whose values are wanted; NULL: all */
    gboolean storage;   /* also as the bytes lie on the device */
} TsrDumpOptions;

/* Starts dumping the runs of a model, which go task by task from now on. Errors: NOT_FOUND (a
 * name that is no value and no node), IO, UNSUPPORTED (an offline model that does not say where
 * its values lie). (transfer full) */
TsrDump *tsr_dump_new(TsrModel *model, const TsrDumpOptions *options, GError **error);
/* The first error of a run that the run itself could not give, else writes index.json. */
gboolean tsr_dump_finish(TsrDump *dump, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tsr_dump_free(TsrDump *dump); /* ends the dumping; NULL is a no-op */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrDump, tsr_dump_free)

#endif
