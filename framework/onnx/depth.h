/* SPDX-License-Identifier: Apache-2.0
 *
 * depth.h: how deep the messages of a model are nested. The decoder and the importer call
 * themselves for each level, so a file that is nested without end would exhaust the stack;
 * import.c asks here first.
 */
#ifndef TSR_ONNX_DEPTH_H
#define TSR_ONNX_DEPTH_H

#include <glib.h>

/* Levels of messages that a model may have; the reference decoder of protobuf stops at
 * 100. A subgraph is three levels. */
#define TSR_ONNX_DEPTH_MAX 300

/* Errors: UNSUPPORTED when it is deeper. Bytes that are no message at all are left to the
 * decoder to refuse. */
gboolean tsr_onnx_check_depth(const guint8 *data, gsize size, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

#endif
