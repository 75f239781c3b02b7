/* SPDX-License-Identifier: Apache-2.0
 *
 * types.h: the words that plugin.h and tessera.h share: status codes, element
 * types, tensor formats. Plain C with standard headers only; every enumeration
 * is carried as uint32_t or int32_t across the plugin line, so that a reader
 * meets an unknown value as a number and not as undefined behaviour.
 */
#ifndef TESSERA_TYPES_H
#define TESSERA_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Highest rank of a tensor that the framework carries. A model above it is
 * refused by name. */
#define TSR_MAX_RANK 16

/* Rank of a tensor of which not even the number of dimensions is known. */
#define TSR_RANK_UNKNOWN UINT32_MAX

/* A dimension whose extent is known only at run time. */
#define TSR_DIM_UNKNOWN ((int64_t)-1)
/* Only within shape inference (TsrInferContext.extent): an extent that stands for what a run
 * brings. Two that are equal are the same extent in every run. */
#define TSR_DIM_IS_SYMBOL(extent) ((extent) < INT64_MIN / 2)

/* Status of every fallible call across the plugin line, carried as int32_t.
 * The text that goes with it is kept by the host (TsrHost.set_error). */
enum {
    TSR_OK = 0,
    TSR_INVALID_ARGUMENT = 1,  /* the input (model, tensor, option) is wrong */
    TSR_NOT_FOUND = 2,         /* a named thing does not exist */
    TSR_ALREADY_EXISTS = 3,    /* a name is taken */
    TSR_UNSUPPORTED = 4,       /* valid, but nobody here can do it */
    TSR_OUT_OF_MEMORY = 5,
    TSR_INCOMPATIBLE = 6,      /* version, ABI, device or engine do not match */
    TSR_IO = 7,                /* the operating system refused a file */
    TSR_CORRUPT = 8,           /* a file is truncated or its hash is wrong */
    TSR_DEADLINE_EXCEEDED = 9,
    TSR_INTERNAL = 10,         /* a fault of ours */
};

/* Element types, with the numbers of ONNX TensorProto.DataType. */
enum {
    TSR_DTYPE_UNDEFINED = 0,
    TSR_DTYPE_FLOAT = 1,
    TSR_DTYPE_UINT8 = 2,
    TSR_DTYPE_INT8 = 3,
    TSR_DTYPE_UINT16 = 4,
    TSR_DTYPE_INT16 = 5,
    TSR_DTYPE_INT32 = 6,
    TSR_DTYPE_INT64 = 7,
    TSR_DTYPE_STRING = 8,      /* elements are TsrString */
    TSR_DTYPE_BOOL = 9,        /* one byte, 0 or 1 */
    TSR_DTYPE_FLOAT16 = 10,
    TSR_DTYPE_DOUBLE = 11,
    TSR_DTYPE_UINT32 = 12,
    TSR_DTYPE_UINT64 = 13,
    TSR_DTYPE_COMPLEX64 = 14,
    TSR_DTYPE_COMPLEX128 = 15,
    TSR_DTYPE_BFLOAT16 = 16,
    TSR_DTYPE_FLOAT8E4M3FN = 17,
    TSR_DTYPE_FLOAT8E4M3FNUZ = 18,
    TSR_DTYPE_FLOAT8E5M2 = 19,
    TSR_DTYPE_FLOAT8E5M2FNUZ = 20,
    TSR_DTYPE_UINT4 = 21,      /* two elements a byte, the first in the low bits */
    TSR_DTYPE_INT4 = 22,
    TSR_DTYPE_FLOAT4E2M1 = 23,
    TSR_DTYPE_FLOAT8E8M0 = 24,
    TSR_DTYPE_UINT2 = 25,      /* four elements a byte, the first in the low bits */
    TSR_DTYPE_INT2 = 26,
    TSR_DTYPE_COUNT = 27,
};

/* What kind of value a descriptor describes; dtype and shape are then those of the
 * tensors inside. */
enum {
    TSR_KIND_TENSOR = 0,
    TSR_KIND_SEQUENCE = 1,          /* of tensors */
    TSR_KIND_OPTIONAL = 2,          /* a tensor or nothing */
    TSR_KIND_OPTIONAL_SEQUENCE = 3, /* a sequence or nothing */
    TSR_KIND_MAP = 4,               /* two tensors: keys, values */
    TSR_KIND_SEQUENCE_MAP = 5,      /* of maps */
    TSR_KIND_COUNT = 6,
};

/* Sets of element types, one bit per TSR_DTYPE_ value. */
#define TSR_BIT(dtype) (UINT64_C(1) << (dtype))
#define TSR_TYPES_FLOAT_IEEE                                                        \
    (TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_DOUBLE) | TSR_BIT(TSR_DTYPE_FLOAT16))
#define TSR_TYPES_FLOAT (TSR_TYPES_FLOAT_IEEE | TSR_BIT(TSR_DTYPE_BFLOAT16))
#define TSR_TYPES_SIGNED                                                            \
    (TSR_BIT(TSR_DTYPE_INT8) | TSR_BIT(TSR_DTYPE_INT16) | TSR_BIT(TSR_DTYPE_INT32) | \
     TSR_BIT(TSR_DTYPE_INT64))
#define TSR_TYPES_UNSIGNED                                                          \
    (TSR_BIT(TSR_DTYPE_UINT8) | TSR_BIT(TSR_DTYPE_UINT16) |                         \
     TSR_BIT(TSR_DTYPE_UINT32) | TSR_BIT(TSR_DTYPE_UINT64))
#define TSR_TYPES_INTEGER (TSR_TYPES_SIGNED | TSR_TYPES_UNSIGNED)
#define TSR_TYPES_NUMERIC (TSR_TYPES_INTEGER | TSR_TYPES_FLOAT)
#define TSR_TYPES_INDEX (TSR_BIT(TSR_DTYPE_INT32) | TSR_BIT(TSR_DTYPE_INT64))
#define TSR_TYPES_COMPLEX (TSR_BIT(TSR_DTYPE_COMPLEX64) | TSR_BIT(TSR_DTYPE_COMPLEX128))
#define TSR_TYPES_ANY ((UINT64_C(1) << TSR_DTYPE_COUNT) - 2)

/* Tensor formats. An origin format says what the dimensions mean to the user;
 * a storage format says how the bytes lie. From TSR_FORMAT_NC1HWC0 on the
 * formats are internal: they never become an origin format. C0 is the
 * device's TsrDeviceInfo.c0_lanes, whatever the element type, so that a Cast keeps the
 * storage format and moves no element. */
enum {
    TSR_FORMAT_ND = 0,         /* no meaning attached to the dimensions */
    TSR_FORMAT_NCHW = 1,
    TSR_FORMAT_NHWC = 2,
    TSR_FORMAT_HWCN = 3,
    TSR_FORMAT_NCDHW = 4,
    TSR_FORMAT_NDHWC = 5,
    TSR_FORMAT_NC1HWC0 = 16,   /* [N, ceil(C/C0), H, W, C0] */
    TSR_FORMAT_FRACTAL_Z = 17, /* [C1*H*W, ceil(N/16), 16, C0] */
    TSR_FORMAT_FRACTAL_NZ = 18,/* [..., ceil(N/C0), ceil(M/16), 16, C0] */
    TSR_FORMAT_C1HWNCOC0 = 19, /* [C1, H, W, N, Co, C0] */
    TSR_FORMAT_ANY = 255,      /* in a selector's column: whatever the neighbour has */
};

/* One element of a TSR_DTYPE_STRING tensor: UTF-8 bytes, not NUL-terminated.
 * A zero-filled element is the empty string. */
typedef struct TsrString {
    const char *data;
    uint64_t size;
} TsrString;

/* A device kernel: computes block block_index of block_dim of its work. args as
 * the task named them, params as the engine wrote them. It cannot fail, allocates
 * nothing and keeps nothing. Blocks of one task may run in any order, on any core. */
typedef void (*TsrKernelFn)(void *const *args, const void *params, uint32_t block_index,
                            uint32_t block_dim);

#ifdef __cplusplus
}
#endif
#endif
