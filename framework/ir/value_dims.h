/* SPDX-License-Identifier: Apache-2.0
 *
 * value_dims.h: what is known of a value beyond its descriptor: extents as expressions of what
 * only a run knows (dims.h), and the elements of a small integer tensor that follow from shapes.
 * Descriptors keep TSR_DIM_UNKNOWN there, which is all that a plugin sees.
 */
#ifndef TSR_IR_VALUE_DIMS_H
#define TSR_IR_VALUE_DIMS_H

#include "ir/dims.h"
#include "ir/graph.h"

struct TsrValueDims {
    guint32 rank;                         /* that extents are of */
    gint32 element_count;                 /* -1: elements are not known */
    gint64 extents[TSR_MAX_RANK];         /* TSR_DIM_UNKNOWN where nothing is known */
    gint64 elements[TSR_INFER_ELEMENTS];  /* numbers or expressions */
};

/* The table of the outermost graph, which all graphs below it share. */
TsrDims *tsr_graph_dims(TsrGraph *graph);

/* The extent along an axis: a number where the descriptor has one. */
gint64 tsr_value_extent(const TsrValue *value, guint32 axis);
/* The elements of a tensor of int32, int64 or bool and rank 0 or 1. Returns their count; -1: it is
 * another one, or has more than room. */
gint64 tsr_tensor_elements(const TsrTensor *tensor, gint64 *out, guint32 room);
/* The elements (numbers or expressions) into out[room], of constants too. Returns their count,
 * -1: not known or more than room. */
gint64 tsr_value_elements(const TsrValue *value, gint64 *out, guint32 room);

/* Sets extents and elements; NULL takes away what was known. */
void tsr_value_set_dims(TsrValue *value, const TsrValueDims *dims);
/* Gives each unknown extent the symbol of that name, or "value[axis]". Of a value of an outermost
 * graph only: names are unique there. */
void tsr_value_name_extent(TsrValue *value, guint32 axis, const char *name);
/* Gives symbols to what is open in the inputs of an outermost graph: by the names of
 * input_dim.h where there are some. */
void tsr_graph_name_inputs(TsrGraph *graph);
/* What is known of a value goes over to one that stands for it, as far as that knows less. */
void tsr_value_inherit_dims(TsrValue *value, const TsrValue *from);

/* "float[batch,3,2*h + 1]", otherwise as tsr_desc_to_text. (transfer full) */
char *tsr_value_to_text(const TsrValue *value);

#endif
