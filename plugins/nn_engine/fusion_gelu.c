/* SPDX-License-Identifier: Apache-2.0
 *
 * fusion_gelu.c: the pass nn_gelu. Both forms of GELU (Hendrycks and Gimpel 2016) spelt
 * out in single operators become one Activation:
 *   x/2 * (1 + erf(x / sqrt 2))   and   x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))).
 * Exporters differ in how they order and associate the factors; so the argument of erf or
 * tanh is read as a polynomial in x, and the product around it in three forms. Called
 * through the table in fusion.c.
 */
#include <math.h>

#include "fusion_match.h"

enum { DEGREE = 3 };

typedef struct Polynomial {
    double c[DEGREE + 1];
} Polynomial;

/* What a walk over a polynomial's nodes carries. */
typedef struct Walk {
    const TsrGraphEdit *edit;
    uint32_t x;
    NnPattern *pattern;
} Walk;

static int near(double v, double want) { return fabs(v - want) <= 2e-5 * fabs(want); }

static int multiply(const Polynomial *a, const Polynomial *b, Polynomial *out)
{
    Polynomial y = { { 0 } };
    for (int i = 0; i <= DEGREE; i++)
        for (int k = 0; k <= DEGREE; k++) {
            const double product = a->c[i] * b->c[k];
            if (product != 0.0 && i + k > DEGREE)
                return 0;
            if (i + k <= DEGREE)
                y.c[i + k] += product;
        }
    *out = y;
    return 1;
}

static int read_polynomial(const Walk *walk, uint32_t value, Polynomial *out);

/* One node of a polynomial: a sum, a product, a quotient or a power. */
static int read_node(const Walk *walk, uint32_t node, Polynomial *out)
{
    const TsrNodeView *view = walk->edit->node(walk->edit, node);
    const int add = nn_is_op(view, "", "Add"), sub = nn_is_op(view, "", "Sub");
    const int mul = nn_is_op(view, "", "Mul"), div = nn_is_op(view, "", "Div");
    const int power = nn_is_op(view, "", "Pow");
    Polynomial a, b;
    if (!(add || sub || mul || div || power) || tsr_attr_int(view, "broadcast", 0) != 0 ||
        !nn_pattern_add(walk->pattern, node) ||
        !read_polynomial(walk, walk->edit->input_value(walk->edit, node, 0), &a) ||
        !read_polynomial(walk, walk->edit->input_value(walk->edit, node, 1), &b))
        return 0;
    if (mul)
        return multiply(&a, &b, out);
    if (div || power) {
        /* By a number only. */
        for (int i = 1; i <= DEGREE; i++)
            if (b.c[i] != 0.0)
                return 0;
        *out = a;
        if (power) {
            for (double n = 1.0; n < b.c[0]; n += 1.0)
                if (!multiply(out, &a, out))
                    return 0;
            return b.c[0] == 1.0 || b.c[0] == 2.0 || b.c[0] == 3.0;
        }
        for (int i = 0; i <= DEGREE; i++)
            out->c[i] /= b.c[0];
        return b.c[0] != 0.0;
    }
    for (int i = 0; i <= DEGREE; i++)
        out->c[i] = add ? a.c[i] + b.c[i] : a.c[i] - b.c[i];
    return 1;
}

static int read_polynomial(const Walk *walk, uint32_t value, Polynomial *out)
{
    const TsrGraphEdit *edit = walk->edit;
    const TsrTensor *constant = value != TSR_NO_VALUE ? edit->constant(edit, value) : NULL;
    *out = (Polynomial){ { 0 } };
    if (value == walk->x) {
        out->c[1] = 1.0;
        return 1;
    }
    if (constant != NULL) {
        if (constant->desc->dtype != TSR_DTYPE_FLOAT || tsr_desc_elements(constant->desc) != 1 ||
            constant->desc->rank > edit->desc(edit, walk->x)->rank)
            return 0;
        out->c[0] = (double)*(const float *)constant->data;
        return 1;
    }
    return value != TSR_NO_VALUE && edit->producer(edit, value) != UINT32_MAX &&
           read_node(walk, edit->producer(edit, value), out);
}

static int argument_fits(const Polynomial *p, int is_erf)
{
    const double k = is_erf ? 0.70710678118654752 : 0.79788456080286536;
    return p->c[0] == 0.0 && p->c[2] == 0.0 && near(p->c[1], k) &&
           (is_erf ? p->c[3] == 0.0 : near(p->c[3], k * 0.044715));
}

/* The node that halves: Mul by 0.5 or Div by 2; the data operand's index. */
static int halved(const TsrNodeView *view)
{
    if (nn_is_op(view, "", "Mul"))
        return nn_beside_number(view, 0.5f);
    return nn_is_op(view, "", "Div") && nn_is_number(view, 1, 2.0f) ? 0 : NN_NOWHERE;
}

/* The node that halves the output of `node`, if it is the only reader. */
static uint32_t halving_reader(const TsrGraphEdit *edit, uint32_t node)
{
    uint32_t half;
    const TsrNodeView *view = nn_reader(edit, node, "Mul", &half);
    if (view == NULL)
        view = nn_reader(edit, node, "Div", &half);
    return view != NULL && halved(view) != NN_NOWHERE ? half : UINT32_MAX;
}

/* Finds what stands around s = 1 + erf(...), the output of `plus`: x is the factor of the
 * product, *out_last the node that writes the result. */
static int match_product(const TsrGraphEdit *edit, uint32_t plus, NnPattern *pattern,
                         uint32_t *out_x, uint32_t *out_last)
{
    const uint32_t s = edit->output_value(edit, plus, 0);
    uint32_t half = halving_reader(edit, plus), product, other;
    if (half != UINT32_MAX) {
        /* x * (s / 2) */
        if (nn_reader(edit, half, "Mul", &product) == NULL)
            return 0;
        *out_x = edit->input_value(
            edit, product, (uint32_t)nn_beside(edit, product, edit->output_value(edit, half, 0)));
        *out_last = product;
        return nn_pattern_add(pattern, half) && nn_pattern_add(pattern, product);
    }
    if (nn_reader(edit, plus, "Mul", &product) == NULL ||
        !nn_pattern_add(pattern, product))
        return 0;
    *out_x = edit->input_value(edit, product, (uint32_t)nn_beside(edit, product, s));
    half = halving_reader(edit, product);
    if (half != UINT32_MAX) {
        /* (x * s) / 2 */
        *out_last = half;
        return nn_pattern_add(pattern, half);
    }
    /* (x / 2) * s */
    other = *out_x != TSR_NO_VALUE ? edit->producer(edit, *out_x) : UINT32_MAX;
    if (other == UINT32_MAX || halved(edit->node(edit, other)) == NN_NOWHERE)
        return 0;
    *out_x = edit->input_value(edit, other, (uint32_t)halved(edit->node(edit, other)));
    *out_last = product;
    return nn_pattern_add(pattern, other);
}

static int32_t apply_gelu(const TsrFusionPass *pass, const TsrGraphEdit *edit, uint32_t node)
{
    const TsrNodeView *view = edit->node(edit, node);
    const int is_erf = nn_is_op(view, "", "Erf");
    NnPattern pattern = { .count = 0 };
    Walk walk = { edit, TSR_NO_VALUE, &pattern };
    Polynomial argument;
    uint32_t plus, last, output;
    (void)pass;
    if (!is_erf && !nn_is_op(view, "", "Tanh"))
        return TSR_UNSUPPORTED;
    view = nn_reader(edit, node, "Add", &plus);
    if (view == NULL || nn_beside_number(view, 1.0f) == NN_NOWHERE ||
        !nn_pattern_add(&pattern, node) || !nn_pattern_add(&pattern, plus) ||
        !match_product(edit, plus, &pattern, &walk.x, &last) || walk.x == TSR_NO_VALUE ||
        edit->desc(edit, walk.x)->rank == TSR_RANK_UNKNOWN ||
        !read_polynomial(&walk, edit->input_value(edit, node, 0), &argument) ||
        !argument_fits(&argument, is_erf))
        return TSR_UNSUPPORTED;
    output = edit->output_value(edit, last, 0);
    const TsrAttr kind =
        nn_attr_int("activation", is_erf ? TSR_ACT_GELU : TSR_ACT_GELU_TANH);
    const TsrAttr *const attrs[1] = { &kind };
    return nn_replace(edit, &pattern, NN_DOMAIN, "Activation", &walk.x, 1, output, attrs, 1);
}

static const char *const roots[] = { "Erf", "Tanh" };

const TsrFusionPass nn_gelu_pass = {
    .struct_size = sizeof(TsrFusionPass), .order = 7, .name = "nn_gelu",
    .description = "Recognises GELU by erf or tanh that is spelt out in several operators",
    .default_on = 1, .root_count = sizeof(roots) / sizeof(roots[0]), .root_ops = roots,
    .apply = apply_gelu,
};
