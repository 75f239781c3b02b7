/* SPDX-License-Identifier: Apache-2.0
 *
 * control.c: definitions of ONNX operators:
 * control flow over subgraphs.
 * Rows follow the ONNX changelog from opset 7 on: one for each version whose types,
 * attributes or meaning changed.
 */
#include "families.h"

/* Joins what two branches say of one output: a dtype must agree, a differing
 * dimension or rank becomes unknown. */
static int32_t join_branches(TsrInferContext *infer, uint32_t output, uint32_t *dtype,
                             Shape *shape, const TsrTensorDesc *other)
{
    if (*dtype == TSR_DTYPE_UNDEFINED)
        *dtype = other->dtype;
    else if (other->dtype != TSR_DTYPE_UNDEFINED && other->dtype != *dtype)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "output %u is %s in one branch and %s in the other", output,
                           tsr_dtype_name(*dtype), tsr_dtype_name(other->dtype));
    if (shape->rank == TSR_RANK_UNKNOWN || shape->rank != other->rank) {
        shape->rank = TSR_RANK_UNKNOWN;
        return TSR_OK;
    }
    for (uint32_t i = 0; i < shape->rank; i++)
        if (shape->dim[i] != other->shape[i])
            shape->dim[i] = TSR_DIM_UNKNOWN;
    return TSR_OK;
}

static int32_t set_kind(TsrInferContext *infer, uint32_t output, uint32_t kind, uint32_t dtype,
                        const Shape *shape)
{
    return infer->set_output_kind(infer, output, kind, dtype, shape->rank, shape->dim);
}

static Shape shape_of(const TsrTensorDesc *desc)
{
    Shape shape = {.rank = TSR_RANK_UNKNOWN};
    if (desc->rank <= TSR_MAX_RANK) {
        shape.rank = desc->rank;
        memcpy(shape.dim, desc->shape, desc->rank * sizeof(shape.dim[0]));
    }
    return shape;
}

/* If: outputs must agree between the branches as far as both are known. */
static int32_t infer_if(const TsrOpDef *def, TsrInferContext *infer)
{
    static const char *const branches[2] = {"then_branch", "else_branch"};
    uint32_t outputs = infer->node->output_count;
    uint32_t dtypes[64], kinds[64];
    Shape shapes[64];
    int known = 0;
    (void)def;
    if (outputs > COUNT_OF(dtypes))
        return infer->fail(infer, TSR_UNSUPPORTED, "has %u outputs, at most %u", outputs,
                           COUNT_OF(dtypes));
    for (uint32_t b = 0; b < 2; b++) {
        const TsrAttr *attr = tsr_attr_find(infer->node, branches[b]);
        const TsrTensorDesc *const *descs = NULL;
        uint32_t count = 0;
        int32_t status;
        if (attr == NULL)
            return infer->fail(infer, TSR_INVALID_ARGUMENT, "needs the attribute %s", branches[b]);
        status = infer->infer_subgraph(infer, (uint32_t)attr->i, NULL, 0, &descs, &count);
        if (status != TSR_OK)
            return status;
        if (count == 0)
            continue; /* it contradicts what it captures, and so never runs */
        if (count != outputs)
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "%s has %u outputs, the node has %u", branches[b], count, outputs);
        for (uint32_t i = 0; i < outputs; i++) {
            if (!known) {
                kinds[i] = descs[i]->kind;
                dtypes[i] = descs[i]->dtype;
                shapes[i] = shape_of(descs[i]);
            } else if ((status = join_branches(infer, i, &dtypes[i], &shapes[i], descs[i])) !=
                       TSR_OK) {
                return status;
            }
        }
        known = 1;
    }
    if (!known)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "neither branch can run with the shapes around it");
    for (uint32_t i = 0; i < outputs; i++) {
        int32_t status = set_kind(infer, i, kinds[i], dtypes[i], &shapes[i]);
        if (status != TSR_OK)
            return status;
    }
    return TSR_OK;
}

/* A desc with its shape beside it, as an input of a body. */
typedef struct BodyInput {
    TsrTensorDesc desc;
    int64_t dim[TSR_MAX_RANK];
} BodyInput;

static void body_input(BodyInput *input, uint32_t kind, uint32_t dtype, const Shape *shape)
{
    memset(input, 0, sizeof(*input));
    input->desc.struct_size = sizeof(TsrTensorDesc);
    input->desc.kind = kind;
    input->desc.dtype = dtype;
    input->desc.name = "";
    input->desc.rank = input->desc.storage_rank = shape->rank;
    if (shape->rank != TSR_RANK_UNKNOWN) {
        memcpy(input->dim, shape->dim, shape->rank * sizeof(int64_t));
        input->desc.shape = input->desc.storage_shape = input->dim;
    }
}

enum { MAX_BODY = 64 };

/* Infers the body twice: a state whose shape changes over one iteration gets the
 * dimensions that changed unknown. states: descs, dtypes and shapes of the state. */
static int32_t infer_body(TsrInferContext *infer, BodyInput *inputs, uint32_t first_state,
                          uint32_t state_count, uint32_t input_count, uint32_t first_output,
                          const TsrTensorDesc *const **out_descs, uint32_t *out_count)
{
    const TsrAttr *body = tsr_attr_find(infer->node, "body");
    if (body == NULL)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "needs the attribute body");
    for (uint32_t pass = 0; pass < 2; pass++) {
        const TsrTensorDesc *descs[MAX_BODY];
        int changed = 0;
        int32_t status;
        for (uint32_t i = 0; i < input_count; i++)
            descs[i] = &inputs[i].desc;
        status = infer->infer_subgraph(infer, (uint32_t)body->i, descs, input_count, out_descs,
                                       out_count);
        if (status != TSR_OK)
            return status;
        if (*out_count < first_output + state_count)
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "the body has %u outputs, at least %u wanted", *out_count,
                               first_output + state_count);
        for (uint32_t i = 0; i < state_count; i++) {
            BodyInput *state = &inputs[first_state + i];
            Shape shape = shape_of(&state->desc), before = shape;
            uint32_t dtype = state->desc.dtype;
            status = join_branches(infer, i, &dtype, &shape, (*out_descs)[first_output + i]);
            if (status != TSR_OK)
                return status;
            if (shape.rank != before.rank ||
                (shape.rank != TSR_RANK_UNKNOWN &&
                 memcmp(shape.dim, before.dim, shape.rank * sizeof(int64_t)) != 0) ||
                dtype != state->desc.dtype)
                changed = 1;
            body_input(state, state->desc.kind, dtype, &shape);
        }
        if (!changed)
            break;
    }
    return TSR_OK;
}

/* The value of an optional input of one element; *out_known 0: it is there, but unknown. */
static int64_t scalar_input(const TsrInferContext *infer, uint32_t index, int64_t otherwise,
                            int *out_known)
{
    const TsrTensor *value;
    *out_known = 1;
    if (tsr_infer_input(infer, index) == NULL)
        return otherwise;
    value = infer->node->values != NULL ? infer->node->values[index] : NULL;
    *out_known = value != NULL && value->data != NULL && tsr_desc_elements(value->desc) == 1;
    if (!*out_known)
        return otherwise;
    return value->desc->dtype == TSR_DTYPE_BOOL ? *(const uint8_t *)value->data != 0
                                                : *(const int64_t *)value->data;
}

/* More rounds than any tensor has room for: such a count means that the condition ends it. */
#define LOOP_ROUNDS_MAX INT32_MAX

/* How many rounds a Loop has for certain: M (none when that is negative) while nothing may make
 * its condition false before; none or one where a condition is false; else unknown. */
static int64_t loop_rounds(TsrInferContext *infer)
{
    const TsrAttr *body = tsr_attr_find(infer->node, "body");
    const TsrTensor *next = NULL;
    uint32_t handed_on = UINT32_MAX;
    int limit_known, go_known;
    const int64_t limit = scalar_input(infer, 0, INT64_MAX, &limit_known);
    const int64_t go = scalar_input(infer, 1, 1, &go_known);
    if ((limit_known && limit <= 0) || (go_known && !go))
        return 0;
    if (!go_known || !limit_known)
        return TSR_DIM_UNKNOWN;
    if (limit == 1)
        return 1;
    if (!TSR_HAS(infer, subgraph_output) ||
        infer->subgraph_output(infer, (uint32_t)body->i, 0, &next, &handed_on) != TSR_OK)
        return TSR_DIM_UNKNOWN;
    if (next != NULL &&
        (tsr_desc_elements(next->desc) != 1 || next->desc->dtype != TSR_DTYPE_BOOL))
        return TSR_DIM_UNKNOWN;
    if (next != NULL && *(const uint8_t *)next->data == 0)
        return 1;
    return (next != NULL || handed_on == 1) && limit <= LOOP_ROUNDS_MAX ? limit
                                                                        : TSR_DIM_UNKNOWN;
}

/* Makes a shape one of a higher rank; unknown where no tensor has that rank. */
static void insert_dim(Shape *shape, uint32_t axis, int64_t extent)
{
    if (shape->rank >= TSR_MAX_RANK) {
        shape->rank = TSR_RANK_UNKNOWN;
        return;
    }
    memmove(shape->dim + axis + 1, shape->dim + axis, (shape->rank - axis) * sizeof(int64_t));
    shape->dim[axis] = extent;
    shape->rank++;
}

/* Loop: inputs M, cond, v_initial...; body (i, cond, v...) -> (cond, v..., scan...). A
 * scan output gets the number of iterations as its first dimension. */
static int32_t infer_loop(const TsrOpDef *def, TsrInferContext *infer)
{
    BodyInput inputs[MAX_BODY];
    const TsrTensorDesc *const *descs = NULL;
    uint32_t states = infer->node->input_count > 2 ? infer->node->input_count - 2 : 0, count = 0;
    Shape scalar = {.rank = 0};
    int64_t rounds;
    int32_t status;
    (void)def;
    if (states + 2 > MAX_BODY)
        return infer->fail(infer, TSR_UNSUPPORTED, "has %u loop-carried values, at most %d",
                           states, MAX_BODY - 2);
    body_input(&inputs[0], TSR_KIND_TENSOR, TSR_DTYPE_INT64, &scalar);
    body_input(&inputs[1], TSR_KIND_TENSOR, TSR_DTYPE_BOOL, &scalar);
    for (uint32_t i = 0; i < states; i++) {
        Shape shape = tsr_infer_shape(infer, 2 + i);
        const TsrTensorDesc *desc = tsr_infer_input(infer, 2 + i);
        body_input(&inputs[2 + i], desc != NULL ? desc->kind : TSR_KIND_TENSOR,
                   tsr_infer_dtype(infer, 2 + i), &shape);
    }
    status = infer_body(infer, inputs, 2, states, states + 2, 1, &descs, &count);
    if (status != TSR_OK)
        return status;
    if (infer->node->output_count > count - 1)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "the node has %u outputs, the body gives %u", infer->node->output_count,
                           count - 1);
    rounds = loop_rounds(infer);
    for (uint32_t i = 0; i < infer->node->output_count; i++) {
        Shape shape = i < states ? shape_of(&inputs[2 + i].desc) : shape_of(descs[1 + i]);
        uint32_t dtype = i < states ? inputs[2 + i].desc.dtype : descs[1 + i]->dtype;
        if (i >= states)
            insert_dim(&shape, 0, rounds);
        if ((status = set_kind(infer, i, descs[1 + i]->kind, dtype, &shape)) != TSR_OK)
            return status;
    }
    return TSR_OK;
}

/* Axis of scan input or output k; 0 without the attribute. */
static int64_t scan_axis(TsrInferContext *infer, const char *name, uint32_t k)
{
    const TsrAttr *attr = tsr_attr_find(infer->node, name);
    return attr != NULL && k < attr->count ? attr->ints[k] : 0;
}

/* Scan 9 on: states, then num_scan_inputs sequences cut along their axes. Scan 8 has a
 * batch dimension first and an optional sequence_lens as input 0. */
static int32_t infer_scan(const TsrOpDef *def, TsrInferContext *infer)
{
    BodyInput inputs[MAX_BODY];
    const TsrTensorDesc *const *descs = NULL;
    uint32_t batch = def->since_version < 9 ? 1 : 0, count = 0, states;
    uint32_t total = infer->node->input_count - batch;
    int64_t scans = tsr_attr_int(infer->node, "num_scan_inputs", 0), length = TSR_DIM_UNKNOWN;
    int64_t batch_extent = TSR_DIM_UNKNOWN;
    int32_t status;
    if (total > MAX_BODY || scans < 1 || scans > (int64_t)total)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "num_scan_inputs must be in [1, %u], got %lld", total,
                           (long long)scans);
    states = total - (uint32_t)scans;
    for (uint32_t i = 0; i < total; i++) {
        Shape shape = tsr_infer_shape(infer, batch + i);
        if (shape.rank != TSR_RANK_UNKNOWN && batch) {
            if (shape.rank < 1)
                return infer->fail(infer, TSR_INVALID_ARGUMENT,
                                   "input %u needs a batch dimension", batch + i);
            if ((status = tsr_infer_join(infer, "batch dimensions", &batch_extent,
                                         shape.dim[0])) != TSR_OK)
                return status;
            memmove(shape.dim, shape.dim + 1, (shape.rank - 1) * sizeof(int64_t));
            shape.rank--;
        }
        if (i >= states && shape.rank != TSR_RANK_UNKNOWN) {
            uint32_t axis;
            status = tsr_infer_axis(infer, "an entry of scan_input_axes",
                                    scan_axis(infer, "scan_input_axes", i - states), shape.rank,
                                    &axis);
            if (status != TSR_OK ||
                (status = tsr_infer_join(infer, "sequence lengths", &length, shape.dim[axis])) !=
                    TSR_OK)
                return status;
            memmove(shape.dim + axis, shape.dim + axis + 1,
                    (shape.rank - axis - 1) * sizeof(int64_t));
            shape.rank--;
        }
        body_input(&inputs[i], TSR_KIND_TENSOR, tsr_infer_dtype(infer, batch + i), &shape);
    }
    status = infer_body(infer, inputs, 0, states, total, 0, &descs, &count);
    if (status != TSR_OK)
        return status;
    if (infer->node->output_count > count)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "the node has %u outputs, the body gives %u", infer->node->output_count,
                           count);
    for (uint32_t i = 0; i < infer->node->output_count; i++) {
        Shape shape = shape_of(i < states ? &inputs[i].desc : descs[i]);
        if (i >= states && shape.rank != TSR_RANK_UNKNOWN) {
            uint32_t axis;
            status = tsr_infer_axis(infer, "an entry of scan_output_axes",
                                    scan_axis(infer, "scan_output_axes", i - states),
                                    shape.rank + 1, &axis);
            if (status != TSR_OK)
                return status;
            insert_dim(&shape, axis, length);
        }
        if (batch)
            insert_dim(&shape, 0, batch_extent);
        if ((status = tsr_infer_set(infer, i, descs[i]->dtype, &shape)) != TSR_OK)
            return status;
    }
    return TSR_OK;
}

static const TsrOpParam if_1_in[] = {
    {"cond", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_BOOL)},
};

static const TsrOpParam if_1_out[] = {
    {"outputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V1},
};

static const TsrOpAttr if_1_attrs[] = {
    {.name = "else_branch", .type = TSR_ATTR_GRAPH, .required = 1},
    {.name = "then_branch", .type = TSR_ATTR_GRAPH, .required = 1},
};

static const TsrOpParam if_16_out[] = {
    {"outputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V13},
};

static const TsrOpParam if_19_out[] = {
    {"outputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V19},
};

static const TsrOpParam if_21_out[] = {
    {"outputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V21},
};

static const TsrOpParam if_23_out[] = {
    {"outputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V23},
};

static const TsrOpParam if_24_out[] = {
    {"outputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V24},
};

static const TsrOpParam if_25_out[] = {
    {"outputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V25},
};

static const TsrOpParam loop_1_in[] = {
    {"M", TSR_PARAM_OPTIONAL, 2, TSR_BIT(TSR_DTYPE_INT64)},
    {"cond", TSR_PARAM_OPTIONAL, 3, TSR_BIT(TSR_DTYPE_BOOL)},
    {"v_initial", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V1},
};

static const TsrOpParam loop_1_out[] = {
    {"v_final_and_scan_outputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V1},
};

static const TsrOpAttr loop_1_attrs[] = {
    {.name = "body", .type = TSR_ATTR_GRAPH, .required = 1},
};

static const TsrOpParam loop_16_in[] = {
    {"M", TSR_PARAM_OPTIONAL, 2, TSR_BIT(TSR_DTYPE_INT64)},
    {"cond", TSR_PARAM_OPTIONAL, 3, TSR_BIT(TSR_DTYPE_BOOL)},
    {"v_initial", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V13},
};

static const TsrOpParam loop_16_out[] = {
    {"v_final_and_scan_outputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V13},
};

static const TsrOpParam loop_19_in[] = {
    {"M", TSR_PARAM_OPTIONAL, 2, TSR_BIT(TSR_DTYPE_INT64)},
    {"cond", TSR_PARAM_OPTIONAL, 3, TSR_BIT(TSR_DTYPE_BOOL)},
    {"v_initial", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V19},
};

static const TsrOpParam loop_19_out[] = {
    {"v_final_and_scan_outputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V19},
};

static const TsrOpParam loop_21_in[] = {
    {"M", TSR_PARAM_OPTIONAL, 2, TSR_BIT(TSR_DTYPE_INT64)},
    {"cond", TSR_PARAM_OPTIONAL, 3, TSR_BIT(TSR_DTYPE_BOOL)},
    {"v_initial", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V21},
};

static const TsrOpParam loop_21_out[] = {
    {"v_final_and_scan_outputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V21},
};

static const TsrOpParam loop_23_in[] = {
    {"M", TSR_PARAM_OPTIONAL, 2, TSR_BIT(TSR_DTYPE_INT64)},
    {"cond", TSR_PARAM_OPTIONAL, 3, TSR_BIT(TSR_DTYPE_BOOL)},
    {"v_initial", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V23},
};

static const TsrOpParam loop_23_out[] = {
    {"v_final_and_scan_outputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V23},
};

static const TsrOpParam loop_24_in[] = {
    {"M", TSR_PARAM_OPTIONAL, 2, TSR_BIT(TSR_DTYPE_INT64)},
    {"cond", TSR_PARAM_OPTIONAL, 3, TSR_BIT(TSR_DTYPE_BOOL)},
    {"v_initial", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V24},
};

static const TsrOpParam loop_24_out[] = {
    {"v_final_and_scan_outputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V24},
};

static const TsrOpParam loop_25_in[] = {
    {"M", TSR_PARAM_OPTIONAL, 2, TSR_BIT(TSR_DTYPE_INT64)},
    {"cond", TSR_PARAM_OPTIONAL, 3, TSR_BIT(TSR_DTYPE_BOOL)},
    {"v_initial", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V25},
};

static const TsrOpParam loop_25_out[] = {
    {"v_final_and_scan_outputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V25},
};

static const TsrOpParam scan_8_in[] = {
    {"sequence_lens", TSR_PARAM_OPTIONAL, 1, TSR_BIT(TSR_DTYPE_INT64)},
    {"initial_state_and_scan_inputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V1},
};

static const TsrOpParam scan_8_out[] = {
    {"final_state_and_scan_outputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V1},
};

static const TsrOpAttr scan_8_attrs[] = {
    {.name = "body", .type = TSR_ATTR_GRAPH, .required = 1},
    {.name = "directions", .type = TSR_ATTR_INTS},
    {.name = "num_scan_inputs", .type = TSR_ATTR_INT, .required = 1, .min = 1, .max = INT32_MAX},
};

static const TsrOpParam scan_9_in[] = {
    {"initial_state_and_scan_inputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V1},
};

static const TsrOpAttr scan_9_attrs[] = {
    {.name = "body", .type = TSR_ATTR_GRAPH, .required = 1},
    {.name = "num_scan_inputs", .type = TSR_ATTR_INT, .required = 1, .min = 1, .max = INT32_MAX},
    {.name = "scan_input_axes", .type = TSR_ATTR_INTS},
    {.name = "scan_input_directions", .type = TSR_ATTR_INTS},
    {.name = "scan_output_axes", .type = TSR_ATTR_INTS},
    {.name = "scan_output_directions", .type = TSR_ATTR_INTS},
};

static const TsrOpParam scan_16_in[] = {
    {"initial_state_and_scan_inputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V13},
};

static const TsrOpParam scan_16_out[] = {
    {"final_state_and_scan_outputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V13},
};

static const TsrOpParam scan_19_in[] = {
    {"initial_state_and_scan_inputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V19},
};

static const TsrOpParam scan_19_out[] = {
    {"final_state_and_scan_outputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V19},
};

static const TsrOpParam scan_21_in[] = {
    {"initial_state_and_scan_inputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V21},
};

static const TsrOpParam scan_21_out[] = {
    {"final_state_and_scan_outputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V21},
};

static const TsrOpParam scan_23_in[] = {
    {"initial_state_and_scan_inputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V23},
};

static const TsrOpParam scan_23_out[] = {
    {"final_state_and_scan_outputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V23},
};

static const TsrOpParam scan_24_in[] = {
    {"initial_state_and_scan_inputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V24},
};

static const TsrOpParam scan_24_out[] = {
    {"final_state_and_scan_outputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V24},
};

static const TsrOpParam scan_25_in[] = {
    {"initial_state_and_scan_inputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V25},
};

static const TsrOpParam scan_25_out[] = {
    {"final_state_and_scan_outputs", TSR_PARAM_VARIADIC_MIXED, 0, TYPES_V25},
};

#define LOOP_SLOTS                                                                  \
    .flags = TSR_OP_DATA_DEPENDENT | TSR_OP_LOOP, .value_inputs = 1u << 0 | 1u << 1, \
    .infer = infer_loop, .infer_format_full = tsr_format_loop

static const TsrOpDef definitions[] = {
    {OP_ROW("", "If", 1), OP_INPUTS(if_1_in), OP_OUTPUTS(if_1_out), OP_ATTRS(if_1_attrs),
     .flags = TSR_OP_DATA_DEPENDENT | TSR_OP_BRANCH, .infer = infer_if,
     .infer_format_full = tsr_format_if},
    {OP_ROW("", "If", 11), OP_INPUTS(if_1_in), OP_OUTPUTS(if_1_out), OP_ATTRS(if_1_attrs),
     .flags = TSR_OP_DATA_DEPENDENT | TSR_OP_BRANCH, .infer = infer_if,
     .infer_format_full = tsr_format_if},
    {OP_ROW("", "If", 13), OP_INPUTS(if_1_in), OP_OUTPUTS(if_1_out), OP_ATTRS(if_1_attrs),
     .flags = TSR_OP_DATA_DEPENDENT | TSR_OP_BRANCH, .infer = infer_if,
     .infer_format_full = tsr_format_if},
    {OP_ROW("", "If", 16), OP_INPUTS(if_1_in), OP_OUTPUTS(if_16_out), OP_ATTRS(if_1_attrs),
     .flags = TSR_OP_DATA_DEPENDENT | TSR_OP_BRANCH, .infer = infer_if,
     .infer_format_full = tsr_format_if},
    {OP_ROW("", "If", 19), OP_INPUTS(if_1_in), OP_OUTPUTS(if_19_out), OP_ATTRS(if_1_attrs),
     .flags = TSR_OP_DATA_DEPENDENT | TSR_OP_BRANCH, .infer = infer_if,
     .infer_format_full = tsr_format_if},
    {OP_ROW("", "If", 21), OP_INPUTS(if_1_in), OP_OUTPUTS(if_21_out), OP_ATTRS(if_1_attrs),
     .flags = TSR_OP_DATA_DEPENDENT | TSR_OP_BRANCH, .infer = infer_if,
     .infer_format_full = tsr_format_if},
    {OP_ROW("", "If", 23), OP_INPUTS(if_1_in), OP_OUTPUTS(if_23_out), OP_ATTRS(if_1_attrs),
     .flags = TSR_OP_DATA_DEPENDENT | TSR_OP_BRANCH, .infer = infer_if,
     .infer_format_full = tsr_format_if},
    {OP_ROW("", "If", 24), OP_INPUTS(if_1_in), OP_OUTPUTS(if_24_out), OP_ATTRS(if_1_attrs),
     .flags = TSR_OP_DATA_DEPENDENT | TSR_OP_BRANCH, .infer = infer_if,
     .infer_format_full = tsr_format_if},
    {OP_ROW("", "If", 25), OP_INPUTS(if_1_in), OP_OUTPUTS(if_25_out), OP_ATTRS(if_1_attrs),
     .flags = TSR_OP_DATA_DEPENDENT | TSR_OP_BRANCH, .infer = infer_if,
     .infer_format_full = tsr_format_if},
    {OP_ROW("", "Loop", 1), OP_INPUTS(loop_1_in), OP_OUTPUTS(loop_1_out),
     OP_ATTRS(loop_1_attrs), LOOP_SLOTS},
    {OP_ROW("", "Loop", 11), OP_INPUTS(loop_1_in), OP_OUTPUTS(loop_1_out),
     OP_ATTRS(loop_1_attrs), LOOP_SLOTS},
    {OP_ROW("", "Loop", 13), OP_INPUTS(loop_1_in), OP_OUTPUTS(loop_1_out),
     OP_ATTRS(loop_1_attrs), LOOP_SLOTS},
    {OP_ROW("", "Loop", 16), OP_INPUTS(loop_16_in), OP_OUTPUTS(loop_16_out),
     OP_ATTRS(loop_1_attrs), LOOP_SLOTS},
    {OP_ROW("", "Loop", 19), OP_INPUTS(loop_19_in), OP_OUTPUTS(loop_19_out),
     OP_ATTRS(loop_1_attrs), LOOP_SLOTS},
    {OP_ROW("", "Loop", 21), OP_INPUTS(loop_21_in), OP_OUTPUTS(loop_21_out),
     OP_ATTRS(loop_1_attrs), LOOP_SLOTS},
    {OP_ROW("", "Loop", 23), OP_INPUTS(loop_23_in), OP_OUTPUTS(loop_23_out),
     OP_ATTRS(loop_1_attrs), LOOP_SLOTS},
    {OP_ROW("", "Loop", 24), OP_INPUTS(loop_24_in), OP_OUTPUTS(loop_24_out),
     OP_ATTRS(loop_1_attrs), LOOP_SLOTS},
    {OP_ROW("", "Loop", 25), OP_INPUTS(loop_25_in), OP_OUTPUTS(loop_25_out),
     OP_ATTRS(loop_1_attrs), LOOP_SLOTS},
    {OP_ROW("", "Scan", 8), OP_INPUTS(scan_8_in), OP_OUTPUTS(scan_8_out), OP_ATTRS(scan_8_attrs),
     .flags = TSR_OP_DATA_DEPENDENT, .infer = infer_scan, .infer_format_full = tsr_format_scan},
    {OP_ROW("", "Scan", 9), OP_INPUTS(scan_9_in), OP_OUTPUTS(scan_8_out), OP_ATTRS(scan_9_attrs),
     .flags = TSR_OP_DATA_DEPENDENT | TSR_OP_SCAN, .infer = infer_scan,
     .infer_format_full = tsr_format_scan},
    {OP_ROW("", "Scan", 11), OP_INPUTS(scan_9_in), OP_OUTPUTS(scan_8_out), OP_ATTRS(scan_9_attrs),
     .flags = TSR_OP_DATA_DEPENDENT | TSR_OP_SCAN, .infer = infer_scan,
     .infer_format_full = tsr_format_scan},
    {OP_ROW("", "Scan", 16), OP_INPUTS(scan_16_in), OP_OUTPUTS(scan_16_out),
     OP_ATTRS(scan_9_attrs), .flags = TSR_OP_DATA_DEPENDENT | TSR_OP_SCAN, .infer = infer_scan,
     .infer_format_full = tsr_format_scan},
    {OP_ROW("", "Scan", 19), OP_INPUTS(scan_19_in), OP_OUTPUTS(scan_19_out),
     OP_ATTRS(scan_9_attrs), .flags = TSR_OP_DATA_DEPENDENT | TSR_OP_SCAN, .infer = infer_scan,
     .infer_format_full = tsr_format_scan},
    {OP_ROW("", "Scan", 21), OP_INPUTS(scan_21_in), OP_OUTPUTS(scan_21_out),
     OP_ATTRS(scan_9_attrs), .flags = TSR_OP_DATA_DEPENDENT | TSR_OP_SCAN, .infer = infer_scan,
     .infer_format_full = tsr_format_scan},
    {OP_ROW("", "Scan", 23), OP_INPUTS(scan_23_in), OP_OUTPUTS(scan_23_out),
     OP_ATTRS(scan_9_attrs), .flags = TSR_OP_DATA_DEPENDENT | TSR_OP_SCAN, .infer = infer_scan,
     .infer_format_full = tsr_format_scan},
    {OP_ROW("", "Scan", 24), OP_INPUTS(scan_24_in), OP_OUTPUTS(scan_24_out),
     OP_ATTRS(scan_9_attrs), .flags = TSR_OP_DATA_DEPENDENT | TSR_OP_SCAN, .infer = infer_scan,
     .infer_format_full = tsr_format_scan},
    {OP_ROW("", "Scan", 25), OP_INPUTS(scan_25_in), OP_OUTPUTS(scan_25_out),
     OP_ATTRS(scan_9_attrs), .flags = TSR_OP_DATA_DEPENDENT | TSR_OP_SCAN, .infer = infer_scan,
     .infer_format_full = tsr_format_scan},
};

const TsrOps tsr_ops_control = OP_FAMILY(definitions);
