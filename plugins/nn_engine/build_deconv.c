/* SPDX-License-Identifier: Apache-2.0
 *
 * build_deconv.c: ONNX ConvTranspose (1 to 22) and the fused one of tessera.nn. With
 * stride s the outputs at s*q + r for one r per dimension are an ordinary convolution
 * of X with every s-th tap, reversed; each such phase is one task of CONV2D_F32 that
 * writes its grid of the result.
 */
#include <stdlib.h>
#include "nn.h"

/* One dimension of one phase, in the words of TsrConv2dParams. */
typedef struct Phase {
    int32_t first;  /* tap of W */
    int32_t stride; /* between taps, and between results */
    int32_t taps, pad, out;
} Phase;

static Phase phase_of(int32_t r, int32_t stride, int32_t kernel, int32_t pad, int32_t extent)
{
    Phase p = { .first = (r + pad) % stride, .stride = stride };
    p.taps = p.first < kernel ? (kernel - p.first + stride - 1) / stride : 1;
    p.pad = p.taps - 1 - (r + pad - p.first) / stride;
    p.out = r < extent ? (extent - r + stride - 1) / stride : 0;
    return p;
}

static int read_window(const TsrNodeView *node, NnWindow *out_window)
{
    const NnPicture none = { 1, 1, 1, 1 };
    return nn_window_of(node, 2, node->inputs[1]->shape + 2, &none, &none, out_window);
}

static void deconv_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    const TsrTensorDesc *x = node->inputs[0], *w = node->inputs[1], *b = nn_input(node, 2);
    NnWindow v;
    uint32_t count;
    (void)op;
    if (!nn_is_picture(x) || w->rank != 4 || x->shape[1] != w->shape[0]) {
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "X and W of rank 4 only, X [N, C, H, W]");
        return;
    }
    if (nn_value(node, 1) == NULL || (b != NULL && nn_value(node, 2) == NULL)) {
        tsr_support_no(out_support, TSR_REFUSE_VALUE, "input %d has to be constant",
                       nn_value(node, 1) == NULL ? 1 : 2);
        return;
    }
    tsr_attr_ints(node, "output_shape", &count);
    if (tsr_attr_int(node, "group", 1) != 1 || count != 0 ||
        (tsr_attr_find(node, "auto_pad") != NULL && !tsr_attr_is(node, "auto_pad", "NOTSET") &&
         !tsr_attr_is(node, "auto_pad", "VALID"))) {
        tsr_support_no(out_support, TSR_REFUSE_ATTR,
                       "group above 1, output_shape or auto_pad SAME");
        return;
    }
    if (w->shape[2] * w->shape[3] > TSR_NPU_MAX_TAPS || !read_window(node, &v) ||
        v.dilation_h != 1 || v.dilation_w != 1) {
        tsr_support_no(out_support, TSR_REFUSE_ATTR, "dilations, or a window out of range");
        return;
    }
    if (b != NULL && tsr_desc_elements(b) != w->shape[1])
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "B has %lld elements, wanted %lld",
                       (long long)tsr_desc_elements(b), (long long)w->shape[1]);
}

static void deconv_columns(const NnOp *op, const TsrNodeView *node, TsrColumnSet *set)
{
    uint32_t formats[4] = { TSR_FORMAT_NC1HWC0, TSR_FORMAT_ND, TSR_FORMAT_ND, TSR_FORMAT_ND };
    (void)op;
    formats[node->input_count] =
        node->inputs[1]->shape[1] == 1 ? TSR_FORMAT_ND : TSR_FORMAT_NC1HWC0;
    nn_column(set, 10.0f, formats, node->input_count + 1);
}

static const NnSelect deconv_select = NN_SELECT_CUSTOMIZE(deconv_columns);

/* W [IC, OC, kh, kw] as [OC, IC, taps] of the phase, reversed; taps past W are zero. */
static void phase_weights(const TsrTensorDesc *w, const float *from, const Phase *h,
                          const Phase *v, float *to)
{
    const int64_t in = w->shape[0], out = w->shape[1], kh = w->shape[2], kw = w->shape[3];
    for (int64_t oc = 0; oc < out; oc++)
        for (int64_t ic = 0; ic < in; ic++)
            for (int64_t a = h->taps; a-- > 0;)
                for (int64_t b = v->taps; b-- > 0;) {
                    const int64_t row = h->first + a * h->stride, column = v->first + b * v->stride;
                    *to++ = row < kh && column < kw
                                ? from[((ic * out + oc) * kh + row) * kw + column] : 0.0f;
                }
}

/* Whether every input pixel becomes a patch of its own of the one output channel, small
 * enough for the lanes of a block. */
static int is_patchwork(const NnPicture *x, const NnPicture *y, const NnWindow *v)
{
    return v->kernel_h == v->stride_h && v->kernel_w == v->stride_w && v->pad_top == 0 &&
           v->pad_left == 0 && y->h == x->h * v->kernel_h && y->w == x->w * v->kernel_w &&
           v->kernel_h * v->kernel_w <= TSR_NPU_C0;
}

/* A 1x1 convolution whose channels are the pixels of the patches, which then move to
 * their places; the activation runs over whole vectors at last. */
static int32_t build_patchwork(const TsrNodeView *node, TsrTaskSink *sink, const NnPicture *x,
                               const NnWindow *v)
{
    const int32_t taps = v->kernel_h * v->kernel_w;
    const float *w = node->values[1]->data;
    const TsrActivation activation = nn_activation_of(node);
    float *weights = malloc(((size_t)taps * (size_t)x->c + 1) * sizeof(*weights));
    float bias[TSR_NPU_C0];
    uint32_t args[2] = { TSR_ARG_NULL, TSR_ARG_OUTPUT | 0 };
    int32_t status;
    TsrConv2dParams p = {
        .struct_size = sizeof(p), .batch = x->n, .in_c = x->c, .in_h = x->h, .in_w = x->w,
        .out_c = taps, .out_h = x->h, .out_w = x->w, .kernel_h = 1, .kernel_w = 1, .stride_h = 1,
        .stride_w = 1, .dilation_h = 1, .dilation_w = 1, .groups = 1,
    };
    const TsrTransposeParams move = {
        .struct_size = sizeof(move), .rank = 4,
        .shape = { (int64_t)x->n * x->h, v->kernel_h, x->w, v->kernel_w },
        .x_step = { (int64_t)x->w * 16, v->kernel_w, 16, 1 },
    };
    const int64_t count = (int64_t)x->n * x->h * x->w * taps;
    if (weights == NULL)
        return sink->fail(sink, TSR_OUT_OF_MEMORY, "%s '%s'", node->op_type, node->name);
    for (int32_t t = 0; t < taps; t++) {
        for (int32_t c = 0; c < x->c; c++)
            weights[t * x->c + c] = w[c * taps + t];
        bias[t] = nn_value(node, 2) != NULL ? *(const float *)node->values[2]->data : 0.0f;
    }
    status = sink->workspace(sink, (uint64_t)x->n * (uint64_t)x->h * (uint64_t)x->w * 64,
                             &args[0]);
    if (status == TSR_OK)
        status = nn_conv_blocked(node, sink, &p, weights, bias, args[0]);
    free(weights);
    if (status == TSR_OK)
        status = nn_task(sink, TSR_KERNEL_TRANSPOSE_B32,
                         nn_block_dim(sink, (int64_t)x->n * x->h * v->kernel_h, (double)count),
                         args, 2, &move, sizeof(move));
    if (status == TSR_OK && activation.kind != TSR_ACT_NONE)
        status = nn_build_activation(sink, TSR_DTYPE_FLOAT, &activation, args[1], args[1], count);
    return status;
}

static int32_t deconv_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const TsrTensorDesc *w = node->inputs[1], *out = node->outputs[0];
    const int plain = !nn_is_blocked(out);
    const TsrTensor *bias = nn_value(node, 2);
    int32_t status = TSR_OK;
    NnPicture x, y;
    NnWindow v;
    float *weights;
    (void)op;
    if (nn_value(node, 1) == NULL || !nn_is_blocked(node->inputs[0]) ||
        (plain && out->shape[1] != 1) || !nn_picture_of(node->inputs[0], &x) ||
        !nn_picture_of(out, &y) || !read_window(node, &v))
        return sink->fail(sink, TSR_UNSUPPORTED,
                          "%s '%s': no kernel for these formats, or a window out of range",
                          node->op_type, node->name);
    if (plain && is_patchwork(&x, &y, &v))
        return build_patchwork(node, sink, &x, &v);
    weights = malloc((size_t)tsr_desc_elements(w) * sizeof(*weights) + 1);
    if (weights == NULL)
        return sink->fail(sink, TSR_OUT_OF_MEMORY, "%s '%s'", node->op_type, node->name);
    for (int32_t i = 0; i < v.stride_h * v.stride_w && status == TSR_OK; i++) {
        const int32_t top = i / v.stride_w, left = i % v.stride_w;
        const Phase a = phase_of(top, v.stride_h, v.kernel_h, v.pad_top, y.h);
        const Phase b = phase_of(left, v.stride_w, v.kernel_w, v.pad_left, y.w);
        TsrConv2dParams p = {
            .struct_size = sizeof(p), .batch = x.n, .in_c = x.c, .in_h = x.h, .in_w = x.w,
            .out_c = y.c, .out_h = a.out, .out_w = b.out, .kernel_h = a.taps, .kernel_w = b.taps,
            .stride_h = 1, .stride_w = 1, .dilation_h = 1, .dilation_w = 1, .pad_top = a.pad,
            .pad_left = b.pad, .groups = 1, .y_h = y.h, .y_w = y.w, .y_step_h = v.stride_h,
            .y_step_w = v.stride_w, .y_top = top, .y_left = left, .y_plain = (uint32_t)plain,
            .activation = nn_activation_of(node),
        };
        if (a.out == 0 || b.out == 0)
            continue;
        phase_weights(w, node->values[1]->data, &a, &b, weights);
        status = nn_conv_blocked(node, sink, &p, weights,
                                 bias != NULL ? bias->data : NULL, TSR_ARG_OUTPUT | 0);
    }
    free(weights);
    return status;
}

static const NnOp ops[] = {
    { .op_type = "ConvTranspose", .domain = "", .min_version = 1, .max_version = 22,
      .flags = NN_STATIC_ONLY | NN_WIDENS, .check = deconv_check, .build = deconv_build,
      .select = &deconv_select },
    { .op_type = "ConvTranspose", .domain = NN_DOMAIN, .min_version = 1, .max_version = 1,
      .flags = NN_STATIC_ONLY | NN_WIDENS, .check = deconv_check, .build = deconv_build,
      .select = &deconv_select },
};

const NnOpTable nn_deconv_ops = { ops, sizeof(ops) / sizeof(ops[0]) };
