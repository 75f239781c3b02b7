/* SPDX-License-Identifier: Apache-2.0
 *
 * om_parts.c: the known parts of a program out of its "meta"; nothing in them is believed.
 */
#include "base/error.h"
#include "build/graph_variant.h"
#include "build/known_parts.h"
#include "build/om_format.h"
#include "runtime/om_file.h"
#include "runtime/om_program.h"

static gboolean same_value(const TsrValue *outer, const TsrValue *inner)
{
    guint64 a, b;
    return outer != NULL && outer->desc.view.dtype == inner->desc.view.dtype &&
           outer->desc.view.storage_format == inner->desc.view.storage_format &&
           tsr_desc_storage_bytes(&outer->desc.view, &a) &&
           tsr_desc_storage_bytes(&inner->desc.view, &b) && a == b;
}

/* That the part is of operators of the outermost graph that no other part has, and takes and
 * gives the values that it says. */
static gboolean part_is_sound(const TsrProgram *program, const TsrKnownPart *part,
                              GHashTable *taken)
{
    const TsrGraph *graph = part->program->graph;
    if (!part->program->is_sink || part->program->parts->len != 0 ||
        part->inputs->len != graph->inputs->len || part->outputs->len != graph->outputs->len)
        return FALSE;
    for (guint i = 0; i < part->nodes->len; i++) {
        const guint32 index = g_array_index(part->nodes, guint32, i);
        const TsrNode *node =
            index < program->nodes->len ? g_ptr_array_index(program->nodes, index) : NULL;
        if (node == NULL || node->graph != program->graph || node->kind != TSR_NODE_OPERATOR ||
            !g_hash_table_add(taken, (gpointer)node))
            return FALSE;
    }
    for (guint i = 0; i < part->inputs->len; i++)
        if (!same_value(tsr_part_value(program, &g_array_index(part->inputs, TsrPartValue, i)),
                        g_ptr_array_index(graph->inputs, i)))
            return FALSE;
    for (guint i = 0; i < part->outputs->len; i++) {
        const TsrValue *value =
            tsr_part_value(program, &g_array_index(part->outputs, TsrPartValue, i));
        if (!same_value(value, g_array_index(graph->outputs, TsrGraphOutput, i).value) ||
            !g_hash_table_contains(taken, value->producer))
            return FALSE;
    }
    return TRUE;
}

static void read_part_values(GVariant *row, guint child, GArray *out)
{
    g_autoptr(GVariant) list = g_variant_get_child_value(row, child);
    for (gsize i = 0; i < g_variant_n_children(list); i++) {
        TsrPartValue place;
        g_variant_get_child(list, i, "(uu)", &place.node, &place.output);
        g_array_append_val(out, place);
    }
}

gboolean tsr_om_read_parts(TsrProgram *program, GVariant *meta, TsrOpRegistry *registry,
                           GError **error)
{
    g_autoptr(GHashTable) taken = g_hash_table_new(NULL, NULL);
    g_autoptr(GVariant) list = g_variant_lookup_value(
        meta, "parts", G_VARIANT_TYPE(TSR_OM_PARTS_TYPE(TSR_GRAPH_VARIANT_TYPE)));
    if (list != NULL && program->is_sink)
        return tsr_om_corrupt(error, "has parts, and is a task list as a whole");
    for (gsize i = 0; list != NULL && i < g_variant_n_children(list); i++) {
        g_autoptr(GVariant) row = g_variant_get_child_value(list, i);
        g_autoptr(GVariant) whole = g_variant_get_child_value(row, 0);
        g_autoptr(GVariant) nodes = g_variant_get_child_value(row, 1);
        TsrKnownPart *part = tsr_known_part_new();
        gsize count;
        const guint32 *indices = g_variant_get_fixed_array(nodes, &count, sizeof(guint32));
        g_ptr_array_add(program->parts, part);
        g_array_append_vals(part->nodes, indices, (guint)count);
        read_part_values(row, 2, part->inputs);
        read_part_values(row, 3, part->outputs);
        part->program = tsr_om_program_of_tuple(whole, registry, program->weights, error);
        if (part->program == NULL) {
            g_prefix_error(error, "part %zu: ", i);
            return FALSE;
        }
        if (!part_is_sound(program, part, taken))
            return tsr_om_corrupt(error, "part %zu is not of the graph", i);
    }
    return TRUE;
}
