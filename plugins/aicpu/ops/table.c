/* SPDX-License-Identifier: Apache-2.0
 *
 * table.c: the list of kernel families; a new one is one row here and one in table.h.
 */
#include "table.h"

const AicpuFamily *const aicpu_families[] = {
    &aicpu_algebra,
    &aicpu_attention,
    &aicpu_binary,
    &aicpu_cast,
    &aicpu_concat,
    &aicpu_control,
    &aicpu_conv,
    &aicpu_conv_transpose,
    &aicpu_cumulate,
    &aicpu_deform_conv,
    &aicpu_gather,
    &aicpu_generate,
    &aicpu_grid_sample,
    &aicpu_image,
    &aicpu_layout,
    &aicpu_loss,
    &aicpu_matmul,
    &aicpu_ml,
    &aicpu_ml_tree,
    &aicpu_nms,
    &aicpu_norm,
    &aicpu_pad,
    &aicpu_pool,
    &aicpu_quantize,
    &aicpu_quantized,
    &aicpu_random,
    &aicpu_reduce,
    &aicpu_resize,
    &aicpu_rnn,
    &aicpu_roi,
    &aicpu_scan,
    &aicpu_scatter,
    &aicpu_select,
    &aicpu_sequence,
    &aicpu_shape,
    &aicpu_signal,
    &aicpu_softmax,
    &aicpu_text,
    &aicpu_training,
    &aicpu_trans_data,
    &aicpu_transformer,
    &aicpu_unary,
};

const uint32_t aicpu_family_count = COUNT_OF(aicpu_families);
