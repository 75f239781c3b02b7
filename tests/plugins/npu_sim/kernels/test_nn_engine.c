/* SPDX-License-Identifier: Apache-2.0
 *
 * test_nn_engine.c: nodes built by nn_engine and run on the kernels, against the
 * operators' formulas: what the engine packs, tiles and cuts into blocks must not show
 * in the result, whatever the storage formats. And its refusals.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine_run.h"
#include "kernel_check.h"
#include "nn.h"

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })

/* ------------------------------------------------------------------- Conv */

typedef struct ConvCase {
    int64_t n, c, h, w, oc, kh, kw, stride, dilation, pads[4], groups;
    int bias, residual;
} ConvCase;

static const ConvCase convs[] = {
    { 1, 16, 14, 14, 32, 3, 3, 1, 1, { 1, 1, 1, 1 }, 1, 1, 0 },
    { 2, 64, 30, 28, 64, 3, 3, 1, 1, { 1, 1, 1, 1 }, 1, 1, 1 },
    { 1, 3, 33, 35, 40, 7, 7, 2, 1, { 3, 3, 3, 3 }, 1, 1, 0 },
    { 1, 30, 13, 9, 50, 1, 1, 1, 1, { 0, 0, 0, 0 }, 1, 1, 1 },
    { 1, 256, 7, 7, 300, 3, 3, 1, 1, { 1, 1, 1, 1 }, 1, 0, 0 },
    { 1, 40, 56, 57, 64, 1, 1, 2, 1, { 0, 0, 0, 0 }, 1, 1, 0 },
    { 1, 128, 50, 50, 128, 1, 1, 1, 1, { 0, 0, 0, 0 }, 1, 1, 0 },
    { 1, 96, 27, 27, 64, 5, 5, 1, 1, { 2, 2, 2, 2 }, 2, 1, 0 },
    { 2, 24, 17, 18, 24, 3, 3, 2, 1, { 0, 1, 1, 0 }, 24, 1, 0 },
    { 1, 12, 15, 15, 30, 3, 3, 1, 2, { 2, 2, 2, 2 }, 3, 1, 1 },
    { 1, 60, 28, 28, 60, 1, 1, 1, 1, { 0, 0, 0, 0 }, 4, 0, 0 },
};

static float conv_at(const ConvCase *s, const NodeCase *c, int64_t oh, int64_t ow, int64_t i)
{
    const float *x = c->inputs[0].data, *w = c->inputs[1].data;
    const int64_t oc = i / (oh * ow) % s->oc, n = i / (oh * ow) / s->oc;
    const int64_t row = i / ow % oh, column = i % ow, depth = s->c / s->groups;
    double sum = s->bias ? (double)c->inputs[2].data[oc] : 0.0;
    for (int64_t ic = 0; ic < depth; ic++)
        for (int64_t a = 0; a < s->kh; a++)
            for (int64_t b = 0; b < s->kw; b++) {
                const int64_t y = row * s->stride + a * s->dilation - s->pads[0];
                const int64_t z = column * s->stride + b * s->dilation - s->pads[1];
                const int64_t channel = oc / (s->oc / s->groups) * depth + ic;
                if (y >= 0 && y < s->h && z >= 0 && z < s->w)
                    sum += (double)x[((n * s->c + channel) * s->h + y) * s->w + z] *
                           (double)w[((oc * depth + ic) * s->kh + a) * s->kw + b];
            }
    if (s->residual)
        sum += (double)c->inputs[3].data[i];
    return (float)(sum > 0.0 ? sum : 0.0);
}

static int64_t conv_out(int64_t in, int64_t pads, int64_t kernel, const ConvCase *s)
{
    return (in + pads - (kernel - 1) * s->dilation - 1) / s->stride + 1;
}

/* format: 0 plain, 1 blocked, 2 plain input and blocked output. */
static void conv_node(NodeCase *c, const ConvCase *s, int format, uint32_t cores)
{
    /* Attributes point here; one node is alive at a time. */
    static int64_t strides[2], dilations[2];
    const int64_t oh = conv_out(s->h, s->pads[0] + s->pads[2], s->kh, s);
    const int64_t ow = conv_out(s->w, s->pads[1] + s->pads[3], s->kw, s);
    strides[0] = strides[1] = s->stride;
    dilations[0] = dilations[1] = s->dilation;
    node_init(c, NN_DOMAIN, "Conv", 1);
    c->core_count = cores;
    node_input(c, 0, 4, SHAPE(s->n, s->c, s->h, s->w));
    node_input(c, 1, 4, SHAPE(s->oc, s->c / s->groups, s->kh, s->kw));
    if (s->bias)
        node_input(c, 1, 1, SHAPE(s->oc));
    else
        node_omit(c);
    if (s->residual)
        node_input(c, 0, 4, SHAPE(s->n, s->oc, oh, ow));
    node_output(c, 4, SHAPE(s->n, s->oc, oh, ow));
    node_attr_ints(c, "strides", 2, strides);
    node_attr_ints(c, "dilations", 2, dilations);
    node_attr_ints(c, "pads", 4, s->pads);
    node_attr_int(c, "group", s->groups);
    node_attr_int(c, "activation", TSR_ACT_RELU);
    if (format == 1)
        node_block(c, 0);
    if (format != 0) {
        node_block(c, 100);
        if (s->residual)
            node_block(c, 3);
    }
}

static void conv_case(const ConvCase *s, int format, uint32_t cores)
{
    /* The error of a float sum grows with the root of its length. */
    const float sum = 2e-6f * sqrtf((float)(s->c / s->groups * s->kh * s->kw) + 64.0f);
    /* The Winograd form of 3x3 windows adds up larger terms that cancel. */
    const int winograd = format == 1 && s->kh == 3 && s->kw == 3 && s->stride == 1;
    const float bound = winograd ? 10.0f * sum : sum;
    const int64_t oh = conv_out(s->h, s->pads[0] + s->pads[2], s->kh, s);
    const int64_t ow = conv_out(s->w, s->pads[1] + s->pads[3], s->kw, s);
    NodeCase c;
    conv_node(&c, s, format, cores);
    ck_assert_int_eq(node_check(&c).answer, TSR_SUPPORT_YES);
    ck_assert_int_gt(node_run(&c), 0);
    for (int64_t i = 0; i < s->n * s->oc * oh * ow; i++) {
        const float want = conv_at(s, &c, oh, ow, i), got = c.outputs[0].data[i];
        ck_assert_msg(fabsf(got - want) <= bound * fmaxf(1.0f, fabsf(want)),
                      "case %d format %d cores %u: [%d] %g, wanted %g", (int)(s - convs), format,
                      cores, (int)i, (double)got, (double)want);
    }
    node_clear(&c);
}

START_TEST(test_conv)
{
    const ConvCase *s = &convs[_i];
    const int64_t in = s->c / s->groups, out = s->oc / s->groups;
    conv_case(s, 0, 2);
    if (s->groups == 1 || (in % 16 == 0 && out % 16 == 0) || (in == 1 && out == 1)) {
        conv_case(s, 1, 1);
        conv_case(s, 1, 2);
        conv_case(s, 1, 5);
    }
    if (s->groups == 1)
        conv_case(s, 2, 2);
}
END_TEST

START_TEST(test_conv_1d_same_pads)
{
    NodeCase c;
    const int64_t stride[1] = { 2 };
    node_init(&c, "", "Conv", 11);
    float *x = node_input(&c, 0, 3, SHAPE(1, 1, 5));
    float *w = node_input(&c, 1, 3, SHAPE(1, 1, 2));
    float *y = node_output(&c, 3, SHAPE(1, 1, 3));
    node_attr_text(&c, "auto_pad", "SAME_UPPER");
    node_attr_ints(&c, "strides", 1, stride);
    ck_assert_int_eq(node_check(&c).answer, TSR_SUPPORT_YES);
    ck_assert_int_gt(node_run(&c), 0);
    /* One pad, at the end. */
    ck_assert_float_eq_tol(y[0], x[0] * w[0] + x[1] * w[1], 1e-6f);
    ck_assert_float_eq_tol(y[2], x[4] * w[0], 1e-6f);
    node_clear(&c);
}
END_TEST

START_TEST(test_conv_refusals)
{
    NodeCase c;
    const int64_t pads[4] = { -1, 0, 0, 0 };
    node_init(&c, "", "Conv", 11);
    node_input(&c, 0, 4, SHAPE(1, 4, 5, 5));
    node_input(&c, 0, 4, SHAPE(4, 4, 1, 1));
    node_output(&c, 4, SHAPE(1, 4, 5, 5));
    ck_assert_int_eq(node_check(&c).reason_code, TSR_REFUSE_VALUE);
    c.inputs[1].constant = 1;
    ck_assert_int_eq(node_check(&c).answer, TSR_SUPPORT_YES);
    node_attr_ints(&c, "pads", 4, pads);
    ck_assert_int_eq(node_check(&c).reason_code, TSR_REFUSE_ATTR);
    c.attr_count = 0;
    c.inputs[0].desc.dtype = TSR_DTYPE_DOUBLE;
    ck_assert_int_eq(node_check(&c).reason_code, TSR_REFUSE_DTYPE);
    c.inputs[0].desc.dtype = TSR_DTYPE_FLOAT;
    c.version = 999;
    ck_assert_int_eq(node_check(&c).reason_code, TSR_REFUSE_VERSION);
    c.op_type = "NoSuchOp";
    ck_assert_int_eq(node_check(&c).reason_code, TSR_REFUSE_OP);
    ck_assert_int_gt((int)strlen(node_check(&c).reason), 0);
    node_clear(&c);
}
END_TEST

START_TEST(test_conv_columns)
{
    NodeCase c;
    uint32_t formats[8];
    node_init(&c, "", "Conv", 11);
    node_input(&c, 0, 4, SHAPE(1, 3, 9, 9));
    node_input(&c, 1, 4, SHAPE(32, 3, 1, 1));
    node_output(&c, 4, SHAPE(1, 32, 9, 9));
    /* Each column comes once more with the weights as FRACTAL_Z. */
    ck_assert_uint_eq(node_columns(&c, formats), 6);
    ck_assert_uint_eq(formats[0], TSR_FORMAT_ND);
    ck_assert_uint_eq(formats[2], TSR_FORMAT_NC1HWC0);
    c.inputs[0].shape[1] = c.inputs[1].shape[1] = 32;
    ck_assert_uint_eq(node_columns(&c, formats), 4);
    ck_assert_uint_eq(formats[0], TSR_FORMAT_NC1HWC0);
    ck_assert_uint_eq(formats[1], TSR_FORMAT_ND);
    /* 8 channels a group fit no block: that is no matter to single pixels only. */
    c.inputs[1].shape[1] = 8;
    node_attr_int(&c, "group", 4);
    ck_assert_uint_eq(node_columns(&c, formats), 4);
    ck_assert_uint_eq(formats[0], TSR_FORMAT_NC1HWC0);
    c.inputs[1].shape[2] = 3;
    ck_assert_uint_eq(node_columns(&c, formats), 2);
    ck_assert_uint_eq(formats[0], TSR_FORMAT_ND);
    node_clear(&c);
}
END_TEST

/* --------------------------------------------------------- Gemm and MatMul */

START_TEST(test_gemm)
{
    /* transA, transB, constant B, constant C, C's shape */
    const int ta = _i & 1, tb = _i >> 1 & 1, constant = _i >> 2 & 1, row = _i >> 3 & 1;
    const int64_t m = 37, n = 45, k = 29;
    NodeCase c;
    node_init(&c, "", "Gemm", 13);
    float *a = ta ? node_input(&c, 0, 2, SHAPE(k, m)) : node_input(&c, 0, 2, SHAPE(m, k));
    float *b = tb ? node_input(&c, constant, 2, SHAPE(n, k))
                  : node_input(&c, constant, 2, SHAPE(k, n));
    float *bias = row ? node_input(&c, constant, 1, SHAPE(n))
                      : node_input(&c, constant, 2, SHAPE(m, 1));
    const float beta = constant ? 0.5f : 1.0f;
    float *y = node_output(&c, 2, SHAPE(m, n));
    node_attr_int(&c, "transA", ta);
    node_attr_int(&c, "transB", tb);
    node_attr_float(&c, "alpha", 2.0f);
    node_attr_float(&c, "beta", beta);
    ck_assert_int_eq(node_check(&c).answer, TSR_SUPPORT_YES);
    ck_assert_int_gt(node_run(&c), 0);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            float want = beta * (row ? bias[j] : bias[i]);
            for (int64_t l = 0; l < k; l++)
                want += 2.0f * (ta ? a[l * m + i] : a[i * k + l]) *
                        (tb ? b[j * k + l] : b[l * n + j]);
            ck_assert_float_eq_tol(y[i * n + j], want, 1e-4f);
        }
    node_clear(&c);
}
END_TEST

START_TEST(test_matmul_broadcast)
{
    const int constant = _i;
    const int64_t m = 5, n = 18, k = 21;
    NodeCase c;
    node_init(&c, "", "MatMul", 13);
    float *a = node_input(&c, 0, 4, SHAPE(2, 1, m, k));
    float *b = node_input(&c, constant, 3, SHAPE(3, k, n));
    float *y = node_output(&c, 4, SHAPE(2, 3, m, n));
    ck_assert_int_gt(node_run(&c), 0);
    for (int64_t i = 0; i < 2 * 3 * m * n; i++) {
        const int64_t j = i % n, r = i / n % m, p = i / n / m % 3, q = i / n / m / 3;
        float want = 0.0f;
        for (int64_t l = 0; l < k; l++)
            want += a[(q * m + r) * k + l] * b[(p * k + l) * n + j];
        ck_assert_float_eq_tol(y[i], want, 1e-4f);
    }
    node_clear(&c);
}
END_TEST

START_TEST(test_matmul_vectors)
{
    NodeCase c;
    node_init(&c, "", "MatMul", 13);
    float *a = node_input(&c, 0, 1, SHAPE(40));
    float *b = node_input(&c, _i, 1, SHAPE(40));
    float *y = node_output(&c, 0, NULL), want = 0.0f;
    ck_assert_int_gt(node_run(&c), 0);
    for (int l = 0; l < 40; l++)
        want += a[l] * b[l];
    ck_assert_float_eq_tol(y[0], want, 1e-4f);
    node_clear(&c);
}
END_TEST

/* ------------------------------------------------------------ elementwise */

START_TEST(test_binary_per_channel)
{
    /* X blocked; the other operand per channel: constant plain, or a blocked pixel. */
    const int constant = _i & 1, left = _i >> 1;
    NodeCase c;
    float *x, *s;
    node_init(&c, "", "Sub", 14);
    if (left) {
        s = constant ? node_input(&c, 1, 3, SHAPE(20, 1, 1))
                     : node_input(&c, 0, 4, SHAPE(1, 20, 1, 1));
        x = node_input(&c, 0, 4, SHAPE(2, 20, 3, 5));
    } else {
        x = node_input(&c, 0, 4, SHAPE(2, 20, 3, 5));
        s = constant ? node_input(&c, 1, 3, SHAPE(20, 1, 1))
                     : node_input(&c, 0, 4, SHAPE(1, 20, 1, 1));
    }
    float *y = node_output(&c, 4, SHAPE(2, 20, 3, 5));
    node_block(&c, left);
    if (!constant)
        node_block(&c, 1 - left);
    node_block(&c, 100);
    ck_assert_int_gt(node_run(&c), 0);
    for (int i = 0; i < 600; i++)
        ck_assert_float_eq(y[i], left ? s[i / 15 % 20] - x[i] : x[i] - s[i / 15 % 20]);
    node_clear(&c);
}
END_TEST

START_TEST(test_sum_of_three)
{
    NodeCase c;
    node_init(&c, "", "Sum", 13);
    float *x = node_input(&c, 0, 2, SHAPE(3, 1));
    float *z = node_input(&c, 0, 1, SHAPE(1));
    float *w = node_input(&c, 0, 2, SHAPE(3, 33));
    float *y = node_output(&c, 2, SHAPE(3, 33));
    ck_assert_int_gt(node_run(&c), 0);
    for (int i = 0; i < 99; i++)
        ck_assert_float_eq_tol(y[i], x[i / 33] + z[0] + w[i], 1e-6f);
    node_clear(&c);
}
END_TEST

START_TEST(test_batchnorm)
{
    NodeCase c;
    float *p[4];
    node_init(&c, "", "BatchNormalization", 15);
    float *x = node_input(&c, 0, 4, SHAPE(2, 19, 3, 3));
    for (int i = 0; i < 4; i++)
        p[i] = node_input(&c, 1, 1, SHAPE(19));
    for (int i = 0; i < 19; i++)
        p[3][i] = fabsf(p[3][i]) + 0.1f;
    float *y = node_output(&c, 4, SHAPE(2, 19, 3, 3));
    node_attr_float(&c, "epsilon", 0.01f);
    ck_assert_int_eq(node_check(&c).answer, TSR_SUPPORT_YES);
    if (_i) {
        node_block(&c, 0);
        node_block(&c, 100);
    }
    ck_assert_int_gt(node_run(&c), 0);
    for (int i = 0; i < 2 * 19 * 9; i++) {
        const int k = i / 9 % 19;
        ck_assert_float_eq_tol(y[i], (x[i] - p[2][k]) / sqrtf(p[3][k] + 0.01f) * p[0][k] + p[1][k],
                               1e-5f);
    }
    node_clear(&c);
}
END_TEST

START_TEST(test_clip_bounds)
{
    NodeCase c;
    node_init(&c, "", "Clip", 13);
    float *x = node_input(&c, 0, 1, SHAPE(40));
    node_omit(&c);
    node_input(&c, 1, 0, NULL)[0] = 0.25f;
    float *y = node_output(&c, 1, SHAPE(40));
    ck_assert_int_eq(node_check(&c).answer, TSR_SUPPORT_YES);
    ck_assert_int_gt(node_run(&c), 0);
    for (int i = 0; i < 40; i++)
        ck_assert_float_eq(y[i], x[i] > 0.25f ? 0.25f : x[i]);
    c.inputs[2].constant = 0;
    ck_assert_int_eq(node_check(&c).reason_code, TSR_REFUSE_VALUE);
    node_clear(&c);
}
END_TEST

/* ---------------------------------------------------------- pools, layout */

START_TEST(test_global_average)
{
    NodeCase c;
    node_init(&c, "", "GlobalAveragePool", 1);
    float *x = node_input(&c, 0, 4, SHAPE(2, 32, 3, 3));
    float *y = node_output(&c, 4, SHAPE(2, 32, 1, 1));
    if (_i) {
        node_block(&c, 0);
        node_block(&c, 100);
    }
    ck_assert_int_gt(node_run(&c), 0);
    for (int i = 0; i < 64; i++) {
        float sum = 0.0f;
        for (int k = 0; k < 9; k++)
            sum += x[i * 9 + k];
        ck_assert_float_eq_tol(y[i], sum / 9.0f, 1e-6f);
    }
    node_clear(&c);
}
END_TEST

START_TEST(test_concat_channels)
{
    NodeCase c;
    node_init(&c, "", "Concat", 13);
    float *a = node_input(&c, 0, 4, SHAPE(2, 16, 2, 3));
    float *b = node_input(&c, 0, 4, SHAPE(2, 32, 2, 3));
    float *y = node_output(&c, 4, SHAPE(2, 48, 2, 3));
    node_attr_int(&c, "axis", 1);
    if (_i) {
        node_block(&c, 0);
        node_block(&c, 1);
        node_block(&c, 100);
    }
    ck_assert_int_gt(node_run(&c), 0);
    for (int i = 0; i < 2 * 48 * 6; i++) {
        const int ch = i / 6 % 48, n = i / 288, p = i % 6;
        ck_assert_float_eq(y[i], ch < 16 ? a[(n * 16 + ch) * 6 + p]
                                         : b[(n * 32 + ch - 16) * 6 + p]);
    }
    node_clear(&c);
}
END_TEST

START_TEST(test_transpose)
{
    static const int64_t perms[][4] = { { 0, 2, 3, 1 }, { 3, 2, 1, 0 }, { 0, 1, 2, 3 },
                                        { 2, 0, 1, 3 }, { 1, 0, 3, 2 } };
    const int64_t x_shape[4] = { 2, 3, 17, 20 };
    int64_t shape[4], strides[4];
    NodeCase c;
    for (int i = 0; i < 4; i++)
        shape[i] = x_shape[perms[_i][i]];
    node_init(&c, "", "Transpose", 13);
    float *x = node_input(&c, 0, 4, x_shape);
    float *y = node_output(&c, 4, shape);
    node_attr_ints(&c, "perm", 4, perms[_i]);
    ck_assert_int_gt(node_run(&c), 0);
    tsr_shape_strides(4, x_shape, strides);
    for (int64_t i = 0; i < 2 * 3 * 17 * 20; i++) {
        int64_t at = 0, rest = i;
        for (int d = 4; d-- > 0; rest /= shape[d])
            at += rest % shape[d] * strides[perms[_i][d]];
        ck_assert_float_eq(y[i], x[at]);
    }
    node_clear(&c);
}
END_TEST

START_TEST(test_transdata_pair)
{
    NodeCase c;
    node_init(&c, "tessera", "TransData", 1);
    float *x = node_input(&c, 0, 4, SHAPE(2, 20, 5, 7));
    float *y = node_output(&c, 4, SHAPE(2, 20, 5, 7));
    node_block(&c, _i ? 0 : 100);
    ck_assert_int_eq(node_check(&c).answer, TSR_SUPPORT_YES);
    ck_assert_int_gt(node_run(&c), 0);
    ck_assert_int_eq(memcmp(x, y, 2 * 20 * 35 * sizeof(*x)), 0);
    node_clear(&c);
}
END_TEST

START_TEST(test_softmax_versions)
{
    /* Version 11 flattens [2, 3, 4] at axis 1 to rows of 12; 13 runs along axis 1. */
    const uint32_t version = _i ? 13 : 11;
    NodeCase c;
    float sums[24] = { 0.0f };
    node_init(&c, "", "Softmax", version);
    node_input(&c, 0, 3, SHAPE(2, 3, 4));
    float *y = node_output(&c, 3, SHAPE(2, 3, 4));
    node_attr_int(&c, "axis", 1);
    ck_assert_int_gt(node_run(&c), 0);
    for (int i = 0; i < 24; i++)
        sums[version == 11 ? i / 12 : i / 12 * 4 + i % 4] += y[i];
    for (int i = 0; i < (version == 11 ? 2 : 8); i++)
        ck_assert_float_eq_tol(sums[i], 1.0f, 1e-6f);
    node_clear(&c);
}
END_TEST

START_TEST(test_empty_output_needs_no_task)
{
    NodeCase c;
    node_init(&c, "", "Relu", 14);
    node_input(&c, 0, 2, SHAPE(0, 5));
    node_output(&c, 2, SHAPE(0, 5));
    ck_assert_int_eq(node_run(&c), 0);
    node_clear(&c);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, test_conv, 0, (int)(sizeof(convs) / sizeof(convs[0])));
    tcase_add_test(tests, test_conv_1d_same_pads);
    tcase_add_test(tests, test_conv_refusals);
    tcase_add_test(tests, test_conv_columns);
    tcase_add_loop_test(tests, test_gemm, 0, 16);
    tcase_add_loop_test(tests, test_matmul_broadcast, 0, 2);
    tcase_add_loop_test(tests, test_matmul_vectors, 0, 2);
    tcase_add_loop_test(tests, test_binary_per_channel, 0, 4);
    tcase_add_test(tests, test_sum_of_three);
    tcase_add_loop_test(tests, test_batchnorm, 0, 2);
    tcase_add_test(tests, test_clip_bounds);
    tcase_add_loop_test(tests, test_global_average, 0, 2);
    tcase_add_loop_test(tests, test_concat_channels, 0, 2);
    tcase_add_loop_test(tests, test_transpose, 0, 5);
    tcase_add_loop_test(tests, test_transdata_pair, 0, 2);
    tcase_add_loop_test(tests, test_softmax_versions, 0, 2);
    tcase_add_test(tests, test_empty_output_needs_no_task);
}

/* Every convolution of ResNet-50 as the engine tiles it for one core, with how often
 * the network has it; the last line is their sum. */
static void bench(void)
{
    static const struct {
        int count, format;
        ConvCase conv;
    } layers[] = {
        { 1, 2, { 1, 3, 224, 224, 64, 7, 7, 2, 1, { 3, 3, 3, 3 }, 1, 1, 0 } },
        { 1, 1, { 1, 64, 56, 56, 64, 1, 1, 1, 1, { 0, 0, 0, 0 }, 1, 1, 0 } },
        { 3, 1, { 1, 64, 56, 56, 64, 3, 3, 1, 1, { 1, 1, 1, 1 }, 1, 1, 0 } },
        { 4, 1, { 1, 64, 56, 56, 256, 1, 1, 1, 1, { 0, 0, 0, 0 }, 1, 1, 1 } },
        { 2, 1, { 1, 256, 56, 56, 64, 1, 1, 1, 1, { 0, 0, 0, 0 }, 1, 1, 0 } },
        { 1, 1, { 1, 256, 56, 56, 128, 1, 1, 2, 1, { 0, 0, 0, 0 }, 1, 1, 0 } },
        { 4, 1, { 1, 128, 28, 28, 128, 3, 3, 1, 1, { 1, 1, 1, 1 }, 1, 1, 0 } },
        { 4, 1, { 1, 128, 28, 28, 512, 1, 1, 1, 1, { 0, 0, 0, 0 }, 1, 1, 1 } },
        { 1, 1, { 1, 256, 56, 56, 512, 1, 1, 2, 1, { 0, 0, 0, 0 }, 1, 1, 0 } },
        { 3, 1, { 1, 512, 28, 28, 128, 1, 1, 1, 1, { 0, 0, 0, 0 }, 1, 1, 0 } },
        { 1, 1, { 1, 512, 28, 28, 256, 1, 1, 2, 1, { 0, 0, 0, 0 }, 1, 1, 0 } },
        { 6, 1, { 1, 256, 14, 14, 256, 3, 3, 1, 1, { 1, 1, 1, 1 }, 1, 1, 0 } },
        { 6, 1, { 1, 256, 14, 14, 1024, 1, 1, 1, 1, { 0, 0, 0, 0 }, 1, 1, 1 } },
        { 1, 1, { 1, 512, 28, 28, 1024, 1, 1, 2, 1, { 0, 0, 0, 0 }, 1, 1, 0 } },
        { 5, 1, { 1, 1024, 14, 14, 256, 1, 1, 1, 1, { 0, 0, 0, 0 }, 1, 1, 0 } },
        { 1, 1, { 1, 1024, 14, 14, 512, 1, 1, 2, 1, { 0, 0, 0, 0 }, 1, 1, 0 } },
        { 3, 1, { 1, 512, 7, 7, 512, 3, 3, 1, 1, { 1, 1, 1, 1 }, 1, 1, 0 } },
        { 3, 1, { 1, 512, 7, 7, 2048, 1, 1, 1, 1, { 0, 0, 0, 0 }, 1, 1, 1 } },
        { 1, 1, { 1, 1024, 14, 14, 2048, 1, 1, 2, 1, { 0, 0, 0, 0 }, 1, 1, 0 } },
        { 2, 1, { 1, 2048, 7, 7, 512, 1, 1, 1, 1, { 0, 0, 0, 0 }, 1, 1, 0 } },
    };
    double all_flop = 0.0, all_seconds = 0.0;
    for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]); i++) {
        const ConvCase *s = &layers[i].conv;
        const double flop = 2.0 * (double)(conv_out(s->h, 2 * s->pads[0], s->kh, s) *
                                           conv_out(s->w, 2 * s->pads[1], s->kw, s) * s->oc * s->c *
                                           s->kh * s->kw);
        double seconds = 0.0;
        NodeCase c;
        conv_node(&c, s, layers[i].format, 1);
        node_time(&c, 9, &seconds);
        node_clear(&c);
        printf("%4d x %4dx%3dx%3d -> %4d %dx%d s%d %10.0f ns %8.2f GFLOP/s\n", layers[i].count,
               (int)s->c, (int)s->h, (int)s->w, (int)s->oc, (int)s->kh, (int)s->kw,
               (int)s->stride, seconds * 1e9, flop / seconds * 1e-9);
        all_flop += layers[i].count * flop;
        all_seconds += layers[i].count * seconds;
    }
    printf("ResNet-50 convolutions %.3f ms, %.2f GFLOP/s\n", all_seconds * 1e3,
           all_flop / all_seconds * 1e-9);
}

int main(int argc, char **argv)
{
    return kernel_test_main(argc, argv, "nn_engine", add_tests, bench);
}
