/* SPDX-License-Identifier: Apache-2.0
 *
 * families.h: the tables that the files of this folder define, one per family of
 * operators; ops.c lists them once.
 */
#ifndef TSR_OPS_FAMILIES_H
#define TSR_OPS_FAMILIES_H

#include "format_util.h"
#include "infer_util.h"

extern const TsrOps tsr_ops_activation;
extern const TsrOps tsr_ops_algebra;
extern const TsrOps tsr_ops_arithmetic;
extern const TsrOps tsr_ops_attention;
extern const TsrOps tsr_ops_cast;
extern const TsrOps tsr_ops_control;
extern const TsrOps tsr_ops_conv;
extern const TsrOps tsr_ops_gather;
extern const TsrOps tsr_ops_generate;
extern const TsrOps tsr_ops_gradient;
extern const TsrOps tsr_ops_image;
extern const TsrOps tsr_ops_legacy;
extern const TsrOps tsr_ops_logic;
extern const TsrOps tsr_ops_loss;
extern const TsrOps tsr_ops_math;
extern const TsrOps tsr_ops_matmul;
extern const TsrOps tsr_ops_ml;
extern const TsrOps tsr_ops_move;
extern const TsrOps tsr_ops_norm;
extern const TsrOps tsr_ops_pool;
extern const TsrOps tsr_ops_quantize;
extern const TsrOps tsr_ops_quantized;
extern const TsrOps tsr_ops_random;
extern const TsrOps tsr_ops_reduce;
extern const TsrOps tsr_ops_resize;
extern const TsrOps tsr_ops_rnn;
extern const TsrOps tsr_ops_sample;
extern const TsrOps tsr_ops_select;
extern const TsrOps tsr_ops_sequence;
extern const TsrOps tsr_ops_shape;
extern const TsrOps tsr_ops_signal;
extern const TsrOps tsr_ops_tessera;
extern const TsrOps tsr_ops_text;
extern const TsrOps tsr_ops_training;
extern const TsrOps tsr_ops_transformer;

#endif
