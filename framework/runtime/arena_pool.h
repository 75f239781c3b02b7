/* SPDX-License-Identifier: Apache-2.0
 *
 * arena_pool.h: activation memory that plans of one model take in turn: as many blocks as
 * runs are on at once, each as large as the largest plan that used it.
 */
#ifndef TSR_RUNTIME_ARENA_POOL_H
#define TSR_RUNTIME_ARENA_POOL_H

#include "runtime/device.h"

typedef struct TsrArenaPool TsrArenaPool;

/* device outlives it. (transfer full) */
TsrArenaPool *tsr_arena_pool_new(TsrOpenDevice *device);
TsrArenaPool *tsr_arena_pool_ref(TsrArenaPool *pool);
void tsr_arena_pool_unref(TsrArenaPool *pool); /* NULL is a no-op */

/* A block of at least that many bytes that nobody else has until it is given back: the
 * preferred one where it is free and large enough, so that addresses stay what they are; else
 * the smallest that is; else the largest free one grows. Contents are undefined. Threads: any.
 * Errors: OUT_OF_MEMORY. */
gboolean tsr_arena_pool_take(TsrArenaPool *pool, guint64 size_bytes, const void *preferred,
                             guint8 **out_memory, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void tsr_arena_pool_give(TsrArenaPool *pool, guint8 *memory);
/* Bytes of all blocks. */
guint64 tsr_arena_pool_bytes(TsrArenaPool *pool);

#endif
