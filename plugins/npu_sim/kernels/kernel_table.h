/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel_table.h: finds a kernel of the simulated NPU by its catalogue name
 * (tessera/device_kernels.h). The device calls tsr_kernel_find; tests and
 * benchmarks walk all rows of a name.
 */
#ifndef TSR_NPU_KERNEL_TABLE_H
#define TSR_NPU_KERNEL_TABLE_H

#include <tessera/types.h>

/* One implementation. Rows of a name stand together, the best first, `_ref` last. */
typedef struct TsrKernelRow {
    const char *name; /* TSR_KERNEL_ */
    uint32_t isa;     /* TSR_ISA_ */
    uint32_t params_size;
    TsrKernelFn fn;
} TsrKernelRow;

enum {
    TSR_ISA_REF = 0,
    TSR_ISA_AVX2 = 1,
    TSR_ISA_AVX512 = 2,
    TSR_ISA_AVX512_VNNI = 3, /* sums of four products of bytes */
    TSR_ISA_COUNT = 4,
};

/* The first row of that name that this machine can run, or NULL. The environment
 * variable TSR_NPU_SIM_ISA (ref, avx2, avx512 or avx512_vnni) is an upper bound. Threads: any. */
TsrKernelFn tsr_kernel_find(const char *name);

/* sizeof the parameters of that kernel, or 0. Threads: any. */
uint32_t tsr_kernel_params_size(const char *name);

/* All rows; *out_count receives how many. */
const TsrKernelRow *tsr_kernel_rows(uint32_t *out_count);

/* Whether this machine has the instructions of a TSR_ISA_ value. */
int tsr_kernel_isa_usable(uint32_t isa);

/* "ref", "avx2", "avx512", "avx512_vnni". */
const char *tsr_kernel_isa_name(uint32_t isa);

/* The best TSR_ISA_ value that tsr_kernel_find would serve here. */
uint32_t tsr_kernel_isa_best(void);

#endif
