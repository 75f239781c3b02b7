/* SPDX-License-Identifier: Apache-2.0
 *
 * setup.h: what the kit has to know of a plugin before it can check it (is there an engine, a
 * device, and how are they called), asked in a child process, and the configurations that
 * the groups' sessions use.
 */
#ifndef TSR_PLUGIN_CHECK_SETUP_H
#define TSR_PLUGIN_CHECK_SETUP_H

#include "plugin_check/check.h"

typedef struct PcSetup {
    PcPlugin plugin;
    char *path, *name, *folder;
} PcSetup;

/* Errors: NOT_FOUND, when there is no such file; IO. */
gboolean pc_setup_make(PcSetup *setup, const char *path, gint timeout_s, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
void pc_setup_clear(PcSetup *setup);

#endif
