/* SPDX-License-Identifier: Apache-2.0
 *
 * scratch.h: a temporary directory for one test program: what its tests make with
 * g_dir_make_tmp lies in it, and it is removed in the end. Needs nothing but the C
 * library.
 */
#ifndef TSR_TEST_SCRATCH_H
#define TSR_TEST_SCRATCH_H

#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char scratch_path[4096];

/* Call first: GLib asks for TMPDIR once. */
static void scratch_begin(void)
{
    const char *parent = getenv("TMPDIR");
    snprintf(scratch_path, sizeof(scratch_path), "%s/tessera_XXXXXX",
             parent != NULL && parent[0] != '\0' ? parent : "/tmp");
    if (mkdtemp(scratch_path) != NULL)
        setenv("TMPDIR", scratch_path, 1);
    else
        scratch_path[0] = '\0';
}

static void scratch_end(void)
{
    char *const roots[] = {scratch_path, NULL};
    FTS *walk = scratch_path[0] != '\0' ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
    FTSENT *entry;
    while (walk != NULL && (entry = fts_read(walk)) != NULL)
        if (entry->fts_info != FTS_D)
            remove(entry->fts_accpath);
    if (walk != NULL)
        fts_close(walk);
}

#endif
