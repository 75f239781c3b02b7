/* SPDX-License-Identifier: Apache-2.0
 *
 * gradient.c: see gradient.h. The rules are rows of a table: operator, and a function that
 * gives the derivative with respect to each input from that of the output.
 */
#include "prepare/gradient.h"

#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "base/memory.h"
#include "prepare/infer.h"

#define GRADIENT_DOMAIN "ai.onnx.preview.training"

typedef struct Tape {
    TsrGraph *graph;
    GHashTable *clones;     /* value -> its value at the point of differentiation */
    GHashTable *gradients;  /* value -> derivative of y with respect to it */
    GError **error;
} Tape;

gboolean tsr_gradient_is(const TsrNode *node)
{
    return node->kind == TSR_NODE_OPERATOR && strcmp(node->def->name, "Gradient") == 0 &&
           strcmp(node->def->domain, GRADIENT_DOMAIN) == 0;
}

/* A new node of one output, inferred; NULL on error. */
static TsrValue *emit(Tape *tape, const char *op, TsrValue *a, TsrValue *b, TsrAttrBox *attr)
{
    TsrValue *inputs[] = {a, b};
    const TsrOpDef *def =
        tsr_op_registry_get(tape->graph->registry, "", op, G_MAXINT64, tape->error);
    TsrNode *node;
    if (def == NULL || a == NULL)
        return NULL;
    node = tsr_graph_add_node(tape->graph, def, NULL, inputs, b != NULL ? 2 : 1, NULL, 1, &attr,
                              attr != NULL ? 1 : 0, NULL, 0, tape->error);
    if (node == NULL || !tsr_infer_node(node, tsr_infer_graph, NULL, tape->error))
        return NULL;
    return g_ptr_array_index(node->outputs, 0);
}

static TsrValue *emit_ints(Tape *tape, const gint64 *values, gint64 count)
{
    g_autoptr(GBytes) bytes = tsr_memory_copy_bytes(values, (gsize)count * sizeof(*values));
    TsrDesc desc;
    tsr_desc_init(&desc);
    tsr_desc_set(&desc, TSR_DTYPE_INT64, 1, &count);
    return tsr_graph_add_constant(tape->graph, NULL, &desc.view, bytes, tape->error);
}

/* A float, double or half scalar of the type of a value. */
static TsrValue *emit_scalar(Tape *tape, const TsrValue *like, double number)
{
    guint32 dtype = like->desc.view.dtype;
    float narrow = (float)number;
    guint16 half = tsr_float_to_float16(narrow);
    gconstpointer data = dtype == TSR_DTYPE_DOUBLE ? (gconstpointer)&number
                         : dtype == TSR_DTYPE_FLOAT ? (gconstpointer)&narrow
                                                    : (gconstpointer)&half;
    g_autoptr(GBytes) bytes = tsr_memory_copy_bytes(data, tsr_dtype_bits(dtype) / 8);
    TsrDesc desc;
    tsr_desc_init(&desc);
    tsr_desc_set(&desc, dtype, 0, NULL);
    return tsr_graph_add_constant(tape->graph, NULL, &desc.view, bytes, tape->error);
}

/* Sums a derivative over the axes along which an operand was repeated. */
static TsrValue *unbroadcast(Tape *tape, TsrValue *gradient, const TsrValue *operand)
{
    const TsrTensorDesc *to = &operand->desc.view;
    const TsrTensorDesc *from;
    gint64 axes[TSR_MAX_RANK], count = 0;
    if (gradient == NULL)
        return NULL;
    from = &gradient->desc.view;
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
    gradient = emit(tape, "ReduceSum", gradient, emit_ints(tape, axes, count), NULL);
    return emit(tape, "Reshape", gradient, emit_ints(tape, to->shape, to->rank), NULL);
}

/* Derivatives of one node: out[i] for input i (NULL: it does not depend on it). dy is that
 * of output 0. FALSE after an error. */
typedef gboolean (*Rule)(Tape *tape, TsrValue *const *in, TsrValue *y, TsrValue *dy, guint count,
                         TsrValue **out);

static gboolean rule_sum(Tape *tape, TsrValue *const *in, TsrValue *y, TsrValue *dy, guint count,
                         TsrValue **out)
{
    (void)y;
    for (guint i = 0; i < count; i++)
        if ((out[i] = unbroadcast(tape, dy, in[i])) == NULL)
            return FALSE;
    return TRUE;
}

static gboolean rule_sub(Tape *tape, TsrValue *const *in, TsrValue *y, TsrValue *dy, guint count,
                         TsrValue **out)
{
    (void)y;
    (void)count;
    out[0] = unbroadcast(tape, dy, in[0]);
    out[1] = unbroadcast(tape, emit(tape, "Neg", dy, NULL, NULL), in[1]);
    return out[0] != NULL && out[1] != NULL;
}

static gboolean rule_mul(Tape *tape, TsrValue *const *in, TsrValue *y, TsrValue *dy, guint count,
                         TsrValue **out)
{
    (void)y;
    (void)count;
    out[0] = unbroadcast(tape, emit(tape, "Mul", dy, in[1], NULL), in[0]);
    out[1] = unbroadcast(tape, emit(tape, "Mul", dy, in[0], NULL), in[1]);
    return out[0] != NULL && out[1] != NULL;
}

/* d(a/b) = da/b - db * (a/b)/b */
static gboolean rule_div(Tape *tape, TsrValue *const *in, TsrValue *y, TsrValue *dy, guint count,
                         TsrValue **out)
{
    TsrValue *quotient = emit(tape, "Div", dy, in[1], NULL);
    (void)count;
    out[0] = unbroadcast(tape, quotient, in[0]);
    out[1] = quotient != NULL ? emit(tape, "Neg", emit(tape, "Mul", quotient, y, NULL), NULL, NULL)
                              : NULL;
    out[1] = unbroadcast(tape, out[1], in[1]);
    return out[0] != NULL && out[1] != NULL;
}

static gboolean rule_neg(Tape *tape, TsrValue *const *in, TsrValue *y, TsrValue *dy, guint count,
                         TsrValue **out)
{
    (void)in;
    (void)y;
    (void)count;
    return (out[0] = emit(tape, "Neg", dy, NULL, NULL)) != NULL;
}

static gboolean rule_exp(Tape *tape, TsrValue *const *in, TsrValue *y, TsrValue *dy, guint count,
                         TsrValue **out)
{
    (void)in;
    (void)count;
    return (out[0] = emit(tape, "Mul", dy, y, NULL)) != NULL;
}

static gboolean rule_log(Tape *tape, TsrValue *const *in, TsrValue *y, TsrValue *dy, guint count,
                         TsrValue **out)
{
    (void)y;
    (void)count;
    return (out[0] = emit(tape, "Div", dy, in[0], NULL)) != NULL;
}

/* d sqrt(x) = dx / (2 sqrt(x)) */
static gboolean rule_sqrt(Tape *tape, TsrValue *const *in, TsrValue *y, TsrValue *dy, guint count,
                          TsrValue **out)
{
    (void)in;
    (void)count;
    out[0] = emit(tape, "Div", dy, emit(tape, "Add", y, y, NULL), NULL);
    return out[0] != NULL;
}

/* d tanh(x) = (1 - tanh(x)^2) dx */
static gboolean rule_tanh(Tape *tape, TsrValue *const *in, TsrValue *y, TsrValue *dy, guint count,
                          TsrValue **out)
{
    TsrValue *slope =
        emit(tape, "Sub", emit_scalar(tape, y, 1.0), emit(tape, "Mul", y, y, NULL), NULL);
    (void)in;
    (void)count;
    return slope != NULL && (out[0] = emit(tape, "Mul", dy, slope, NULL)) != NULL;
}

/* d sigmoid(x) = sigmoid(x) (1 - sigmoid(x)) dx */
static gboolean rule_sigmoid(Tape *tape, TsrValue *const *in, TsrValue *y, TsrValue *dy,
                             guint count, TsrValue **out)
{
    TsrValue *slope =
        emit(tape, "Mul", y, emit(tape, "Sub", emit_scalar(tape, y, 1.0), y, NULL), NULL);
    (void)in;
    (void)count;
    return slope != NULL && (out[0] = emit(tape, "Mul", dy, slope, NULL)) != NULL;
}

/* The sign of relu(x) is 1 where x > 0, else 0. */
static gboolean rule_relu(Tape *tape, TsrValue *const *in, TsrValue *y, TsrValue *dy, guint count,
                          TsrValue **out)
{
    TsrValue *slope = emit(tape, "Sign", y, NULL, NULL);
    (void)in;
    (void)count;
    return slope != NULL && (out[0] = emit(tape, "Mul", dy, slope, NULL)) != NULL;
}

/* d x^p = p x^(p-1) dx; the exponent is taken as fixed. */
static gboolean rule_pow(Tape *tape, TsrValue *const *in, TsrValue *y, TsrValue *dy, guint count,
                         TsrValue **out)
{
    TsrValue *lower = emit(tape, "Sub", in[1], emit_scalar(tape, in[1], 1.0), NULL);
    TsrValue *power = lower != NULL ? emit(tape, "Pow", in[0], lower, NULL) : NULL;
    TsrValue *slope = power != NULL ? emit(tape, "Mul", power, in[1], NULL) : NULL;
    (void)y;
    (void)count;
    out[0] = slope != NULL ? unbroadcast(tape, emit(tape, "Mul", dy, slope, NULL), in[0]) : NULL;
    return out[0] != NULL;
}

/* Swaps the last two axes. */
static TsrValue *transpose(Tape *tape, TsrValue *value)
{
    guint32 rank = value->desc.view.rank;
    gint64 perm[TSR_MAX_RANK];
    g_autoptr(TsrAttrBox) attr = NULL;
    for (guint32 i = 0; i < rank; i++)
        perm[i] = i + 2 == rank ? rank - 1 : i + 1 == rank ? rank - 2 : i;
    attr = tsr_attr_new_ints("perm", perm, rank);
    return emit(tape, "Transpose", value, NULL, attr);
}

/* d(A B) = dY B^T, A^T dY, for operands of rank 2 or more. */
static gboolean rule_matmul(Tape *tape, TsrValue *const *in, TsrValue *y, TsrValue *dy,
                            guint count, TsrValue **out)
{
    TsrValue *left, *right;
    (void)y;
    (void)count;
    for (guint i = 0; i < 2; i++) {
        if (in[i]->desc.view.rank == TSR_RANK_UNKNOWN || in[i]->desc.view.rank < 2) {
            g_set_error(tape->error, TSR_ERROR, TSR_UNSUPPORTED,
                        "Gradient of MatMul wants operands of rank 2 or more, '%s' has less",
                        in[i]->name);
            return FALSE;
        }
    }
    right = transpose(tape, in[1]);
    left = transpose(tape, in[0]);
    if (left == NULL || right == NULL)
        return FALSE;
    out[0] = unbroadcast(tape, emit(tape, "MatMul", dy, right, NULL), in[0]);
    out[1] = unbroadcast(tape, emit(tape, "MatMul", left, dy, NULL), in[1]);
    return out[0] != NULL && out[1] != NULL;
}

static const struct {
    const char *op;
    Rule rule;
} rules[] = {
    {"Add", rule_sum},   {"Sum", rule_sum},   {"Identity", rule_sum},   {"Sub", rule_sub},
    {"Mul", rule_mul},   {"Div", rule_div},   {"Neg", rule_neg},        {"Exp", rule_exp},
    {"Log", rule_log},   {"Sqrt", rule_sqrt}, {"Tanh", rule_tanh},      {"Sigmoid", rule_sigmoid},
    {"Relu", rule_relu}, {"Pow", rule_pow},   {"MatMul", rule_matmul},
};

static Rule find_rule(const TsrNode *node)
{
    for (gsize i = 0; i < G_N_ELEMENTS(rules); i++)
        if (node->def->domain[0] == '\0' && strcmp(rules[i].op, node->def->name) == 0)
            return rules[i].rule;
    return NULL;
}

/* The value at the point that the node's inputs give: itself where nothing on its way
 * differs from the graph as it is. */
static TsrValue *clone_value(Tape *tape, TsrValue *value)
{
    TsrNode *node = value->producer, *copy;
    TsrValue *known = g_hash_table_lookup(tape->clones, value);
    g_autofree TsrValue **inputs = NULL;
    gboolean changed = FALSE;
    if (known != NULL || node->kind != TSR_NODE_OPERATOR || node->graph != tape->graph)
        return known != NULL ? known : value;
    inputs = g_new0(TsrValue *, node->inputs->len + 1);
    for (guint i = 0; i < node->inputs->len; i++) {
        TsrValue *input = g_ptr_array_index(node->inputs, i);
        inputs[i] = input != NULL ? clone_value(tape, input) : NULL;
        if (input != NULL && inputs[i] == NULL)
            return NULL;
        changed |= inputs[i] != input;
    }
    copy = node;
    if (changed) {
        copy = tsr_graph_add_node(tape->graph, node->def, NULL, inputs, node->inputs->len, NULL,
                                  node->outputs->len, (TsrAttrBox *const *)node->attrs->pdata,
                                  node->attrs->len, NULL, 0, tape->error);
        if (copy == NULL || !tsr_infer_node(copy, tsr_infer_graph, NULL, tape->error))
            return NULL;
    }
    for (guint i = 0; i < node->outputs->len; i++)
        if (g_ptr_array_index(node->outputs, i) != NULL)
            g_hash_table_insert(tape->clones, g_ptr_array_index(node->outputs, i),
                                g_ptr_array_index(copy->outputs, i));
    return g_hash_table_lookup(tape->clones, value);
}

static gboolean add_gradient(Tape *tape, TsrValue *value, TsrValue *gradient)
{
    TsrValue *sum = g_hash_table_lookup(tape->gradients, value);
    if (sum != NULL)
        gradient = emit(tape, "Add", sum, gradient, NULL);
    if (gradient == NULL)
        return FALSE;
    g_hash_table_insert(tape->gradients, value, gradient);
    return TRUE;
}

/* Marks what depends on the independent values. */
static void mark_active(const GPtrArray *order, GHashTable *active)
{
    for (guint i = 0; i < order->len; i++) {
        const TsrNode *node = g_ptr_array_index(order, i);
        for (guint k = 0; k < node->inputs->len; k++) {
            gpointer input = g_ptr_array_index(node->inputs, k);
            if (input == NULL || !g_hash_table_contains(active, input))
                continue;
            for (guint o = 0; o < node->outputs->len; o++)
                if (g_ptr_array_index(node->outputs, o) != NULL)
                    g_hash_table_add(active, g_ptr_array_index(node->outputs, o));
        }
    }
}

static gboolean step_back(Tape *tape, TsrNode *node, GHashTable *active)
{
    TsrValue *y = g_ptr_array_index(node->outputs, 0);
    TsrValue *dy = y != NULL ? g_hash_table_lookup(tape->gradients, y) : NULL;
    g_autofree TsrValue **out = g_new0(TsrValue *, node->inputs->len + 1);
    Rule rule;
    if (dy == NULL || node->kind != TSR_NODE_OPERATOR || !g_hash_table_contains(active, y))
        return TRUE;
    rule = find_rule(node);
    if (rule == NULL) {
        g_autofree char *text = tsr_node_to_text(node);
        g_set_error(tape->error, TSR_ERROR, TSR_UNSUPPORTED,
                    "Gradient: no derivative is known for %s", text);
        return FALSE;
    }
    if (!rule(tape, (TsrValue *const *)node->inputs->pdata, y, dy, node->inputs->len, out))
        return FALSE;
    for (guint i = 0; i < node->inputs->len; i++) {
        TsrValue *input = g_ptr_array_index(node->inputs, i);
        if (out[i] != NULL && g_hash_table_contains(active, input) &&
            !add_gradient(tape, input, out[i]))
            return FALSE;
    }
    return TRUE;
}

static TsrValue *find_named(const TsrGraph *graph, const TsrString *name)
{
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        for (guint k = 0; k < node->outputs->len; k++) {
            TsrValue *value = g_ptr_array_index(node->outputs, k);
            if (value != NULL && strlen(value->name) == name->size &&
                memcmp(value->name, name->data, name->size) == 0)
                return value;
        }
    }
    return NULL;
}

static gboolean not_found(const TsrNode *node, const TsrString *name, GError **error)
{
    g_set_error(error, TSR_ERROR, TSR_NOT_FOUND, "Gradient '%s': no value is called '%.*s'",
                node->name, (int)name->size, name->data);
    return FALSE;
}

/* Puts the node's inputs in the place of the values that xs and zs name. */
static gboolean substitute(Tape *tape, const TsrNode *node, const char *attr_name, guint first,
                           GError **error)
{
    const TsrAttr *names = tsr_node_attr(node, attr_name);
    for (guint i = 0; names != NULL && i < names->count; i++) {
        TsrValue *value = find_named(tape->graph, &names->strings[i]);
        TsrValue *input = first + i < node->inputs->len
                              ? g_ptr_array_index(node->inputs, first + i)
                              : NULL;
        if (value == NULL)
            return not_found(node, &names->strings[i], error);
        if (input == NULL) {
            g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                        "Gradient '%s': has no input for '%s'", node->name, value->name);
            return FALSE;
        }
        g_hash_table_insert(tape->clones, value, input);
    }
    return TRUE;
}

/* ones with the shape of y: the derivative of y with respect to itself. */
static TsrValue *seed(Tape *tape, TsrValue *y)
{
    TsrValue *zeros = emit(tape, "Sub", y, y, NULL);
    return zeros != NULL ? emit(tape, "Add", zeros, emit_scalar(tape, y, 1.0), NULL) : NULL;
}

static gboolean differentiate(Tape *tape, TsrNode *node, TsrValue *y, guint x_count,
                              GError **error)
{
    g_autoptr(GPtrArray) order = tsr_graph_sort(tape->graph, error);
    g_autoptr(GHashTable) active = g_hash_table_new(NULL, NULL);
    if (order == NULL)
        return FALSE;
    for (guint i = 0; i < x_count; i++)
        g_hash_table_add(active, g_ptr_array_index(node->inputs, i));
    mark_active(order, active);
    if (!add_gradient(tape, y, seed(tape, y)))
        return FALSE;
    for (guint i = order->len; i-- > 0;)
        if (((TsrNode *)g_ptr_array_index(order, i))->outputs->len != 0 &&
            !step_back(tape, g_ptr_array_index(order, i), active))
            return FALSE;
    for (guint i = 0; i < x_count && i < node->outputs->len; i++) {
        TsrValue *output = g_ptr_array_index(node->outputs, i);
        TsrValue *x = g_ptr_array_index(node->inputs, i);
        TsrValue *gradient = g_hash_table_lookup(tape->gradients, x);
        if (output == NULL)
            continue;
        if (gradient == NULL) /* y does not depend on it */
            gradient = emit(tape, "Sub", x, x, NULL);
        if (gradient == NULL)
            return FALSE;
        tsr_value_replace_uses(output, gradient);
    }
    return TRUE;
}

gboolean tsr_gradient_expand(TsrNode *node, GError **error)
{
    const TsrAttr *xs = tsr_node_attr(node, "xs"), *target = tsr_node_attr(node, "y");
    g_autoptr(GHashTable) clones = g_hash_table_new(NULL, NULL);
    g_autoptr(GHashTable) gradients = g_hash_table_new(NULL, NULL);
    Tape tape = {node->graph, clones, gradients, error};
    TsrValue *y = find_named(node->graph, &target->s);
    if (y == NULL)
        return not_found(node, &target->s, error);
    if (!substitute(&tape, node, "xs", 0, error) ||
        !substitute(&tape, node, "zs", xs->count, error))
        return FALSE;
    y = clone_value(&tape, y);
    return y != NULL && differentiate(&tape, node, y, xs->count, error);
}
