/* SPDX-License-Identifier: Apache-2.0
 *
 * symbols.h: which values share memory. Values that must have addresses in a fixed
 * relation are one symbol, and a symbol is one piece of memory: a view (Reshape, Squeeze,
 * ...) and what it looks at; a Concat's output and the inputs that are written straight
 * into it; a Split's or Slice's input and the outputs that are read straight from it; an
 * output that is written over an input; a result of a loop's body and the state it becomes.
 */
#ifndef TSR_BUILD_SYMBOLS_H
#define TSR_BUILD_SYMBOLS_H

#include "build/program.h"

typedef struct TsrSymbol TsrSymbol;

/* A value's place in its symbol. */
typedef struct TsrMember {
    TsrValue *value;
    TsrSymbol *symbol;
    guint64 offset;
    guint64 bytes;
    guint32 kind;          /* TsrMemoryKind */
    const TsrValue *with;  /* whose memory it shares; NULL for TSR_MEMORY_OWN */
    char *note;            /* why it does not share, or NULL */
} TsrMember;

struct TsrSymbol {
    guint64 bytes;
    TsrValue *base;        /* what it was before anything joined it: a graph input or
                              constant stays where it is */
    gint output;           /* the graph output in whose memory it lies, or -1 */
    gboolean is_state;     /* of a loop, and written over by the body (state_join.h) */
    GPtrArray *members;    /* TsrMember, in the order of the nodes that make them */
    guint row;             /* for whoever plans: index + 1, or 0 */
    guint64 offset;        /* in the activation memory, once planned */
};

typedef struct TsrSymbols TsrSymbols;

/* order is TsrProgram.nodes; with join, Concat and Split go without
 * tasks where they can. Symbols that graph outputs name are given their memory where a
 * task can write there. (transfer full) */
TsrSymbols *tsr_symbols_new(const TsrGraph *graph, const GPtrArray *order, gboolean join);
void tsr_symbols_free(TsrSymbols *symbols);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrSymbols, tsr_symbols_free)

/* Where a value of the graph is. */
TsrMember *tsr_symbols_member(TsrSymbols *symbols, const TsrValue *value);
/* All symbols, in the order in which they came up; those that were joined are empty. */
const GPtrArray *tsr_symbols_all(const TsrSymbols *symbols);
/* Moves the members of one symbol to another, as `with` does it at `offset` there. */
void tsr_symbols_merge(TsrSymbol *from, TsrSymbol *to, guint64 offset);
/* Whether the node needs no task because its outputs are memory that others write. */
gboolean tsr_symbols_is_view(TsrSymbols *symbols, const TsrNode *node);
/* Whether a task writes the symbol's memory, so that it can lie anywhere. */
gboolean tsr_symbol_is_written(const TsrSymbol *symbol);
/* Whether a node of that operator could be a view at all, formats and all. */
gboolean tsr_node_is_viewable(const TsrNode *node);

#endif
