/* SPDX-License-Identifier: Apache-2.0
 *
 * shape_trial.c: whether inference agrees with the expressions of a node's outputs, by asking it
 * with extents drawn for the symbols. Expressions are polynomials, floor, min and max: two that
 * differ agree in hardly any draw, and what has to be equal for the operator is not.
 */
#include <string.h>
#include <tessera/plugin_util.h>

#include "prepare/infer.h"
#include "runtime/shape_function.h"

/* Extents of a draw: first + (symbol * step) mod range, so that symbols differ; the first symbol's
 * are primes, which nothing divides. Draw 0 has ones, which broadcast. */
static const struct {
    gint64 first, step, range;
} draws[] = {{1, 0, 1}, {3, 7, 61}, {67, 131, 509}, {503, 577, 1511}, {2003, 1009, 6007}};

enum { ENOUGH_DRAWS = 2 }; /* in which extents were extents; beside that of ones */

typedef struct Trial {
    const TsrNode *node;
    const TsrNodeView *view;
    const TsrDims *dims;
    const gint64 *values;
    TsrDesc *inputs;           /* of the node, then its outputs as inference says */
    const TsrTensorDesc **descs;
    TsrTensor *tensors;        /* of the inputs whose elements are known */
    const TsrTensor **shown;
    gint64 (*elements)[TSR_INFER_ELEMENTS];
} Trial;

/* Brings an input to the draw. FALSE: it has no shape in it. */
static gboolean draw_input(Trial *trial, guint index, const TsrValue *value)
{
    const TsrTensorDesc *desc = &value->desc.view;
    TsrTensor *tensor = &trial->tensors[index];
    gint64 shape[TSR_MAX_RANK], list[TSR_INFER_ELEMENTS], count;
    if (desc->rank == TSR_RANK_UNKNOWN || desc->kind != TSR_KIND_TENSOR)
        return FALSE;
    for (guint32 i = 0; i < desc->rank; i++)
        if (!tsr_dims_eval(trial->dims, tsr_value_extent(value, i), trial->values, &shape[i]) ||
            shape[i] < 0)
            return FALSE;
    tsr_desc_init(&trial->inputs[index]);
    tsr_desc_copy(&trial->inputs[index], desc);
    tsr_desc_set(&trial->inputs[index], desc->dtype, desc->rank, shape);
    trial->descs[index] = &trial->inputs[index].view;
    if (value->constant != NULL) {
        trial->shown[index] = &value->tensor;
        return TRUE;
    }
    count = desc->dtype == TSR_DTYPE_INT64
                ? tsr_value_elements(value, list, TSR_INFER_ELEMENTS) : -1;
    if (count < 0 || count != tsr_desc_elements(trial->descs[index]))
        return TRUE;
    for (gint64 i = 0; i < count; i++)
        if (!tsr_dims_eval(trial->dims, list[i], trial->values, &trial->elements[index][i]))
            return FALSE;
    *tensor = (TsrTensor){.struct_size = sizeof(*tensor), .desc = trial->descs[index],
                          .data = trial->elements[index],
                          .size_bytes = (guint64)count * sizeof(gint64)};
    trial->shown[index] = tensor;
    return TRUE;
}

/* The output as its expressions have it in the draw. FALSE: not an extent each. */
static gboolean draw_output(const Trial *trial, const TsrValue *value, gint64 *shape)
{
    for (guint32 i = 0; i < value->desc.view.rank; i++)
        if (!tsr_dims_eval(trial->dims, tsr_value_extent(value, i), trial->values, &shape[i]) ||
            shape[i] < 1)
            return FALSE;
    return TRUE;
}

static gboolean agrees(const Trial *trial, const TsrTensorDesc *said, const TsrValue *value)
{
    gint64 shape[TSR_MAX_RANK];
    return draw_output(trial, value, shape) && said->kind == TSR_KIND_TENSOR &&
           said->dtype == value->desc.view.dtype && said->rank == value->desc.view.rank &&
           memcmp(said->shape, shape, said->rank * sizeof(shape[0])) == 0;
}

/* One draw: 1 inference agrees, 0 it does not, -1 there are no such shapes. */
static gint try_draw(Trial *trial)
{
    const TsrNode *node = trial->node;
    TsrNodeView view = *trial->view;
    TsrDesc *said = trial->inputs + node->inputs->len;
    gint64 shape[TSR_MAX_RANK];
    for (guint i = 0; i < node->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->inputs, i);
        trial->descs[i] = NULL;
        trial->shown[i] = NULL;
        if (value != NULL && !draw_input(trial, i, value))
            return -1;
    }
    for (guint k = 0; k < node->outputs->len; k++) {
        const TsrValue *value = g_ptr_array_index(node->outputs, k);
        tsr_desc_init(&said[k]);
        if (value != NULL && !draw_output(trial, value, shape))
            return -1;
    }
    view.inputs = trial->descs;
    view.values = trial->shown;
    if (!tsr_infer_view(node->def, &view, said, NULL, NULL, NULL, NULL))
        return 0;
    for (guint k = 0; k < node->outputs->len; k++) {
        const TsrValue *value = g_ptr_array_index(node->outputs, k);
        if (value != NULL && !agrees(trial, &said[k].view, value))
            return 0;
    }
    return 1;
}

/* Whether the extents of all outputs are told. */
static gboolean is_told(const TsrNode *node)
{
    if ((node->def->flags & TSR_OP_DATA_DEPENDENT) != 0 || node->subgraphs->len != 0)
        return FALSE;
    for (guint k = 0; k < node->outputs->len; k++) {
        const TsrValue *value = g_ptr_array_index(node->outputs, k);
        if (value == NULL)
            continue;
        if (value->desc.view.kind != TSR_KIND_TENSOR ||
            value->desc.view.rank == TSR_RANK_UNKNOWN ||
            value->desc.view.dtype == TSR_DTYPE_UNDEFINED)
            return FALSE;
        for (guint32 i = 0; i < value->desc.view.rank; i++)
            if (tsr_value_extent(value, i) == TSR_DIM_UNKNOWN)
                return FALSE;
    }
    return TRUE;
}

gboolean tsr_shape_function_holds(const TsrNode *node, const TsrNodeView *view,
                                  const TsrDims *dims)
{
    const guint inputs = node->inputs->len, symbols = tsr_dims_symbol_count(dims);
    g_autofree gint64 *values = g_new(gint64, symbols + 1);
    g_autofree TsrDesc *descs = g_new(TsrDesc, inputs + node->outputs->len + 1);
    g_autofree const TsrTensorDesc **shown_descs = g_new0(const TsrTensorDesc *, inputs + 1);
    g_autofree TsrTensor *tensors = g_new(TsrTensor, inputs + 1);
    g_autofree const TsrTensor **shown = g_new0(const TsrTensor *, inputs + 1);
    g_autofree gint64 *elements = g_new(gint64, (gsize)(inputs + 1) * TSR_INFER_ELEMENTS);
    Trial trial = {node, view, dims, values, descs, shown_descs, tensors, shown,
                   (gint64 (*)[TSR_INFER_ELEMENTS])elements};
    guint agreed = 0;
    if (!is_told(node))
        return FALSE;
    for (guint i = 0; i < G_N_ELEMENTS(draws); i++) {
        gint answer;
        for (guint s = 0; s < symbols; s++)
            values[s] = draws[i].first + (gint64)s * draws[i].step % draws[i].range;
        answer = try_draw(&trial);
        if (answer == 0)
            return FALSE;
        agreed += i != 0 && answer == 1;
    }
    return agreed >= ENOUGH_DRAWS;
}
