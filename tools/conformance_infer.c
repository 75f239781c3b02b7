/* SPDX-License-Identifier: Apache-2.0
 *
 * conformance_infer.c: see conformance_infer.h.
 */
#include "conformance_infer.h"

#include <tessera/plugin_util.h>

#include "ir/array.h"

static gboolean shape_agrees(const TsrTensorDesc *told, const TsrTensorDesc *wanted)
{
    if (told->rank == TSR_RANK_UNKNOWN)
        return TRUE;
    if (told->rank != wanted->rank)
        return FALSE;
    for (guint32 i = 0; i < told->rank; i++)
        if (told->shape[i] >= 0 && told->shape[i] != wanted->shape[i])
            return FALSE;
    return TRUE;
}

static gboolean desc_agrees(const TsrTensorDesc *told, const TsrTensorDesc *wanted)
{
    if (told->kind != wanted->kind)
        return FALSE;
    /* An empty sequence has elements of no type. */
    if (told->kind != TSR_KIND_TENSOR)
        return told->dtype == wanted->dtype || wanted->dtype == TSR_DTYPE_UNDEFINED;
    return told->dtype == wanted->dtype && shape_agrees(told, wanted);
}

gboolean tsr_infer_agrees(TsrModel *model, const GPtrArray *wanted, TsrInferCount *count,
                          GString *out_reason)
{
    const TsrGraph *graph = tsr_bound_model_program(model->bound)->graph;
    if (graph->outputs->len != wanted->len) {
        g_string_append_printf(out_reason, "wanted %u outputs, the model has %u", wanted->len,
                               graph->outputs->len);
        return FALSE;
    }
    for (guint i = 0; i < wanted->len; i++) {
        const TsrGraphOutput *output = &g_array_index(graph->outputs, TsrGraphOutput, i);
        const TsrTensorDesc *told = &output->value->desc.view;
        const TsrArray *array = g_ptr_array_index(wanted, i);
        count->outputs++;
        count->static_outputs += tsr_desc_is_static(told) ? 1 : 0;
        if (!desc_agrees(told, &array->desc.view)) {
            g_autofree char *told_text = tsr_desc_to_text(told);
            g_autofree char *wanted_text = tsr_desc_to_text(&array->desc.view);
            g_string_append_printf(out_reason, "output '%s': wanted %s, inferred %s", output->name,
                                   wanted_text, told_text);
            return FALSE;
        }
    }
    return TRUE;
}
