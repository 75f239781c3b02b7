/* SPDX-License-Identifier: Apache-2.0
 *
 * scan_child.h: runs tessera-scan for one plugin and keeps what it said, what the plugin
 * printed, and how the process ended. Used by scan.c alone.
 */
#ifndef TSR_PLUGIN_SCAN_CHILD_H
#define TSR_PLUGIN_SCAN_CHILD_H

#include "plugin/scan.h"

typedef struct TsrScanChild {
    GString *report;      /* the key file as far as it came */
    GString *output;      /* the beginning of what was printed */
    guint64 output_size;  /* all that was printed */
    gboolean timed_out;
    gboolean is_known;    /* how it ended; not so where the application reaps our children */
    int signal;           /* that ended it, or 0 */
    int status;           /* its exit status */
} TsrScanChild;

/* Starts the child and waits until it ends, or ends it at the deadline with all that it
 * started. FALSE with *out_trouble (transfer full) when it cannot be started. */
gboolean tsr_scan_child_run(TsrScanChild *child, const TsrScanOptions *options,
                            const char *library, const char *name, char **out_trouble);
void tsr_scan_child_clear(TsrScanChild *child);

#endif
