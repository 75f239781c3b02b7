/* SPDX-License-Identifier: Apache-2.0
 *
 * rank.h: the effective order of engines: the user's list, else the plugins' own numbers,
 * within what the user allows, denies and requires. Used by plugin_set.c.
 */
#ifndef TSR_PLUGIN_RANK_H
#define TSR_PLUGIN_RANK_H

#include "plugin/plugin_set.h"

/* Joins the words of options ("NAME=off") to those of the configuration, before anything is
 * loaded. Errors: INVALID_ARGUMENT. */
gboolean tsr_rank_read_modes(TsrConf *conf, const char *const *texts, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The user's word on an engine, by name without case. */
TsrEngineRule tsr_rank_rule(const TsrConf *conf, const char *engine);

/* Fills set->engines. Errors: NOT_FOUND names an engine that the options or a rule want and
 * that is not there, or says that none is. */
gboolean tsr_rank_engines(TsrPluginSet *set, const TsrPluginOptions *options, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Why the engine of a loaded plugin is not in the order, or NULL. (transfer full) */
char *tsr_rank_unused_reason(const TsrPluginSet *set, const TsrLoadedPlugin *record);

#endif
