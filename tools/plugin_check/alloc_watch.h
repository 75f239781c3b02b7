/* SPDX-License-Identifier: Apache-2.0
 *
 * alloc_watch.h: the memory that a plugin takes. The command brings its own malloc, so it
 * knows of every block which library asked for it: blocks that a plugin does not give back are
 * counted, and single requests can be made to fail. Under a sanitizer, which owns malloc,
 * nothing is known.
 */
#ifndef TSR_PLUGIN_CHECK_ALLOC_WATCH_H
#define TSR_PLUGIN_CHECK_ALLOC_WATCH_H

#include <glib.h>

/* Whether requests are seen at all. */
gboolean pc_alloc_is_watched(void);
/* Counts the requests of the code of this loaded library from now on. FALSE: it is not
 * loaded. */
gboolean pc_alloc_watch(const char *library);

typedef struct PcAllocLive {
    guint64 blocks, bytes; /* that the library asked for and that are not freed */
    gsize caller;          /* offset in the library of the newest one's request */
} PcAllocLive;
PcAllocLive pc_alloc_live(void);

/* Bytes that anybody in the process holds. */
guint64 pc_alloc_heap(void);
/* Requests of the library, and of the host for tensors and workspaces, since the last call. */
guint64 pc_alloc_take_count(void);
/* Makes request `number` (0 is the next one) of those fail; G_MAXUINT64: none. */
void pc_alloc_fail(guint64 number);
/* Whether the one that was to fail has come. */
gboolean pc_alloc_has_failed(void);

#endif
