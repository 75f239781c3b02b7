/* SPDX-License-Identifier: Apache-2.0
 *
 * shape_function.h: shapes of a run by the expressions that the compiler found (value_dims.h)
 * instead of by inference: the extents of the inputs are put into them. A node whose outputs are
 * such expressions has a shape function; one that gives small lists of sizes needs no kernel.
 *
 * An expression says nothing of what inputs an operator refuses, and it may come from a file. So
 * a node is tried first: inference, asked with several sets of extents drawn for the symbols,
 * must say what the expressions say each time. Two dimensions that have to be equal differ in a
 * draw, which inference then refuses: such a node is inferred in each run.
 */
#ifndef TSR_RUNTIME_SHAPE_FUNCTION_H
#define TSR_RUNTIME_SHAPE_FUNCTION_H

#include "ir/array.h"
#include "ir/value_dims.h"

/* What the symbols of a graph are in a run. One thread. */
typedef struct TsrSymbolValues {
    const TsrDims *dims; /* NULL: no symbols */
    gint64 *values;      /* by symbol; -1: not known yet */
    gboolean is_odd;     /* an extent of 0, or one that is not what its expression says: from there
                            on inference is asked */
} TsrSymbolValues;

void tsr_symbol_values_init(TsrSymbolValues *symbols, const TsrGraph *graph);
void tsr_symbol_values_clear(TsrSymbolValues *symbols);
/* Forgets the last run. */
void tsr_symbol_values_begin(TsrSymbolValues *symbols);
/* A value of the graph has this shape: the symbols that its extents are get their values, and
 * its other expressions are held against it, but where they were what gave the shape (is_told).
 * So lists of sizes that follow from an expression follow from one that was right. */
void tsr_symbol_values_bind(TsrSymbolValues *symbols, const TsrValue *value,
                            const TsrTensorDesc *desc, gboolean is_told);

/* Tries the node, whose view has its attributes: whether it has a shape function. */
gboolean tsr_shape_function_holds(const TsrNode *node, const TsrNodeView *view,
                                  const TsrDims *dims);
/* The shapes of the outputs (initialised descs, which keep their formats). FALSE: a symbol is not
 * known, or an extent would be below 1; inference says what is wrong. */
gboolean tsr_shape_function_run(const TsrNode *node, const TsrSymbolValues *symbols,
                                TsrDesc *outputs) G_GNUC_WARN_UNUSED_RESULT;

/* Whether the elements of all outputs are expressions. */
gboolean tsr_shape_function_has_elements(const TsrNode *node);
/* The outputs themselves (new references). FALSE, without an error: the kernel has to run. */
gboolean tsr_shape_function_elements(const TsrNode *node, const TsrSymbolValues *symbols,
                                     TsrArray **outputs) G_GNUC_WARN_UNUSED_RESULT;

#endif
