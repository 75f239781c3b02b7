/* SPDX-License-Identifier: Apache-2.0
 *
 * host_run.h: one run of one node on a host engine: the TsrRunContext that the
 * engine sees, over arrays. Folding and both executors call it.
 */
#ifndef TSR_PLUGIN_HOST_RUN_H
#define TSR_PLUGIN_HOST_RUN_H

#include "ir/array.h"
#include "plugin/loader.h"

/* What the surroundings lend to a run. */
typedef struct TsrRunServices {
    /* Calls fn over the blocks on all cores; NULL: one after the other. */
    gpointer parallel_user;
    void (*parallel)(gpointer parallel_user, guint32 block_dim,
                     void (*fn)(void *arg, uint32_t block, uint32_t block_dim), void *arg);
    guint32 core_count;
    /* Runs a subgraph of the node; out_outputs gets new references. NULL: the node has
     * none. */
    gpointer user;
    gboolean (*run_subgraph)(gpointer user, guint32 index, TsrArray *const *inputs,
                             guint input_count, TsrArray **out_outputs, guint output_count,
                             GError **error);
} TsrRunServices;

/* Runs the node that view describes. inputs and outputs are its instance arrays; an
 * output array that is NULL is allocated by the kernel when the operator is data
 * dependent (outputs[i] then gets a new reference), else it is not wanted. One that is
 * there for a data-dependent operator has memory for the largest shape; it takes the real
 * one.
 * Errors: what the engine said, with engine and node. */
gboolean tsr_host_run(const TsrLoadedPlugin *plugin, gpointer state, const TsrNodeView *view,
                      TsrArray *const *inputs, TsrArray **outputs, gboolean data_dependent,
                      const TsrRunServices *services, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

#endif
