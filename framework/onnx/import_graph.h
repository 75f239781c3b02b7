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
    GHashTable *functions;  /* tsr_function_key -> Onnx__Function, borrowed */
} TsrImporter;

/* What the nodes of the model, or of the body of one function call, share. */
typedef struct TsrFrame {
    GHashTable *opsets;            /* domain -> gint64 * */
    const struct TsrScope *caller; /* of a function's body, else NULL */
    GHashTable *attrs;             /* of the call: name -> Onnx__Attribute */
    GHashTable *renames;           /* of the call: local output name -> the caller's */
    const char *call;              /* name of the calling node */
    guint depth;                   /* of calls within calls */
} TsrFrame;

typedef struct TsrScope {
    const struct TsrScope *outer;
    TsrGraph *graph;
    GHashTable *values;     /* name -> TsrValue */
    const TsrFrame *frame;
} TsrScope;

/* Reads operator sets into a table of domain -> gint64 *. (transfer full) */
GHashTable *tsr_import_opsets(Onnx__OperatorSetId *const *ids, gsize count, GError **error);
/* Imports the nodes of a graph or function body into scope->graph. */
gboolean tsr_import_nodes(TsrImporter *importer, Onnx__Node *const *nodes, gsize count,
                          TsrScope *scope, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The key of a function, (transfer full); and the function that a node calls, or NULL. */
char *tsr_function_key(const char *domain, const char *name, const char *overload);
const Onnx__Function *tsr_function_find(const TsrImporter *importer, const Onnx__Node *node);
/* Writes the body of the function in the place of the call. */
gboolean tsr_function_inline(TsrImporter *importer, const Onnx__Function *function,
                             const Onnx__Node *call, TsrScope *scope, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The attribute that a node of a function's body means: itself, what the call gives for
 * the one it refers to (copy then holds it under the node's name), or NULL: omitted. */
const Onnx__Attribute *tsr_function_attr(const TsrScope *scope, const Onnx__Attribute *attr,
                                         Onnx__Attribute *copy);
/* Where names in a resolved attribute are looked up. */
const TsrScope *tsr_function_attr_scope(const TsrScope *scope, const Onnx__Attribute *attr);

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
GBytes *tsr_import_constant(TsrImporter *importer, const Onnx__Node *node,
                            const TsrScope *scope, TsrDesc *out_desc, GError **error);

#endif
