/* SPDX-License-Identifier: Apache-2.0
 *
 * loader.h: one plugin library: opened, its ABI and tables checked, started. What
 * went wrong is kept as text; a refused library is closed again at once.
 */
#ifndef TSR_PLUGIN_LOADER_H
#define TSR_PLUGIN_LOADER_H

#include <glib.h>
#include <tessera/plugin.h>

typedef enum TsrPluginState {
    TSR_PLUGIN_DISABLED, /* switched off by the configuration */
    TSR_PLUGIN_MISSING,  /* no file of that name */
    TSR_PLUGIN_REFUSED,  /* reason says why */
    TSR_PLUGIN_LOADED,
} TsrPluginState;

typedef struct TsrLoadedPlugin {
    char *name;           /* as the configuration names it */
    char *path;           /* absolute, or NULL */
    TsrPluginState state;
    char *reason;         /* why it is not loaded, or NULL */
    const TsrPlugin *plugin;
    const TsrEngine *engine;             /* interfaces; NULL where not offered */
    const TsrFormatSelector *selector;
    const TsrFusion *fusion;
    const TsrExecutor *executor;
    const TsrDevice *device;
    const TsrOps *ops;
    gpointer handle;
} TsrLoadedPlugin;

/* Opens the file and fills the record: LOADED, or REFUSED with a reason. */
void tsr_plugin_open(TsrLoadedPlugin *record);
/* Turns a loaded plugin into a refused one: shuts it down and closes the library, of which
 * nothing may be in use yet. */
void tsr_plugin_refuse(TsrLoadedPlugin *record, const char *reason);
const char *tsr_plugin_state_name(TsrPluginState state);
/* Calls shutdown; the library itself stays mapped, since memory that it handed out
 * may outlive it. */
void tsr_plugin_free(TsrLoadedPlugin *record);

#endif
