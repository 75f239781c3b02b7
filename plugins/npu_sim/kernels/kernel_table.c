/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel_table.c: the one table of kernel implementations and the search in it.
 * Invariant: rows of one name are neighbours, ordered from best to `_ref`, and every
 * name ends with an unconditional `_ref` row, so that a known name is always found.
 */
#include "kernel_table.h"
#include "kernel_list.h"

#include <stdlib.h>
#include <string.h>

/* The three implementations of a kernel with parameters of that type, best first. */
#define ROW(id, level, function, type)                                              \
    { .name = (id), .isa = (level), .params_size = sizeof(type), .fn = function }
#define ROWS(id, base, type)                                                        \
    ROW(id, TSR_ISA_AVX512, base##_avx512, type),                                   \
    ROW(id, TSR_ISA_AVX2, base##_avx2, type),                                       \
    ROW(id, TSR_ISA_REF, base##_ref, type)

/* The float16 and the bfloat16 form. */
#define NARROW_ROWS(id, base, type)                                                 \
    ROWS(id##_F16, base##_f16, type),                                               \
    ROWS(id##_BF16, base##_bf16, type)

/* With a form for TSR_ISA_AVX512_VNNI. */
#define VNNI_ROWS(id, base, type)                                                   \
    ROW(id, TSR_ISA_AVX512_VNNI, base##_avx512_vnni, type), ROWS(id, base, type)

static const TsrKernelRow rows[] = {
    ROWS(TSR_KERNEL_CONV2D_F32, tsr_conv2d_f32, TsrConv2dParams),
    ROWS(TSR_KERNEL_CONV2D_DEPTHWISE_F32, tsr_conv2d_depthwise_f32, TsrConv2dParams),
    ROWS(TSR_KERNEL_CONV2D_NCHW_F32, tsr_conv2d_nchw_f32, TsrConv2dParams),
    ROWS(TSR_KERNEL_CONV2D_SEPARABLE_F32, tsr_conv2d_separable_f32, TsrSeparableParams),
    ROWS(TSR_KERNEL_CONV2D_SPARSE_F32, tsr_conv2d_sparse_f32, TsrConvSparseParams),
    ROWS(TSR_KERNEL_CONV2D_WINOGRAD_F32, tsr_conv2d_winograd_f32, TsrWinogradParams),
    ROWS(TSR_KERNEL_PACK_PANELS_F32, tsr_pack_panels_f32, TsrPackPanelsParams),
    ROWS(TSR_KERNEL_GEMM_F32, tsr_gemm_f32, TsrGemmParams),
    ROWS(TSR_KERNEL_POOL2D_F32, tsr_pool2d_f32, TsrPool2dParams),
    ROWS(TSR_KERNEL_RESIZE2D_F32, tsr_resize2d_f32, TsrResize2dParams),
    ROWS(TSR_KERNEL_SCALE_SHIFT_F32, tsr_scale_shift_f32, TsrScaleShiftParams),
    ROWS(TSR_KERNEL_UNARY_F32, tsr_unary_f32, TsrUnaryParams),
    ROWS(TSR_KERNEL_BINARY_F32, tsr_binary_f32, TsrBinaryParams),
    ROWS(TSR_KERNEL_SOFTMAX_F32, tsr_softmax_f32, TsrSoftmaxParams),
    ROWS(TSR_KERNEL_NORMALIZE_F32, tsr_normalize_f32, TsrNormalizeParams),
    ROWS(TSR_KERNEL_LRN_F32, tsr_lrn_f32, TsrLrnParams),
    ROWS(TSR_KERNEL_REDUCE_F32, tsr_reduce_f32, TsrReduceParams),
    ROWS(TSR_KERNEL_EXCITE_F32, tsr_excite_f32, TsrExciteParams),
    ROWS(TSR_KERNEL_LSTM_F32, tsr_lstm_f32, TsrRecurrentParams),
    ROWS(TSR_KERNEL_GRU_F32, tsr_gru_f32, TsrRecurrentParams),
    ROWS(TSR_KERNEL_ATTENTION_F32, tsr_attention_f32, TsrAttentionParams),
    ROWS(TSR_KERNEL_CHAIN_F32, tsr_chain_f32, TsrChainParams),
    ROWS(TSR_KERNEL_COPY_CHANNELS_B32, tsr_copy_channels_b32, TsrCopyChannelsParams),
    ROWS(TSR_KERNEL_COPY_WINDOW_B32, tsr_copy_window_b32, TsrCopyWindowParams),
    ROWS(TSR_KERNEL_COPY_ROWS, tsr_copy_rows, TsrCopyRowsParams),
    ROWS(TSR_KERNEL_TRANSPOSE_B32, tsr_transpose_b32, TsrTransposeParams),
    ROWS(TSR_KERNEL_SHUFFLE_B32, tsr_shuffle_b32, TsrShuffleParams),
    ROWS(TSR_KERNEL_TRANSDATA, tsr_transdata, TsrTransdataParams),
    NARROW_ROWS(TSR_KERNEL_CONV2D, tsr_conv2d, TsrConv2dParams),
    NARROW_ROWS(TSR_KERNEL_CONV2D_DEPTHWISE, tsr_conv2d_depthwise, TsrConv2dParams),
    NARROW_ROWS(TSR_KERNEL_CONV2D_NCHW, tsr_conv2d_nchw, TsrConv2dParams),
    NARROW_ROWS(TSR_KERNEL_PACK_PANELS, tsr_pack_panels, TsrPackPanelsParams),
    NARROW_ROWS(TSR_KERNEL_GEMM, tsr_gemm, TsrGemmParams),
    NARROW_ROWS(TSR_KERNEL_POOL2D, tsr_pool2d, TsrPool2dParams),
    NARROW_ROWS(TSR_KERNEL_RESIZE2D, tsr_resize2d, TsrResize2dParams),
    NARROW_ROWS(TSR_KERNEL_SCALE_SHIFT, tsr_scale_shift, TsrScaleShiftParams),
    NARROW_ROWS(TSR_KERNEL_UNARY, tsr_unary, TsrUnaryParams),
    NARROW_ROWS(TSR_KERNEL_BINARY, tsr_binary, TsrBinaryParams),
    NARROW_ROWS(TSR_KERNEL_CHAIN, tsr_chain, TsrChainParams),
    NARROW_ROWS(TSR_KERNEL_SOFTMAX, tsr_softmax, TsrSoftmaxParams),
    NARROW_ROWS(TSR_KERNEL_NORMALIZE, tsr_normalize, TsrNormalizeParams),
    NARROW_ROWS(TSR_KERNEL_REDUCE, tsr_reduce, TsrReduceParams),
    ROWS(TSR_KERNEL_TRANSPOSE_B16, tsr_transpose_b16, TsrTransposeParams),
    ROWS(TSR_KERNEL_TRANSPOSE_B8, tsr_transpose_b8, TsrTransposeParams),
    ROWS(TSR_KERNEL_SHUFFLE_B16, tsr_shuffle_b16, TsrShuffleParams),
    ROWS(TSR_KERNEL_CAST, tsr_cast, TsrCastParams),
    VNNI_ROWS(TSR_KERNEL_CONV2D_I8, tsr_conv2d_i8, TsrConv2dI8Params),
    VNNI_ROWS(TSR_KERNEL_GEMM_I8, tsr_gemm_i8, TsrGemmI8Params),
    ROWS(TSR_KERNEL_CONV2D_DEPTHWISE_I8, tsr_conv2d_depthwise_i8, TsrConv2dI8Params),
    ROWS(TSR_KERNEL_QUANTIZE, tsr_quantize, TsrQuantizeParams),
    ROWS(TSR_KERNEL_DEQUANTIZE, tsr_dequantize, TsrQuantizeParams),
    ROWS(TSR_KERNEL_RANGE_F32, tsr_range_f32, TsrDynamicParams),
    ROWS(TSR_KERNEL_QUANTIZE_DYNAMIC, tsr_quantize_dynamic, TsrDynamicParams),
    ROWS(TSR_KERNEL_ADD_I8, tsr_add_i8, TsrAddI8Params),
    ROWS(TSR_KERNEL_POOL2D_I8, tsr_pool2d_i8, TsrPool2dI8Params),
};

static const char *const isa_names[TSR_ISA_COUNT] = {
    [TSR_ISA_REF] = "ref",
    [TSR_ISA_AVX2] = "avx2",
    [TSR_ISA_AVX512] = "avx512",
    [TSR_ISA_AVX512_VNNI] = "avx512_vnni",
};

int tsr_kernel_isa_usable(uint32_t isa)
{
    if (isa == TSR_ISA_AVX2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
               __builtin_cpu_supports("f16c");
    if (isa == TSR_ISA_AVX512_VNNI)
        return tsr_kernel_isa_usable(TSR_ISA_AVX512) && __builtin_cpu_supports("avx512vnni");
    if (isa == TSR_ISA_AVX512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    return isa == TSR_ISA_REF;
}

const char *tsr_kernel_isa_name(uint32_t isa)
{
    return isa < TSR_ISA_COUNT ? isa_names[isa] : "unknown";
}

uint32_t tsr_kernel_isa_best(void)
{
    const char *cap = getenv("TSR_NPU_SIM_ISA");
    uint32_t best = TSR_ISA_COUNT - 1;
    for (uint32_t i = 0; cap != NULL && i < TSR_ISA_COUNT; i++)
        if (strcmp(cap, isa_names[i]) == 0)
            best = i;
    while (!tsr_kernel_isa_usable(best))
        best--;
    return best;
}

const TsrKernelRow *tsr_kernel_rows(uint32_t *out_count)
{
    *out_count = sizeof(rows) / sizeof(rows[0]);
    return rows;
}

TsrKernelFn tsr_kernel_find(const char *name)
{
    uint32_t best = tsr_kernel_isa_best();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].isa <= best && strcmp(rows[i].name, name) == 0)
            return rows[i].fn;
    return NULL;
}

uint32_t tsr_kernel_params_size(const char *name)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].params_size;
    return 0;
}
