/* SPDX-License-Identifier: Apache-2.0
 *
 * storage_declare.h: storage formats that the user declares for inputs and outputs: the
 * caller of the compiled model then hands over and gets back buffers that lie so.
 */
#ifndef TSR_OPTIMIZE_STORAGE_DECLARE_H
#define TSR_OPTIMIZE_STORAGE_DECLARE_H

#include "ir/graph.h"

/* Takes "NAME:NC1HWC0" for inputs and outputs of a graph whose origin formats are inferred;
 * declarations may be NULL. c0_lanes is the device's. Errors: NOT_FOUND (no such input or
 * output), INVALID_ARGUMENT (no such format, or the tensor cannot be stored so, with its
 * shape and origin format). */
gboolean tsr_storage_declare(TsrGraph *graph, const char *const *declarations, guint32 c0_lanes,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

#endif
