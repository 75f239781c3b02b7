/* SPDX-License-Identifier: Apache-2.0
 *
 * test_transformer.c: the passes nn_gelu, nn_layer_norm, nn_add_layer_norm,
 * nn_softmax and nn_matmul_bias_act: each variant that exporters write, and graphs with one
 * condition broken, where nothing may change.
 */
#include "graph_case.h"

/* -------------------------------------------------------------------- GELU */

static TsrValue *x3(void) { return input(SHAPE(2, 5, 24)); }

static TsrValue *erf_plus(TsrValue *x, float root)
{
    TsrValue *scaled = NODE("Div", NULL, x, number(root));
    return NODE("Add", NULL, NODE("Erf", NULL, scaled), number(1.0f));
}

static void gelu_erf(void)
{
    TsrValue *x = x3();
    output(NODE("Mul", NULL, NODE("Mul", NULL, x, erf_plus(x, sqrtf(2.0f))), number(0.5f)));
}

static void gelu_erf_turned(void)
{
    TsrValue *x = x3(), *scaled = NODE("Mul", NULL, number(0.70710678f), x);
    TsrValue *plus = NODE("Add", NULL, number(1.0f), NODE("Erf", NULL, scaled));
    output(NODE("Mul", NULL, NODE("Mul", NULL, number(0.5f), plus), x));
}

static void gelu_half_first(void)
{
    TsrValue *x = x3(), *half = NODE("Mul", NULL, x, number(0.5f));
    output(NODE("Mul", NULL, half, erf_plus(x, sqrtf(2.0f))));
}

static void gelu_half_by_div(void)
{
    TsrValue *x = x3(), *product = NODE("Mul", NULL, erf_plus(x, sqrtf(2.0f)), x);
    output(NODE("Div", NULL, product, number(2.0f)));
}

static void gelu_wrong_root(void)
{
    TsrValue *x = x3();
    output(NODE("Mul", NULL, NODE("Mul", NULL, x, erf_plus(x, 1.5f)), number(0.5f)));
}

static void gelu_shown(void)
{
    TsrValue *x = x3(), *plus = erf_plus(x, sqrtf(2.0f));
    output(plus);
    output(NODE("Mul", NULL, NODE("Mul", NULL, x, plus), number(0.5f)));
}

static void gelu_other_factor(void)
{
    TsrValue *x = x3(), *z = x3();
    output(NODE("Mul", NULL, NODE("Mul", NULL, z, erf_plus(x, sqrtf(2.0f))), number(0.5f)));
}

/* The constant has a higher rank than x, and so has the result. */
static void gelu_raised(void)
{
    TsrValue *x = x3();
    output(NODE("Mul", NULL, NODE("Mul", NULL, x, erf_plus(x, sqrtf(2.0f))), shaped(0.5f, 4)));
}

static void gelu_tanh_of(TsrValue *x, TsrValue *inner)
{
    TsrValue *plus = NODE("Add", NULL, NODE("Tanh", NULL, inner), number(1.0f));
    output(NODE("Mul", NULL, NODE("Mul", NULL, x, number(0.5f)), plus));
}

static TsrValue *cubic(TsrValue *x, float factor)
{
    TsrValue *cube = NODE("Mul", NULL, NODE("Pow", NULL, x, number(3.0f)), number(factor));
    return NODE("Mul", NULL, NODE("Add", NULL, x, cube), number(0.7978845608f));
}

static void gelu_tanh(void)
{
    TsrValue *x = x3();
    gelu_tanh_of(x, cubic(x, 0.044715f));
}

static void gelu_tanh_products(void)
{
    TsrValue *x = x3(), *cube = NODE("Mul", NULL, x, NODE("Mul", NULL, x, x));
    TsrValue *sum = NODE("Add", NULL, NODE("Mul", NULL, number(0.044715f), cube), x);
    gelu_tanh_of(x, NODE("Mul", NULL, number(0.7978845608f), sum));
}

/* sqrt(2/pi) x (1 + 0.044715 x x) */
static void gelu_tanh_factored(void)
{
    TsrValue *x = x3(), *left = NODE("Mul", NULL, x, number(0.7978845608f));
    TsrValue *square = NODE("Mul", NULL, NODE("Mul", NULL, x, number(0.044715f)), x);
    gelu_tanh_of(x, NODE("Mul", NULL, left, NODE("Add", NULL, square, number(1.0f))));
}

static void gelu_tanh_wrong_cube(void)
{
    TsrValue *x = x3();
    gelu_tanh_of(x, cubic(x, 0.04f));
}

/* -------------------------------------------------------------- layer norm */

typedef struct Norm {
    gint64 axis;
    float exponent;       /* 0: the square is a product */
    gboolean twice;       /* x - mean(x) is computed twice */
    gboolean reciprocal;
    gboolean shown;
} Norm;

static TsrValue *norm(TsrValue *x, const Norm *n)
{
    TsrValue *d = NODE("Sub", NULL, x, NODE("ReduceMean", NULL, x, axis(n->axis))), *e = d;
    TsrValue *square = n->exponent != 0 ? NODE("Pow", NULL, d, number(n->exponent))
                                        : NODE("Mul", NULL, d, d);
    TsrValue *variance = NODE("ReduceMean", NULL, square, axis(n->axis));
    TsrValue *root = NODE("Sqrt", NULL, NODE("Add", NULL, variance, number(1e-5f)));
    if (n->twice)
        e = NODE("Sub", NULL, x, NODE("ReduceMean", NULL, x, axis(n->axis)));
    if (n->shown)
        output(d);
    if (n->reciprocal)
        return NODE("Mul", NULL, e, NODE("Reciprocal", NULL, root));
    return NODE("Div", NULL, e, root);
}

static TsrValue *scaled(TsrValue *x) { return NODE("Mul", NULL, x, weights(SHAPE(24))); }
static TsrValue *shifted(TsrValue *x) { return NODE("Add", NULL, weights(SHAPE(24)), x); }

static void norm_pow(void) { output(shifted(scaled(norm(x3(), &(Norm){-1, 2.0f})))); }
static void norm_mul(void) { output(shifted(scaled(norm(x3(), &(Norm){2, 0})))); }
static void norm_bare(void) { output(norm(x3(), &(Norm){-1, 2.0f})); }
static void norm_shift(void) { output(shifted(norm(x3(), &(Norm){-1, 2.0f}))); }
static void norm_twice(void) { output(scaled(norm(x3(), &(Norm){-1, 2.0f, .twice = TRUE}))); }
static void norm_reciprocal(void)
{
    output(shifted(scaled(norm(x3(), &(Norm){-1, 2.0f, .reciprocal = TRUE}))));
}
static void norm_axis(void) { output(norm(x3(), &(Norm){1, 2.0f})); }
static void norm_exponent(void) { output(norm(x3(), &(Norm){-1, 4.0f})); }
static void norm_shown(void) { output(norm(x3(), &(Norm){-1, 2.0f, .shown = TRUE})); }
static void norm_scale_of_places(void)
{
    TsrValue *y = norm(x3(), &(Norm){-1, 2.0f});
    output(NODE("Mul", NULL, y, weights(SHAPE(5, 1))));
}

/* A sum before it, as in transformers: alone, with the sum read elsewhere (pre-norm), and
 * where the sum is not the kernel's. */
static TsrValue *normalization(TsrValue *x, const char *attrs, gint64 rows)
{
    return rows > 0 ? NODE("LayerNormalization", attrs, x, weights(SHAPE(rows, 24)))
                    : NODE("LayerNormalization", attrs, x, weights(SHAPE(24)), weights(SHAPE(24)));
}

static void add_norm(void)
{
    output(shifted(scaled(norm(NODE("Add", NULL, x3(), x3()), &(Norm){-1, 2.0f}))));
}

static void add_norm_shown(void)
{
    TsrValue *x = NODE("Add", NULL, x3(), x3());
    output(x);
    output(normalization(x, NULL, 0));
}

static void add_norm_read(void)
{
    TsrValue *x = NODE("Add", NULL, x3(), x3());
    TsrValue *y = NODE("Relu", NULL, normalization(x, "epsilon=0.1", 0));
    output(NODE("Mul", NULL, x, y));
}

static void add_norm_product(void)
{
    TsrValue *x = NODE("MatMul", NULL, x3(), weights(SHAPE(24, 24)));
    output(normalization(NODE("Add", NULL, x, x3()), NULL, 0));
}

static void add_norm_repeated(void)
{
    output(normalization(NODE("Add", NULL, x3(), input(SHAPE(2, 1, 24))), NULL, 0));
}

static void add_norm_two_axes(void)
{
    output(normalization(NODE("Add", NULL, x3(), x3()), "axis=1", 5));
}

/* ----------------------------------------------------------------- softmax */

static void softmax_of(gint64 along, gint64 summed, gboolean shown, gboolean shift)
{
    TsrValue *x = x3(), *d = x, *e;
    if (shift)
        d = NODE("Sub", NULL, x, NODE("ReduceMax", NULL, x, axis(along)));
    e = NODE("Exp", NULL, d);
    if (shown)
        output(e);
    output(NODE("Div", NULL, e, NODE("ReduceSum", NULL, e, axis(summed))));
}

static void softmax_last(void) { softmax_of(-1, -1, FALSE, TRUE); }
static void softmax_middle(void) { softmax_of(1, -2, FALSE, TRUE); }
static void softmax_two_axes(void) { softmax_of(-1, 1, FALSE, TRUE); }
static void softmax_shown(void) { softmax_of(-1, -1, TRUE, TRUE); }
static void softmax_unshifted(void) { softmax_of(-1, -1, FALSE, FALSE); }

/* ------------------------------------------------------------------ MatMul */

static TsrValue *product(void) { return NODE("MatMul", NULL, x3(), weights(SHAPE(24, 20))); }
static TsrValue *bias(TsrValue *x) { return NODE("Add", NULL, weights(SHAPE(20)), x); }

static void matmul_bias(void) { output(bias(product())); }
static void matmul_bias_relu(void) { output(NODE("Relu", NULL, bias(product()))); }
static void matmul_tanh(void) { output(NODE("Tanh", NULL, product())); }

static void matmul_bias_gelu(void)
{
    TsrValue *x = bias(product());
    output(NODE("Mul", NULL, NODE("Mul", NULL, x, erf_plus(x, sqrtf(2.0f))), number(0.5f)));
}

static void matmul_residual(void)
{
    TsrValue *y = bias(product());
    output(NODE("Sigmoid", NULL, NODE("Add", NULL, input(SHAPE(2, 5, 20)), y)));
}

/* The summand is repeated. */
static void matmul_residual_small(void)
{
    output(NODE("Relu", NULL, NODE("Add", NULL, bias(product()), input(SHAPE(1, 5, 20)))));
}

/* The summand is larger than the product. */
static void matmul_residual_large(void)
{
    TsrValue *y = NODE("MatMul", NULL, input(SHAPE(1, 5, 24)), weights(SHAPE(24, 20)));
    output(NODE("Relu", NULL, NODE("Add", NULL, bias(y), input(SHAPE(3, 5, 20)))));
}

static void matmul_of_inputs(void)
{
    TsrValue *a = input(SHAPE(2, 3, 5, 8)), *b = input(SHAPE(1, 3, 8, 20));
    output(NODE("Relu", NULL, bias(NODE("MatMul", NULL, a, b))));
}

static void gemm_relu(void)
{
    TsrValue *x = input(SHAPE(5, 24));
    x = NODE("Gemm", "transB=1", x, weights(SHAPE(20, 24)), weights(SHAPE(20)));
    output(NODE("Relu", NULL, x));
}

static void gemm_residual(void)
{
    TsrValue *x = NODE("Gemm", "transA=1", input(SHAPE(24, 5)), weights(SHAPE(24, 20)));
    output(NODE("Add", NULL, bias(x), weights(SHAPE(5, 20))));
}

static void gemm_half(void)
{
    TsrValue *x = NODE("Gemm", "alpha=0.5", input(SHAPE(5, 24)), weights(SHAPE(24, 20)));
    output(NODE("Relu", NULL, x));
}

static void matmul_shown(void)
{
    TsrValue *y = product();
    output(y);
    output(bias(y));
}

static void matmul_read_twice(void)
{
    TsrValue *y = product();
    output(NODE("Exp", NULL, y));
    output(NODE("Relu", NULL, y));
}

static void matmul_bias_of_rows(void)
{
    output(NODE("Add", NULL, product(), weights(SHAPE(5, 1))));
}

static void matmul_bias_raises(void)
{
    output(NODE("Add", NULL, product(), weights(SHAPE(1, 1, 1, 20))));
}

static void matmul_open_bias(void) { output(NODE("Add", NULL, product(), input(SHAPE(20)))); }
static void matmul_itself(void)
{
    TsrValue *y = product();
    output(NODE("Add", NULL, y, y));
}

static void matmul_two_activations(void)
{
    output(NODE("Tanh", NULL, NODE("Relu", NULL, product())));
}

static void matmul_integers(void)
{
    TsrValue *x = NODE("Cast", "to=6", x3()), *w = NODE("Cast", "to=6", input(SHAPE(24, 20)));
    TsrValue *b = NODE("Cast", "to=6", input(SHAPE(20)));
    output(NODE("Add", NULL, NODE("MatMul", NULL, x, w), b));
}

static const GraphCase cases[] = {
    {"gelu_erf", gelu_erf, "nn.Activation:8"},
    {"gelu_erf_turned", gelu_erf_turned, "nn.Activation:8"},
    {"gelu_half_first", gelu_half_first, "nn.Activation:8"},
    {"gelu_half_by_div", gelu_half_by_div, "nn.Activation:8"},
    {"gelu_wrong_root", gelu_wrong_root, "Add Div Erf Mul Mul"},
    {"gelu_shown", gelu_shown, "Add Div Erf Mul Mul"},
    {"gelu_other_factor", gelu_other_factor, "Add Div Erf Mul Mul"},
    {"gelu_raised", gelu_raised, "Add Div Erf Mul Mul"},
    {"gelu_tanh", gelu_tanh, "nn.Activation:9"},
    {"gelu_tanh_products", gelu_tanh_products, "nn.Activation:9"},
    {"gelu_tanh_factored", gelu_tanh_factored, "nn.Activation:9"},
    {"gelu_tanh_wrong_cube", gelu_tanh_wrong_cube, "Add Add Mul Mul Mul Mul Pow Tanh"},
    {"norm_pow", norm_pow, "nn.LayerNorm"},
    {"norm_mul", norm_mul, "nn.LayerNorm"},
    {"norm_bare", norm_bare, "nn.LayerNorm"},
    {"norm_shift", norm_shift, "nn.LayerNorm"},
    {"norm_twice", norm_twice, "nn.LayerNorm"},
    {"norm_reciprocal", norm_reciprocal, "nn.LayerNorm"},
    {"norm_axis", norm_axis, "Add Div Pow ReduceMean ReduceMean Sqrt Sub"},
    {"norm_exponent", norm_exponent, "Add Div Pow ReduceMean ReduceMean Sqrt Sub"},
    {"norm_shown", norm_shown, "Add Div Pow ReduceMean ReduceMean Sqrt Sub"},
    {"norm_scale_of_places", norm_scale_of_places, "Mul nn.LayerNorm"},
    {"add_norm", add_norm, "nn.LayerNorm", .want_open = "Add nn.LayerNorm"},
    {"add_norm_shown", add_norm_shown, "nn.LayerNorm", .want_open = "Add LayerNormalization"},
    {"add_norm_read", add_norm_read, "Mul Relu nn.LayerNorm",
     .want_open = "Add LayerNormalization Mul Relu"},
    {"add_norm_product", add_norm_product, "LayerNormalization nn.MatMul"},
    {"add_norm_repeated", add_norm_repeated, "Add LayerNormalization"},
    {"add_norm_two_axes", add_norm_two_axes, "Add LayerNormalization"},
    {"softmax_last", softmax_last, "Softmax"},
    {"softmax_middle", softmax_middle, "Softmax"},
    {"softmax_two_axes", softmax_two_axes, "Div Exp ReduceMax ReduceSum Sub"},
    {"softmax_shown", softmax_shown, "Div Exp ReduceMax ReduceSum Sub"},
    {"softmax_unshifted", softmax_unshifted, "Div Exp ReduceSum"},
    {"matmul_bias", matmul_bias, "nn.MatMul"},
    {"matmul_bias_relu", matmul_bias_relu, "nn.MatMul:1"},
    {"matmul_tanh", matmul_tanh, "nn.MatMul:10"},
    {"matmul_bias_gelu", matmul_bias_gelu, "nn.MatMul:8"},
    {"matmul_residual", matmul_residual, "nn.MatMul:6"},
    {"matmul_residual_small", matmul_residual_small, "nn.MatMul:1"},
    {"matmul_residual_large", matmul_residual_large, "nn.MatMul:1"},
    {"matmul_of_inputs", matmul_of_inputs, "nn.MatMul:1"},
    {"gemm_relu", gemm_relu, "nn.MatMul:1"},
    {"gemm_residual", gemm_residual, "Add nn.MatMul"},
    {"gemm_half", gemm_half, "Gemm Relu"},
    {"matmul_shown", matmul_shown, "Add MatMul"},
    {"matmul_read_twice", matmul_read_twice, "Exp MatMul Relu"},
    {"matmul_bias_of_rows", matmul_bias_of_rows, "Add MatMul"},
    {"matmul_bias_raises", matmul_bias_raises, "Add MatMul"},
    {"matmul_open_bias", matmul_open_bias, "Add MatMul"},
    {"matmul_itself", matmul_itself, "Add MatMul"},
    {"matmul_two_activations", matmul_two_activations, "Tanh nn.MatMul:1"},
    {"matmul_integers", matmul_integers, "Add Cast Cast Cast MatMul"},
};

START_TEST(becomes) { ck_case(&cases[_i]); }
END_TEST

/* A fused node still answers to every name that it stands for. */
START_TEST(keeps_names)
{
    g_autoptr(TsrGraph) graph = case_graph(matmul_bias_relu);
    TsrNode *fused = NULL;
    for (guint i = 0; i < graph->nodes->len; i++) {
        TsrNode *each = g_ptr_array_index(graph->nodes, i);
        if (each->kind == TSR_NODE_OPERATOR)
            fused = each;
    }
    ck_assert_ptr_nonnull(fused);
    ck_assert_uint_eq(fused->origin_names->len, 3); /* MatMul, Add, Relu */
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("passes");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, becomes, 0, G_N_ELEMENTS(cases));
    tcase_add_test(tests, keeps_names);
    return check_main("nn_transformer", tests);
}
