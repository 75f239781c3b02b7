/* SPDX-License-Identifier: Apache-2.0
 *
 * answer.c: see answer.h.
 */
#include "engine/answer.h"

#include "plugin/host.h"

gboolean tsr_answer_settle(TsrSupport *support, gint32 status, const char *engine,
                           const char *slot, guint32 code)
{
    support->reason[sizeof(support->reason) - 1] = '\0';
    if (status != TSR_OK) {
        g_autoptr(GError) error = NULL;
        tsr_host_take_error(status, engine, slot, &error);
        g_strlcpy(support->reason, error->message, sizeof(support->reason));
        support->reason_code = code;
        return FALSE;
    }
    if (support->answer == TSR_SUPPORT_YES || support->answer == TSR_SUPPORT_IF)
        return TRUE;
    if (support->answer != TSR_SUPPORT_NO) {
        g_snprintf(support->reason, sizeof(support->reason),
                   "answered %u to %s, which is none of no (%d), yes (%d) and if (%d)",
                   support->answer, slot, TSR_SUPPORT_NO, TSR_SUPPORT_YES, TSR_SUPPORT_IF);
        support->reason_code = code;
    }
    if (support->reason_code == TSR_REFUSE_NONE || support->reason_code > TSR_REFUSE_USER)
        support->reason_code = code;
    if (support->reason[0] == '\0')
        g_strlcpy(support->reason, "no reason given", sizeof(support->reason));
    return FALSE;
}
