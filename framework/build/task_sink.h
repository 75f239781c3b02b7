/* SPDX-License-Identifier: Apache-2.0
 *
 * task_sink.h: collects what a device engine builds for one node: tasks, workspaces,
 * constants. The compiler lays the result out in a program; the host executor binds
 * it at once.
 */
#ifndef TSR_BUILD_TASK_SINK_H
#define TSR_BUILD_TASK_SINK_H

#include <glib.h>

#include "plugin/loader.h"

typedef struct TsrBuiltTask {
    char *kernel;
    guint32 block_dim;
    GArray *args;    /* guint32, TSR_ARG_ references */
    GBytes *params;  /* or NULL */
    guint64 operations;
} TsrBuiltTask;

typedef struct TsrBuiltNode {
    GPtrArray *tasks;      /* TsrBuiltTask */
    GArray *workspaces;    /* guint64 sizes */
    GPtrArray *constants;  /* GBytes */
} TsrBuiltNode;

typedef struct TsrDeviceTraits {
    guint32 core_count;
    guint32 c0_lanes;
    guint32 l2_bytes;
    guint32 alignment;  /* of device memory */
} TsrDeviceTraits;

/* Lets the engine of the plugin build the node. Errors: what the engine said, or a
 * reference that is out of range. (transfer full) */
TsrBuiltNode *tsr_task_sink_build(const TsrLoadedPlugin *plugin, const TsrNodeView *view,
                                  const TsrDeviceTraits *traits, GError **error);
void tsr_built_node_free(TsrBuiltNode *built);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrBuiltNode, tsr_built_node_free)

#endif
