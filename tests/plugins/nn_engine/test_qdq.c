/* SPDX-License-Identifier: Apache-2.0
 *
 * test_qdq.c: the pass nn_qdq: operators between DequantizeLinear and QuantizeLinear become
 * operators on bytes, exactly or within the one step that fusion_qdq.c allows; with one
 * condition broken they stay. Numbers are those of the unfused graph on the general engine.
 */
#include "quant_case.h"

#define STEP 0.5f /* of y */

static TsrValue *input_dq(gint64 n, gint64 c, gint64 h, gint64 w)
{
    return q_dequantize(q_input(U8, SHAPE(n, c, h, w)), 0.02f, U8, 120);
}

static TsrValue *out_q(TsrValue *x) { return q_quantize(x, STEP, U8, 128); }
static TsrValue *same_q(TsrValue *x) { return q_quantize(x, 0.02f, U8, 120); }

/* int8 weights [m, c, 3, 3] behind a DequantizeLinear along `axis`; per: scales, 0 for one. */
static TsrValue *weights_dq(gint64 m, gint64 c, gint64 axis, gint64 per)
{
    g_autofree char *attrs = g_strdup_printf("axis=%d", (int)axis);
    return NODE("DequantizeLinear", attrs, q_bytes(S8, SHAPE(m, c, 3, 3)), q_scales(0.01f, per),
                q_zeros(S8, 0, per));
}

/* The bias has the scale 0.02 * that of the weights, times `off`. */
static TsrValue *bias_dq(gint64 m, float off)
{
    return NODE("DequantizeLinear", "axis=0", q_bytes(TSR_DTYPE_INT32, SHAPE(m)),
                q_scales(0.02f * 0.01f * off, m), q_zeros(TSR_DTYPE_INT32, 0, m));
}

static TsrValue *conv_of(TsrValue *x, TsrValue *w, TsrValue *b)
{
    return b != NULL ? NODE("Conv", "pads=[1,1,1,1]", x, w, b) : NODE("Conv", NULL, x, w);
}

static void conv(void)
{
    q_output(out_q(conv_of(input_dq(1, 20, 9, 9), weights_dq(24, 20, 0, 24), bias_dq(24, 1))));
}

static void conv_relu(void)
{
    TsrValue *x = conv_of(input_dq(2, 3, 9, 9), weights_dq(24, 3, 0, 0), NULL);
    q_output(out_q(NODE("Relu", NULL, x)));
}

static void conv_clip(void)
{
    TsrValue *x = conv_of(input_dq(1, 20, 9, 9), weights_dq(24, 20, 0, 24), bias_dq(24, 1));
    x = NODE("Clip", NULL, x, q_scales(0.4f, 0), q_scales(6.0f, 0));
    q_output(q_quantize(x, 0.05f, S8, -100));
}

static void conv_float_bias(void)
{
    q_output(out_q(conv_of(input_dq(1, 20, 9, 9), weights_dq(24, 20, 0, 24), q_floats(SHAPE(24)))));
}

/* A residual behind the convolution, as it is quantized where only its own result is. */
static void conv_residual(void)
{
    TsrValue *z = q_dequantize(q_input(S8, SHAPE(1, 24, 9, 9)), 0.7f, S8, 11);
    TsrValue *x = conv_of(input_dq(1, 20, 9, 9), weights_dq(24, 20, 0, 24), bias_dq(24, 1));
    x = out_q(NODE("Relu", NULL, NODE("Add", NULL, x, z)));
    z = conv_of(q_dequantize(x, STEP, U8, 128), weights_dq(24, 24, 0, 24), NULL);
    q_output(out_q(NODE("Add", NULL, input_dq(1, 24, 7, 7), z)));
}

static void conv_residual_small(void)
{
    TsrValue *z = q_dequantize(q_input(U8, SHAPE(2, 5, 9, 9)), 0.7f, U8, 11);
    TsrValue *x = conv_of(input_dq(2, 3, 9, 9), weights_dq(5, 3, 0, 5), bias_dq(5, 1));
    q_output(out_q(NODE("Add", NULL, x, z)));
}

/* The kernel of single channels has no residual, and the other one broadcasts none. */
static void conv_residual_groups(void)
{
    TsrValue *x = NODE("Conv", "pads=[1,1,1,1] group=20", input_dq(1, 20, 9, 9),
                       weights_dq(20, 1, 0, 20));
    q_output(out_q(NODE("Add", NULL, x, input_dq(1, 20, 9, 9))));
}

static void conv_residual_broadcast(void)
{
    TsrValue *x = conv_of(input_dq(1, 20, 9, 9), weights_dq(24, 20, 0, 24), NULL);
    q_output(out_q(NODE("Add", NULL, x, input_dq(1, 24, 1, 1))));
}

static void wrong_axis(void)
{
    q_output(out_q(conv_of(input_dq(1, 20, 9, 9), weights_dq(20, 20, 1, 20), NULL)));
}

static void wrong_bias_scale(void)
{
    q_output(out_q(conv_of(input_dq(1, 20, 9, 9), weights_dq(24, 20, 0, 24), bias_dq(24, 1.5f))));
}

static void output_of_graph(void)
{
    TsrValue *x = conv_of(input_dq(1, 20, 9, 9), weights_dq(24, 20, 0, 24), NULL);
    q_output(x);
    q_output(out_q(x));
}

static void read_elsewhere(void)
{
    TsrValue *x = conv_of(input_dq(1, 20, 9, 9), weights_dq(24, 20, 0, 24), NULL);
    q_output(NODE("Abs", NULL, x));
    q_output(out_q(x));
}

/* The value of the DequantizeLinear itself may have other readers. */
static void input_read_elsewhere(void)
{
    TsrValue *x = input_dq(1, 20, 9, 9);
    q_output(out_q(conv_of(x, weights_dq(24, 20, 0, 24), NULL)));
    q_output(NODE("Abs", NULL, x));
}

static void float_weights(void)
{
    q_output(out_q(conv_of(input_dq(1, 4, 9, 9), q_floats(SHAPE(8, 4, 3, 3)), NULL)));
}

static void per_channel_input(void)
{
    TsrValue *x = NODE("DequantizeLinear", "axis=1", q_input(U8, SHAPE(1, 20, 9, 9)),
                       q_scales(0.02f, 20), q_zeros(U8, 120, 20));
    q_output(out_q(conv_of(x, weights_dq(24, 20, 0, 24), NULL)));
}

static void gemm(void)
{
    TsrValue *x = q_dequantize(q_input(U8, SHAPE(5, 30)), 0.02f, U8, 120);
    TsrValue *w = NODE("DequantizeLinear", "axis=0", q_bytes(S8, SHAPE(37, 30)),
                       q_scales(0.01f, 37), q_zeros(S8, 0, 37));
    q_output(out_q(NODE("Gemm", "transB=1", x, w, bias_dq(37, 1))));
}

static void gemm_alpha(void)
{
    TsrValue *x = q_dequantize(q_input(U8, SHAPE(5, 30)), 0.02f, U8, 120);
    TsrValue *w = NODE("DequantizeLinear", "axis=0", q_bytes(S8, SHAPE(37, 30)),
                       q_scales(0.01f, 37), q_zeros(S8, 0, 37));
    q_output(out_q(NODE("Gemm", "transB=1 alpha=0.5", x, w, bias_dq(37, 1))));
}

static void matmul(void)
{
    TsrValue *x = q_dequantize(q_input(S8, SHAPE(2, 5, 30)), 0.02f, S8, -3);
    TsrValue *w = NODE("DequantizeLinear", "axis=1", q_bytes(U8, SHAPE(30, 20)),
                       q_scales(0.01f, 20), q_zeros(U8, 126, 20));
    q_output(q_quantize(NODE("MatMul", NULL, x, w), STEP, S8, 1));
}

static TsrValue *product(void)
{
    TsrValue *x = q_dequantize(q_input(S8, SHAPE(2, 5, 30)), 0.02f, S8, -3);
    TsrValue *w = NODE("DequantizeLinear", "axis=1", q_bytes(S8, SHAPE(30, 20)),
                       q_scales(0.01f, 20), q_zeros(S8, 0, 20));
    return NODE("MatMul", NULL, x, w);
}

static void matmul_bias(void)
{
    TsrValue *x = NODE("Add", NULL, q_floats(SHAPE(20)), product());
    q_output(q_quantize(NODE("Relu", NULL, x), STEP, S8, 1));
    q_output(q_quantize(NODE("Add", NULL, product(), bias_dq(20, 1)), STEP, U8, 128));
}

/* A matrix is no bias. */
static void matmul_plus_matrix(void)
{
    q_output(out_q(NODE("Add", NULL, product(), q_floats(SHAPE(5, 20)))));
}

/* Scales along the summed axis belong to no column. */
static void matmul_wrong_axis(void)
{
    TsrValue *x = q_dequantize(q_input(S8, SHAPE(2, 5, 20)), 0.02f, S8, -3);
    TsrValue *w = NODE("DequantizeLinear", "axis=0", q_bytes(S8, SHAPE(20, 20)),
                       q_scales(0.01f, 20), q_zeros(S8, 0, 20));
    q_output(q_quantize(NODE("MatMul", NULL, x, w), STEP, S8, 1));
}

static void add_relu(void)
{
    TsrValue *a = input_dq(1, 20, 9, 9);
    TsrValue *b = q_dequantize(q_input(S8, SHAPE(1, 20, 9, 9)), 0.033f, S8, 5);
    q_output(q_quantize(NODE("Relu", NULL, NODE("Add", NULL, a, b)), 0.041f, U8, 7));
}

static void add_broadcast(void)
{
    TsrValue *b = q_dequantize(q_input(S8, SHAPE(20, 1, 1)), 0.033f, S8, 5);
    q_output(q_quantize(NODE("Add", NULL, input_dq(1, 20, 9, 9), b), 0.041f, U8, 7));
}

static void add_broadcast_blocked(void)
{
    TsrValue *b = q_dequantize(q_input(S8, SHAPE(1, 20, 1, 1)), 0.033f, S8, 5);
    TsrValue *x = conv_of(input_dq(2, 20, 9, 9), weights_dq(20, 20, 0, 20), NULL);
    x = q_dequantize(out_q(x), STEP, U8, 128);
    q_output(q_quantize(NODE("Add", NULL, b, x), 0.041f, U8, 7));
}

static void activation_alone(void)
{
    q_output(q_quantize(NODE("Relu", NULL, input_dq(1, 20, 9, 9)), 0.013f, S8, -100));
    q_output(same_q(NODE("Clip", NULL, input_dq(2, 3, 5, 5), q_scales(-1.0f, 0),
                         q_scales(1.5f, 0))));
}

/* The DequantizeLinear stays for its other reader. */
static void requantize(void)
{
    TsrValue *x = input_dq(1, 20, 9, 9);
    q_output(q_quantize(x, 0.033f, S8, 3));
    q_output(NODE("Abs", NULL, x));
}

static void average(void)
{
    TsrValue *x = NODE("AveragePool", "kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1]",
                       input_dq(1, 20, 9, 9));
    q_output(q_quantize(x, 0.013f, U8, 100));
}

/* A last window that is cut, with the padding in or out of the count. */
static void average_ceil(void)
{
    TsrValue *x = NODE("AveragePool", "kernel_shape=[3,3] strides=[2,2] pads=[1,1,0,0] ceil_mode=1 "
                       "count_include_pad=1", input_dq(1, 20, 8, 10));
    q_output(q_quantize(x, 0.013f, U8, 100));
    x = NODE("AveragePool", "kernel_shape=[3,2] strides=[3,2] pads=[0,1,1,1] ceil_mode=1",
             input_dq(1, 5, 9, 9));
    q_output(q_quantize(x, 0.013f, U8, 100));
}

static void average_count_pads(void)
{
    TsrValue *x = NODE("AveragePool", "kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1] "
                       "count_include_pad=1", input_dq(1, 20, 9, 9));
    q_output(q_quantize(x, 0.013f, U8, 100));
}

static void global_average(void)
{
    q_output(q_quantize(NODE("GlobalAveragePool", NULL, input_dq(2, 20, 9, 9)), 0.003f, U8, 100));
}

static void moves(void)
{
    TsrValue *x = NODE("MaxPool", "kernel_shape=[2,2] strides=[2,2]", input_dq(1, 20, 8, 8));
    x = q_dequantize(same_q(x), 0.02f, U8, 120);
    x = NODE("Concat", "axis=1", x, input_dq(1, 12, 4, 4));
    x = NODE("Transpose", "perm=[0,2,3,1]", q_dequantize(same_q(x), 0.02f, U8, 120));
    x = NODE("Reshape", NULL, q_dequantize(same_q(x), 0.02f, U8, 120),
             q_ints(2, (const gint64[]){16, 32}));
    q_output(same_q(x));
}

/* Another scale, zero point or type: it requantizes. */
static void move_other_scale(void)
{
    q_output(q_quantize(NODE("Transpose", "perm=[0,2,3,1]", input_dq(1, 20, 8, 8)), 0.03f, U8,
                        120));
}

static void move_other_zero(void)
{
    q_output(q_quantize(NODE("Transpose", "perm=[0,2,3,1]", input_dq(1, 20, 8, 8)), 0.02f, U8,
                        119));
}

static void move_other_type(void)
{
    q_output(q_quantize(NODE("Transpose", "perm=[0,2,3,1]", input_dq(1, 20, 8, 8)), 0.02f, S8,
                        120));
}

/* Rounds, so that it must stay. */
static void pair(void)
{
    TsrValue *x = q_quantize(q_input(TSR_DTYPE_FLOAT, SHAPE(2, 30)), 0.1f, U8, 120);
    q_output(NODE("Abs", NULL, q_dequantize(x, 0.1f, U8, 120)));
}

static const QuantCase cases[] = {
    {"conv", conv, "nn.QConv", 1},
    {"conv_relu", conv_relu, "nn.QConv", 1},
    {"conv_clip", conv_clip, "nn.QConv", 1},
    {"conv_float_bias", conv_float_bias, "nn.QConv", 1},
    {"gemm", gemm, "nn.QMatMul", 1},
    {"matmul", matmul, "nn.QMatMul", 1},
    {"add_relu", add_relu, "nn.QAdd"},
    {"add_broadcast", add_broadcast, "nn.QAdd"},
    {"add_broadcast_blocked", add_broadcast_blocked, "nn.QAdd nn.QConv", 12},
    {"activation_alone", activation_alone, "nn.QClip nn.QClip"},
    {"requantize", requantize, "Abs DequantizeLinear nn.QClip"},
    {"conv_residual", conv_residual, "nn.QConv nn.QConv", 2},
    {"conv_residual_small", conv_residual_small, "nn.QConv", 1},
    {"conv_residual_groups", conv_residual_groups,
     "DequantizeLinear DequantizeLinear QuantizeLinear nn.Conv", 1},
    {"conv_residual_broadcast", conv_residual_broadcast,
     "Add Conv DequantizeLinear DequantizeLinear QuantizeLinear", 1},
    {"matmul_bias", matmul_bias, "nn.QMatMul nn.QMatMul", 1},
    {"matmul_plus_matrix", matmul_plus_matrix, "Add DequantizeLinear MatMul QuantizeLinear", 1},
    {"average_ceil", average_ceil, "nn.QPool nn.QPool", 1},
    {"average_count_pads", average_count_pads, "nn.QPool", 1},
    {"average", average, "nn.QPool", 1},
    {"global_average", global_average, "nn.QPool", 1},
    {"moves", moves, "@Reshape Concat MaxPool Transpose"},
    {"input_read_elsewhere", input_read_elsewhere, "Abs DequantizeLinear nn.QConv", 1},
    {"wrong_axis", wrong_axis, "Conv DequantizeLinear QuantizeLinear", 1},
    {"wrong_bias_scale", wrong_bias_scale, "Conv DequantizeLinear QuantizeLinear", 1},
    {"output_of_graph", output_of_graph, "Conv DequantizeLinear QuantizeLinear", 1, STEP},
    {"read_elsewhere", read_elsewhere, "Abs Conv DequantizeLinear QuantizeLinear", 1, STEP},
    {"float_weights", float_weights, "Conv DequantizeLinear QuantizeLinear", 1},
    {"per_channel_input", per_channel_input, "Conv DequantizeLinear QuantizeLinear", 1},
    {"gemm_alpha", gemm_alpha, "DequantizeLinear Gemm QuantizeLinear", 1},
    {"matmul_wrong_axis", matmul_wrong_axis, "DequantizeLinear MatMul QuantizeLinear", 1},
    {"move_other_scale", move_other_scale, "DequantizeLinear QuantizeLinear Transpose", 1},
    {"move_other_zero", move_other_zero, "DequantizeLinear QuantizeLinear Transpose", 1},
    {"move_other_type", move_other_type, "DequantizeLinear QuantizeLinear Transpose", 1},
    {"pair", pair, "Abs DequantizeLinear QuantizeLinear"},
};

START_TEST(becomes) { ck_quant_case(&cases[_i]); }
END_TEST

int main(void)
{
    TCase *tests = tcase_create("passes");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, becomes, 0, G_N_ELEMENTS(cases));
    return check_main("nn_qdq", tests);
}
