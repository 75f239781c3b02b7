/* SPDX-License-Identifier: Apache-2.0
 *
 * arena_pool.c: see arena_pool.h. There are as many blocks as threads run at once, so they are
 * looked through one by one.
 */
#include "runtime/arena_pool.h"

#include "plugin/host.h"

typedef struct Block {
    guint8 *memory;
    guint64 size_bytes;
    gboolean is_taken;
} Block;

struct TsrArenaPool {
    gatomicrefcount refs;
    TsrOpenDevice *device;
    GArray *blocks;
    GMutex lock;
};

TsrArenaPool *tsr_arena_pool_new(TsrOpenDevice *device)
{
    TsrArenaPool *pool = g_new0(TsrArenaPool, 1);
    g_atomic_ref_count_init(&pool->refs);
    pool->device = device;
    pool->blocks = g_array_new(FALSE, FALSE, sizeof(Block));
    g_mutex_init(&pool->lock);
    return pool;
}

TsrArenaPool *tsr_arena_pool_ref(TsrArenaPool *pool)
{
    g_atomic_ref_count_inc(&pool->refs);
    return pool;
}

static void free_block(const TsrArenaPool *pool, const Block *block)
{
    pool->device->device->memory_free(pool->device->context, block->memory);
}

void tsr_arena_pool_unref(TsrArenaPool *pool)
{
    if (pool == NULL || !g_atomic_ref_count_dec(&pool->refs))
        return;
    for (guint i = 0; i < pool->blocks->len; i++)
        free_block(pool, &g_array_index(pool->blocks, Block, i));
    g_array_unref(pool->blocks);
    g_mutex_clear(&pool->lock);
    g_free(pool);
}

/* The free block that suits best, or NULL. */
static Block *choose(TsrArenaPool *pool, guint64 size_bytes, const void *preferred)
{
    Block *best = NULL;
    for (guint i = 0; i < pool->blocks->len; i++) {
        Block *block = &g_array_index(pool->blocks, Block, i);
        if (block->is_taken || block->size_bytes < size_bytes)
            continue;
        if (block->memory == preferred)
            return block;
        if (best == NULL || block->size_bytes < best->size_bytes)
            best = block;
    }
    return best;
}

/* Takes the place of the largest free block, which is too small, or adds one. */
static Block *grow(TsrArenaPool *pool, guint64 size_bytes, GError **error)
{
    const TsrOpenDevice *device = pool->device;
    Block made = {NULL, size_bytes, FALSE};
    guint largest = pool->blocks->len;
    void *memory = NULL;
    gint32 status;
    for (guint i = 0; i < pool->blocks->len; i++) {
        const Block *block = &g_array_index(pool->blocks, Block, i);
        if (!block->is_taken &&
            (largest == pool->blocks->len ||
             block->size_bytes > g_array_index(pool->blocks, Block, largest).size_bytes))
            largest = i;
    }
    if (largest != pool->blocks->len) {
        free_block(pool, &g_array_index(pool->blocks, Block, largest));
        g_array_remove_index_fast(pool->blocks, largest);
    }
    tsr_host_clear_error();
    status = device->device->memory_alloc(device->context, size_bytes, &memory);
    if (status != TSR_OK) {
        tsr_host_take_error(status, device->device->name, "activation memory", error);
        return NULL;
    }
    made.memory = memory;
    g_array_append_val(pool->blocks, made);
    return &g_array_index(pool->blocks, Block, pool->blocks->len - 1);
}

gboolean tsr_arena_pool_take(TsrArenaPool *pool, guint64 size_bytes, const void *preferred,
                             guint8 **out_memory, GError **error)
{
    Block *block;
    g_mutex_lock(&pool->lock);
    block = choose(pool, size_bytes, preferred);
    if (block == NULL)
        block = grow(pool, size_bytes, error);
    if (block != NULL) {
        block->is_taken = TRUE;
        *out_memory = block->memory;
    }
    g_mutex_unlock(&pool->lock);
    return block != NULL;
}

void tsr_arena_pool_give(TsrArenaPool *pool, guint8 *memory)
{
    g_mutex_lock(&pool->lock);
    for (guint i = 0; i < pool->blocks->len; i++) {
        Block *block = &g_array_index(pool->blocks, Block, i);
        if (block->memory == memory)
            block->is_taken = FALSE;
    }
    g_mutex_unlock(&pool->lock);
}

guint64 tsr_arena_pool_bytes(TsrArenaPool *pool)
{
    guint64 bytes = 0;
    g_mutex_lock(&pool->lock);
    for (guint i = 0; i < pool->blocks->len; i++)
        bytes += g_array_index(pool->blocks, Block, i).size_bytes;
    g_mutex_unlock(&pool->lock);
    return bytes;
}
