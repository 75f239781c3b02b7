/* SPDX-License-Identifier: Apache-2.0
 *
 * error.c: the error domain and the names of its codes.
 */
#include "base/error.h"

G_DEFINE_QUARK(tsr-error-quark, tsr_error)

const char *tsr_status_name(gint32 status)
{
    static const char *const names[] = {
        [TSR_OK] = "OK",
        [TSR_INVALID_ARGUMENT] = "INVALID_ARGUMENT",
        [TSR_NOT_FOUND] = "NOT_FOUND",
        [TSR_ALREADY_EXISTS] = "ALREADY_EXISTS",
        [TSR_UNSUPPORTED] = "UNSUPPORTED",
        [TSR_OUT_OF_MEMORY] = "OUT_OF_MEMORY",
        [TSR_INCOMPATIBLE] = "INCOMPATIBLE",
        [TSR_IO] = "IO",
        [TSR_CORRUPT] = "CORRUPT",
        [TSR_DEADLINE_EXCEEDED] = "DEADLINE_EXCEEDED",
        [TSR_INTERNAL] = "INTERNAL",
    };
    return status >= 0 && (gsize)status < G_N_ELEMENTS(names) ? names[status] : "UNKNOWN";
}
