/* SPDX-License-Identifier: Apache-2.0
 *
 * graph.h: the intermediate representation: a graph of nodes that write values.
 *
 * A node is a graph input ("data"), a constant, or an operator bound to its
 * definition. Each output of a node is a value: a tensor descriptor with one
 * producer and any number of users. A subgraph belongs to a node (If, Loop) and
 * its nodes may read values of the graphs around it directly. Invariants are
 * checked by verify.h. A graph is used by one thread at a time.
 */
#ifndef TSR_IR_GRAPH_H
#define TSR_IR_GRAPH_H

#include <glib.h>
#include <tessera/tessera.h>

#include "ir/attr.h"
#include "ir/desc.h"
#include "ir/op_registry.h"

typedef struct TsrNode TsrNode;
typedef struct TsrValueDims TsrValueDims; /* value_dims.h */

typedef enum TsrNodeKind {
    TSR_NODE_DATA,
    TSR_NODE_CONSTANT,
    TSR_NODE_OPERATOR,
} TsrNodeKind;

struct TsrValue {
    TsrDesc desc;
    char *name;          /* unique in its graph */
    TsrNode *producer;
    guint32 output_index;
    GPtrArray *users;    /* TsrNode, one entry per use; borrowed */
    GBytes *constant;    /* the data of a constant, else NULL */
    TsrTensor tensor;    /* view of a constant */
    TsrValueDims *dims;  /* owned; NULL: nothing is known beyond the desc */
    guint32 id;          /* numbering of tsr_graph_number_values */
    char *format_anchor; /* the node that its origin format came from, for messages; or NULL */
    gboolean format_locked; /* the user fixed its origin format */
};

/* An engine that refused the node, and why. */
typedef struct TsrRefusal {
    const char *engine;  /* interned */
    guint32 code;        /* TSR_REFUSE_ */
    char *reason;
} TsrRefusal;

/* Storage formats that a node could take, and what the whole graph would then cost: the
 * bytes that conversions move, and what the lower score of a column is weighed at. */
typedef struct TsrFormatChoice {
    guint32 *formats;    /* inputs, then outputs */
    float score;
    guint64 cost;
    gboolean chosen;
} TsrFormatChoice;

struct TsrNode {
    TsrNodeKind kind;
    char *name;
    TsrGraph *graph;
    const TsrOpDef *def;        /* NULL unless an operator */
    GPtrArray *inputs;          /* TsrValue, borrowed; NULL entries are omitted */
    GPtrArray *outputs;         /* TsrValue, owned; NULL entries are not wanted */
    GPtrArray *attrs;           /* TsrAttrBox */
    GPtrArray *subgraphs;       /* TsrGraph */
    GPtrArray *control_inputs;  /* TsrNode that must run before; borrowed */
    GPtrArray *origin_names;    /* the user's nodes that this one stands for */
    GPtrArray *fused_values;    /* names of values between those, which are no more */
    const char *engine;         /* interned; NULL until placed */
    const char *placed_by;      /* what decided it, for people; static */
    GArray *refusals;           /* TsrRefusal */
    gint cluster;               /* -1 until clustered */
    guint32 selector;           /* TSR_SELECTOR_ that chose its formats, or 0 */
    const char *selector_name;  /* interned; of the selector that answered, or NULL */
    char *selector_fault;       /* why a selector's answer was dropped, or NULL */
    GArray *choices;            /* TsrFormatChoice, or NULL before formats are chosen */
    gboolean keeps_plain;       /* its values mean different things: no blocked storage */
    guint32 index;              /* position in the last topological order */
    struct TsrViewCache *view;
};

typedef struct TsrGraphOutput {
    char *name;
    TsrValue *value;
    guint32 storage_format; /* that the user wants; ND: plain */
} TsrGraphOutput;

struct TsrGraph {
    gatomicrefcount refs;
    char *name;
    TsrOpRegistry *registry;
    TsrNode *parent;      /* the node that this subgraph belongs to, or NULL */
    char *fault;          /* why a subgraph can never run (it is empty then), or NULL */
    GPtrArray *nodes;     /* TsrNode, owned, in order of creation */
    GPtrArray *inputs;    /* TsrValue of data nodes */
    GArray *outputs;      /* TsrGraphOutput */
    guint32 data_format;  /* that inputs of rank 4 and 5 mean unless something says
                             otherwise; TSR_FORMAT_ND: nothing */
    GPtrArray *format_conflicts; /* TsrFormatConflict of the last inference of formats, on
                                    the outermost graph; NULL before it */
    GArray *input_dims;   /* TsrInputDim (input_dim.h) */
    struct TsrDims *dims; /* of the outermost graph; NULL until one is asked for */
    GHashTable *names;    /* of values and nodes in use */
    guint next_name;
};

/* (transfer full) */
TsrGraph *tsr_graph_new(TsrOpRegistry *registry, const char *name);
TsrGraph *tsr_graph_ref(TsrGraph *graph);

/* Adds a graph input. Errors: ALREADY_EXISTS when the name is taken. */
TsrValue *tsr_graph_add_input(TsrGraph *graph, const char *name, const TsrTensorDesc *desc,
                              GError **error);
/* Adds a constant; bytes is shared. name NULL: one is made up. Errors:
 * ALREADY_EXISTS; INVALID_ARGUMENT when the size is not that of the shape. */
TsrValue *tsr_graph_add_constant(TsrGraph *graph, const char *name, const TsrTensorDesc *desc,
                                 GBytes *bytes, GError **error);
/* Adds an operator node. inputs has NULL where one is omitted; output_names has one
 * name per wanted output, NULL or "" where it is not wanted (a NULL array makes
 * output_count names up). attrs are borrowed; subgraphs are taken over by reference.
 * The node is checked against its definition and gets the defaults.
 * Errors: INVALID_ARGUMENT names node, operator, what was wanted and what was got. */
TsrNode *tsr_graph_add_node(TsrGraph *graph, const TsrOpDef *def, const char *name,
                            TsrValue *const *inputs, gsize input_count,
                            const char *const *output_names, gsize output_count,
                            TsrAttrBox *const *attrs, gsize attr_count,
                            TsrGraph *const *subgraphs, gsize subgraph_count, GError **error);
/* Declares a value (of this graph or one around it) an output of that name. */
void tsr_graph_add_output(TsrGraph *graph, const char *name, TsrValue *value);

/* Makes `before` run before `after`, without data between them. */
void tsr_node_add_control_edge(TsrNode *before, TsrNode *after);
void tsr_node_set_input(TsrNode *node, guint32 index, TsrValue *value);
/* Instance inputs that a definition index has: a variadic one may have any number.
 * FALSE when it is beyond the definition or omitted. */
gboolean tsr_node_input_range(const TsrNode *node, guint32 def_index, guint32 *out_first,
                              guint32 *out_count);
/* The same for outputs. */
gboolean tsr_node_output_range(const TsrNode *node, guint32 def_index, guint32 *out_first,
                               guint32 *out_count);
/* Removes a node whose outputs nobody uses, and its subgraphs. */
void tsr_node_remove(TsrNode *node);
/* Notes that an engine refused the node. */
void tsr_node_add_refusal(TsrNode *node, const char *engine, guint32 code, const char *reason);
void tsr_node_clear_refusals(TsrNode *node);
/* Makes every reader and every graph output of value use the replacement instead. */
void tsr_value_replace_uses(TsrValue *value, TsrValue *replacement);
/* Whether the value is an output of its graph, or of a subgraph below it. */
gboolean tsr_value_is_output(const TsrValue *value);
/* Whether a node of another graph than the value's reads it. */
gboolean tsr_value_is_captured(const TsrValue *value);
/* Sets or clears the constant data; bytes must have the size of the desc. */
void tsr_value_set_constant(TsrValue *value, GBytes *bytes);

/* The node as a plugin sees it; valid until the node or a neighbour changes. */
const TsrNodeView *tsr_node_view(TsrNode *node);
const TsrAttr *tsr_node_attr(const TsrNode *node, const char *name); /* or NULL */
/* "Conv 'conv1'" for messages. (transfer full) */
char *tsr_node_to_text(const TsrNode *node);

/* Operator, data and constant nodes so that each comes after what it reads,
 * otherwise in order of creation. Errors: INVALID_ARGUMENT names a node on a cycle.
 * (transfer container) */
GPtrArray *tsr_graph_sort(TsrGraph *graph, GError **error);
/* Empties a subgraph that contradicts what it captures; running it gives that text as
 * the error. */
void tsr_graph_set_fault(TsrGraph *graph, const char *text);
/* A name not in use, made from a stem. (transfer full) */
char *tsr_graph_unique_name(TsrGraph *graph, const char *stem);
/* Calls fn on the graph and every graph below it. */
void tsr_graph_foreach(TsrGraph *graph, void (*fn)(TsrGraph *graph, gpointer data),
                       gpointer data);

#endif
