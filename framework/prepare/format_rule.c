/* SPDX-License-Identifier: Apache-2.0
 *
 * format_rule.c: see format_rule.h. No operator is named here: what one keeps or fixes is
 * said by its definition, or follows from its shapes.
 */
#include "prepare/format_rule.h"

#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "plugin/host.h"

typedef struct Asking {
    TsrFormatContext interface;
    TsrNode *node;
    GArray *wishes;
} Asking;

gboolean tsr_format_fits(const TsrTensorDesc *desc, guint32 format, guint32 expand_dims)
{
    if (desc->kind != TSR_KIND_TENSOR || desc->rank == TSR_RANK_UNKNOWN)
        return FALSE;
    switch (format) {
    case TSR_FORMAT_NCHW:
        return desc->rank == 4
                   ? expand_dims == 0
                   : desc->rank > 0 && expand_dims < 16 &&
                         (guint32)__builtin_popcount(expand_dims) == desc->rank;
    case TSR_FORMAT_NHWC:
    case TSR_FORMAT_HWCN:
        return desc->rank == 4 && expand_dims == 0;
    case TSR_FORMAT_NCDHW:
    case TSR_FORMAT_NDHWC:
        return desc->rank == 5 && expand_dims == 0;
    default:
        return FALSE;
    }
}

static TsrValue *value_at(const GPtrArray *values, guint32 index)
{
    return index < values->len ? g_ptr_array_index(values, index) : NULL;
}

/* The value of the node that has this format already, from which it may come. */
static const TsrValue *find_source(const TsrNode *node, const TsrValue *target, guint32 format)
{
    const GPtrArray *ports[2] = {node->inputs, node->outputs};
    for (guint side = 0; side < 2; side++)
        for (guint i = 0; i < ports[side]->len; i++) {
            const TsrValue *value = g_ptr_array_index(ports[side], i);
            if (value != NULL && value != target && value->desc.view.origin_format == format)
                return value;
        }
    return NULL;
}

static void add_wish(GArray *wishes, TsrValue *value, guint32 format, guint32 expand_dims,
                     const TsrValue *source, gboolean is_parameter)
{
    TsrFormatWish wish = {value, format, expand_dims, source, is_parameter};
    if (value != NULL && tsr_format_fits(&value->desc.view, format, expand_dims))
        g_array_append_val(wishes, wish);
}

/* -------------------------------------------------------- infer_format_full */

static int32_t set_port(TsrFormatContext *context, const GPtrArray *values, const char *what,
                        uint32_t index, uint32_t format, uint32_t expand_dims)
{
    Asking *asking = context->context;
    const TsrHost *host = tsr_host_get();
    TsrValue *value = value_at(values, index);
    if (index >= values->len)
        return host->set_error(host, TSR_INVALID_ARGUMENT, "has %u %ss, wants to fix %s %u",
                               values->len, what, what, index);
    if (format > TSR_FORMAT_NDHWC)
        return host->set_error(host, TSR_INVALID_ARGUMENT,
                               "%s %u: %s cannot be an origin format", what, index,
                               tsr_format_name(format));
    if (value == NULL || format == TSR_FORMAT_ND || value->desc.view.rank == TSR_RANK_UNKNOWN)
        return TSR_OK;
    if (!tsr_format_fits(&value->desc.view, format, expand_dims))
        return host->set_error(host, TSR_INVALID_ARGUMENT,
                               "%s %u has rank %u, which %s with the rule 0x%x does not fit",
                               what, index, value->desc.view.rank, tsr_format_name(format),
                               expand_dims);
    add_wish(asking->wishes, value, format, expand_dims,
             find_source(asking->node, value, format), FALSE);
    return TSR_OK;
}

static int32_t set_input(TsrFormatContext *context, uint32_t index, uint32_t format,
                         uint32_t expand_dims)
{
    const Asking *asking = context->context;
    return set_port(context, asking->node->inputs, "input", index, format, expand_dims);
}

static int32_t set_output(TsrFormatContext *context, uint32_t index, uint32_t format,
                          uint32_t expand_dims)
{
    const Asking *asking = context->context;
    return set_port(context, asking->node->outputs, "output", index, format, expand_dims);
}

static int32_t fail(TsrFormatContext *context, int32_t code, const char *format, ...)
{
    const TsrHost *host = tsr_host_get();
    g_autofree char *text = NULL;
    va_list args;
    (void)context;
    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    return host->set_error(host, code, "%s", text);
}

/* Two values that are one: whoever means something tells the other. */
static void tie(GArray *wishes, TsrValue *a, TsrValue *b)
{
    if (a == NULL || b == NULL || a == b || a->desc.view.rank != b->desc.view.rank)
        return;
    if (a->desc.view.origin_format != TSR_FORMAT_ND)
        add_wish(wishes, b, a->desc.view.origin_format, a->desc.view.expand_dims, a, FALSE);
    else if (b->desc.view.origin_format != TSR_FORMAT_ND)
        add_wish(wishes, a, b->desc.view.origin_format, b->desc.view.expand_dims, b, FALSE);
}

static int32_t no_subgraph(const Asking *asking, uint32_t subgraph)
{
    const TsrHost *host = tsr_host_get();
    return host->set_error(host, TSR_INVALID_ARGUMENT, "has %u subgraphs, wants to tie %u",
                           asking->node->subgraphs->len, subgraph);
}

/* A body that inference emptied, or that lacks the port, ties nothing: its shapes were
 * checked before, and an omitted trailing input is no error. */
static int32_t tie_input(TsrFormatContext *context, uint32_t subgraph, uint32_t input,
                         uint32_t body_input)
{
    Asking *asking = context->context;
    const TsrGraph *body;
    if (subgraph >= asking->node->subgraphs->len)
        return no_subgraph(asking, subgraph);
    body = g_ptr_array_index(asking->node->subgraphs, subgraph);
    tie(asking->wishes, value_at(asking->node->inputs, input),
        value_at(body->inputs, body_input));
    return TSR_OK;
}

static int32_t tie_output(TsrFormatContext *context, uint32_t subgraph, uint32_t output,
                          uint32_t body_output)
{
    Asking *asking = context->context;
    const TsrGraph *body;
    if (subgraph >= asking->node->subgraphs->len)
        return no_subgraph(asking, subgraph);
    body = g_ptr_array_index(asking->node->subgraphs, subgraph);
    if (body_output < body->outputs->len)
        tie(asking->wishes, value_at(asking->node->outputs, output),
            g_array_index(body->outputs, TsrGraphOutput, body_output).value);
    return TSR_OK;
}

static gboolean refuse(const TsrNode *node, gint32 status, const char *slot, GError **error)
{
    g_autofree char *text = tsr_node_to_text(node);
    tsr_host_take_error(status, text, slot, error);
    return FALSE;
}

static gboolean ask_full(TsrNode *node, GArray *wishes, GError **error)
{
    Asking asking = {.node = node, .wishes = wishes};
    gint32 status;
    asking.interface = (TsrFormatContext){
        .struct_size = sizeof(TsrFormatContext), .node = tsr_node_view(node),
        .context = &asking, .set_input = set_input, .set_output = set_output, .fail = fail,
        .tie_input = tie_input, .tie_output = tie_output};
    tsr_host_clear_error();
    status = node->def->infer_format_full(node->def, &asking.interface);
    return status == TSR_OK || refuse(node, status, "infer_format_full", error);
}

/* ------------------------------------------------------------- infer_format */

static gboolean take_fixed(TsrNode *node, const GPtrArray *values, const guint32 *formats,
                           const char *what, GArray *wishes, GError **error)
{
    for (guint i = 0; i < values->len; i++) {
        TsrValue *value = g_ptr_array_index(values, i);
        if (formats[i] == TSR_FORMAT_ANY || formats[i] == TSR_FORMAT_ND)
            continue;
        if (formats[i] > TSR_FORMAT_NDHWC) {
            g_autofree char *text = tsr_node_to_text(node);
            g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                        "%s: infer_format: %s %u: %s cannot be an origin format", text, what, i,
                        tsr_format_name(formats[i]));
            return FALSE;
        }
        if (value != NULL)
            add_wish(wishes, value, formats[i], 0, find_source(node, value, formats[i]), FALSE);
    }
    return TRUE;
}

static gboolean ask_plain(TsrNode *node, GArray *wishes, GError **error)
{
    g_autofree guint32 *inputs = g_new(guint32, node->inputs->len + 1);
    g_autofree guint32 *outputs = g_new(guint32, node->outputs->len + 1);
    gint32 status;
    for (guint i = 0; i < node->inputs->len; i++)
        inputs[i] = TSR_FORMAT_ANY;
    for (guint i = 0; i < node->outputs->len; i++)
        outputs[i] = TSR_FORMAT_ANY;
    tsr_host_clear_error();
    status = node->def->infer_format(node->def, tsr_node_view(node), inputs, outputs);
    if (status != TSR_OK)
        return refuse(node, status, "infer_format", error);
    return take_fixed(node, node->inputs, inputs, "input", wishes, error) &&
           take_fixed(node, node->outputs, outputs, "output", wishes, error);
}

/* --------------------------------------------- operators that say nothing */

/* Whether the inputs' shapes join to the output's by broadcasting, unknown dimensions
 * taken at their word. */
static gboolean joins_shapes(const TsrNode *node, const TsrTensorDesc *output)
{
    gint64 shape[TSR_MAX_RANK];
    guint32 rank = 0;
    for (guint i = 0; i < node->inputs->len; i++) {
        const TsrValue *value = g_ptr_array_index(node->inputs, i);
        if (value == NULL)
            continue;
        if (value->desc.view.rank == TSR_RANK_UNKNOWN ||
            !tsr_shape_broadcast(&rank, shape, value->desc.view.rank, value->desc.shape))
            return FALSE;
    }
    if (rank != output->rank)
        return FALSE;
    for (guint32 i = 0; i < rank; i++)
        if (shape[i] != output->shape[i])
            return FALSE;
    return TRUE;
}

/* Whether an axis of an input is the same axis of the output: the definition says that the
 * output has the input's shape, or the shapes join by broadcasting and no attribute picks
 * an axis. */
static gboolean keeps_axes(const TsrNode *node, const TsrTensorDesc *output)
{
    if (node->subgraphs->len != 0 || output->rank == TSR_RANK_UNKNOWN)
        return FALSE;
    if (node->def->infer == NULL && node->def->follow != NULL)
        return TRUE;
    return (node->def->flags & (TSR_OP_VIEW | TSR_OP_DATA_DEPENDENT)) == 0 &&
           tsr_node_attr(node, "axis") == NULL && joins_shapes(node, output);
}

/* The rule of an operand of lower rank, whose axes are the last ones of the output. */
static guint32 trailing_rule(guint32 output_rule, guint32 rank)
{
    static const guint32 axes[4] = {TSR_EXPAND_N, TSR_EXPAND_C, TSR_EXPAND_H, TSR_EXPAND_W};
    guint32 rule = 0;
    if (output_rule == 0)
        output_rule = TSR_EXPAND_N | TSR_EXPAND_C | TSR_EXPAND_H | TSR_EXPAND_W;
    for (guint i = 4; i-- > 0 && rank > 0;) {
        if ((output_rule & axes[i]) == 0)
            continue;
        rule |= axes[i];
        rank--;
    }
    return rule;
}

static void keep_axes(TsrNode *node, GArray *wishes)
{
    const TsrValue *output = value_at(node->outputs, 0), *source = NULL;
    const GPtrArray *ports[2] = {node->inputs, node->outputs};
    guint32 rank;
    if (output == NULL || !keeps_axes(node, &output->desc.view))
        return;
    rank = output->desc.view.rank;
    for (guint side = 0; side < 2 && source == NULL; side++)
        for (guint i = 0; i < ports[side]->len && source == NULL; i++) {
            const TsrValue *value = g_ptr_array_index(ports[side], i);
            if (value != NULL && value->desc.view.rank == rank &&
                value->desc.view.origin_format != TSR_FORMAT_ND)
                source = value;
        }
    if (source == NULL)
        return;
    for (guint side = 0; side < 2; side++)
        for (guint i = 0; i < ports[side]->len; i++) {
            TsrValue *value = g_ptr_array_index(ports[side], i);
            const TsrTensorDesc *from = &source->desc.view;
            if (value == NULL)
                continue;
            if (value->desc.view.rank == rank)
                add_wish(wishes, value, from->origin_format, from->expand_dims, source, FALSE);
            else if (side == 0 && value->desc.view.rank < rank &&
                     from->origin_format == TSR_FORMAT_NCHW)
                add_wish(wishes, value, from->origin_format,
                         trailing_rule(from->expand_dims, value->desc.view.rank), source, TRUE);
        }
}

gboolean tsr_format_wishes(TsrNode *node, GArray *wishes, GError **error)
{
    if (node->kind != TSR_NODE_OPERATOR)
        return TRUE;
    if (TSR_HAS(node->def, infer_format_full))
        return ask_full(node, wishes, error);
    if (node->def->infer_format != NULL)
        return ask_plain(node, wishes, error);
    keep_axes(node, wishes);
    return TRUE;
}
