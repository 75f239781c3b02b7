/* SPDX-License-Identifier: Apache-2.0
 *
 * fusion_match.h: what the passes over several nodes share (GELU, normalization, softmax,
 * products, attention, chains): walking a pattern forwards and backwards, reading its
 * constants, and replacing it. A pass only has to find the shape of a pattern;
 * nn_replace makes sure that no value which vanishes is read elsewhere.
 */
#ifndef TSR_NN_FUSION_MATCH_H
#define TSR_NN_FUSION_MATCH_H

#include "fusion.h"

enum { NN_PATTERN_NODES = 24, NN_NOWHERE = -1 };

/* The nodes of a pattern, each once. */
typedef struct NnPattern {
    uint32_t nodes[NN_PATTERN_NODES];
    uint32_t count;
} NnPattern;

/* 0 when there is no room. */
int nn_pattern_add(NnPattern *pattern, uint32_t node);

/* The view of the ONNX operator of that name which writes input `index` of `node`, and its
 * id; NULL when something else writes it. */
const TsrNodeView *nn_writer(const TsrGraphEdit *edit, uint32_t node, uint32_t index,
                             const char *op_type, uint32_t *out_node);

/* The same for the only reader of output 0 of `node`; NULL also where that value stays. */
const TsrNodeView *nn_reader(const TsrGraphEdit *edit, uint32_t node, const char *op_type,
                             uint32_t *out_node);

/* Whether input i is one constant float near `want` that cannot raise the rank of the
 * other operand. */
int nn_is_number(const TsrNodeView *view, uint32_t i, float want);
/* Any such constant; 0 when it is none. */
int nn_number(const TsrNodeView *view, uint32_t i, float *out_value);

/* The operand beside a number near `want`, or beside `value`; NN_NOWHERE when there is
 * none. Both look at two operands that may stand in either order. */
int nn_beside_number(const TsrNodeView *view, float want);
int nn_beside(const TsrGraphEdit *edit, uint32_t node, uint32_t value);

/* The single axis that a Reduce* runs along, in [0, rank), if it keeps that dimension;
 * NN_NOWHERE otherwise. */
int nn_reduced_axis(const TsrNodeView *view);

/* Whether the value is a float vector along the last axis of x (leading dims 1), of
 * known length. */
int nn_is_last_vector(const TsrTensorDesc *vector, const TsrTensorDesc *x);

/* Whether both have the same, known shape. */
int nn_same_static(const TsrTensorDesc *a, const TsrTensorDesc *b);

/* Replaces the pattern by one operator that writes `output`. TSR_UNSUPPORTED, with
 * nothing changed, when a value that would vanish is read elsewhere. */
int32_t nn_replace(const TsrGraphEdit *edit, const NnPattern *pattern, const char *domain,
                   const char *op_type, const uint32_t *inputs, uint32_t input_count,
                   uint32_t output, const TsrAttr *const *attrs, uint32_t attr_count);

/* Attributes of one number. */
static inline TsrAttr nn_attr_int(const char *name, int64_t i)
{
    return (TsrAttr){ .struct_size = sizeof(TsrAttr), .type = TSR_ATTR_INT, .name = name,
                      .i = i };
}
static inline TsrAttr nn_attr_float(const char *name, float f)
{
    return (TsrAttr){ .struct_size = sizeof(TsrAttr), .type = TSR_ATTR_FLOAT, .name = name,
                      .f = f };
}

#endif
