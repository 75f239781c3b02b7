/* SPDX-License-Identifier: Apache-2.0
 *
 * cast_ref.c: the reference of CAST, one element at a time.
 */
#include <tessera/narrow.h>
#include "kernel_list.h"
#include "split.h"

static float element_get(uint32_t dtype, const void *x, int64_t i)
{
    switch (dtype) {
    case TSR_DTYPE_FLOAT16: return tsr_float16_to_float(((const uint16_t *)x)[i]);
    case TSR_DTYPE_BFLOAT16: return tsr_bfloat16_to_float(((const uint16_t *)x)[i]);
    case TSR_DTYPE_INT8: return (float)((const int8_t *)x)[i];
    case TSR_DTYPE_UINT8: return (float)((const uint8_t *)x)[i];
    case TSR_DTYPE_INT32: return (float)((const int32_t *)x)[i];
    default: return ((const float *)x)[i];
    }
}

void tsr_cast_ref(void *const *args, const void *params, uint32_t block_index,
                  uint32_t block_dim)
{
    const TsrCastParams *p = params;
    int64_t begin, end;
    split_range(p->count, block_index, block_dim, &begin, &end);
    for (int64_t i = begin; i < end; i++) {
        const float v = element_get(p->from, args[0], i);
        if (p->to == TSR_DTYPE_FLOAT16)
            ((uint16_t *)args[1])[i] = tsr_float_to_float16(v);
        else if (p->to == TSR_DTYPE_BFLOAT16)
            ((uint16_t *)args[1])[i] = tsr_float_to_bfloat16(v);
        else
            ((float *)args[1])[i] = v;
    }
}
