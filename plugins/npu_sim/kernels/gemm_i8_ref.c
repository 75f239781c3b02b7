/* SPDX-License-Identifier: Apache-2.0
 *
 * gemm_i8_ref.c: the reference GEMM_I8, from the formula of ONNX QLinearMatMul 10 and the
 * packed layout of tessera/device_kernels.h.
 */
#include "kernel_list.h"
#include "requant.h"
#include "split.h"

void tsr_gemm_i8_ref(void *const *args, const void *params, uint32_t block_index,
                     uint32_t block_dim)
{
    const TsrGemmI8Params *p = params;
    const uint8_t *a = args[0];
    const int8_t *w = args[1];
    const TsrRequantBlock *table = args[2];
    const int32_t zero = requant_zero(&p->requant, args[3]);
    const int64_t padded = (p->k + 3) / 4 * 4;
    int64_t begin, end;
    split_range(p->m * p->n, block_index, block_dim, &begin, &end);
    for (int64_t at = begin; at < end; at++) {
        const int64_t row = at / p->n, column = at % p->n;
        uint32_t sum = (uint32_t)table[column / 16].bias[column % 16];
        for (int64_t k = 0; k < p->k; k++) {
            const uint8_t byte = a[row * p->k + k];
            const int32_t x = (p->requant.x_signed ? (int8_t)byte : byte) - zero;
            for (uint32_t pass = 0; pass < p->requant.passes; pass++)
                sum += (uint32_t)(x * w[((column / 16 * p->requant.passes + pass) * padded +
                                         k / 4 * 4) * 16 + column % 16 * 4 + k % 4]);
        }
        requant_put(args[4], at, (int32_t)sum, table[column / 16].factor[column % 16],
                    &p->requant, NULL);
    }
}
