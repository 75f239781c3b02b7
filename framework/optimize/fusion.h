/* SPDX-License-Identifier: Apache-2.0
 *
 * fusion.h: runs the fusion passes that engines bring, in their order, each to a
 * fixpoint, on the nodes of that engine.
 */
#ifndef TSR_OPTIMIZE_FUSION_H
#define TSR_OPTIMIZE_FUSION_H

#include "ir/graph.h"
#include "plugin/plugin_set.h"

/* Switches of one compilation; they go before the configuration's. NULL-terminated
 * lists of pass names, or NULL; "all" stands for every pass. */
typedef struct TsrFusionSwitches {
    const char *const *disable;
    const char *const *enable;
} TsrFusionSwitches;

/* Runs the passes of a TSR_STAGE_ in the graph and below it; stats (pass_stats.h) gets what
 * each of them did. Errors: a pass fails, a switch names no pass. */
gboolean tsr_fusion_run(TsrGraph *graph, const TsrPluginSet *set,
                        const TsrFusionSwitches *switches, guint32 stage, GHashTable *stats,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Whether every switch names a pass that there is. Errors: NOT_FOUND lists them. */
gboolean tsr_fusion_check(const TsrPluginSet *set, const TsrFusionSwitches *switches,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Whether the pass of that name is switched on: by the switches, by name before "all", else
 * by the configuration, else by default. */
gboolean tsr_fusion_is_on(const char *name, gboolean default_on, const TsrConf *conf,
                          const TsrFusionSwitches *switches);

#endif
