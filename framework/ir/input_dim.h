/* SPDX-License-Identifier: Apache-2.0
 *
 * input_dim.h: what a model or its user says of the dimensions of graph inputs that only a run
 * settles: a name, by which equal ones are known, and bounds. Kept by the outermost graph.
 */
#ifndef TSR_IR_INPUT_DIM_H
#define TSR_IR_INPUT_DIM_H

#include "ir/graph.h"

typedef struct TsrInputDim {
    guint32 input;  /* index of the graph input */
    guint32 axis;
    char *name;     /* ONNX's dim_param; NULL: none */
    gint64 least;
    gint64 most;    /* -1: no bound */
} TsrInputDim;

/* An array for TsrGraph.input_dims. (transfer full) */
GArray *tsr_input_dims_new(void);

/* Says it of that dimension; what was said before is replaced. name NULL or "": none. */
void tsr_graph_set_input_dim(TsrGraph *graph, guint32 input, guint32 axis, const char *name,
                             gint64 least, gint64 most);
/* What is known of it, or NULL. */
const TsrInputDim *tsr_graph_input_dim(const TsrGraph *graph, guint32 input, guint32 axis);

/* Takes the value out of the graph's inputs, and what was said of its dimensions. */
void tsr_graph_drop_input(TsrGraph *graph, TsrValue *value);

/* Whether shapes (per input a rank and extents; NULL: no tensor) keep the bounds and give
 * dimensions of one name one extent. Errors: INVALID_ARGUMENT names input, dimension, wanted
 * and got. */
gboolean tsr_input_dims_check(const TsrGraph *graph, const TsrTensorDesc *const *descs,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

#endif
