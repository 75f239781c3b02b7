/* SPDX-License-Identifier: Apache-2.0
 *
 * answer.h: what an engine answered to check, confirm or validate, made sense of. Nothing that
 * a plugin writes is believed: a status that is a failure, an answer that there is not, a
 * reason without an end or without words all become a "no" with a text.
 */
#ifndef TSR_ENGINE_ANSWER_H
#define TSR_ENGINE_ANSWER_H

#include "plugin/plugin_set.h"

#define TSR_ANSWER_INIT {.struct_size = sizeof(TsrSupport), .answer = TSR_SUPPORT_YES}

/* To be called after slot returned status. TRUE: yes; FALSE: reason and reason_code, which is
 * otherwise that code, say why not. */
gboolean tsr_answer_settle(TsrSupport *support, gint32 status, const char *engine,
                           const char *slot, guint32 code);

#endif
