/* SPDX-License-Identifier: Apache-2.0
 *
 * timing.h: samples of time in milliseconds, for run and bench.
 */
#ifndef TSR_TOOLS_TIMING_H
#define TSR_TOOLS_TIMING_H

#include <glib.h>

static inline double tsr_now_ms(void)
{
    return (double)g_get_monotonic_time() / 1000.0;
}

static inline gint tsr_by_value(gconstpointer a, gconstpointer b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return first < second ? -1 : first > second;
}

/* The sample at that share of an ascending array of doubles, of at least one. */
static inline double tsr_quantile(const GArray *samples, double at)
{
    return g_array_index(samples, double, (guint)(at * (double)(samples->len - 1) + 0.5));
}

#endif
