/* SPDX-License-Identifier: Apache-2.0
 *
 * plugin_util.h: header-only helpers for plugin authors, so that nobody writes
 * them twice: element types, attributes, shapes, broadcasting; narrow.h has the narrow floats.
 * Plain C11; needs no library but the C library. Everything is static inline.
 */
#ifndef TESSERA_PLUGIN_UTIL_H
#define TESSERA_PLUGIN_UTIL_H

#include <stdio.h>
#include <stdarg.h>
#include <string.h>
#include <tessera/narrow.h>
#include <tessera/plugin.h>

/* The TSR_SANITIZER_ that this file is compiled under, for TsrPlugin.sanitizer. */
#ifndef TSR_BUILD_SANITIZER
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define TSR_BUILD_SANITIZER TSR_SANITIZER_ADDRESS
#elif __has_feature(thread_sanitizer)
#define TSR_BUILD_SANITIZER TSR_SANITIZER_THREAD
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define TSR_BUILD_SANITIZER TSR_SANITIZER_ADDRESS
#elif defined(__SANITIZE_THREAD__)
#define TSR_BUILD_SANITIZER TSR_SANITIZER_THREAD
#endif
#endif
#ifndef TSR_BUILD_SANITIZER
#define TSR_BUILD_SANITIZER TSR_SANITIZER_NONE
#endif

/* ------------------------------------------------------------ element types */

/* Bits of one element; 0 for an unknown type. Strings count as TsrString. */
static inline uint32_t tsr_dtype_bits(uint32_t dtype)
{
    static const uint8_t bits[TSR_DTYPE_COUNT] = {
        0, 32, 8, 8, 16, 16, 32, 64, 8 * sizeof(TsrString), 8, 16, 64, 32, 64, 64, 128, 16,
        8, 8, 8, 8, 4, 4, 4, 8, 2, 2,
    };
    return dtype < TSR_DTYPE_COUNT ? bits[dtype] : 0;
}

/* Bytes of a dense run of count elements; sub-byte types are packed. */
static inline uint64_t tsr_dtype_bytes(uint32_t dtype, uint64_t count)
{
    return (count * tsr_dtype_bits(dtype) + 7) / 8;
}

/* ONNX's name of an element type in small letters, such as "float16". */
static inline const char *tsr_dtype_name(uint32_t dtype)
{
    static const char *const names[TSR_DTYPE_COUNT] = {
        "undefined", "float", "uint8", "int8", "uint16", "int16", "int32", "int64",
        "string", "bool", "float16", "double", "uint32", "uint64", "complex64",
        "complex128", "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2",
        "float8e5m2fnuz", "uint4", "int4", "float4e2m1", "float8e8m0", "uint2", "int2",
    };
    return dtype < TSR_DTYPE_COUNT ? names[dtype] : "unknown";
}

static inline const char *tsr_kind_name(uint32_t kind)
{
    static const char *const names[TSR_KIND_COUNT] = {
        "tensor", "sequence", "optional", "optional sequence", "map", "sequence of maps",
    };
    return kind < TSR_KIND_COUNT ? names[kind] : "unknown";
}

static inline const char *tsr_format_name(uint32_t format)
{
    switch (format) {
    case TSR_FORMAT_ND: return "ND";
    case TSR_FORMAT_NCHW: return "NCHW";
    case TSR_FORMAT_NHWC: return "NHWC";
    case TSR_FORMAT_HWCN: return "HWCN";
    case TSR_FORMAT_NCDHW: return "NCDHW";
    case TSR_FORMAT_NDHWC: return "NDHWC";
    case TSR_FORMAT_NC1HWC0: return "NC1HWC0";
    case TSR_FORMAT_FRACTAL_Z: return "FRACTAL_Z";
    case TSR_FORMAT_FRACTAL_NZ: return "FRACTAL_NZ";
    case TSR_FORMAT_C1HWNCOC0: return "C1HWNCoC0";
    case TSR_FORMAT_ANY: return "any";
    default: return "unknown";
    }
}

/* ---------------------------------------------------------------- attributes */

/* The attribute of that name, or NULL. */
static inline const TsrAttr *tsr_attr_find(const TsrNodeView *node, const char *name)
{
    for (uint32_t i = 0; i < node->attr_count; i++)
        if (strcmp(node->attrs[i]->name, name) == 0)
            return node->attrs[i];
    return NULL;
}

static inline int64_t tsr_attr_int(const TsrNodeView *node, const char *name, int64_t missing)
{
    const TsrAttr *attr = tsr_attr_find(node, name);
    return attr != NULL ? attr->i : missing;
}

static inline float tsr_attr_float(const TsrNodeView *node, const char *name, float missing)
{
    const TsrAttr *attr = tsr_attr_find(node, name);
    return attr != NULL ? attr->f : missing;
}

/* The integers of an INTS attribute; *out_count is 0 and the result NULL when it is
 * not there. */
static inline const int64_t *tsr_attr_ints(const TsrNodeView *node, const char *name,
                                           uint32_t *out_count)
{
    const TsrAttr *attr = tsr_attr_find(node, name);
    *out_count = attr != NULL ? attr->count : 0;
    return attr != NULL ? attr->ints : NULL;
}

/* Whether the STRING attribute is there and equals word. */
static inline int tsr_attr_is(const TsrNodeView *node, const char *name, const char *word)
{
    const TsrAttr *attr = tsr_attr_find(node, name);
    return attr != NULL && attr->s.size == strlen(word) &&
           memcmp(attr->s.data, word, attr->s.size) == 0;
}

/* --------------------------------------------------------------------- shapes */

/* Element count of a shape without unknown dimensions. */
static inline int64_t tsr_shape_elements(uint32_t rank, const int64_t *shape)
{
    int64_t count = 1;
    for (uint32_t i = 0; i < rank; i++)
        count *= shape[i];
    return count;
}

static inline int64_t tsr_desc_elements(const TsrTensorDesc *desc)
{
    return tsr_shape_elements(desc->rank, desc->shape);
}

static inline int64_t tsr_desc_storage_elements(const TsrTensorDesc *desc)
{
    return tsr_shape_elements(desc->storage_rank, desc->storage_shape);
}

/* Whether it is a tensor whose rank and every dimension are known. */
static inline int tsr_desc_is_static(const TsrTensorDesc *desc)
{
    if (desc->kind != TSR_KIND_TENSOR || desc->rank == TSR_RANK_UNKNOWN)
        return 0;
    for (uint32_t i = 0; i < desc->rank; i++)
        if (desc->shape[i] < 0)
            return 0;
    return 1;
}

/* Brings an axis of [-rank, rank) to [0, rank); -1 when it is outside. */
static inline int64_t tsr_axis_normalize(int64_t axis, uint32_t rank)
{
    int64_t n = (int64_t)rank;
    if (axis < -n || axis >= n)
        return -1;
    return axis < 0 ? axis + n : axis;
}

/* Dense strides in elements, innermost 1. */
static inline void tsr_shape_strides(uint32_t rank, const int64_t *shape, int64_t *out_strides)
{
    int64_t stride = 1;
    for (uint32_t i = rank; i-- > 0;) {
        out_strides[i] = stride;
        stride *= shape[i];
    }
}

/* Joins *rank/shape with another shape by ONNX's multidirectional broadcasting,
 * unknown dimensions included. 0 when the shapes do not fit; both ranks are known. */
static inline int tsr_shape_broadcast(uint32_t *rank, int64_t *shape, uint32_t other_rank,
                                      const int64_t *other)
{
    uint32_t out_rank = *rank > other_rank ? *rank : other_rank;
    int64_t out[TSR_MAX_RANK];
    for (uint32_t i = 0; i < out_rank; i++) {
        /* Right-aligned: a missing dimension counts as 1. */
        int64_t a = i + *rank >= out_rank ? shape[i + *rank - out_rank] : 1;
        int64_t b = i + other_rank >= out_rank ? other[i + other_rank - out_rank] : 1;
        if (a == b || b == 1)
            out[i] = a;
        else if (a == 1)
            out[i] = b;
        else if (a < 0 && b < 0)
            out[i] = TSR_DIM_UNKNOWN;
        else if (a < 0 || b < 0)
            out[i] = a > b ? a : b; /* the known one is not 1, so it wins */
        else
            return 0;
    }
    *rank = out_rank;
    memcpy(shape, out, out_rank * sizeof(out[0]));
    return 1;
}

/* Strides in elements with which a tensor of that shape is walked as if it had the
 * broadcast shape; 0 along the axes it is repeated on. */
static inline void tsr_broadcast_strides(uint32_t rank, const int64_t *shape, uint32_t out_rank,
                                         int64_t *out_strides)
{
    int64_t stride = 1;
    for (uint32_t i = 0; i < out_rank; i++)
        out_strides[i] = 0;
    for (uint32_t i = rank; i-- > 0;) {
        out_strides[i + out_rank - rank] = shape[i] == 1 ? 0 : stride;
        stride *= shape[i];
    }
}

/* Writes "[1,3,?,224]" and returns buffer; "[..]" for an unknown rank. */
static inline const char *tsr_shape_text(uint32_t rank, const int64_t *shape, char *buffer,
                                         size_t size)
{
    size_t used = 0;
    if (rank == TSR_RANK_UNKNOWN) {
        snprintf(buffer, size, "[..]");
        return buffer;
    }
    used += (size_t)snprintf(buffer, size, "[");
    for (uint32_t i = 0; i < rank && used + 24 < size; i++)
        used += shape[i] < 0
                    ? (size_t)snprintf(buffer + used, size - used, "%s?", i ? "," : "")
                    : (size_t)snprintf(buffer + used, size - used, "%s%lld", i ? "," : "",
                                       (long long)shape[i]);
    snprintf(buffer + used, size - used, "]");
    return buffer;
}

/* a op b (TSR_DIM_) of two numbers. 0: a division by 0, or the result does not fit or would read
 * as a symbol. */
static inline int tsr_dim_combine(uint32_t op, int64_t a, int64_t b, int64_t *out)
{
    int64_t result;
    switch (op) {
    case TSR_DIM_ADD:
        if (__builtin_add_overflow(a, b, &result))
            return 0;
        break;
    case TSR_DIM_SUB:
        if (__builtin_sub_overflow(a, b, &result))
            return 0;
        break;
    case TSR_DIM_MUL:
        if (__builtin_mul_overflow(a, b, &result))
            return 0;
        break;
    case TSR_DIM_DIV:
        if (b == 0 || (a == INT64_MIN && b == -1))
            return 0;
        result = a / b - (a % b != 0 && (a < 0) != (b < 0));
        break;
    case TSR_DIM_MIN: result = a < b ? a : b; break;
    case TSR_DIM_MAX: result = a > b ? a : b; break;
    default: return 0;
    }
    if (TSR_DIM_IS_SYMBOL(result))
        return 0;
    *out = result;
    return 1;
}

/* -------------------------------------------------------------------- support */

static inline int32_t tsr_support_yes(TsrSupport *out_support, float cost)
{
    out_support->answer = TSR_SUPPORT_YES;
    out_support->reason_code = TSR_REFUSE_NONE;
    out_support->cost = cost;
    out_support->reason[0] = '\0';
    return TSR_OK;
}

/* Fills a refusal; returns TSR_OK, since "no" is an answer and not an error. */
TSR_PRINTF(3, 4)
static inline int32_t tsr_support_no(TsrSupport *out_support, uint32_t code,
                                     const char *format, ...)
{
    va_list args;
    out_support->answer = TSR_SUPPORT_NO;
    out_support->reason_code = code;
    out_support->cost = 0.0f;
    va_start(args, format);
    vsnprintf(out_support->reason, sizeof(out_support->reason), format, args);
    va_end(args);
    return TSR_OK;
}

#endif
