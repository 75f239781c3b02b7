/* SPDX-License-Identifier: Apache-2.0
 *
 * test_gradient.c: what Gradient writes out, against central differences of the graph that
 * it differentiates; both run on the reference engine in double.
 */
#include <math.h>

#include "fixture.h"
#include "../support/check_main.h"

#define GRADIENT "ai.onnx.preview.training::Gradient"
#define MAX_VALUES 4

/* y as a function of up to three inputs, which are called a, b and c. */
typedef struct Case {
    const char *name;
    TsrValue *(*build)(TsrGraph *graph, TsrValue *const *in);
    guint32 count;
    struct {
        guint32 rank;
        gint64 shape[3];
    } in[3];
    gboolean positive; /* only above zero */
} Case;

static TsrSession *open_session(void)
{
    const char *const priority[] = {"aicpu", NULL};
    TsrSessionOptions options = TSR_SESSION_OPTIONS_INIT;
    GError *error = NULL;
    TsrSession *session;
    options.engine_priority = priority;
    options.safe_mode = TRUE;
    session = tsr_session_new(&options, &error);
    ck_no_error(error);
    return session;
}

/* Numbers between -1.3 and 1.3, none of them near 0, different for every seed. */
static TsrArray *numbers(guint32 rank, const gint64 *shape, guint32 seed, gboolean positive)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    GError *error = NULL;
    TsrArray *array = tsr_array_create(TSR_DTYPE_DOUBLE, rank, shape, &error);
    double *data = tsr_array_data(array);
    ck_no_error(error);
    for (gsize i = 0; i < tsr_array_size_bytes(array) / sizeof(*data); i++) {
        data[i] = g_rand_double_range(random, 0.3, 1.3);
        if (!positive && g_rand_boolean(random))
            data[i] = -data[i];
    }
    return array;
}

static TsrValue *input_new(TsrGraph *graph, const char *name, guint32 rank, const gint64 *shape)
{
    GError *error = NULL;
    TsrValue *value = tsr_build_input(graph, name, TSR_DTYPE_DOUBLE, rank, shape, &error);
    ck_no_error(error);
    return value;
}

static TsrValue *scalar_new(TsrGraph *graph, double number)
{
    GError *error = NULL;
    g_autoptr(TsrArray) array = tsr_array_create_from(TSR_DTYPE_DOUBLE, 0, NULL, &number,
                                                      sizeof(number), &error);
    TsrValue *value = tsr_build_constant(graph, NULL, array, &error);
    ck_no_error(error);
    return value;
}

static TsrValue *op1(TsrGraph *graph, const char *op, TsrValue *a)
{
    return fixture_node(graph, op, NULL, VALUES(a), NULL);
}

static TsrValue *op2(TsrGraph *graph, const char *op, TsrValue *a, TsrValue *b)
{
    return fixture_node(graph, op, NULL, VALUES(a, b), NULL);
}

/* Gradient of y with respect to the names in xs, other names in zs. */
static gboolean add_gradient(TsrGraph *graph, const TsrValue *y, const char *xs, const char *zs,
                             TsrValue *const *inputs, guint count, TsrValue **out, guint out_count,
                             GError **error)
{
    g_autofree char *attrs = g_strdup_printf("xs=[%s] zs=[%s] y=\"%s\"", xs, zs, y->name);
    return tsr_build_node_full(graph, GRADIENT, NULL, inputs, count, attrs, out, out_count, error);
}

static TsrModel *compile(TsrSession *session, TsrGraph *graph)
{
    GError *error = NULL;
    TsrModel *model = tsr_session_compile(session, graph, NULL, &error);
    ck_no_error(error);
    return model;
}

static void run(TsrModel *model, TsrArray *const *inputs, TsrArray **outputs)
{
    GError *error = NULL;
    memset(outputs, 0, tsr_model_output_count(model) * sizeof(*outputs));
    tsr_model_run(model, inputs, outputs, &error);
    ck_no_error(error);
}

/* The sum of the first output: what a Gradient differentiates. */
static double sum_of(TsrModel *model, TsrArray *const *inputs)
{
    TsrArray *outputs[MAX_VALUES];
    double sum = 0;
    const double *data;
    run(model, inputs, outputs);
    data = tsr_array_data(outputs[0]);
    for (gsize i = 0; i < tsr_array_size_bytes(outputs[0]) / sizeof(*data); i++)
        sum += data[i];
    for (guint i = 0; i < tsr_model_output_count(model); i++)
        tsr_array_unref(outputs[i]);
    return sum;
}

/* Compares a derivative with the differences of the forward model along each element of
 * input which. */
static void check_input(const char *name, TsrModel *forward, TsrArray *const *inputs, guint which,
                        TsrArray *got)
{
    const double step = 1e-5, *derivative = tsr_array_data(got);
    double *data = tsr_array_data(inputs[which]);
    ck_assert_uint_eq(tsr_array_dtype(got), TSR_DTYPE_DOUBLE);
    ck_assert_msg(tsr_array_rank(got) == tsr_array_rank(inputs[which]) &&
                      (tsr_array_rank(got) == 0 ||
                       memcmp(tsr_array_shape(got), tsr_array_shape(inputs[which]),
                              tsr_array_rank(got) * sizeof(gint64)) == 0),
                  "%s: derivative %u has another shape than the input", name, which);
    for (gsize i = 0; i < tsr_array_size_bytes(got) / sizeof(double); i++) {
        double at = data[i], above, below, wanted;
        data[i] = at + step;
        above = sum_of(forward, inputs);
        data[i] = at - step;
        below = sum_of(forward, inputs);
        data[i] = at;
        wanted = (above - below) / (2 * step);
        ck_assert_msg(fabs(derivative[i] - wanted) <= 1e-6 * (1 + fabs(wanted)),
                      "%s: derivative %u, element %zu: wanted %.9g, got %.9g", name, which, i,
                      wanted, derivative[i]);
    }
}

static const char *const letters[] = {"a", "b", "c"};

static TsrGraph *case_graph(TsrSession *session, const Case *test, TsrValue **out_in,
                            TsrValue **out_y)
{
    TsrGraph *graph = tsr_session_graph(session, test->name);
    for (guint i = 0; i < test->count; i++)
        out_in[i] = input_new(graph, letters[i], test->in[i].rank, test->in[i].shape);
    *out_y = test->build(graph, out_in);
    return graph;
}

static void check_case(TsrSession *session, const Case *test)
{
    static const char *const xs[] = {"", "\"a\"", "\"a\",\"b\"", "\"a\",\"b\",\"c\""};
    TsrValue *in[3], *y, *derivatives[3];
    TsrArray *inputs[3], *outputs[3];
    g_autoptr(TsrGraph) forward_graph = case_graph(session, test, in, &y);
    g_autoptr(TsrModel) forward = NULL;
    g_autoptr(TsrGraph) graph = NULL;
    g_autoptr(TsrModel) model = NULL;
    GError *error = NULL;
    tsr_build_output(forward_graph, "y", y);
    forward = compile(session, forward_graph);
    graph = case_graph(session, test, in, &y);
    add_gradient(graph, y, xs[test->count], "", in, test->count, derivatives, test->count, &error);
    ck_no_error(error);
    for (guint i = 0; i < test->count; i++) {
        tsr_build_output(graph, NULL, derivatives[i]);
        inputs[i] = numbers(test->in[i].rank, test->in[i].shape, 17 + i, test->positive);
    }
    model = compile(session, graph);
    run(model, inputs, outputs);
    for (guint i = 0; i < test->count; i++) {
        check_input(test->name, forward, inputs, i, outputs[i]);
        tsr_array_unref(outputs[i]);
    }
    for (guint i = 0; i < test->count; i++)
        tsr_array_unref(inputs[i]);
}

/* ------------------------------------------------------------------------ rules */

#define UNARY(op)                                                                   \
    static TsrValue *build_##op(TsrGraph *graph, TsrValue *const *in)               \
    {                                                                               \
        return op1(graph, #op, in[0]);                                              \
    }
#define BINARY(op)                                                                  \
    static TsrValue *build_##op(TsrGraph *graph, TsrValue *const *in)               \
    {                                                                               \
        return op2(graph, #op, in[0], in[1]);                                       \
    }
UNARY(Exp)
UNARY(Identity)
UNARY(Log)
UNARY(Neg)
UNARY(Relu)
UNARY(Sigmoid)
UNARY(Sqrt)
UNARY(Tanh)
BINARY(Add)
BINARY(Div)
BINARY(MatMul)
BINARY(Mul)
BINARY(Pow)
BINARY(Sub)

static TsrValue *build_sum(TsrGraph *graph, TsrValue *const *in)
{
    return fixture_node(graph, "Sum", NULL, VALUES(in[0], in[1], in[2]), NULL);
}

/* a^3 with an exponent of another type. */
static TsrValue *build_cube(TsrGraph *graph, TsrValue *const *in)
{
    const gint64 three = 3;
    GError *error = NULL;
    g_autoptr(TsrArray) array =
        tsr_array_create_from(TSR_DTYPE_INT64, 0, NULL, &three, sizeof(three), &error);
    TsrValue *exponent = tsr_build_constant(graph, NULL, array, &error);
    ck_no_error(error);
    return op2(graph, "Pow", in[0], exponent);
}

/* a and parts of it, used again and again. */
static TsrValue *build_reused(TsrGraph *graph, TsrValue *const *in)
{
    TsrValue *square = op2(graph, "Mul", in[0], in[0]);
    TsrValue *mix = op2(graph, "Add", square, op1(graph, "Exp", in[0]));
    return op2(graph, "Sub", op2(graph, "Mul", mix, square), in[0]);
}

/* A layer of a network: sigmoid(a b + c) and a factor. */
static TsrValue *build_layer(TsrGraph *graph, TsrValue *const *in)
{
    TsrValue *sum = op2(graph, "Add", op2(graph, "MatMul", in[0], in[1]), in[2]);
    return op2(graph, "Mul", op1(graph, "Sigmoid", sum), scalar_new(graph, 1.7));
}

/* b counts for nothing. */
static TsrValue *build_ignores_b(TsrGraph *graph, TsrValue *const *in)
{
    return op1(graph, "Tanh", in[0]);
}

#define ONE(...) .count = 1, .in = {{__VA_ARGS__}}
#define TWO(...) .count = 2, .in = {__VA_ARGS__}

static const Case cases[] = {
    {"Exp", build_Exp, ONE(2, {2, 3})},
    {"Identity", build_Identity, ONE(1, {3})},
    {"Log", build_Log, ONE(2, {2, 3}), .positive = TRUE},
    {"Neg", build_Neg, ONE(0, {0})},
    {"Relu", build_Relu, ONE(3, {2, 2, 3})},
    {"Sigmoid", build_Sigmoid, ONE(2, {2, 3})},
    {"Sqrt", build_Sqrt, ONE(1, {5}), .positive = TRUE},
    {"Tanh", build_Tanh, ONE(2, {2, 3})},
    {"Add", build_Add, TWO({2, {2, 3}}, {2, {2, 3}})},
    {"Add, b repeated", build_Add, TWO({3, {2, 2, 3}}, {1, {3}})},
    {"Add, both repeated", build_Add, TWO({2, {2, 1}}, {3, {4, 1, 3}})},
    {"Sub", build_Sub, TWO({2, {1, 3}}, {2, {2, 3}})},
    {"Sub, a scalar", build_Sub, TWO({0, {0}}, {2, {2, 3}})},
    {"Mul", build_Mul, TWO({2, {2, 3}}, {2, {2, 3}})},
    {"Mul, both repeated", build_Mul, TWO({3, {2, 1, 3}}, {2, {4, 1}})},
    {"Div", build_Div, TWO({2, {2, 3}}, {2, {2, 3}})},
    {"Div, both repeated", build_Div, TWO({2, {3, 1}}, {1, {2}})},
    {"Pow", build_Pow, TWO({2, {2, 3}}, {1, {3}}), .positive = TRUE},
    {"Pow, a repeated", build_Pow, TWO({1, {1}}, {2, {2, 2}}), .positive = TRUE},
    {"Pow, exponent of integers", build_cube, ONE(2, {2, 3})},
    {"MatMul", build_MatMul, TWO({2, {2, 3}}, {2, {3, 4}})},
    {"MatMul, b repeated", build_MatMul, TWO({3, {2, 2, 3}}, {2, {3, 2}})},
    {"MatMul, a repeated", build_MatMul, TWO({3, {1, 2, 3}}, {3, {3, 3, 1}})},
    {"Sum", build_sum, .count = 3, .in = {{2, {2, 3}}, {1, {3}}, {2, {2, 1}}}},
    {"reused", build_reused, ONE(1, {4})},
    {"layer", build_layer, .count = 3, .in = {{2, {3, 2}}, {2, {2, 4}}, {1, {4}}}},
    {"ignores b", build_ignores_b, TWO({1, {3}}, {2, {2, 2}})},
    {"nothing in it", build_Mul, TWO({2, {2, 0}}, {3, {2, 1, 0}})},
};

START_TEST(every_rule)
{
    g_autoptr(TsrSession) session = open_session();
    check_case(session, &cases[_i]);
}
END_TEST

/* ------------------------------------------------------------------------- points */

/* Runs a graph whose derivatives are its outputs on one vector per input. */
static void expect_vector(TsrSession *session, TsrGraph *graph, TsrArray *const *inputs,
                          guint output, const double *wanted, guint count)
{
    TsrArray *outputs[MAX_VALUES];
    g_autoptr(TsrModel) model = compile(session, graph);
    const double *data;
    run(model, inputs, outputs);
    data = tsr_array_data(outputs[output]);
    ck_assert_uint_eq(tsr_array_size_bytes(outputs[output]), count * sizeof(double));
    for (guint i = 0; i < count; i++)
        ck_assert_msg(fabs(data[i] - wanted[i]) <= 1e-12 * (1 + fabs(wanted[i])),
                      "output %u, element %u: wanted %.12g, got %.12g", output, i, wanted[i],
                      data[i]);
    for (guint i = 0; i < tsr_model_output_count(model); i++)
        tsr_array_unref(outputs[i]);
}

static TsrArray *vector(double first, double second)
{
    const double data[] = {first, second};
    GError *error = NULL;
    TsrArray *array = tsr_array_create_from(TSR_DTYPE_DOUBLE, SHAPE(2), data, sizeof(data), &error);
    ck_no_error(error);
    return array;
}

/* y = a^2 b, so dy/da = 2ab and dy/db = a^2. */
static TsrValue *square_times(TsrGraph *graph, TsrValue *a, TsrValue *b)
{
    return op2(graph, "Mul", op2(graph, "Mul", a, a), b);
}

typedef struct Feed {
    guint a, b;          /* which of a, b, c is fed to a and b */
    double da[2], db[2]; /* wanted */
} Feed;

/* Other values than the named ones: a = (2, -1), b = (3, 4), c = (0.5, 2). */
START_TEST(other_point)
{
    static const Feed feeds[] = {
        {0, 1, {12, -8}, {4, 1}},
        {1, 0, {12, -8}, {9, 16}},
        {2, 1, {3, 16}, {0.25, 4}},
        {0, 0, {8, 2}, {4, 1}},   /* still two variables */
        {1, 1, {18, 32}, {9, 16}},
        {2, 2, {0.5, 8}, {0.25, 4}},
        {0, 2, {2, -4}, {4, 1}},
    };
    const Feed *feed = &feeds[_i];
    g_autoptr(TsrSession) session = open_session();
    for (guint split = 0; split < 2; split++) {
        g_autoptr(TsrGraph) graph = tsr_session_graph(session, "point");
        g_autoptr(TsrArray) a = vector(2, -1), b = vector(3, 4), c = vector(0.5, 2);
        TsrArray *const inputs[] = {a, b, c};
        TsrValue *in[3], *fed[2], *out[2], *y;
        GError *error = NULL;
        for (guint i = 0; i < 3; i++)
            in[i] = input_new(graph, letters[i], SHAPE(2));
        y = square_times(graph, in[0], in[1]);
        fed[0] = in[feed->a];
        fed[1] = in[feed->b];
        /* b among the xs, or fixed by the zs. */
        add_gradient(graph, y, split ? "\"a\"" : "\"a\",\"b\"", split ? "\"b\"" : "", fed, 2, out,
                     split ? 1 : 2, &error);
        ck_no_error(error);
        for (guint i = 0; i < (split ? 1u : 2u); i++)
            tsr_build_output(graph, NULL, out[i]);
        if (split) {
            expect_vector(session, graph, inputs, 0, feed->da, 2);
        } else {
            g_autoptr(TsrGraph) same = tsr_session_graph(session, "same");
            TsrValue *more[3], *other[2], *result[2];
            expect_vector(session, graph, inputs, 0, feed->da, 2);
            for (guint i = 0; i < 3; i++)
                more[i] = input_new(same, letters[i], SHAPE(2));
            y = square_times(same, more[0], more[1]);
            other[0] = more[feed->a];
            other[1] = more[feed->b];
            add_gradient(same, y, "\"a\",\"b\"", "", other, 2, result, 2, &error);
            ck_no_error(error);
            tsr_build_output(same, NULL, result[1]);
            expect_vector(session, same, inputs, 0, feed->db, 2);
        }
    }
}
END_TEST

/* With respect to h = 3a: what h is computed from does not count, be it x or z. */
START_TEST(inner_value)
{
    const double inner[] = {36, 72}, none[] = {0, 0}, fixed[] = {144, 1152};
    g_autoptr(TsrSession) session = open_session();
    g_autoptr(TsrArray) a = vector(2, 4);
    for (guint form = 0; form < 3; form++) {
        g_autoptr(TsrGraph) graph = tsr_session_graph(session, "inner");
        TsrValue *x = input_new(graph, "a", SHAPE(2)), *h, *y, *out[2], *fed[2];
        g_autofree char *xs = NULL;
        g_autofree char *zs = NULL;
        GError *error = NULL;
        h = op2(graph, "Mul", x, scalar_new(graph, 3));
        /* 3 h^2, or h^2 a^2 with h fixed: 2 a h^2 = 18 a^3. */
        y = form < 2 ? op2(graph, "Mul", op2(graph, "Mul", h, h), scalar_new(graph, 3))
                     : op2(graph, "Mul", op2(graph, "Mul", h, h), op2(graph, "Mul", x, x));
        xs = g_strdup_printf(form < 1 ? "\"%s\"" : form < 2 ? "\"a\",\"%s\"" : "\"a\"", h->name);
        zs = form < 2 ? g_strdup("") : g_strdup_printf("\"%s\"", h->name);
        fed[0] = form < 1 ? h : x;
        fed[1] = h;
        add_gradient(graph, y, xs, zs, fed, form < 1 ? 1 : 2, out, 1, &error);
        ck_no_error(error);
        tsr_build_output(graph, NULL, out[0]);
        expect_vector(session, graph, &a, 0, form == 0 ? inner : form == 1 ? none : fixed, 2);
    }
}
END_TEST

/* The derivative of the derivative of a^3 b: 6 a b. In whatever order they stand. */
START_TEST(of_a_gradient)
{
    const double wanted[] = {36, -24}, third[] = {18, 24};
    g_autoptr(TsrSession) session = open_session();
    g_autoptr(TsrArray) a = vector(2, -1), b = vector(3, 4);
    TsrArray *const inputs[] = {a, b};
    for (guint order = 2; order < 4; order++) {
        g_autoptr(TsrGraph) graph = tsr_session_graph(session, "twice");
        TsrValue *in[2], *y;
        GError *error = NULL;
        in[0] = input_new(graph, "a", SHAPE(2));
        in[1] = input_new(graph, "b", SHAPE(2));
        y = op2(graph, "Mul", square_times(graph, in[0], in[1]), in[0]);
        for (guint i = 0; i < order; i++) {
            TsrValue *next;
            add_gradient(graph, y, "\"a\"", "\"b\"", in, 2, &next, 1, &error);
            ck_no_error(error);
            y = next;
        }
        tsr_build_output(graph, NULL, y);
        expect_vector(session, graph, inputs, 0, order == 2 ? wanted : third, 2);
    }
}
END_TEST

/* A Gradient in the middle of what another one differentiates: s = 2 a dy/da + a with
 * y = a^2 b gives 4 a^2 b + a and ds/da = 8 a b + 1. */
START_TEST(through_a_gradient)
{
    const double wanted[] = {49, -31};
    g_autoptr(TsrSession) session = open_session();
    g_autoptr(TsrArray) a = vector(2, -1), b = vector(3, 4);
    TsrArray *const inputs[] = {a, b};
    g_autoptr(TsrGraph) graph = tsr_session_graph(session, "through");
    TsrValue *in[2], *y, *slope, *out;
    GError *error = NULL;
    in[0] = input_new(graph, "a", SHAPE(2));
    in[1] = input_new(graph, "b", SHAPE(2));
    y = square_times(graph, in[0], in[1]);
    add_gradient(graph, y, "\"a\"", "\"b\"", in, 2, &slope, 1, &error);
    ck_no_error(error);
    y = op2(graph, "Mul", op2(graph, "Mul", slope, in[0]), scalar_new(graph, 2));
    y = op2(graph, "Add", y, in[0]);
    add_gradient(graph, y, "\"a\"", "\"b\"", in, 2, &out, 1, &error);
    ck_no_error(error);
    tsr_build_output(graph, NULL, out);
    expect_vector(session, graph, inputs, 0, wanted, 2);
}
END_TEST

/* Derivatives of infinite values are no NaN where the formula is none. */
START_TEST(infinite_values)
{
    const double wanted[] = {1, 1}, none[] = {0, 0};
    g_autoptr(TsrSession) session = open_session();
    g_autoptr(TsrArray) a = vector(INFINITY, 1), b = vector(-INFINITY, NAN);
    TsrArray *const inputs[] = {a, b};
    for (guint i = 0; i < 2; i++) {
        g_autoptr(TsrGraph) graph = tsr_session_graph(session, "infinite");
        TsrValue *in[2], *out[2];
        GError *error = NULL;
        in[0] = input_new(graph, "a", SHAPE(2));
        in[1] = input_new(graph, "b", SHAPE(2));
        add_gradient(graph, op2(graph, "Add", in[0], scalar_new(graph, 1)), "\"a\",\"b\"", "", in,
                     2, out, 2, &error);
        ck_no_error(error);
        tsr_build_output(graph, NULL, out[i]);
        expect_vector(session, graph, inputs, 0, i == 0 ? wanted : none, 2);
    }
}
END_TEST

/* ------------------------------------------------------------------------- errors */

static void expect_error(TsrSession *session, TsrGraph *graph, gint32 code, const char *part)
{
    GError *error = NULL;
    ck_assert_ptr_null(tsr_session_compile(session, graph, NULL, &error));
    ck_error(error, code, part);
}

typedef struct Wrong {
    const char *op;    /* of y = op(a) */
    const char *attrs; /* of the Gradient; %s is the name of y */
    guint inputs, outputs;
    gint64 extent;     /* of a */
    gint32 code;
    const char *part;
} Wrong;

/* The output of the Gradient has the name of the node, "gradient". */
static const Wrong wrongs[] = {
    {"Floor", "xs=[\"a\"] y=\"%s\"", 1, 1, 2, TSR_UNSUPPORTED, "no derivative is known for Floor"},
    {"Exp", "xs=[\"a\"] y=\"nobody\"", 1, 1, 2, TSR_NOT_FOUND, "no value is called 'nobody'"},
    {"Exp", "xs=[\"nobody\"] y=\"%s\"", 1, 1, 2, TSR_NOT_FOUND, "no value is called 'nobody'"},
    {"Exp", "xs=[\"a\"] zs=[\"nobody\"] y=\"%s\"", 2, 1, 2, TSR_NOT_FOUND, "called 'nobody'"},
    {"Exp", "xs=[\"a\"] zs=[\"b\"] y=\"%s\"", 1, 1, 2, TSR_INVALID_ARGUMENT, "no input for 'b'"},
    {"Exp", "xs=[\"a\",\"a\"] y=\"%s\"", 2, 2, 2, TSR_INVALID_ARGUMENT, "name 'a' twice"},
    {"Exp", "xs=[\"a\"] y=\"%s\"", 2, 2, 2, TSR_INVALID_ARGUMENT, "has 2 outputs, but xs names 1"},
    {"Exp", "xs=[\"a\"] y=\"gradient\"", 1, 1, 2, TSR_INVALID_ARGUMENT,
     "depends on its own output"},
};

START_TEST(wrong_gradients)
{
    const Wrong *wrong = &wrongs[_i];
    g_autoptr(TsrSession) session = open_session();
    g_autoptr(TsrGraph) graph = tsr_session_graph(session, "wrong");
    TsrValue *in[2], *y, *out[2];
    g_autofree char *attrs = NULL;
    GError *error = NULL;
    in[0] = input_new(graph, "a", SHAPE(wrong->extent));
    in[1] = input_new(graph, "b", SHAPE(wrong->extent));
    y = op1(graph, wrong->op, in[0]);
    {
        g_auto(GStrv) parts = g_strsplit(wrong->attrs, "%s", -1);
        attrs = g_strjoinv(y->name, parts);
    }
    tsr_build_node_full(graph, GRADIENT, "gradient", in, wrong->inputs, attrs, out, wrong->outputs,
                        &error);
    ck_no_error(error);
    tsr_build_output(graph, NULL, out[0]);
    expect_error(session, graph, wrong->code, wrong->part);
}
END_TEST

START_TEST(dimensions_of_a_run)
{
    g_autoptr(TsrSession) session = open_session();
    g_autoptr(TsrGraph) graph = tsr_session_graph(session, "open");
    TsrValue *in[2], *out;
    GError *error = NULL;
    in[0] = input_new(graph, "a", SHAPE(-1));
    in[1] = input_new(graph, "b", SHAPE(2));
    add_gradient(graph, op2(graph, "Mul", in[0], in[1]), "\"a\"", "\"b\"", in, 2, &out, 1, &error);
    ck_no_error(error);
    tsr_build_output(graph, NULL, out);
    expect_error(session, graph, TSR_UNSUPPORTED, "'a' has dimensions that only a run knows");
}
END_TEST

START_TEST(integers)
{
    g_autoptr(TsrSession) session = open_session();
    g_autoptr(TsrGraph) graph = tsr_session_graph(session, "integers");
    GError *error = NULL;
    TsrValue *a = tsr_build_input(graph, "a", TSR_DTYPE_INT32, SHAPE(2), &error), *out;
    add_gradient(graph, op2(graph, "Mul", a, a), "\"a\"", "", &a, 1, &out, 1, &error);
    ck_no_error(error);
    tsr_build_output(graph, NULL, out);
    expect_error(session, graph, TSR_UNSUPPORTED, "has type int32");
}
END_TEST

/* A chain as long as no stack is deep: y = a + 1 + 1 + ... */
START_TEST(long_chain)
{
    const double wanted[] = {1, 1};
    g_autoptr(TsrSession) session = open_session();
    g_autoptr(TsrGraph) graph = tsr_session_graph(session, "chain");
    g_autoptr(TsrArray) value = vector(1, 2);
    TsrValue *a = input_new(graph, "a", SHAPE(2)), *one = scalar_new(graph, 1), *y = a, *out;
    GError *error = NULL;
    for (guint i = 0; i < 20000; i++)
        y = op2(graph, "Add", y, one);
    add_gradient(graph, y, "\"a\"", "", &a, 1, &out, 1, &error);
    ck_no_error(error);
    tsr_build_output(graph, NULL, out);
    expect_vector(session, graph, &value, 0, wanted, 2);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("gradient");
    tcase_add_loop_test(tcase, every_rule, 0, G_N_ELEMENTS(cases));
    tcase_add_loop_test(tcase, other_point, 0, 7);
    tcase_add_test(tcase, inner_value);
    tcase_add_test(tcase, of_a_gradient);
    tcase_add_test(tcase, through_a_gradient);
    tcase_add_test(tcase, infinite_values);
    tcase_add_loop_test(tcase, wrong_gradients, 0, G_N_ELEMENTS(wrongs));
    tcase_add_test(tcase, dimensions_of_a_run);
    tcase_add_test(tcase, integers);
    tcase_add_test(tcase, long_chain);
    tcase_set_timeout(tcase, 60);
    return check_main("gradient", tcase);
}
