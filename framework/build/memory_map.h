/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_map.h: what each byte of a memory holds: runs of bytes with the same source, for
 * the checker of plans.
 */
#ifndef TSR_BUILD_MEMORY_MAP_H
#define TSR_BUILD_MEMORY_MAP_H

#include <glib.h>

#define TSR_NO_TASK G_MAXUINT32

/* Bytes [begin, end) hold the bytes of a source from `at` on. */
typedef struct TsrMemoryRun {
    guint64 begin;
    guint64 end;
    guint64 at;
    gconstpointer source;  /* NULL: nothing was written yet */
    guint32 writer;        /* the task that wrote it, or TSR_NO_TASK */
    guint32 *readers;      /* per stream: the last task that read it since, or TSR_NO_TASK;
                              NULL: none did */
} TsrMemoryRun;

typedef struct TsrMemoryMap {
    GArray *runs;          /* TsrMemoryRun, ascending, from 0 to size without gaps */
    guint64 size;
    guint stream_count;
} TsrMemoryMap;

TsrMemoryMap *tsr_memory_map_new(guint64 size, guint stream_count);
void tsr_memory_map_free(TsrMemoryMap *map); /* NULL is a no-op */
/* Index of the first run that overlaps [begin, ...); begin is below size. */
guint tsr_memory_map_find(const TsrMemoryMap *map, guint64 begin);
TsrMemoryRun *tsr_memory_map_run(const TsrMemoryMap *map, guint index);
/* Makes [begin, end) hold source from `at` on, written by a task. */
void tsr_memory_map_write(TsrMemoryMap *map, guint64 begin, guint64 end, gconstpointer source,
                          guint64 at, guint32 writer);
/* (transfer full) */
TsrMemoryMap *tsr_memory_map_copy(const TsrMemoryMap *map);
/* Keeps in a map what another one of the same size says as well: bytes that hold something else
 * there hold nothing. Writers and readers are the later ones of the two. Returns whether
 * anything changed. */
gboolean tsr_memory_map_meet(TsrMemoryMap *map, const TsrMemoryMap *other);
/* What the bytes of a run hold from now on, by what they held; NULL: nothing. */
typedef gconstpointer (*TsrMemoryRename)(gpointer user, gconstpointer source);
void tsr_memory_map_rename(TsrMemoryMap *map, TsrMemoryRename rename, gpointer user);
/* Notes that a task of a stream read [begin, end). */
void tsr_memory_map_read(TsrMemoryMap *map, guint64 begin, guint64 end, guint stream,
                         guint32 reader);

#endif
