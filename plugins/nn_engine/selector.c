/* SPDX-License-Identifier: Apache-2.0
 *
 * selector.c: tells the framework which storage formats a node of ours can take; see
 * selector.h. Rows without an NnSelect keep plain storage.
 */
#include "nn.h"

void nn_column(TsrColumnSet *set, float score, const uint32_t *formats, uint32_t count)
{
    if (set->count >= set->capacity)
        return;
    for (uint32_t i = 0; i < set->port_count; i++)
        set->formats[set->count * set->port_count + i] = formats[i < count ? i : count - 1];
    set->scores[set->count++] = score;
}

void nn_column_mask(TsrColumnSet *set, const TsrNodeView *node, float score, uint32_t format,
                    uint64_t blocked)
{
    if (set->count >= set->capacity)
        return;
    for (uint32_t i = 0; i < set->port_count; i++) {
        const int on = i >= node->input_count || (i < 64 && (blocked >> i & 1));
        set->formats[set->count * set->port_count + i] = on ? format : TSR_FORMAT_ND;
    }
    set->scores[set->count++] = score;
}

static int32_t selector_columns(const TsrFormatSelector *selector, const TsrNodeView *node,
                                TsrColumnSet *out_columns)
{
    int known;
    const NnOp *op = nn_op_find(node, &known);
    const NnSelect *select = op != NULL ? op->select : NULL;
    (void)selector;
    out_columns->count = 0;
    if (select == NULL)
        return TSR_OK;
    out_columns->selector = select->selector;
    for (uint32_t i = 0; i < select->column_count; i++)
        nn_column(out_columns, select->columns[i].score, select->columns[i].formats,
                  select->columns[i].port_count);
    if (select->pattern != 0)
        nn_builtin_columns(select->pattern, node, out_columns);
    if (select->customize != NULL)
        select->customize(op, node, out_columns);
    return TSR_OK;
}

const TsrFormatSelector nn_selector = {
    .struct_size = sizeof(TsrFormatSelector),
    .name = "nn_engine",
    .columns = selector_columns,
};
