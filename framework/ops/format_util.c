/* SPDX-License-Identifier: Apache-2.0
 *
 * format_util.c: see format_util.h. The axes of convolutions, pools and Transpose are
 * those of the ONNX operator texts.
 */
#include "format_util.h"

#include <string.h>

static int has_format(const TsrTensorDesc *desc)
{
    return desc != NULL && desc->origin_format != TSR_FORMAT_ND;
}

static const TsrTensorDesc *input_at(const TsrFormatContext *context, uint32_t index)
{
    return index < context->node->input_count ? context->node->inputs[index] : NULL;
}

int32_t tsr_format_channels(const TsrOpDef *def, TsrFormatContext *context)
{
    const TsrTensorDesc *x = input_at(context, 0);
    uint32_t rank = x != NULL ? x->rank : 0;
    uint32_t format = rank == 5 ? TSR_FORMAT_NCDHW : TSR_FORMAT_NCHW;
    uint32_t rule = rank == 3 ? TSR_EXPAND_N | TSR_EXPAND_C | TSR_EXPAND_W : 0;
    int32_t status;
    (void)def;
    if (rank < 3 || rank > 5)
        return TSR_OK;
    status = context->set_input(context, 0, format, rule);
    if (status == TSR_OK && context->node->output_count > 0 &&
        context->node->outputs[0] != NULL && context->node->outputs[0]->rank == rank)
        status = context->set_output(context, 0, format, rule);
    return status;
}

int32_t tsr_format_conv(const TsrOpDef *def, TsrFormatContext *context)
{
    const TsrTensorDesc *w = input_at(context, 1);
    const uint32_t rank = w != NULL ? w->rank : 0;
    const int32_t status = tsr_format_channels(def, context);
    if (status != TSR_OK || (rank != 3 && rank != 4))
        return status;
    return context->set_input(context, 1, TSR_FORMAT_NCHW,
                              rank == 3 ? TSR_EXPAND_N | TSR_EXPAND_C | TSR_EXPAND_W : 0);
}

/* Gives the format of the first port that has one to all that have its rank, of the first
 * input_count inputs and all outputs. */
static int32_t give_to_all(TsrFormatContext *context, uint32_t input_count)
{
    const TsrNodeView *node = context->node;
    const TsrTensorDesc *first = input_at(context, 0), *found = NULL;
    int32_t status = TSR_OK;
    if (first == NULL || first->rank == TSR_RANK_UNKNOWN)
        return TSR_OK;
    for (uint32_t i = 0; i < input_count && found == NULL; i++)
        if (has_format(node->inputs[i]) && node->inputs[i]->rank == first->rank)
            found = node->inputs[i];
    for (uint32_t i = 0; i < node->output_count && found == NULL; i++)
        if (has_format(node->outputs[i]) && node->outputs[i]->rank == first->rank)
            found = node->outputs[i];
    if (found == NULL)
        return TSR_OK;
    for (uint32_t i = 0; i < input_count && status == TSR_OK; i++)
        if (node->inputs[i] != NULL && node->inputs[i]->rank == found->rank)
            status = context->set_input(context, i, found->origin_format, found->expand_dims);
    for (uint32_t i = 0; i < node->output_count && status == TSR_OK; i++)
        if (node->outputs[i] != NULL && node->outputs[i]->rank == found->rank)
            status = context->set_output(context, i, found->origin_format, found->expand_dims);
    return status;
}

int32_t tsr_format_keep(const TsrOpDef *def, TsrFormatContext *context)
{
    (void)def;
    return give_to_all(context, context->node->input_count > 0 ? 1 : 0);
}

int32_t tsr_format_join(const TsrOpDef *def, TsrFormatContext *context)
{
    (void)def;
    return give_to_all(context, context->node->input_count);
}

int32_t tsr_format_unrelated(const TsrOpDef *def, TsrFormatContext *context)
{
    (void)def;
    (void)context;
    return TSR_OK;
}

/* The formats whose name lists their axes. */
static const uint32_t named_formats[] = {TSR_FORMAT_NCHW, TSR_FORMAT_NHWC, TSR_FORMAT_HWCN,
                                         TSR_FORMAT_NCDHW, TSR_FORMAT_NDHWC};

/* The letters of a format with one axis for each dimension, or NULL. */
static const char *letters_of(const TsrTensorDesc *desc)
{
    for (size_t i = 0; i < sizeof(named_formats) / sizeof(named_formats[0]); i++)
        if (named_formats[i] == desc->origin_format &&
            strlen(tsr_format_name(named_formats[i])) == desc->rank)
            return tsr_format_name(named_formats[i]);
    return NULL;
}

static uint32_t format_of_letters(const char *letters)
{
    for (size_t i = 0; i < sizeof(named_formats) / sizeof(named_formats[0]); i++)
        if (strcmp(tsr_format_name(named_formats[i]), letters) == 0)
            return named_formats[i];
    return TSR_FORMAT_ND;
}

int32_t tsr_format_transpose(const TsrOpDef *def, TsrFormatContext *context)
{
    const TsrTensorDesc *x = input_at(context, 0), *y;
    uint32_t perm_count = 0, format;
    const int64_t *perm = tsr_attr_ints(context->node, "perm", &perm_count);
    char letters[8] = "";
    const char *known;
    (void)def;
    y = context->node->output_count > 0 ? context->node->outputs[0] : NULL;
    if (x == NULL || y == NULL || (x->rank != 4 && x->rank != 5) || y->rank != x->rank ||
        (perm_count != 0 && perm_count != x->rank))
        return TSR_OK;
    for (int forward = 1; forward >= 0; forward--) {
        known = letters_of(forward ? x : y);
        if (known == NULL)
            continue;
        for (uint32_t i = 0; i < x->rank; i++) {
            int64_t from = perm_count != 0 ? perm[i] : (int64_t)x->rank - 1 - i;
            if (from < 0 || from >= (int64_t)x->rank)
                return TSR_OK; /* inference says so */
            letters[forward ? i : (uint32_t)from] = known[forward ? (uint32_t)from : i];
        }
        format = format_of_letters(letters);
        if (format == TSR_FORMAT_ND)
            return TSR_OK;
        return forward ? context->set_output(context, 0, format, 0)
                       : context->set_input(context, 0, format, 0);
    }
    return TSR_OK;
}

/* ---------------------------------------------------------------- subgraphs */

int32_t tsr_format_if(const TsrOpDef *def, TsrFormatContext *context)
{
    int32_t status = TSR_OK;
    (void)def;
    for (uint32_t branch = 0; branch < context->node->subgraph_count; branch++)
        for (uint32_t i = 0; i < context->node->output_count && status == TSR_OK; i++)
            status = context->tie_output(context, branch, i, i);
    return status;
}

/* Ties states and scanned values of a body. The node's inputs from first_input on are the
 * body's from first_body_input on; its outputs the body's from first_body_output on; the
 * first state_count of both are one value from round to round. */
static int32_t tie_body(TsrFormatContext *context, uint32_t first_input,
                        uint32_t first_body_input, uint32_t first_body_output,
                        uint32_t state_count)
{
    const TsrNodeView *node = context->node;
    int32_t status = TSR_OK;
    for (uint32_t i = first_input; i < node->input_count && status == TSR_OK; i++)
        status = context->tie_input(context, 0, i, first_body_input + i - first_input);
    for (uint32_t i = 0; i < node->output_count && status == TSR_OK; i++)
        status = context->tie_output(context, 0, i, first_body_output + i);
    for (uint32_t i = 0; i < state_count && i < node->output_count && status == TSR_OK; i++) {
        const TsrTensorDesc *before = input_at(context, first_input + i);
        const TsrTensorDesc *after = node->outputs[i];
        if (before == NULL || after == NULL || before->rank != after->rank)
            continue;
        if (has_format(before))
            status = context->set_output(context, i, before->origin_format,
                                         before->expand_dims);
        else if (has_format(after))
            status = context->set_input(context, first_input + i, after->origin_format,
                                        after->expand_dims);
    }
    return status;
}

int32_t tsr_format_loop(const TsrOpDef *def, TsrFormatContext *context)
{
    uint32_t inputs = context->node->input_count;
    (void)def;
    return tie_body(context, 2, 2, 1, inputs > 2 ? inputs - 2 : 0);
}

int32_t tsr_format_scan(const TsrOpDef *def, TsrFormatContext *context)
{
    /* Scan 8 puts the lengths of the sequences first, and a batch dimension into all. */
    uint32_t first = def->since_version < 9 ? 1 : 0;
    int64_t scanned = tsr_attr_int(context->node, "num_scan_inputs", 0);
    int64_t states = (int64_t)context->node->input_count - first - scanned;
    return tie_body(context, first, 0, 0, states > 0 ? (uint32_t)states : 0);
}
