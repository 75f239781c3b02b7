/* SPDX-License-Identifier: Apache-2.0
 *
 * profile.h: begin and end of every task of a model's runs on every core, as a sum per task and
 * as a timeline in Chrome trace format, by cores and by streams.
 */
#ifndef TSR_TOOLS_PROFILE_H
#define TSR_TOOLS_PROFILE_H

#include "api/session.h"
#include "runtime/task_log.h"

typedef struct TsrProfile TsrProfile;

/* Starts recording the runs of a model with a task list. Errors: UNSUPPORTED when it
 * has none, or the device cannot report. (transfer full) */
TsrProfile *tsr_profile_new(TsrModel *model, GError **error);
void tsr_profile_free(TsrProfile *profile); /* ends the recording; NULL is a no-op */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrProfile, tsr_profile_free)

/* Microseconds that a task took in all runs before the first call, from its first block to its
 * last. */
double tsr_profile_task_us(TsrProfile *profile, guint task);
/* What each core did (TsrTaskRecord), by the time it began. (transfer full) */
GArray *tsr_profile_records(TsrProfile *profile);
/* Writes the timeline. */
gboolean tsr_profile_write(TsrProfile *profile, const char *path, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

#endif
