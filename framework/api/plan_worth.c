/* SPDX-License-Identifier: Apache-2.0
 *
 * plan_worth.c: see plan_worth.h.
 */
#include "api/plan_worth.h"

void tsr_worth_note(TsrWorthTimes *times, gint64 us)
{
    times->us[times->count++ % TSR_WORTH_KEPT] = us;
}

static gint64 least(const TsrWorthTimes *times)
{
    gint64 us = times->us[0];
    for (guint i = 1; i < MIN(times->count, TSR_WORTH_KEPT); i++)
        us = MIN(us, times->us[i]);
    return us;
}

/* The mean, since what is made next may be any of them. */
static gint64 mean(const TsrWorthTimes *times)
{
    const guint count = MIN(times->count, TSR_WORTH_KEPT);
    gint64 sum = 0;
    for (guint i = 0; i < count; i++)
        sum += times->us[i];
    return sum / count;
}

gboolean tsr_plan_worth_pays(const TsrPlanWorth *worth)
{
    return worth->making.count >= 2 && worth->planned.count >= 2 && worth->dynamic.count >= 2 &&
           mean(&worth->making) + least(&worth->planned) < least(&worth->dynamic);
}
