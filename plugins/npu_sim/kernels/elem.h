/* SPDX-License-Identifier: Apache-2.0
 *
 * elem.h: the storage type of a kernel. The templates and references that include it are
 * compiled once per type: meson.build sets TSR_ELEM to 0 (f32), 1 (f16) or 2 (bf16), and
 * to 3 (bytes) for those that only move elements.
 * Arithmetic is always f32; e_load and e_get widen exactly, e_store and e_put round once,
 * to nearest even. ELEM_FN(pool2d, avx2) is the function tsr_pool2d_f16_avx2 and so on.
 */
#ifndef TSR_NPU_ELEM_H
#define TSR_NPU_ELEM_H

#include <tessera/narrow.h>

#ifndef TSR_ELEM
#define TSR_ELEM 0
#endif

/* The storage type as bits, for kernels that only move it: tsr_shuffle_b16_avx2. */
#if TSR_ELEM == 0
typedef float elem_bits;
#define ELEM_BITS_FN(base, isa) ELEM_JOIN(base, b32, isa)
#elif TSR_ELEM == 3
typedef uint8_t elem_bits;
#define ELEM_BITS_FN(base, isa) ELEM_JOIN(base, b8, isa)
#else
typedef uint16_t elem_bits;
#define ELEM_BITS_FN(base, isa) ELEM_JOIN(base, b16, isa)
#endif

#define ELEM_JOIN(base, type, isa) tsr_##base##_##type##_##isa
#if TSR_ELEM == 0
typedef float elem;
#define ELEM_FN(base, isa) ELEM_JOIN(base, f32, isa)
static inline float e_get(elem e) { return e; }
static inline elem e_put(float f) { return f; }
#elif TSR_ELEM == 1
typedef uint16_t elem;
#define ELEM_FN(base, isa) ELEM_JOIN(base, f16, isa)
static inline float e_get(elem e) { return tsr_float16_to_float(e); }
static inline elem e_put(float f) { return tsr_float_to_float16(f); }
#elif TSR_ELEM == 2
typedef uint16_t elem;
#define ELEM_FN(base, isa) ELEM_JOIN(base, bf16, isa)
static inline float e_get(elem e) { return tsr_bfloat16_to_float(e); }
static inline elem e_put(float f) { return tsr_float_to_bfloat16(f); }
#endif

#endif
