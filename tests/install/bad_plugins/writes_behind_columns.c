/* SPDX-License-Identifier: Apache-2.0
 *
 * writes_behind_columns.c: fills two columns, whatever room it is given.
 */
#include "good_engine.h"

static int32_t columns(const TsrFormatSelector *selector, const TsrNodeView *node,
                       TsrColumnSet *out_columns)
{
    (void)selector;
    (void)node;
    for (uint32_t i = 0; i < 2 * out_columns->port_count; i++)
        out_columns->formats[i] = TSR_FORMAT_ND;
    out_columns->scores[0] = out_columns->scores[1] = 1.0f;
    out_columns->selector = TSR_SELECTOR_CUSTOMIZE;
    out_columns->count = out_columns->capacity < 2 ? out_columns->capacity : 2;
    return TSR_OK;
}

static const TsrFormatSelector selector = {.struct_size = sizeof(TsrFormatSelector),
                                           .name = "writes_behind_columns", .columns = columns};
#define PLUGIN_NAME "writes_behind_columns"
#define PLUGIN_SELECTOR &selector
#include "good_plugin.h"
