/* SPDX-License-Identifier: Apache-2.0
 *
 * infer_util.h: what the operator families of this folder share: rows of
 * definitions, sets of element types, and the vocabulary of shape inference.
 * Invariant of every function: an unknown dtype, rank or dimension is no error; only
 * a contradiction is, and its text names what was wanted and what was got.
 */
#ifndef TSR_OPS_INFER_UTIL_H
#define TSR_OPS_INFER_UTIL_H

#include <tessera/plugin_util.h>

/* Sets of element types that grew with the opsets: 1, 13, 19, 21, 23, 24 and 25. */
#define TYPES_V1                                                                    \
    (TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE | TSR_TYPES_COMPLEX |                 \
     TSR_BIT(TSR_DTYPE_STRING) | TSR_BIT(TSR_DTYPE_BOOL))
#define TYPES_V13 (TYPES_V1 | TSR_BIT(TSR_DTYPE_BFLOAT16))
#define TYPES_FLOAT8                                                                \
    (TSR_BIT(TSR_DTYPE_FLOAT8E4M3FN) | TSR_BIT(TSR_DTYPE_FLOAT8E4M3FNUZ) |          \
     TSR_BIT(TSR_DTYPE_FLOAT8E5M2) | TSR_BIT(TSR_DTYPE_FLOAT8E5M2FNUZ))
#define TYPES_INT4 (TSR_BIT(TSR_DTYPE_UINT4) | TSR_BIT(TSR_DTYPE_INT4))
#define TYPES_INT2 (TSR_BIT(TSR_DTYPE_UINT2) | TSR_BIT(TSR_DTYPE_INT2))
#define TYPES_V19 (TYPES_V13 | TYPES_FLOAT8)
#define TYPES_V21 (TYPES_V19 | TYPES_INT4)
#define TYPES_V23 (TYPES_V21 | TSR_BIT(TSR_DTYPE_FLOAT4E2M1))
#define TYPES_V24 (TYPES_V23 | TSR_BIT(TSR_DTYPE_FLOAT8E8M0))
#define TYPES_V25 (TYPES_V24 | TYPES_INT2)

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/* The parts that every row of definitions opens with. */
#define OP_ROW(op_domain, op_name, version)                                         \
    .struct_size = sizeof(TsrOpDef), .since_version = (version),                    \
    .domain = (op_domain), .name = (op_name),                                       \
    .input_stride = sizeof(TsrOpParam), .output_stride = sizeof(TsrOpParam),        \
    .attr_stride = sizeof(TsrOpAttr)
/* The row of an operator that maps element by element. */
#define OP_MAP(op_domain, op_name, version)                                         \
    OP_ROW(op_domain, op_name, version), .flags = TSR_OP_ELEMENTWISE
#define OP_INPUTS(table) .inputs = (table), .input_count = COUNT_OF(table)
#define OP_OUTPUTS(table) .outputs = (table), .output_count = COUNT_OF(table)
#define OP_ATTRS(table) .attrs = (table), .attr_count = COUNT_OF(table)
#define OP_FAMILY(table)                                                            \
    {.struct_size = sizeof(TsrOps), .op_count = COUNT_OF(table),                    \
     .op_stride = sizeof(TsrOpDef), .ops = (table)}

/* A shape while it is inferred. */
typedef struct Shape {
    uint32_t rank; /* TSR_RANK_UNKNOWN: dim is not read */
    int64_t dim[TSR_MAX_RANK];
} Shape;

/* The desc of input index; NULL when omitted. */
const TsrTensorDesc *tsr_infer_input(const TsrInferContext *infer, uint32_t index);
/* Its dtype; undefined when omitted or unknown. */
uint32_t tsr_infer_dtype(const TsrInferContext *infer, uint32_t index);
/* Its shape; unknown rank when omitted or unknown. An extent is a number, or negative: a symbol
 * (TSR_DIM_IS_SYMBOL), by which equal ones are known, or TSR_DIM_UNKNOWN. */
Shape tsr_infer_shape(const TsrInferContext *infer, uint32_t index);
/* A shape of that rank with unknown dimensions. */
Shape tsr_shape_unknown(uint32_t rank);
int32_t tsr_infer_set(TsrInferContext *infer, uint32_t index, uint32_t dtype,
                      const Shape *shape);
/* Output 0 has dtype and shape of input 0. */
int32_t tsr_infer_same(const TsrOpDef *def, TsrInferContext *infer);

/* Fails unless input index has that rank or an unknown one. */
int32_t tsr_infer_want_rank(TsrInferContext *infer, uint32_t index, uint32_t rank);
int32_t tsr_infer_want_min_rank(TsrInferContext *infer, uint32_t index, uint32_t rank);
/* Brings an axis into [0, rank). */
int32_t tsr_infer_axis(TsrInferContext *infer, const char *what, int64_t axis, uint32_t rank,
                       uint32_t *out_axis);
/* Joins two extents that must agree; fails with what when both are known and differ. */
int32_t tsr_infer_join(TsrInferContext *infer, const char *what, int64_t *extent,
                       int64_t other);
/* tsr_shape_broadcast with symbols: of two that are not known to be equal the larger, since they
 * are equal in a run or one is 1. Not so where one is 0: see shape_function.h. */
int tsr_broadcast_extents(const TsrInferContext *infer, Shape *shape, const Shape *other);
/* Broadcast shape of inputs [first, first + count). */
int32_t tsr_infer_broadcast(TsrInferContext *infer, uint32_t first, uint32_t count,
                            Shape *out_shape);
/* The integers of input index, of int32 or int64, rank 0 or 1. *out_known is 0 when
 * the value is not known; *out_count is then the extent of the input or -1. */
int32_t tsr_infer_ints(TsrInferContext *infer, uint32_t index, int64_t *out,
                       int64_t *out_count, int *out_known);
/* Axes from the INTS attribute "axes" or else the value of input index. *out_known 0: they
 * exist but are not known yet; *out_count -1: there are none. Normalized to rank. */
int32_t tsr_infer_axes(TsrInferContext *infer, uint32_t index, uint32_t rank,
                       int64_t *out_axes, int64_t *out_count, int *out_known);
/* a op b (TSR_DIM_) of two extents; TSR_DIM_UNKNOWN where one is, or it has no form. */
int64_t tsr_extent(const TsrInferContext *infer, uint32_t op, int64_t a, int64_t b);
/* A number that a model gives, kept from reading as a symbol: nothing is as small as that. */
int64_t tsr_plain_number(int64_t number);
/* Like tsr_infer_ints, but with symbols among the numbers where a run settles them. */
int32_t tsr_infer_sizes(TsrInferContext *infer, uint32_t index, int64_t *out,
                        int64_t *out_count, int *out_known);
/* a * b of two extents, either unknown; fails on overflow. */
int32_t tsr_infer_multiply(TsrInferContext *infer, int64_t a, int64_t b, int64_t *out);

/* Geometry of a window that slides over the spatial axes (Conv, pooling). */
typedef struct Window {
    uint32_t spatial;
    uint32_t ceil_mode;
    int64_t kernel[TSR_MAX_RANK];
    int64_t stride[TSR_MAX_RANK];
    int64_t dilation[TSR_MAX_RANK];
    int64_t pad[2 * TSR_MAX_RANK];
} Window;

/* Reads kernel_shape, strides, dilations, pads and ceil_mode for that many spatial
 * axes; kernel (may hold -1) stands in when kernel_shape is not there, or is NULL. */
int32_t tsr_infer_window(TsrInferContext *infer, uint32_t spatial, const int64_t *kernel,
                         Window *out_window);
/* Extent of an output axis for an input extent, auto_pad included; -1 is unknown. */
int32_t tsr_infer_window_extent(TsrInferContext *infer, const Window *window, uint32_t axis,
                                int64_t extent, int64_t *out_extent);
/* Y of a convolution: X [N, C, spatial...], W [M, C / group, kernel...], bias [M]. */
int32_t tsr_infer_conv_shape(TsrInferContext *infer, uint32_t x_index, uint32_t w_index,
                             uint32_t bias_index, Shape *out_shape);
/* Like numpy.matmul: an operand of rank 1 gets a dimension that goes away again, the
 * leading dimensions broadcast. */
int32_t tsr_infer_matmul_shape(TsrInferContext *infer, uint32_t a_index, uint32_t b_index,
                               Shape *out_shape);
/* The one integer of input index; *out_known 0 when it is omitted or not known. */
int32_t tsr_infer_int(TsrInferContext *infer, const char *what, uint32_t index, int64_t *out,
                      int *out_known);

#endif
