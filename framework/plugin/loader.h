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

/* What kind of reason a refused plugin has; the words are those of tsr_plugin_fault_name. */
typedef enum TsrPluginFault {
    TSR_FAULT_NONE,
    TSR_FAULT_NOT_A_PLUGIN,   /* no library, or one without the entry point */
    TSR_FAULT_LOADER,         /* the system's loader cannot load it */
    TSR_FAULT_MISSING_SYMBOL, /* it wants a symbol that nothing defines */
    TSR_FAULT_ABI,            /* another major of the plugin ABI */
    TSR_FAULT_BUILD,          /* another machine or sanitizer */
    TSR_FAULT_DESCRIPTOR,     /* a field that is missing or wrong */
    TSR_FAULT_MISSING_SLOTS,
    TSR_FAULT_QUERY,          /* its own word, from the entry point or init */
    TSR_FAULT_INIT,
    TSR_FAULT_OPS,            /* an operator that exists already, or is malformed */
    TSR_FAULT_NONSENSE,       /* a table with numbers that cannot be */
    TSR_FAULT_MANIFEST,       /* the manifest is wrong, or says what the library does not */
    TSR_FAULT_SIGNAL,         /* found by the scan: what it did to its process */
    TSR_FAULT_EXIT,
    TSR_FAULT_TIMEOUT,
    TSR_FAULT_PRINTED,
    TSR_FAULT_LEFT_BEHIND,    /* threads or files that its shutdown did not end */
    TSR_FAULT_COUNT,
} TsrPluginFault;

typedef struct TsrLoadedPlugin {
    char *name;           /* as the configuration names it */
    char *path;           /* of the library, absolute; or NULL */
    struct TsrManifest *manifest; /* or NULL */
    char *shadowed;       /* a further file of that name, which is not used; or NULL */
    TsrPluginState state;
    TsrPluginFault fault; /* of a refused one */
    char *reason;         /* why it is not loaded, or NULL */
    const char *looked_at; /* how the reason was found: "scanned", "cached", "in process",
                              "manifest" */
    void (*watch)(const char *step); /* called before each step of loading; may be NULL */
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
/* Makes a plugin that was never opened a refused one. Returns FALSE. */
gboolean tsr_plugin_set_fault(TsrLoadedPlugin *record, TsrPluginFault fault, const char *reason);
/* Turns a loaded plugin into a refused one: shuts it down and closes the library, of which
 * nothing may be in use yet. */
void tsr_plugin_refuse(TsrLoadedPlugin *record, TsrPluginFault fault, const char *reason);
const char *tsr_plugin_state_name(TsrPluginState state);
const char *tsr_plugin_fault_name(TsrPluginFault fault);
/* Calls shutdown; the library itself stays mapped, since memory that it handed out
 * may outlive it, unless TESSERA_UNLOAD is 1 in the environment. */
void tsr_plugin_free(TsrLoadedPlugin *record);

#endif
