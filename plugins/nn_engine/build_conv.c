/* SPDX-License-Identifier: Apache-2.0
 *
 * build_conv.c: ONNX Conv (versions 1 to 22) and the fused Conv of tessera.nn, as
 * tasks of the three convolution kernels. Which one follows from the storage formats
 * that were chosen: NC1HWC0 on both sides is the blocked or the depthwise kernel, a
 * plain input with a blocked output the blocked kernel's first-layer form, plain on
 * both sides the NCHW kernel, which takes any groups. Weights are packed here, once.
 */
#include <math.h>
#include <stdlib.h>
#include "nn.h"

/* Input channels up to which the first-layer form beats blocks of 16 lanes. */
enum { SMALL_CHANNELS = 4 };

static int64_t conv_groups(const TsrNodeView *node) { return tsr_attr_int(node, "group", 1); }

/* What the selector needs: channels per group on both sides, 0 where unknown. */
static void conv_channels(const TsrNodeView *node, int64_t *out_in, int64_t *out_out,
                          int64_t *out_groups)
{
    const TsrTensorDesc *w = node->inputs[1];
    *out_groups = conv_groups(node);
    *out_in = w->shape[1];
    *out_out = w->shape[0] / *out_groups;
}

static int is_depthwise(int64_t in, int64_t out, int64_t groups)
{
    return groups > 1 && in == 1 && out == 1;
}

static int is_blockable(int64_t in, int64_t out, int64_t groups)
{
    return groups == 1 || (in % TSR_NPU_C0 == 0 && out % TSR_NPU_C0 == 0);
}

/* 1x1, stride 1 and no pads: what CONV2D_SPARSE_F32 does in any groups. */
static int is_single_tap(const TsrNodeView *node)
{
    const TsrTensorDesc *w = node->inputs[1];
    const NnPicture none = { 1, 1, 1, 1 };
    NnWindow v;
    return w->rank == 4 && w->shape[2] == 1 && w->shape[3] == 1 &&
           nn_window_of(node, 2, w->shape + 2, &none, &none, &v) && v.stride_h == 1 &&
           v.stride_w == 1 && v.pad_top + v.pad_left + v.pad_bottom + v.pad_right == 0;
}

static void conv_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    const TsrTensorDesc *x = nn_input(node, 0), *w = nn_input(node, 1), *b = nn_input(node, 2);
    const TsrTensorDesc *z = nn_input(node, 3);
    const int64_t groups = conv_groups(node);
    NnPicture none = { 1, 1, 1, 1 };
    NnWindow window;
    int64_t taps = 1;
    char text[96];
    (void)op;
    if (x == NULL || w == NULL || (x->rank != 3 && x->rank != 4) || w->rank != x->rank) {
        tsr_support_no(out_support, TSR_REFUSE_SHAPE,
                       "convolutions of 1 or 2 spatial dims only, X has rank %u, W rank %u",
                       x != NULL ? x->rank : 0, w != NULL ? w->rank : 0);
        return;
    }
    if (nn_value(node, 1) == NULL || (b != NULL && nn_value(node, 2) == NULL)) {
        tsr_support_no(out_support, TSR_REFUSE_VALUE, "input %d has to be constant",
                       nn_value(node, 1) == NULL ? 1 : 2);
        return;
    }
    if (x->origin_format == TSR_FORMAT_NHWC) {
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "X means NHWC, wanted NCHW");
        return;
    }
    for (uint32_t i = 2; i < w->rank; i++)
        taps *= w->shape[i] <= TSR_NPU_MAX_TAPS ? w->shape[i] : TSR_NPU_MAX_TAPS + 1;
    if (taps < 1 || taps > TSR_NPU_MAX_TAPS || w->shape[1] < 1) {
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "a window of %s has no taps or above %d",
                       tsr_shape_text(w->rank, w->shape, text, sizeof(text)), TSR_NPU_MAX_TAPS);
        return;
    }
    if (groups < 1 || w->shape[0] < groups || w->shape[0] % groups != 0 ||
        (x->shape[1] >= 0 && x->shape[1] != w->shape[1] * groups)) {
        tsr_support_no(out_support, TSR_REFUSE_ATTR, "group %lld does not fit %lld channels",
                       (long long)groups, (long long)w->shape[0]);
        return;
    }
    if (!nn_window_of(node, x->rank - 2, w->shape + 2, &none, &none, &window)) {
        tsr_support_no(out_support, TSR_REFUSE_ATTR,
                       "strides, dilations or pads are out of range (pads below 0?)");
        return;
    }
    if (b != NULL && tsr_desc_elements(b) != w->shape[0])
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "B has %lld elements, wanted %lld",
                       (long long)tsr_desc_elements(b), (long long)w->shape[0]);
    if (z != NULL && z->rank != x->rank)
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "Z has rank %u, wanted %u", z->rank,
                       x->rank);
}

/* Each column so far once more with the weights in that format. They are repacked for the
 * kernel anyway, so it is taken only where they have it already or the user wants it. */
static void add_weight_columns(TsrColumnSet *set, uint32_t format)
{
    const uint32_t count = set->count;
    for (uint32_t i = 0; i < count && set->count < set->capacity; i++) {
        uint32_t *to = set->formats + (size_t)set->count * set->port_count;
        memcpy(to, set->formats + (size_t)i * set->port_count,
               set->port_count * sizeof(*to));
        to[1] = format;
        set->scores[set->count++] = set->scores[i] - 0.01f;
    }
}

static void conv_columns(const NnOp *op, const TsrNodeView *node, TsrColumnSet *set)
{
    int64_t in, out, groups;
    uint64_t blocked = node->input_count > 3 && node->inputs[3] != NULL ? 1u << 3 : 0;
    (void)op;
    if (!nn_is_picture(node->inputs[0]) || !nn_is_picture(node->outputs[0]) ||
        !tsr_desc_is_static(node->inputs[0]))
        return;
    conv_channels(node, &in, &out, &groups);
    if (groups == 1 && in <= SMALL_CHANNELS)
        nn_column_mask(set, node, 12.0f, TSR_FORMAT_NC1HWC0, blocked);
    /* Groups that fill no blocks have a kernel in float only. */
    if (is_depthwise(in, out, groups) || is_blockable(in, out, groups) ||
        (is_single_tap(node) && node->inputs[0]->dtype == TSR_DTYPE_FLOAT))
        nn_column_mask(set, node, 10.0f, TSR_FORMAT_NC1HWC0, blocked | 1);
    nn_column(set, 1.0f, (const uint32_t[]){ TSR_FORMAT_ND }, 1);
    add_weight_columns(set, is_depthwise(in, out, groups) ? TSR_FORMAT_C1HWNCOC0
                                                          : TSR_FORMAT_FRACTAL_Z);
}

static const NnSelect conv_select = NN_SELECT_CUSTOMIZE(conv_columns);

/* ---------------------------------------------------------------- weights */

/* Packs W [OC, IC/g, kh, kw] to the layout of the kernel; see device_kernels.h. */
static void pack_blocked(const TsrConv2dParams *p, const float *w, float *to)
{
    const int64_t depth = p->in_c / p->groups, taps = (int64_t)p->kernel_h * p->kernel_w;
    const int64_t lanes = p->x_plain ? 1 : TSR_NPU_C0;
    for (int64_t block = 0; block < p->out_c; block += 16)
        for (int64_t first = 0; first < depth; first += lanes)
            for (int64_t tap = 0; tap < taps; tap++)
                for (int64_t ic = first; ic < first + lanes && ic < depth; ic++)
                    for (int64_t oc = block; oc < block + 16; oc++)
                        *to++ = oc < p->out_c ? w[(oc * depth + ic) * taps + tap] : 0.0f;
}

static void pack_depthwise(const TsrConv2dParams *p, const float *w, float *to)
{
    const int64_t taps = (int64_t)p->kernel_h * p->kernel_w;
    for (int64_t block = 0; block < p->out_c; block += 16)
        for (int64_t tap = 0; tap < taps; tap++)
            for (int64_t oc = block; oc < block + 16; oc++)
                *to++ = oc < p->out_c ? w[oc * taps + tap] : 0.0f;
}

static void pack_nchw(const TsrConv2dParams *p, const float *w, float *to)
{
    const int64_t depth = p->in_c / p->groups, group_out = p->out_c / p->groups;
    const int64_t taps = (int64_t)p->kernel_h * p->kernel_w;
    for (int64_t g = 0; g < p->groups; g++)
        for (int64_t tile = 0; tile < group_out; tile += TSR_NPU_NCHW_TILE)
            for (int64_t i = 0; i < depth * taps; i++)
                for (int64_t o = tile; o < tile + TSR_NPU_NCHW_TILE; o++)
                    *to++ = o < group_out ? w[(g * group_out + o) * depth * taps + i] : 0.0f;
}

static int32_t add_weights(const TsrNodeView *node, TsrTaskSink *sink, const TsrConv2dParams *p,
                           const float *w, int64_t floats,
                           void (*pack)(const TsrConv2dParams *, const float *, float *),
                           uint32_t dtype, uint32_t *out_arg)
{
    int32_t status;
    float *packed = malloc((size_t)floats * sizeof(*packed));
    if (packed == NULL)
        return sink->fail(sink, TSR_OUT_OF_MEMORY, "%s '%s': %lld weights", node->op_type,
                          node->name, (long long)floats);
    pack(p, w, packed);
    status = nn_constant_of(sink, dtype, packed, floats, out_arg);
    free(packed);
    return status;
}

/* The bias as a constant of whole blocks; TSR_ARG_NULL without one. */
static int32_t add_bias(const TsrNodeView *node, TsrTaskSink *sink, const TsrConv2dParams *p,
                        const float *bias, uint32_t *out_arg)
{
    const int64_t floats = nn_round_up(p->out_c, 16);
    int32_t status;
    float *padded;
    *out_arg = TSR_ARG_NULL;
    if (bias == NULL)
        return TSR_OK;
    padded = calloc((size_t)floats, sizeof(*padded));
    if (padded == NULL)
        return sink->fail(sink, TSR_OUT_OF_MEMORY, "%s '%s': bias", node->op_type, node->name);
    memcpy(padded, bias, (size_t)p->out_c * sizeof(*padded));
    status = sink->constant(sink, padded, (uint64_t)floats * sizeof(*padded), out_arg);
    free(padded);
    return status;
}

/* ----------------------------------------------------------------- tiling */

/* Elements of the padded copy of `rows` output rows; mirrors kernels/window.h. */
static int64_t slab_floats(const TsrConv2dParams *p, int64_t planes, int64_t rows)
{
    const int64_t extent_h = (int64_t)(p->kernel_h - 1) * p->dilation_h + 1;
    const int64_t extent_w = (int64_t)(p->kernel_w - 1) * p->dilation_w + 1;
    const int64_t row_step = p->stride_h < extent_h ? p->stride_h : extent_h;
    const int64_t phases = p->stride_w < extent_w ? p->stride_w : extent_w;
    const int64_t width = p->out_w + (extent_w - 1) / p->stride_w;
    return planes * ((rows - 1) * row_step + extent_h) * phases * width;
}

/* Most rows whose slab stays within a quarter of a core's L2, at least 1. */
static int64_t slab_rows(const TsrTaskSink *sink, const TsrConv2dParams *p, int64_t planes)
{
    const int64_t bytes = sink->l2_bytes > 0 ? sink->l2_bytes : 1 << 20;
    int64_t rows = p->out_h;
    while (rows > 1 && slab_floats(p, planes, rows) * 4 > bytes / 4)
        rows = rows > 8 ? rows - rows / 8 : rows - 1;
    return rows;
}

/* How much longer the busiest core works than the average when `whole` units are cut
 * into runs of `part`. */
static double imbalance(int64_t whole, int64_t part, int64_t cores)
{
    const int64_t pieces = nn_ceil_div(whole, part);
    return (double)(nn_ceil_div(pieces, cores) * part * cores) / (double)whole;
}

/* Cuts `length` units (rows or pixels, in steps) into runs of at most `most`, so that
 * the busiest core has least to do; every run costs a little more by itself. */
static int64_t even_part(int64_t length, int64_t most, int64_t cores, int64_t step)
{
    int64_t best = most;
    double best_cost = INFINITY;
    for (int64_t part = most; part >= step && part * 4 >= most; part -= step) {
        const int64_t each = nn_ceil_div(nn_ceil_div(length, part), cores);
        const double cost = (double)(each * part) + 0.15 * (double)(each * step);
        if (cost < best_cost) {
            best_cost = cost;
            best = part;
        }
    }
    return best;
}

/* Sets *_per_piece; returns the number of pieces. direct: no slab, one long row. */
static int64_t conv_tile(const TsrTaskSink *sink, TsrConv2dParams *p, int64_t planes, int direct)
{
    const int64_t cores = sink->core_count > 0 ? sink->core_count : 1;
    const int64_t depth = p->in_c / p->groups, taps = (int64_t)p->kernel_h * p->kernel_w;
    const int64_t blocks = nn_ceil_div(p->out_c, 16);
    const double flop = (double)p->batch * p->out_h * p->out_w * p->out_c * (double)(depth * taps);
    const double weights = (double)p->out_c * (double)(depth * taps);
    const double inputs = (double)p->batch * p->in_c * p->in_h * p->in_w;
    int64_t places = p->batch, block_part;
    p->rows_per_piece = p->out_h;
    p->columns_per_piece = p->out_w;
    p->blocks_per_piece = (int32_t)blocks;
    if (direct) {
        const int64_t l2 = sink->l2_bytes > 0 ? sink->l2_bytes : 1 << 20;
        int64_t most = l2 / 4 / 4 / nn_round_up(depth, 16) / 14 * 14;
        most = most < 56 ? 56 : most;
        if (most < p->out_w)
            p->columns_per_piece = (int32_t)even_part(p->out_w, most, cores, 14);
        places *= nn_ceil_div(p->out_w, p->columns_per_piece);
    } else {
        const int64_t most = slab_rows(sink, p, planes);
        if (most < p->out_h)
            p->rows_per_piece = (int32_t)even_part(p->out_h, most, cores, 1);
        places *= nn_ceil_div(p->out_h, p->rows_per_piece);
    }
    if (flop < 2e5 || cores == 1)
        return places;
    /* Heavy weights are shared out by channel, so that each core reads its part only. */
    block_part = nn_round_up(nn_ceil_div(blocks, cores), blocks >= 4 * cores ? 2 : 1);
    if (places % cores != 0 || weights > inputs) {
        const int64_t length = direct ? p->out_w : p->out_h;
        const int64_t step = direct ? 14 : 1;
        const int64_t share = nn_round_up(nn_ceil_div(length, cores), step);
        const int64_t now = direct ? p->columns_per_piece : p->rows_per_piece;
        const int64_t part = even_part(length, share < now ? share : now, cores, step);
        const double by_blocks = imbalance(blocks, block_part, cores);
        const double by_place = p->batch % cores == 0 ? 1.0 : imbalance(length, part, cores);
        if (by_blocks < by_place + (weights > inputs ? 0.2 : -0.02)) {
            p->blocks_per_piece = (int32_t)block_part;
        } else if (direct) {
            p->columns_per_piece = (int32_t)part;
        } else {
            p->rows_per_piece = (int32_t)part;
        }
    }
    return (int64_t)p->batch * nn_ceil_div(p->out_h, p->rows_per_piece) *
           nn_ceil_div(p->out_w, p->columns_per_piece) *
           nn_ceil_div(blocks, p->blocks_per_piece);
}

double nn_conv_operations(const TsrConv2dParams *p)
{
    return 2.0 * (double)p->batch * p->out_h * p->out_w * p->out_c *
           (double)(p->in_c / p->groups * p->kernel_h * p->kernel_w);
}

static uint32_t conv_block_dim(const TsrTaskSink *sink, const TsrConv2dParams *p, int64_t pieces)
{
    const uint32_t blocks = nn_block_dim(sink, pieces, nn_conv_operations(p) / 32.0);
    /* Two blocks a core only where they are alike: the tiling counts on it. */
    return blocks > sink->core_count && sink->core_count > 0 && pieces % blocks != 0
               ? sink->core_count : blocks;
}

/* ------------------------------------------------------------------ build */

static const float *node_bias(const TsrNodeView *node)
{
    return nn_value(node, 2) != NULL ? node->values[2]->data : NULL;
}

static int32_t conv_task(const TsrNodeView *node, TsrTaskSink *sink, TsrConv2dParams *p,
                         const char *kernel, uint32_t blocks, uint32_t weights, uint32_t y_arg,
                         const float *bias)
{
    uint32_t args[6] = { TSR_ARG_INPUT | 0, weights, TSR_ARG_NULL, TSR_ARG_NULL, y_arg,
                         TSR_ARG_NULL };
    const int depthwise = strcmp(kernel, TSR_KERNEL_CONV2D_DEPTHWISE_F32) == 0;
    int32_t status = add_bias(node, sink, p, bias, &args[2]);
    if (status == TSR_OK && nn_input(node, 3) != NULL)
        args[3] = TSR_ARG_INPUT | 3;
    if (status == TSR_OK && p->workspace_floats > 0)
        status = sink->workspace(sink, p->workspace_floats * blocks * sizeof(float), &args[5]);
    if (status != TSR_OK)
        return status;
    return nn_compute_task(sink, nn_kernel_of(kernel, node->inputs[0]->dtype), blocks,
                           nn_conv_operations(p), args, depthwise ? 5 : 6, p, sizeof(*p));
}

/* A 1x1 window that reads every pixel once: no copy is needed. */
static int is_pointwise(const TsrConv2dParams *p)
{
    return p->kernel_h == 1 && p->kernel_w == 1 && p->stride_h == 1 && p->stride_w == 1 &&
           p->pad_top == 0 && p->pad_left == 0 && p->in_h == p->out_h && p->in_w == p->out_w;
}

int32_t nn_conv_blocked(const TsrNodeView *node, TsrTaskSink *sink, TsrConv2dParams *p,
                        const float *w, const float *bias, uint32_t y_arg)
{
    const int64_t depth = p->in_c / p->groups, taps = (int64_t)p->kernel_h * p->kernel_w;
    const int64_t planes = p->x_plain ? depth : nn_round_up(depth, 16);
    /* Narrow pixels are widened on their way into the workspace. */
    const uint32_t dtype = node->inputs[0]->dtype;
    const int direct = !p->x_plain && is_pointwise(p) && dtype == TSR_DTYPE_FLOAT;
    uint32_t weights, blocks;
    int64_t pieces;
    int32_t status = add_weights(node, sink, p, w, nn_round_up(p->out_c, 16) * depth * taps,
                                 pack_blocked, dtype, &weights);
    if (status != TSR_OK)
        return status;
    if (direct && p->y_step_h == 0) {
        p->in_w = p->out_w = p->in_h * p->in_w;
        p->in_h = p->out_h = 1;
    }
    pieces = conv_tile(sink, p, planes, direct);
    blocks = conv_block_dim(sink, p, pieces);
    if (!direct)
        p->workspace_floats = (uint64_t)nn_round_up(slab_floats(p, planes, p->rows_per_piece), 16);
    return conv_task(node, sink, p, TSR_KERNEL_CONV2D_F32, blocks, weights, y_arg, bias);
}

static int32_t build_depthwise(const TsrNodeView *node, TsrTaskSink *sink, TsrConv2dParams *p)
{
    const int64_t blocks = nn_ceil_div(p->out_c, 16);
    uint32_t weights;
    const int32_t status = add_weights(node, sink, p, node->values[1]->data,
                                       blocks * 16 * p->kernel_h * p->kernel_w, pack_depthwise,
                                       node->inputs[0]->dtype, &weights);
    if (status != TSR_OK)
        return status;
    return conv_task(node, sink, p, TSR_KERNEL_CONV2D_DEPTHWISE_F32,
                     conv_block_dim(sink, p, p->batch * blocks * p->out_h), weights,
                     TSR_ARG_OUTPUT | 0, node_bias(node));
}

static int32_t build_nchw(const TsrNodeView *node, TsrTaskSink *sink, TsrConv2dParams *p)
{
    const int64_t depth = p->in_c / p->groups, group_out = p->out_c / p->groups;
    const int64_t tiles = nn_ceil_div(group_out, TSR_NPU_NCHW_TILE);
    const int64_t cores = sink->core_count > 0 ? sink->core_count : 1;
    int64_t planes = (int64_t)p->batch * p->groups, rows = slab_rows(sink, p, depth);
    uint32_t weights;
    const int32_t status = add_weights(
        node, sink, p, node->values[1]->data,
        p->groups * tiles * TSR_NPU_NCHW_TILE * depth * p->kernel_h * p->kernel_w, pack_nchw,
        TSR_DTYPE_FLOAT, &weights);
    if (status != TSR_OK)
        return status;
    p->columns_per_piece = p->out_w;
    p->blocks_per_piece = (int32_t)tiles;
    if (planes % cores != 0 && planes < 4 * cores) {
        const int64_t share = nn_ceil_div(p->out_h, cores);
        rows = even_part(p->out_h, rows < share ? rows : share, cores, 1);
    }
    p->rows_per_piece = (int32_t)rows;
    planes *= nn_ceil_div(p->out_h, rows);
    if (planes < cores)
        p->blocks_per_piece = (int32_t)nn_ceil_div(tiles, cores);
    /* Vectors read past the last row: room for three of them. */
    if (!is_pointwise(p) || node->inputs[0]->dtype != TSR_DTYPE_FLOAT)
        p->workspace_floats = (uint64_t)nn_round_up(slab_floats(p, depth, rows) + 64, 16);
    return conv_task(node, sink, p, TSR_KERNEL_CONV2D_NCHW_F32,
                     conv_block_dim(sink, p, planes * nn_ceil_div(tiles, p->blocks_per_piece)),
                     weights, TSR_ARG_OUTPUT | 0, node_bias(node));
}

/* Rows of few pixels would leave most lanes of the NCHW kernel idle: lanes are output
 * channels then, in a workspace whose blocks are taken apart afterwards. */
static int is_narrow(const TsrNodeView *node, const TsrConv2dParams *p)
{
    const int64_t pixels = (int64_t)p->out_h * p->out_w;
    /* Nor do many filters over one signal, as of a Fourier transform, pay there. */
    const int bank = p->in_c <= SMALL_CHANNELS && p->out_c >= 64 && pixels <= 1024;
    return p->groups == 1 && (pixels <= 12 || bank) && p->out_c >= 16 &&
           nn_input(node, 3) == NULL;
}

static int32_t build_narrow(const TsrNodeView *node, TsrTaskSink *sink, TsrConv2dParams *p)
{
    const int64_t pixels = (int64_t)p->out_h * p->out_w;
    const int64_t plain[4] = { p->batch, p->out_c, 1, pixels };
    const int64_t blocked[5] = { p->batch, nn_ceil_div(p->out_c, 16), 1, pixels, 16 };
    const TsrTensorDesc y = { .struct_size = sizeof(y), .dtype = node->outputs[0]->dtype,
                              .origin_format = TSR_FORMAT_NCHW,
                              .storage_format = TSR_FORMAT_NCHW, .rank = 4, .storage_rank = 4,
                              .shape = plain, .storage_shape = plain };
    TsrTensorDesc sums = y;
    uint32_t arg = TSR_ARG_NULL;
    int32_t status = sink->workspace(
        sink, (uint64_t)(p->batch * nn_round_up(p->out_c, 16) * pixels) * sizeof(float), &arg);
    sums.storage_format = TSR_FORMAT_NC1HWC0;
    sums.storage_rank = 5;
    sums.storage_shape = blocked;
    p->x_plain = 1;
    if (status == TSR_OK)
        status = nn_conv_blocked(node, sink, p, node->values[1]->data, node_bias(node), arg);
    if (status != TSR_OK)
        return status;
    return nn_build_transdata(sink, node->name, &sums, &y, 0, arg, TSR_ARG_OUTPUT | 0);
}

static int32_t conv_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const TsrTensorDesc *w = node->inputs[1];
    const int x_blocked = nn_is_blocked(node->inputs[0]);
    const int y_blocked = nn_is_blocked(node->outputs[0]);
    int64_t in, out, groups;
    NnPicture x, y;
    NnWindow v;
    TsrConv2dParams p = { .struct_size = sizeof(p) };
    (void)op;
    if (nn_value(node, 1) == NULL || (nn_input(node, 2) != NULL && nn_value(node, 2) == NULL))
        return sink->fail(sink, TSR_UNSUPPORTED, "%s '%s': weights and bias have to be constant",
                          node->op_type, node->name);
    if (!nn_picture_of(node->inputs[0], &x) || !nn_picture_of(node->outputs[0], &y) ||
        !nn_window_of(node, w->rank - 2, w->shape + 2, &x, &y, &v))
        return sink->fail(sink, TSR_INVALID_ARGUMENT, "%s '%s': shape or window out of range",
                          node->op_type, node->name);
    conv_channels(node, &in, &out, &groups);
    if (x.c != in * groups || y.c != out * groups)
        return sink->fail(sink, TSR_INVALID_ARGUMENT,
                          "%s '%s': X has %d channels, wanted %lld", node->op_type, node->name,
                          x.c, (long long)(in * groups));
    if (nn_input(node, 3) != NULL &&
        (nn_is_blocked(node->inputs[3]) != y_blocked ||
         node->inputs[3]->rank != node->outputs[0]->rank ||
         memcmp(node->inputs[3]->shape, node->outputs[0]->shape,
                node->outputs[0]->rank * sizeof(int64_t)) != 0))
        return sink->fail(sink, TSR_INVALID_ARGUMENT,
                          "%s '%s': Z needs the shape and the format of Y", node->op_type,
                          node->name);
    p.x_plain = y_blocked && !x_blocked;
    p.batch = x.n;
    p.in_c = x.c;
    p.in_h = x.h;
    p.in_w = x.w;
    p.out_c = y.c;
    p.out_h = y.h;
    p.out_w = y.w;
    p.kernel_h = v.kernel_h;
    p.kernel_w = v.kernel_w;
    p.stride_h = v.stride_h;
    p.stride_w = v.stride_w;
    p.dilation_h = v.dilation_h;
    p.dilation_w = v.dilation_w;
    p.pad_top = v.pad_top;
    p.pad_left = v.pad_left;
    p.groups = (int32_t)groups;
    p.activation = nn_activation_of(node);
    if (!x_blocked && !y_blocked)
        return is_narrow(node, &p) ? build_narrow(node, sink, &p) : build_nchw(node, sink, &p);
    if (x_blocked && y_blocked && is_depthwise(in, out, groups))
        return build_depthwise(node, sink, &p);
    const int sparse = groups > 1 && !is_blockable(in, out, groups) && is_pointwise(&p);
    if (x_blocked && y_blocked && node->inputs[0]->dtype == TSR_DTYPE_FLOAT &&
        (sparse || nn_winograd_wins(&p))) {
        uint32_t bias_arg;
        const int32_t status = add_bias(node, sink, &p, node_bias(node), &bias_arg);
        if (status != TSR_OK)
            return status;
        return (sparse ? nn_sparse_build : nn_winograd_build)(
            node, sink, &p, node->values[1]->data, bias_arg,
            nn_input(node, 3) != NULL ? TSR_ARG_INPUT | 3 : TSR_ARG_NULL);
    }
    if (y_blocked && (x_blocked ? is_blockable(in, out, groups) : groups == 1))
        return nn_conv_blocked(node, sink, &p, node->values[1]->data, node_bias(node),
                               TSR_ARG_OUTPUT | 0);
    return sink->fail(sink, TSR_UNSUPPORTED, "%s '%s': no kernel for %s to %s in %lld groups",
                      node->op_type, node->name, tsr_format_name(node->inputs[0]->storage_format),
                      tsr_format_name(node->outputs[0]->storage_format), (long long)groups);
}

static const NnOp ops[] = {
    { .op_type = "Conv", .domain = "", .min_version = 1, .max_version = 22,
      .dtypes = NN_FLOATS, .check = conv_check,
      .build = conv_build, .select = &conv_select },
    { .op_type = "Conv", .domain = NN_DOMAIN, .min_version = 1, .max_version = 1,
      .dtypes = NN_FLOATS, .check = conv_check, .build = conv_build, .select = &conv_select,
      .inplace = 1u << 3 }, /* each place of Z is read just before Y is written there */
};

const NnOpTable nn_conv_ops = { ops, sizeof(ops) / sizeof(ops[0]) };
