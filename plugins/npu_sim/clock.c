/* SPDX-License-Identifier: Apache-2.0
 *
 * clock.c: see clock.h, and slot profile_clock of the device.
 */
#define _GNU_SOURCE
#include "clock.h"

#include <stdatomic.h>
#include <time.h>

#include "device.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

uint64_t tsr_npu_now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

#if defined(__x86_64__) || defined(__i386__)
/* Intel SDM volume 3, "Invariant TSC"; AMD APM volume 3, the same leaf and bit. */
static bool counter_is_invariant(void)
{
    enum { POWER_LEAF = (int)0x80000007, INVARIANT_TSC = 1 << 8 };
    unsigned int a, b, c, d;
    return __get_cpuid((unsigned int)POWER_LEAF, &a, &b, &c, &d) != 0 && (d & INVARIANT_TSC) != 0;
}
#else
static bool counter_is_invariant(void)
{
    return false;
}
#endif

bool tsr_npu_has_counter(void)
{
    /* Asked once: on a virtual machine the question takes tens of microseconds. */
    enum { UNKNOWN, ABSENT, PRESENT };
    static _Atomic int known;
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (answer == UNKNOWN) {
        answer = counter_is_invariant() ? PRESENT : ABSENT;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer == PRESENT;
}

void tsr_npu_profile_clock(TsrDeviceContext *context, uint64_t *out_ticks, uint64_t *out_ns)
{
    enum { TRIES = 8 };
    uint64_t narrowest = 0;
    (void)context;
    if (!tsr_npu_has_counter()) {
        *out_ticks = *out_ns = tsr_npu_now_ns();
        return;
    }
    /* The clock between two readings of the counter; the closest two, since a thread may lose
     * its core in between. */
    for (int i = 0; i < TRIES; i++) {
        const uint64_t before = tsr_npu_ticks();
        const uint64_t ns = tsr_npu_now_ns();
        const uint64_t width = tsr_npu_ticks() - before;
        if (i > 0 && width >= narrowest)
            continue;
        narrowest = width;
        *out_ticks = before + width / 2;
        *out_ns = ns;
    }
}
