/* SPDX-License-Identifier: Apache-2.0
 *
 * gradient.h: a Gradient node becomes the nodes that compute the derivative, by reverse
 * mode over the graph that its attributes name. Source: ai.onnx.preview.training 1.
 */
#ifndef TSR_PREPARE_GRADIENT_H
#define TSR_PREPARE_GRADIENT_H

#include "ir/graph.h"

/* Writes out every Gradient of the graph (not of subgraphs, which cannot name the values
 * around them) and lets the readers of its outputs read the derivatives; the nodes
 * themselves stay for dead-code removal. One that names an output of another comes after
 * that. Errors: NOT_FOUND (xs, zs or y name no value), INVALID_ARGUMENT (it names its own
 * output; a name without an input), UNSUPPORTED (an operator without a derivative here, by
 * name; a derivative that hangs on dimensions of a run). */
gboolean tsr_gradient_expand(TsrGraph *graph, GError **error) G_GNUC_WARN_UNUSED_RESULT;

#endif
