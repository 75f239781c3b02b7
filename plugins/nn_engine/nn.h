/* SPDX-License-Identifier: Apache-2.0
 *
 * nn.h: what the files of nn_engine share. The engine is one table of rows (nn_ops):
 * each row says for one operator which versions it covers, when it refuses, which
 * storage formats it takes and which device tasks compute it. engine.c, selector.c and
 * executor.c only walk the table; adding an operator adds a row.
 */
#ifndef TSR_NN_H
#define TSR_NN_H

#include <tessera/device_kernels.h>
#include <tessera/plugin.h>
#include <tessera/plugin_util.h>

#include "selector.h"

/* Domain of the operators that fusion makes. */
#define NN_DOMAIN "tessera.nn"
#define NN_FRAMEWORK_DOMAIN "tessera"

enum {
    NN_ANY_DTYPE = 1u << 0,   /* the row checks element types itself */
    NN_STATIC_ONLY = 1u << 1, /* refuses unknown dimensions */
    NN_WIDENS = 1u << 2,      /* takes narrow floats by casting them to float and back */
};

typedef struct NnOp NnOp;
struct NnOp {
    const char *op_type;
    const char *domain;
    uint32_t min_version; /* since_version, both inclusive */
    uint32_t max_version;
    uint32_t flags;
    uint32_t kernel_op;   /* TSR_UNARY_, TSR_BINARY_, ... of the kernel */
    uint32_t f32_inputs;  /* leading inputs that have to be float; 0: all */
    uint64_t dtypes;      /* that the row takes for float; 0: float alone */
    /* Limits beyond dtype and version; fills a refusal or leaves *out_support alone.
     * Dimensions may be unknown, ranks are not. Optional. */
    void (*check)(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support);
    int32_t (*build)(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink);
    const NnSelect *select; /* how its storage formats are found; NULL: plain storage */
    uint64_t inplace;     /* bit per input over which output 0 may be written, where it is
                             stored alike (TsrExecutor.inplace) */
};

/* The float types of rows whose kernels have narrow forms. */
#define NN_FLOATS                                                                   \
    (TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_FLOAT16) | TSR_BIT(TSR_DTYPE_BFLOAT16))

/* One array of rows per family of operators. */
typedef struct NnOpTable {
    const NnOp *ops;
    uint32_t count;
} NnOpTable;

extern const NnOpTable nn_conv_ops, nn_gemm_ops, nn_pool_ops, nn_eltwise_ops, nn_norm_ops,
    nn_layout_ops, nn_resize_ops, nn_deconv_ops, nn_recurrent_ops,
    nn_shuffle_ops, nn_transdata_ops, nn_attention_ops, nn_chain_ops,
    nn_cast_ops, nn_window_ops, nn_excite_ops, nn_separable_ops, nn_pixel_rows_ops,
    nn_quant_conv_ops, nn_quant_gemm_ops, nn_quantize_ops, nn_quant_eltwise_ops;

/* TSR_PRECISION_ of the node's operator. */
uint32_t nn_precision(const TsrEngine *engine, const TsrNodeView *node);

/* The row for the node, or NULL; *out_op_known tells whether any version of the
 * operator has one. */
const NnOp *nn_op_find(const TsrNodeView *node, int *out_op_known);

/* Whether the desc is a picture [N, C, H, W] that NC1HWC0 can store. */
int nn_is_picture(const TsrTensorDesc *desc);
/* Whether the elements lie otherwise than the origin says. */
static inline int nn_is_internal(const TsrTensorDesc *desc)
{
    return desc->storage_format != desc->origin_format;
}

static inline int nn_is_blocked(const TsrTensorDesc *desc)
{
    return desc->storage_format == TSR_FORMAT_NC1HWC0;
}

static inline const TsrTensorDesc *nn_input(const TsrNodeView *node, uint32_t i)
{
    return i < node->input_count ? node->inputs[i] : NULL;
}

static inline const TsrTensor *nn_value(const TsrNodeView *node, uint32_t i)
{
    return i < node->input_count && node->inputs[i] != NULL && node->values != NULL
               ? node->values[i] : NULL;
}

static inline int64_t nn_ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
static inline int64_t nn_round_up(int64_t a, int64_t b) { return nn_ceil_div(a, b) * b; }

/* Element i of a constant of float, float16 or bfloat16. */
static inline float nn_float_at(const TsrTensor *t, int64_t i)
{
    if (t->desc->dtype == TSR_DTYPE_FLOAT16)
        return tsr_float16_to_float(((const uint16_t *)t->data)[i]);
    if (t->desc->dtype == TSR_DTYPE_BFLOAT16)
        return tsr_bfloat16_to_float(((const uint16_t *)t->data)[i]);
    return ((const float *)t->data)[i];
}

static inline int nn_is_float(uint32_t dtype)
{
    return dtype < TSR_DTYPE_COUNT && (NN_FLOATS >> dtype & 1) != 0;
}

/* The form of a kernel for a storage type of NN_FLOATS, by the name of its f32 form. */
const char *nn_kernel_of(const char *f32_kernel, uint32_t dtype);

/* Adds a constant of `count` floats, rounded to a type of NN_FLOATS. */
int32_t nn_constant_of(TsrTaskSink *sink, uint32_t dtype, const float *floats, int64_t count,
                       uint32_t *out_arg);

/* One float that input i holds as a constant; `missing` when it is omitted. 0 when the
 * input is there but no constant float of one element. */
int nn_constant_float(const TsrNodeView *node, uint32_t i, float missing, float *out_value);

/* Whether input i is a constant with one value per channel of the picture that the node
 * makes, or one per column of its matrix. */
int nn_is_channel_constant(const TsrNodeView *node, uint32_t i);
int nn_is_column_constant(const TsrNodeView *node, uint32_t i);

/* The axes that a reduction takes away, as a bit mask of input 0's dimensions; of a global
 * pooling all but the first two. 0 when they are not known at compile time. */
int nn_reduce_axes(const TsrNodeView *node, uint32_t *out_mask);

/* Whether a picture is reduced to [N, C] with whole channel blocks: then the NC1HWC0 result
 * would be the same bytes as the plain one, which is written at once. */
int nn_reduces_to_channels(const TsrNodeView *node);

/* Window of a convolution or pooling over the last one or two dims of a picture. */
typedef struct NnWindow {
    int32_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
    int32_t pad_top, pad_left, pad_bottom, pad_right;
} NnWindow;

/* [N, C, H, W] of a tensor of rank 3 (H is 1) or 4. */
typedef struct NnPicture {
    int32_t n, c, h, w;
} NnPicture;

/* 0 when an extent does not fit 31 bits or the rank is neither 3 nor 4. */
int nn_picture_of(const TsrTensorDesc *desc, NnPicture *out_picture);

/* Reads strides, dilations, pads and auto_pad; spatial is 1 or 2 and kernel has as many
 * entries. With auto_pad the pads follow from x and y (shapes known). 0 when an
 * attribute has the wrong count or a value out of range. */
int nn_window_of(const TsrNodeView *node, uint32_t spatial, const int64_t *kernel,
                 const NnPicture *x, const NnPicture *y, NnWindow *out_window);

/* One spatial extent of y that the node's window leaves of `in`; TSR_DIM_UNKNOWN where that is
 * not known. */
int64_t nn_window_extent(const TsrNodeView *node, uint32_t axis, uint32_t spatial, int64_t in,
                         int64_t kernel);

/* Extents and window of a pooling. */
void nn_pool_window(TsrPool2dParams *p, const NnPicture *x, const NnPicture *y,
                    const NnWindow *v);

/* Blocks for so much work (elements moved or multiply-adds) cut into pieces: one where
 * starting the other cores costs more than it saves. */
uint32_t nn_block_dim(const TsrTaskSink *sink, int64_t pieces, double work);

/* Adds one kernel task, with so many multiplications and additions. */
int32_t nn_compute_task(TsrTaskSink *sink, const char *kernel, uint32_t blocks,
                        double operations, const uint32_t *args, uint32_t arg_count,
                        const void *params, uint32_t params_size);
/* One that takes as long as its bytes. */
int32_t nn_task(TsrTaskSink *sink, const char *kernel, uint32_t blocks, const uint32_t *args,
                uint32_t arg_count, const void *params, uint32_t params_size);

/* The activation that a fused operator carries, from its attributes. */
TsrActivation nn_activation_of(const TsrNodeView *node);

/* Multiplications and additions of a convolution. */
double nn_conv_operations(const TsrConv2dParams *p);
/* Adds the task CONV2D_F32 for p, whose tiling is chosen here, with the plain weights w
 * [OC, IC / groups, kh, kw] and a bias [OC] or NULL, from input 0 to y_arg. */
int32_t nn_conv_blocked(const TsrNodeView *node, TsrTaskSink *sink, TsrConv2dParams *p,
                        const float *w, const float *bias, uint32_t y_arg);

/* Whether elements can be moved from the storage of x to that of y; and that task, for
 * elements of 1, 2 or 4 bytes. Padding places of y get the element `padding`. The name is
 * the node's, for errors. */
int nn_transdata_fits(const TsrTensorDesc *x, const TsrTensorDesc *y);
int32_t nn_build_transdata(TsrTaskSink *sink, const char *name, const TsrTensorDesc *x,
                           const TsrTensorDesc *y, uint32_t padding, uint32_t x_arg,
                           uint32_t y_arg);

/* Adds the task GEMM of a float type for g, whose tiling and workspace are chosen here; the
 * operands are its args but the workspace. */
int32_t nn_gemm_task(TsrTaskSink *sink, uint32_t dtype, TsrGemmParams *g,
                     const uint32_t *operands);

/* MatMul stored as FRACTAL_NZ, and the columns of every MatMul. */
extern const NnSelect nn_matmul_select;
int32_t nn_matmul_nz_build(const TsrNodeView *node, TsrTaskSink *sink);

/* Adds the task CONV2D_SPARSE_F32 for a 1x1 convolution in groups. */
int32_t nn_sparse_build(const TsrNodeView *node, TsrTaskSink *sink, const TsrConv2dParams *p,
                        const float *w, uint32_t bias_arg, uint32_t z_arg);

/* Whether CONV2D_WINOGRAD_F32 computes p, and sooner than CONV2D_F32; and that task. */
int nn_winograd_wins(const TsrConv2dParams *p);
int32_t nn_winograd_build(const TsrNodeView *node, TsrTaskSink *sink, const TsrConv2dParams *p,
                          const float *w, uint32_t bias_arg, uint32_t z_arg);

/* Adds y = f(x) over count floats; the arguments may be the same memory. */
int32_t nn_build_activation(TsrTaskSink *sink, uint32_t dtype, const TsrActivation *activation,
                            uint32_t x_arg, uint32_t y_arg, int64_t count);

/* An elementwise node as a step of a chain: which of its two inputs is the operand is for
 * the caller to say. 0 when the node is none, or not one of nn_engine. */
int nn_eltwise_step(const TsrNodeView *node, TsrChainStep *out_step);

/* Copies a tensor out of its storage format, in plain C; to has room for the elements of its
 * shape. 0 when the format cannot store the desc. */
int nn_plain_copy(const TsrTensorDesc *x, const void *from, void *to);

/* Adds y = x in another element type, of those that CAST takes. */
int32_t nn_build_cast(TsrTaskSink *sink, uint32_t from, uint32_t to, uint32_t x_arg,
                      uint32_t y_arg, int64_t count);

/* An operand of nn_build_binary: a TSR_ARG_ reference and its dense shape. All three have
 * the dtype of y; 0 is float. */
typedef struct NnOperand {
    uint32_t arg;
    uint32_t rank;
    int64_t shape[TSR_MAX_RANK];
    uint32_t dtype;
} NnOperand;

/* Adds the task y = a op b, both broadcast to y's shape as numpy does; y may be a. */
int32_t nn_build_binary(TsrTaskSink *sink, uint32_t op, const NnOperand *a, const NnOperand *b,
                        const NnOperand *y);

/* Scale and shift per channel of a BatchNormalization whose inputs 1 to 4 are constant. */
void nn_batchnorm_fold(const TsrNodeView *node, int64_t channels, float *out_scale,
                       float *out_shift);

extern const TsrEngine nn_engine;
extern const TsrExecutor nn_executor;
extern const TsrFormatSelector nn_selector;
extern const TsrFusion nn_fusion;
extern const TsrOps nn_op_definitions;

#endif
