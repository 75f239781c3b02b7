/* SPDX-License-Identifier: Apache-2.0
 *
 * ops.c: the list of the built-in operator families; a new family is one row here.
 */
#include "ops.h"
#include "families.h"

static const TsrOps *const families[] = {
    &tsr_ops_activation,
    &tsr_ops_algebra,
    &tsr_ops_arithmetic,
    &tsr_ops_attention,
    &tsr_ops_cast,
    &tsr_ops_control,
    &tsr_ops_conv,
    &tsr_ops_gather,
    &tsr_ops_generate,
    &tsr_ops_gradient,
    &tsr_ops_image,
    &tsr_ops_legacy,
    &tsr_ops_logic,
    &tsr_ops_loss,
    &tsr_ops_math,
    &tsr_ops_matmul,
    &tsr_ops_ml,
    &tsr_ops_move,
    &tsr_ops_norm,
    &tsr_ops_pool,
    &tsr_ops_quantize,
    &tsr_ops_quantized,
    &tsr_ops_random,
    &tsr_ops_reduce,
    &tsr_ops_resize,
    &tsr_ops_rnn,
    &tsr_ops_sample,
    &tsr_ops_select,
    &tsr_ops_sequence,
    &tsr_ops_shape,
    &tsr_ops_signal,
    &tsr_ops_tessera,
    &tsr_ops_text,
    &tsr_ops_training,
    &tsr_ops_transformer,
};

const TsrOps *const *tsr_ops_builtin(uint32_t *out_count)
{
    *out_count = COUNT_OF(families);
    return families;
}
