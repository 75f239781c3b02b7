/* SPDX-License-Identifier: Apache-2.0
 *
 * gradient_rules.c: see gradient_rules.h. One row of the table an operator; a rule computes
 * only what is wanted, since what nobody wants may have no derivative.
 */
#include "prepare/gradient_rules.h"

#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "base/memory.h"
#include "prepare/infer.h"

static TsrValue *emit(TsrTape *tape, const char *op, TsrValue *const *inputs, guint count,
                      TsrAttrBox *attr)
{
    const TsrOpDef *def =
        tsr_op_registry_get(tape->graph->registry, "", op, G_MAXINT64, tape->error);
    TsrNode *node;
    if (def == NULL)
        return NULL;
    node = tsr_graph_add_node(tape->graph, def, NULL, inputs, count, NULL, 1, &attr,
                              attr != NULL ? 1 : 0, NULL, 0, tape->error);
    if (node == NULL || !tsr_infer_node(node, tsr_infer_graph, NULL, tape->error))
        return NULL;
    return g_ptr_array_index(node->outputs, 0);
}

TsrValue *tsr_tape_emit1(TsrTape *tape, const char *op, TsrValue *a, TsrAttrBox *attr)
{
    return a != NULL ? emit(tape, op, &a, 1, attr) : NULL;
}

TsrValue *tsr_tape_emit2(TsrTape *tape, const char *op, TsrValue *a, TsrValue *b)
{
    TsrValue *const inputs[] = {a, b};
    return a != NULL && b != NULL ? emit(tape, op, inputs, 2, NULL) : NULL;
}

static TsrValue *emit_ints(TsrTape *tape, const gint64 *values, gint64 count)
{
    g_autoptr(GBytes) bytes = tsr_memory_copy_bytes(values, (gsize)count * sizeof(*values));
    TsrDesc desc;
    tsr_desc_init(&desc);
    tsr_desc_set(&desc, TSR_DTYPE_INT64, 1, &count);
    return tsr_graph_add_constant(tape->graph, NULL, &desc.view, bytes, tape->error);
}

/* A scalar of the dtype of a value. */
static TsrValue *emit_scalar(TsrTape *tape, const TsrValue *like, double number)
{
    guint32 dtype = like->desc.view.dtype;
    float narrow = (float)number;
    guint16 half = tsr_float_to_float16(narrow);
    gconstpointer data = dtype == TSR_DTYPE_DOUBLE ? (gconstpointer)&number
                         : dtype == TSR_DTYPE_FLOAT ? (gconstpointer)&narrow
                                                    : (gconstpointer)&half;
    g_autoptr(GBytes) bytes = NULL;
    TsrDesc desc;
    if ((TSR_BIT(dtype) & TSR_TYPES_FLOAT_IEEE) == 0) {
        g_set_error(tape->error, TSR_ERROR, TSR_UNSUPPORTED,
                    "Gradient: '%s' has type %s, wanted float, double or float16", like->name,
                    tsr_dtype_name(dtype));
        return NULL;
    }
    bytes = tsr_memory_copy_bytes(data, tsr_dtype_bits(dtype) / 8);
    tsr_desc_init(&desc);
    tsr_desc_set(&desc, dtype, 0, NULL);
    return tsr_graph_add_constant(tape->graph, NULL, &desc.view, bytes, tape->error);
}

TsrValue *tsr_tape_fill(TsrTape *tape, TsrValue *like, double number)
{
    const TsrTensorDesc *desc = &like->desc.view;
    TsrValue *scalar = emit_scalar(tape, like, number), *shape = NULL;
    /* A known shape stays known: nothing is folded yet. */
    if (scalar != NULL)
        shape = tsr_desc_is_static(desc) ? emit_ints(tape, desc->shape, desc->rank)
                                         : tsr_tape_emit1(tape, "Shape", like, NULL);
    return tsr_tape_emit2(tape, "Expand", scalar, shape);
}

/* Sums a derivative over the axes along which an operand was repeated. */
static TsrValue *unbroadcast(TsrTape *tape, TsrValue *gradient, const TsrValue *operand)
{
    const TsrTensorDesc *to = &operand->desc.view, *from = &gradient->desc.view;
    g_autoptr(TsrAttrBox) zero_is_zero = NULL;
    TsrValue *inputs[2];
    gint64 axes[TSR_MAX_RANK], count = 0;
    if (!tsr_desc_is_static(to) || !tsr_desc_is_static(from)) {
        g_set_error(tape->error, TSR_ERROR, TSR_UNSUPPORTED,
                    "Gradient: '%s' has dimensions that only a run knows", operand->name);
        return NULL;
    }
    for (guint32 i = 0; i < from->rank; i++) {
        gint64 extent = i + to->rank >= from->rank ? to->shape[i + to->rank - from->rank] : 1;
        if (i + to->rank < from->rank || (extent == 1 && from->shape[i] != 1))
            axes[count++] = i;
    }
    if (count == 0)
        return gradient;
    inputs[0] = tsr_tape_emit2(tape, "ReduceSum", gradient, emit_ints(tape, axes, count));
    inputs[1] = inputs[0] != NULL ? emit_ints(tape, to->shape, to->rank) : NULL;
    zero_is_zero = tsr_attr_new_int("allowzero", 1);
    return inputs[1] != NULL ? emit(tape, "Reshape", inputs, 2, zero_is_zero) : NULL;
}

/* The derivative with respect to input i. */
static gboolean give(const TsrGradientStep *step, guint i, TsrValue *gradient)
{
    step->out[i] = gradient != NULL ? unbroadcast(step->tape, gradient, step->in[i]) : NULL;
    return step->out[i] != NULL;
}

/* The same for operators of one input, whose output has its shape. */
static gboolean give_only(const TsrGradientStep *step, TsrValue *gradient)
{
    step->out[0] = gradient;
    return gradient != NULL;
}

static gboolean rule_sum(const TsrGradientStep *step)
{
    for (guint i = 0; i < step->count; i++)
        if (step->wanted[i] && !give(step, i, step->dy))
            return FALSE;
    return TRUE;
}

static gboolean rule_identity(const TsrGradientStep *step)
{
    return give_only(step, step->dy);
}

static gboolean rule_sub(const TsrGradientStep *step)
{
    if (step->wanted[0] && !give(step, 0, step->dy))
        return FALSE;
    return !step->wanted[1] || give(step, 1, tsr_tape_emit1(step->tape, "Neg", step->dy, NULL));
}

static gboolean rule_mul(const TsrGradientStep *step)
{
    for (guint i = 0; i < 2; i++)
        if (step->wanted[i] &&
            !give(step, i, tsr_tape_emit2(step->tape, "Mul", step->dy, step->in[1 - i])))
            return FALSE;
    return TRUE;
}

/* d(a/b) = da/b - db * (a/b)/b */
static gboolean rule_div(const TsrGradientStep *step)
{
    TsrTape *tape = step->tape;
    TsrValue *quotient = tsr_tape_emit2(tape, "Div", step->dy, step->in[1]);
    if (step->wanted[0] && !give(step, 0, quotient))
        return FALSE;
    return !step->wanted[1] ||
           give(step, 1, tsr_tape_emit1(tape, "Neg",
                                        tsr_tape_emit2(tape, "Mul", quotient, step->y), NULL));
}

static gboolean rule_neg(const TsrGradientStep *step)
{
    return give_only(step, tsr_tape_emit1(step->tape, "Neg", step->dy, NULL));
}

static gboolean rule_exp(const TsrGradientStep *step)
{
    return give_only(step, tsr_tape_emit2(step->tape, "Mul", step->dy, step->y));
}

static gboolean rule_log(const TsrGradientStep *step)
{
    return give_only(step, tsr_tape_emit2(step->tape, "Div", step->dy, step->in[0]));
}

/* d sqrt(x) = dx / (2 sqrt(x)) */
static gboolean rule_sqrt(const TsrGradientStep *step)
{
    TsrValue *twice = tsr_tape_emit2(step->tape, "Add", step->y, step->y);
    return give_only(step, tsr_tape_emit2(step->tape, "Div", step->dy, twice));
}

/* d tanh(x) = (1 - tanh(x)^2) dx */
static gboolean rule_tanh(const TsrGradientStep *step)
{
    TsrTape *tape = step->tape;
    TsrValue *slope = tsr_tape_emit2(tape, "Sub", emit_scalar(tape, step->y, 1.0),
                                     tsr_tape_emit2(tape, "Mul", step->y, step->y));
    return give_only(step, tsr_tape_emit2(tape, "Mul", step->dy, slope));
}

/* d sigmoid(x) = sigmoid(x) (1 - sigmoid(x)) dx */
static gboolean rule_sigmoid(const TsrGradientStep *step)
{
    TsrTape *tape = step->tape;
    TsrValue *rest = tsr_tape_emit2(tape, "Sub", emit_scalar(tape, step->y, 1.0), step->y);
    return give_only(step, tsr_tape_emit2(tape, "Mul", step->dy,
                                          tsr_tape_emit2(tape, "Mul", step->y, rest)));
}

/* The sign of relu(x) is 1 where x > 0, else 0. */
static gboolean rule_relu(const TsrGradientStep *step)
{
    TsrValue *slope = tsr_tape_emit1(step->tape, "Sign", step->y, NULL);
    return give_only(step, tsr_tape_emit2(step->tape, "Mul", step->dy, slope));
}

/* d x^p = p x^(p-1) dx + x^p ln(x) dp; the exponent may have a type of its own. */
static gboolean rule_pow(const TsrGradientStep *step)
{
    TsrTape *tape = step->tape;
    TsrValue *base = step->in[0], *exponent = step->in[1], *lower, *slope;
    if (step->wanted[0]) {
        g_autoptr(TsrAttrBox) to = tsr_attr_new_int("to", base->desc.view.dtype);
        if (exponent->desc.view.dtype != base->desc.view.dtype)
            exponent = tsr_tape_emit1(tape, "Cast", exponent, to);
        lower = tsr_tape_emit2(tape, "Sub", exponent, emit_scalar(tape, base, 1.0));
        slope = tsr_tape_emit2(tape, "Mul", tsr_tape_emit2(tape, "Pow", base, lower), exponent);
        if (!give(step, 0, tsr_tape_emit2(tape, "Mul", step->dy, slope)))
            return FALSE;
    }
    if (!step->wanted[1])
        return TRUE;
    slope = tsr_tape_emit2(tape, "Mul", step->y, tsr_tape_emit1(tape, "Log", base, NULL));
    slope = tsr_tape_emit2(tape, "Mul", step->dy, slope);
    if (slope != NULL && step->in[1]->desc.view.dtype != slope->desc.view.dtype) {
        g_autoptr(TsrAttrBox) to = tsr_attr_new_int("to", step->in[1]->desc.view.dtype);
        slope = tsr_tape_emit1(tape, "Cast", slope, to);
    }
    return give(step, 1, slope);
}

/* Swaps the last two axes. */
static TsrValue *transpose(TsrTape *tape, TsrValue *value)
{
    guint32 rank = value->desc.view.rank;
    gint64 perm[TSR_MAX_RANK];
    g_autoptr(TsrAttrBox) attr = NULL;
    for (guint32 i = 0; i < rank; i++)
        perm[i] = i + 2 == rank ? rank - 1 : i + 1 == rank ? rank - 2 : i;
    attr = tsr_attr_new_ints("perm", perm, rank);
    return tsr_tape_emit1(tape, "Transpose", value, attr);
}

/* d(A B) = dY B^T, A^T dY, for operands of rank 2 or more. */
static gboolean rule_matmul(const TsrGradientStep *step)
{
    TsrTape *tape = step->tape;
    for (guint i = 0; i < 2; i++) {
        if (step->in[i]->desc.view.rank == TSR_RANK_UNKNOWN || step->in[i]->desc.view.rank < 2) {
            g_autofree char *text = tsr_desc_to_text(&step->in[i]->desc.view);
            g_set_error(tape->error, TSR_ERROR, TSR_UNSUPPORTED,
                        "Gradient of MatMul wants operands of rank 2 or more, '%s' is %s",
                        step->in[i]->name, text);
            return FALSE;
        }
    }
    if (step->wanted[0] &&
        !give(step, 0, tsr_tape_emit2(tape, "MatMul", step->dy, transpose(tape, step->in[1]))))
        return FALSE;
    return !step->wanted[1] ||
           give(step, 1, tsr_tape_emit2(tape, "MatMul", transpose(tape, step->in[0]), step->dy));
}

static const struct {
    const char *op;
    TsrGradientRule rule;
} rules[] = {
    {"Add", rule_sum},     {"Div", rule_div},
    {"Exp", rule_exp},     {"Identity", rule_identity},
    {"Log", rule_log},     {"MatMul", rule_matmul},   {"Mul", rule_mul},   {"Neg", rule_neg},
    {"Pow", rule_pow},     {"Relu", rule_relu},       {"Sigmoid", rule_sigmoid},
    {"Sqrt", rule_sqrt},   {"Sub", rule_sub},         {"Sum", rule_sum},   {"Tanh", rule_tanh},
};

TsrGradientRule tsr_gradient_rule_find(const TsrNode *node)
{
    for (gsize i = 0; i < G_N_ELEMENTS(rules); i++)
        if (node->def->domain[0] == '\0' && strcmp(rules[i].op, node->def->name) == 0)
            return rules[i].rule;
    return NULL;
}
