/* SPDX-License-Identifier: Apache-2.0
 *
 * report.h: what a compilation leaves to say, for people and for tools.
 */
#ifndef TSR_TOOLS_REPORT_H
#define TSR_TOOLS_REPORT_H

#include "api/session.h"
#include "json.h"

/* Warns on standard error of what the user would want to know. */
void tsr_report_warn(const TsrCompileReport *report);
/* The same as members of the JSON object that is open. */
void tsr_report_json(JsonBuilder *json, const TsrCompileReport *report);

/* What an offline model says of its device, its engines and their clusters, as members of the
 * object that is open. */
void tsr_report_engines_json(JsonBuilder *json, const TsrOmFile *file);

#endif
