/* SPDX-License-Identifier: Apache-2.0
 *
 * fit.h: whether an offline model can run here, told from its tables alone: the engines that
 * built it with their versions and texts, its device, the kernels that its tasks name.
 */
#ifndef TSR_API_FIT_H
#define TSR_API_FIT_H

#include "api/session.h"

/* One reason why a model does not fit as it is. */
typedef struct TsrMisfit {
    TsrFit fit;            /* RECOMPILE or NO */
    gint32 code;           /* TSR_ status that loading it gives */
    char *text;
} TsrMisfit;

/* All reasons, the worst first; none: it fits. (transfer full) Errors: what cannot be read. */
GArray *tsr_fit_check(TsrSession *session, const TsrOmFile *file, GError **error);
/* The worst of them. */
TsrFit tsr_fit_of(const GArray *misfits);
const char *tsr_fit_name(TsrFit fit); /* "fit", "recompile", "unfit" */

#endif
