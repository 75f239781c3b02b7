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

/* Runs groups, at most `jobs` at a time, and appends a PcResult per check to results, in the
 * order of the groups. */
void pc_children_run(const PcGroup *const *groups, guint count, const PcPlugin *plugin,
                     const PcSettings *settings, guint jobs, GPtrArray *results);

#endif
