/* SPDX-License-Identifier: Apache-2.0
 *
 * graph_edit.h: the TsrGraphEdit that fusion passes of plugins work on. A fusion is
 * checked, made and placed before anything is removed, so a refused one leaves the
 * graph as it was.
 */
#ifndef TSR_OPTIMIZE_GRAPH_EDIT_H
#define TSR_OPTIMIZE_GRAPH_EDIT_H

#include "ir/graph.h"
#include "plugin/plugin_set.h"

typedef struct TsrEditor TsrEditor;

TsrEditor *tsr_editor_new(TsrGraph *graph, const TsrPluginSet *set); /* (transfer full) */
void tsr_editor_free(TsrEditor *editor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrEditor, tsr_editor_free)

const TsrGraphEdit *tsr_editor_interface(TsrEditor *editor);
/* The engine that new nodes are placed on first. */
void tsr_editor_set_engine(TsrEditor *editor, const char *engine);
/* Whether the graph is placed already (the default); before that, new nodes must find an
 * engine too, but are left for placement. */
void tsr_editor_set_placed(TsrEditor *editor, gboolean placed);
/* Id of a node, or G_MAXUINT32 when it is gone. */
guint32 tsr_editor_node_id(TsrEditor *editor, const TsrNode *node);

#endif
