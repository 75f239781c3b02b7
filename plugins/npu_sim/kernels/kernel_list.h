/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel_list.h: prototypes of every kernel implementation, for kernel_table.c and
 * for the files that define them. Adding a kernel: its file, a line here, a row in
 * kernel_table.c and a line in meson.build.
 */
#ifndef TSR_NPU_KERNEL_LIST_H
#define TSR_NPU_KERNEL_LIST_H

#include <tessera/device_kernels.h>

/* Declares a function of the type TsrKernelFn. */
#define TSR_KERNEL_PROTOTYPE(fn)                                                    \
    void fn(void *const *args, const void *params, uint32_t block_index,            \
            uint32_t block_dim)
/* The implementations of one kernel that exist for every instruction set. */
#define TSR_KERNEL_PROTOTYPES(base)                                                 \
    TSR_KERNEL_PROTOTYPE(base##_ref);                                               \
    TSR_KERNEL_PROTOTYPE(base##_avx2);                                              \
    TSR_KERNEL_PROTOTYPE(base##_avx512)

TSR_KERNEL_PROTOTYPES(tsr_conv2d_f32);
TSR_KERNEL_PROTOTYPES(tsr_conv2d_depthwise_f32);
TSR_KERNEL_PROTOTYPES(tsr_conv2d_nchw_f32);
TSR_KERNEL_PROTOTYPES(tsr_conv2d_separable_f32);
TSR_KERNEL_PROTOTYPES(tsr_conv2d_sparse_f32);
TSR_KERNEL_PROTOTYPES(tsr_conv2d_winograd_f32);
TSR_KERNEL_PROTOTYPES(tsr_pack_panels_f32);
TSR_KERNEL_PROTOTYPES(tsr_gemm_f32);
TSR_KERNEL_PROTOTYPES(tsr_pool2d_f32);
TSR_KERNEL_PROTOTYPES(tsr_resize2d_f32);
TSR_KERNEL_PROTOTYPES(tsr_scale_shift_f32);
TSR_KERNEL_PROTOTYPES(tsr_unary_f32);
TSR_KERNEL_PROTOTYPES(tsr_binary_f32);
TSR_KERNEL_PROTOTYPES(tsr_softmax_f32);
TSR_KERNEL_PROTOTYPES(tsr_normalize_f32);
TSR_KERNEL_PROTOTYPES(tsr_lrn_f32);
TSR_KERNEL_PROTOTYPES(tsr_reduce_f32);
TSR_KERNEL_PROTOTYPES(tsr_excite_f32);
TSR_KERNEL_PROTOTYPES(tsr_lstm_f32);
TSR_KERNEL_PROTOTYPES(tsr_gru_f32);
TSR_KERNEL_PROTOTYPES(tsr_attention_f32);
TSR_KERNEL_PROTOTYPES(tsr_chain_f32);
TSR_KERNEL_PROTOTYPES(tsr_copy_channels_b32);
TSR_KERNEL_PROTOTYPES(tsr_copy_rows);
TSR_KERNEL_PROTOTYPES(tsr_copy_window_b32);
TSR_KERNEL_PROTOTYPES(tsr_transpose_b32);
TSR_KERNEL_PROTOTYPES(tsr_shuffle_b32);
TSR_KERNEL_PROTOTYPES(tsr_transdata);

/* The narrow forms. */
#define TSR_KERNEL_NARROW(base)                                                     \
    TSR_KERNEL_PROTOTYPES(base##_f16);                                              \
    TSR_KERNEL_PROTOTYPES(base##_bf16)

TSR_KERNEL_NARROW(tsr_conv2d);
TSR_KERNEL_NARROW(tsr_conv2d_depthwise);
TSR_KERNEL_NARROW(tsr_conv2d_nchw);
TSR_KERNEL_NARROW(tsr_pack_panels);
TSR_KERNEL_NARROW(tsr_gemm);
TSR_KERNEL_NARROW(tsr_pool2d);
TSR_KERNEL_NARROW(tsr_resize2d);
TSR_KERNEL_NARROW(tsr_scale_shift);
TSR_KERNEL_NARROW(tsr_unary);
TSR_KERNEL_NARROW(tsr_binary);
TSR_KERNEL_NARROW(tsr_chain);
TSR_KERNEL_NARROW(tsr_softmax);
TSR_KERNEL_NARROW(tsr_normalize);
TSR_KERNEL_NARROW(tsr_reduce);
TSR_KERNEL_PROTOTYPES(tsr_transpose_b16);
TSR_KERNEL_PROTOTYPES(tsr_transpose_b8);
TSR_KERNEL_PROTOTYPES(tsr_shuffle_b16);
TSR_KERNEL_PROTOTYPES(tsr_cast);

/* The quantized kernels; those with sums of products have a form for the instructions that
 * do four of them at once. */
TSR_KERNEL_PROTOTYPES(tsr_conv2d_i8);
TSR_KERNEL_PROTOTYPE(tsr_conv2d_i8_avx512_vnni);
TSR_KERNEL_PROTOTYPES(tsr_gemm_i8);
TSR_KERNEL_PROTOTYPE(tsr_gemm_i8_avx512_vnni);
TSR_KERNEL_PROTOTYPES(tsr_conv2d_depthwise_i8);
TSR_KERNEL_PROTOTYPES(tsr_quantize);
TSR_KERNEL_PROTOTYPES(tsr_dequantize);
TSR_KERNEL_PROTOTYPES(tsr_range_f32);
TSR_KERNEL_PROTOTYPES(tsr_quantize_dynamic);
TSR_KERNEL_PROTOTYPES(tsr_add_i8);
TSR_KERNEL_PROTOTYPES(tsr_pool2d_i8);

#endif
