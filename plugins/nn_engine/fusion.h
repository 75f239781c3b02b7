/* SPDX-License-Identifier: Apache-2.0
 *
 * fusion.h: what the fusion passes share: reading of patterns through TsrGraphEdit and
 * the one way in which a pass replaces nodes. Defined in fusion.c.
 */
#ifndef TSR_NN_FUSION_H
#define TSR_NN_FUSION_H

#include "nn.h"

/* The node that writes input `index` of `node`, if that value may vanish in a fusion. */
uint32_t nn_vanishing_producer(const TsrGraphEdit *edit, uint32_t node, uint32_t index);

/* All three are false for NULL. */
int nn_is_op(const TsrNodeView *view, const char *domain, const char *op_type);
int nn_is_conv(const TsrNodeView *view); /* ConvTranspose as well */
/* A Conv or Affine of which nothing but the activation is missing. */
int nn_is_open(const TsrNodeView *view);

/* Replaces `nodes` by a tessera.nn operator that takes the attributes of nodes[0] over
 * and writes the output of the last node. */
int32_t nn_fuse(const TsrGraphEdit *edit, const char *op_type, const uint32_t *nodes,
                uint32_t node_count, const uint32_t *inputs, uint32_t input_count,
                TsrActivation activation);

/* The inputs (at most 4) of a Conv, Affine or Activation as value ids; returns how many. */
uint32_t nn_inputs_of(const TsrGraphEdit *edit, uint32_t node, uint32_t *out_inputs);

/* Which activation a node is, with ONNX's defaults; TSR_ACT_NONE when none of ours. */
TsrActivation nn_activation_node(const TsrNodeView *view);

extern const TsrFusionPass nn_channel_shuffle_pass, nn_hard_swish_pass, nn_scaled_swish_pass;
extern const TsrFusionPass nn_gelu_pass, nn_layer_norm_pass, nn_add_layer_norm_pass,
    nn_softmax_pass, nn_attention_pass, nn_matmul_bias_act_pass, nn_eltwise_chain_pass, nn_qdq_pass;
extern const TsrFusionPass nn_pad_pass, nn_squeeze_excite_pass,
    nn_depthwise_pointwise_pass, nn_pixel_rows_pass;

#endif
