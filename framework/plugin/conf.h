/* SPDX-License-Identifier: Apache-2.0
 *
 * conf.h: plugins.conf, a GKeyFile: where plugins are looked for, which are on, the
 * priority of engines, switches of fusion passes and selectors, pins. Unknown
 * groups and keys are errors: a misspelt setting must not be silently ignored.
 */
#ifndef TSR_PLUGIN_CONF_H
#define TSR_PLUGIN_CONF_H

#include <glib.h>

#include "plugin/pins.h"

/* The user's word on one engine. */
typedef enum TsrEngineRule {
    TSR_RULE_NONE,
    TSR_RULE_OFF,     /* its plugin is not loaded */
    TSR_RULE_ALLOW,   /* may be used, though no list names it */
    TSR_RULE_DENY,    /* gets no node */
    TSR_RULE_REQUIRE, /* as allow, and it is an error when it is not there */
} TsrEngineRule;
enum { TSR_RULE_IS_OPTION = 0x100 };

typedef struct TsrConf {
    char *path;               /* absolute; NULL for the built-in defaults */
    GPtrArray *search_path;   /* absolute directories */
    GPtrArray *plugins;       /* names in file order */
    GHashTable *switched_off; /* names of plugins that are listed as off */
    GPtrArray *priority;      /* engine names, first is best; may be empty */
    char *device;             /* the device to open */
    char *fallback;           /* strict, warn or silent; NULL: not set */
    GHashTable *fusion;       /* pass name -> "on"/"off"; "*" is the default */
    GHashTable *selectors;    /* plugin name -> "on"/"off" */
    GPtrArray *pins;          /* TsrPin (pins.h) */
    GHashTable *rules;        /* lower-case engine name -> TsrEngineRule, with
                                 TSR_RULE_IS_OPTION where an option said so */
    GPtrArray *custom_ops;    /* absolute paths of key files */
    gboolean by_cost;         /* placement by cost, not by priority alone */
    guint min_cluster_nodes;  /* that placement by cost aims at; 0: not set */
    gboolean no_scan;         /* plugins are loaded without looking at them in a child */
    guint scan_timeout_s;     /* for one plugin; 0: not set */
    GHashTable *precision;    /* op type or node name -> TSR_PRECISION_ + 1 */
} TsrConf;

/* Reads a file. Errors: IO, INVALID_ARGUMENT naming file, group and key.
 * (transfer full) */
TsrConf *tsr_conf_load(const char *path, GError **error);
/* The file that is used when none is named: $TESSERA_PLUGINS_CONF, else the one
 * beside the library (build tree or installation). NULL when there is none.
 * (transfer full) */
char *tsr_conf_default_path(void);
/* Where an installation or a build tree keeps a file of its own, best first: tree_leaf seen
 * from the build tree's root, leaf from the plugin folder. (transfer full) */
GPtrArray *tsr_conf_homes(const char *tree_leaf, const char *leaf);
/* Directories searched after those of the file: relative to the library.
 * (transfer full) */
GPtrArray *tsr_conf_library_dirs(void);
/* Adds the list under a key (white, black or grey) of [precision] to a table such as
 * TsrConf.precision. Errors: INVALID_ARGUMENT names path and key. */
gboolean tsr_conf_read_precision(GHashTable *table, const char *path, GKeyFile *file,
                                 const char *key, GError **error);
/* Reads the word of key placement, priority or cost; FALSE for another. */
gboolean tsr_conf_read_placement(const char *word, gboolean *out_by_cost);
/* The rule that a word names; FALSE for none. */
gboolean tsr_conf_read_rule(const char *word, TsrEngineRule *out_rule);
void tsr_conf_free(TsrConf *conf);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrConf, tsr_conf_free)

#endif
