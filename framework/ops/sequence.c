/* SPDX-License-Identifier: Apache-2.0
 *
 * sequence.c: definitions of ONNX operators over sequences and optionals. What is
 * inferred is the kind and the element type; how many elements there are, and of which
 * shape, only a run knows, so the kernels make all outputs.
 */
#include "families.h"

/* The kind inside an optional, and the one around a value. */
static uint32_t kind_inside(uint32_t kind)
{
    return kind == TSR_KIND_OPTIONAL            ? TSR_KIND_TENSOR
           : kind == TSR_KIND_OPTIONAL_SEQUENCE ? TSR_KIND_SEQUENCE
                                                : kind;
}

static uint32_t kind_around(uint32_t kind)
{
    return kind == TSR_KIND_TENSOR     ? TSR_KIND_OPTIONAL
           : kind == TSR_KIND_SEQUENCE ? TSR_KIND_OPTIONAL_SEQUENCE
                                       : kind;
}

static int32_t want_kind(TsrInferContext *infer, uint32_t index, uint32_t kind)
{
    const TsrTensorDesc *desc = tsr_infer_input(infer, index);
    if (desc == NULL || desc->kind == kind)
        return TSR_OK;
    return infer->fail(infer, TSR_INVALID_ARGUMENT, "input %u: wanted a %s, got a %s", index,
                       tsr_kind_name(kind), tsr_kind_name(desc->kind));
}

static int32_t set_unknown(TsrInferContext *infer, uint32_t index, uint32_t kind, uint32_t dtype)
{
    return infer->set_output_kind(infer, index, kind, dtype, TSR_RANK_UNKNOWN, NULL);
}

static int32_t infer_construct(const TsrOpDef *def, TsrInferContext *infer)
{
    (void)def;
    for (uint32_t i = 1; i < infer->node->input_count; i++)
        if (tsr_infer_dtype(infer, i) != tsr_infer_dtype(infer, 0) &&
            tsr_infer_dtype(infer, i) != TSR_DTYPE_UNDEFINED)
            return infer->fail(infer, TSR_INVALID_ARGUMENT, "input %u is %s, input 0 is %s", i,
                               tsr_dtype_name(tsr_infer_dtype(infer, i)),
                               tsr_dtype_name(tsr_infer_dtype(infer, 0)));
    return set_unknown(infer, 0, TSR_KIND_SEQUENCE, tsr_infer_dtype(infer, 0));
}

static int32_t infer_empty(const TsrOpDef *def, TsrInferContext *infer)
{
    (void)def;
    return set_unknown(infer, 0, TSR_KIND_SEQUENCE,
                       (uint32_t)tsr_attr_int(infer->node, "dtype", TSR_DTYPE_FLOAT));
}

/* Insert, erase: a sequence of the same type. */
static int32_t infer_changed(const TsrOpDef *def, TsrInferContext *infer)
{
    int32_t status = want_kind(infer, 0, TSR_KIND_SEQUENCE);
    (void)def;
    return status != TSR_OK ? status
                            : set_unknown(infer, 0, TSR_KIND_SEQUENCE, tsr_infer_dtype(infer, 0));
}

static int32_t infer_at(const TsrOpDef *def, TsrInferContext *infer)
{
    int32_t status = want_kind(infer, 0, TSR_KIND_SEQUENCE);
    (void)def;
    return status != TSR_OK ? status
                            : set_unknown(infer, 0, TSR_KIND_TENSOR, tsr_infer_dtype(infer, 0));
}

static int32_t infer_length(const TsrOpDef *def, TsrInferContext *infer)
{
    int32_t status = want_kind(infer, 0, TSR_KIND_SEQUENCE);
    (void)def;
    return status != TSR_OK ? status : infer->set_output(infer, 0, TSR_DTYPE_INT64, 0, NULL);
}

static int32_t infer_split(const TsrOpDef *def, TsrInferContext *infer)
{
    (void)def;
    return set_unknown(infer, 0, TSR_KIND_SEQUENCE, tsr_infer_dtype(infer, 0));
}

static int32_t infer_optional(const TsrOpDef *def, TsrInferContext *infer)
{
    const TsrTensorDesc *desc = tsr_infer_input(infer, 0);
    /* The importer writes a type attribute as {kind, dtype}. */
    const TsrAttr *type = tsr_attr_find(infer->node, "type");
    (void)def;
    if (desc != NULL)
        return infer->set_output_kind(infer, 0, kind_around(desc->kind), desc->dtype, desc->rank,
                                      desc->shape);
    if (type == NULL || type->count != 2)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "without an input it needs the attribute type");
    return set_unknown(infer, 0, kind_around((uint32_t)type->ints[0]), (uint32_t)type->ints[1]);
}

static int32_t infer_get_element(const TsrOpDef *def, TsrInferContext *infer)
{
    const TsrTensorDesc *desc = tsr_infer_input(infer, 0);
    (void)def;
    if (desc == NULL)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "has no input");
    return infer->set_output_kind(infer, 0, kind_inside(desc->kind), desc->dtype, desc->rank,
                                  desc->shape);
}

static int32_t infer_has_element(const TsrOpDef *def, TsrInferContext *infer)
{
    (void)def;
    return infer->set_output(infer, 0, TSR_DTYPE_BOOL, 0, NULL);
}

/* SequenceMap: the body sees one element of each sequence, and other inputs whole. */
static int32_t infer_map(const TsrOpDef *def, TsrInferContext *infer)
{
    enum { MAX_INPUTS = 64 };
    const TsrAttr *body = tsr_attr_find(infer->node, "body");
    const TsrTensorDesc *descs[MAX_INPUTS], *const *outputs = NULL;
    TsrTensorDesc elements[MAX_INPUTS];
    uint32_t count = infer->node->input_count, output_count = 0;
    int32_t status = want_kind(infer, 0, TSR_KIND_SEQUENCE);
    (void)def;
    if (status != TSR_OK)
        return status;
    if (body == NULL || count > MAX_INPUTS)
        return infer->fail(infer, TSR_UNSUPPORTED, "has no body or more than %d inputs",
                           MAX_INPUTS);
    for (uint32_t i = 0; i < count; i++) {
        const TsrTensorDesc *desc = tsr_infer_input(infer, i);
        if (desc == NULL)
            return infer->fail(infer, TSR_INVALID_ARGUMENT, "input %u is missing", i);
        elements[i] = *desc;
        if (desc->kind == TSR_KIND_SEQUENCE)
            elements[i].kind = TSR_KIND_TENSOR;
        descs[i] = &elements[i];
    }
    status = infer->infer_subgraph(infer, (uint32_t)body->i, descs, count, &outputs,
                                   &output_count);
    if (status != TSR_OK)
        return status;
    if (output_count < infer->node->output_count)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "the body gives %u outputs, the node has %u", output_count,
                           infer->node->output_count);
    for (uint32_t i = 0; i < infer->node->output_count && status == TSR_OK; i++)
        status = set_unknown(infer, i, TSR_KIND_SEQUENCE, outputs[i]->dtype);
    return status;
}

static const TsrOpParam tensors_in[] = {{"inputs", TSR_PARAM_VARIADIC, 1, TYPES_V13}};
static const TsrOpParam sequence_out[] = {{"output_sequence", TSR_PARAM_REQUIRED, 0, TYPES_V13}};
static const TsrOpParam insert_in[] = {
    {"input_sequence", TSR_PARAM_REQUIRED, 0, TYPES_V13},
    {"tensor", TSR_PARAM_REQUIRED, 0, TYPES_V13},
    {"position", TSR_PARAM_OPTIONAL, 0, TSR_TYPES_INDEX},
};
static const TsrOpParam erase_in[] = {
    {"input_sequence", TSR_PARAM_REQUIRED, 0, TYPES_V13},
    {"position", TSR_PARAM_OPTIONAL, 0, TSR_TYPES_INDEX},
};
static const TsrOpParam at_in[] = {
    {"input_sequence", TSR_PARAM_REQUIRED, 0, TYPES_V13},
    {"position", TSR_PARAM_REQUIRED, 0, TSR_TYPES_INDEX},
};
static const TsrOpParam tensor_out[] = {{"tensor", TSR_PARAM_REQUIRED, 0, TYPES_V13}};
static const TsrOpParam sequence_in[] = {{"input_sequence", TSR_PARAM_REQUIRED, 0, TYPES_V13}};
static const TsrOpParam length_out[] = {
    {"length", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
};
static const TsrOpParam split_in[] = {
    {"input", TSR_PARAM_REQUIRED, 0, TYPES_V13},
    {"split", TSR_PARAM_OPTIONAL, 0, TSR_TYPES_INDEX},
};
static const TsrOpParam optional_in[] = {{"input", TSR_PARAM_OPTIONAL, 0, TSR_TYPES_ANY}};
static const TsrOpParam value_in[] = {{"input", TSR_PARAM_REQUIRED, 0, TSR_TYPES_ANY}};
static const TsrOpParam value_out[] = {{"output", TSR_PARAM_REQUIRED, 0, TSR_TYPES_ANY}};
static const TsrOpParam bool_out[] = {
    {"output", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_BOOL)},
};
static const TsrOpParam map_in[] = {
    {"input_sequence", TSR_PARAM_REQUIRED, 0, TYPES_V13},
    {"additional_inputs", TSR_PARAM_VARIADIC_MIXED, 0, TSR_TYPES_ANY},
};
static const TsrOpParam map_out[] = {{"out_sequence", TSR_PARAM_VARIADIC_MIXED, 0, TSR_TYPES_ANY}};

static const TsrOpAttr empty_attrs[] = {{.name = "dtype", .type = TSR_ATTR_INT}};
static const TsrOpAttr split_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .has_default = 1, .i = 0},
    {.name = "keepdims", .type = TSR_ATTR_INT, .has_default = 1, .i = 1},
};
static const TsrOpAttr concat_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .required = 1},
    {.name = "new_axis", .type = TSR_ATTR_INT, .has_default = 1, .i = 0, .min = 0, .max = 1},
};
static const TsrOpAttr optional_attrs[] = {{.name = "type", .type = TSR_ATTR_INTS}};
static const TsrOpAttr map_attrs[] = {{.name = "body", .type = TSR_ATTR_GRAPH, .required = 1}};

#define FROM_RUN .flags = TSR_OP_DATA_DEPENDENT

static const TsrOpDef sequence_defs[] = {
    {OP_ROW("", "SequenceConstruct", 11), OP_INPUTS(tensors_in), OP_OUTPUTS(sequence_out),
     FROM_RUN, .infer = infer_construct},
    {OP_ROW("", "SequenceEmpty", 11), OP_OUTPUTS(sequence_out), OP_ATTRS(empty_attrs), FROM_RUN,
     .infer = infer_empty},
    {OP_ROW("", "SequenceInsert", 11), OP_INPUTS(insert_in), OP_OUTPUTS(sequence_out), FROM_RUN,
     .infer = infer_changed},
    {OP_ROW("", "SequenceErase", 11), OP_INPUTS(erase_in), OP_OUTPUTS(sequence_out), FROM_RUN,
     .infer = infer_changed},
    {OP_ROW("", "SequenceAt", 11), OP_INPUTS(at_in), OP_OUTPUTS(tensor_out), FROM_RUN,
     .infer = infer_at},
    {OP_ROW("", "SequenceLength", 11), OP_INPUTS(sequence_in), OP_OUTPUTS(length_out), FROM_RUN,
     .infer = infer_length},
    {OP_ROW("", "SplitToSequence", 11), OP_INPUTS(split_in), OP_OUTPUTS(sequence_out),
     OP_ATTRS(split_attrs), FROM_RUN, .infer = infer_split},
    {OP_ROW("", "SplitToSequence", 24), OP_INPUTS(split_in), OP_OUTPUTS(sequence_out),
     OP_ATTRS(split_attrs), FROM_RUN, .infer = infer_split},
    {OP_ROW("", "ConcatFromSequence", 11), OP_INPUTS(sequence_in), OP_OUTPUTS(tensor_out),
     OP_ATTRS(concat_attrs), FROM_RUN, .infer = infer_at},
    {OP_ROW("", "Optional", 15), OP_INPUTS(optional_in), OP_OUTPUTS(value_out),
     OP_ATTRS(optional_attrs), FROM_RUN, .infer = infer_optional},
    {OP_ROW("", "OptionalGetElement", 15), OP_INPUTS(value_in), OP_OUTPUTS(value_out), FROM_RUN,
     .infer = infer_get_element},
    {OP_ROW("", "OptionalGetElement", 18), OP_INPUTS(value_in), OP_OUTPUTS(value_out), FROM_RUN,
     .infer = infer_get_element},
    {OP_ROW("", "OptionalHasElement", 15), OP_INPUTS(value_in), OP_OUTPUTS(bool_out), FROM_RUN,
     .infer = infer_has_element},
    {OP_ROW("", "OptionalHasElement", 18), OP_INPUTS(optional_in), OP_OUTPUTS(bool_out),
     FROM_RUN, .infer = infer_has_element},
    {OP_ROW("", "SequenceMap", 17), OP_INPUTS(map_in), OP_OUTPUTS(map_out), OP_ATTRS(map_attrs),
     FROM_RUN, .infer = infer_map},
};

const TsrOps tsr_ops_sequence = OP_FAMILY(sequence_defs);
