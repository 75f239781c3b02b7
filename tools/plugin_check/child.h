/* SPDX-License-Identifier: Apache-2.0
 *
 * child.h: runs a group of checks in child processes and gathers its verdicts. Called by
 * main.c, which has loaded no plugin itself.
 */
#ifndef TSR_PLUGIN_CHECK_CHILD_H
#define TSR_PLUGIN_CHECK_CHILD_H

#include "plugin_check/check.h"

typedef enum PcVerdict {
    PC_PASSED,
    PC_FAILED,
    PC_SKIPPED,
} PcVerdict;

typedef struct PcResult {
    const char *group;
    char *check;
    PcVerdict verdict;
    char *reason; /* NULL of one that passed */
} PcResult;

void pc_result_free(PcResult *result);

/* Appends a PcResult per check of the group to results. */
void pc_child_run(const PcGroup *group, const PcPlugin *plugin, const PcSettings *settings,
                  GPtrArray *results);

#endif
