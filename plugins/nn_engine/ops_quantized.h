/* SPDX-License-Identifier: Apache-2.0
 *
 * ops_quantized.h: rows of the operator table in ops.c for what nn_qdq makes; defined in
 * ops_quantized.c. Scales are float, zero points of the type of what they belong to; low
 * and high narrow the range of y's elements (a fused activation).
 *   QConv    QLinearConv 10 with limits, and a residual z of y's shape, with a scale and zero
 *            point of its own, added before it is rounded
 *   QMatMul  QLinearMatMul 10 with limits, an int32 bias along the columns and transB
 *   QAdd     a and b, each with scale and zero point, broadcast, added and requantized
 *   QClip    x requantized
 *   QPool    average over windows, or over the whole picture where there is no kernel_shape
 */
#ifndef TSR_NN_OPS_QUANTIZED_H
#define TSR_NN_OPS_QUANTIZED_H

#include "nn.h"

enum {
    NN_QCONV_INPUTS = 12, NN_QCONV_BIAS = 8, NN_QCONV_RESIDUAL = 9, NN_QCONV_ATTRS = 8,
    NN_QMATMUL_INPUTS = 9, NN_QMATMUL_ATTRS = 3,
    NN_QADD_INPUTS = 8, NN_QADD_ATTRS = 2,
    NN_QPOOL_INPUTS = 5, NN_QPOOL_ATTRS = 9,
};

extern const TsrOpParam nn_qconv_inputs[NN_QCONV_INPUTS], nn_qadd_inputs[NN_QADD_INPUTS],
    nn_qpool_inputs[NN_QPOOL_INPUTS];
extern const TsrOpParam nn_quantized_output[1];
extern const TsrOpAttr nn_qconv_attrs[NN_QCONV_ATTRS], nn_qmatmul_attrs[NN_QMATMUL_ATTRS],
    nn_qadd_attrs[NN_QADD_ATTRS], nn_qpool_attrs[NN_QPOOL_ATTRS];

int32_t nn_qconv_infer(const TsrOpDef *def, TsrInferContext *infer);
int32_t nn_qmatmul_infer(const TsrOpDef *def, TsrInferContext *infer);
int32_t nn_qadd_infer(const TsrOpDef *def, TsrInferContext *infer);
int32_t nn_qclip_infer(const TsrOpDef *def, TsrInferContext *infer);
int32_t nn_qpool_infer(const TsrOpDef *def, TsrInferContext *infer);
int32_t nn_quantized_format(const TsrOpDef *def, const TsrNodeView *node,
                            uint32_t *input_formats, uint32_t *output_formats);

#define NN_QUANTIZED_ROW(op, in, in_count, attributes, attribute_count, how)        \
    { .struct_size = sizeof(TsrOpDef), .since_version = 1, .domain = NN_DOMAIN, .name = (op), \
      .inputs = (in), .outputs = nn_quantized_output, .attrs = (attributes),        \
      .input_count = (in_count), .output_count = 1, .attr_count = (attribute_count), \
      .input_stride = sizeof(TsrOpParam), .output_stride = sizeof(TsrOpParam),      \
      .attr_stride = sizeof(TsrOpAttr), .infer = (how), .infer_format = nn_quantized_format }

#define NN_QUANTIZED_DEFINITIONS                                                    \
    NN_QUANTIZED_ROW("QConv", nn_qconv_inputs, NN_QCONV_INPUTS, nn_qconv_attrs,     \
                     NN_QCONV_ATTRS, nn_qconv_infer),                               \
    NN_QUANTIZED_ROW("QMatMul", nn_qconv_inputs, NN_QMATMUL_INPUTS, nn_qmatmul_attrs, \
                     NN_QMATMUL_ATTRS, nn_qmatmul_infer),                           \
    NN_QUANTIZED_ROW("QAdd", nn_qadd_inputs, NN_QADD_INPUTS, nn_qadd_attrs, NN_QADD_ATTRS, \
                     nn_qadd_infer),                                                \
    NN_QUANTIZED_ROW("QClip", nn_qpool_inputs, NN_QPOOL_INPUTS, nn_qadd_attrs, NN_QADD_ATTRS, \
                     nn_qclip_infer),                                               \
    NN_QUANTIZED_ROW("QPool", nn_qpool_inputs, NN_QPOOL_INPUTS, nn_qpool_attrs,     \
                     NN_QPOOL_ATTRS, nn_qpool_infer)

#endif
