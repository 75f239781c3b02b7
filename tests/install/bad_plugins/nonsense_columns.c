/* SPDX-License-Identifier: Apache-2.0
 *
 * nonsense_columns.c: says that it filled more columns of formats than it was given room
 * for, with formats that there are not and scores that are no numbers.
 */
#include "good_engine.h"

static int32_t columns(const TsrFormatSelector *selector, const TsrNodeView *node,
                       TsrColumnSet *out_columns)
{
    (void)selector;
    (void)node;
    for (uint32_t c = 0; c < out_columns->capacity; c++) {
        out_columns->scores[c] = c % 2 == 0 ? NAN : INFINITY;
        for (uint32_t i = 0; i < out_columns->port_count; i++)
            out_columns->formats[c * out_columns->port_count + i] = 123456u + c;
    }
    out_columns->selector = 99;
    out_columns->count = 4000000000u;
    return TSR_OK;
}

static const TsrFormatSelector selector_table = {.struct_size = sizeof(TsrFormatSelector),
                                                 .name = "nonsense_columns", .columns = columns};

#define PLUGIN_NAME "nonsense_columns"
#define PLUGIN_SELECTOR &selector_table
#include "good_plugin.h"
