/* SPDX-License-Identifier: Apache-2.0
 *
 * alloc_watch.c: see alloc_watch.h. malloc and its kin are defined here and hand on to glibc's
 * own (__libc_malloc and so on, exported for this). Who asks is told from the return address;
 * of requests through another library (strdup) the plugin is not the one who asks. Live blocks
 * are kept in an open hash table of fixed size. Threads: any.
 */
#include "plugin_check/alloc_watch.h"

#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(PC_NO_ALLOC_WATCH)
#define IS_WATCHED 0
#else
#define IS_WATCHED 1
#endif

enum { TABLE_BITS = 18, TABLE_SIZE = 1 << TABLE_BITS };

typedef struct Block {
    guintptr address; /* 0: never used; 1: freed */
    gsize size;
    guintptr caller;
} Block;

static struct {
    guintptr begin, end;     /* of the library's code */
    Block *table;
    PcAllocLive live;
    pthread_mutex_t lock;
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER};

static atomic_uint_fast64_t requests;
static atomic_uint_fast64_t fails_at = UINT64_MAX;
static atomic_bool has_failed;
static atomic_int_fast64_t heap; /* bytes, as large as they were handed out */

static int find_code(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    if (info->dlpi_name == NULL || strcmp(info->dlpi_name, data) != 0)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const guintptr begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X))
            continue;
        watch.begin = begin;
        watch.end = begin + info->dlpi_phdr[i].p_memsz;
        return 1;
    }
    return 0;
}

gboolean pc_alloc_is_watched(void)
{
    return IS_WATCHED;
}

gboolean pc_alloc_watch(const char *library)
{
    if (watch.table == NULL)
        watch.table = calloc(TABLE_SIZE, sizeof(Block));
    return watch.table != NULL && dl_iterate_phdr(find_code, (void *)(guintptr)library) != 0;
}

PcAllocLive pc_alloc_live(void)
{
    PcAllocLive live;
    pthread_mutex_lock(&watch.lock);
    live = watch.live;
    pthread_mutex_unlock(&watch.lock);
    return live;
}

guint64 pc_alloc_heap(void)
{
    return (guint64)atomic_load(&heap);
}

guint64 pc_alloc_take_count(void)
{
    return atomic_exchange(&requests, 0);
}

void pc_alloc_fail(guint64 number)
{
    atomic_store(&has_failed, FALSE);
    atomic_store(&requests, 0);
    atomic_store(&fails_at, number);
}

gboolean pc_alloc_has_failed(void)
{
    return atomic_load(&has_failed);
}

#if IS_WATCHED

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static gboolean is_plugin(const void *caller)
{
    return (guintptr)caller >= watch.begin && (guintptr)caller < watch.end;
}

/* Counts a request; TRUE: it is the one to fail. */
static gboolean is_to_fail(void)
{
    if (atomic_fetch_add(&requests, 1) != atomic_load(&fails_at))
        return FALSE;
    atomic_store(&has_failed, TRUE);
    errno = ENOMEM;
    return TRUE;
}

static Block *slot_of(guintptr address, gboolean wants_free)
{
    gsize at = (address >> 4) * 0x9E3779B97F4A7C15u >> (64 - TABLE_BITS);
    for (gsize i = 0; i < TABLE_SIZE; i++, at = (at + 1) % TABLE_SIZE) {
        Block *block = &watch.table[at];
        if (block->address == address || (wants_free && block->address <= 1))
            return block;
        if (block->address == 0)
            return NULL;
    }
    return NULL;
}

/* Every new block comes by here. */
static void *keep(void *memory, const void *caller)
{
    const gsize size = memory != NULL ? malloc_usable_size(memory) : 0;
    Block *block;
    atomic_fetch_add(&heap, (gint64)size);
    if (memory == NULL || watch.table == NULL || !is_plugin(caller))
        return memory;
    pthread_mutex_lock(&watch.lock);
    block = slot_of((guintptr)memory, TRUE);
    if (block != NULL) {
        *block = (Block){(guintptr)memory, size, (guintptr)caller};
        watch.live.blocks++;
        watch.live.bytes += size;
        watch.live.caller = (guintptr)caller - watch.begin;
    }
    pthread_mutex_unlock(&watch.lock);
    return memory;
}

static void forget(void *memory)
{
    Block *block;
    if (memory == NULL)
        return;
    atomic_fetch_sub(&heap, (gint64)malloc_usable_size(memory));
    if (watch.live.blocks == 0)
        return;
    pthread_mutex_lock(&watch.lock);
    block = slot_of((guintptr)memory, FALSE);
    if (block != NULL) {
        watch.live.blocks--;
        watch.live.bytes -= block->size;
        block->address = 1;
        /* At the end of a run of used slots nothing is left to find behind it. */
        for (gsize at = (gsize)(block - watch.table);
             watch.table[(at + 1) % TABLE_SIZE].address == 0 && watch.table[at].address == 1;
             at = (at + TABLE_SIZE - 1) % TABLE_SIZE)
            watch.table[at].address = 0;
    }
    pthread_mutex_unlock(&watch.lock);
}

void *malloc(size_t size)
{
    const void *caller = __builtin_return_address(0);
    return is_plugin(caller) && is_to_fail() ? NULL : keep(__libc_malloc(size), caller);
}

void *calloc(size_t count, size_t size)
{
    const void *caller = __builtin_return_address(0);
    return is_plugin(caller) && is_to_fail() ? NULL : keep(__libc_calloc(count, size), caller);
}

void *realloc(void *memory, size_t size)
{
    const void *caller = __builtin_return_address(0);
    void *moved;
    if (is_plugin(caller) && is_to_fail())
        return NULL;
    forget(memory);
    moved = __libc_realloc(memory, size);
    if (moved == NULL && size != 0)
        keep(memory, caller); /* the old one stays */
    return keep(moved, caller);
}

void free(void *memory)
{
    forget(memory);
    __libc_free(memory);
}

/* Aligned memory is what the host gives tensors and workspaces, for whichever plugin. */
static void *aligned(size_t alignment, size_t size, const void *caller)
{
    return watch.begin != 0 && is_to_fail() ? NULL
                                            : keep(__libc_memalign(alignment, size), caller);
}

void *memalign(size_t alignment, size_t size)
{
    return aligned(alignment, size, __builtin_return_address(0));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return aligned(alignment, size, __builtin_return_address(0));
}

int posix_memalign(void **out_memory, size_t alignment, size_t size)
{
    void *memory = aligned(alignment, size, __builtin_return_address(0));
    if (memory == NULL)
        return ENOMEM;
    *out_memory = memory;
    return 0;
}

#endif
