/* SPDX-License-Identifier: Apache-2.0
 *
 * plan_key.c: see plan_key.h.
 */
#include "api/plan_key.h"

#include <string.h>
#include <tessera/plugin_util.h>
#include <xxhash.h>

static const TsrValue *input_of(const TsrGraph *graph, guint index)
{
    return g_ptr_array_index(graph->inputs, index);
}

gint64 *tsr_plan_key_of_graph(const TsrGraph *graph)
{
    GArray *key = g_array_new(FALSE, FALSE, sizeof(gint64));
    for (guint i = 0; i < graph->inputs->len; i++) {
        const TsrTensorDesc *desc = &input_of(graph, i)->desc.view;
        const gint64 rank = desc->rank;
        g_array_append_val(key, rank);
        g_array_append_vals(key, desc->shape, desc->rank);
    }
    return (gint64 *)(gpointer)g_array_free(key, FALSE);
}

gboolean tsr_plan_key_fits(const gint64 *key, TsrArray *const *inputs, guint count)
{
    for (guint i = 0; i < count; i++) {
        const TsrTensorDesc *desc = &inputs[i]->desc.view;
        if (key[0] != desc->rank ||
            (desc->rank != 0 && memcmp(key + 1, desc->shape, desc->rank * sizeof(gint64)) != 0))
            return FALSE;
        key += 1 + desc->rank;
    }
    return TRUE;
}

guint64 tsr_plan_key_hash(TsrArray *const *inputs, guint count)
{
    guint64 hash = 1;
    for (guint i = 0; i < count; i++) {
        const TsrTensorDesc *desc = &inputs[i]->desc.view;
        hash = XXH3_64bits_withSeed(desc->shape, desc->rank * sizeof(*desc->shape),
                                    hash + desc->rank);
    }
    return MAX(hash, 1);
}

void tsr_plan_key_apply(TsrArray *const *inputs, TsrGraph *graph)
{
    for (guint i = 0; i < graph->inputs->len; i++) {
        const TsrTensorDesc *desc = &inputs[i]->desc.view;
        TsrValue *value = g_ptr_array_index(graph->inputs, i);
        tsr_desc_set(&value->desc, value->desc.view.dtype, desc->rank, desc->shape);
    }
}

static void add_text(GString *text, const char *name, guint32 rank, const gint64 *shape)
{
    char extents[TSR_MAX_RANK * 24];
    tsr_shape_text(rank, shape, extents, sizeof(extents));
    g_string_append_printf(text, "%s'%s' %s", text->len != 0 ? ", " : "", name, extents);
}

char *tsr_plan_key_to_text(const TsrGraph *graph, const gint64 *key)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < graph->inputs->len; i++) {
        add_text(text, input_of(graph, i)->name, (guint32)key[0], key + 1);
        key += 1 + key[0];
    }
    return g_string_free(text, FALSE);
}

char *tsr_plan_key_text_of_inputs(const TsrGraph *graph, TsrArray *const *inputs)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < graph->inputs->len; i++)
        add_text(text, input_of(graph, i)->name, inputs[i]->desc.view.rank,
                 inputs[i]->desc.view.shape);
    return g_string_free(text, FALSE);
}
