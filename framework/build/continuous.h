/* SPDX-License-Identifier: Apache-2.0
 *
 * continuous.h: where the inputs of a Concat lie in its output, and the outputs of a
 * Split or Slice in its input, when each is one run of bytes there. This is geometry
 * alone: whether anyone makes use of it is decided in symbols.c.
 */
#ifndef TSR_BUILD_CONTINUOUS_H
#define TSR_BUILD_CONTINUOUS_H

#include "ir/graph.h"

/* The byte offset of each input in output 0, in out_offsets (guint64). FALSE when the
 * node joins nothing, or an input is no run that begins at a multiple of 64 bytes. */
gboolean tsr_join_offsets(const TsrNode *node, GArray *out_offsets) G_GNUC_WARN_UNUSED_RESULT;

/* The byte offset of each wanted output in input 0; likewise. */
gboolean tsr_part_offsets(const TsrNode *node, GArray *out_offsets) G_GNUC_WARN_UNUSED_RESULT;

#endif
