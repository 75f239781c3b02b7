/* SPDX-License-Identifier: Apache-2.0
 *
 * input_shape.h: --input-shape: what the user says of an input's shape.
 */
#ifndef TSR_TOOLS_INPUT_SHAPE_H
#define TSR_TOOLS_INPUT_SHAPE_H

#include <tessera/tessera.h>

/* Says it of a graph that is to be compiled. text is NAME:1,3,224,224 with a range A..B or A..
 * for any extent. */
gboolean tsr_input_shape_apply(const char *text, TsrGraph *graph, GError **error);
/* The shape that one of the texts (NULL-terminated or NULL) fixes for an input. FALSE without an
 * error: none does. */
gboolean tsr_input_shape_find(char **texts, const char *name, guint32 *out_rank,
                              gint64 *out_shape, GError **error);

#endif
