/* SPDX-License-Identifier: Apache-2.0
 *
 * claimed.h: asks the plugin's engine about a case, as placement does, and picks the cases
 * that it takes.
 */
#ifndef TSR_PLUGIN_CHECK_CLAIMED_H
#define TSR_PLUGIN_CHECK_CLAIMED_H

#include "plugin_check/cases.h"

/* A case as a graph that is inferred but not placed. */
typedef struct PcAsked {
    TsrGraph *graph;
    TsrNode *node;      /* the case's operator; NULL where it was computed or went away */
    GPtrArray *inputs;  /* TsrArray */
    gboolean is_dynamic;
} PcAsked;

/* FALSE with an error where the definition refuses the case. Clear it in any case. */
gboolean pc_asked_make(PcAsked *asked, const PcCase *item, TsrSession *session, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
void pc_asked_clear(PcAsked *asked);

/* What the engine answers about the node; FALSE with an error when it fails or its answer
 * breaks the rules of plugin.h. */
gboolean pc_ask(const PcContext *context, const TsrLoadedPlugin *record, const PcAsked *asked,
                TsrSupport *out_support, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The cases that the engine says yes to and that give the same numbers whenever they are run;
 * one of each operator at most, and at most `most`.
 * Where it takes none of them, the list is empty. (transfer container) */
GPtrArray *pc_claimed(const PcContext *context, TsrSession *session,
                      const TsrLoadedPlugin *record, GPtrArray *cases, guint most);

/* What a group that runs nodes begins with: a session, and the plugin's record in it. FALSE:
 * the group has said why not and is done; NULL tables where it cannot work are skips. */
typedef struct PcStart {
    TsrSession *session;
    const TsrLoadedPlugin *record;
    GPtrArray *cases;
} PcStart;
gboolean pc_start(PcContext *context, PcStart *out_start);
void pc_start_clear(PcStart *start);

#endif
