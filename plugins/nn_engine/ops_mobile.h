/* SPDX-License-Identifier: Apache-2.0
 *
 * ops_mobile.h: rows of the operator table in ops.c for what the passes over mobile networks
 * make; defined in ops_mobile.c.
 *   SqueezeExcite  Y = f(X * g + residual * X), g per channel = gate(W2 squeeze(W1 mean(X)))
 *   SeparableConv  a depthwise Conv by `filters`, inner activation, then a 1x1 Conv plus Z
 *   PixelRows      [N, C, H, W] as [N, H * W, C]
 */
#ifndef TSR_NN_OPS_MOBILE_H
#define TSR_NN_OPS_MOBILE_H

#include "nn.h"

enum {
    NN_EXCITE_INPUTS = 5,
    NN_EXCITE_ATTRS = 10,
    NN_SEPARABLE_INPUTS = 6,
    NN_SEPARABLE_ATTRS = 10,
};

extern const TsrOpParam nn_pixel_rows_inputs[1];
extern const TsrOpParam nn_excite_inputs[NN_EXCITE_INPUTS];
extern const TsrOpParam nn_separable_inputs[NN_SEPARABLE_INPUTS];
extern const TsrOpAttr nn_separable_attrs[NN_SEPARABLE_ATTRS];
extern const TsrOpParam nn_mobile_output[1];
extern const TsrOpAttr nn_excite_attrs[NN_EXCITE_ATTRS];

int32_t nn_pixel_rows_infer(const TsrOpDef *def, TsrInferContext *infer);

#define NN_MOBILE_DEFINITIONS                                                       \
    { .struct_size = sizeof(TsrOpDef), .since_version = 1, .domain = NN_DOMAIN,     \
      .name = "SqueezeExcite", .inputs = nn_excite_inputs, .outputs = nn_mobile_output, \
      .attrs = nn_excite_attrs, .input_count = NN_EXCITE_INPUTS, .output_count = 1, \
      .attr_count = NN_EXCITE_ATTRS, .input_stride = sizeof(TsrOpParam),            \
      .output_stride = sizeof(TsrOpParam), .attr_stride = sizeof(TsrOpAttr), .follow = "Y=X", \
      .infer_format = picture_format },                                             \
    { .struct_size = sizeof(TsrOpDef), .since_version = 1, .domain = NN_DOMAIN,     \
      .name = "SeparableConv", .inputs = nn_separable_inputs, .outputs = nn_mobile_output, \
      .attrs = nn_separable_attrs, .input_count = NN_SEPARABLE_INPUTS, .output_count = 1, \
      .attr_count = NN_SEPARABLE_ATTRS, .input_stride = sizeof(TsrOpParam),         \
      .output_stride = sizeof(TsrOpParam), .attr_stride = sizeof(TsrOpAttr),        \
      .infer = separable_infer, .infer_format = picture_format },                   \
    { .struct_size = sizeof(TsrOpDef), .since_version = 1, .domain = NN_DOMAIN,     \
      .name = "PixelRows", .inputs = nn_pixel_rows_inputs, .outputs = nn_mobile_output, \
      .input_count = 1, .output_count = 1, .input_stride = sizeof(TsrOpParam),      \
      .output_stride = sizeof(TsrOpParam), .infer = nn_pixel_rows_infer }

#endif
