/* SPDX-License-Identifier: Apache-2.0
 *
 * ops_transformer.h: rows of the operator table in ops.c for what the passes over
 * transformers make; defined in ops_transformer.c.
 *   MatMul     f(A B + bias + Z), numpy's broadcasting throughout
 *   LayerNorm  each row (last axis) of X + Z to mean 0 and variance 1, times scale, plus bias,
 *              and that sum
 *   Chain      a run of elementwise steps over X, see chain.h
 *   Attention  softmax(scale * Q K^T + mask) V, see build_attention.c
 */
#ifndef TSR_NN_OPS_TRANSFORMER_H
#define TSR_NN_OPS_TRANSFORMER_H

#include "nn.h"

enum {
    NN_MATMUL_INPUTS = 4, NN_MATMUL_ATTRS = 5,
    NN_LAYER_NORM_INPUTS = 4, NN_LAYER_NORM_OUTPUTS = 2, NN_LAYER_NORM_ATTRS = 1,
    NN_ATTENTION_INPUTS = 4, NN_ATTENTION_ATTRS = 5,
    NN_CHAIN_INPUTS = 2, NN_CHAIN_ATTRS = 2,
};

extern const TsrOpParam nn_matmul_inputs[NN_MATMUL_INPUTS];
extern const TsrOpParam nn_layer_norm_inputs[NN_LAYER_NORM_INPUTS];
extern const TsrOpParam nn_layer_norm_outputs[NN_LAYER_NORM_OUTPUTS];
extern const TsrOpParam nn_attention_inputs[NN_ATTENTION_INPUTS];
extern const TsrOpParam nn_chain_inputs[NN_CHAIN_INPUTS];
extern const TsrOpParam nn_transformer_output[1];
extern const TsrOpAttr nn_matmul_attrs[NN_MATMUL_ATTRS];
extern const TsrOpAttr nn_layer_norm_attrs[NN_LAYER_NORM_ATTRS];
extern const TsrOpAttr nn_attention_attrs[NN_ATTENTION_ATTRS];
extern const TsrOpAttr nn_chain_attrs[NN_CHAIN_ATTRS];

int32_t nn_matmul_infer(const TsrOpDef *def, TsrInferContext *infer);
int32_t nn_attention_infer(const TsrOpDef *def, TsrInferContext *infer);

#define NN_TRANSFORMER_ROW(op, in, in_count, out, out_count, attributes, attribute_count) \
    .struct_size = sizeof(TsrOpDef), .since_version = 1, .domain = NN_DOMAIN, .name = (op), \
    .inputs = (in), .outputs = (out), .attrs = (attributes), .input_count = (in_count), \
    .output_count = (out_count), .attr_count = (attribute_count),                   \
    .input_stride = sizeof(TsrOpParam), .output_stride = sizeof(TsrOpParam),        \
    .attr_stride = sizeof(TsrOpAttr)

#define NN_TRANSFORMER_DEFINITIONS                                                  \
    { NN_TRANSFORMER_ROW("MatMul", nn_matmul_inputs, NN_MATMUL_INPUTS,              \
                         nn_transformer_output, 1, nn_matmul_attrs, NN_MATMUL_ATTRS), \
      .infer = nn_matmul_infer },                                                   \
    { NN_TRANSFORMER_ROW("LayerNorm", nn_layer_norm_inputs, NN_LAYER_NORM_INPUTS,   \
                         nn_layer_norm_outputs, NN_LAYER_NORM_OUTPUTS,              \
                         nn_layer_norm_attrs, NN_LAYER_NORM_ATTRS),                 \
      .follow = "Y=X,sum=X" },                                                     \
    { NN_TRANSFORMER_ROW("Chain", nn_chain_inputs, NN_CHAIN_INPUTS,                 \
                         nn_transformer_output, 1, nn_chain_attrs, NN_CHAIN_ATTRS), \
      .follow = "Y=X" },                                                            \
    { NN_TRANSFORMER_ROW("Attention", nn_attention_inputs, NN_ATTENTION_INPUTS,     \
                         nn_transformer_output, 1, nn_attention_attrs,              \
                         NN_ATTENTION_ATTRS), .infer = nn_attention_infer }

#endif
