/* SPDX-License-Identifier: Apache-2.0
 *
 * selector_builtin.c: columns that follow from an operator's pattern. What is legal rests on
 * one rule: a format may cut an axis into blocks only if no lane of padding can meet a real
 * one. So an axis that is cut must not be broadcast, nor reduced.
 *
 * | pattern   | NC1HWC0        | FRACTAL_Z, C1HWNCoC0 | FRACTAL_NZ           | NHWC, HWCN     |
 * | agnostic  | always         | always               | always               | always         |
 * | broadcast | C not broadcast| all shapes equal     | last two not broadcast| shapes equal  |
 * | reduce    | C not reduced  | no                   | last two not reduced | no             |
 *
 * Operands of one element stay plain in every column; so do constants per channel (NC1HWC0)
 * and per column of the matrix (FRACTAL_NZ), which the builder spreads over lanes.
 */
#include "nn.h"

const NnSelect nn_select_agnostic = NN_SELECT_BUILTIN(NN_PATTERN_AGNOSTIC);
const NnSelect nn_select_broadcast = NN_SELECT_BUILTIN(NN_PATTERN_BROADCAST);
const NnSelect nn_select_reduce = NN_SELECT_BUILTIN(NN_PATTERN_REDUCE);

#define SCORE 5.0f

static void agnostic(const TsrNodeView *node, TsrColumnSet *set)
{
    if (node->input_count <= 1)
        nn_column(set, SCORE, (const uint32_t[]){ TSR_FORMAT_ANY }, 1);
    else
        nn_column_mask(set, node, SCORE, TSR_FORMAT_ANY, 1);
}

/* ---------------------------------------------------------------- broadcast */

static int same_shape(const TsrTensorDesc *a, const TsrTensorDesc *b)
{
    return a->rank == b->rank && memcmp(a->shape, b->shape, a->rank * sizeof(int64_t)) == 0;
}

int nn_is_channel_constant(const TsrNodeView *node, uint32_t i)
{
    const TsrTensorDesc *d = node->inputs[i], *y = node->outputs[0];
    const uint32_t channel = d->rank - 3; /* wraps for low ranks, refused below */
    return nn_value(node, i) != NULL && y->rank == 4 && d->rank >= 3 && d->rank <= 4 &&
           d->shape[channel] == y->shape[1] && tsr_desc_elements(d) == y->shape[1];
}

int nn_is_column_constant(const TsrNodeView *node, uint32_t i)
{
    const TsrTensorDesc *d = node->inputs[i], *y = node->outputs[0];
    return nn_value(node, i) != NULL && d->rank >= 1 && y->rank >= 2 &&
           d->shape[d->rank - 1] == y->shape[y->rank - 1] &&
           tsr_desc_elements(d) == d->shape[d->rank - 1];
}

/* Which inputs are stored in the format beside a picture y; 0 when the node cannot take it. */
static uint64_t picture_operands(const TsrNodeView *node, int *out_legal)
{
    const TsrTensorDesc *y = node->outputs[0];
    uint64_t blocked = 0;
    *out_legal = nn_is_picture(y);
    for (uint32_t i = 0; i < node->input_count && *out_legal; i++) {
        const TsrTensorDesc *d = node->inputs[i];
        if (tsr_desc_elements(d) == 1)
            continue;
        /* [N or 1, C, 1 or H, 1 or W] broadcasts in NC1HWC0 just as it does plain. */
        if (nn_is_picture(d) && d->shape[1] == y->shape[1])
            blocked |= UINT64_C(1) << i;
        else if (!nn_is_channel_constant(node, i))
            *out_legal = 0;
    }
    return blocked;
}

static uint64_t matrix_operands(const TsrNodeView *node, int *out_legal)
{
    const TsrTensorDesc *y = node->outputs[0];
    uint64_t blocked = 0;
    *out_legal = y->rank >= 2 && y->rank + 2 <= TSR_NPU_MAX_DIMS;
    for (uint32_t i = 0; i < node->input_count && *out_legal; i++) {
        const TsrTensorDesc *d = node->inputs[i];
        if (tsr_desc_elements(d) == 1)
            continue;
        if (d->rank >= 2 && d->shape[d->rank - 1] == y->shape[y->rank - 1] &&
            d->shape[d->rank - 2] == y->shape[y->rank - 2])
            blocked |= UINT64_C(1) << i;
        else if (!nn_is_column_constant(node, i))
            *out_legal = 0;
    }
    return blocked;
}

static void broadcast(const TsrNodeView *node, TsrColumnSet *set)
{
    static const struct {
        uint32_t format;
        uint64_t (*operands)(const TsrNodeView *node, int *out_legal);
    } rules[] = {
        { TSR_FORMAT_NC1HWC0, picture_operands },
        { TSR_FORMAT_FRACTAL_NZ, matrix_operands },
    };
    const TsrTensorDesc *y = node->outputs[0];
    int same = node->input_count < 64;
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (!tsr_desc_is_static(node->inputs[i]))
            return;
        same &= same_shape(node->inputs[i], y);
    }
    if (same) {
        nn_column(set, SCORE, (const uint32_t[]){ TSR_FORMAT_ANY }, 1);
        return;
    }
    for (uint32_t r = 0; r < sizeof(rules) / sizeof(rules[0]); r++) {
        int legal;
        const uint64_t blocked = rules[r].operands(node, &legal);
        if (legal && blocked != 0)
            nn_column_mask(set, node, SCORE, rules[r].format, blocked);
    }
    nn_column(set, SCORE, (const uint32_t[]){ TSR_FORMAT_ND }, 1);
}

/* ------------------------------------------------------------------- reduce */

int nn_reduces_to_channels(const TsrNodeView *node)
{
    const TsrTensorDesc *x = node->inputs[0];
    uint32_t axes;
    return tsr_desc_is_static(x) && nn_is_picture(x) && x->shape[1] % TSR_NPU_C0 == 0 &&
           nn_reduce_axes(node, &axes) && axes == 0xc && node->outputs[0]->rank == 2;
}

static void reduce(const TsrNodeView *node, TsrColumnSet *set)
{
    const TsrTensorDesc *x = node->inputs[0], *y = node->outputs[0];
    uint32_t axes;
    if (tsr_desc_is_static(x) && nn_reduce_axes(node, &axes) && y->rank == x->rank) {
        if (nn_is_picture(x) && (axes & 2) == 0)
            nn_column_mask(set, node, SCORE, TSR_FORMAT_NC1HWC0, 1);
        if (x->rank >= 3 && axes >> (x->rank - 2) == 0)
            nn_column_mask(set, node, SCORE, TSR_FORMAT_FRACTAL_NZ, 1);
    }
    if (nn_reduces_to_channels(node))
        nn_column(set, SCORE, (const uint32_t[]){ TSR_FORMAT_NC1HWC0, TSR_FORMAT_ND }, 2);
    nn_column(set, SCORE, (const uint32_t[]){ TSR_FORMAT_ND }, 1);
}

void nn_builtin_columns(uint32_t pattern, const TsrNodeView *node, TsrColumnSet *set)
{
    if (pattern == NN_PATTERN_AGNOSTIC)
        agnostic(node, set);
    else if (pattern == NN_PATTERN_BROADCAST)
        broadcast(node, set);
    else if (pattern == NN_PATTERN_REDUCE)
        reduce(node, set);
}
