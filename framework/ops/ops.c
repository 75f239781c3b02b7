/* SPDX-License-Identifier: Apache-2.0
 *
 * ops.c: the list of the built-in operator families; a new family is one row here.
 */
#include "ops.h"
#include "families.h"

static const TsrOps *const families[] = {
    &tsr_ops_activation,
    &tsr_ops_arithmetic,
    &tsr_ops_cast,
    &tsr_ops_control,
    &tsr_ops_conv,
    &tsr_ops_gather,
    &tsr_ops_generate,
    &tsr_ops_logic,
    &tsr_ops_math,
    &tsr_ops_matmul,
    &tsr_ops_move,
    &tsr_ops_norm,
    &tsr_ops_pool,
    &tsr_ops_quantize,
    &tsr_ops_reduce,
    &tsr_ops_resize,
    &tsr_ops_rnn,
    &tsr_ops_select,
    &tsr_ops_shape,
    &tsr_ops_tessera,
};

const TsrOps *const *tsr_ops_builtin(uint32_t *out_count)
{
    *out_count = COUNT_OF(families);
    return families;
}
