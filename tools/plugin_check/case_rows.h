/* SPDX-License-Identifier: Apache-2.0
 *
 * case_rows.h: operators whose inputs must fit each other, with inputs that do. cases.c makes
 * a case of each row and element type.
 */
#ifndef TSR_PLUGIN_CHECK_CASE_ROWS_H
#define TSR_PLUGIN_CHECK_CASE_ROWS_H

#include <glib.h>

typedef struct PcCaseRow {
    const char *op, *inputs, *attrs; /* in the words of cases.h */
    guint outputs;                   /* 0: one */
    gboolean once;                   /* its types are written out: not for every type of T */
    const char *tensors, *bodies;
    gboolean is_random;
} PcCaseRow;

extern const PcCaseRow pc_case_rows[];
extern const gsize pc_case_row_count;

#endif
