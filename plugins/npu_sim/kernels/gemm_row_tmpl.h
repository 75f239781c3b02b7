/* SPDX-License-Identifier: Apache-2.0
 *
 * gemm_row_tmpl.h: the body of GEMM_F32 for one row of A, included by gemm_f32_tmpl.h.
 * Every weight is used once, so that reading the panels is all the work: many panels run
 * side by side, each of them a stream of its own, and their sums hide the latency of one
 * another. A sum takes its products in the order of K, as in the register tile, so that
 * neither the width nor the cores that share the panels show in the result. Only a product
 * that is one or two panels wide as a whole has several sums per panel.
 */
#ifndef TSR_NPU_GEMM_ROW_TMPL_H
#define TSR_NPU_GEMM_ROW_TMPL_H

#include "vec_math.h"
#include "velem.h"

#if defined(__AVX512F__)
enum { ROW_PANELS = 8 };
#else
enum { ROW_PANELS = 4 };
#endif
/* Weights above so many bytes come from beyond L2, where asking ROW_AHEAD rows early pays;
 * nearer ones would only wait for the load ports. */
enum { ROW_FAR = 1 << 20, ROW_AHEAD = 16, ROW_NARROW = 2, ROW_SUMS = 4 };

typedef struct RowArgs {
    const float *x;
    const elem *w;     /* panels [K][16], one after the other */
    const float *bias; /* or NULL; likewise z */
    const elem *z;
    elem *y;
    int64_t k;
    int last_lanes;    /* of the last panel */
    TsrActivation activation;
} RowArgs;

static inline __attribute__((always_inline)) void row_finish(const RowArgs *a, const v16 *acc,
                                                             const int count)
{
    for (int o = 0; o < count; o++) {
        const int lanes = o + 1 == count ? a->last_lanes : 16;
        v16 v = acc[o];
        if (a->z != NULL)
            v = v_add(v, e_load_n(a->z + o * 16, lanes));
        e_store_n(a->y + o * 16, vm_activate(v, &a->activation), lanes);
    }
}

static inline __attribute__((always_inline)) void row_body(const RowArgs *a, const int count,
                                                           const int far)
{
    const int64_t panel = a->k * 16;
    const elem *w = a->w;
    v16 acc[ROW_PANELS];
#pragma GCC unroll 8
    for (int o = 0; o < count; o++)
        acc[o] = a->bias != NULL ? v_load(a->bias + o * 16) : v_zero();
    for (int64_t k = 0; k < a->k; k++, w += 16) {
        const v16 x = v_set1(a->x[k]);
#pragma GCC unroll 8
        for (int o = 0; o < count; o++) {
            if (far)
                __builtin_prefetch(w + o * panel + ROW_AHEAD * 16, 0, 3);
            acc[o] = v_fma(x, e_load(w + o * panel), acc[o]);
        }
    }
    row_finish(a, acc, count);
}

/* One panel; ROW_SUMS sums of every ROW_SUMS-th product. */
static void row_narrow(const RowArgs *a)
{
    const elem *w = a->w;
    int64_t k = 0;
    v16 acc[ROW_SUMS] = { a->bias != NULL ? v_load(a->bias) : v_zero() };
#pragma GCC unroll 4
    for (int i = 1; i < ROW_SUMS; i++)
        acc[i] = v_zero();
    for (; k + ROW_SUMS <= a->k; k += ROW_SUMS, w += ROW_SUMS * 16)
#pragma GCC unroll 4
        for (int i = 0; i < ROW_SUMS; i++)
            acc[i] = v_fma(v_set1(a->x[k + i]), e_load(w + i * 16), acc[i]);
    for (; k < a->k; k++, w += 16)
        acc[0] = v_fma(v_set1(a->x[k]), e_load(w), acc[0]);
    acc[0] = v_add(v_add(acc[0], acc[1]), v_add(acc[2], acc[3]));
    row_finish(a, acc, 1);
}

#define ROW(count) static void row_##count(const RowArgs *a) { row_body(a, count, 0); }
ROW(1) ROW(2) ROW(3) ROW(4)
#if defined(__AVX512F__)
ROW(5) ROW(6) ROW(7) ROW(8)
#endif
static void row_far(const RowArgs *a) { row_body(a, ROW_PANELS, 1); }

/* Computes `panels` panels from *a on, whose last_lanes are those of the last of them; the
 * whole product is all_panels wide. */
static void row_area(const RowArgs *area, int64_t panels, int64_t all_panels)
{
    static void (*const bodies[ROW_PANELS])(const RowArgs *) = {
        row_1, row_2, row_3, row_4,
#if defined(__AVX512F__)
        row_5, row_6, row_7, row_8,
#endif
    };
    const int narrow = all_panels <= ROW_NARROW;
    const int far = all_panels * area->k * 16 * (int64_t)sizeof(elem) > ROW_FAR;
    int64_t count;
    for (int64_t done = 0; done < panels; done += count) {
        const int64_t rest = panels - done;
        RowArgs a = *area;
        /* The last two groups share what is left. */
        count = rest >= 2 * ROW_PANELS ? ROW_PANELS : rest > ROW_PANELS ? (rest + 1) / 2 : rest;
        count = narrow ? 1 : count;
        a.w += done * a.k * 16;
        a.bias = a.bias != NULL ? a.bias + done * 16 : NULL;
        a.z = a.z != NULL ? a.z + done * 16 : NULL;
        a.y += done * 16;
        a.last_lanes = count == rest ? area->last_lanes : 16;
        if (narrow)
            row_narrow(&a);
        else if (far && count == ROW_PANELS)
            row_far(&a);
        else
            bodies[count - 1](&a);
    }
}

#endif
