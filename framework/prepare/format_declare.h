/* SPDX-License-Identifier: Apache-2.0
 *
 * format_declare.h: origin formats that the user declares for inputs, before inference.
 */
#ifndef TSR_PREPARE_FORMAT_DECLARE_H
#define TSR_PREPARE_FORMAT_DECLARE_H

#include "ir/graph.h"

/* Takes "NAME:NHWC" (that input means NHWC, whatever reads it) or "*:NHWC" (inputs of rank 4
 * and 5 that nothing else gives a meaning do); declarations may be NULL. Errors: NOT_FOUND
 * (no such input), INVALID_ARGUMENT (no such format, an internal one, or one of another
 * rank). */
gboolean tsr_format_declare(TsrGraph *graph, const char *const *declarations, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

#endif
