/* SPDX-License-Identifier: Apache-2.0
 *
 * scratch.h: a temporary directory for one test program: what its tests make with
 * g_dir_make_tmp lies in it, and it is removed in the end. Included by test programs that
 * write files; needs nothing but the C library.
 */
#ifndef TSR_TEST_SCRATCH_H
#define TSR_TEST_SCRATCH_H

#include <ftw.h>
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

static int scratch_remove(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

static void scratch_end(void)
{
    if (scratch_path[0] != '\0')
        nftw(scratch_path, scratch_remove, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
