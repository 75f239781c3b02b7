/* SPDX-License-Identifier: Apache-2.0
 *
 * gradient.c: see gradient.h. Gradient names values of its own graph: y, and the xs and zs
 * that y is a function of. Its inputs are the point to differentiate at. So what leads from
 * xs and zs to y is copied to start from the inputs, and the copy is walked back from y.
 * Each x and z of the copy is a value that nothing else stands for (a graph input as itself,
 * all others behind an Identity): one tensor that is fed to two names is still two variables.
 */
#include "prepare/gradient.h"

#include <string.h>

#include "base/error.h"
#include "prepare/gradient_rules.h"
#include "prepare/infer.h"

#define GRADIENT_DOMAIN "ai.onnx.preview.training"

/* All Gradients of one graph. */
typedef struct Writer {
    TsrTape tape;
    GHashTable *written; /* output of a Gradient -> its derivative */
    GHashTable *begun;   /* Gradient nodes */
} Writer;

/* One Gradient at work. */
typedef struct Job {
    Writer *writer;
    TsrNode *node;
    GHashTable *copies;    /* value -> what it is at the point */
    GHashTable *active;    /* values that depend on the xs of the copy */
    GHashTable *gradients; /* value -> derivative of y with respect to it */
    GPtrArray *xs;         /* of the copy */
    GHashTable *ends;      /* its xs and zs: no derivative runs past them */
} Job;

static gboolean is_gradient(const TsrNode *node)
{
    return node->kind == TSR_NODE_OPERATOR && strcmp(node->def->name, "Gradient") == 0 &&
           strcmp(node->def->domain, GRADIENT_DOMAIN) == 0;
}

/* Calls fn with every value that the node or its subgraphs read. */
static void foreach_read(const TsrNode *node, void (*fn)(TsrValue *value, gpointer data),
                         gpointer data)
{
    for (guint i = 0; i < node->inputs->len; i++)
        if (g_ptr_array_index(node->inputs, i) != NULL)
            fn(g_ptr_array_index(node->inputs, i), data);
    for (guint s = 0; s < node->subgraphs->len; s++) {
        const TsrGraph *subgraph = g_ptr_array_index(node->subgraphs, s);
        for (guint i = 0; i < subgraph->nodes->len; i++)
            foreach_read(g_ptr_array_index(subgraph->nodes, i), fn, data);
        for (guint i = 0; i < subgraph->outputs->len; i++)
            fn(g_array_index(subgraph->outputs, TsrGraphOutput, i).value, data);
    }
}

static void add_to_set(TsrValue *value, gpointer set)
{
    g_hash_table_add(set, value);
}

typedef struct Search {
    GHashTable *set;
    gboolean found;
} Search;

static void search(TsrValue *value, gpointer data)
{
    Search *all = data;
    all->found |= g_hash_table_contains(all->set, value);
}

static gboolean reads_any(const TsrNode *node, GHashTable *set)
{
    Search all = {set, FALSE};
    foreach_read(node, search, &all);
    return all.found;
}

static gboolean writes_any(const TsrNode *node, GHashTable *set)
{
    for (guint i = 0; i < node->outputs->len; i++)
        if (g_ptr_array_index(node->outputs, i) != NULL &&
            g_hash_table_contains(set, g_ptr_array_index(node->outputs, i)))
            return TRUE;
    return FALSE;
}

static gboolean write_gradient(Writer *writer, TsrNode *node);

/* The derivative that an output of a Gradient stands for, written out now if it is not
 * yet. */
static TsrValue *resolve(Writer *writer, TsrValue *value)
{
    TsrValue *derivative;
    if (!is_gradient(value->producer))
        return value;
    derivative = g_hash_table_lookup(writer->written, value);
    if (derivative != NULL || !write_gradient(writer, value->producer))
        return derivative;
    return g_hash_table_lookup(writer->written, value);
}

static TsrValue *find_named(Writer *writer, const TsrNode *gradient, const TsrString *name)
{
    const TsrGraph *graph = writer->tape.graph;
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        for (guint k = 0; k < node->outputs->len; k++) {
            TsrValue *value = g_ptr_array_index(node->outputs, k);
            if (value != NULL && strlen(value->name) == name->size &&
                memcmp(value->name, name->data, name->size) == 0)
                return resolve(writer, value);
        }
    }
    g_set_error(writer->tape.error, TSR_ERROR, TSR_NOT_FOUND,
                "Gradient '%s': no value is called '%.*s'", gradient->name, (int)name->size,
                name->data);
    return NULL;
}

/* ---------------------------------------------------------- to the point of y */

static gboolean is_fed_twice(const TsrNode *node, const TsrValue *input)
{
    guint count = 0;
    for (guint i = 0; i < node->inputs->len; i++)
        count += g_ptr_array_index(node->inputs, i) == input;
    return count > 1;
}

/* Puts the node's inputs, from first on, in the place of the values that an attribute
 * names. */
static gboolean substitute(Job *job, const char *attr_name, guint first)
{
    TsrTape *tape = &job->writer->tape;
    const TsrAttr *names = tsr_node_attr(job->node, attr_name);
    gboolean is_x = strcmp(attr_name, "xs") == 0;
    for (guint i = 0; names != NULL && i < names->count; i++) {
        TsrValue *value = find_named(job->writer, job->node, &names->strings[i]);
        TsrValue *input = first + i < job->node->inputs->len
                              ? g_ptr_array_index(job->node->inputs, first + i)
                              : NULL;
        if (value == NULL)
            return FALSE;
        if (input == NULL || g_hash_table_contains(job->copies, value)) {
            g_set_error(tape->error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                        input == NULL ? "Gradient '%s': has no input for '%s'"
                                      : "Gradient '%s': xs and zs name '%s' twice",
                        job->node->name, value->name);
            return FALSE;
        }
        if (input != value || value->producer->kind == TSR_NODE_OPERATOR ||
            is_fed_twice(job->node, input))
            input = tsr_tape_emit1(tape, "Identity", input, NULL);
        if (input == NULL)
            return FALSE;
        g_hash_table_insert(job->copies, value, input);
        g_hash_table_add(job->ends, input);
        if (is_x)
            g_ptr_array_add(job->xs, input);
    }
    return TRUE;
}

/* The values between xs, zs and y, those included. A Gradient among their producers is
 * written out first: its outputs then are ordinary values. */
static GHashTable *find_between(Job *job, TsrValue *y)
{
    g_autoptr(GPtrArray) order = tsr_graph_sort(job->writer->tape.graph, job->writer->tape.error);
    g_autoptr(GHashTable) between = g_hash_table_new(NULL, NULL);
    if (order == NULL)
        return NULL;
    g_hash_table_add(between, y);
    for (guint i = order->len; i-- > 0;) {
        TsrNode *node = g_ptr_array_index(order, i);
        if (!writes_any(node, between) || writes_any(node, job->copies))
            continue;
        /* Readers of a Gradient read something else once it is written: look again. */
        if (is_gradient(node))
            return write_gradient(job->writer, node) ? find_between(job, y) : NULL;
        foreach_read(node, add_to_set, between);
    }
    return g_steal_pointer(&between);
}

/* The same node reading what stands for its inputs at the point. */
static gboolean copy_node(Job *job, TsrNode *node)
{
    TsrTape *tape = &job->writer->tape;
    g_autofree TsrValue **inputs = g_new0(TsrValue *, node->inputs->len + 1);
    TsrNode *copy;
    if (node->subgraphs->len != 0) {
        g_autofree char *text = tsr_node_to_text(node);
        g_set_error(tape->error, TSR_ERROR, TSR_UNSUPPORTED,
                    "Gradient '%s': %s has subgraphs, so it cannot be computed at another point",
                    job->node->name, text);
        return FALSE;
    }
    for (guint i = 0; i < node->inputs->len; i++) {
        TsrValue *input = g_ptr_array_index(node->inputs, i);
        TsrValue *other = input != NULL ? g_hash_table_lookup(job->copies, input) : NULL;
        inputs[i] = other != NULL ? other : input;
    }
    copy = tsr_graph_add_node(tape->graph, node->def, NULL, inputs, node->inputs->len, NULL,
                              node->outputs->len, (TsrAttrBox *const *)node->attrs->pdata,
                              node->attrs->len, NULL, 0, tape->error);
    if (copy == NULL || !tsr_infer_node(copy, tsr_infer_graph, NULL, tape->error))
        return FALSE;
    for (guint i = 0; i < node->outputs->len; i++)
        if (g_ptr_array_index(node->outputs, i) != NULL)
            g_hash_table_insert(job->copies, g_ptr_array_index(node->outputs, i),
                                g_ptr_array_index(copy->outputs, i));
    return TRUE;
}

/* y at the point: itself where nothing on its way differs from the graph as it is. */
static TsrValue *copy_to_point(Job *job, TsrValue *y)
{
    g_autoptr(GHashTable) between = find_between(job, y);
    g_autoptr(GHashTable) moved = g_hash_table_new(NULL, NULL);
    g_autoptr(GPtrArray) order = NULL;
    GHashTableIter iter;
    gpointer value, copy;
    if (between == NULL)
        return NULL;
    g_hash_table_iter_init(&iter, job->copies);
    while (g_hash_table_iter_next(&iter, &value, &copy))
        if (value != copy)
            g_hash_table_add(moved, value);
    order = tsr_graph_sort(job->writer->tape.graph, job->writer->tape.error);
    for (guint i = 0; order != NULL && i < order->len; i++) {
        TsrNode *node = g_ptr_array_index(order, i);
        if (node->kind != TSR_NODE_OPERATOR || !writes_any(node, between) ||
            writes_any(node, job->copies) || !reads_any(node, moved))
            continue;
        if (!copy_node(job, node))
            return NULL;
        for (guint k = 0; k < node->outputs->len; k++)
            if (g_ptr_array_index(node->outputs, k) != NULL)
                g_hash_table_add(moved, g_ptr_array_index(node->outputs, k));
    }
    if (order == NULL)
        return NULL;
    copy = g_hash_table_lookup(job->copies, y);
    return copy != NULL ? copy : y;
}

/* ------------------------------------------------------------------ back from y */

static gboolean add_gradient(Job *job, TsrValue *value, TsrValue *gradient)
{
    TsrValue *sum = g_hash_table_lookup(job->gradients, value);
    if (sum != NULL)
        gradient = tsr_tape_emit2(&job->writer->tape, "Add", sum, gradient);
    if (gradient != NULL)
        g_hash_table_insert(job->gradients, value, gradient);
    return gradient != NULL;
}

static gboolean step_back(Job *job, TsrNode *node)
{
    TsrTape *tape = &job->writer->tape;
    TsrGradientStep step = {tape, (TsrValue *const *)node->inputs->pdata, node->inputs->len,
                            NULL, NULL, NULL, NULL};
    g_autofree gboolean *wanted = g_new0(gboolean, step.count + 1);
    g_autofree TsrValue **out = g_new0(TsrValue *, step.count + 1);
    TsrGradientRule rule;
    if (node->kind != TSR_NODE_OPERATOR || !writes_any(node, job->gradients) ||
        writes_any(node, job->ends) || !reads_any(node, job->active))
        return TRUE;
    rule = tsr_gradient_rule_find(node);
    if (rule == NULL) {
        g_autofree char *text = tsr_node_to_text(node);
        g_set_error(tape->error, TSR_ERROR, TSR_UNSUPPORTED,
                    "Gradient '%s': no derivative is known for %s", job->node->name, text);
        return FALSE;
    }
    for (guint i = 0; i < step.count; i++)
        wanted[i] = g_hash_table_contains(job->active, step.in[i]);
    step.y = g_ptr_array_index(node->outputs, 0);
    step.dy = g_hash_table_lookup(job->gradients, step.y);
    step.wanted = wanted;
    step.out = out;
    if (!rule(&step))
        return FALSE;
    for (guint i = 0; i < step.count; i++)
        if (wanted[i] && !add_gradient(job, step.in[i], out[i]))
            return FALSE;
    return TRUE;
}

static gboolean differentiate(Job *job, TsrValue *y)
{
    TsrTape *tape = &job->writer->tape;
    g_autoptr(GPtrArray) order = tsr_graph_sort(tape->graph, tape->error);
    if (order == NULL)
        return FALSE;
    for (guint i = 0; i < job->xs->len; i++)
        g_hash_table_add(job->active, g_ptr_array_index(job->xs, i));
    for (guint i = 0; i < order->len; i++) {
        const TsrNode *node = g_ptr_array_index(order, i);
        if (writes_any(node, job->ends) || !reads_any(node, job->active))
            continue;
        for (guint k = 0; k < node->outputs->len; k++)
            if (g_ptr_array_index(node->outputs, k) != NULL)
                g_hash_table_add(job->active, g_ptr_array_index(node->outputs, k));
    }
    if (!add_gradient(job, y, tsr_tape_fill(tape, y, 1.0)))
        return FALSE;
    for (guint i = order->len; i-- > 0;)
        if (!step_back(job, g_ptr_array_index(order, i)))
            return FALSE;
    for (guint i = 0; i < job->xs->len && i < job->node->outputs->len; i++) {
        TsrValue *output = g_ptr_array_index(job->node->outputs, i);
        TsrValue *x = g_ptr_array_index(job->xs, i);
        TsrValue *gradient = g_hash_table_lookup(job->gradients, x);
        if (output == NULL)
            continue;
        if (gradient == NULL) /* y does not depend on it */
            gradient = tsr_tape_fill(tape, x, 0.0);
        if (gradient == NULL)
            return FALSE;
        tsr_value_replace_uses(output, gradient);
        g_hash_table_insert(job->writer->written, output, gradient);
    }
    return TRUE;
}

static gboolean run_job(Job *job)
{
    const TsrAttr *target = tsr_node_attr(job->node, "y");
    const TsrAttr *names = tsr_node_attr(job->node, "xs");
    TsrValue *y;
    if (job->node->outputs->len > names->count) {
        g_set_error(job->writer->tape.error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "Gradient '%s': has %u outputs, but xs names %u values", job->node->name,
                    job->node->outputs->len, names->count);
        return FALSE;
    }
    y = find_named(job->writer, job->node, &target->s);
    if (y == NULL || !substitute(job, "xs", 0) || !substitute(job, "zs", names->count))
        return FALSE;
    y = copy_to_point(job, y);
    return y != NULL && differentiate(job, y);
}

static gboolean write_gradient(Writer *writer, TsrNode *node)
{
    Job job = {writer, node, g_hash_table_new(NULL, NULL), g_hash_table_new(NULL, NULL),
               g_hash_table_new(NULL, NULL), g_ptr_array_new(), g_hash_table_new(NULL, NULL)};
    gboolean done = FALSE;
    if (g_hash_table_add(writer->begun, node))
        done = run_job(&job);
    else
        g_set_error(writer->tape.error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "Gradient '%s': what it differentiates depends on its own output",
                    node->name);
    g_hash_table_unref(job.copies);
    g_hash_table_unref(job.active);
    g_hash_table_unref(job.gradients);
    g_ptr_array_unref(job.xs);
    g_hash_table_unref(job.ends);
    return done;
}

gboolean tsr_gradient_expand(TsrGraph *graph, GError **error)
{
    g_autoptr(GHashTable) written = g_hash_table_new(NULL, NULL);
    g_autoptr(GHashTable) begun = g_hash_table_new(NULL, NULL);
    g_autoptr(GPtrArray) gradients = g_ptr_array_new();
    Writer writer = {{graph, error}, written, begun};
    for (guint i = 0; i < graph->nodes->len; i++)
        if (is_gradient(g_ptr_array_index(graph->nodes, i)))
            g_ptr_array_add(gradients, g_ptr_array_index(graph->nodes, i));
    if (gradients->len != 0 && !tsr_infer_graph(graph, NULL, error))
        return FALSE;
    for (guint i = 0; i < gradients->len; i++)
        if (!g_hash_table_contains(begun, g_ptr_array_index(gradients, i)) &&
            !write_gradient(&writer, g_ptr_array_index(gradients, i)))
            return FALSE;
    return TRUE;
}
