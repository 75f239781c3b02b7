/* SPDX-License-Identifier: Apache-2.0
 *
 * model.c: the model handle of tessera.h.
 */
#include "api/session.h"
#include "base/error.h"
#include "build/om_write.h"
#include "ir/value_dims.h"

void tsr_model_free(TsrModel *model)
{
    if (model == NULL)
        return;
    tsr_plans_free(model->plans);
    tsr_bound_model_free(model->bound);
    tsr_compile_report_free(model->report);
    g_bytes_unref(model->om);
    tsr_session_free(model->session);
    g_free(model);
}

gboolean tsr_model_save(TsrModel *model, const char *path, GError **error)
{
    return tsr_om_save(model->om, path, error);
}

static const TsrGraph *graph_of(TsrModel *model)
{
    return tsr_bound_model_program(model->bound)->graph;
}

guint tsr_model_input_count(TsrModel *model)
{
    return graph_of(model)->inputs->len;
}

guint tsr_model_output_count(TsrModel *model)
{
    return graph_of(model)->outputs->len;
}

static void describe(const TsrTensorDesc *desc, guint32 *out_dtype, guint32 *out_rank,
                     const gint64 **out_shape)
{
    if (out_dtype != NULL)
        *out_dtype = desc->dtype;
    if (out_rank != NULL)
        *out_rank = desc->rank;
    if (out_shape != NULL)
        *out_shape = desc->shape;
}

const char *tsr_model_input(TsrModel *model, guint index, guint32 *out_dtype, guint32 *out_rank,
                            const gint64 **out_shape)
{
    const TsrValue *value;
    g_return_val_if_fail(index < tsr_model_input_count(model), NULL);
    value = g_ptr_array_index(graph_of(model)->inputs, index);
    describe(&value->desc.view, out_dtype, out_rank, out_shape);
    return value->name;
}

const char *tsr_model_output(TsrModel *model, guint index, guint32 *out_dtype,
                             guint32 *out_rank, const gint64 **out_shape)
{
    const TsrGraphOutput *output;
    g_return_val_if_fail(index < tsr_model_output_count(model), NULL);
    output = &g_array_index(graph_of(model)->outputs, TsrGraphOutput, index);
    describe(&output->value->desc.view, out_dtype, out_rank, out_shape);
    return output->name;
}

char *tsr_model_input_text(TsrModel *model, guint index)
{
    g_return_val_if_fail(index < tsr_model_input_count(model), NULL);
    return tsr_value_to_text(g_ptr_array_index(graph_of(model)->inputs, index));
}

char *tsr_model_output_text(TsrModel *model, guint index)
{
    g_return_val_if_fail(index < tsr_model_output_count(model), NULL);
    return tsr_value_to_text(g_array_index(graph_of(model)->outputs, TsrGraphOutput, index).value);
}

const TsrTensorDesc *tsr_model_input_desc(TsrModel *model, guint index)
{
    return &((TsrValue *)g_ptr_array_index(graph_of(model)->inputs, index))->desc.view;
}

const TsrTensorDesc *tsr_model_output_desc(TsrModel *model, guint index)
{
    return &g_array_index(graph_of(model)->outputs, TsrGraphOutput, index).value->desc.view;
}

static void describe_storage(const TsrTensorDesc *desc, guint32 *out_format, guint32 *out_rank,
                             const gint64 **out_shape)
{
    if (out_format != NULL)
        *out_format = desc->storage_format;
    if (out_rank != NULL)
        *out_rank = desc->storage_rank;
    if (out_shape != NULL)
        *out_shape = desc->storage_shape;
}

void tsr_model_input_storage(TsrModel *model, guint index, guint32 *out_format,
                             guint32 *out_rank, const gint64 **out_shape)
{
    g_return_if_fail(index < tsr_model_input_count(model));
    describe_storage(tsr_model_input_desc(model, index), out_format, out_rank, out_shape);
}

void tsr_model_output_storage(TsrModel *model, guint index, guint32 *out_format,
                              guint32 *out_rank, const gint64 **out_shape)
{
    g_return_if_fail(index < tsr_model_output_count(model));
    describe_storage(tsr_model_output_desc(model, index), out_format, out_rank, out_shape);
}

gboolean tsr_model_run(TsrModel *model, TsrArray *const *inputs, TsrArray **outputs,
                       GError **error)
{
    TsrPlan *plan;
    gboolean done;
    if (model->plans == NULL)
        return tsr_bound_model_run(model->bound, inputs, outputs, error);
    if (!tsr_bound_model_check_inputs(model->bound, inputs, error) ||
        !tsr_plans_take(model->plans, inputs, &plan, error))
        return FALSE;
    if (plan == NULL)
        return tsr_bound_model_run(model->bound, inputs, outputs, error);
    done = tsr_bound_model_run(tsr_plan_bound(plan), inputs, outputs, error);
    tsr_plans_give(model->plans, plan);
    return done;
}

gboolean tsr_model_settle(TsrModel *model, TsrArray *const *inputs, GError **error)
{
    TsrPlan *plan;
    if (model->plans == NULL)
        return TRUE;
    if (!tsr_bound_model_check_inputs(model->bound, inputs, error) ||
        !tsr_plans_take(model->plans, inputs, &plan, error))
        return FALSE;
    if (plan != NULL) {
        tsr_bound_model_free(model->bound);
        model->bound = tsr_plan_steal_bound(plan);
    }
    tsr_plans_free(model->plans);
    model->plans = NULL;
    return TRUE;
}
