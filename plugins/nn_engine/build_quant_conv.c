/* SPDX-License-Identifier: Apache-2.0
 *
 * build_quant_conv.c: ONNX QLinearConv 10, ConvInteger 10 and QConv of tessera.nn as tasks
 * of CONV2D_I8 and CONV2D_DEPTHWISE_I8. y is computed in NC1HWC0; where it is plain it is
 * moved there afterwards. Groups that are no single channels become one convolution whose
 * other weights are zero, which is exact. Weights are packed here, once.
 */
#include <stdlib.h>
#include "quantized.h"

/* Input channels up to which a plain picture is read as it is. */
enum { SMALL_CHANNELS = 4 };

static const NnQuantPorts *ports_of(const TsrNodeView *node)
{
    return strcmp(node->op_type, "ConvInteger") == 0 ? &nn_q_ports_integer : &nn_q_ports_linear;
}

static const TsrTensorDesc *weights_desc(const TsrNodeView *node)
{
    return nn_input(node, (uint32_t)ports_of(node)->w);
}

static NnQuantWeights weights_of(const TsrNodeView *node)
{
    const NnQuantPorts *ports = ports_of(node);
    const TsrTensor *w = node->values[ports->w];
    const int64_t channels = w->desc->shape[0];
    const int64_t depth = channels > 0 ? tsr_desc_elements(w->desc) / channels : 0;
    return (NnQuantWeights){ channels, depth, depth, 1, w,
                             nn_value(node, (uint32_t)ports->w_zero) };
}

static int is_depthwise(const TsrNodeView *node)
{
    const TsrTensorDesc *w = weights_desc(node);
    const int64_t groups = tsr_attr_int(node, "group", 1);
    return groups > 1 && w->shape[1] == 1 && w->shape[0] == groups;
}

/* The residual of a QConv, NULL where there is none. */
enum { Z = 9, Z_SCALE, Z_ZERO };

static const TsrTensorDesc *residual_of(const TsrNodeView *node)
{
    return strcmp(node->op_type, "QConv") == 0 ? nn_input(node, Z) : NULL;
}

static int residual_fits(const TsrNodeView *node, TsrSupport *out_support)
{
    const TsrTensorDesc *z = residual_of(node), *y = node->outputs[0];
    if (z == NULL)
        return 1;
    if (is_depthwise(node) || !nn_is_byte(z->dtype) || !tsr_desc_is_static(z) ||
        z->rank != y->rank || memcmp(z->shape, y->shape, z->rank * sizeof(int64_t)) != 0) {
        tsr_support_no(out_support, TSR_REFUSE_SHAPE,
                       "a residual that is not of y's known shape, or of single channels");
        return 0;
    }
    return nn_q_check_constant(node, Z_SCALE, 0, TSR_DTYPE_FLOAT, 1, "a scale", out_support) &&
           nn_q_check_constant(node, Z_ZERO, 0, z->dtype, 1, "a zero point", out_support);
}

static void conv_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    const TsrTensorDesc *x = nn_input(node, 0), *w = weights_desc(node);
    const int64_t groups = tsr_attr_int(node, "group", 1);
    const NnPicture none = { 1, 1, 1, 1 };
    NnWindow window;
    NnQuantWeights weights;
    int64_t taps = 1;
    (void)op;
    if (x == NULL || w == NULL || (x->rank != 3 && x->rank != 4) || w->rank != x->rank) {
        tsr_support_no(out_support, TSR_REFUSE_SHAPE,
                       "convolutions of 1 or 2 spatial dims only, x has rank %u, w rank %u",
                       x != NULL ? x->rank : 0, w != NULL ? w->rank : 0);
        return;
    }
    if (x->origin_format == TSR_FORMAT_NHWC) {
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "x means NHWC, wanted NCHW");
        return;
    }
    if (!nn_q_check_product(node, ports_of(node), w->shape[0], out_support) ||
        !residual_fits(node, out_support))
        return;
    for (uint32_t i = 2; i < w->rank; i++)
        taps *= w->shape[i] <= TSR_NPU_MAX_TAPS ? w->shape[i] : TSR_NPU_MAX_TAPS + 1;
    if (taps < 1 || taps > TSR_NPU_MAX_TAPS || w->shape[1] < 1) {
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "the window has no taps or above %d",
                       TSR_NPU_MAX_TAPS);
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
    weights = weights_of(node);
    nn_q_check_sums(&weights, ports_of(node)->bias >= 0
                                  ? nn_value(node, (uint32_t)ports_of(node)->bias) : NULL,
                    out_support);
}

static void conv_columns(const NnOp *op, const TsrNodeView *node, TsrColumnSet *set)
{
    const TsrTensorDesc *x = node->inputs[0];
    const uint64_t z = residual_of(node) != NULL ? UINT64_C(1) << Z : 0;
    (void)op;
    if (!nn_is_picture(x) || !nn_is_picture(node->outputs[0]) || !tsr_desc_is_static(x))
        return;
    if (!is_depthwise(node) && x->shape[1] <= SMALL_CHANNELS)
        nn_column_mask(set, node, 12.0f, TSR_FORMAT_NC1HWC0, z);
    nn_column_mask(set, node, 10.0f, TSR_FORMAT_NC1HWC0, z | 1);
    nn_column(set, 1.0f, (const uint32_t[]){ TSR_FORMAT_ND }, 1);
}

static const NnSelect conv_select = NN_SELECT_CUSTOMIZE(conv_columns);

/* ---------------------------------------------------------------- weights */

/* Weight of output channel oc and input channel ic of the whole picture, zero between
 * groups. */
static int32_t dense_weight(const NnQuantWeights *w, const TsrConv2dParams *c, int64_t groups,
                            int64_t oc, int64_t ic, int64_t tap)
{
    const int64_t depth = c->in_c / groups, group_out = c->out_c / groups;
    const int64_t taps = (int64_t)c->kernel_h * c->kernel_w;
    if (oc >= c->out_c || ic >= c->in_c || ic / depth != oc / group_out)
        return 0;
    return nn_q_weight(w, oc, ic % depth * taps + tap);
}

static int32_t add_dense(const TsrNodeView *node, TsrTaskSink *sink, const NnQuantWeights *w,
                         const TsrConv2dI8Params *p, int64_t groups, uint32_t *out_arg)
{
    const TsrConv2dParams *c = &p->conv;
    const int64_t taps = (int64_t)c->kernel_h * c->kernel_w, unit = c->x_plain ? 4 : 16;
    const int64_t padded = nn_round_up(c->in_c, 4);
    const int64_t bytes = nn_round_up(c->out_c, 16) * p->requant.passes * padded * taps;
    int8_t *packed = malloc((size_t)bytes), *to = packed;
    int32_t status;
    if (packed == NULL)
        return sink->fail(sink, TSR_OUT_OF_MEMORY, "%s '%s': %lld weights", node->op_type,
                          node->name, (long long)bytes);
    for (int64_t block = 0; block < c->out_c; block += 16)
        for (uint32_t pass = 0; pass < p->requant.passes; pass++)
            for (int64_t plane = 0; plane < padded; plane += unit)
                for (int64_t tap = 0; tap < taps; tap++)
                    for (int64_t quad = plane; quad < plane + unit && quad < padded; quad += 4)
                        for (int64_t oc = block; oc < block + 16; oc++)
                            for (int64_t ic = quad; ic < quad + 4; ic++)
                                *to++ = nn_q_part(dense_weight(w, c, groups, oc, ic, tap), pass);
    status = sink->constant(sink, packed, (uint64_t)bytes, out_arg);
    free(packed);
    return status;
}

static int32_t add_depthwise(const TsrNodeView *node, TsrTaskSink *sink, const NnQuantWeights *w,
                             const TsrConv2dParams *c, uint32_t *out_arg)
{
    const int64_t taps = (int64_t)c->kernel_h * c->kernel_w;
    const int64_t count = nn_round_up(c->out_c, 16) * taps;
    int16_t *packed = malloc((size_t)count * sizeof(*packed)), *to = packed;
    int32_t status;
    if (packed == NULL)
        return sink->fail(sink, TSR_OUT_OF_MEMORY, "%s '%s': %lld weights", node->op_type,
                          node->name, (long long)count);
    for (int64_t block = 0; block < c->out_c; block += 16)
        for (int64_t tap = 0; tap < taps; tap++)
            for (int64_t oc = block; oc < block + 16; oc++)
                *to++ = oc < c->out_c ? (int16_t)nn_q_weight(w, oc, tap) : 0;
    status = sink->constant(sink, packed, (uint64_t)count * sizeof(*packed), out_arg);
    free(packed);
    return status;
}

/* ----------------------------------------------------------------- tiling */

/* Bytes of the padded copy of `rows` output rows; mirrors kernels/window.h. */
static int64_t slab_bytes(const TsrConv2dParams *c, int64_t rows)
{
    const int64_t extent_h = (int64_t)(c->kernel_h - 1) * c->dilation_h + 1;
    const int64_t extent_w = (int64_t)(c->kernel_w - 1) * c->dilation_w + 1;
    const int64_t row_step = c->stride_h < extent_h ? c->stride_h : extent_h;
    const int64_t phases = c->stride_w < extent_w ? c->stride_w : extent_w;
    const int64_t width = c->out_w + (extent_w - 1) / c->stride_w;
    return nn_round_up(c->in_c, c->x_plain ? 4 : 16) *
           ((rows - 1) * row_step + extent_h) * phases * width;
}

/* Sets *_per_piece; returns the number of pieces. A place (rows, or columns where there is
 * no slab) fits a quarter of L2; cores share places, or channel blocks where weights are
 * the larger part. */
static int64_t conv_tile(const TsrTaskSink *sink, TsrConv2dParams *c, int direct)
{
    const int64_t cores = sink->core_count > 0 ? sink->core_count : 1;
    const int64_t most = (sink->l2_bytes > 0 ? sink->l2_bytes : 1 << 20) / 4;
    const int64_t blocks = nn_ceil_div(c->out_c, 16), step = direct ? 12 : 1;
    const int64_t length = direct ? c->out_w : c->out_h;
    const double weights = (double)c->out_c * c->in_c * c->kernel_h * c->kernel_w;
    const double inputs = (double)c->batch * c->in_c * c->in_h * c->in_w;
    int64_t part = length, parts;
    if (direct) {
        const int64_t pixels = most / nn_round_up(c->in_c, 16) / step * step;
        part = pixels > 48 ? pixels : 48;
        part = part < length ? part : length;
    } else {
        while (part > 1 && slab_bytes(c, part) > most)
            part = part > 8 ? part - part / 8 : part - 1;
    }
    c->rows_per_piece = c->out_h;
    c->columns_per_piece = c->out_w;
    c->blocks_per_piece = (int32_t)blocks;
    parts = nn_ceil_div(length, part);
    if (c->batch * parts % cores != 0) {
        if (weights > inputs && blocks >= cores) {
            c->blocks_per_piece =
                (int32_t)nn_round_up(nn_ceil_div(blocks, cores), blocks >= 4 * cores ? 2 : 1);
        } else {
            parts = nn_round_up(parts, cores);
        }
    }
    part = nn_round_up(nn_ceil_div(length, parts), step);
    part = part < length ? part : length;
    *(direct ? &c->columns_per_piece : &c->rows_per_piece) = (int32_t)part;
    return c->batch * nn_ceil_div(length, part) * nn_ceil_div(blocks, c->blocks_per_piece);
}

/* ------------------------------------------------------------------ build */

static int is_direct(const TsrConv2dI8Params *p)
{
    const TsrConv2dParams *c = &p->conv;
    return !c->x_plain && !p->requant.x_signed && c->kernel_h == 1 && c->kernel_w == 1 &&
           c->stride_h == 1 && c->stride_w == 1 && c->pad_top == 0 && c->pad_left == 0 &&
           c->in_h == c->out_h && c->in_w == c->out_w;
}

static int32_t dense_task(const TsrNodeView *node, TsrTaskSink *sink, TsrConv2dI8Params *p,
                          const NnQuantWeights *w, uint32_t x_zero, uint32_t z_arg,
                          uint32_t y_arg)
{
    TsrConv2dParams *c = &p->conv;
    const int direct = is_direct(p);
    uint32_t args[7] = { TSR_ARG_INPUT | 0, TSR_ARG_NULL, TSR_ARG_NULL, x_zero, z_arg, y_arg,
                         TSR_ARG_NULL };
    uint32_t blocks;
    int64_t pieces;
    int32_t status;
    p->requant.passes = nn_q_passes(w);
    status = add_dense(node, sink, w, p, tsr_attr_int(node, "group", 1), &args[1]);
    if (status == TSR_OK)
        status = nn_q_table(node, sink, ports_of(node), w, &args[2]);
    if (status != TSR_OK)
        return status;
    if (direct) {
        c->in_w = c->out_w = c->in_h * c->in_w;
        c->in_h = c->out_h = 1;
    }
    pieces = conv_tile(sink, c, direct);
    /* Bytes are multiplied about four times as fast as floats. */
    blocks = nn_block_dim(sink, pieces, nn_conv_operations(c) / 128.0);
    if (!direct) {
        c->workspace_floats = (uint64_t)nn_round_up(slab_bytes(c, c->rows_per_piece), 64) / 4;
        status = sink->workspace(sink, c->workspace_floats * blocks * 4, &args[6]);
        if (status != TSR_OK)
            return status;
    }
    return nn_compute_task(sink, TSR_KERNEL_CONV2D_I8, blocks, nn_conv_operations(c) / 4.0, args, 7,
                           p, sizeof(*p));
}

static int32_t depthwise_task(const TsrNodeView *node, TsrTaskSink *sink, TsrConv2dI8Params *p,
                              const NnQuantWeights *w, uint32_t x_zero, uint32_t x_arg,
                              uint32_t y_arg)
{
    const TsrConv2dParams *c = &p->conv;
    uint32_t args[5] = { x_arg, TSR_ARG_NULL, TSR_ARG_NULL, x_zero, y_arg };
    const int64_t rows = c->batch * nn_ceil_div(c->out_c, 16) * c->out_h;
    int32_t status = add_depthwise(node, sink, w, c, &args[1]);
    if (status == TSR_OK)
        status = nn_q_table(node, sink, ports_of(node), w, &args[2]);
    if (status != TSR_OK)
        return status;
    return nn_task(sink, TSR_KERNEL_CONV2D_DEPTHWISE_I8,
                   nn_block_dim(sink, rows, (double)rows * c->out_w * c->kernel_h * c->kernel_w *
                                                4.0),
                   args, 5, p, sizeof(*p));
}

/* The desc of a picture in NCHW or NC1HWC0 of rank 4, for nn_build_transdata. */
static TsrTensorDesc picture_desc(uint32_t dtype, int blocked, const int64_t *plain,
                                  int64_t *out_storage)
{
    TsrTensorDesc d = { .struct_size = sizeof(d), .dtype = dtype,
                        .origin_format = TSR_FORMAT_NCHW, .storage_format = TSR_FORMAT_NCHW,
                        .rank = 4, .storage_rank = 4, .shape = plain, .storage_shape = plain };
    if (blocked) {
        const int64_t storage[5] = { plain[0], nn_ceil_div(plain[1], 16), plain[2], plain[3], 16 };
        memcpy(out_storage, storage, sizeof(storage));
        d.storage_format = TSR_FORMAT_NC1HWC0;
        d.storage_rank = 5;
        d.storage_shape = out_storage;
    }
    return d;
}

/* Moves a picture [n, c, h, w] from one storage to the other; a blocked side is a
 * workspace, which this makes where *blocked_arg is TSR_ARG_NULL. */
static int32_t move_picture(const TsrNodeView *node, TsrTaskSink *sink, uint32_t dtype,
                            const int64_t *shape, int to_blocked, uint32_t plain_arg,
                            uint32_t blocked_arg)
{
    int64_t storage[5];
    const TsrTensorDesc plain = picture_desc(dtype, 0, shape, NULL);
    const TsrTensorDesc blocked = picture_desc(dtype, 1, shape, storage);
    return to_blocked ? nn_build_transdata(sink, node->name, &plain, &blocked, 0, plain_arg,
                                           blocked_arg)
                      : nn_build_transdata(sink, node->name, &blocked, &plain, 0, blocked_arg,
                                           plain_arg);
}

static int32_t blocked_workspace(TsrTaskSink *sink, uint32_t dtype, const int64_t *shape,
                                 uint32_t *out_arg)
{
    return sink->workspace(sink, (uint64_t)(shape[0] * nn_round_up(shape[1], 16) * shape[2] *
                                            shape[3]) * tsr_dtype_bits(dtype) / 8,
                           out_arg);
}

/* The residual in blocks, moved there where it is plain. */
static int32_t add_residual(const TsrNodeView *node, TsrTaskSink *sink, const int64_t *shape,
                            TsrRequant *requant, uint32_t *out_arg)
{
    const TsrTensorDesc *z = residual_of(node);
    int32_t status;
    *out_arg = z != NULL ? TSR_ARG_INPUT | Z : TSR_ARG_NULL;
    if (z == NULL)
        return TSR_OK;
    requant->residual_signed = z->dtype == TSR_DTYPE_INT8;
    requant->residual_zero = nn_q_zero(node, Z_ZERO);
    requant->residual_factor = (double)nn_q_scale(node, Z_SCALE) /
                               (double)nn_q_scale(node, ports_of(node)->y_scale);
    if (nn_is_blocked(z))
        return TSR_OK;
    status = blocked_workspace(sink, z->dtype, shape, out_arg);
    return status == TSR_OK ? move_picture(node, sink, z->dtype, shape, 1, TSR_ARG_INPUT | Z,
                                           *out_arg)
                            : status;
}

static int32_t conv_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const TsrTensorDesc *w = weights_desc(node);
    const int x_blocked = nn_is_blocked(node->inputs[0]);
    const int y_blocked = nn_is_blocked(node->outputs[0]);
    const NnQuantWeights weights = weights_of(node);
    TsrConv2dI8Params p = { .struct_size = sizeof(p) };
    uint32_t x_zero, x_arg = TSR_ARG_INPUT | 0, y_arg = TSR_ARG_OUTPUT | 0, z_arg;
    int32_t status;
    NnPicture x, y;
    NnWindow v;
    (void)op;
    if (!nn_picture_of(node->inputs[0], &x) || !nn_picture_of(node->outputs[0], &y) ||
        !nn_window_of(node, w->rank - 2, w->shape + 2, &x, &y, &v) ||
        x.c != w->shape[1] * tsr_attr_int(node, "group", 1))
        return sink->fail(sink, TSR_INVALID_ARGUMENT, "%s '%s': shape or window out of range",
                          node->op_type, node->name);
    nn_q_requant(node, ports_of(node), &p.requant, &x_zero);
    p.conv = (TsrConv2dParams){
        .struct_size = sizeof(p.conv), .x_plain = !x_blocked, .batch = x.n, .in_c = x.c,
        .in_h = x.h, .in_w = x.w, .out_c = y.c, .out_h = y.h, .out_w = y.w,
        .kernel_h = v.kernel_h, .kernel_w = v.kernel_w, .stride_h = v.stride_h,
        .stride_w = v.stride_w, .dilation_h = v.dilation_h, .dilation_w = v.dilation_w,
        .pad_top = v.pad_top, .pad_left = v.pad_left, .groups = 1 };
    const int64_t x_shape[4] = { x.n, x.c, x.h, x.w }, y_shape[4] = { y.n, y.c, y.h, y.w };
    status = add_residual(node, sink, y_shape, &p.requant, &z_arg);
    if (status == TSR_OK && !y_blocked)
        status = blocked_workspace(sink, node->outputs[0]->dtype, y_shape, &y_arg);
    if (status == TSR_OK && is_depthwise(node)) {
        if (!x_blocked) {
            status = blocked_workspace(sink, node->inputs[0]->dtype, x_shape, &x_arg);
            if (status == TSR_OK)
                status = move_picture(node, sink, node->inputs[0]->dtype, x_shape, 1,
                                      TSR_ARG_INPUT | 0, x_arg);
        }
        p.conv.x_plain = 0;
        if (status == TSR_OK)
            status = depthwise_task(node, sink, &p, &weights, x_zero, x_arg, y_arg);
    } else if (status == TSR_OK) {
        status = dense_task(node, sink, &p, &weights, x_zero, z_arg, y_arg);
    }
    if (status != TSR_OK || y_blocked)
        return status;
    return move_picture(node, sink, node->outputs[0]->dtype, y_shape, 0, TSR_ARG_OUTPUT | 0,
                        y_arg);
}

#define CONV_ROW                                                                    \
    .min_version = 1, .max_version = 10, .flags = NN_ANY_DTYPE, .check = conv_check, \
    .build = conv_build, .select = &conv_select

static const NnOp ops[] = {
    { .op_type = "QLinearConv", .domain = "", CONV_ROW },
    { .op_type = "ConvInteger", .domain = "", CONV_ROW },
    { .op_type = "QConv", .domain = NN_DOMAIN, CONV_ROW },
};

const NnOpTable nn_quant_conv_ops = { ops, sizeof(ops) / sizeof(ops[0]) };
