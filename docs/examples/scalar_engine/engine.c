/* SPDX-License-Identifier: Apache-2.0
 *
 * engine.c: which nodes the scalar engine takes, and how one is read. All that is said of a
 * node follows from its view alone, so that the same question has the same answer.
 */
#include "scalar.h"

#define REFUSE(...)                                                                 \
    (out_support != NULL ? (void)tsr_support_no(out_support, __VA_ARGS__) : (void)0, 0)

/* The one number of a constant input, or NULL. */
static const float *number(const TsrNodeView *node, uint32_t index)
{
    const TsrTensor *value = node->values[index];
    return value != NULL && value->desc->dtype == TSR_DTYPE_FLOAT &&
                   value->size_bytes == sizeof(float)
               ? value->data
               : NULL;
}

static int read_binary(const TsrNodeView *node, ScalarLine *out_line, TsrSupport *out_support)
{
    const int is_sub = strcmp(node->op_type, "Sub") == 0;
    const float *constant = number(node, 1);
    out_line->input = 0;
    if (constant == NULL && !is_sub) {
        constant = number(node, 0);
        out_line->input = 1;
    }
    if (constant == NULL)
        return REFUSE(TSR_REFUSE_VALUE, "%s needs a constant of one element", node->op_type);
    if (strcmp(node->op_type, "Mul") == 0)
        out_line->scale = *constant;
    else
        out_line->shift = is_sub ? -*constant : *constant;
    return 1;
}

int scalar_read(const TsrNodeView *node, ScalarLine *out_line, TsrSupport *out_support)
{
    const TsrTensorDesc *x, *y = node->outputs[0];
    const int is_ours = strcmp(node->domain, SCALAR_DOMAIN) == 0;
    *out_line = (ScalarLine){.scale = 1.0f};
    if (is_ours) {
        out_line->scale = tsr_attr_float(node, "scale", 1.0f);
        out_line->shift = tsr_attr_float(node, "shift", 0.0f);
    } else if (node->domain[0] != '\0' ||
               (strcmp(node->op_type, "Add") != 0 && strcmp(node->op_type, "Sub") != 0 &&
                strcmp(node->op_type, "Mul") != 0)) {
        return REFUSE(TSR_REFUSE_OP, "runs Add, Sub, Mul and ScaleShift, not %s", node->op_type);
    } else if (node->since_version < 7) {
        return REFUSE(TSR_REFUSE_VERSION, "before version 7 %s broadcasts in its own way",
                      node->op_type);
    } else if (!read_binary(node, out_line, out_support)) {
        return 0;
    }
    x = node->inputs[out_line->input];
    if (x->dtype != TSR_DTYPE_FLOAT)
        return REFUSE(TSR_REFUSE_DTYPE, "computes float, not %s", tsr_dtype_name(x->dtype));
    /* A constant [1,1,1] would give a vector two more dimensions. */
    if (x->rank != y->rank)
        return REFUSE(TSR_REFUSE_SHAPE, "the constant raises the rank of x from %u to %u",
                      x->rank, y->rank);
    return 1;
}

static int32_t check(const TsrEngine *engine, const TsrNodeView *node, TsrSupport *out_support)
{
    ScalarLine line;
    (void)engine;
    if (scalar_read(node, &line, out_support))
        tsr_support_yes(out_support, 0.0f);
    return TSR_OK;
}

const TsrEngine scalar_engine = {
    .struct_size = sizeof(TsrEngine),
    .flags = TSR_ENGINE_HOST | TSR_ENGINE_DYNAMIC,
    .name = "scalar_engine",
    .default_priority = 20,
    .blob_version = 1,
    .check = check,
};
