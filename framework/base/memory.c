/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.c: see memory.h.
 */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

gpointer tsr_memory_alloc(gsize size_bytes)
{
    gpointer memory = NULL;
    if (size_bytes > G_MAXSSIZE - TSR_MEMORY_ALIGNMENT)
        return NULL;
    if (posix_memalign(&memory, TSR_MEMORY_ALIGNMENT,
                       tsr_align_up(MAX(size_bytes, 1), TSR_MEMORY_ALIGNMENT)) != 0)
        return NULL;
    return memory;
}

void tsr_memory_free(gpointer memory)
{
    free(memory);
}

GBytes *tsr_memory_to_bytes(gpointer memory, gsize size_bytes)
{
    return g_bytes_new_with_free_func(memory, size_bytes, tsr_memory_free, memory);
}

GBytes *tsr_memory_copy_bytes(gconstpointer data, gsize size_bytes)
{
    gpointer memory = tsr_memory_alloc(size_bytes);
    if (memory == NULL)
        return NULL;
    if (size_bytes != 0)
        memcpy(memory, data, size_bytes);
    return tsr_memory_to_bytes(memory, size_bytes);
}
