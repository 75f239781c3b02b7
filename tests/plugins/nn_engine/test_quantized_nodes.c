/* SPDX-License-Identifier: Apache-2.0
 *
 * test_quantized_nodes.c: quantized operators of ONNX on nn_engine, bit for bit what the
 * general engine computes, in the storage formats that the compiler chooses; and what
 * nn_engine leaves to the general engine.
 */
#include "quant_case.h"

/* x of [2, c, h, w], w of [m, c / group, k, k] with zero points from w_zero on. */
static TsrValue *qconv_of(TsrValue *x, gint64 c, gint64 m, gint64 k, gint64 group, guint32 x_type,
                          guint32 w_type, gint64 w_zero, gint64 per, const char *attrs)
{
    const gint64 x_zero = x_type == U8 ? 117 : -9;
    return NODE("QLinearConv", attrs, x, q_scales(0.02f, 0), q_zeros(x_type, x_zero, 0),
                q_bytes(w_type, SHAPE(m, c / group, k, k)), q_scales(0.01f, per),
                q_zeros(w_type, w_zero, per), q_scales(0.5f, 0), q_zeros(x_type, x_zero + 3, 0),
                q_bytes(TSR_DTYPE_INT32, SHAPE(m)));
}

static void conv_chain(void)
{
    TsrValue *x = q_input(U8, SHAPE(2, 3, 13, 17));
    x = qconv_of(x, 3, 20, 3, 1, U8, S8, 0, 20, "pads=[1,1,1,1] strides=[2,2]");
    x = qconv_of(x, 20, 33, 1, 1, U8, S8, 0, 0, NULL);
    x = qconv_of(x, 33, 33, 3, 33, U8, S8, 0, 33, "group=33 pads=[1,1,1,1]");
    q_output(qconv_of(x, 33, 7, 3, 1, U8, S8, 0, 7, "dilations=[2,2] pads=[2,2,2,2]"));
}

static void conv_signed(void)
{
    TsrValue *x = q_input(S8, SHAPE(1, 18, 9, 7));
    x = qconv_of(x, 18, 40, 1, 1, S8, S8, 2, 0, NULL);
    x = qconv_of(x, 40, 40, 5, 40, S8, S8, 3, 40, "group=40 auto_pad=\"SAME_UPPER\" strides=[2,2]");
    q_output(qconv_of(x, 40, 16, 2, 2, S8, S8, -4, 16, "group=2"));
}

/* uint8 weights with zero points far from 128 are too wide for int8. */
static void conv_wide(void)
{
    TsrValue *x = q_input(U8, SHAPE(1, 6, 8, 8));
    x = qconv_of(x, 6, 24, 3, 3, U8, U8, 128, 0, "group=3");
    x = qconv_of(x, 24, 24, 3, 1, U8, U8, 10, 24, NULL);
    q_output(qconv_of(x, 24, 5, 1, 1, U8, U8, 0, 0, NULL));
}

static void conv_channels(void)
{
    TsrValue *x = q_input(U8, SHAPE(1, 1, 6, 6));
    for (gint64 c = 1; c <= 40; c++)
        x = qconv_of(x, c, c + 1, 1 + c % 3, 1, U8, S8, 0, c + 1,
                     c % 3 == 2 ? "pads=[1,1,1,1]" : c % 3 == 1 ? "pads=[1,0,0,1]" : NULL);
    q_output(x);
}

static void conv_1d(void)
{
    TsrValue *x = q_input(U8, SHAPE(1, 5, 40));
    q_output(NODE("QLinearConv", "strides=[2]", x, q_scales(0.02f, 0), q_zeros(U8, 100, 0),
                  q_bytes(S8, SHAPE(9, 5, 3)), q_scales(0.01f, 9), q_zeros(S8, 0, 9),
                  q_scales(0.3f, 0), q_zeros(U8, 128, 0)));
}

static void conv_integer(void)
{
    TsrValue *x = q_input(U8, SHAPE(1, 10, 9, 9)), *zero = q_input(U8, SHAPE(1));
    q_output(NODE("ConvInteger", "pads=[1,1,1,1]", x, q_bytes(S8, SHAPE(20, 10, 3, 3)), zero));
}

static void matmul(void)
{
    TsrValue *a = q_input(U8, SHAPE(3, 5, 30));
    a = NODE("QLinearMatMul", NULL, a, q_scales(0.02f, 0), q_zeros(U8, 99, 0),
             q_bytes(S8, SHAPE(30, 37)), q_scales(0.01f, 37), q_zeros(S8, 0, 37),
             q_scales(0.4f, 0), q_zeros(S8, 4, 0));
    q_output(NODE("QLinearMatMul", NULL, a, q_scales(0.02f, 0), q_zeros(S8, 4, 0),
                  q_bytes(U8, SHAPE(37, 64)), q_scales(0.01f, 0), q_zeros(U8, 20, 0),
                  q_scales(0.4f, 0), q_zeros(U8, 140, 0)));
}

/* As quantizers write a linear layer whose activations are quantized as they come. */
static void dynamic(void)
{
    TsrValue *parts[3], *sum;
    q_node_outputs("DynamicQuantizeLinear", q_input(TSR_DTYPE_FLOAT, SHAPE(2, 7, 64)), parts, 3);
    sum = NODE("MatMulInteger", NULL, parts[0], q_bytes(S8, SHAPE(64, 48)), parts[2],
               q_zeros(S8, 0, 0));
    sum = NODE("Cast", "to=1", sum);
    q_output(NODE("Mul", NULL, sum, NODE("Mul", NULL, parts[1], q_scales(0.01f, 0))));
}

static void quantize_axes(void)
{
    TsrValue *x = q_input(TSR_DTYPE_FLOAT, SHAPE(2, 20, 5, 6)), *y;
    q_output(y = NODE("QuantizeLinear", "axis=1", x, q_scales(0.01f, 20), q_zeros(U8, 100, 20)));
    q_output(NODE("DequantizeLinear", "axis=1", y, q_scales(0.03f, 20), q_zeros(U8, 100, 20)));
    q_output(NODE("QuantizeLinear", "axis=-1", x, q_scales(0.01f, 6), q_zeros(S8, 3, 6)));
    q_output(NODE("QuantizeLinear", "axis=0", x, q_scales(0.02f, 2), q_zeros(S8, 3, 2)));
    q_output(q_quantize(x, 0.013f, U8, 0));
}

static void max_pool(void)
{
    TsrValue *x = q_input(S8, SHAPE(1, 20, 9, 9));
    q_output(NODE("MaxPool", "kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1]", x));
}

static void runtime_weights(void)
{
    TsrValue *x = q_input(U8, SHAPE(4, 30));
    q_output(NODE("MatMulInteger", NULL, x, q_input(S8, SHAPE(30, 16))));
}

static void runtime_scale(void)
{
    TsrValue *x = q_input(TSR_DTYPE_FLOAT, SHAPE(4, 30));
    q_output(NODE("QuantizeLinear", NULL, x, NODE("Abs", NULL, q_input(TSR_DTYPE_FLOAT, SHAPE(1))),
                  q_zeros(U8, 3, 1)));
}

static void blocked_scales(void)
{
    TsrValue *x = q_input(S8, SHAPE(8, 6));
    q_output(NODE("DequantizeLinear", "axis=0 block_size=4", x, q_floats(SHAPE(2, 6))));
}

/* 255 times the weights of 80000 terms is more than int32 holds. */
static void deep_sum(void)
{
    TsrValue *a = q_input(U8, SHAPE(1, 80000));
    q_output(NODE("MatMulInteger", NULL, a, q_bytes(U8, SHAPE(80000, 2))));
}

static const QuantCase cases[] = {
    {"conv_chain", conv_chain, "QLinearConv QLinearConv QLinearConv QLinearConv"},
    {"conv_signed", conv_signed, "QLinearConv QLinearConv QLinearConv"},
    {"conv_wide", conv_wide, "QLinearConv QLinearConv QLinearConv"},
    {"conv_1d", conv_1d, "QLinearConv"},
    {"conv_integer", conv_integer, "ConvInteger"},
    {"matmul", matmul, "QLinearMatMul QLinearMatMul"},
    {"dynamic", dynamic, "Cast DynamicQuantizeLinear MatMulInteger Mul Mul"},
    {"quantize_axes", quantize_axes,
     "DequantizeLinear QuantizeLinear QuantizeLinear QuantizeLinear QuantizeLinear"},
    {"max_pool", max_pool, "MaxPool"},
    {"runtime_weights", runtime_weights, "@MatMulInteger"},
    {"runtime_scale", runtime_scale, "@QuantizeLinear Abs"},
    {"blocked_scales", blocked_scales, "@DequantizeLinear"},
    {"deep_sum", deep_sum, "@MatMulInteger"},
};

START_TEST(same_bits) { ck_quant_case(&cases[_i]); }
END_TEST

START_TEST(every_channel_count)
{
    GString *want = g_string_new("QLinearConv");
    for (int i = 1; i < 40; i++)
        g_string_append(want, " QLinearConv");
    ck_quant_case(&(QuantCase){"channels", conv_channels, want->str});
    g_string_free(want, TRUE);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("nodes");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, same_bits, 0, G_N_ELEMENTS(cases));
    tcase_add_test(tests, every_channel_count);
    return check_main("nn_quantized_nodes", tests);
}
