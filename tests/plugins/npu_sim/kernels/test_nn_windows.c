/* SPDX-License-Identifier: Apache-2.0
 *
 * test_nn_windows.c: Concat, Slice, Split, Pad and Transpose built by nn_engine and run on
 * the kernels, with every tensor plain and in NC1HWC0, against the operators' definitions
 * element by element; and what they refuse.
 */
#include <check.h>
#include <string.h>

#include "engine_run.h"
#include "kernel_check.h"
#include "nn.h"

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })

static float at(const NodeTensor *t, const int64_t *i)
{
    int64_t place = 0;
    for (uint32_t d = 0; d < t->desc.rank; d++)
        place = place * t->shape[d] + i[d];
    return t->data[place];
}

/* The index of element k of the tensor. */
static void index_of(const NodeTensor *t, int64_t k, int64_t *i)
{
    for (uint32_t d = t->desc.rank; d-- > 0; k /= t->shape[d])
        i[d] = k % t->shape[d];
}

static void integers(NodeCase *c, int64_t count, const int64_t *values)
{
    NodeTensor *t = &c->inputs[c->input_count];
    memcpy(node_input(c, 1, 1, SHAPE(2 * count)), values, (size_t)count * sizeof(int64_t));
    t->desc.dtype = TSR_DTYPE_INT64;
    t->shape[0] = t->storage_shape[0] = count;
}

static void ck_run(NodeCase *c)
{
    const TsrSupport support = node_check(c);
    ck_assert_msg(support.answer == TSR_SUPPORT_YES, "%s", support.reason);
    ck_assert_int_gt(node_run(c), 0);
}

/* ------------------------------------------------------------------ Concat */

typedef struct Join {
    int axis, constant, uniform; /* which input is constant; its numbers all alike */
    int64_t a, b, d;             /* extents along the axis */
} Join;

static const Join joins[] = {
    { 1, -1, 0, 24, 4, 9 },  { 1, -1, 0, 112, 24, 1 }, { 1, 1, 1, 24, 4, 3 },
    { 1, 0, 1, 5, 12, 16 },  { 1, 2, 0, 16, 3, 18 },   { 1, 1, 0, 1, 1, 1 },
    { 1, -1, 0, 16, 32, 16 }, { 2, 1, 0, 2, 3, 1 },    { 3, 0, 1, 1, 4, 2 },
    { 0, -1, 0, 1, 2, 1 },   { 3, -1, 0, 3, 1, 2 },
};

START_TEST(test_concat)
{
    const Join *s = &joins[_i / 2];
    const int64_t extents[3] = { s->a, s->b, s->d };
    int64_t shape[4] = { 2, 20, 3, 4 };
    uint32_t formats[4];
    NodeCase c;
    node_init(&c, "", "Concat", 13);
    for (int i = 0; i < 3; i++) {
        shape[s->axis] = extents[i];
        node_input(&c, i == s->constant, 4, shape);
        for (int64_t k = 0; i == s->constant && s->uniform && k < tsr_shape_elements(4, shape); k++)
            c.inputs[i].data[k] = 0.25f;
    }
    shape[s->axis] = s->a + s->b + s->d;
    node_output(&c, 4, shape);
    node_attr_int(&c, "axis", s->axis - (_i % 4 < 2 ? 0 : 4));
    if (_i % 2) {
        ck_assert_int_eq(node_columns(&c, formats), 2);
        for (int i = 0; i < 3; i++) {
            ck_assert_int_eq(formats[i], i == s->constant ? TSR_FORMAT_ND : TSR_FORMAT_NC1HWC0);
            if (i != s->constant)
                node_block(&c, i);
        }
        node_block(&c, 100);
    }
    ck_run(&c);
    for (int64_t k = 0; k < tsr_shape_elements(4, shape); k++) {
        int64_t i[4], from = 0;
        index_of(&c.outputs[0], k, i);
        while (i[s->axis] >= extents[from])
            i[s->axis] -= extents[from++];
        ck_assert_msg(c.outputs[0].data[k] == at(&c.inputs[from], i), "case %d, element %d", _i,
                      (int)k);
    }
    node_clear(&c);
}
END_TEST

/* ------------------------------------------------------------------- Slice */

typedef struct Cut {
    int64_t x[4], starts[4], ends[4], steps[4], y[4];
} Cut;

static const Cut cuts[] = {
    { { 2, 40, 3, 5 }, { 0, 7, 0, 1 }, { 2, 33, 3, 4 }, { 1, 1, 1, 1 }, { 2, 26, 3, 3 } },
    { { 1, 33, 4, 4 }, { 0, 16, 0, 0 }, { 1, 99, 4, 4 }, { 1, 1, 1, 1 }, { 1, 17, 4, 4 } },
    { { 3, 5, 7, 9 }, { -1, -2, -1, 8 }, { -9, 9, -99, -10 }, { -1, 1, -2, -3 }, { 3, 2, 4, 3 } },
    { { 1, 20, 2, 2 }, { 0, 1, 0, 0 }, { 1, 20, 2, 2 }, { 1, 2, 1, 1 }, { 1, 10, 2, 2 } },
};

START_TEST(test_slice)
{
    const Cut *s = &cuts[_i / 2];
    NodeCase c;
    node_init(&c, "", "Slice", 13);
    node_input(&c, 0, 4, s->x);
    integers(&c, 4, s->starts);
    integers(&c, 4, s->ends);
    integers(&c, 4, SHAPE(0, -3, 2, 3));
    integers(&c, 4, s->steps);
    node_output(&c, 4, s->y);
    if (_i % 2) {
        uint32_t formats[6];
        /* Only a step along C keeps it out of blocks. */
        ck_assert_int_eq(node_columns(&c, formats), s->steps[1] == 1 ? 2 : 0);
        if (s->steps[1] == 1) {
            node_block(&c, 0);
            node_block(&c, 100);
        }
    }
    ck_run(&c);
    for (int64_t k = 0; k < tsr_shape_elements(4, s->y); k++) {
        int64_t i[4];
        index_of(&c.outputs[0], k, i);
        for (int d = 0; d < 4; d++) {
            const int64_t start = s->starts[d] < 0 ? s->starts[d] + s->x[d] : s->starts[d];
            i[d] = start + i[d] * s->steps[d];
        }
        ck_assert_msg(c.outputs[0].data[k] == at(&c.inputs[0], i), "case %d, element %d", _i,
                      (int)k);
    }
    node_clear(&c);
}
END_TEST

/* Starts or ends that only a run knows. */
START_TEST(test_slice_refuses)
{
    NodeCase c;
    node_init(&c, "", "Slice", 13);
    node_input(&c, 0, 4, SHAPE(1, 4, 4, 4));
    integers(&c, 1, SHAPE(1));
    integers(&c, 1, SHAPE(2));
    c.inputs[1 + _i].constant = 0;
    node_output(&c, 4, SHAPE(1, 4, 4, 4));
    ck_assert_int_eq(node_check(&c).reason_code, TSR_REFUSE_VALUE);
    node_clear(&c);
}
END_TEST

/* ------------------------------------------------------------------- Split */

START_TEST(test_split)
{
    static const int64_t parts[][3] = { { 1, 24, 4 }, { 1, 16, 32 }, { 1, 1, 39 }, { 2, 3, 2 },
                                        { 3, 1, 4 } };
    const int64_t *s = parts[_i / 2];
    const int axis = (int)s[0];
    int64_t shape[4] = { 2, 20, 4, 3 };
    NodeCase c;
    shape[axis] = s[1] + s[2];
    node_init(&c, "", "Split", 18);
    node_input(&c, 0, 4, shape);
    integers(&c, 2, s + 1);
    for (int i = 0; i < 2; i++) {
        shape[axis] = s[1 + i];
        node_output(&c, 4, shape);
    }
    node_attr_int(&c, "axis", axis);
    if (_i % 2) {
        node_block(&c, 0);
        node_block(&c, 100);
        node_block(&c, 101);
    }
    ck_run(&c);
    for (int o = 0; o < 2; o++)
        for (int64_t k = 0; k < tsr_desc_elements(&c.outputs[o].desc); k++) {
            int64_t i[4];
            index_of(&c.outputs[o], k, i);
            i[axis] += o * s[1];
            ck_assert_msg(c.outputs[o].data[k] == at(&c.inputs[0], i), "case %d, element %d", _i,
                          (int)k);
        }
    node_clear(&c);
}
END_TEST

/* --------------------------------------------------------------------- Pad */

START_TEST(test_pad)
{
    static const int64_t all[][8] = {
        { 0, 3, 1, 2, 0, 2, 3, 1 },   { 0, 0, 1, 1, 0, 0, 1, 1 }, { 1, -3, -1, 2, 0, 5, 0, -1 },
        { 0, -17, 0, 0, 0, -1, 0, 0 }, { 0, 0, 0, -9, 0, 0, 0, 9 }, { 0, 0, 0, 0, 0, 6, 0, 0 },
    };
    const int64_t *pads = all[_i / 2], x[4] = { 1, 21, 3, 5 };
    int64_t y[4];
    NodeCase c;
    node_init(&c, "", "Pad", 2);
    node_input(&c, 0, 4, x);
    for (int d = 0; d < 4; d++)
        y[d] = x[d] + pads[d] + pads[4 + d];
    node_output(&c, 4, y);
    node_attr_ints(&c, "pads", 8, pads);
    node_attr_float(&c, "value", 1.5f);
    node_attr_text(&c, "mode", "constant");
    if (_i % 2) {
        node_block(&c, 0);
        node_block(&c, 100);
    }
    ck_run(&c);
    for (int64_t k = 0; k < tsr_shape_elements(4, y); k++) {
        int64_t i[4];
        int inside = 1;
        index_of(&c.outputs[0], k, i);
        for (int d = 0; d < 4; d++) {
            i[d] -= pads[d];
            inside &= i[d] >= 0 && i[d] < x[d];
        }
        ck_assert_msg(c.outputs[0].data[k] == (inside ? at(&c.inputs[0], i) : 1.5f),
                      "case %d, element %d", _i, (int)k);
    }
    node_clear(&c);
}
END_TEST

START_TEST(test_pad_refuses)
{
    const int64_t pads[8] = { 0, 0, 1, 1, 0, 0, 1, 1 };
    NodeCase c;
    node_init(&c, "", "Pad", _i == 2 ? 13 : 2);
    node_input(&c, 0, 4, SHAPE(1, 2, 3, 3));
    if (_i == 2) {
        integers(&c, 8, pads);
        c.inputs[1].constant = 0;
    } else {
        node_attr_ints(&c, "pads", _i == 1 ? 6 : 8, pads);
    }
    if (_i == 0)
        node_attr_text(&c, "mode", "edge");
    node_output(&c, 4, SHAPE(1, 2, 5, 5));
    ck_assert_int_eq(node_check(&c).answer, TSR_SUPPORT_NO);
    node_clear(&c);
}
END_TEST

/* --------------------------------------------------------------- Transpose */

/* Between NCHW and NHWC, with the picture plain and blocked. */
START_TEST(test_transpose)
{
    static const int64_t extents[][4] = { { 1, 2, 8, 8 }, { 2, 17, 3, 5 }, { 1, 40, 1, 9 },
                                          { 3, 16, 4, 4 }, { 1, 1, 1, 1 } };
    static const int64_t perms[2][4] = { { 0, 2, 3, 1 }, { 0, 3, 1, 2 } };
    const int64_t *s = extents[_i / 4], *perm = perms[_i & 1];
    const int64_t nhwc[4] = { s[0], s[2], s[3], s[1] };
    const int to_nhwc = !(_i & 1), blocked = _i >> 1 & 1;
    NodeCase c;
    node_init(&c, "", "Transpose", 13);
    node_input(&c, 0, 4, to_nhwc ? s : nhwc);
    node_output(&c, 4, to_nhwc ? nhwc : s);
    node_attr_ints(&c, "perm", 4, perm);
    if (blocked) {
        uint32_t formats[2];
        ck_assert_int_eq(node_columns(&c, formats), 2);
        ck_assert_int_eq(formats[to_nhwc ? 0 : 1], TSR_FORMAT_NC1HWC0);
        ck_assert_int_eq(formats[to_nhwc ? 1 : 0], TSR_FORMAT_ND);
        node_block(&c, to_nhwc ? 0 : 100);
    }
    ck_run(&c);
    for (int64_t k = 0; k < tsr_shape_elements(4, s); k++) {
        int64_t i[4], from[4];
        index_of(&c.outputs[0], k, i);
        for (int d = 0; d < 4; d++)
            from[perm[d]] = i[d];
        ck_assert_msg(c.outputs[0].data[k] == at(&c.inputs[0], from), "case %d, element %d", _i,
                      (int)k);
    }
    node_clear(&c);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, test_concat, 0, 2 * sizeof(joins) / sizeof(joins[0]));
    tcase_add_loop_test(tests, test_slice, 0, 2 * sizeof(cuts) / sizeof(cuts[0]));
    tcase_add_loop_test(tests, test_slice_refuses, 0, 2);
    tcase_add_loop_test(tests, test_split, 0, 10);
    tcase_add_loop_test(tests, test_pad, 0, 12);
    tcase_add_loop_test(tests, test_pad_refuses, 0, 3);
    tcase_add_loop_test(tests, test_transpose, 0, 20);
}

static void bench(void) {}

int main(int argc, char **argv)
{
    return kernel_test_main(argc, argv, "nn_windows", add_tests, bench);
}
