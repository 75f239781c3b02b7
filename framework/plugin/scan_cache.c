/* SPDX-License-Identifier: Apache-2.0
 *
 * scan_cache.c: see scan_cache.h.
 */
#include "plugin/scan_cache.h"

#include <glib/gstdio.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "plugin/scan_report.h"

#define KEY_GROUP "library"

gboolean tsr_scan_stamp_init(TsrScanStamp *stamp, const TsrLoadedPlugin *record,
                             const char *program)
{
    GStatBuf library, scanner;
    if (g_stat(record->path, &library) != 0 || g_stat(program, &scanner) != 0)
        return FALSE;
    stamp->path = g_strdup(record->path);
    stamp->name = g_strdup(record->name);
    stamp->text = g_strdup_printf("%" G_GINT64_FORMAT " bytes of %" G_GINT64_FORMAT
                                  ".%09ld by %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT ".%09ld",
                                  (gint64)library.st_size, (gint64)library.st_mtim.tv_sec,
                                  library.st_mtim.tv_nsec, (gint64)scanner.st_size,
                                  (gint64)scanner.st_mtim.tv_sec, scanner.st_mtim.tv_nsec);
    return TRUE;
}

void tsr_scan_stamp_clear(TsrScanStamp *stamp)
{
    g_free(stamp->path);
    g_free(stamp->name);
    g_free(stamp->text);
    *stamp = (TsrScanStamp){0};
}

/* The folder, made when it is not there; NULL when it is not the user's alone. */
static char *cache_folder(void)
{
    g_autofree char *folder = NULL;
    GStatBuf info;
    if (getauxval(AT_SECURE) != 0)
        return NULL;
    folder = g_build_filename(g_get_user_cache_dir(), "tessera", "plugins", NULL);
    if (!g_path_is_absolute(folder) || g_mkdir_with_parents(folder, 0700) != 0 ||
        g_stat(folder, &info) != 0 || info.st_uid != geteuid() || (info.st_mode & 022) != 0)
        return NULL;
    return g_steal_pointer(&folder);
}

/* One file a library, name and build, so that hosts of two builds keep their own. */
static char *file_of(const TsrScanStamp *stamp)
{
    g_autofree char *folder = cache_folder();
    g_autofree char *key =
        g_strconcat(stamp->path, "\n", stamp->name, "\n", tsr_scan_build(), NULL);
    g_autofree char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, key, -1);
    g_autofree char *file = g_strconcat(hash, ".ini", NULL);
    return folder != NULL ? g_build_filename(folder, file, NULL) : NULL;
}

GKeyFile *tsr_scan_cache_load(const TsrScanStamp *stamp)
{
    g_autofree char *path = file_of(stamp);
    g_autoptr(GKeyFile) report = g_key_file_new();
    g_autofree char *library = NULL, *text = NULL;
    if (path == NULL || !g_key_file_load_from_file(report, path, G_KEY_FILE_NONE, NULL))
        return NULL;
    library = g_key_file_get_string(report, KEY_GROUP, "path", NULL);
    text = g_key_file_get_string(report, KEY_GROUP, "stamp", NULL);
    if (g_strcmp0(library, stamp->path) != 0 || g_strcmp0(text, stamp->text) != 0 ||
        tsr_scan_report_fault(report) == TSR_FAULT_COUNT)
        return NULL;
    return g_steal_pointer(&report);
}

void tsr_scan_cache_store(const TsrScanStamp *stamp, GKeyFile *report)
{
    g_autofree char *path = file_of(stamp);
    g_autofree char *data = NULL;
    gsize size;
    if (path == NULL)
        return;
    g_key_file_set_string(report, KEY_GROUP, "path", stamp->path);
    g_key_file_set_string(report, KEY_GROUP, "stamp", stamp->text);
    data = g_key_file_to_data(report, &size, NULL);
    /* A cache that cannot be written is no reason to stop, nor to bother anyone. */
    if (!g_file_set_contents_full(path, data, (gssize)size, G_FILE_SET_CONTENTS_CONSISTENT, 0600,
                                  NULL))
        g_unlink(path);
}
