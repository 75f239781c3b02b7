/* SPDX-License-Identifier: Apache-2.0
 *
 * transpose_meet.c: sinks and hoists Transposes through operators that do not care, so that
 * they meet their inverse and both vanish. From one Transpose a region grows over nodes that
 * compute the same in the order before it: those that map element by element, and some that
 * work along one axis. Where the region ends, an inverse Transpose is already there, or one
 * has to be added; the region is moved only when fewer elements are transposed afterwards.
 */
#include "optimize/transpose.h"

#include "base/error.h"
#include "prepare/fold.h"
#include "prepare/infer.h"

#define REGION_LIMIT 64

/* Operators that are right in any order of dimensions once their axis follows. */
static const struct {
    const char *op;
    guint32 since; /* before it, axis meant something else */
} along_axis[] = {
    {"Concat", 4}, {"Softmax", 13}, {"LogSoftmax", 13}, {"Hardmax", 13},
};

typedef struct Region {
    TsrGraph *graph;
    const TsrOpDef *transpose; /* definition of the Transposes that are added */
    guint32 rank;
    gint64 perm[TSR_MAX_RANK];
    gint64 inverse[TSR_MAX_RANK];
    GPtrArray *nodes;    /* TsrNode of the region */
    GHashTable *moved;   /* value in the order after the Transpose -> in the order before,
                            NULL as long as the region only grows */
} Region;

static gboolean has_axis(const TsrNode *node)
{
    for (gsize i = 0; i < G_N_ELEMENTS(along_axis); i++)
        if (tsr_node_is_onnx(node, along_axis[i].op) &&
            node->def->since_version >= along_axis[i].since)
            return TRUE;
    return FALSE;
}

static gboolean is_same_perm(const Region *region, const TsrTranspose *t)
{
    for (guint32 i = 0; i < t->rank; i++)
        if (t->rank != region->rank || t->perm[i] != region->perm[i])
            return FALSE;
    return TRUE;
}

/* Whether the node undoes the region's Transpose. */
static gboolean closes(const Region *region, const TsrNode *node)
{
    TsrTranspose t;
    if (!tsr_transpose_read(node, &t) || t.rank != region->rank)
        return FALSE;
    for (guint32 i = 0; i < t.rank; i++)
        if (t.perm[i] != region->inverse[i])
            return FALSE;
    return TRUE;
}

/* Whether the value is the output of a Transpose like the region's. */
static gboolean opens(const Region *region, const TsrValue *value)
{
    TsrTranspose t;
    return value->producer->graph == region->graph && tsr_transpose_read(value->producer, &t) &&
           is_same_perm(region, &t);
}

static gboolean is_one(const TsrValue *value)
{
    return tsr_desc_is_static(&value->desc.view) && tsr_desc_elements(&value->desc.view) == 1;
}

/* Whether an input of a region node is there in the order before the Transpose. */
static gboolean can_move_input(const Region *region, const TsrNode *node, const TsrValue *value)
{
    if (value == NULL || g_hash_table_contains(region->moved, value) || opens(region, value))
        return TRUE;
    if (value->constant != NULL)
        return !has_axis(node) ? value->desc.view.rank <= region->rank
                               : value->desc.view.rank == region->rank;
    return !has_axis(node) && is_one(value);
}

static gboolean can_move(const Region *region, const TsrNode *node)
{
    const TsrValue *y;
    if (node->kind != TSR_NODE_OPERATOR || node->graph != region->graph ||
        node->outputs->len != 1 || node->subgraphs->len != 0 || node->control_inputs->len != 0 ||
        ((node->def->flags & TSR_OP_ELEMENTWISE) == 0 && !has_axis(node)))
        return FALSE;
    y = g_ptr_array_index(node->outputs, 0);
    if (y == NULL || y->desc.view.rank != region->rank || y->desc.view.kind != TSR_KIND_TENSOR)
        return FALSE;
    for (guint i = 0; i < node->inputs->len; i++)
        if (!can_move_input(region, node, g_ptr_array_index(node->inputs, i)))
            return FALSE;
    return TRUE;
}

/* Takes in readers of the values found so far until nothing is added. */
static void grow(Region *region, TsrValue *start)
{
    g_autoptr(GPtrArray) values = g_ptr_array_new();
    g_ptr_array_add(values, start);
    g_hash_table_insert(region->moved, start, NULL);
    for (guint i = 0; i < values->len; i++) {
        const TsrValue *value = g_ptr_array_index(values, i);
        for (guint k = 0; k < value->users->len && region->nodes->len < REGION_LIMIT; k++) {
            TsrNode *node = g_ptr_array_index(value->users, k);
            TsrValue *y;
            if (g_ptr_array_find(region->nodes, node, NULL) || !can_move(region, node))
                continue;
            y = g_ptr_array_index(node->outputs, 0);
            g_ptr_array_add(region->nodes, node);
            g_ptr_array_add(values, y);
            g_hash_table_insert(region->moved, y, NULL);
        }
    }
}

static double elements_of(const TsrValue *value)
{
    /* Unknown extents count as 1: all values of a region have them alike. */
    double count = 1.0;
    for (guint32 i = 0; i < value->desc.view.rank; i++)
        count *= value->desc.shape[i] > 0 ? (double)value->desc.shape[i] : 1.0;
    return count;
}

/* Whether somebody outside wants the value as it is. */
static gboolean is_wanted(const Region *region, const TsrValue *value)
{
    if (tsr_value_is_output(value))
        return TRUE;
    for (guint i = 0; i < value->users->len; i++) {
        TsrNode *user = g_ptr_array_index(value->users, i);
        if (!g_ptr_array_find(region->nodes, user, NULL) && !closes(region, user))
            return TRUE;
    }
    return FALSE;
}

static double closing_elements(const Region *region, const TsrValue *value)
{
    double sum = 0.0;
    for (guint i = 0; i < value->users->len; i++)
        if (closes(region, g_ptr_array_index(value->users, i)))
            sum += elements_of(value);
    return sum;
}

/* Elements transposed less, after what has to be added: the Transposes that open the region
 * and nobody else reads go, those that close it go, one comes for each value that is wanted
 * in the old order. */
static double gain(const Region *region, const TsrValue *start)
{
    g_autoptr(GHashTable) opening = g_hash_table_new(NULL, NULL);
    GHashTableIter iter;
    gpointer key;
    double sum = closing_elements(region, start);
    g_hash_table_add(opening, (gpointer)start);
    for (guint i = 0; i < region->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(region->nodes, i);
        const TsrValue *y = g_ptr_array_index(node->outputs, 0);
        sum += closing_elements(region, y);
        if (is_wanted(region, y))
            sum -= elements_of(y);
        for (guint k = 0; k < node->inputs->len; k++) {
            const TsrValue *value = g_ptr_array_index(node->inputs, k);
            if (value != NULL && opens(region, value))
                g_hash_table_add(opening, (gpointer)value);
        }
    }
    g_hash_table_iter_init(&iter, opening);
    while (g_hash_table_iter_next(&iter, &key, NULL))
        if (!is_wanted(region, key))
            sum += elements_of(key);
    return sum;
}

/* ------------------------------------------------------------------- moving */

/* A constant in the order before the Transpose; of lower rank it gets leading extents of 1,
 * as broadcasting reads it. */
static TsrValue *move_constant(Region *region, const TsrPluginSet *set, TsrValue *value,
                               GError **error)
{
    const guint32 lead = region->rank - value->desc.view.rank;
    g_autofree char *name = tsr_graph_unique_name(region->graph, value->name);
    gint64 shape[TSR_MAX_RANK];
    TsrValue *padded, *made;
    gboolean folded;
    TsrDesc desc;
    for (guint32 i = 0; i < region->rank; i++)
        shape[i] = i < lead ? 1 : value->desc.shape[i - lead];
    tsr_desc_init(&desc);
    tsr_desc_set(&desc, value->desc.view.dtype, region->rank, shape);
    padded = tsr_graph_add_constant(region->graph, name, &desc.view, value->constant, error);
    made = padded != NULL ? tsr_transpose_add(region->graph, region->transpose, name, padded,
                                              region->rank, region->inverse, error)
                          : NULL;
    if (made == NULL || !tsr_fold_node(made->producer, tsr_plugin_set_reference(set), &folded,
                                       error))
        return NULL;
    if (!folded)
        return made;
    /* Folding appended the constant. */
    return g_ptr_array_index(((TsrNode *)g_ptr_array_index(region->graph->nodes,
                                                           region->graph->nodes->len - 1))
                                 ->outputs, 0);
}

static TsrValue *move_input(Region *region, const TsrPluginSet *set, const TsrNode *node,
                            TsrValue *value, GError **error)
{
    TsrValue *moved = value != NULL ? g_hash_table_lookup(region->moved, value) : NULL;
    if (value == NULL || moved != NULL)
        return moved;
    if (opens(region, value))
        return g_ptr_array_index(value->producer->inputs, 0);
    if (!has_axis(node) && is_one(value))
        return value;
    moved = move_constant(region, set, value, error);
    if (moved != NULL)
        g_hash_table_insert(region->moved, value, moved);
    return moved;
}

static TsrAttrBox *move_attr(const Region *region, const TsrNode *node, TsrAttrBox *attr)
{
    const TsrAttr *view = tsr_attr_view(attr);
    gint64 axis;
    if (!has_axis(node) || g_strcmp0(view->name, "axis") != 0)
        return tsr_attr_ref(attr);
    axis = tsr_axis_normalize(view->i, region->rank);
    return tsr_attr_new_int("axis", axis < 0 ? view->i : region->perm[axis]);
}

static gboolean move_node(Region *region, const TsrPluginSet *set, TsrNode *node, GError **error)
{
    g_autofree TsrValue **inputs = g_new0(TsrValue *, node->inputs->len + 1);
    g_autoptr(GPtrArray) attrs = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_attr_unref);
    g_autofree char *name = tsr_graph_unique_name(region->graph, node->name);
    TsrNode *made;
    for (guint i = 0; i < node->inputs->len; i++) {
        TsrValue *value = g_ptr_array_index(node->inputs, i);
        inputs[i] = move_input(region, set, node, value, error);
        if (value != NULL && inputs[i] == NULL)
            return FALSE;
    }
    for (guint i = 0; i < node->attrs->len; i++)
        g_ptr_array_add(attrs, move_attr(region, node, g_ptr_array_index(node->attrs, i)));
    made = tsr_graph_add_node(region->graph, node->def, name, inputs, node->inputs->len, NULL, 1,
                              (TsrAttrBox *const *)attrs->pdata, attrs->len, NULL, 0, error);
    if (made == NULL || !tsr_infer_node(made, tsr_infer_graph, NULL, error))
        return FALSE;
    for (guint i = 0; i < node->origin_names->len; i++)
        g_ptr_array_add(made->origin_names,
                        g_strdup(g_ptr_array_index(node->origin_names, i)));
    if (node->origin_names->len == 0)
        g_ptr_array_add(made->origin_names, g_strdup(node->name));
    g_hash_table_insert(region->moved, g_ptr_array_index(node->outputs, 0),
                        g_ptr_array_index(made->outputs, 0));
    return TRUE;
}

/* Readers outside get the value they know; Transposes that close the region vanish. */
static gboolean connect(Region *region, TsrValue *old, GError **error)
{
    TsrValue *moved = g_hash_table_lookup(region->moved, old), *back;
    for (guint i = old->users->len; i-- > 0;) {
        TsrNode *user = g_ptr_array_index(old->users, i);
        if (closes(region, user))
            tsr_value_replace_uses(g_ptr_array_index(user->outputs, 0), moved);
    }
    if (!is_wanted(region, old))
        return TRUE;
    back = tsr_transpose_add(region->graph, region->transpose, old->name, moved, region->rank,
                             region->perm, error);
    if (back == NULL)
        return FALSE;
    tsr_value_replace_uses(old, back);
    return TRUE;
}

static gboolean move_region(Region *region, const TsrPluginSet *set, TsrValue *start,
                            GError **error)
{
    g_autoptr(GPtrArray) order = tsr_graph_sort(region->graph, error);
    if (order == NULL)
        return FALSE;
    g_hash_table_insert(region->moved, start, g_ptr_array_index(start->producer->inputs, 0));
    for (guint i = 0; i < order->len; i++) {
        TsrNode *node = g_ptr_array_index(order, i);
        if (g_ptr_array_find(region->nodes, node, NULL) && !move_node(region, set, node, error))
            return FALSE;
    }
    for (guint i = 0; i < region->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(region->nodes, i);
        if (!connect(region, g_ptr_array_index(node->outputs, 0), error))
            return FALSE;
    }
    return TRUE;
}

static gboolean try_region(TsrGraph *graph, const TsrPluginSet *set, TsrNode *node,
                           gboolean *out_moved, GError **error)
{
    Region region = {.graph = graph, .transpose = node->def};
    TsrTranspose t;
    gboolean done = TRUE;
    *out_moved = FALSE;
    if (!tsr_transpose_read(node, &t) || t.y->users->len == 0 || t.x->constant != NULL)
        return TRUE;
    region.rank = t.rank;
    for (guint32 i = 0; i < t.rank; i++) {
        region.perm[i] = t.perm[i];
        region.inverse[t.perm[i]] = i;
    }
    region.nodes = g_ptr_array_new();
    region.moved = g_hash_table_new(NULL, NULL);
    grow(&region, t.y);
    *out_moved = region.nodes->len != 0 && gain(&region, t.y) > 0.0;
    if (*out_moved)
        done = move_region(&region, set, t.y, error);
    g_ptr_array_unref(region.nodes);
    g_hash_table_unref(region.moved);
    return done;
}

/* One region a sweep: what it leaves behind is cleaned before the next one grows. */
static gboolean meet(TsrGraph *graph, const TsrPluginSet *set, guint *out_count, GError **error)
{
    *out_count = 0;
    for (guint i = 0; i < graph->nodes->len && *out_count == 0; i++) {
        gboolean moved;
        if (!try_region(graph, set, g_ptr_array_index(graph->nodes, i), &moved, error))
            return FALSE;
        *out_count += moved;
    }
    return TRUE;
}

const TsrGraphPass tsr_pass_transpose_meet = {
    "transpose_meet", "sinks and hoists Transposes until they cancel", meet};
