/* SPDX-License-Identifier: Apache-2.0
 *
 * infer_view.c: inference of one node by its definition. The context handed to a definition is
 * the first member of the frame, so that its slots find the frame again. A shape with symbols
 * (dims.h) is split: descriptors get TSR_DIM_UNKNOWN, the frame's dims the rest.
 */
#include <stdarg.h>
#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "prepare/infer.h"

typedef struct Frame {
    TsrInferContext context;
    const TsrOpDef *def;
    TsrDesc *outputs;
    const TsrInferDims *dims;
    TsrInferSubgraphFn infer_subgraph;
    gpointer user;
    GError *error;
} Frame;

static int32_t frame_fail(TsrInferContext *infer, int32_t code, const char *format, ...)
{
    Frame *frame = (Frame *)infer;
    va_list args;
    va_start(args, format);
    if (frame->error == NULL)
        frame->error = g_error_new_valist(TSR_ERROR, code, format, args);
    va_end(args);
    return code;
}

/* Keeps the symbols of a shape and writes it without them to plain. */
static void keep_extents(Frame *frame, uint32_t index, uint32_t rank, const int64_t *shape,
                         gint64 *plain)
{
    TsrValueDims *kept = frame->dims != NULL ? &frame->dims->outputs[index] : NULL;
    for (uint32_t i = 0; i < rank; i++) {
        plain[i] = TSR_DIM_IS_SYMBOL(shape[i]) ? TSR_DIM_UNKNOWN : shape[i];
        if (kept != NULL)
            kept->extents[i] = shape[i];
    }
    if (kept != NULL)
        kept->rank = rank;
}

static gboolean is_sound(const Frame *frame, int64_t extent)
{
    return extent >= TSR_DIM_UNKNOWN ||
           (frame->dims != NULL && tsr_dims_has(frame->dims->table, extent));
}

static int32_t frame_set_output(TsrInferContext *infer, uint32_t index, uint32_t dtype,
                                uint32_t rank, const int64_t *shape)
{
    Frame *frame = (Frame *)infer;
    guint64 elements = 1;
    gint64 plain[TSR_MAX_RANK];
    if (index >= infer->node->output_count)
        return TSR_OK;
    if (rank != TSR_RANK_UNKNOWN && rank > TSR_MAX_RANK)
        return frame_fail(infer, TSR_UNSUPPORTED, "output %u: rank %u is above %d", index, rank,
                          TSR_MAX_RANK);
    for (uint32_t i = 0; rank != TSR_RANK_UNKNOWN && i < rank; i++) {
        if (!is_sound(frame, shape[i]))
            return frame_fail(infer, TSR_INVALID_ARGUMENT,
                              "output %u: dimension %u would be %lld", index, i,
                              (long long)shape[i]);
        if (shape[i] > 0 && (!g_uint64_checked_mul(&elements, elements, (guint64)shape[i]) ||
                             elements > (guint64)G_MAXINT64 / 16))
            return frame_fail(infer, TSR_INVALID_ARGUMENT,
                              "output %u: its size does not fit 63 bits", index);
    }
    if (rank != TSR_RANK_UNKNOWN)
        keep_extents(frame, index, rank, shape, plain);
    tsr_desc_set(&frame->outputs[index], dtype, rank, plain);
    return TSR_OK;
}

static int32_t frame_set_output_kind(TsrInferContext *infer, uint32_t index, uint32_t kind,
                                     uint32_t dtype, uint32_t rank, const int64_t *shape)
{
    int32_t status = frame_set_output(infer, index, dtype, rank, shape);
    if (kind >= TSR_KIND_COUNT)
        return frame_fail(infer, TSR_INTERNAL, "output %u is of unknown kind %u", index, kind);
    if (status == TSR_OK && index < infer->node->output_count)
        ((Frame *)infer)->outputs[index].view.kind = kind;
    return status;
}

static int32_t frame_set_output_max(TsrInferContext *infer, uint32_t index, uint32_t rank,
                                    const int64_t *max_shape)
{
    Frame *frame = (Frame *)infer;
    gint64 bounds[TSR_MAX_RANK];
    TsrDesc *desc;
    if (index >= infer->node->output_count)
        return TSR_OK;
    desc = &frame->outputs[index];
    if (rank != desc->view.rank)
        return frame_fail(infer, TSR_INTERNAL, "output %u: bounds of rank %u for rank %u", index,
                          rank, desc->view.rank);
    for (uint32_t i = 0; i < rank; i++) {
        /* What is known is its own bound. */
        bounds[i] = desc->shape[i] >= 0 ? desc->shape[i] : MAX(max_shape[i], TSR_DIM_UNKNOWN);
    }
    tsr_desc_set_max(desc, bounds);
    return TSR_OK;
}

static int32_t frame_infer_subgraph(TsrInferContext *infer, uint32_t index,
                                    const TsrTensorDesc *const *inputs, uint32_t input_count,
                                    const TsrTensorDesc *const **out_outputs,
                                    uint32_t *out_output_count)
{
    Frame *frame = (Frame *)infer;
    if (frame->infer_subgraph == NULL || index >= infer->node->subgraph_count)
        return frame_fail(infer, TSR_INVALID_ARGUMENT, "has no subgraph %u", index);
    if (!frame->infer_subgraph(frame->user, index, inputs, input_count, out_outputs,
                               out_output_count, frame->error == NULL ? &frame->error : NULL))
        return TSR_INVALID_ARGUMENT;
    return TSR_OK;
}

/* Where a value comes from, past nodes that change nothing of it. */
static const TsrValue *origin_of(const TsrValue *value)
{
    for (;;) {
        const TsrNode *node = value->producer;
        const TsrValue *input;
        if (node->kind != TSR_NODE_OPERATOR || node->def->domain[0] != '\0' ||
            (strcmp(node->def->name, "Identity") != 0 && strcmp(node->def->name, "Cast") != 0))
            return value;
        input = g_ptr_array_index(node->inputs, 0);
        if (input == NULL || input->desc.view.dtype == TSR_DTYPE_UNDEFINED ||
            input->desc.view.dtype != value->desc.view.dtype)
            return value;
        value = input;
    }
}

static int32_t frame_subgraph_output(TsrInferContext *infer, uint32_t index, uint32_t output,
                                     const TsrTensor **out_value, uint32_t *out_input)
{
    const Frame *frame = (const Frame *)infer;
    const TsrNode *node = frame->dims != NULL ? frame->dims->node : NULL;
    const TsrGraph *graph;
    const TsrValue *value;
    *out_value = NULL;
    *out_input = UINT32_MAX;
    if (node == NULL)
        return TSR_OK;
    graph = index < node->subgraphs->len ? g_ptr_array_index(node->subgraphs, index) : NULL;
    if (graph == NULL || output >= graph->outputs->len)
        return frame_fail(infer, TSR_INVALID_ARGUMENT, "has no output %u of a subgraph %u",
                          output, index);
    value = origin_of(g_array_index(graph->outputs, TsrGraphOutput, output).value);
    if (value->constant != NULL)
        *out_value = &value->tensor;
    for (guint i = 0; i < graph->inputs->len; i++)
        if (g_ptr_array_index(graph->inputs, i) == value)
            *out_input = i;
    return TSR_OK;
}

/* ------------------------------------------------------------ what only a run knows */

static int64_t frame_extent(TsrInferContext *infer, uint32_t index, uint32_t axis)
{
    const Frame *frame = (const Frame *)infer;
    const TsrNodeView *node = infer->node;
    const TsrTensorDesc *desc = index < node->input_count ? node->inputs[index] : NULL;
    if (desc == NULL || desc->rank == TSR_RANK_UNKNOWN || axis >= desc->rank)
        return TSR_DIM_UNKNOWN;
    if (desc->shape[axis] >= 0 || frame->dims == NULL || frame->dims->inputs[index] == NULL)
        return desc->shape[axis] >= 0 ? desc->shape[axis] : TSR_DIM_UNKNOWN;
    return tsr_value_extent(frame->dims->inputs[index], axis);
}

static int32_t frame_combine(TsrInferContext *infer, uint32_t op, int64_t a, int64_t b,
                             int64_t *out)
{
    const Frame *frame = (const Frame *)infer;
    gint64 result;
    gboolean done;
    if (!TSR_DIM_IS_SYMBOL(a) && !TSR_DIM_IS_SYMBOL(b))
        done = tsr_dim_combine(op, a, b, &result);
    else
        done = frame->dims != NULL && (!TSR_DIM_IS_SYMBOL(a) || is_sound(frame, a)) &&
               (!TSR_DIM_IS_SYMBOL(b) || is_sound(frame, b)) &&
               tsr_dims_apply(frame->dims->table, op, a, b, &result);
    *out = done ? result : TSR_DIM_UNKNOWN;
    return done;
}

static int64_t frame_elements(TsrInferContext *infer, uint32_t index, int64_t *out, uint32_t room)
{
    const Frame *frame = (const Frame *)infer;
    const TsrTensor *value;
    if (index >= infer->node->input_count)
        return -1;
    if (frame->dims != NULL)
        return frame->dims->inputs[index] != NULL
                   ? tsr_value_elements(frame->dims->inputs[index], out, room) : -1;
    value = infer->node->values[index];
    return value != NULL ? tsr_tensor_elements(value, out, room) : -1;
}

static void frame_set_elements(TsrInferContext *infer, uint32_t index, uint32_t count,
                               const int64_t *elements)
{
    const Frame *frame = (const Frame *)infer;
    TsrValueDims *dims;
    if (frame->dims == NULL || index >= infer->node->output_count || count > TSR_INFER_ELEMENTS ||
        frame->outputs[index].view.rank > 1)
        return;
    dims = &frame->dims->outputs[index];
    for (uint32_t i = 0; i < count; i++) {
        if (TSR_DIM_IS_SYMBOL(elements[i]) && !is_sound(frame, elements[i]))
            return;
        dims->elements[i] = elements[i];
    }
    dims->element_count = (gint32)count;
}

/* Dtypes of the inputs against the definition: allowed at all, and one dtype within
 * a type group. */
static int32_t check_dtypes(Frame *frame)
{
    const TsrNodeView *view = frame->context.node;
    guint32 group_dtype[TSR_DTYPE_COUNT] = {0};
    for (guint32 i = 0; i < view->input_count; i++) {
        const TsrOpParam *param = tsr_op_input_at(frame->def, i);
        guint32 dtype = view->inputs[i] != NULL ? view->inputs[i]->dtype : TSR_DTYPE_UNDEFINED;
        if (param == NULL || dtype == TSR_DTYPE_UNDEFINED)
            continue;
        if (param->dtypes != 0 && (param->dtypes & TSR_BIT(dtype)) == 0)
            return frame_fail(&frame->context, TSR_INVALID_ARGUMENT,
                              "input %u ('%s') cannot be %s in version %u of the operator", i,
                              param->name, tsr_dtype_name(dtype), frame->def->since_version);
        if (param->type_group == 0 || param->type_group >= G_N_ELEMENTS(group_dtype) ||
            param->kind == TSR_PARAM_VARIADIC_MIXED)
            continue;
        if (group_dtype[param->type_group] == TSR_DTYPE_UNDEFINED)
            group_dtype[param->type_group] = dtype;
        else if (group_dtype[param->type_group] != dtype)
            return frame_fail(&frame->context, TSR_INVALID_ARGUMENT,
                              "input %u ('%s') is %s, but an input before it of the same type "
                              "is %s",
                              i, param->name, tsr_dtype_name(dtype),
                              tsr_dtype_name(group_dtype[param->type_group]));
    }
    return TSR_OK;
}

/* The shape of an input with its symbols. */
static const gint64 *extents_of(Frame *frame, guint32 index, gint64 *room)
{
    const TsrTensorDesc *desc = frame->context.node->inputs[index];
    for (guint32 i = 0; desc->rank != TSR_RANK_UNKNOWN && i < desc->rank; i++)
        room[i] = frame_extent(&frame->context, index, i);
    return room;
}

static guint32 find_param(const TsrOpParam *(*at)(const TsrOpDef *, guint32),
                          const TsrOpDef *def, guint32 count, const char *name, gsize length)
{
    for (guint32 i = 0; i < count; i++)
        if (strlen(at(def, i)->name) == length && memcmp(at(def, i)->name, name, length) == 0)
            return i;
    return count;
}

/* Applies "y=x,z=x". */
static int32_t follow(Frame *frame)
{
    const TsrNodeView *view = frame->context.node;
    const char *rule = frame->def->follow;
    while (rule != NULL && *rule != '\0') {
        gsize left = strcspn(rule, "="), right = strcspn(rule + left, ",");
        guint32 output = find_param(tsr_op_output, frame->def, frame->def->output_count, rule,
                                    left);
        guint32 input = find_param(tsr_op_input, frame->def, frame->def->input_count,
                                   rule + left + 1, right - 1);
        gint64 shape[TSR_MAX_RANK];
        if (output >= frame->def->output_count || input >= view->input_count ||
            view->inputs[input] == NULL)
            return frame_fail(&frame->context, TSR_INTERNAL,
                              "follow rule '%s' names what is not there", frame->def->follow);
        if (frame_set_output_kind(&frame->context, output, view->inputs[input]->kind,
                                  view->inputs[input]->dtype, view->inputs[input]->rank,
                                  extents_of(frame, input, shape)) != TSR_OK)
            return TSR_INVALID_ARGUMENT;
        rule += left + right;
        if (*rule == ',')
            rule++;
    }
    return TSR_OK;
}

static void describe_inputs(GError *error, const TsrOpDef *def, const TsrNodeView *view)
{
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "%s '%s': %s (inputs:", def->name, view->name, error->message);
    for (guint32 i = 0; i < view->input_count; i++) {
        g_autofree char *desc =
            view->inputs[i] != NULL ? tsr_desc_to_text(view->inputs[i]) : g_strdup("omitted");
        g_string_append_printf(text, " %s", desc);
    }
    g_string_append_c(text, ')');
    g_free(error->message);
    error->message = g_string_free(text, FALSE);
}

gboolean tsr_infer_view(const TsrOpDef *def, const TsrNodeView *view, TsrDesc *outputs,
                        const TsrInferDims *dims, TsrInferSubgraphFn infer_subgraph,
                        gpointer user, GError **error)
{
    g_autofree const TsrTensor **values = g_new0(const TsrTensor *, view->input_count + 1);
    TsrNodeView masked = *view;
    Frame frame = {
        .context = {.struct_size = sizeof(TsrInferContext), .node = &masked,
                    .set_output = frame_set_output, .infer_subgraph = frame_infer_subgraph,
                    .fail = frame_fail, .set_output_kind = frame_set_output_kind,
                    .set_output_max = frame_set_output_max, .extent = frame_extent,
                    .combine = frame_combine, .elements = frame_elements,
                    .set_elements = frame_set_elements,
                    .subgraph_output = frame_subgraph_output},
        .def = def, .outputs = outputs, .dims = dims,
        .infer_subgraph = infer_subgraph, .user = user,
    };
    gint32 status;
    for (guint32 i = 0; i < view->input_count && i < 64; i++)
        if ((def->value_inputs >> i) & 1)
            values[i] = view->values[i];
    masked.values = values;
    status = check_dtypes(&frame);
    if (status == TSR_OK)
        status = def->infer != NULL ? def->infer(def, &frame.context) : follow(&frame);
    if (status == TSR_OK && TSR_HAS(def, infer_range))
        status = def->infer_range(def, &frame.context);
    if (status == TSR_OK && dims != NULL && TSR_HAS(def, infer_elements))
        status = def->infer_elements(def, &frame.context);
    if (status == TSR_OK && frame.error == NULL)
        return TRUE;
    if (frame.error == NULL)
        g_set_error(&frame.error, TSR_ERROR, status, "inference failed without saying why");
    describe_inputs(frame.error, def, view);
    g_propagate_error(error, frame.error);
    return FALSE;
}
