/* SPDX-License-Identifier: Apache-2.0
 *
 * build_resize.c: ONNX Resize (11 to 19) and Upsample (9) of a picture's height and width,
 * nearest or linear, as tasks of RESIZE2D_F32. The source rows and columns of every
 * output row and column are worked out here, in the binary32 arithmetic of the
 * operator's formulas.
 */
#include <math.h>
#include <stdlib.h>
#include "nn.h"

typedef struct Axis {
    int64_t in, out;
    float scale;
} Axis;

/* Which input holds scales and which sizes (UINT32_MAX: none). */
static uint32_t scales_input(const TsrNodeView *node)
{
    return strcmp(node->op_type, "Upsample") == 0 ? 1 : 2;
}

static const TsrTensor *sizes_value(const TsrNodeView *node)
{
    return scales_input(node) == 2 && nn_input(node, 3) != NULL ? nn_value(node, 3) : NULL;
}

static int is_nearest(const TsrNodeView *node)
{
    return tsr_attr_find(node, "mode") == NULL || tsr_attr_is(node, "mode", "nearest");
}

/* The coordinate in x of output coordinate i; 0 when the mode is none of ours. */
static int source_of(const TsrNodeView *node, const Axis *a, int64_t i, float *out_source)
{
    const float at = (float)i;
    float x;
    if (scales_input(node) == 1 ||
        tsr_attr_is(node, "coordinate_transformation_mode", "asymmetric"))
        x = at / a->scale;
    else if (tsr_attr_find(node, "coordinate_transformation_mode") == NULL ||
             tsr_attr_is(node, "coordinate_transformation_mode", "half_pixel"))
        x = (at + 0.5f) / a->scale - 0.5f;
    else if (tsr_attr_is(node, "coordinate_transformation_mode", "pytorch_half_pixel"))
        x = a->out > 1 ? (at + 0.5f) / a->scale - 0.5f : 0.0f;
    else if (tsr_attr_is(node, "coordinate_transformation_mode", "align_corners"))
        x = a->out > 1 ? at * (float)(a->in - 1) / (float)(a->out - 1) : 0.0f;
    else
        return 0;
    *out_source = x;
    return 1;
}

static float nearest_of(const TsrNodeView *node, float x)
{
    if (scales_input(node) == 1 || tsr_attr_is(node, "nearest_mode", "floor"))
        return floorf(x);
    if (tsr_attr_is(node, "nearest_mode", "ceil"))
        return ceilf(x);
    if (tsr_attr_is(node, "nearest_mode", "round_prefer_ceil"))
        return floorf(x + 0.5f);
    return ceilf(x - 0.5f);
}

static int64_t clamp(int64_t v, int64_t end) { return v < 0 ? 0 : v < end ? v : end - 1; }

static void fill_taps(const TsrNodeView *node, const Axis *a, TsrResizeTap *taps)
{
    for (int64_t i = 0; i < a->out; i++) {
        float x = 0.0f;
        source_of(node, a, i, &x);
        if (is_nearest(node)) {
            const int32_t at = (int32_t)clamp((int64_t)nearest_of(node, x), a->in);
            taps[i] = (TsrResizeTap){ at, at, 1.0f, 0.0f };
            continue;
        }
        x = fminf(fmaxf(x, 0.0f), (float)(a->in - 1));
        taps[i].first = (int32_t)x;
        taps[i].second = (int32_t)clamp((int64_t)x + 1, a->in);
        taps[i].second_weight = x - floorf(x);
        taps[i].first_weight = 1.0f - taps[i].second_weight;
    }
}

static void resize_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    const TsrTensorDesc *x = node->inputs[0], *y = node->outputs[0];
    const TsrTensor *sizes = sizes_value(node), *scales = nn_value(node, scales_input(node));
    const Axis one = { 1, 1, 1.0f };
    float unused;
    (void)op;
    if (x->rank != 4 || y->rank != 4 || x->shape[0] != y->shape[0] ||
        x->shape[1] != y->shape[1] || x->origin_format == TSR_FORMAT_NHWC || x->shape[2] < 1 ||
        x->shape[3] < 1) {
        tsr_support_no(out_support, TSR_REFUSE_SHAPE,
                       "only height and width of a picture [N, C, H, W] can change");
        return;
    }
    if (sizes == NULL && (scales == NULL || scales->desc->dtype != TSR_DTYPE_FLOAT ||
                          tsr_desc_elements(scales->desc) != 4)) {
        tsr_support_no(out_support, TSR_REFUSE_VALUE,
                       "scales or sizes has to be constant, with an entry per dimension");
        return;
    }
    if ((!is_nearest(node) && !tsr_attr_is(node, "mode", "linear") &&
         !tsr_attr_is(node, "mode", "bilinear")) ||
        tsr_attr_int(node, "antialias", 0) != 0 || tsr_attr_find(node, "axes") != NULL ||
        (tsr_attr_find(node, "keep_aspect_ratio_policy") != NULL &&
         !tsr_attr_is(node, "keep_aspect_ratio_policy", "stretch")) ||
        !source_of(node, &one, 0, &unused))
        tsr_support_no(out_support, TSR_REFUSE_ATTR,
                       "mode, coordinate_transformation_mode, antialias or axes");
}

static void resize_columns(const NnOp *op, const TsrNodeView *node, TsrColumnSet *set)
{
    (void)op;
    nn_column_mask(set, node, 5.0f, TSR_FORMAT_NC1HWC0, 1);
    nn_column(set, 4.0f, (const uint32_t[]){ TSR_FORMAT_ND }, 1);
}

static const NnSelect resize_select = NN_SELECT_CUSTOMIZE(resize_columns);

static int32_t resize_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const TsrTensorDesc *x = node->inputs[0], *y = node->outputs[0];
    const TsrTensor *sizes = sizes_value(node), *scales = nn_value(node, scales_input(node));
    const int blocked = nn_is_blocked(x);
    const int64_t entries = y->shape[2] + y->shape[3];
    uint32_t args[3] = { TSR_ARG_INPUT | 0, TSR_ARG_NULL, TSR_ARG_OUTPUT | 0 };
    TsrResize2dParams p = { .struct_size = sizeof(p), .nearest = (uint32_t)is_nearest(node) };
    TsrResizeTap *taps, *at;
    int32_t status;
    (void)op;
    if (blocked != nn_is_blocked(y) || (sizes == NULL && scales == NULL))
        return sink->fail(sink, TSR_UNSUPPORTED, "%s '%s': formats differ or scales are missing",
                          node->op_type, node->name);
    taps = at = malloc((size_t)entries * sizeof(*taps));
    if (taps == NULL)
        return sink->fail(sink, TSR_OUT_OF_MEMORY, "%s '%s'", node->op_type, node->name);
    for (uint32_t i = 2; i < 4; i++) {
        Axis a = { x->shape[i], y->shape[i], (float)y->shape[i] / (float)x->shape[i] };
        if (sizes == NULL)
            a.scale = ((const float *)scales->data)[i];
        fill_taps(node, &a, at);
        at += y->shape[i];
    }
    status = sink->constant(sink, taps, (uint64_t)entries * sizeof(*taps), &args[1]);
    free(taps);
    if (status != TSR_OK)
        return status;
    p.lanes = blocked ? TSR_NPU_C0 : 1;
    p.outer = x->shape[0] * (blocked ? nn_ceil_div(x->shape[1], TSR_NPU_C0) : x->shape[1]);
    p.in_h = (int32_t)x->shape[2];
    p.in_w = (int32_t)x->shape[3];
    p.out_h = (int32_t)y->shape[2];
    p.out_w = (int32_t)y->shape[3];
    return nn_task(sink, nn_kernel_of(TSR_KERNEL_RESIZE2D_F32, x->dtype),
                   nn_block_dim(sink, p.outer * p.out_h,
                                (double)p.outer * p.out_h * p.out_w * p.lanes),
                   args, 3, &p, sizeof(p));
}

static const NnOp ops[] = {
    { .op_type = "Resize", .domain = "", .min_version = 11, .max_version = 19,
      .dtypes = NN_FLOATS,
      .flags = NN_STATIC_ONLY, .f32_inputs = 1, .check = resize_check, .build = resize_build,
      .select = &resize_select },
    { .op_type = "Upsample", .domain = "", .min_version = 9, .max_version = 9,
      .dtypes = NN_FLOATS,
      .flags = NN_STATIC_ONLY, .f32_inputs = 1, .check = resize_check, .build = resize_build,
      .select = &resize_select },
};

const NnOpTable nn_resize_ops = { ops, sizeof(ops) / sizeof(ops[0]) };
