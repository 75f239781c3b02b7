/* SPDX-License-Identifier: Apache-2.0
 *
 * quant_case.h: small quantized graphs in short words, and the check of one: what it becomes
 * on nn_engine, and its numbers against the general engine without any fusion, with known
 * and with open shapes.
 */
#ifndef TSR_NN_QUANT_CASE_H
#define TSR_NN_QUANT_CASE_H

#include <math.h>
#include <string.h>
#include <tessera/tessera.h>

#include "ir/graph.h"
#include "nn.h"
#include "../../support/check_main.h"

#define SHAPE(...)                                                                  \
    (guint32)(sizeof((gint64[]){__VA_ARGS__}) / sizeof(gint64)), (const gint64[]){__VA_ARGS__}
/* A node with one output; NULL inputs are not possible. */
#define NODE(op, attrs, ...) q_node(op, attrs, (TsrValue *const[]){__VA_ARGS__, NULL})

enum { U8 = TSR_DTYPE_UINT8, S8 = TSR_DTYPE_INT8 };

/* `want`: operators in alphabetical order, "@" before one that is not on nn_engine.
 * steps: how far elements of bytes may be apart; floats by as many times `step`. */
typedef struct QuantCase {
    const char *name;
    void (*build)(void);
    const char *want;
    int steps;
    float step;
} QuantCase;

TsrValue *q_node(const char *op, const char *attrs, TsrValue *const *inputs);
/* A node with `count` outputs and one input. */
void q_node_outputs(const char *op, TsrValue *x, TsrValue **out_values, guint count);
/* An input with numbers of [-2, 2], or all bytes. */
TsrValue *q_input(guint32 dtype, guint32 rank, const gint64 *shape);
/* Constants: bytes (int32: small numbers), scales of about `scale` and zero points about
 * `zero`, different from each other unless there is one. */
TsrValue *q_bytes(guint32 dtype, guint32 rank, const gint64 *shape);
TsrValue *q_scales(float scale, gint64 count); /* 0: a scalar */
TsrValue *q_zeros(guint32 dtype, gint64 zero, gint64 count);
TsrValue *q_floats(guint32 rank, const gint64 *shape);
TsrValue *q_ints(gint64 count, const gint64 *values);
void q_output(TsrValue *value);

/* Pairs of one scale and zero point. */
TsrValue *q_quantize(TsrValue *x, float scale, guint32 dtype, gint64 zero);
TsrValue *q_dequantize(TsrValue *x, float scale, guint32 dtype, gint64 zero);

void ck_quant_case(const QuantCase *which);

#endif
