/* SPDX-License-Identifier: Apache-2.0
 *
 * scan_cache.h: reports of scans in $XDG_CACHE_HOME/tessera/plugins, one key file a library,
 * written whole by rename, so that several processes do no harm to each other. A report
 * counts for the same path, size, time of change and scanner, and for hosts of the same ABI.
 * A privileged process has no cache, nor has a user whose folder others may write.
 */
#ifndef TSR_PLUGIN_SCAN_CACHE_H
#define TSR_PLUGIN_SCAN_CACHE_H

#include "plugin/loader.h"

/* What a library and its scanner were when they were looked at. */
typedef struct TsrScanStamp {
    char *path;     /* real path of the library */
    char *name;     /* as the configuration calls it */
    char *text;     /* sizes and times of both files */
} TsrScanStamp;

/* FALSE when one of the files cannot be read. */
gboolean tsr_scan_stamp_init(TsrScanStamp *stamp, const TsrLoadedPlugin *record,
                             const char *program);
void tsr_scan_stamp_clear(TsrScanStamp *stamp);

/* The stored report, or NULL. (transfer full) */
GKeyFile *tsr_scan_cache_load(const TsrScanStamp *stamp);
/* Stores a report, if that can be done. */
void tsr_scan_cache_store(const TsrScanStamp *stamp, GKeyFile *report);

#endif
