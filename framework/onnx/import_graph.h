/* SPDX-License-Identifier: Apache-2.0
 *
 * import_graph.h: what import.c and import_graph.c share: the scope in which
 * names are looked up while a graph and its subgraphs are built.
 */
#ifndef TSR_ONNX_IMPORT_GRAPH_H
#define TSR_ONNX_IMPORT_GRAPH_H

#include "ir/graph.h"
#include "onnx/onnx.pb-c.h"

typedef struct TsrImporter {
    TsrOpRegistry *registry;
    const char *directory;  /* of the model, or NULL */
    GHashTable *opsets;     /* domain -> gint64 * */
} TsrImporter;

typedef struct TsrScope {
    const struct TsrScope *outer;
    TsrGraph *graph;
    GHashTable *values;     /* name -> TsrValue */
} TsrScope;

/* Fills scope->graph from the message. */
gboolean tsr_import_graph(TsrImporter *importer, const Onnx__Graph *proto, TsrScope *scope,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The tensor type inside a type, and what kind of value wraps it; NULL when it is of a
 * kind that no operator of ONNX has. */
const Onnx__Type__TensorType *tsr_import_unwrap_type(const Onnx__Type *type, guint32 *out_kind,
                                                     guint32 *out_key_dtype);
/* The value of that name in the scope or one around it, or NULL. */
TsrValue *tsr_scope_find(const TsrScope *scope, const char *name);

/* Turns an attribute message into one of ours; a graph is imported and appended to
 * subgraphs. Errors name node and attribute. (transfer full) */
TsrAttrBox *tsr_import_attr(TsrImporter *importer, const Onnx__Node *node,
                            const Onnx__Attribute *proto, const TsrScope *scope,
                            GPtrArray *subgraphs, GError **error);
/* The value of a Constant node. (transfer full) */
GBytes *tsr_import_constant(TsrImporter *importer, const Onnx__Node *node, TsrDesc *out_desc,
                            GError **error);

#endif
