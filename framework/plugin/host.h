/* SPDX-License-Identifier: Apache-2.0
 *
 * host.h: the services that every plugin gets, and the error text that a plugin
 * left, turned into a GError.
 */
#ifndef TSR_PLUGIN_HOST_H
#define TSR_PLUGIN_HOST_H

#include <glib.h>
#include <tessera/plugin.h>

/* The one host table of the process. */
const TsrHost *tsr_host_get(void);

/* Forgets what the calling thread's last plugin call left. */
void tsr_host_clear_error(void);
/* Makes a GError of a status and the text the plugin left in this thread; where it
 * left none, says so, since that breaks the plugin's contract. who names the
 * plugin, what the call. Returns FALSE for use in a return statement. */
gboolean tsr_host_take_error(gint32 status, const char *who, const char *what, GError **error);

#endif
