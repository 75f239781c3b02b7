/* SPDX-License-Identifier: Apache-2.0
 *
 * fold.h: computes at compile time what does not depend on the inputs of a run, with
 * the kernels of the reference engine.
 */
#ifndef TSR_PREPARE_FOLD_H
#define TSR_PREPARE_FOLD_H

#include "ir/graph.h"
#include "plugin/loader.h"

/* Tries to compute an inferred node. On success its outputs' users read constants and
 * *out_folded is TRUE; the node itself stays for dead-code removal. A node that the
 * reference engine does not support is left as it is. Errors: the computation fails,
 * as it would in every run. */
gboolean tsr_fold_node(TsrNode *node, const TsrLoadedPlugin *reference, gboolean *out_folded,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Makes a constant of a list of sizes that inference knows (value_dims.h), though what it comes
 * from does not: Gather of one dimension from the Shape of a picture of unknown size. */
gboolean tsr_fold_elements(TsrNode *node, GError **error) G_GNUC_WARN_UNUSED_RESULT;

#endif
