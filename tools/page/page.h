/* SPDX-License-Identifier: Apache-2.0
 *
 * page.h: the parts of the page that `tessera report` writes: HTML with drawings in SVG, nothing
 * of it from elsewhere. Each part appends itself to a text.
 */
#ifndef TSR_TOOLS_PAGE_H
#define TSR_TOOLS_PAGE_H

#include "api/session.h"
#include "profile.h"

/* Text with the characters that HTML means something by replaced. */
void tsr_page_text(GString *out, const char *text);
/* A colour for the engine, the same wherever it is named: "hsl(120 60% 70%)". */
const char *tsr_page_colour(const char *engine);

/* Nodes in layers with what they read, by engine; and a table of them with engine, cluster,
 * formats and the user's nodes that each stands for. */
void tsr_page_graph(GString *out, const TsrProgram *program);
/* Activation memory as pieces over tasks and addresses, and the table of all memory. */
void tsr_page_memory(GString *out, const TsrMemoryTable *table);
/* One run: what ran on each core when. profile NULL: why says why there is none. */
void tsr_page_timeline(GString *out, TsrProfile *profile, const TsrProgram *program,
                       const char *why);

#endif
