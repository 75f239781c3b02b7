/* SPDX-License-Identifier: Apache-2.0
 *
 * input_shape.c: what a user says of the shapes of a graph's inputs before it is compiled.
 */
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "ir/graph.h"
#include "ir/input_dim.h"

static TsrValue *find_input(const TsrGraph *graph, const char *name, guint32 rank,
                            guint *out_index, GError **error)
{
    for (guint i = 0; i < graph->inputs->len; i++) {
        TsrValue *value = g_ptr_array_index(graph->inputs, i);
        if (g_strcmp0(value->name, name) != 0)
            continue;
        *out_index = i;
        if (rank <= TSR_MAX_RANK)
            return value;
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT, "input '%s': rank %u is above %d",
                    name, rank, TSR_MAX_RANK);
        return NULL;
    }
    g_set_error(error, TSR_ERROR, TSR_NOT_FOUND, "the model has no input '%s'", name);
    return NULL;
}

static void refuse(const TsrValue *value, const TsrTensorDesc *wanted, GError **error)
{
    g_autofree char *got = tsr_desc_to_text(wanted);
    g_autofree char *model = tsr_desc_to_text(&value->desc.view);
    g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                "input '%s': the model says %s, which does not admit %s", value->name, model, got);
}

gboolean tsr_graph_set_input_shape(TsrGraph *graph, const char *name, guint32 rank,
                                   const gint64 *shape, GError **error)
{
    guint index;
    TsrValue *value = find_input(graph, name, rank, &index, error);
    TsrDesc wanted;
    if (value == NULL)
        return FALSE;
    tsr_desc_init(&wanted);
    tsr_desc_set(&wanted, value->desc.view.dtype, rank, shape);
    if (!tsr_desc_compatible(&wanted.view, &value->desc.view)) {
        refuse(value, &wanted.view, error);
        return FALSE;
    }
    tsr_desc_set(&value->desc, value->desc.view.dtype, rank, shape);
    return TRUE;
}

/* A range may not take in what the model excludes: one extent it knows is all there is. */
static gboolean admits(const TsrTensorDesc *model, guint32 rank, const gint64 *least,
                       const gint64 *most)
{
    if (model->rank == TSR_RANK_UNKNOWN)
        return TRUE;
    for (guint32 i = 0; i < rank && rank == model->rank; i++)
        if (model->shape[i] >= 0 && (least[i] != model->shape[i] || most[i] != least[i]))
            return FALSE;
    return rank == model->rank;
}

gboolean tsr_graph_set_input_range(TsrGraph *graph, const char *name, guint32 rank,
                                   const gint64 *least, const gint64 *most, GError **error)
{
    guint index;
    TsrValue *value = find_input(graph, name, rank, &index, error);
    gint64 shape[TSR_MAX_RANK];
    gboolean bounded = TRUE;
    TsrDesc wanted;
    if (value == NULL)
        return FALSE;
    for (guint32 i = 0; i < rank; i++) {
        if (least[i] < 0 || (most[i] >= 0 && most[i] < least[i])) {
            g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                        "input '%s': dimension %u has the range %" G_GINT64_FORMAT
                        " to %" G_GINT64_FORMAT,
                        name, i, least[i], most[i]);
            return FALSE;
        }
        shape[i] = least[i] == most[i] ? least[i] : -1;
        bounded = bounded && most[i] >= 0;
    }
    tsr_desc_init(&wanted);
    tsr_desc_set(&wanted, value->desc.view.dtype, rank, shape);
    if (!admits(&value->desc.view, rank, least, most)) {
        refuse(value, &wanted.view, error);
        return FALSE;
    }
    tsr_desc_set(&value->desc, value->desc.view.dtype, rank, shape);
    tsr_desc_set_max(&value->desc, bounded ? most : NULL);
    for (guint32 i = 0; i < rank; i++) {
        const TsrInputDim *known = tsr_graph_input_dim(graph, index, i);
        g_autofree char *kept = known != NULL ? g_strdup(known->name) : NULL;
        if (shape[i] < 0)
            tsr_graph_set_input_dim(graph, index, i, kept, least[i], most[i]);
    }
    return TRUE;
}
