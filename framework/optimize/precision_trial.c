/* SPDX-License-Identifier: Apache-2.0
 *
 * precision_trial.c: see precision_trial.h.
 *
 * What comes out of the node is asked of its definition with float16 in the place of bfloat16:
 * an operator that knows float16 means the same with bfloat16, though only later versions of it
 * say so. Whether it can be computed is the engine's word.
 */
#include "optimize/precision_trial.h"

#include <string.h>
#include <tessera/plugin_util.h>

#include "plugin/host.h"
#include "prepare/infer.h"

static gboolean may_be_narrow(const TsrOpParam *param)
{
    return param != NULL &&
           (param->dtypes == 0 || (param->dtypes & TSR_BIT(TSR_DTYPE_FLOAT16)) != 0);
}

/* Writes the wanted types of the inputs; the number of narrow ones, and of float ones. */
static guint choose_inputs(const TsrNarrower *narrower, const TsrNode *node, guint32 dtype,
                           TsrTrialExtent extent, guint32 *out_dtypes, guint *out_floats)
{
    guint32 main_group = 0;
    guint count = 0;
    *out_floats = 0;
    for (guint i = 0; i < node->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->inputs, i);
        const TsrOpParam *param = tsr_op_input_at(node->def, i);
        out_dtypes[i] = value != NULL ? value->desc.view.dtype : TSR_DTYPE_UNDEFINED;
        if (value == NULL || !tsr_narrower_was_float(narrower, value))
            continue;
        (*out_floats)++;
        out_dtypes[i] = TSR_DTYPE_FLOAT;
        if (!may_be_narrow(param) ||
            (extent == TSR_TRIAL_MAIN && count != 0 && param->type_group != main_group))
            continue;
        if (count++ == 0)
            main_group = param->type_group;
        out_dtypes[i] = dtype;
    }
    return count;
}

/* Asks the definition what comes out of float16. */
static gboolean infer_outputs(TsrPrecisionTrial *trial, const TsrNode *node, guint32 dtype,
                              const TsrTensor *const *real_values, char **out_reason)
{
    TsrNodeView asked = trial->view;
    g_autofree TsrDesc *outputs = g_new0(TsrDesc, node->outputs->len + 1);
    g_autoptr(GError) error = NULL;
    gboolean done;
    for (guint i = 0; i < node->outputs->len; i++)
        tsr_desc_init(&outputs[i]);
    for (guint i = 0; i < node->inputs->len; i++)
        if (trial->input_dtypes[i] == dtype && trial->view.inputs[i] != NULL)
            trial->descs[i].view.dtype = TSR_DTYPE_FLOAT16;
    asked.values = real_values;
    done = tsr_infer_view(node->def, &asked, outputs, NULL, NULL, NULL, &error);
    for (guint i = 0; i < node->inputs->len; i++)
        if (trial->view.inputs[i] != NULL)
            trial->descs[i].view.dtype = trial->input_dtypes[i];
    for (guint i = 0; done && i < node->outputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->outputs, i);
        if (value == NULL)
            continue;
        trial->output_dtypes[i] = value->desc.view.dtype;
        if (value->desc.view.dtype == TSR_DTYPE_FLOAT &&
            outputs[i].view.dtype == TSR_DTYPE_FLOAT16)
            trial->output_dtypes[i] = dtype;
        trial->descs[node->inputs->len + i].view.dtype = trial->output_dtypes[i];
    }
    if (!done)
        *out_reason = g_strdup(error->message);
    return done;
}

static TsrPrecisionTrial *trial_new(TsrNode *node)
{
    guint inputs = node->inputs->len, ports = inputs + node->outputs->len;
    TsrPrecisionTrial *trial = g_new0(TsrPrecisionTrial, 1);
    trial->input_dtypes = g_new0(guint32, inputs + 1);
    trial->output_dtypes = g_new0(guint32, node->outputs->len + 1);
    trial->descs = g_new0(TsrDesc, ports + 1);
    trial->tensors = g_new0(TsrTensor, inputs + 1);
    trial->pointers = g_new0(gconstpointer, 2 * inputs + node->outputs->len + 1);
    trial->view = *tsr_node_view(node);
    return trial;
}

/* Fills the view with the descs, and with the data of constants in their wanted type. */
static void fill_view(TsrPrecisionTrial *trial, TsrNarrower *narrower, const TsrNode *node)
{
    guint inputs = node->inputs->len;
    const TsrTensorDesc **in = trial->pointers, **out = in + inputs;
    const TsrTensor **values = (const TsrTensor **)(out + node->outputs->len);
    for (guint i = 0; i < inputs + node->outputs->len; i++) {
        TsrValue *value = i < inputs ? g_ptr_array_index(node->inputs, i)
                                     : g_ptr_array_index(node->outputs, i - inputs);
        TsrDesc *desc = &trial->descs[i];
        tsr_desc_init(desc);
        if (value == NULL)
            continue;
        tsr_desc_copy(desc, &value->desc.view);
        desc->view.name = value->name;
        in[i] = &desc->view;
        if (i >= inputs)
            continue;
        desc->view.dtype = trial->input_dtypes[i];
        if (value->constant == NULL)
            continue;
        values[i] = &value->tensor;
        if (desc->view.dtype != value->desc.view.dtype) {
            GBytes *bytes = tsr_narrow_constant(narrower, value, desc->view.dtype);
            trial->tensors[i] = value->tensor;
            trial->tensors[i].desc = &desc->view;
            trial->tensors[i].data = (gpointer)g_bytes_get_data(bytes, NULL);
            trial->tensors[i].size_bytes = g_bytes_get_size(bytes);
            values[i] = &trial->tensors[i];
        }
    }
    trial->view.inputs = in;
    trial->view.outputs = out;
    trial->view.values = values;
}

TsrPrecisionTrial *tsr_precision_trial_new(TsrNarrower *narrower, TsrNode *node, guint32 dtype,
                                           TsrTrialExtent extent, char **out_reason)
{
    TsrPrecisionTrial *trial = trial_new(node);
    guint floats;
    const TsrTensor *const *real_values = trial->view.values;
    *out_reason = NULL;
    if (choose_inputs(narrower, node, dtype, extent, trial->input_dtypes, &floats) == 0) {
        if (floats != 0)
            *out_reason = g_strdup_printf("version %u of the operator takes float only",
                                          node->def->since_version);
        tsr_precision_trial_free(trial);
        return NULL;
    }
    fill_view(trial, narrower, node);
    if (!infer_outputs(trial, node, dtype, real_values, out_reason))
        g_clear_pointer(&trial, tsr_precision_trial_free);
    return trial;
}

void tsr_precision_trial_free(TsrPrecisionTrial *trial)
{
    if (trial == NULL)
        return;
    g_free(trial->input_dtypes);
    g_free(trial->output_dtypes);
    g_free(trial->descs);
    g_free(trial->tensors);
    g_free(trial->pointers);
    g_free(trial);
}

static gboolean is_static(const TsrNodeView *view)
{
    for (guint32 i = 0; i < view->input_count; i++)
        if (view->inputs[i] != NULL && !tsr_desc_is_static(view->inputs[i]))
            return FALSE;
    for (guint32 i = 0; i < view->output_count; i++)
        if (view->outputs[i] != NULL && !tsr_desc_is_static(view->outputs[i]))
            return FALSE;
    return TRUE;
}

gboolean tsr_precision_trial_ask(const TsrPrecisionTrial *trial, const TsrRankedEngine *ranked,
                                 char **out_reason)
{
    TsrSupport support = {.struct_size = sizeof(support)};
    g_autoptr(GError) error = NULL;
    gint32 status;
    *out_reason = NULL;
    if ((ranked->engine->flags & TSR_ENGINE_DYNAMIC) == 0 && !is_static(&trial->view)) {
        *out_reason = g_strdup("the shapes are known only at run time");
        return FALSE;
    }
    tsr_host_clear_error();
    status = ranked->engine->check(ranked->engine, &trial->view, &support);
    support.reason[sizeof(support.reason) - 1] = '\0';
    if (status != TSR_OK)
        tsr_host_take_error(status, ranked->name, "check", &error);
    else if (support.answer == TSR_SUPPORT_YES || support.answer == TSR_SUPPORT_IF)
        return TRUE;
    *out_reason = g_strdup(error != NULL               ? error->message
                           : support.reason[0] != '\0' ? support.reason
                                                       : "no reason given");
    return FALSE;
}
