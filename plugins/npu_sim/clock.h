/* SPDX-License-Identifier: Apache-2.0
 *
 * clock.h: the two clocks of the simulated NPU. The monotonic clock is for deadlines and for
 * profiles in nanoseconds; the processor's time stamp counter is for profiles in ticks, where a
 * reading per task must cost as little as can be: about 10 ns instead of 23.
 */
#ifndef TSR_NPU_CLOCK_H
#define TSR_NPU_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Nanoseconds of the monotonic clock. */
uint64_t tsr_npu_now_ns(void);

/* Whether this processor has a counter that runs evenly, whatever its frequency and its sleep, and
 * alike on all cores. */
bool tsr_npu_has_counter(void);

/* A reading of the counter; only where there is one. Not ordered with what stands around it,
 * which moves a border between two tasks by a few nanoseconds at most. */
static inline uint64_t tsr_npu_ticks(void)
{
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#else
    return tsr_npu_now_ns();
#endif
}

#endif
