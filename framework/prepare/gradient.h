/* SPDX-License-Identifier: Apache-2.0
 *
 * gradient.h: a Gradient node becomes the nodes that compute the derivative, by reverse
 * mode over the graph that its attributes name. Source: ai.onnx.preview.training.
 */
#ifndef TSR_PREPARE_GRADIENT_H
#define TSR_PREPARE_GRADIENT_H

#include "ir/graph.h"

/* Whether the node is a Gradient. */
gboolean tsr_gradient_is(const TsrNode *node);

/* Replaces the uses of its outputs; the node stays for dead-code removal. What it
 * differentiates is inferred already. Errors: NOT_FOUND (xs, zs or y name no value),
 * UNSUPPORTED (an operator without a derivative here, by name). */
gboolean tsr_gradient_expand(TsrNode *node, GError **error) G_GNUC_WARN_UNUSED_RESULT;

#endif
