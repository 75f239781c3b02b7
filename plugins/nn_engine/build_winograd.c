/* SPDX-License-Identifier: Apache-2.0
 *
 * build_winograd.c: decides which 3x3 convolutions go to CONV2D_WINOGRAD_F32,
 * transforms their weights and cuts the work. Called by build_conv.c.
 */
#include <stdlib.h>
#include "nn.h"

enum { POINTS = TSR_NPU_WINOGRAD_POINTS };

static int64_t tile_count(const TsrConv2dParams *p)
{
    return nn_ceil_div(p->out_h, 4) * nn_ceil_div(p->out_w, 4);
}

int nn_winograd_wins(const TsrConv2dParams *p)
{
    /* The transformed weights are four times the others: with few tiles to share them,
     * and with few channels to share the transforms, the direct sum is sooner. */
    return p->kernel_h == 3 && p->kernel_w == 3 && p->stride_h == 1 && p->stride_w == 1 &&
           p->dilation_h == 1 && p->dilation_w == 1 && p->groups == 1 && !p->x_plain &&
           p->y_step_h == 0 && p->in_c >= 16 && p->out_c >= 16 && tile_count(p) >= 9 &&
           (int64_t)p->out_h * p->out_w * 2 >= tile_count(p) * 16;
}

/* G g G^T of Lavin and Gray, F(4x4, 3x3). */
static void transform(const float *g, double out[6][6])
{
    static const double rows[6][3] = {
        { 1.0 / 4, 0, 0 },
        { -1.0 / 6, -1.0 / 6, -1.0 / 6 },
        { -1.0 / 6, 1.0 / 6, -1.0 / 6 },
        { 1.0 / 24, 1.0 / 12, 1.0 / 6 },
        { 1.0 / 24, -1.0 / 12, 1.0 / 6 },
        { 0, 0, 1 },
    };
    double half[6][3];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 3; j++)
            half[i][j] = rows[i][0] * (double)g[j] + rows[i][1] * (double)g[3 + j] +
                         rows[i][2] * (double)g[6 + j];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            out[i][j] = half[i][0] * rows[j][0] + half[i][1] * rows[j][1] +
                        half[i][2] * rows[j][2];
}

/* W [OC, IC, 3, 3] to [OC / 16][36][IC][16]. */
static void pack(const TsrConv2dParams *p, const float *w, float *to)
{
    double u[6][6];
    for (int64_t oc = 0; oc < p->out_c; oc++)
        for (int64_t ic = 0; ic < p->in_c; ic++) {
            transform(w + (oc * p->in_c + ic) * 9, u);
            for (int64_t i = 0; i < POINTS; i++)
                to[((oc / 16 * POINTS + i) * p->in_c + ic) * 16 + oc % 16] =
                    (float)u[i / 6][i % 6];
        }
}

/* Sets tiles_per_piece and blocks_per_piece; returns the number of pieces. */
static int64_t cut(const TsrTaskSink *sink, const TsrConv2dParams *c, TsrWinogradParams *p)
{
    const int64_t cores = sink->core_count > 0 ? sink->core_count : 1;
    const int64_t l2 = sink->l2_bytes > 0 ? sink->l2_bytes : 1 << 20;
    const int64_t tiles = tile_count(c), blocks = nn_ceil_div(p->out_c, 16);
    const int64_t tile_bytes = POINTS * 4 * nn_round_up(p->in_c, 16);
    const int64_t weight_bytes = POINTS * 4 * (int64_t)p->in_c * nn_round_up(p->out_c, 16);
    int64_t most = l2 / 2 / tile_bytes / 14 * 14, parts;
    p->blocks_per_piece = (int32_t)blocks;
    /* Weights that do not stay in L2 come from memory once per piece: fewer pieces then,
     * whose tiles may come from the next cache. */
    if (weight_bytes > l2 && most < 56)
        most = 56;
    most = most < 14 ? 14 : most > 112 ? 112 : most;
    parts = nn_ceil_div(tiles, most);
    if (weight_bytes > l2 || tiles < 28 * cores) {
        if (blocks >= cores)
            p->blocks_per_piece = (int32_t)nn_round_up(nn_ceil_div(blocks, cores),
                                                       blocks >= 4 * cores ? 2 : 1);
    } else {
        parts = nn_round_up(parts, cores);
    }
    p->tiles_per_piece = (int32_t)nn_ceil_div(tiles, parts);
    return p->batch * nn_ceil_div(tiles, p->tiles_per_piece) *
           nn_ceil_div(blocks, p->blocks_per_piece);
}

int32_t nn_winograd_build(const TsrNodeView *node, TsrTaskSink *sink, const TsrConv2dParams *c,
                          const float *w, uint32_t bias_arg, uint32_t z_arg)
{
    const uint64_t floats =
        (uint64_t)POINTS * (uint64_t)c->in_c * (uint64_t)nn_round_up(c->out_c, 16);
    uint32_t args[6] = { TSR_ARG_INPUT | 0, TSR_ARG_NULL, bias_arg, z_arg, TSR_ARG_OUTPUT | 0,
                         TSR_ARG_NULL };
    TsrWinogradParams p = {
        .struct_size = sizeof(p), .batch = c->batch, .in_c = c->in_c, .in_h = c->in_h,
        .in_w = c->in_w, .out_c = c->out_c, .out_h = c->out_h, .out_w = c->out_w,
        .pad_top = c->pad_top, .pad_left = c->pad_left, .activation = c->activation,
    };
    const int64_t pieces = cut(sink, c, &p);
    const uint32_t blocks = (uint32_t)(pieces < (int64_t)sink->core_count || sink->core_count == 0
                                           ? pieces : (int64_t)sink->core_count);
    float *packed = calloc((size_t)floats, sizeof(*packed));
    int32_t status;
    if (packed == NULL)
        return sink->fail(sink, TSR_OUT_OF_MEMORY, "%s '%s': %llu weights", node->op_type,
                          node->name, (unsigned long long)floats);
    pack(c, w, packed);
    status = sink->constant(sink, packed, floats * sizeof(*packed), &args[1]);
    free(packed);
    p.workspace_floats = (uint64_t)POINTS * (uint64_t)p.tiles_per_piece * 16 *
                         (uint64_t)(nn_ceil_div(p.in_c, 16) + 4);
    if (status == TSR_OK)
        status = sink->workspace(sink, p.workspace_floats * blocks * sizeof(float), &args[5]);
    if (status != TSR_OK)
        return status;
    return nn_task(sink, TSR_KERNEL_CONV2D_WINOGRAD_F32, blocks, args, 6, &p, sizeof(p));
}
