/* SPDX-License-Identifier: Apache-2.0
 *
 * selector.c: storage formats. A customize selector: a function of the node. Element by
 * element, x and y may lie in any storage format as long as it is the same, so no conversion
 * is ever needed here; the constant, of which only the number is read, stays plain.
 */
#include "scalar.h"

static int32_t columns(const TsrFormatSelector *selector, const TsrNodeView *node,
                       TsrColumnSet *out_columns)
{
    ScalarLine line;
    (void)selector;
    out_columns->count = 0;
    if (out_columns->capacity < 1 || !scalar_read(node, &line, NULL))
        return TSR_OK;
    for (uint32_t i = 0; i < out_columns->port_count; i++)
        out_columns->formats[i] = i == line.input || i == node->input_count ? TSR_FORMAT_ANY
                                                                            : TSR_FORMAT_ND;
    out_columns->scores[0] = 1.0f;
    out_columns->selector = TSR_SELECTOR_CUSTOMIZE;
    out_columns->count = 1;
    return TSR_OK;
}

const TsrFormatSelector scalar_selector = {
    .struct_size = sizeof(TsrFormatSelector),
    .name = "scalar_engine",
    .columns = columns,
};
