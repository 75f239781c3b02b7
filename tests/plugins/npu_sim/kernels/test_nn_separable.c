/* SPDX-License-Identifier: Apache-2.0
 *
 * test_nn_separable.c: SeparableConv built by nn_engine against the two convolutions that it
 * stands for, run one after the other; --bench compares their times, from which the rule in
 * fusion_separable.c comes.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine_run.h"
#include "kernel_check.h"
#include "nn.h"

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })

typedef struct Pair {
    int64_t batch, c, oc, h, w, kernel, stride, pad;
    int residual;
} Pair;

static int64_t extent(const Pair *s, int64_t in)
{
    return (in + 2 * s->pad - s->kernel) / s->stride + 1;
}

static void window_attrs(NodeCase *c, const int64_t *pads, const int64_t *strides)
{
    node_attr_ints(c, "pads", 4, pads);
    node_attr_ints(c, "strides", 2, strides);
}

/* The two convolutions and the one; data of the pair goes into `both`. */
static void make(const Pair *s, NodeCase *first, NodeCase *second, NodeCase *both,
                 const int64_t *pads, const int64_t *strides)
{
    const int64_t oh = extent(s, s->h), ow = extent(s, s->w);
    const int from[6] = { 0, 1, 2, 9, 11, 12 };
    node_init(first, NN_DOMAIN, "Conv", 1);
    node_input(first, 0, 4, SHAPE(s->batch, s->c, s->h, s->w));
    node_input(first, 1, 4, SHAPE(s->c, 1, s->kernel, s->kernel));
    node_input(first, 1, 1, SHAPE(s->c));
    node_output(first, 4, SHAPE(s->batch, s->c, oh, ow));
    node_attr_int(first, "group", s->c);
    node_attr_int(first, "activation", TSR_ACT_RELU);
    window_attrs(first, pads, strides);
    node_block(first, 0);
    node_block(first, 100);
    node_init(second, NN_DOMAIN, "Conv", 1);
    node_input(second, 0, 4, SHAPE(s->batch, s->c, oh, ow));
    node_input(second, 1, 4, SHAPE(s->oc, s->c, 1, 1));
    node_input(second, 1, 1, SHAPE(s->oc));
    if (s->residual) {
        node_input(second, 0, 4, SHAPE(s->batch, s->oc, oh, ow));
        node_block(second, 3);
    }
    node_output(second, 4, SHAPE(s->batch, s->oc, oh, ow));
    node_attr_int(second, "activation", TSR_ACT_HARD_SWISH);
    node_block(second, 0);
    node_block(second, 100);
    node_init(both, NN_DOMAIN, "SeparableConv", 1);
    for (int i = 0; i < 6; i++) {
        const NodeTensor *t = from[i] < 8 ? &first->inputs[from[i]]
                              : from[i] == 9 ? &second->inputs[3]
                                             : &second->inputs[from[i] - 10];
        if (i == 3 && !s->residual)
            node_omit(both);
        else
            memcpy(node_input(both, t->constant, t->desc.rank, t->shape), t->data,
                   (size_t)tsr_shape_elements(t->desc.rank, t->shape) * sizeof(float));
    }
    node_output(both, 4, SHAPE(s->batch, s->oc, oh, ow));
    node_attr_int(both, "activation", TSR_ACT_HARD_SWISH);
    node_attr_int(both, "inner_activation", TSR_ACT_RELU);
    window_attrs(both, pads, strides);
    node_block(both, 0);
    node_block(both, 100);
    if (s->residual)
        node_block(both, 3);
}

static void ck_pair(const Pair *s)
{
    const int64_t pads[4] = { s->pad, s->pad, s->pad, s->pad };
    const int64_t strides[2] = { s->stride, s->stride };
    NodeCase first, second, both;
    make(s, &first, &second, &both, pads, strides);
    ck_assert_int_eq(node_check(&both).answer, TSR_SUPPORT_YES);
    ck_assert_int_eq(node_run(&first), 1);
    memcpy(second.inputs[0].data, first.outputs[0].data,
           (size_t)tsr_desc_elements(&first.outputs[0].desc) * sizeof(float));
    ck_assert_int_eq(node_run(&second), 1);
    ck_assert_int_eq(node_run(&both), 1);
    for (int64_t k = 0; k < tsr_desc_elements(&both.outputs[0].desc); k++) {
        const float got = both.outputs[0].data[k], want = second.outputs[0].data[k];
        ck_assert_msg(fabsf(got - want) <= 1e-5f * fmaxf(1.0f, fabsf(want)),
                      "%d to %d channels, element %d: %g, wanted %g", (int)s->c, (int)s->oc,
                      (int)k, (double)got, (double)want);
    }
    node_clear(&first);
    node_clear(&second);
    node_clear(&both);
}

START_TEST(test_channels)
{
    ck_pair(&(Pair){ 2, _i, 41 - _i, 9, 7, 3, 1, 1, _i % 2 });
    ck_pair(&(Pair){ 1, 41 - _i, _i, 20, 23, 3, 2, 1, _i % 3 == 0 });
}
END_TEST

START_TEST(test_windows)
{
    static const Pair pairs[] = {
        { 1, 24, 24, 8, 8, 5, 1, 2, 1 },  { 3, 40, 17, 5, 60, 3, 1, 0, 0 },
        { 1, 96, 33, 31, 1, 1, 1, 0, 0 }, { 1, 16, 64, 64, 64, 5, 2, 2, 1 },
    };
    ck_pair(&pairs[_i]);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, test_channels, 2, 41);
    tcase_add_loop_test(tests, test_windows, 0, 4);
}

static void bench(void)
{
    static const Pair pairs[] = {
        { 1, 24, 24, 64, 64, 3, 1, 1, 1 },     { 1, 48, 48, 32, 32, 3, 1, 1, 1 },
        { 1, 96, 96, 16, 16, 3, 1, 1, 1 },     { 1, 24, 24, 128, 128, 3, 1, 1, 1 },
        { 1, 32, 32, 112, 112, 3, 1, 1, 0 },   { 1, 48, 48, 80, 80, 3, 1, 1, 0 },
        { 1, 32, 32, 160, 160, 3, 1, 1, 0 },   { 1, 64, 64, 160, 160, 3, 1, 1, 0 },
        { 1, 96, 96, 80, 80, 5, 1, 2, 0 },     { 1, 192, 192, 40, 40, 5, 1, 2, 0 },
        { 1, 96, 96, 24, 160, 3, 1, 1, 0 },    { 1, 384, 384, 20, 20, 5, 1, 2, 0 },
        { 1, 128, 128, 80, 80, 3, 1, 1, 0 },   { 1, 64, 64, 112, 112, 3, 1, 1, 0 },
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        const Pair *s = &pairs[i];
        const int64_t pads[4] = { s->pad, s->pad, s->pad, s->pad };
        const int64_t strides[2] = { s->stride, s->stride };
        NodeCase first, second, both;
        double a, b, c;
        make(s, &first, &second, &both, pads, strides);
        node_time(&first, 60, &a);
        node_time(&second, 60, &b);
        node_time(&both, 60, &c);
        printf("%3d to %3d channels, %3d x %3d, %d x %d: %8.1f + %8.1f us, as one %8.1f us: %.2f\n",
               (int)s->c, (int)s->oc, (int)s->h, (int)s->w, (int)s->kernel, (int)s->kernel,
               1e6 * a, 1e6 * b, 1e6 * c, (a + b) / c);
        node_clear(&first);
        node_clear(&second);
        node_clear(&both);
    }
}

int main(int argc, char **argv)
{
    return kernel_test_main(argc, argv, "nn_separable", add_tests, bench);
}
