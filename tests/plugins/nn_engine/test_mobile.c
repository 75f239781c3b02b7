/* SPDX-License-Identifier: Apache-2.0
 *
 * test_mobile.c: the passes for mobile networks, nn_pad, nn_squeeze_excite,
 * nn_depthwise_pointwise and nn_pixel_rows: graphs where each is right, with the numbers of
 * the unfused graph, and graphs with one condition broken.
 */
#include "graph_case.h"

static TsrValue *integers(guint count, const gint64 *values)
{
    g_autoptr(TsrArray) array = tsr_array_create(TSR_DTYPE_INT64, 1, (gint64[]){count}, NULL);
    memcpy(tsr_array_data(array), values, count * sizeof(gint64));
    return constant(array);
}
#define INTEGERS(...)                                                               \
    integers(sizeof((gint64[]){__VA_ARGS__}) / sizeof(gint64), (const gint64[]){__VA_ARGS__})

/* ------------------------------------------------------------------ nn_pad */

static TsrValue *picture(gint64 channels) { return input(SHAPE(2, channels, 9, 7)); }

static TsrValue *conv3(TsrValue *x, gint64 channels, const char *attrs)
{
    return NODE("Conv", attrs, x, weights(SHAPE(5, channels, 3, 3)), weights(SHAPE(5)));
}

static TsrValue *padded(TsrValue *x, float value)
{
    return NODE("Pad", NULL, x, INTEGERS(0, 0, 1, 2, 0, 0, 0, 1), number(value));
}

static void pad_conv(void) { output(conv3(padded(picture(3), 0.0f), 3, NULL)); }
static void pad_conv_pads(void)
{
    output(NODE("Relu", NULL, conv3(padded(picture(20), 0.0f), 20,
                                    "pads=[1,0,2,1] strides=[2,2]")));
}
static void pad_conv_valid(void)
{
    output(conv3(padded(picture(17), 0.0f), 17, "auto_pad=\"VALID\" dilations=[2,2]"));
}
static void pad_axes_given(void)
{
    TsrValue *x = NODE("Pad", NULL, picture(4), INTEGERS(2, 1), number(0.0f), INTEGERS(-1));
    output(conv3(x, 4, NULL));
}
static void pad_depthwise(void)
{
    output(NODE("Conv", "group=33", padded(picture(33), 0.0f), weights(SHAPE(33, 1, 3, 3))));
}
static void pad_of_ones(void) { output(conv3(padded(picture(3), 1.0f), 3, NULL)); }
static void pad_of_channels(void)
{
    output(conv3(NODE("Pad", NULL, picture(3), INTEGERS(0, 1, 1, 1, 0, 0, 1, 1)), 4, NULL));
}
static void pad_crops(void)
{
    output(conv3(NODE("Pad", NULL, picture(3), INTEGERS(0, 0, 1, -1, 0, 0, 1, 1)), 3, NULL));
}
static void pad_reflects(void)
{
    output(conv3(NODE("Pad", "mode=\"reflect\"", picture(3), INTEGERS(0, 0, 1, 1, 0, 0, 1, 1)), 3,
                 NULL));
}
static void pad_shown(void)
{
    TsrValue *x = padded(picture(3), 0.0f);
    output(conv3(x, 3, NULL));
    output(x);
}
static void pad_same(void)
{
    output(conv3(padded(picture(3), 0.0f), 3, "auto_pad=\"SAME_UPPER\""));
}

static TsrValue *pool(const char *op, const char *attrs, float value)
{
    return NODE(op, attrs, padded(picture(18), value));
}
static void pad_average(void)
{
    output(pool("AveragePool", "kernel_shape=[3,3] strides=[2,2]", 0.0f));
}
static void pad_average_counts(void)
{
    output(pool("AveragePool", "kernel_shape=[3,4] count_include_pad=1 pads=[1,1,1,1]", 0.0f));
}
static void pad_average_does_not_count(void)
{
    output(pool("AveragePool", "kernel_shape=[3,4] pads=[1,1,1,1]", 0.0f));
}
static void pad_average_rounds_up(void)
{
    output(pool("AveragePool", "kernel_shape=[3,3] strides=[2,2] ceil_mode=1", 0.0f));
}
static void pad_max_infinite(void) { output(pool("MaxPool", "kernel_shape=[3,3]", -INFINITY)); }
static void pad_max_zero(void) { output(pool("MaxPool", "kernel_shape=[3,3]", 0.0f)); }
static void pad_max_alone(void) { output(pool("MaxPool", "kernel_shape=[2,2]", -INFINITY)); }

/* ------------------------------------------------------- nn_squeeze_excite */

typedef struct Block {
    gint64 channels, squeezed;
    const char *mean, *mean_attrs; /* NULL: GlobalAveragePool */
    gboolean gate_first, wide, shown, other, relu, residual;
    const char *gate;
} Block;

static TsrValue *layer(TsrValue *x, gint64 from, gint64 to, gint64 size)
{
    return NODE("Conv", size > 1 ? "pads=[1,1,1,1]" : NULL, x, weights(SHAPE(to, from, size, size)),
                weights(SHAPE(to)));
}

static void block(const Block *b)
{
    TsrValue *x = input(SHAPE(2, b->channels, 5, 7)), *g, *y;
    TsrValue *from = b->other ? input(SHAPE(2, b->channels, 5, 7)) : x;
    g = b->mean != NULL ? NODE(b->mean, b->mean_attrs, from)
                        : NODE("GlobalAveragePool", NULL, from);
    g = NODE("Relu", NULL, layer(g, b->channels, b->squeezed, b->wide ? 3 : 1));
    g = layer(g, b->squeezed, b->channels, 1);
    g = b->gate != NULL ? NODE(b->gate, NULL, g) : NODE("Sigmoid", NULL, g);
    if (b->shown)
        output(g);
    y = b->gate_first ? NODE("Mul", NULL, g, x) : NODE("Mul", NULL, x, g);
    if (b->residual)
        y = NODE("Add", NULL, x, y);
    output(b->relu ? NODE("Relu", NULL, y) : y);
}

#define EXCITE(name, ...)                                                           \
    static void name(void) { block(&(Block){__VA_ARGS__}); }
EXCITE(excite, .channels = 24, .squeezed = 6)
EXCITE(excite_gate_first, .channels = 16, .squeezed = 4, .gate_first = TRUE)
EXCITE(excite_hard, .channels = 33, .squeezed = 17, .gate = "HardSigmoid", .relu = TRUE)
EXCITE(excite_residual, .channels = 20, .squeezed = 5, .residual = TRUE, .relu = TRUE)
EXCITE(excite_open_gate, .channels = 7, .squeezed = 3, .gate = "Tanh")
EXCITE(excite_maximum, .channels = 8, .squeezed = 2, .mean = "GlobalMaxPool")
EXCITE(excite_wide, .channels = 8, .squeezed = 2, .wide = TRUE)
EXCITE(excite_shown, .channels = 8, .squeezed = 2, .shown = TRUE)
EXCITE(excite_of_another, .channels = 8, .squeezed = 2, .other = TRUE)

static gint64 channels;
static void excite_channels(void)
{
    block(&(Block){.channels = channels, .squeezed = (channels + 3) / 4, .relu = channels % 2});
}

/* -------------------------------------------------- nn_depthwise_pointwise */

typedef struct Separable {
    gint64 channels, out, size;
    int multiplier, kernel; /* of the second convolution */
    gboolean residual, shown, grouped;
    const char *attrs;      /* of the first one, after its group */
} Separable;

static void separable(const Separable *s)
{
    const gint64 made = s->channels * (s->multiplier > 0 ? s->multiplier : 1);
    const gint64 kernel = s->kernel > 0 ? s->kernel : 1;
    g_autofree char *attrs = g_strdup_printf("group=%" G_GINT64_FORMAT " %s", s->channels,
                                             s->attrs != NULL ? s->attrs : "pads=[1,1,1,1]");
    TsrValue *x = input(SHAPE(1, s->channels, s->size, s->size)), *y;
    y = NODE("Relu", NULL, NODE("Conv", attrs, x, weights(SHAPE(made, 1, 3, 3)),
                                weights(SHAPE(made))));
    if (s->shown)
        output(y);
    y = NODE("Conv", s->grouped ? "group=2" : NULL, y,
             weights(SHAPE(s->out, s->grouped ? made / 2 : made, kernel, kernel)),
             weights(SHAPE(s->out)));
    output(s->residual ? NODE("Relu", NULL, NODE("Add", NULL, y, x)) : y);
}

#define SEPARABLE(name, ...)                                                        \
    static void name(void) { separable(&(Separable){__VA_ARGS__}); }
SEPARABLE(separable_plain, .channels = 20, .out = 7, .size = 130)
SEPARABLE(separable_residual, .channels = 17, .out = 17, .size = 131, .residual = TRUE)
SEPARABLE(separable_strides, .channels = 6, .out = 5, .size = 400,
          .attrs = "strides=[2,2] auto_pad=\"SAME_UPPER\"")
SEPARABLE(separable_small, .channels = 20, .out = 7, .size = 20)
SEPARABLE(separable_shown, .channels = 20, .out = 7, .size = 130, .shown = TRUE)
SEPARABLE(separable_wide, .channels = 20, .out = 7, .size = 130, .kernel = 3)
SEPARABLE(separable_grouped, .channels = 32, .out = 32, .size = 130, .grouped = TRUE)
SEPARABLE(separable_multiplied, .channels = 10, .out = 7, .size = 130, .multiplier = 2)

/* ----------------------------------------------------------- nn_pixel_rows */

static TsrValue *channels_of(TsrValue *x)
{
    return NODE("Conv", NULL, x, weights(SHAPE(19, 20, 1, 1)));
}
static void rows_of_pixels(void)
{
    TsrValue *x = NODE("Reshape", NULL, channels_of(input(SHAPE(2, 20, 3, 5))),
                       INTEGERS(0, 19, -1));
    output(NODE("Transpose", "perm=[0,2,1]", x));
}
static void rows_of_line(void)
{
    TsrValue *x = NODE("Squeeze", NULL, channels_of(input(SHAPE(2, 20, 1, 9))), axis(2));
    output(NODE("Transpose", "perm=[0,2,1]", x));
}
static void rows_of_groups(void)
{
    TsrValue *x = NODE("Reshape", NULL, channels_of(input(SHAPE(2, 20, 3, 5))),
                       INTEGERS(2, 57, 5));
    output(NODE("Transpose", "perm=[0,2,1]", x));
}
static void rows_turned(void)
{
    TsrValue *x = NODE("Reshape", NULL, channels_of(input(SHAPE(2, 20, 3, 5))),
                       INTEGERS(2, 19, 15));
    output(NODE("Transpose", "perm=[1,2,0]", x));
}
static void rows_shown(void)
{
    TsrValue *x = NODE("Reshape", NULL, channels_of(input(SHAPE(2, 20, 3, 5))),
                       INTEGERS(2, 19, 15));
    output(NODE("Transpose", "perm=[0,2,1]", x));
    output(x);
}

static const GraphCase cases[] = {
    {"rows_of_pixels", rows_of_pixels, "Conv nn.PixelRows", 0, "Conv Reshape Transpose"},
    {"rows_of_line", rows_of_line, "Conv nn.PixelRows", 0, "Conv Squeeze Transpose"},
    {"rows_of_groups", rows_of_groups, "Conv Reshape Transpose"},
    {"rows_turned", rows_turned, "Conv Reshape Transpose"},
    {"rows_shown", rows_shown, "Conv Reshape Transpose"},
    {"separable_plain", separable_plain, "nn.SeparableConv", 0, "Conv nn.Conv:1"},
    {"separable_residual", separable_residual, "nn.SeparableConv:1", 0, "Add Conv Relu nn.Conv:1"},
    {"separable_strides", separable_strides, "nn.SeparableConv", 0, "Conv nn.Conv:1"},
    {"separable_small", separable_small, "Conv nn.Conv:1"},
    {"separable_shown", separable_shown, "Conv nn.Conv:1"},
    {"separable_wide", separable_wide, "Conv nn.Conv:1"},
    {"separable_grouped", separable_grouped, "Conv nn.Conv:1"},
    {"separable_multiplied", separable_multiplied, "Conv nn.Conv:1"},
    {"excite", excite, "nn.SqueezeExcite"},
    {"excite_gate_first", excite_gate_first, "nn.SqueezeExcite"},
    {"excite_hard", excite_hard, "nn.SqueezeExcite:1"},
    {"excite_residual", excite_residual, "nn.SqueezeExcite:1"},
    {"excite_open_gate", excite_open_gate, "Conv GlobalAveragePool Mul Tanh nn.Conv:1"},
    {"excite_maximum", excite_maximum, "GlobalMaxPool Mul nn.Conv:1 nn.Conv:6"},
    {"excite_wide", excite_wide, "GlobalAveragePool Mul nn.Conv:1 nn.Conv:6"},
    {"excite_shown", excite_shown, "GlobalAveragePool Mul nn.Conv:1 nn.Conv:6"},
    {"excite_of_another", excite_of_another, "GlobalAveragePool Mul nn.Conv:1 nn.Conv:6"},
    {"pad_conv", pad_conv, "nn.Conv"},
    {"pad_conv_pads", pad_conv_pads, "nn.Conv:1"},
    {"pad_conv_valid", pad_conv_valid, "nn.Conv"},
    {"pad_axes_given", pad_axes_given, "nn.Conv"},
    {"pad_depthwise", pad_depthwise, "nn.Conv"},
    {"pad_of_ones", pad_of_ones, "Conv Pad"},
    {"pad_of_channels", pad_of_channels, "Conv Pad"},
    {"pad_crops", pad_crops, "Conv Pad"},
    {"pad_reflects", pad_reflects, "Conv Pad"},
    {"pad_shown", pad_shown, "Conv Pad"},
    {"pad_same", pad_same, "Conv Pad"},
    {"pad_average", pad_average, "AveragePool"},
    {"pad_average_counts", pad_average_counts, "AveragePool"},
    {"pad_average_does_not_count", pad_average_does_not_count, "AveragePool Pad"},
    {"pad_average_rounds_up", pad_average_rounds_up, "AveragePool Pad"},
    {"pad_max_infinite", pad_max_infinite, "MaxPool"},
    {"pad_max_zero", pad_max_zero, "MaxPool Pad"},
    {"pad_max_alone", pad_max_alone, "MaxPool Pad"},
};

START_TEST(becomes) { ck_case(&cases[_i]); }
END_TEST

START_TEST(excites)
{
    channels = _i;
    ck_case(&(GraphCase){"excite_channels", excite_channels,
                         _i % 2 ? "nn.SqueezeExcite:1" : "nn.SqueezeExcite"});
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("passes");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, becomes, 0, G_N_ELEMENTS(cases));
    tcase_add_loop_test(tests, excites, 1, 41);
    return check_main("nn_mobile", tests);
}
