/* SPDX-License-Identifier: Apache-2.0
 *
 * search.h: where plugins are looked for, and what lies there. The current directory is never
 * among the places.
 */
#ifndef TSR_PLUGIN_SEARCH_H
#define TSR_PLUGIN_SEARCH_H

#include "plugin/conf.h"

/* A plugin's file: its manifest, or a bare library. */
typedef struct TsrFoundPlugin {
    char *name;
    char *path;          /* real path */
    gboolean is_manifest;
} TsrFoundPlugin;

void tsr_found_plugin_free(TsrFoundPlugin *found); /* NULL is a no-op */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrFoundPlugin, tsr_found_plugin_free)

/* Absolute directories in their order: those of TESSERA_PLUGIN_PATH alone; else those of
 * TESSERA_PLUGIN_PATH_ADD, of the configuration, and beside the library. (transfer full) */
GPtrArray *tsr_search_dirs(const TsrConf *conf);
/* The first of DIR/NAME.plugin, DIR/NAME.so, DIR/NAME/NAME.plugin and DIR/NAME/NAME.so, from
 * directory *at on, which is then the one after; NULL when there is none. (transfer full) */
TsrFoundPlugin *tsr_search_find(const GPtrArray *dirs, const char *name, guint *at);
/* All that lies in a directory, by name. (transfer full) */
GPtrArray *tsr_search_list(const char *dir);
/* "no 'x.plugin' or 'x.so' in DIR (aicpu, npu_sim), DIR (is not there); did you mean ...".
 * (transfer full) */
char *tsr_search_missing_text(const GPtrArray *dirs, const char *name);

#endif
