/* SPDX-License-Identifier: Apache-2.0
 *
 * compare_random.c: see compare_random.h.
 */
#include "compare_random.h"

#include <math.h>
#include <string.h>

typedef struct Statistics {
    gsize count;
    double mean;
    double deviation;
    double least;
    double most;
    gboolean finite;
} Statistics;

static gboolean read_element(TsrArray *array, gsize index, double *out)
{
    gconstpointer data = tsr_array_data(array);
    switch (tsr_array_dtype(array)) {
    case TSR_DTYPE_FLOAT:
        *out = (double)((const float *)data)[index];
        return TRUE;
    case TSR_DTYPE_DOUBLE:
        *out = ((const double *)data)[index];
        return TRUE;
    case TSR_DTYPE_BOOL:
        *out = ((const guint8 *)data)[index];
        return TRUE;
    case TSR_DTYPE_INT32:
        *out = ((const gint32 *)data)[index];
        return TRUE;
    case TSR_DTYPE_INT64:
        *out = (double)((const gint64 *)data)[index];
        return TRUE;
    default:
        return FALSE;
    }
}

static gboolean gather(TsrArray *array, Statistics *out)
{
    double sum = 0.0, squares = 0.0, value;
    gsize count = 1;
    for (guint32 i = 0; i < tsr_array_rank(array); i++)
        count *= (gsize)tsr_array_shape(array)[i];
    *out = (Statistics){.count = count, .least = INFINITY, .most = -INFINITY, .finite = TRUE};
    for (gsize i = 0; i < count; i++) {
        if (!read_element(array, i, &value))
            return FALSE;
        out->finite = out->finite && isfinite(value);
        out->least = fmin(out->least, value);
        out->most = fmax(out->most, value);
        sum += value;
        squares += value * value;
    }
    if (count != 0) {
        out->mean = sum / (double)count;
        out->deviation = sqrt(fmax(squares / (double)count - out->mean * out->mean, 0.0));
    }
    return TRUE;
}

/* Whether every element of a lies in b's range, widened by that range on both sides. */
static gboolean within_range(const Statistics *a, const Statistics *b)
{
    double slack = fmax(b->most - b->least, 1e-3);
    return a->least >= b->least - slack && a->most <= b->most + slack;
}

gboolean tsr_compare_random(TsrArray *got, TsrArray *wanted, GString *out_reason)
{
    Statistics ours, theirs;
    double error;
    guint32 rank = tsr_array_rank(wanted);
    if (tsr_array_dtype(got) != tsr_array_dtype(wanted) || tsr_array_rank(got) != rank ||
        (rank != 0 && memcmp(tsr_array_shape(got), tsr_array_shape(wanted),
                             rank * sizeof(gint64)) != 0)) {
        g_string_append(out_reason, "random output of another dtype or shape");
        return FALSE;
    }
    if (!gather(got, &ours) || !gather(wanted, &theirs))
        return TRUE; /* of these dtypes only dtype and shape are judged */
    if (!ours.finite || !theirs.finite) {
        g_string_append(out_reason, "random output with an element that is not finite");
        return FALSE;
    }
    error = 5.0 * fmax(ours.deviation, theirs.deviation) * sqrt(2.0 / (double)MAX(ours.count, 1));
    if (fabs(ours.mean - theirs.mean) > error + 1e-6 || !within_range(&ours, &theirs) ||
        !within_range(&theirs, &ours)) {
        g_string_append_printf(out_reason,
                               "random output: wanted mean %.4g in [%.4g, %.4g], got %.4g in "
                               "[%.4g, %.4g]",
                               theirs.mean, theirs.least, theirs.most, ours.mean, ours.least,
                               ours.most);
        return FALSE;
    }
    return TRUE;
}
