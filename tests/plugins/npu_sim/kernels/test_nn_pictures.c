/* SPDX-License-Identifier: Apache-2.0
 *
 * test_nn_pictures.c: ConvTranspose, Resize, Shuffle, grouped 1x1 Conv, narrow Conv and
 * Dropout built by nn_engine and run on the kernels, against the operators' formulas; and
 * what they refuse.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine_run.h"
#include "kernel_check.h"
#include "nn.h"

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })

/* ---------------------------------------------------------- ConvTranspose */

typedef struct Deconv {
    int64_t c, h, w, oc, kh, kw, stride, pad, extra;
} Deconv;

static const Deconv deconvs[] = {
    { 20, 5, 6, 24, 2, 2, 2, 0, 0 }, { 24, 4, 7, 1, 2, 2, 2, 0, 0 }, { 5, 6, 5, 17, 3, 3, 2, 1, 1 },
    { 16, 3, 3, 16, 4, 4, 2, 1, 0 }, { 3, 4, 4, 1, 3, 3, 2, 0, 0 },  { 7, 5, 5, 9, 1, 1, 2, 0, 0 },
    { 8, 6, 6, 4, 3, 5, 1, 1, 0 },   { 4, 3, 4, 2, 5, 5, 3, 2, 2 },
};

static float deconv_at(const Deconv *s, const NodeCase *c, int64_t oc, int64_t row, int64_t column)
{
    const float *x = c->inputs[0].data, *w = c->inputs[1].data;
    double sum = (double)c->inputs[2].data[oc];
    for (int64_t ic = 0; ic < s->c; ic++)
        for (int64_t i = 0; i < s->h; i++)
            for (int64_t j = 0; j < s->w; j++) {
                const int64_t a = row + s->pad - i * s->stride, b = column + s->pad - j * s->stride;
                if (a >= 0 && a < s->kh && b >= 0 && b < s->kw)
                    sum += (double)x[(ic * s->h + i) * s->w + j] *
                           (double)w[((ic * s->oc + oc) * s->kh + a) * s->kw + b];
            }
    return (float)(1.0 / (1.0 + exp(-sum)));
}

START_TEST(test_deconv)
{
    const Deconv *s = &deconvs[_i];
    const int64_t oh = s->stride * (s->h - 1) + s->extra + s->kh - 2 * s->pad;
    const int64_t ow = s->stride * (s->w - 1) + s->extra + s->kw - 2 * s->pad;
    const int64_t strides[2] = { s->stride, s->stride }, extra[2] = { s->extra, s->extra };
    const int64_t pads[4] = { s->pad, s->pad, s->pad, s->pad };
    NodeCase c;
    node_init(&c, NN_DOMAIN, "ConvTranspose", 1);
    node_input(&c, 0, 4, SHAPE(1, s->c, s->h, s->w));
    node_input(&c, 1, 4, SHAPE(s->c, s->oc, s->kh, s->kw));
    node_input(&c, 1, 1, SHAPE(s->oc));
    node_output(&c, 4, SHAPE(1, s->oc, oh, ow));
    node_attr_ints(&c, "strides", 2, strides);
    node_attr_ints(&c, "output_padding", 2, extra);
    node_attr_ints(&c, "pads", 4, pads);
    node_attr_int(&c, "activation", TSR_ACT_SIGMOID);
    node_block(&c, 0);
    if (s->oc > 1)
        node_block(&c, 100);
    ck_assert_int_eq(node_check(&c).answer, TSR_SUPPORT_YES);
    ck_assert_int_gt(node_run(&c), 0);
    for (int64_t i = 0; i < s->oc * oh * ow; i++) {
        const float want = deconv_at(s, &c, i / ow / oh, i / ow % oh, i % ow);
        ck_assert_msg(fabsf(c.outputs[0].data[i] - want) < 1e-5f, "case %d [%d]: %g, wanted %g", _i,
                      (int)i, (double)c.outputs[0].data[i], (double)want);
    }
    node_clear(&c);
}
END_TEST

START_TEST(test_deconv_refusals)
{
    const int64_t dilations[] = { 2, 2 }, extents[] = { 4, 4 }; /* the case keeps them */
    NodeCase c;
    node_init(&c, "", "ConvTranspose", 11);
    node_input(&c, 0, 4, SHAPE(1, 4, 3, 3));
    node_input(&c, _i != 0, 4, SHAPE(4, 2, 2, 2));
    node_output(&c, 4, SHAPE(1, 2, 4, 4));
    if (_i == 1)
        node_attr_int(&c, "group", 2);
    if (_i == 2)
        node_attr_text(&c, "auto_pad", "SAME_UPPER");
    if (_i == 3)
        node_attr_ints(&c, "dilations", 2, dilations);
    if (_i == 4)
        node_attr_ints(&c, "output_shape", 2, extents);
    ck_assert_int_eq(node_check(&c).answer, TSR_SUPPORT_NO);
    node_clear(&c);
}
END_TEST

/* ----------------------------------------------------------------- Resize */

typedef struct ResizeCase {
    const char *mode, *coordinates, *nearest;
    float scale;
    int out;
    float want[8]; /* of the row 0, 1, 2, ... */
    int in;
} ResizeCase;

static const ResizeCase resizes[] = {
    { "nearest", "asymmetric", "floor", 2.0f, 6, { 0, 0, 1, 1, 2, 2 }, 3 },
    { "nearest", "half_pixel", "round_prefer_floor", 2.0f, 6, { 0, 0, 1, 1, 2, 2 }, 3 },
    { "nearest", "asymmetric", "ceil", 2.0f, 6, { 0, 1, 1, 2, 2, 2 }, 3 },
    { "nearest", "asymmetric", "round_prefer_ceil", 0.5f, 2, { 0, 2 }, 4 },
    { "linear", "half_pixel", NULL, 2.0f, 4, { 0, 0.25f, 0.75f, 1 }, 2 },
    { "linear", "asymmetric", NULL, 2.0f, 4, { 0, 0.5f, 1, 1 }, 2 },
    { "linear", "align_corners", NULL, 2.5f, 5, { 0, 0.25f, 0.5f, 0.75f, 1 }, 2 },
    { "linear", "pytorch_half_pixel", NULL, 0.25f, 1, { 0 }, 4 },
};

START_TEST(test_resize)
{
    const ResizeCase *s = &resizes[_i / 2];
    NodeCase c;
    float *x, *scales;
    node_init(&c, "", "Resize", 13);
    x = node_input(&c, 0, 4, SHAPE(1, 3, 2, s->in));
    node_omit(&c);
    scales = node_input(&c, 1, 1, SHAPE(4));
    node_output(&c, 4, SHAPE(1, 3, 2, s->out));
    scales[0] = scales[1] = scales[2] = 1.0f;
    scales[3] = s->scale;
    node_attr_text(&c, "mode", s->mode);
    node_attr_text(&c, "coordinate_transformation_mode", s->coordinates);
    if (s->nearest != NULL)
        node_attr_text(&c, "nearest_mode", s->nearest);
    if (_i % 2) {
        node_block(&c, 0);
        node_block(&c, 100);
    }
    for (int i = 0; i < 6 * s->in; i++)
        x[i] = (float)(i % s->in + 10 * (i / s->in));
    ck_assert_int_eq(node_check(&c).answer, TSR_SUPPORT_YES);
    ck_assert_int_gt(node_run(&c), 0);
    for (int i = 0; i < 6 * s->out; i++)
        ck_assert_float_eq_tol(c.outputs[0].data[i],
                               s->want[i % s->out] + 10.0f * (float)(i / s->out), 1e-5f);
    node_clear(&c);
}
END_TEST

START_TEST(test_resize_refusals)
{
    NodeCase c;
    node_init(&c, "", "Resize", 18);
    node_input(&c, 0, 4, SHAPE(1, 3, 2, 2));
    node_omit(&c);
    node_input(&c, _i != 0, 1, SHAPE(4));
    node_output(&c, 4, SHAPE(1, _i == 1 ? 6 : 3, 4, 4));
    node_attr_text(&c, "mode", _i == 2 ? "cubic" : "linear");
    if (_i == 3)
        node_attr_int(&c, "antialias", 1);
    if (_i == 4)
        node_attr_text(&c, "coordinate_transformation_mode", "tf_crop_and_resize");
    ck_assert_int_eq(node_check(&c).answer, TSR_SUPPORT_NO);
    node_clear(&c);
}
END_TEST

/* --------------------------------------------------- shuffles and groups */

START_TEST(test_shuffle)
{
    NodeCase c;
    float *x, *y;
    node_init(&c, NN_DOMAIN, "Shuffle", 1);
    x = node_input(&c, 0, 4, SHAPE(2, 24, 3, 5));
    y = node_output(&c, 4, SHAPE(2, 24, 3, 5));
    node_attr_int(&c, "group", 4);
    if (_i) {
        node_block(&c, 0);
        node_block(&c, 100);
    }
    ck_assert_int_gt(node_run(&c), 0);
    for (int i = 0; i < 2 * 24 * 15; i++) {
        const int ch = i / 15 % 24, n = i / 360;
        ck_assert_float_eq(y[i], x[(n * 24 + ch % 4 * 6 + ch / 4) * 15 + i % 15]);
    }
    node_clear(&c);
}
END_TEST

/* 1x1 in groups, blocked; and plain with few pixels. */
START_TEST(test_pointwise)
{
    static const int64_t cases[][6] = {
        /* channels, out, groups, h, w, blocked */
        { 28, 36, 4, 7, 9, 1 }, { 34, 20, 2, 14, 15, 1 }, { 12, 3, 3, 2, 2, 1 },
        { 60, 240, 4, 28, 29, 1 }, { 40, 50, 1, 1, 3, 0 }, { 17, 16, 1, 3, 4, 0 },
    };
    const int64_t *s = cases[_i], depth = s[0] / s[2], pixels = s[3] * s[4];
    NodeCase c;
    node_init(&c, NN_DOMAIN, "Conv", 1);
    node_input(&c, 0, 4, SHAPE(2, s[0], s[3], s[4]));
    node_input(&c, 1, 4, SHAPE(s[1], depth, 1, 1));
    node_input(&c, 1, 1, SHAPE(s[1]));
    node_output(&c, 4, SHAPE(2, s[1], s[3], s[4]));
    node_attr_int(&c, "group", s[2]);
    node_attr_int(&c, "activation", TSR_ACT_RELU);
    if (s[5]) {
        node_block(&c, 0);
        node_block(&c, 100);
    }
    ck_assert_int_eq(node_check(&c).answer, TSR_SUPPORT_YES);
    ck_assert_int_gt(node_run(&c), 0);
    for (int64_t i = 0; i < 2 * s[1] * pixels; i++) {
        const int64_t oc = i / pixels % s[1], n = i / pixels / s[1];
        double sum = (double)c.inputs[2].data[oc];
        for (int64_t k = 0; k < depth; k++)
            sum += (double)c.inputs[1].data[oc * depth + k] *
                   (double)c.inputs[0].data[(n * s[0] + oc / (s[1] / s[2]) * depth + k) * pixels +
                                            i % pixels];
        ck_assert_float_eq_tol(c.outputs[0].data[i], (float)fmax(sum, 0.0), 2e-5f);
    }
    node_clear(&c);
}
END_TEST

/* The mask of version 7 is a tensor of ones. */
START_TEST(test_dropout)
{
    NodeCase c;
    float *x, *y, *mask;
    node_init(&c, "", "Dropout", 7);
    x = node_input(&c, 0, 4, SHAPE(1, 16, 9, 9));
    y = node_output(&c, 4, SHAPE(1, 16, 9, 9));
    mask = node_output(&c, 4, SHAPE(1, 16, 9, 9));
    if (_i) {
        node_block(&c, 0);
        node_block(&c, 100);
    }
    ck_assert_int_eq(node_check(&c).answer, TSR_SUPPORT_YES);
    ck_assert_int_gt(node_run(&c), 0);
    for (int i = 0; i < 16 * 81; i++) {
        ck_assert_float_eq(y[i], x[i]);
        ck_assert_float_eq(mask[i], 1.0f);
    }
    node_clear(&c);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, test_deconv, 0, (int)(sizeof(deconvs) / sizeof(deconvs[0])));
    tcase_add_loop_test(tests, test_deconv_refusals, 0, 5);
    tcase_add_loop_test(tests, test_resize, 0, 2 * (int)(sizeof(resizes) / sizeof(resizes[0])));
    tcase_add_loop_test(tests, test_resize_refusals, 0, 5);
    tcase_add_loop_test(tests, test_shuffle, 0, 2);
    tcase_add_loop_test(tests, test_pointwise, 0, 6);
    tcase_add_loop_test(tests, test_dropout, 0, 2);
}

/* A channel shuffle and a grouped convolution of ShuffleNet on one core. */
static void bench(void)
{
    for (int i = 0; i < 2; i++) {
        double seconds = 0.0;
        NodeCase c;
        node_init(&c, NN_DOMAIN, i ? "Conv" : "Shuffle", 1);
        c.core_count = 1;
        node_input(&c, 0, 4, SHAPE(1, 272, 14, 14));
        if (i)
            node_input(&c, 1, 4, SHAPE(272, 68, 1, 1));
        node_output(&c, 4, SHAPE(1, 272, 14, 14));
        node_attr_int(&c, "group", 4);
        node_block(&c, 0);
        node_block(&c, 100);
        node_time(&c, 20, &seconds);
        node_clear(&c);
        printf("%-8s 272x14x14, 4 groups %10.0f ns\n", c.op_type, seconds * 1e9);
    }
}

int main(int argc, char **argv)
{
    return kernel_test_main(argc, argv, "nn_pictures", add_tests, bench);
}
