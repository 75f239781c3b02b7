/* SPDX-License-Identifier: Apache-2.0
 *
 * test_nn_narrow.c: nodes of float16 and bfloat16 built by nn_engine, against the same
 * node in float on the same (representable) inputs: the difference is one rounding of the
 * result. test_nn_engine.c holds the float nodes against their formulas. And CAST.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_run.h"
#include "kernel_check.h"
#include "kernel_table.h"
#include "nn.h"

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })

static const int64_t ones[2] = { 1, 1 }, twos[2] = { 2, 2 }, threes[2] = { 3, 3 };
static const int64_t pads_1[4] = { 1, 1, 1, 1 }, swap[3] = { 0, 2, 1 };

/* A convolution with bias, residual and activation; blocked: 0 plain, 1 both, 2 only y. */
static void conv_node(NodeCase *c, int64_t channels, int64_t out, int64_t kernel, int64_t groups,
                      int blocked, int64_t h, int64_t w)
{
    node_init(c, NN_DOMAIN, "Conv", 1);
    node_input(c, 0, 4, SHAPE(2, channels, h, w));
    node_input(c, 1, 4, SHAPE(out, channels / groups, kernel, kernel));
    node_input(c, 1, 1, SHAPE(out));
    node_input(c, 0, 4, SHAPE(2, out, h, w));
    node_output(c, 4, SHAPE(2, out, h, w));
    node_attr_int(c, "group", groups);
    node_attr_int(c, "activation", TSR_ACT_HARD_SWISH);
    if (kernel == 3)
        node_attr_ints(c, "pads", 4, pads_1);
    if (blocked == 1)
        node_block(c, 0);
    if (blocked != 0) {
        node_block(c, 3);
        node_block(c, 100);
    }
}

static void conv_3x3(NodeCase *c, int blocked) { conv_node(c, 19, 35, 3, 1, blocked, 9, 11); }
static void conv_1x1(NodeCase *c, int blocked) { conv_node(c, 40, 33, 1, 1, blocked, 7, 5); }
static void conv_depthwise(NodeCase *c, int blocked)
{
    conv_node(c, 20, 20, 3, 20, blocked, 8, 9);
}
static void conv_groups(NodeCase *c, int blocked) { conv_node(c, 32, 64, 3, 2, blocked, 6, 5); }
static void conv_first(NodeCase *c, int blocked)
{
    conv_node(c, 3, 20, 3, 1, blocked ? 2 : 0, 10, 9);
}

/* Few pixels and no residual: the form that goes through a workspace. */
static void conv_pixel(NodeCase *c, int blocked)
{
    (void)blocked;
    node_init(c, "", "Conv", 11);
    node_input(c, 0, 4, SHAPE(1, 24, 2, 3));
    node_input(c, 1, 4, SHAPE(40, 24, 1, 1));
    node_output(c, 4, SHAPE(1, 40, 2, 3));
}

static void gemm(NodeCase *c, int one_row)
{
    node_init(c, "", "Gemm", 13);
    node_input(c, 0, 2, SHAPE(one_row ? 1 : 21, 37));
    node_input(c, 1, 2, SHAPE(45, 37));
    node_input(c, 1, 1, SHAPE(45));
    node_output(c, 2, SHAPE(one_row ? 1 : 21, 45));
    node_attr_int(c, "transB", 1);
}

static void matmul(NodeCase *c, int constant)
{
    node_init(c, "", "MatMul", 13);
    node_input(c, 0, 3, SHAPE(3, 5, 33));
    node_input(c, constant, 3, SHAPE(3, 33, 18));
    node_output(c, 3, SHAPE(3, 5, 18));
}

static void pool(NodeCase *c, const char *name, int blocked)
{
    node_init(c, "", name, 11);
    node_input(c, 0, 4, SHAPE(2, 19, 9, 7));
    node_output(c, 4, SHAPE(2, 19, 5, 4));
    node_attr_ints(c, "kernel_shape", 2, threes);
    node_attr_ints(c, "strides", 2, twos);
    node_attr_ints(c, "pads", 4, pads_1);
    if (blocked) {
        node_block(c, 0);
        node_block(c, 100);
    }
}

static void max_pool(NodeCase *c, int blocked) { pool(c, "MaxPool", blocked); }
static void average_pool(NodeCase *c, int blocked) { pool(c, "AveragePool", blocked); }

static void global_pool(NodeCase *c, int blocked)
{
    node_init(c, "", "GlobalAveragePool", 1);
    node_input(c, 0, 4, SHAPE(2, 32, 9, 7));
    node_output(c, 4, SHAPE(2, 32, 1, 1));
    if (blocked) {
        node_block(c, 0);
        node_block(c, 100);
    }
}

static void elementwise(NodeCase *c, const char *name, uint32_t version, int blocked)
{
    node_init(c, "", name, version);
    node_input(c, 0, 4, SHAPE(1, 18, 5, 7));
    node_output(c, 4, SHAPE(1, 18, 5, 7));
    if (blocked) {
        node_block(c, 0);
        node_block(c, 100);
    }
}

static void sigmoid(NodeCase *c, int blocked) { elementwise(c, "Sigmoid", 13, blocked); }
static void gelu(NodeCase *c, int blocked) { elementwise(c, "Gelu", 20, blocked); }
static void clip(NodeCase *c, int blocked)
{
    elementwise(c, "Clip", 13, blocked);
    *node_input(c, 1, 0, NULL) = -0.3f;
    *node_input(c, 1, 0, NULL) = 0.4f;
}

/* A constant per channel, which a blocked result gets spread over lanes. */
static void channel_mul(NodeCase *c, int blocked)
{
    elementwise(c, "Mul", 14, blocked);
    node_input(c, 1, 3, SHAPE(18, 1, 1));
}

static void add(NodeCase *c, int blocked)
{
    (void)blocked;
    node_init(c, "", "Add", 14);
    node_input(c, 0, 3, SHAPE(4, 5, 33));
    node_input(c, 0, 2, SHAPE(5, 1));
    node_output(c, 3, SHAPE(4, 5, 33));
}

static void batch_norm(NodeCase *c, int blocked)
{
    elementwise(c, "BatchNormalization", 15, blocked);
    for (int i = 0; i < 4; i++) {
        float *v = node_input(c, 1, 1, SHAPE(18));
        for (int k = 0; k < 18; k++)
            v[k] = fabsf(v[k]) + 0.1f;
    }
}

static void softmax(NodeCase *c, int middle)
{
    node_init(c, "", "Softmax", 13);
    node_input(c, 0, 3, SHAPE(4, 35, 19));
    node_output(c, 3, SHAPE(4, 35, 19));
    node_attr_int(c, "axis", middle ? 1 : -1);
}

static void layer_norm(NodeCase *c, int wide)
{
    const int64_t n = wide ? 77 : 16;
    node_init(c, "", "LayerNormalization", 17);
    node_input(c, 0, 2, SHAPE(5, n));
    node_input(c, 0, 1, SHAPE(n));
    node_input(c, 0, 1, SHAPE(n));
    node_output(c, 2, SHAPE(5, n));
}

/* Rows without narrow kernels are computed between casts. */
static void lrn(NodeCase *c, int blocked)
{
    elementwise(c, "LRN", 13, blocked);
    node_attr_int(c, "size", 3);
}

/* The kernel itself reads the constant mask, which is narrow in memory (variant 1). */
static void attention(NodeCase *c, int variant)
{
    node_init(c, "", "Attention", 23);
    node_input(c, 0, 4, SHAPE(2, 3, 5, 8));
    node_input(c, 0, 4, SHAPE(2, 3, 7, 8));
    node_input(c, 0, 4, SHAPE(2, 3, 7, 8));
    node_input(c, variant, 2, SHAPE(5, 7));
    node_output(c, 4, SHAPE(2, 3, 5, 8));
}

static void reduce_max(NodeCase *c, int blocked)
{
    (void)blocked;
    node_init(c, "", "ReduceMax", 13);
    node_input(c, 0, 3, SHAPE(3, 7, 19));
    node_output(c, 3, SHAPE(3, 1, 19));
    node_attr_ints(c, "axes", 1, ones);
}

static void concat(NodeCase *c, int blocked)
{
    node_init(c, "", "Concat", 13);
    node_input(c, 0, 4, SHAPE(2, 16, 3, 5));
    node_input(c, 0, 4, SHAPE(2, 32, 3, 5));
    node_output(c, 4, SHAPE(2, 48, 3, 5));
    node_attr_int(c, "axis", 1);
    if (blocked) {
        node_block(c, 0);
        node_block(c, 1);
        node_block(c, 100);
    }
}

static void transpose(NodeCase *c, int wide)
{
    const int64_t n = wide ? 64 : 21;
    node_init(c, "", "Transpose", 13);
    node_input(c, 0, 3, SHAPE(3, 35, n));
    node_output(c, 3, SHAPE(3, n, 35));
    node_attr_ints(c, "perm", 3, swap);
}

static void shuffle(NodeCase *c, int blocked)
{
    node_init(c, NN_DOMAIN, "Shuffle", 1);
    node_input(c, 0, 4, SHAPE(2, 36, 5, 3));
    node_output(c, 4, SHAPE(2, 36, 5, 3));
    node_attr_int(c, "group", 3);
    if (blocked) {
        node_block(c, 0);
        node_block(c, 100);
    }
}

typedef void (*NodeBuild)(NodeCase *c, int variant);

static const struct {
    const char *name;
    NodeBuild build;
} nodes[] = {
    { "conv 3x3", conv_3x3 },         { "conv 1x1", conv_1x1 },
    { "conv depthwise", conv_depthwise }, { "conv groups", conv_groups },
    { "conv first", conv_first },     { "conv pixel", conv_pixel },
    { "gemm", gemm },                 { "matmul", matmul },
    { "max pool", max_pool },         { "average pool", average_pool },
    { "global pool", global_pool },   { "sigmoid", sigmoid },
    { "gelu", gelu },                 { "clip", clip },
    { "mul", channel_mul },           { "add", add },
    { "batch norm", batch_norm },     { "softmax", softmax },
    { "lrn", lrn },                   { "attention", attention },
    { "layer norm", layer_norm },     { "reduce max", reduce_max },
    { "concat", concat },             { "transpose", transpose },
    { "shuffle", shuffle },
};

static void narrow_check(const char *name, NodeBuild build, int variant, uint32_t dtype)
{
    const double rounding = dtype == TSR_DTYPE_FLOAT16 ? 0x1p-11 : 0x1p-8;
    /* 3x3 windows go by Winograd in float, with about ten times the error. */
    const double slack = build == conv_3x3 ? 4e-5 : 4e-6;
    NodeCase c;
    build(&c, variant);
    node_type(&c, dtype);
    const TsrSupport support = node_check(&c);
    ck_assert_msg(support.answer == TSR_SUPPORT_YES, "%s %s: %s", name, tsr_dtype_name(dtype),
                  support.reason);
    ck_assert_int_gt(node_run(&c), 0);
    const int64_t count = tsr_shape_elements(c.outputs[0].desc.rank, c.outputs[0].shape);
    float *got = malloc((size_t)count * sizeof(*got));
    memcpy(got, c.outputs[0].data, (size_t)count * sizeof(*got));
    node_type(&c, TSR_DTYPE_FLOAT);
    ck_assert_int_gt(node_run(&c), 0);
    for (int64_t i = 0; i < count; i++) {
        const double want = (double)c.outputs[0].data[i];
        /* Half a unit of the narrow type, and what float sums differ by. */
        if (!(fabs((double)got[i] - want) <= fabs(want) * rounding * 1.01 + slack))
            ck_abort_msg("%s, variant %d, %s: [%d] is %.9g, in float %.9g", name, variant,
                         tsr_dtype_name(dtype), (int)i, (double)got[i], want);
    }
    free(got);
    node_clear(&c);
}

START_TEST(test_rounds_once)
{
    for (int variant = 0; variant < 2; variant++) {
        narrow_check(nodes[_i].name, nodes[_i].build, variant, TSR_DTYPE_FLOAT16);
        narrow_check(nodes[_i].name, nodes[_i].build, variant, TSR_DTYPE_BFLOAT16);
    }
}
END_TEST

static void refused(NodeCase *c, const char *word)
{
    const TsrSupport support = node_check(c);
    ck_assert_int_eq(support.answer, TSR_SUPPORT_NO);
    ck_assert_msg(strstr(support.reason, word) != NULL, "%s", support.reason);
    node_clear(c);
}

START_TEST(test_refusals)
{
    NodeCase c;
    gemm(&c, 0);
    node_attr_float(&c, "alpha", 0.5f);
    node_type(&c, TSR_DTYPE_FLOAT16);
    refused(&c, "alpha");
    /* Types do not mix. */
    add(&c, 0);
    node_type(&c, TSR_DTYPE_FLOAT16);
    c.inputs[1].desc.dtype = TSR_DTYPE_BFLOAT16;
    refused(&c, "bfloat16");
    node_init(&c, "", "Sum", 13);
    for (int i = 0; i < 3; i++)
        node_input(&c, 0, 1, SHAPE(4));
    node_output(&c, 1, SHAPE(4));
    node_type(&c, TSR_DTYPE_BFLOAT16);
    refused(&c, "every step");
}
END_TEST

/* -------------------------------------------------------------------- Cast */

static const uint32_t sources[] = { TSR_DTYPE_FLOAT, TSR_DTYPE_FLOAT16, TSR_DTYPE_BFLOAT16,
                                    TSR_DTYPE_INT8, TSR_DTYPE_UINT8, TSR_DTYPE_INT32 };

static float cast_get(uint32_t dtype, const void *memory, int64_t i)
{
    return dtype == TSR_DTYPE_FLOAT ? ((const float *)memory)[i]
           : dtype == TSR_DTYPE_FLOAT16 ? tsr_float16_to_float(((const uint16_t *)memory)[i])
                                        : tsr_bfloat16_to_float(((const uint16_t *)memory)[i]);
}

/* All patterns of two bytes, among them every NaN, infinity and subnormal, on every row. */
START_TEST(test_cast)
{
    enum { COUNT = 1 << 16, GUARD = 64 };
    static uint32_t x[COUNT];
    static unsigned char y[COUNT * 4 + GUARD], want[COUNT * 4];
    static const uint32_t targets[] = { TSR_DTYPE_FLOAT, TSR_DTYPE_FLOAT16, TSR_DTYPE_BFLOAT16 };
    static const int64_t counts[] = { 0, 1, 15, 16, 17, 1023, 1025, COUNT };
    const uint32_t from = sources[_i];
    uint32_t rows_count;
    const TsrKernelRow *rows = tsr_kernel_rows(&rows_count);
    for (int64_t i = 0; i < COUNT; i++) {
        const uint16_t half = (uint16_t)i;
        if (tsr_dtype_bits(from) == 32)
            x[i] = (uint32_t)i << 16 | (uint32_t)(i * 40503 & 0xffff);
        else
            memcpy((char *)x + i * 2, &half, 2);
    }
    for (int t = 0; t < (from == TSR_DTYPE_INT32 ? 1 : 3); t++)
        for (size_t n = 0; n < sizeof(counts) / sizeof(counts[0]); n++) {
            const TsrCastParams p = { .struct_size = sizeof(p), .from = from, .to = targets[t],
                                      .count = counts[n] };
            const int64_t bytes = counts[n] * tsr_dtype_bits(targets[t]) / 8;
            void *args[2] = { x, y }, *want_args[2] = { x, want };
            kernel_run_ref(TSR_KERNEL_CAST, want_args, &p);
            for (uint32_t r = 0; r < rows_count; r++) {
                if (strcmp(rows[r].name, TSR_KERNEL_CAST) != 0 ||
                    !tsr_kernel_isa_usable(rows[r].isa))
                    continue;
                memset(y, 0xa5, sizeof(y));
                for (uint32_t b = 3; b-- > 0;)
                    rows[r].fn(args, &p, b, 3);
                for (int64_t i = 0; i < counts[n]; i++) {
                    const float g = cast_get(targets[t], y, i), w = cast_get(targets[t], want, i);
                    if (memcmp(&g, &w, 4) != 0 && !(isnan(g) && isnan(w)))
                        ck_abort_msg("%s to %s, %s: [%d] is %g, wanted %g", tsr_dtype_name(from),
                                     tsr_dtype_name(targets[t]), tsr_kernel_isa_name(rows[r].isa),
                                     (int)i, (double)g, (double)w);
                }
                for (int i = 0; i < GUARD; i++)
                    ck_assert(y[bytes + i] == 0xa5);
            }
        }
}
END_TEST

START_TEST(test_cast_node)
{
    NodeCase c;
    uint32_t formats[2];
    elementwise(&c, "Cast", 13, 1);
    node_type(&c, TSR_DTYPE_FLOAT16);
    c.inputs[0].desc.dtype = TSR_DTYPE_FLOAT;
    free(c.inputs[0].stored);
    c.inputs[0].stored = NULL;
    ck_assert_int_eq(node_check(&c).answer, TSR_SUPPORT_YES);
    ck_assert_uint_eq(node_columns(&c, formats), 1);
    ck_assert_uint_eq(formats[0], TSR_FORMAT_ANY);
    c.inputs[0].data[5] = 1.0f + 0x1p-11f; /* a tie: to even */
    c.inputs[0].data[6] = 1.0f + 0x3p-11f;
    ck_assert_int_eq(node_run(&c), 1);
    ck_assert_float_eq(c.outputs[0].data[5], 1.0f);
    ck_assert_float_eq(c.outputs[0].data[6], 1.0f + 0x1p-9f);
    node_clear(&c);
    elementwise(&c, "Cast", 13, 0);
    c.outputs[0].desc.dtype = TSR_DTYPE_INT64;
    refused(&c, "int64");
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_loop_test(tests, test_rounds_once, 0, (int)(sizeof(nodes) / sizeof(nodes[0])));
    tcase_add_test(tests, test_refusals);
    tcase_add_loop_test(tests, test_cast, 0, (int)(sizeof(sources) / sizeof(sources[0])));
    tcase_add_test(tests, test_cast_node);
}

int main(int argc, char **argv)
{
    return kernel_test_main(argc, argv, "nn_narrow", add_tests, NULL);
}
