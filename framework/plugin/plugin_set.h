/* SPDX-License-Identifier: Apache-2.0
 *
 * plugin_set.h: all plugins of a session: found, loaded, and their engines in the
 * effective order of priority, with where each rank came from. The failure of one
 * plugin never hides the others.
 */
#ifndef TSR_PLUGIN_PLUGIN_SET_H
#define TSR_PLUGIN_PLUGIN_SET_H

#include "ir/graph.h"
#include "ir/op_registry.h"
#include "plugin/conf.h"
#include "plugin/custom_op.h"
#include "plugin/loader.h"
#include "plugin/manifest.h"

typedef enum TsrFallback {
    TSR_FALLBACK_STRICT,
    TSR_FALLBACK_WARN,
    TSR_FALLBACK_SILENT,
} TsrFallback;

/* An engine in the effective order. */
typedef struct TsrRankedEngine {
    const TsrLoadedPlugin *plugin;
    const TsrEngine *engine;
    const char *name;    /* interned */
    const char *source;  /* where its rank came from, for people */
} TsrRankedEngine;

typedef struct TsrPluginSet {
    TsrConf *conf;
    TsrOpRegistry *registry;
    TsrCustomOps *custom;    /* operators described by key files */
    GPtrArray *plugins;      /* TsrLoadedPlugin, in order of the configuration */
    GArray *engines;         /* TsrRankedEngine, first is best */
    const TsrLoadedPlugin *device; /* or NULL */
    TsrLoadedPlugin *declared;     /* the device when it is only declared, on which nothing can
                                      run; or NULL */
    TsrFallback fallback;
    GPtrArray *warnings;     /* texts for the user */
    GPtrArray *searched;     /* directories, in order */
    char *scan_program;      /* that looks at plugins; NULL before it is needed */
    gboolean scan_failed;    /* nobody can look */
} TsrPluginSet;

/* Options that go before the configuration; NULL or -1 leave it alone. */
typedef struct TsrPluginOptions {
    const char *conf_path;
    const char *const *engine_priority; /* NULL-terminated */
    int fallback;                       /* a TsrFallback or -1 */
    gboolean safe_mode;                 /* reference engines only */
    gboolean rescan;                    /* look at every plugin again */
    const char *const *engine_modes;    /* "NAME=off", allow, deny or require; NULL-terminated */
    const char *placement;              /* priority or cost */
    const char *device_file;            /* of virtual_device.h */
    const char *const *pins;            /* as tsr_pins_add_options wants them */
} TsrPluginOptions;

/* Loads everything. builtin are the operator tables of the framework. Errors: the
 * configuration cannot be read; an engine that the options name does not exist; no
 * engine at all. (transfer full) */
TsrPluginSet *tsr_plugin_set_new(const TsrPluginOptions *options, const TsrOps *const *builtin,
                                 guint32 builtin_count, GError **error);
void tsr_plugin_set_free(TsrPluginSet *set); /* NULL is a no-op */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrPluginSet, tsr_plugin_set_free)

void tsr_plugin_set_warn(TsrPluginSet *set, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The ranked engine of that name, or NULL. Names are matched without case. */
const TsrRankedEngine *tsr_plugin_set_find_engine(const TsrPluginSet *set, const char *name);
/* Plugins that have a manifest in the searched directories and that the configuration does not
 * name: TsrManifest, by name. (transfer full) */
GPtrArray *tsr_plugin_set_unlisted(const TsrPluginSet *set);
/* The first loaded reference engine, ranked or not (it folds constants), or NULL. */
const TsrLoadedPlugin *tsr_plugin_set_reference(const TsrPluginSet *set);
/* The selectors that serve nodes of that engine, in the order in which they are asked: those
 * of other plugins, then its own. Those that the configuration switches off are not there.
 * (transfer full) */
GPtrArray *tsr_plugin_set_selectors(const TsrPluginSet *set, const char *engine);
/* Bit per input over whose memory the node's engine lets that output be written; of the
 * first 64 inputs. */
guint64 tsr_plugin_set_inplace(const TsrPluginSet *set, TsrNode *node, guint32 output);
/* Whether the device of every ranked engine is there. Errors: NOT_FOUND names engine
 * and device. */
gboolean tsr_plugin_set_check_device(const TsrPluginSet *set, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

#endif
