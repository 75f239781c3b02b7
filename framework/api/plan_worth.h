/* SPDX-License-Identifier: Apache-2.0
 *
 * plan_worth.h: whether a plan pays for itself with its first run: making it and running it once
 * takes less than the run node by node that it replaces. So it is with networks of large
 * convolutions, where a run without planned formats takes several times as long.
 *
 * Only times that were measured count, and of the last few the least: a run that lost its core
 * says nothing. Whatever is decided, results are right; only the time differs.
 */
#ifndef TSR_API_PLAN_WORTH_H
#define TSR_API_PLAN_WORTH_H

#include <glib.h>

enum { TSR_WORTH_KEPT = 8 };

/* The last times of a kind, a ring. */
typedef struct TsrWorthTimes {
    gint64 us[TSR_WORTH_KEPT];
    guint count; /* all that came */
} TsrWorthTimes;

/* Zero is: nothing is known. */
typedef struct TsrPlanWorth {
    TsrWorthTimes making;
    TsrWorthTimes planned; /* runs with a plan */
    TsrWorthTimes dynamic; /* runs without one */
} TsrPlanWorth;

void tsr_worth_note(TsrWorthTimes *times, gint64 us);
/* FALSE until each kind came at least twice. */
gboolean tsr_plan_worth_pays(const TsrPlanWorth *worth);

#endif
