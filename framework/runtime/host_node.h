/* SPDX-License-Identifier: Apache-2.0
 *
 * host_node.h: one node as the host executor runs it: its engine's state, its view
 * for the shapes at hand, and the tasks a device engine built for them.
 */
#ifndef TSR_RUNTIME_HOST_NODE_H
#define TSR_RUNTIME_HOST_NODE_H

#include "ir/array.h"
#include "ir/node_view.h"
#include "runtime/device.h"
#include "runtime/host_variant.h"
#include "runtime/shape_function.h"

typedef struct TsrHostNode {
    TsrNode *node;
    const TsrLoadedPlugin *plugin;
    TsrOpenDevice *device;
    gpointer state;         /* of a host engine */
    TsrViewCache view;      /* descs of the last run */
    TsrDesc *output_descs;  /* bounds of what depends on data */
    GPtrArray *subgraph_outputs; /* descs lent to inference */
    gboolean is_static;     /* the compiler knew every shape */
    gboolean gives_elements; /* its outputs are lists of sizes that expressions tell */
    const TsrSymbolValues *symbols; /* of the run, or NULL; the executor's */
    enum { TSR_SHAPES_UNTRIED, TSR_SHAPES_INFERRED, TSR_SHAPES_TOLD } shapes;
    gboolean is_view;
    GPtrArray *variants;    /* TsrHostVariant, the last used first; that of this run leads */
} TsrHostNode;

/* symbols NULL: shapes are inferred in each run. (transfer full). Errors: the engine is not in
 * use, its prepare fails. */
TsrHostNode *tsr_host_node_new(TsrNode *node, const TsrPluginSet *set, TsrOpenDevice *device,
                               const TsrSymbolValues *symbols, GError **error);
void tsr_host_node_free(TsrHostNode *prepared);

/* Computes the outputs (new references) from the inputs. */
gboolean tsr_host_node_run(TsrHostNode *prepared, TsrArray *const *inputs, TsrArray **outputs,
                           const TsrRunServices *services, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Whether the shapes of the last run's outputs came from expressions, without inference. */
gboolean tsr_host_node_is_told(const TsrHostNode *prepared);

#endif
