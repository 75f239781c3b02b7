/* SPDX-License-Identifier: Apache-2.0
 *
 * report.h: prints the results of the kit: failures and skips with their reasons, a line a
 * group, and the summary; or the same as JSON. Called by main.c.
 */
#ifndef TSR_PLUGIN_CHECK_REPORT_H
#define TSR_PLUGIN_CHECK_REPORT_H

#include "plugin_check/child.h"

/* Appends a check that was not even tried. */
void pc_report_skip(GPtrArray *results, const char *group, const char *check,
                    const char *reason);
/* Returns the exit status of the command: failed when anything failed. */
int pc_report_print(const PcPlugin *plugin, GPtrArray *results, gboolean json,
                    gboolean verbose);

#endif
