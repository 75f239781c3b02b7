/* SPDX-License-Identifier: Apache-2.0
 *
 * table.h: the families of kernels that the files of this folder define.
 */
#ifndef AICPU_OPS_TABLE_H
#define AICPU_OPS_TABLE_H

#include "../aicpu.h"

extern const AicpuFamily aicpu_algebra;
extern const AicpuFamily aicpu_attention;
extern const AicpuFamily aicpu_binary;
extern const AicpuFamily aicpu_cast;
extern const AicpuFamily aicpu_concat;
extern const AicpuFamily aicpu_control;
extern const AicpuFamily aicpu_conv;
extern const AicpuFamily aicpu_conv_transpose;
extern const AicpuFamily aicpu_cumulate;
extern const AicpuFamily aicpu_deform_conv;
extern const AicpuFamily aicpu_gather;
extern const AicpuFamily aicpu_generate;
extern const AicpuFamily aicpu_grid_sample;
extern const AicpuFamily aicpu_image;
extern const AicpuFamily aicpu_layout;
extern const AicpuFamily aicpu_loss;
extern const AicpuFamily aicpu_matmul;
extern const AicpuFamily aicpu_ml;
extern const AicpuFamily aicpu_ml_tree;
extern const AicpuFamily aicpu_nms;
extern const AicpuFamily aicpu_norm;
extern const AicpuFamily aicpu_pad;
extern const AicpuFamily aicpu_pool;
extern const AicpuFamily aicpu_quantize;
extern const AicpuFamily aicpu_quantized;
extern const AicpuFamily aicpu_random;
extern const AicpuFamily aicpu_reduce;
extern const AicpuFamily aicpu_resize;
extern const AicpuFamily aicpu_rnn;
extern const AicpuFamily aicpu_roi;
extern const AicpuFamily aicpu_scan;
extern const AicpuFamily aicpu_scatter;
extern const AicpuFamily aicpu_select;
extern const AicpuFamily aicpu_sequence;
extern const AicpuFamily aicpu_shape;
extern const AicpuFamily aicpu_signal;
extern const AicpuFamily aicpu_softmax;
extern const AicpuFamily aicpu_text;
extern const AicpuFamily aicpu_training;
extern const AicpuFamily aicpu_trans_data;
extern const AicpuFamily aicpu_transformer;
extern const AicpuFamily aicpu_unary;

#endif
