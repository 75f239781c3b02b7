/* SPDX-License-Identifier: Apache-2.0
 *
 * check.h: what a group of the conformance kit works with. A group runs in a child process
 * and announces each check before it begins, so that a plugin that crashes or hangs has failed
 * that check and no other: the next child goes on behind it. A group therefore begins the same
 * checks in the same order whenever it is run.
 */
#ifndef TSR_PLUGIN_CHECK_CHECK_H
#define TSR_PLUGIN_CHECK_CHECK_H

#include "api/session.h"

/* What is known of the plugin before a group begins. */
typedef struct PcPlugin {
    const char *path;      /* of the library, absolute */
    const char *name;      /* of the file, which is the plugin's */
    const char *folder;    /* for the kit's files */
    char *conf;            /* configuration with the plugin, the reference engine and device */
    char *reference_conf;  /* with the reference engine alone */
    char *engine;          /* or NULL */
    guint32 engine_flags;
    char *device;          /* that it brings, or NULL */
    gboolean is_known;     /* FALSE: it cannot be loaded, so only group load makes sense */
    gboolean has_selector, has_fusion;
    gboolean needs_other_device; /* its engine launches on a device that is not here */
} PcPlugin;

typedef struct PcSettings {
    gboolean full;     /* every shape with every type, not only the first */
    gint cycles;       /* of loading and unloading */
    gint timeout_s;    /* of one check */
    gint threads;
} PcSettings;

typedef struct PcContext {
    const PcPlugin *plugin;
    const PcSettings *settings;
    guint next;        /* number of the next check */
    guint resume;      /* checks below it were done by an earlier child */
    int fd;            /* where verdicts go */
} PcContext;

typedef struct PcGroup {
    const char *name;
    const char *about;
    void (*run)(PcContext *context);
    gboolean is_long;  /* begun before the others, where several run side by side */
} PcGroup;

extern const PcGroup pc_group_load, pc_group_lifecycle, pc_group_leaks, pc_group_purity,
    pc_group_claims, pc_group_formats, pc_group_fusion, pc_group_offline, pc_group_errors,
    pc_group_threads;

/* Begins a check. FALSE: an earlier child has done it. Each begun check ends with one of the
 * three that follow. */
gboolean pc_begin(PcContext *context, const char *format, ...) G_GNUC_PRINTF(2, 3);
void pc_pass(PcContext *context);
void pc_fail(PcContext *context, const char *format, ...) G_GNUC_PRINTF(2, 3);
void pc_skip(PcContext *context, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Ends a check that turned out to be none: it is not counted. */
void pc_drop(PcContext *context);
/* Passes without an error, else fails with its text; frees it. */
void pc_end(PcContext *context, GError *error);
/* A check that is skipped as a whole. */
void pc_skip_check(PcContext *context, const char *name, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* A session in which the plugin's engine is asked first and the reference engine takes what
 * it refuses. */
TsrSession *pc_session(const PcContext *context, GError **error);
/* One with the reference engine alone. */
TsrSession *pc_reference(const PcContext *context, GError **error);
/* The plugin's tables in a session of pc_session; NULL with an error when it was refused. */
const TsrLoadedPlugin *pc_loaded(const PcContext *context, TsrSession *session, GError **error);

/* What a slot left as its error, after a status that is none of those wanted; a status
 * without a text is an error of its own. Returns FALSE. */
gboolean pc_slot_error(const PcContext *context, gint32 status, const char *slot, GError **error);

#endif
