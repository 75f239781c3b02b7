/* SPDX-License-Identifier: Apache-2.0
 *
 * format_problem.h: the choice of storage formats as a problem to be solved: nodes that
 * each take one column of their selector, values that cost a conversion wherever producer
 * and reader differ. The cost of an assignment is in bytes: each conversion reads and
 * writes its value once, however many nodes read the result. Conversions of constants are
 * free, since they are made at compile time, and so are those that move nothing (the same
 * bytes in both formats). A column that scores less than the best of its node
 * weighs the difference times the bytes of the node's tensors.
 */
#ifndef TSR_OPTIMIZE_FORMAT_PROBLEM_H
#define TSR_OPTIMIZE_FORMAT_PROBLEM_H

#include "ir/graph.h"
#include "plugin/plugin_set.h"

typedef struct TsrFormatColumn {
    guint32 *formats; /* inputs, then outputs; plain ones are the values' origin formats */
    float score;
    double penalty;   /* bytes that its score weighs */
} TsrFormatColumn;

typedef struct TsrFormatNode {
    TsrNode *node;
    GArray *columns;  /* TsrFormatColumn, at least one */
    GArray *values;   /* guint: the values it touches, each once */
    guint chosen;
    guint32 selector;  /* TSR_SELECTOR_ or 0 */
    const char *asked; /* name of the selector that answered, or NULL */
} TsrFormatNode;

typedef struct TsrFormatUse {
    gint node;      /* that reads, or -1: someone who wants `format` whatever we choose */
    guint port;
    guint32 format;
} TsrFormatUse;

typedef struct TsrFormatValue {
    TsrValue *value;
    gint producer;  /* node, or -1: fixed is what it has */
    guint port;
    guint32 fixed;
    GArray *uses;   /* TsrFormatUse */
    GArray *sizes;  /* bytes by format, as far as asked */
} TsrFormatValue;

typedef struct TsrFormatProblem {
    GArray *nodes;    /* TsrFormatNode in topological order */
    GArray *values;   /* TsrFormatValue, but for constants */
    GArray *formats;  /* guint32: ND for plain, then every internal format in question */
    guint32 c0_lanes;
} TsrFormatProblem;

/* The problem of a placed root graph. force TSR_FORMAT_ND asks for nothing; another one
 * makes every node take that format that can; TSR_FORMAT_ANY forces plain storage.
 * (transfer full) */
TsrFormatProblem *tsr_format_problem_new(TsrGraph *graph, const TsrPluginSet *set,
                                         guint32 c0_lanes, guint32 force, GError **error);
void tsr_format_problem_free(TsrFormatProblem *problem);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrFormatProblem, tsr_format_problem_free)

static inline TsrFormatNode *tsr_format_node(const TsrFormatProblem *problem, guint i)
{
    return &g_array_index(problem->nodes, TsrFormatNode, i);
}

static inline TsrFormatValue *tsr_format_value(const TsrFormatProblem *problem, guint i)
{
    return &g_array_index(problem->values, TsrFormatValue, i);
}

static inline const TsrFormatColumn *tsr_format_column(const TsrFormatNode *node, guint i)
{
    return &g_array_index(node->columns, TsrFormatColumn, i);
}

/* Bytes that converting the value moves; 0 when the formats are one. */
double tsr_format_conversion(const TsrFormatProblem *problem, guint value, guint32 from,
                             guint32 to);
/* The format in which a value is produced, and wanted by one of its readers. */
guint32 tsr_format_produced(const TsrFormatProblem *problem, const TsrFormatValue *value);
guint32 tsr_format_wanted(const TsrFormatProblem *problem, const TsrFormatUse *use);
/* Cost of the values around one node and of its own column, and of everything. */
double tsr_format_node_cost(const TsrFormatProblem *problem, guint node);
double tsr_format_cost(const TsrFormatProblem *problem);

#endif
