/* SPDX-License-Identifier: Apache-2.0
 *
 * mistakes_format.c: takes pictures in NC1HWC0 and computes as many elements as there are in NCHW.
 */
#include "good_engine.h"

static int32_t columns(const TsrFormatSelector *selector, const TsrNodeView *node,
                       TsrColumnSet *out_columns)
{
    (void)selector;
    out_columns->count = 0;
    if (!good_takes(node) || node->inputs[0]->rank != 4 || out_columns->capacity < 1)
        return TSR_OK;
    for (uint32_t i = 0; i < out_columns->port_count; i++)
        out_columns->formats[i] = TSR_FORMAT_NC1HWC0;
    out_columns->scores[0] = 1.0f;
    out_columns->selector = TSR_SELECTOR_CUSTOMIZE;
    out_columns->count = 1;
    return TSR_OK;
}

static const TsrFormatSelector selector = {.struct_size = sizeof(TsrFormatSelector),
                                           .name = "mistakes_format", .columns = columns};
#define PLUGIN_NAME "mistakes_format"
#define PLUGIN_SELECTOR &selector
#include "good_plugin.h"
