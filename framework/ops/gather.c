/* SPDX-License-Identifier: Apache-2.0
 *
 * gather.c: definitions of ONNX operators:
 * reads and writes at indices.
 * Rows follow the ONNX changelog from opset 7 on: one for each version whose types,
 * attributes or meaning changed.
 */
#include "elements.h"
#include "families.h"

static int32_t infer_gather(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), index = tsr_infer_shape(infer, 1), out;
    uint32_t axis, n = 0;
    (void)def;
    out = tsr_shape_unknown(TSR_RANK_UNKNOWN);
    if (x.rank != TSR_RANK_UNKNOWN) {
        int32_t status = tsr_infer_axis(infer, "axis", tsr_attr_int(infer->node, "axis", 0),
                                        x.rank, &axis);
        if (status != TSR_OK)
            return status;
        if (index.rank != TSR_RANK_UNKNOWN) {
            if (x.rank + index.rank - 1 > TSR_MAX_RANK)
                return infer->fail(infer, TSR_UNSUPPORTED,
                                   "the output would have rank %u, at most %d",
                                   x.rank + index.rank - 1, TSR_MAX_RANK);
            for (uint32_t i = 0; i < axis; i++)
                out.dim[n++] = x.dim[i];
            for (uint32_t i = 0; i < index.rank; i++)
                out.dim[n++] = index.dim[i];
            for (uint32_t i = axis + 1; i < x.rank; i++)
                out.dim[n++] = x.dim[i];
            out.rank = n;
        }
    }
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &out);
}

/* GatherElements: the output has the shape of the indices. */
static int32_t infer_gather_elements(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), index = tsr_infer_shape(infer, 1);
    uint32_t axis;
    int32_t status;
    (void)def;
    if (x.rank != TSR_RANK_UNKNOWN) {
        status = tsr_infer_axis(infer, "axis", tsr_attr_int(infer->node, "axis", 0), x.rank,
                                &axis);
        if (status != TSR_OK ||
            (status = tsr_infer_want_rank(infer, 1, x.rank)) != TSR_OK)
            return status;
        for (uint32_t i = 0; index.rank != TSR_RANK_UNKNOWN && i < x.rank; i++)
            if (i != axis && x.dim[i] >= 0 && index.dim[i] > x.dim[i])
                return infer->fail(infer, TSR_INVALID_ARGUMENT,
                                   "axis %u of the indices must be at most %lld, got %lld", i,
                                   (long long)x.dim[i], (long long)index.dim[i]);
    }
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &index);
}

static int32_t infer_gather_nd(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), index = tsr_infer_shape(infer, 1);
    Shape out = tsr_shape_unknown(TSR_RANK_UNKNOWN);
    int64_t batch = tsr_attr_int(infer->node, "batch_dims", 0), depth;
    (void)def;
    if (x.rank != TSR_RANK_UNKNOWN && index.rank != TSR_RANK_UNKNOWN) {
        if (index.rank < 1 || x.rank < 1 || batch < 0 || batch >= (int64_t)index.rank ||
            batch >= (int64_t)x.rank)
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "batch_dims must be in [0, %u), got %lld",
                               x.rank < index.rank ? x.rank : index.rank, (long long)batch);
        for (int64_t i = 0; i < batch; i++) {
            int64_t extent = x.dim[i];
            int32_t status = tsr_infer_join(infer, "batch dimensions", &extent, index.dim[i]);
            if (status != TSR_OK)
                return status;
        }
        depth = index.dim[index.rank - 1];
        if (depth >= 0) {
            if (depth < 1 || depth > (int64_t)x.rank - batch)
                return infer->fail(infer, TSR_INVALID_ARGUMENT,
                                   "an index must have 1 to %lld entries, got %lld",
                                   (long long)(x.rank - batch), (long long)depth);
            if (index.rank - 1 + x.rank - depth - batch > TSR_MAX_RANK)
                return infer->fail(infer, TSR_UNSUPPORTED, "the output's rank is above %d",
                                   TSR_MAX_RANK);
            out.rank = 0;
            for (uint32_t i = 0; i + 1 < index.rank; i++)
                out.dim[out.rank++] = index.dim[i];
            for (uint32_t i = (uint32_t)(batch + depth); i < x.rank; i++)
                out.dim[out.rank++] = x.dim[i];
        }
    }
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &out);
}

static int32_t infer_scatter_elements(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0);
    uint32_t axis;
    int32_t status;
    if (x.rank != TSR_RANK_UNKNOWN) {
        status = tsr_infer_axis(infer, "axis", tsr_attr_int(infer->node, "axis", 0), x.rank,
                                &axis);
        if (status != TSR_OK ||
            (status = tsr_infer_want_rank(infer, 1, x.rank)) != TSR_OK ||
            (status = tsr_infer_want_rank(infer, 2, x.rank)) != TSR_OK)
            return status;
    }
    return tsr_infer_same(def, infer);
}

static int32_t infer_scatter_nd(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), index = tsr_infer_shape(infer, 1);
    int32_t status;
    if ((status = tsr_infer_want_min_rank(infer, 0, 1)) != TSR_OK ||
        (status = tsr_infer_want_min_rank(infer, 1, 1)) != TSR_OK)
        return status;
    if (x.rank != TSR_RANK_UNKNOWN && index.rank != TSR_RANK_UNKNOWN &&
        index.dim[index.rank - 1] > (int64_t)x.rank)
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "an index must have at most %u entries, got %lld", x.rank,
                           (long long)index.dim[index.rank - 1]);
    return tsr_infer_same(def, infer);
}

/* OneHot: depth may be any number type, so it is read here and not by tsr_infer_ints. */
static int32_t infer_one_hot(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape index = tsr_infer_shape(infer, 0), out = tsr_shape_unknown(TSR_RANK_UNKNOWN);
    const TsrTensor *value = infer->node->values != NULL ? infer->node->values[1] : NULL;
    int64_t depth = TSR_DIM_UNKNOWN;
    uint32_t axis, n = 0;
    (void)def;
    if (value != NULL && value->data != NULL) {
        switch (value->desc->dtype) {
        case TSR_DTYPE_INT64: depth = *(const int64_t *)value->data; break;
        case TSR_DTYPE_INT32: depth = *(const int32_t *)value->data; break;
        case TSR_DTYPE_FLOAT: depth = (int64_t)*(const float *)value->data; break;
        case TSR_DTYPE_DOUBLE: depth = (int64_t)*(const double *)value->data; break;
        case TSR_DTYPE_UINT8: depth = *(const uint8_t *)value->data; break;
        case TSR_DTYPE_INT8: depth = *(const int8_t *)value->data; break;
        case TSR_DTYPE_INT16: depth = *(const int16_t *)value->data; break;
        case TSR_DTYPE_UINT16: depth = *(const uint16_t *)value->data; break;
        case TSR_DTYPE_UINT32: depth = *(const uint32_t *)value->data; break;
        case TSR_DTYPE_UINT64: depth = (int64_t)*(const uint64_t *)value->data; break;
        default:
            return infer->fail(infer, TSR_UNSUPPORTED, "depth of type %s is not supported",
                               tsr_dtype_name(value->desc->dtype));
        }
        if (depth < 0)
            return infer->fail(infer, TSR_INVALID_ARGUMENT, "depth must not be negative, got %lld",
                               (long long)depth);
    }
    if (index.rank != TSR_RANK_UNKNOWN) {
        int32_t status;
        if (index.rank + 1 > TSR_MAX_RANK)
            return infer->fail(infer, TSR_UNSUPPORTED, "the output's rank is above %d",
                               TSR_MAX_RANK);
        status = tsr_infer_axis(infer, "axis", tsr_attr_int(infer->node, "axis", -1),
                                index.rank + 1, &axis);
        if (status != TSR_OK)
            return status;
        out.rank = index.rank + 1;
        for (uint32_t i = 0; i < out.rank; i++)
            out.dim[i] = i == axis ? depth : index.dim[n++];
    }
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 2), &out);
}

static const TsrOpParam gather_1_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V1},
    {"indices", TSR_PARAM_REQUIRED, 2, TSR_TYPES_INDEX},
};

static const TsrOpParam gather_1_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TYPES_V1},
};

static const TsrOpAttr gather_1_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .has_default = 1},
};

static const TsrOpParam gather_13_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V13},
    {"indices", TSR_PARAM_REQUIRED, 2, TSR_TYPES_INDEX},
};

static const TsrOpParam gather_13_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TYPES_V13},
};

static const TsrOpParam gather_nd_11_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V1},
    {"indices", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpAttr gather_nd_12_attrs[] = {
    {.name = "batch_dims", .type = TSR_ATTR_INT, .has_default = 1},
};

static const TsrOpParam gather_nd_13_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V13},
    {"indices", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpParam scatter_elements_11_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V1},
    {"indices", TSR_PARAM_REQUIRED, 2, TSR_TYPES_INDEX},
    {"updates", TSR_PARAM_REQUIRED, 1, TYPES_V1},
};

static const TsrOpParam scatter_elements_13_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V13},
    {"indices", TSR_PARAM_REQUIRED, 2, TSR_TYPES_INDEX},
    {"updates", TSR_PARAM_REQUIRED, 1, TYPES_V13},
};

static const TsrOpAttr scatter_elements_16_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .has_default = 1},
    {.name = "reduction", .type = TSR_ATTR_STRING, .has_default = 1, .s = "none",
     .words = "none|add|mul|max|min"},
};

static const TsrOpParam scatter_nd_11_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V1},
    {"indices", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
    {"updates", TSR_PARAM_REQUIRED, 1, TYPES_V1},
};

static const TsrOpParam scatter_nd_13_in[] = {
    {"data", TSR_PARAM_REQUIRED, 1, TYPES_V13},
    {"indices", TSR_PARAM_REQUIRED, 0, TSR_BIT(TSR_DTYPE_INT64)},
    {"updates", TSR_PARAM_REQUIRED, 1, TYPES_V13},
};

static const TsrOpAttr scatter_nd_16_attrs[] = {
    {.name = "reduction", .type = TSR_ATTR_STRING, .has_default = 1, .s = "none",
     .words = "none|add|mul|max|min"},
};

static const TsrOpParam one_hot_9_in[] = {
    {"indices", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
    {"depth", TSR_PARAM_REQUIRED, 2, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
    {"values", TSR_PARAM_REQUIRED, 3, TYPES_V1},
};

static const TsrOpParam one_hot_9_out[] = {
    {"output", TSR_PARAM_REQUIRED, 3, TYPES_V1},
};

static const TsrOpAttr one_hot_9_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .has_default = 1, .i = -1},
};

static const TsrOpDef definitions[] = {
    {OP_ROW("", "Gather", 1), OP_INPUTS(gather_1_in), OP_OUTPUTS(gather_1_out),
     OP_ATTRS(gather_1_attrs), .infer = infer_gather, .infer_format_full = tsr_format_unrelated,
     .infer_elements = tsr_elements_gather},
    {OP_ROW("", "Gather", 11), OP_INPUTS(gather_1_in), OP_OUTPUTS(gather_1_out),
     OP_ATTRS(gather_1_attrs), .infer = infer_gather, .infer_format_full = tsr_format_unrelated,
     .infer_elements = tsr_elements_gather},
    {OP_ROW("", "Gather", 13), OP_INPUTS(gather_13_in), OP_OUTPUTS(gather_13_out),
     OP_ATTRS(gather_1_attrs), .infer = infer_gather, .infer_format_full = tsr_format_unrelated,
     .infer_elements = tsr_elements_gather},
    {OP_ROW("", "GatherElements", 11), OP_INPUTS(gather_1_in), OP_OUTPUTS(gather_1_out),
     OP_ATTRS(gather_1_attrs), .infer = infer_gather_elements,
     .infer_format_full = tsr_format_unrelated},
    {OP_ROW("", "GatherElements", 13), OP_INPUTS(gather_13_in), OP_OUTPUTS(gather_13_out),
     OP_ATTRS(gather_1_attrs), .infer = infer_gather_elements,
     .infer_format_full = tsr_format_unrelated},
    {OP_ROW("", "GatherND", 11), OP_INPUTS(gather_nd_11_in), OP_OUTPUTS(gather_1_out),
     .infer = infer_gather_nd, .infer_format_full = tsr_format_unrelated},
    {OP_ROW("", "GatherND", 12), OP_INPUTS(gather_nd_11_in), OP_OUTPUTS(gather_1_out),
     OP_ATTRS(gather_nd_12_attrs), .infer = infer_gather_nd,
     .infer_format_full = tsr_format_unrelated},
    {OP_ROW("", "GatherND", 13), OP_INPUTS(gather_nd_13_in), OP_OUTPUTS(gather_13_out),
     OP_ATTRS(gather_nd_12_attrs), .infer = infer_gather_nd,
     .infer_format_full = tsr_format_unrelated},
    {OP_ROW("", "ScatterElements", 11), OP_INPUTS(scatter_elements_11_in),
     OP_OUTPUTS(gather_1_out), OP_ATTRS(gather_1_attrs), .infer = infer_scatter_elements,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ScatterElements", 13), OP_INPUTS(scatter_elements_13_in),
     OP_OUTPUTS(gather_13_out), OP_ATTRS(gather_1_attrs), .infer = infer_scatter_elements,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ScatterElements", 16), OP_INPUTS(scatter_elements_13_in),
     OP_OUTPUTS(gather_13_out), OP_ATTRS(scatter_elements_16_attrs),
     .infer = infer_scatter_elements, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ScatterElements", 18), OP_INPUTS(scatter_elements_13_in),
     OP_OUTPUTS(gather_13_out), OP_ATTRS(scatter_elements_16_attrs),
     .infer = infer_scatter_elements, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "Scatter", 9), OP_INPUTS(scatter_elements_11_in), OP_OUTPUTS(gather_1_out),
     OP_ATTRS(gather_1_attrs), .infer = infer_scatter_elements,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ScatterND", 11), OP_INPUTS(scatter_nd_11_in), OP_OUTPUTS(gather_1_out),
     .infer = infer_scatter_nd, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ScatterND", 13), OP_INPUTS(scatter_nd_13_in), OP_OUTPUTS(gather_13_out),
     .infer = infer_scatter_nd, .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ScatterND", 16), OP_INPUTS(scatter_nd_13_in), OP_OUTPUTS(gather_13_out),
     OP_ATTRS(scatter_nd_16_attrs), .infer = infer_scatter_nd,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "ScatterND", 18), OP_INPUTS(scatter_nd_13_in), OP_OUTPUTS(gather_13_out),
     OP_ATTRS(scatter_nd_16_attrs), .infer = infer_scatter_nd,
     .infer_format_full = tsr_format_keep},
    {OP_ROW("", "OneHot", 9), OP_INPUTS(one_hot_9_in), OP_OUTPUTS(one_hot_9_out),
     OP_ATTRS(one_hot_9_attrs), .value_inputs = 1u << 1, .infer = infer_one_hot,
     .infer_format_full = tsr_format_unrelated},
    {OP_ROW("", "OneHot", 11), OP_INPUTS(one_hot_9_in), OP_OUTPUTS(one_hot_9_out),
     OP_ATTRS(one_hot_9_attrs), .value_inputs = 1u << 1, .infer = infer_one_hot,
     .infer_format_full = tsr_format_unrelated},
};

const TsrOps tsr_ops_gather = OP_FAMILY(definitions);
