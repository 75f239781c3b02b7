/* SPDX-License-Identifier: Apache-2.0
 *
 * scan_report.h: what a look at a plugin found, as the key file that tessera-scan writes to
 * its parent and that the cache keeps. The parent fills in what the child cannot tell.
 */
#ifndef TSR_PLUGIN_SCAN_REPORT_H
#define TSR_PLUGIN_SCAN_REPORT_H

#include "plugin/loader.h"

#define TSR_SCAN_GROUP "scan"

/* Where tessera-scan finds the pipe to its parent. */
enum { TSR_SCAN_REPORT_FD = 3 };

/* The steps that the child names as it begins them; the last says that the report is whole. */
#define TSR_SCAN_STEP_BEGIN "begin"
#define TSR_SCAN_STEP_SHUTDOWN "shutdown"
#define TSR_SCAN_STEP_DONE "done"

/* ABI, sanitizer and version of a build: a report is only of use to the same. */
const char *tsr_scan_build(void);

/* The whole report of a record that was opened: its fault and reason, and the descriptor and
 * interfaces of one that is fine. (transfer full) */
GKeyFile *tsr_scan_report_new(const TsrLoadedPlugin *record);
/* Sets fault and reason; a text that is no UTF-8 is made such. */
void tsr_scan_report_set_fault(GKeyFile *report, TsrPluginFault fault, const char *reason);
/* The fault of a report; TSR_FAULT_COUNT when it names none. */
TsrPluginFault tsr_scan_report_fault(GKeyFile *report);

#endif
