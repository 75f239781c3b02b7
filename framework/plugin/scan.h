/* SPDX-License-Identifier: Apache-2.0
 *
 * scan.h: looks at a plugin before it is loaded: a child process (tessera-scan) loads it, so
 * that one which crashes, hangs, exits or prints is found without harm. What was found is kept
 * in the user's cache until the file changes (scan_cache.h), so a good plugin costs one child
 * in its life. Called by plugin_set.c, in the thread that loads plugins.
 */
#ifndef TSR_PLUGIN_SCAN_H
#define TSR_PLUGIN_SCAN_H

#include "plugin/loader.h"

typedef struct TsrScanOptions {
    const char *program;   /* tessera-scan; absolute */
    guint timeout_ms;      /* for one plugin, from start to end */
    gboolean rescan;       /* what is in the cache does not count */
} TsrScanOptions;

/* tessera-scan: $TESSERA_SCAN (absolute; ignored in a privileged process), else the one that
 * lies beside the library or the command. NULL with *out_reason (transfer full) where there is
 * none. (transfer full) */
char *tsr_scan_find_program(char **out_reason);

/* Looks at the file of the record. FALSE: it must not be loaded, and the record is REFUSED
 * with fault and reason. TRUE: it may be; then *out_trouble (transfer full) is set when
 * nobody could look, which is a matter of this installation and not of the plugin. */
gboolean tsr_scan_plugin(TsrLoadedPlugin *record, const TsrScanOptions *options,
                         char **out_trouble);

#endif
