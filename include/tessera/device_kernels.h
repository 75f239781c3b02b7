/* SPDX-License-Identifier: Apache-2.0
 *
 * device_kernels.h: the catalogue of kernels that the simulated NPU offers, as
 * the typed contract between engines that build tasks and the device that runs
 * them. For each kernel: its name, the order of its args, its parameter struct.
 *
 * Rules for all kernels:
 *  - Signature TsrKernelFn (plugin.h). Any block_dim >= 1 is right: the work is cut
 *    into equal runs, one per block; more blocks than pieces leave some idle.
 *  - f32 means dense binary32. "panel" means 16 columns side by side.
 *  - NC1HWC0 is [N, ceil(C/16), H, W, 16]. Lanes at and above C in the last channel
 *    block are padding: TransData writes zeros there, other kernels whatever their
 *    formula yields, and no kernel lets a padding lane reach a real one. A reader of
 *    the memory must ignore them.
 *  - Parameters are checked by the engine; kernels trust them. Every extent is >= 0;
 *    an empty extent makes a kernel do nothing.
 *  - A workspace argument has room for block_dim pieces of `workspace_floats`.
 */
#ifndef TESSERA_DEVICE_KERNELS_H
#define TESSERA_DEVICE_KERNELS_H

#include <tessera/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Lanes of a channel block of NC1HWC0 in f32, and columns of a panel. */
#define TSR_NPU_C0 16
/* Most taps (kernel_h * kernel_w) of one convolution window. */
#define TSR_NPU_MAX_TAPS 1024
/* Most dimensions of strided kernels. */
#define TSR_NPU_MAX_DIMS 8

/* Activations fused behind a kernel: y = f(v). */
enum {
    TSR_ACT_NONE = 0,
    TSR_ACT_RELU = 1,
    TSR_ACT_CLIP = 2,        /* min(max(v, alpha), beta) */
    TSR_ACT_LEAKY_RELU = 3,  /* v < 0 ? alpha * v : v */
    TSR_ACT_HARD_SWISH = 4,  /* v * clip(v / 6 + 0.5, 0, 1) */
    TSR_ACT_HARD_SIGMOID = 5,/* clip(alpha * v + beta, 0, 1) */
    TSR_ACT_SIGMOID = 6,
    TSR_ACT_SCALED_HARD_SWISH = 7, /* alpha * (v * clip(v / 6 + 0.5, 0, 1)) + beta */
    TSR_ACT_GELU = 8,        /* v/2 * (1 + erf(v / sqrt 2)) */
    TSR_ACT_GELU_TANH = 9,   /* ONNX Gelu with approximate = "tanh" */
    TSR_ACT_TANH = 10,
    TSR_ACT_COUNT = 11,
};

typedef struct TsrActivation {
    uint32_t kind; /* TSR_ACT_ */
    float alpha;
    float beta;
} TsrActivation;

/* --- CONV2D_F32. args: x, w, bias | NULL, residual | NULL, y, workspace | NULL
 *
 * y[n, oc, i, j] = f(bias[oc] + residual + sum x[n, ic, i*sh + a*dh - pad_top,
 *                    j*sw + b*dw - pad_left] * W[oc, ic, a, b]), zero outside x.
 * x is NC1HWC0, or NCHW where x_plain is 1 (small C); y and residual are NC1HWC0.
 * w is packed [oc / 16][ic block][a][b][ic in block][16]: only real input channels
 * are stored, output channels are padded with zeros; ic block is 16 (x_plain: 1).
 * bias has ceil(OC/16)*16 entries. With groups > 1 the channels of a group are
 * multiples of 16 on both sides. One piece computes rows_per_piece rows,
 * columns_per_piece columns and blocks_per_piece channel blocks of y.
 * Without a workspace the window must be 1x1, stride 1 and without pads; the engine
 * then flattens the picture to one row. With a workspace columns_per_piece is out_w
 * and the piece copies its window of x into the workspace, padded, the columns
 * sorted by their phase modulo stride_w. pad_top and pad_left may be negative.
 * With y_step_h > 0 the results are a grid in a larger y [y_h, y_w]: pixel (i, j) lies
 * at (i * y_step_h + y_top, j * y_step_w + y_left), as a phase of a transposed
 * convolution needs it. y_plain writes NCHW instead; only for out_c 1. */
#define TSR_KERNEL_CONV2D_F32 "conv2d_f32"
typedef struct TsrConv2dParams {
    uint32_t struct_size;
    uint32_t x_plain;
    int32_t batch, in_c, in_h, in_w;
    int32_t out_c, out_h, out_w;
    int32_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
    int32_t pad_top, pad_left;
    int32_t groups;
    int32_t rows_per_piece, columns_per_piece, blocks_per_piece;
    int32_t y_h, y_w, y_step_h, y_step_w, y_top, y_left;
    uint32_t y_plain;
    TsrActivation activation;
    uint64_t workspace_floats; /* per block */
} TsrConv2dParams;

/* --- CONV2D_WINOGRAD_F32. args: x, w, bias | NULL, residual | NULL, y, workspace
 *
 * CONV2D_F32 with a 3x3 window, stride 1 and one group, by F(4x4, 3x3) of Lavin and
 * Gray, "Fast Algorithms for Convolutional Neural Networks" (2016): y is cut into tiles
 * of 4 x 4 pixels, w is G g G^T packed [oc / 16][36][ic][16]. Rounding errors are about
 * ten times those of the sum itself. x, y and residual are NC1HWC0. A piece is
 * tiles_per_piece tiles of one picture and blocks_per_piece channel blocks. */
#define TSR_KERNEL_CONV2D_WINOGRAD_F32 "conv2d_winograd_f32"
#define TSR_NPU_WINOGRAD_POINTS 36
typedef struct TsrWinogradParams {
    uint32_t struct_size;
    int32_t batch, in_c, in_h, in_w;
    int32_t out_c, out_h, out_w;
    int32_t pad_top, pad_left;
    int32_t tiles_per_piece, blocks_per_piece;
    TsrActivation activation;
    uint64_t workspace_floats; /* 36 * tiles_per_piece * 16 * (ceil(in_c / 16) + 4) */
} TsrWinogradParams;

/* --- CONV2D_SPARSE_F32. args: x, w, table, bias | NULL, residual | NULL, y
 *
 * A 1x1 convolution in which every block of 16 output channels reads input channels of
 * its own, as with groups that do not fill blocks: x, y and residual are NC1HWC0 of
 * `pixels` pixels. The table is int32: ceil(OC/16) + 1 starts, then for each entry the
 * offset in floats of its input channel from the picture; block b sums the entries from
 * starts[b] to starts[b + 1]. w is [entry][16]. bias is padded to 16. A piece is
 * pixels_per_piece pixels of one channel block. */
#define TSR_KERNEL_CONV2D_SPARSE_F32 "conv2d_sparse_f32"
typedef struct TsrConvSparseParams {
    uint32_t struct_size;
    int32_t batch, in_c, out_c;
    int64_t pixels, pixels_per_piece;
    TsrActivation activation;
} TsrConvSparseParams;

/* --- CONV2D_DEPTHWISE_F32. args: x, w, bias | NULL, residual | NULL, y
 *
 * One filter per channel; x, y and residual NC1HWC0, w [C/16][a][b][16], bias padded
 * to 16. Uses in_c == out_c == groups; a piece is one row of one channel block. */
#define TSR_KERNEL_CONV2D_DEPTHWISE_F32 "conv2d_depthwise_f32"

/* --- CONV2D_NCHW_F32. args: x, w, bias | NULL, residual | NULL, y, workspace | NULL
 *
 * Any groups; x, y and residual plain NCHW. w is packed [group][oc tile][ic][a][b]
 * [8]: tiles of 8 output channels, zero-padded per group; bias has out_c entries.
 * A piece is rows_per_piece rows and blocks_per_piece tiles of one group of one picture
 * and copies its window as CONV2D_F32 does; without a workspace the window must be 1x1
 * with stride 1 and no pads. */
#define TSR_KERNEL_CONV2D_NCHW_F32 "conv2d_nchw_f32"
#define TSR_NPU_NCHW_TILE 8

/* --- CONV2D_SEPARABLE_F32. args: x, w, bias | NULL, w2, bias2 | NULL, residual | NULL, y,
 *     workspace
 *
 * The depthwise convolution `depthwise` (w and bias as CONV2D_DEPTHWISE_F32 has them, its
 * activation in between) and a 1x1 convolution to out_c channels behind it, w2 packed
 * [oc / 16][ic][16], bias2 padded to 16, plus residual. All tensors NC1HWC0. A piece is
 * rows_per_piece rows of y. */
#define TSR_KERNEL_CONV2D_SEPARABLE_F32 "conv2d_separable_f32"
typedef struct TsrSeparableParams {
    uint32_t struct_size;
    int32_t out_c;
    int32_t rows_per_piece;
    TsrActivation activation;
    TsrConv2dParams depthwise;
    uint64_t workspace_floats; /* rows_per_piece * out_w * channels padded to 16 */
} TsrSeparableParams;

/* --- PACK_PANELS_F32. args: b, panels
 *
 * count matrices B[K, N] (row step, column step and matrix step in elements), to
 * panels [count][ceil(N/16)][K][16] times scale, columns past N are zero. A piece is
 * one panel. */
#define TSR_KERNEL_PACK_PANELS_F32 "pack_panels_f32"
typedef struct TsrPackPanelsParams {
    uint32_t struct_size;
    float scale;
    int64_t count, k, n;
    int64_t row_step, column_step, matrix_step;
} TsrPackPanelsParams;

/* --- GEMM_F32. args: a, panels, bias | NULL, residual | NULL, y, workspace
 *
 * y[i, M, N] = f(A_i * B_i + bias[N] + residual_i) for i < batch. B_i is packed by
 * PACK_PANELS; A_i element (m, k) lies at a_matrix + m*a_row + k*a_column. Batches
 * are the dims batch_shape, row-major; a_step and b_step are the steps of A (in
 * elements) and of B (in whole packed matrices) along each of them. bias is padded
 * to 16. residual is as dense as y. A piece is rows_per_piece rows and
 * panels_per_piece panels of one matrix. */
#define TSR_KERNEL_GEMM_F32 "gemm_f32"
typedef struct TsrGemmParams {
    uint32_t struct_size;
    uint32_t batch_rank;
    int64_t m, n, k;
    int64_t a_row, a_column;
    int64_t batch_shape[TSR_NPU_MAX_DIMS];
    int64_t a_step[TSR_NPU_MAX_DIMS];
    int64_t b_step[TSR_NPU_MAX_DIMS];
    int64_t rows_per_piece, panels_per_piece;
    TsrActivation activation;
    uint64_t workspace_floats;
} TsrGemmParams;

/* --- POOL2D_F32. args: x, y
 *
 * x [outer, in_h, in_w, lanes] to y [outer, out_h, out_w, lanes]; lanes is 16 for
 * NC1HWC0 and 1 for NCHW. Windows are cut at the picture's edge; count_pads divides
 * an average by the part of the window within the padded picture instead (which
 * ends at in + pad_end). An empty window gives -inf (max) or 0 (average). A piece is
 * one row of y. */
#define TSR_KERNEL_POOL2D_F32 "pool2d_f32"
enum { TSR_POOL_MAX = 0, TSR_POOL_AVERAGE = 1 };
typedef struct TsrPool2dParams {
    uint32_t struct_size;
    uint32_t kind;
    uint32_t count_pads;
    uint32_t lanes;
    int64_t outer;
    int32_t in_h, in_w, out_h, out_w;
    int32_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
    int32_t pad_top, pad_left, pad_bottom, pad_right;
} TsrPool2dParams;

/* --- RESIZE2D_F32. args: x, table, y
 *
 * y[o, i, j, l] is interpolated between x[o, rows[i].first or .second, columns[j].first
 * or .second, l], weighted by rows[i] and columns[j]. x is [outer, in_h, in_w, lanes],
 * lanes 16 (NC1HWC0) or 1 (NCHW); the table has out_h TsrResizeTap for rows, then out_w
 * for columns. With `nearest` only .first counts. A piece is one row of y. */
#define TSR_KERNEL_RESIZE2D_F32 "resize2d_f32"
typedef struct TsrResizeTap {
    int32_t first, second;
    float first_weight, second_weight;
} TsrResizeTap;
typedef struct TsrResize2dParams {
    uint32_t struct_size;
    uint32_t nearest;
    uint32_t lanes;
    uint32_t reserved;
    int64_t outer;
    int32_t in_h, in_w, out_h, out_w;
} TsrResize2dParams;

/* --- SCALE_SHIFT_F32. args: x, scale, shift, y
 *
 * y[o, c, i, l] = f(x * scale[c, l] + shift[c, l]) with x [outer, channels, inner,
 * lanes]; lanes 16 (channels are blocks) or 1. A piece is one [inner, lanes] run. */
#define TSR_KERNEL_SCALE_SHIFT_F32 "scale_shift_f32"
typedef struct TsrScaleShiftParams {
    uint32_t struct_size;
    uint32_t lanes;
    int64_t outer, channels, inner;
    TsrActivation activation;
} TsrScaleShiftParams;

/* --- UNARY_F32. args: x, y (may be the same memory)
 *
 * y[i] = f(x[i]) for i < count; alpha and beta as the ONNX operator names them (Clip:
 * min and max). NaN propagates. A piece is 1024 elements. */
#define TSR_KERNEL_UNARY_F32 "unary_f32"
enum {
    TSR_UNARY_COPY = 0,
    TSR_UNARY_RELU = 1,
    TSR_UNARY_CLIP = 2,
    TSR_UNARY_LEAKY_RELU = 3,
    TSR_UNARY_HARD_SWISH = 4,
    TSR_UNARY_HARD_SIGMOID = 5,
    TSR_UNARY_SIGMOID = 6,
    TSR_UNARY_TANH = 7,
    TSR_UNARY_EXP = 8,
    TSR_UNARY_LOG = 9,
    TSR_UNARY_SQRT = 10,
    TSR_UNARY_NEG = 11,
    TSR_UNARY_ABS = 12,
    TSR_UNARY_ELU = 13,
    TSR_UNARY_ERF = 14,
    TSR_UNARY_GELU = 15,      /* x/2 * (1 + erf(x / sqrt 2)) */
    TSR_UNARY_GELU_TANH = 16, /* ONNX Gelu with approximate = "tanh" */
    TSR_UNARY_RECIPROCAL = 17,
    TSR_UNARY_FLOOR = 18,
    TSR_UNARY_CEIL = 19,
    TSR_UNARY_SOFTPLUS = 20,
    TSR_UNARY_SCALED_HARD_SWISH = 21,
    TSR_UNARY_COUNT = 22,
};
typedef struct TsrUnaryParams {
    uint32_t struct_size;
    uint32_t op;
    int64_t count;
    float alpha;
    float beta;
} TsrUnaryParams;

/* --- BINARY_F32. args: a, b, y (y may be a or b where that has y's shape)
 *
 * y[i...] = op(a[...], b[...]) over shape, dense in y; steps are 0 along broadcast
 * dims; the steps of the last dim are 0 or 1. A piece is a run of up to 1024
 * elements along the last dim. */
#define TSR_KERNEL_BINARY_F32 "binary_f32"
enum {
    TSR_BINARY_ADD = 0,
    TSR_BINARY_SUB = 1,
    TSR_BINARY_MUL = 2,
    TSR_BINARY_DIV = 3,
    TSR_BINARY_MAX = 4, /* NaN propagates */
    TSR_BINARY_MIN = 5,
    TSR_BINARY_POW = 6,
    TSR_BINARY_PRELU = 7, /* a < 0 ? a * b : a */
    TSR_BINARY_COUNT = 8,
};
typedef struct TsrBinaryParams {
    uint32_t struct_size;
    uint32_t op;
    uint32_t rank; /* >= 1 */
    TsrActivation activation;
    int64_t shape[TSR_NPU_MAX_DIMS];
    int64_t a_step[TSR_NPU_MAX_DIMS];
    int64_t b_step[TSR_NPU_MAX_DIMS];
} TsrBinaryParams;

/* --- SOFTMAX_F32. args: x, y
 *
 * Over the middle dim of [outer, length, inner]; log 1 gives its logarithm. A piece
 * is one outer index. */
#define TSR_KERNEL_SOFTMAX_F32 "softmax_f32"
typedef struct TsrSoftmaxParams {
    uint32_t struct_size;
    uint32_t log;
    int64_t outer, length, inner;
} TsrSoftmaxParams;

/* --- NORMALIZE_F32. args: x, scale | NULL, bias | NULL, y, mean | NULL,
 *     inverse deviation | NULL, summand | NULL, sum | NULL
 *
 * With a summand, x is replaced by x + summand, rounded to its type; sum then is where that
 * goes, NULL where nobody else wants it.
 * Each row of x [rows, length]: y = (x - mean) / sqrt(variance + epsilon) * s + b.
 * With per_row 0, s and b are scale[i] and bias[i] of position i in the row
 * (LayerNormalization); otherwise of index row % per_row (InstanceNormalization). */
#define TSR_KERNEL_NORMALIZE_F32 "normalize_f32"
typedef struct TsrNormalizeParams {
    uint32_t struct_size;
    float epsilon;
    int64_t rows, length;
    int64_t per_row;
} TsrNormalizeParams;

/* --- LRN_F32. args: x, y
 *
 * y = x / (bias + alpha / size * sum of squares over the channels c - floor((size -
 * 1) / 2) to c + ceil((size - 1) / 2)) ^ beta, over x [batch, channels, inner] (lanes
 * 1) or its NC1HWC0 form (lanes 16; at most TSR_NPU_LRN_CHANNELS channels and a size of
 * TSR_NPU_LRN_SIZE). A piece is up to 256 elements of inner. */
#define TSR_KERNEL_LRN_F32 "lrn_f32"
#define TSR_NPU_LRN_CHANNELS 4096
#define TSR_NPU_LRN_SIZE 64
typedef struct TsrLrnParams {
    uint32_t struct_size;
    int32_t size;
    float alpha, beta, bias;
    uint32_t lanes;
    int64_t batch, channels, inner;
} TsrLrnParams;

/* --- REDUCE_F32. args: x, y
 *
 * x [outer, length, lanes] to y [outer, lanes]; lanes 16 serves NC1HWC0. A piece is
 * one outer index. Empty length: sum 0, mean NaN, max -inf. */
#define TSR_KERNEL_REDUCE_F32 "reduce_f32"
enum { TSR_REDUCE_SUM = 0, TSR_REDUCE_MEAN = 1, TSR_REDUCE_MAX = 2 };
typedef struct TsrReduceParams {
    uint32_t struct_size;
    uint32_t kind;
    int64_t outer, length, lanes;
} TsrReduceParams;

/* --- EXCITE_F32. args: x, w1, b1 | NULL, w2, b2 | NULL, y, workspace
 *
 * y = gate(b2 + W2 squeeze(b1 + W1 x)) + summand for rows of `channels` numbers, `step`
 * apart in x and in y. The layers are packed [units / 16][inputs][16], biases padded to 16;
 * W1 makes `squeezed` units. A piece is one row. */
#define TSR_KERNEL_EXCITE_F32 "excite_f32"
typedef struct TsrExciteParams {
    uint32_t struct_size;
    float summand;
    int64_t batch, channels, squeezed, step;
    TsrActivation squeeze, gate;
    uint64_t workspace_floats; /* squeezed rounded up to 16 */
} TsrExciteParams;

/* --- LSTM_F32. args: sums, r, peepholes | NULL, lengths | NULL, h0 | NULL, c0 | NULL, y,
 *     y_h | NULL, y_c | NULL, workspace
 *
 * The recurrence of ONNX LSTM 14. The products of the inputs are there already: sums holds W x
 * + B, for each row of x [direction][hidden / 16][4 gates i, o, f, c][16], time and batch entry
 * sums_step floats apart. r is packed [direction][hidden / 16][hidden rows][4 gates][16],
 * padded with zeros, peepholes [direction][3: i, o, f][hidden padded to 16]. lengths (int32)
 * has the steps of each batch entry, cut to [0, seq]; y is 0 behind them. Sums go through
 * activations[direction] as f, g, h of ONNX, limited to [-clip, clip] before unless clip is 0.
 * `flag`: the gate f is 1 - i. `reverse` turns the only direction; of two the second runs
 * backwards. A piece is entries_per_piece batch entries of one direction. */
#define TSR_KERNEL_LSTM_F32 "lstm_f32"
/* --- GRU_F32. args: sums, r, r_bias | NULL, lengths | NULL, h0 | NULL, y, y_h | NULL,
 *     workspace
 *
 * The recurrence of ONNX GRU 14 likewise, with gates z, r, h and activations f and g. `flag` is
 * linear_before_reset: then r_bias [direction][hidden padded to 16] is the recurrent bias of h,
 * which sums do not hold. Otherwise sums hold it, and r is in two parts for each direction:
 * [hidden / 16][hidden rows][2 gates z, r][16], then [hidden / 16][hidden rows][16] of h. */
#define TSR_KERNEL_GRU_F32 "gru_f32"
#define TSR_NPU_RECURRENT_ENTRIES 4
typedef struct TsrRecurrentParams {
    uint32_t struct_size;
    uint32_t reverse;
    uint32_t flag;
    float clip;
    int64_t seq, batch, hidden, directions;
    int64_t sums_step[2];      /* in floats: of time, batch entry */
    int64_t y_step[3];         /* of time, direction, batch entry */
    int64_t state_step[2];     /* of h0, c0, y_h and y_c: of direction, batch entry */
    int64_t entries_per_piece; /* at most TSR_NPU_RECURRENT_ENTRIES */
    TsrActivation activations[2][3];
    uint64_t workspace_floats; /* entries_per_piece * (2 + gates) * hidden padded to 16 */
} TsrRecurrentParams;

/* --- ATTENTION_F32. args: q, k, v, mask | NULL, y, workspace
 *
 * y[b, h, i] = sum over j of P[b, h, i, j] * v[b, g, j], P the softmax along j of scale *
 * (q[b, h, i] . k[b, g, j]) + mask[b, h, i, j] and g = h / group; the dot product has
 * `size` terms, a row of v and y v_size. Steps are in elements: batch, head, place (query
 * or key), element; 0 along a dim that repeats. The element step of q, v and y is 1; of
 * k it is 1, or the place step is; the key step of the mask is 0 or 1. With `causal` only
 * keys j <= i count. Without keys y is zero. A row
 * whose scores are all -infinity is NaN, or zero with zero_rows.
 * A piece is rows_per_piece (at most TSR_NPU_ATTENTION_ROWS) queries of one head. */
#define TSR_KERNEL_ATTENTION_F32 "attention_f32"
#define TSR_NPU_ATTENTION_ROWS 128
typedef struct TsrAttentionParams {
    uint32_t struct_size;
    uint32_t causal;
    uint32_t zero_rows;
    float scale;
    int64_t batch, heads, queries, keys, size, v_size;
    int64_t group;
    int64_t q_step[4], k_step[4], v_step[4], y_step[4], mask_step[4];
    int64_t rows_per_piece;
    uint64_t workspace_floats; /* rows_per_piece * (keys rounded up to 32) + 32 * size */
} TsrAttentionParams;

/* --- CHAIN_F32. args: x, y, then operand_count operands
 *
 * A run of elementwise steps over x, dense in `shape`: each makes v = f(v), a unary
 * operator with its alpha and beta, or v = op(v, operand), op(operand, v) where reversed.
 * Steps of an operand are 0 along dims on which it repeats; those of the last dim are 0
 * or 1. A piece is a run of up to 1024 elements along the last dim. */
#define TSR_KERNEL_CHAIN_F32 "chain_f32"
#define TSR_NPU_CHAIN_STEPS 8
#define TSR_NPU_CHAIN_OPERANDS 6
typedef struct TsrChainStep {
    uint32_t binary;   /* op is a TSR_BINARY_, otherwise a TSR_UNARY_ */
    uint32_t op;
    uint32_t operand;  /* index among the operands */
    uint32_t reversed;
    float alpha;
    float beta;
} TsrChainStep;
typedef struct TsrChainParams {
    uint32_t struct_size;
    uint32_t step_count;
    uint32_t operand_count;
    uint32_t rank; /* >= 1 */
    int64_t shape[TSR_NPU_MAX_DIMS];
    int64_t operand_step[TSR_NPU_CHAIN_OPERANDS][TSR_NPU_MAX_DIMS];
    TsrChainStep steps[TSR_NPU_CHAIN_STEPS];
} TsrChainParams;

/* --- COPY_ROWS. args: x, y
 *
 * rows runs of row_bytes from x (source_step bytes apart) to y + y_offset
 * (target_step apart): one input of Concat. Any element type. */
#define TSR_KERNEL_COPY_ROWS "copy_rows"
typedef struct TsrCopyRowsParams {
    uint32_t struct_size;
    uint32_t reserved;
    int64_t rows, row_bytes, source_step, target_step, y_offset;
} TsrCopyRowsParams;

/* --- TRANSPOSE_B32. args: x, y
 *
 * y dense over shape; element i... of y lies at x + sum i * x_step. 4-byte elements.
 * A piece is one index of the dims but the last two. */
#define TSR_KERNEL_TRANSPOSE_B32 "transpose_b32"
typedef struct TsrTransposeParams {
    uint32_t struct_size;
    uint32_t rank; /* >= 2 */
    int64_t shape[TSR_NPU_MAX_DIMS];
    int64_t x_step[TSR_NPU_MAX_DIMS];
} TsrTransposeParams;

/* --- SHUFFLE_B32. args: x, y
 *
 * y channel c is x channel (c % groups) * (channels / groups) + c / groups, both NC1HWC0
 * with `inner` pixels; padding lanes repeat channel 0. channels * inner < 2^30. 4-byte
 * elements. A piece is 256 pixels of one channel block. */
#define TSR_KERNEL_SHUFFLE_B32 "shuffle_b32"
typedef struct TsrShuffleParams {
    uint32_t struct_size;
    uint32_t groups;
    int64_t batch, channels, inner;
} TsrShuffleParams;

/* --- COPY_CHANNELS_B32. args: x | NULL, y
 *
 * Part of a picture into a window of another, both NC1HWC0, of any channels. Over N, C, H, W:
 * y at y_first + i is x at x_first + i * x_step for i < count; x_step of C is 1, the others
 * are of any sign. With `fill` every other place of y becomes the element `value` (without x
 * all of them), otherwise it keeps what it has; but lanes past the last channel of y may be
 * written where the channel before them is. 4-byte elements. A piece is up to 256 pixels of
 * one row of one channel block. */
#define TSR_KERNEL_COPY_CHANNELS_B32 "copy_channels_b32"
typedef struct TsrCopyChannelsParams {
    uint32_t struct_size;
    uint32_t fill;
    uint32_t value; /* the element's bits */
    uint32_t reserved;
    int32_t x_shape[4], y_shape[4];
    int32_t x_first[4], x_step[4];
    int32_t y_first[4], count[4];
} TsrCopyChannelsParams;

/* --- COPY_WINDOW_B32. args: x | NULL, y
 *
 * y dense over shape; element i... with begin <= i < end along every dim is x at x_offset +
 * sum (i - begin) * x_step, any other (without x all) the element `value`. 4-byte elements.
 * A piece is up to 4096 elements of one index of the dims but the last. */
#define TSR_KERNEL_COPY_WINDOW_B32 "copy_window_b32"
typedef struct TsrCopyWindowParams {
    uint32_t struct_size;
    uint32_t rank; /* >= 1 */
    uint32_t value; /* the element's bits */
    uint32_t reserved;
    int64_t x_offset;
    int64_t shape[TSR_NPU_MAX_DIMS];
    int64_t begin[TSR_NPU_MAX_DIMS], end[TSR_NPU_MAX_DIMS];
    int64_t x_step[TSR_NPU_MAX_DIMS];
} TsrCopyWindowParams;

/* --- TRANSDATA. args: x, y
 *
 * The same elements in another storage format. Both storages are described over common
 * axes; index i of an axis lies i / 16 * block + i % 16 * step elements from the start,
 * which serves plain dims (block is 16 steps) and dims split into blocks of 16. y is
 * written at every index below y_extent of every axis; where any index is not below
 * `extent` it becomes padding. x_lane and y_lane are walked 16 at a time: the axes with
 * step 1 on either side, and the only ones that may be split there. With y_diagonal the
 * y_step of y_lane is 17 and the other places of its blocks of 16 x 16 become padding too.
 * A piece is `run` steps of the last axis at one place of the others; the runs lie just
 * outside of the axis before the last. */
#define TSR_KERNEL_TRANSDATA "transdata"
typedef struct TsrTransdataAxis {
    int64_t extent, y_extent; /* of x, of y with its padding */
    int64_t x_step, x_block;
    int64_t y_step, y_block;
} TsrTransdataAxis;
typedef struct TsrTransdataParams {
    uint32_t struct_size;
    uint32_t element_bytes; /* 1, 2 or 4 */
    uint32_t padding;       /* the element, in the low bytes */
    uint32_t y_diagonal;
    uint32_t rank;          /* >= 2 */
    uint32_t x_lane, y_lane;
    uint32_t run;
    TsrTransdataAxis axes[TSR_NPU_MAX_DIMS];
} TsrTransdataParams;

/* --- The narrow forms. args and params of the _F32 kernel of the same name
 *
 * x, residual, z and y are float16 or bfloat16 instead of float, as are the weights of
 * CONV2D and CONV2D_DEPTHWISE, the panels of GEMM, both operands of BINARY and scale and
 * bias of NORMALIZE; what else is float (bias, the weights of CONV2D_NCHW, scale and shift
 * of SCALE_SHIFT, mean and deviation, workspaces) stays float. All arithmetic is float,
 * and y is rounded once, to nearest even. CONV2D, CONV2D_NCHW and GEMM always need their
 * workspace. The layout kernels move halves of any type,
 * TRANSPOSE_B8 bytes. */
#define TSR_KERNEL_CONV2D_F16 "conv2d_f16"
#define TSR_KERNEL_CONV2D_BF16 "conv2d_bf16"
#define TSR_KERNEL_CONV2D_DEPTHWISE_F16 "conv2d_depthwise_f16"
#define TSR_KERNEL_CONV2D_DEPTHWISE_BF16 "conv2d_depthwise_bf16"
#define TSR_KERNEL_CONV2D_NCHW_F16 "conv2d_nchw_f16"
#define TSR_KERNEL_CONV2D_NCHW_BF16 "conv2d_nchw_bf16"
#define TSR_KERNEL_PACK_PANELS_F16 "pack_panels_f16"
#define TSR_KERNEL_PACK_PANELS_BF16 "pack_panels_bf16"
#define TSR_KERNEL_GEMM_F16 "gemm_f16"
#define TSR_KERNEL_GEMM_BF16 "gemm_bf16"
#define TSR_KERNEL_POOL2D_F16 "pool2d_f16"
#define TSR_KERNEL_POOL2D_BF16 "pool2d_bf16"
#define TSR_KERNEL_RESIZE2D_F16 "resize2d_f16"
#define TSR_KERNEL_RESIZE2D_BF16 "resize2d_bf16"
#define TSR_KERNEL_SCALE_SHIFT_F16 "scale_shift_f16"
#define TSR_KERNEL_SCALE_SHIFT_BF16 "scale_shift_bf16"
#define TSR_KERNEL_UNARY_F16 "unary_f16"
#define TSR_KERNEL_UNARY_BF16 "unary_bf16"
#define TSR_KERNEL_BINARY_F16 "binary_f16"
#define TSR_KERNEL_BINARY_BF16 "binary_bf16"
#define TSR_KERNEL_CHAIN_F16 "chain_f16"
#define TSR_KERNEL_CHAIN_BF16 "chain_bf16"
#define TSR_KERNEL_SOFTMAX_F16 "softmax_f16"
#define TSR_KERNEL_SOFTMAX_BF16 "softmax_bf16"
#define TSR_KERNEL_NORMALIZE_F16 "normalize_f16"
#define TSR_KERNEL_NORMALIZE_BF16 "normalize_bf16"
#define TSR_KERNEL_REDUCE_F16 "reduce_f16"
#define TSR_KERNEL_REDUCE_BF16 "reduce_bf16"
#define TSR_KERNEL_TRANSPOSE_B16 "transpose_b16"
#define TSR_KERNEL_TRANSPOSE_B8 "transpose_b8"
#define TSR_KERNEL_SHUFFLE_B16 "shuffle_b16"

/* --- CAST. args: x, y
 *
 * count dense elements from one type to another, rounded to nearest even: from float,
 * float16, bfloat16, int8 or uint8 to float, float16 or bfloat16; int32 to float. A piece
 * is 1024 elements. */
#define TSR_KERNEL_CAST "cast"
typedef struct TsrCastParams {
    uint32_t struct_size;
    uint32_t from, to; /* TSR_DTYPE_ */
    uint32_t reserved;
    int64_t count;
} TsrCastParams;

/* --- Quantized kernels
 *
 * x and y hold u8 or s8; a real number is scale * (element - zero point). Sums are int32
 * and exact: the engine makes sure that none can overflow. A result is requantized as
 * ONNX QLinearConv asks, in double: y = clamp(round(sum * factor) + y_zero), halves to even;
 * low and high are the element type's limits, or narrower ones where an activation is
 * fused. An s32 result is the sum itself. Every instruction set gives the same bits. */
#define TSR_NPU_I8_QUAD 4 /* input channels that are multiplied together */

/* What is known of 16 output channels: their table is an array of these. `sum` is the sum
 * of a channel's packed weights, for the zero point of x. Zero past the last channel. */
typedef struct TsrRequantBlock {
    double factor[16];
    int32_t bias[16];
    int32_t sum[16];
} TsrRequantBlock;

typedef struct TsrRequant {
    uint32_t x_signed; /* elements of x are s8 */
    uint32_t y_dtype;  /* TSR_DTYPE_UINT8, INT8 or INT32 */
    int32_t x_zero;    /* where the argument x_zero is NULL */
    int32_t y_zero;
    int32_t low, high; /* of y's elements */
    uint32_t passes;   /* of weights: those too wide for s8 are the sum of several s8 */
    uint32_t residual_signed;
    int32_t residual_zero;
    uint32_t reserved;
    double residual_factor;
} TsrRequant;

/* --- CONV2D_I8. args: x, w, table, x_zero | NULL, residual | NULL, y, workspace | NULL
 *
 * A residual (bytes, laid out as y, which then is of bytes as well) adds residual_factor *
 * (element - residual_zero) to sum * factor before that is rounded.
 * The window of CONV2D_F32 with x_plain for NCHW (any C); y is NC1HWC0. What lies outside
 * of the picture has the value of x_zero; padding lanes of x meet zero weights. Weights are
 * s8 [oc / 16][pass][plane][a][b][quad][16][4], a plane being 16 input channels (x_plain: 4)
 * and the last one of a blocked x only as many quads as it needs. One group. Without a
 * workspace the window must be 1x1, stride 1 and without pads, and x blocked u8 (the engine
 * flattens the picture to one row). conv.workspace_floats counts 4 bytes each. */
#define TSR_KERNEL_CONV2D_I8 "conv2d_i8"
typedef struct TsrConv2dI8Params {
    uint32_t struct_size;
    uint32_t reserved;
    TsrRequant requant;
    TsrConv2dParams conv;
} TsrConv2dI8Params;

/* --- CONV2D_DEPTHWISE_I8. args: x, w, table, x_zero | NULL, y
 *
 * One filter per channel; x and y NC1HWC0, w is s16 without zero point, [C/16][a][b][16].
 * A piece is one row of one channel block. Params TsrConv2dI8Params. */
#define TSR_KERNEL_CONV2D_DEPTHWISE_I8 "conv2d_depthwise_i8"

/* --- GEMM_I8. args: a, panels, table, a_zero | NULL, y, workspace | NULL
 *
 * y[M, N] from A[M, K] and B[K, N], packed s8 [n / 16][pass][quad][16][4]. A workspace is
 * needed where A is s8 or K no multiple of 4: rows of A are copied to it. A piece is
 * rows_per_piece rows and panels_per_piece panels. */
#define TSR_KERNEL_GEMM_I8 "gemm_i8"
typedef struct TsrGemmI8Params {
    uint32_t struct_size;
    uint32_t reserved;
    TsrRequant requant;
    int64_t m, n, k;
    int64_t rows_per_piece, panels_per_piece;
    uint64_t workspace_floats; /* 4 bytes each: rows_per_piece * (k rounded up to 4) */
} TsrGemmI8Params;

/* --- QUANTIZE. args: x, scale, zero, y
 *
 * y[o, c, i, l] = clamp(round(x / scale[c, l]) + zero[c, l]), the quotient in float, for x
 * float [outer, channels, inner, lanes], zero s32. NaN becomes 0. A piece
 * is up to 4096 elements of one [inner, lanes]. */
#define TSR_KERNEL_QUANTIZE "quantize"
/* --- DEQUANTIZE. args: x, scale, zero, y: y = (x - zero) * scale, rounded once; x is u8,
 * s8 or s32. */
#define TSR_KERNEL_DEQUANTIZE "dequantize"
typedef struct TsrQuantizeParams {
    uint32_t struct_size;
    uint32_t dtype; /* of the integers */
    int64_t outer, channels, inner, lanes;
} TsrQuantizeParams;

/* --- RANGE_F32. args: x, range
 *
 * range[p] = least and largest of 0 and piece p of x, which is run elements; NaN does not
 * count. */
#define TSR_KERNEL_RANGE_F32 "range_f32"
/* --- QUANTIZE_DYNAMIC. args: x, range, y, scale | NULL, zero | NULL
 *
 * ONNX DynamicQuantizeLinear 11 by the ranges of all pieces; every block finds scale and
 * zero point itself, the first one writes them. A piece is run elements. */
#define TSR_KERNEL_QUANTIZE_DYNAMIC "quantize_dynamic"
typedef struct TsrDynamicParams {
    uint32_t struct_size;
    uint32_t reserved;
    int64_t count, run;
} TsrDynamicParams;

/* --- ADD_I8. args: a, b, y (y may be a or b where that has y's shape)
 *
 * y[i] = clamp(round(((a[i] - a_zero) * a_scale + (b[i] - b_zero) * b_scale) / y_scale) +
 * y_zero), every operation rounded to float, over shape, dense in y; steps are 0 along
 * broadcast dims, those of the last dim are 0 or 1. A piece is a run of up to 4096 elements
 * along the last dim, and as many rows of the dim before it as make 4096. */
#define TSR_KERNEL_ADD_I8 "add_i8"
typedef struct TsrAddI8Params {
    uint32_t struct_size;
    uint32_t a_signed, b_signed, y_signed;
    uint32_t rank; /* >= 2 */
    uint32_t reserved;
    int64_t shape[TSR_NPU_MAX_DIMS];
    int64_t a_step[TSR_NPU_MAX_DIMS];
    int64_t b_step[TSR_NPU_MAX_DIMS];
    float a_scale, b_scale, y_scale;
    int32_t a_zero, b_zero, y_zero;
    int32_t low, high;
} TsrAddI8Params;

/* --- POOL2D_I8. args: x, y
 *
 * Windows as in POOL2D_F32 (count_pads as well). Maximum: of elements, low where a window
 * is empty. Average: the sum of (element - x_zero) over all taps, requantized by factor /
 * their count; y_zero where there are none. */
#define TSR_KERNEL_POOL2D_I8 "pool2d_i8"
typedef struct TsrPool2dI8Params {
    uint32_t struct_size;
    uint32_t reserved;
    TsrRequant requant;
    double factor;
    TsrPool2dParams pool;
} TsrPool2dI8Params;

#ifdef __cplusplus
}
#endif
#endif
