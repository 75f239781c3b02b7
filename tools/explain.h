/* SPDX-License-Identifier: Apache-2.0
 *
 * explain.h: what `tessera explain` knows of a compiled graph beyond the graph itself, for
 * its three ways of printing: text (explain.c), JSON (explain_json.c), GraphViz
 * (explain_dot.c).
 */
#ifndef TSR_TOOLS_EXPLAIN_H
#define TSR_TOOLS_EXPLAIN_H

#include "api/session.h"
#include "engine/verdict.h"

/* A node that changes how a value is stored and is none of the model's. */
typedef struct TsrConversion {
    const TsrNode *node;
    const TsrValue *from, *to;
    guint64 bytes;         /* of the result; 0 where a run only knows */
} TsrConversion;

/* A value that passes from one engine to another. */
typedef struct TsrBorder {
    const TsrValue *value;
    const char *from, *to; /* engines */
    guint64 bytes;
} TsrBorder;

/* An engine that no node can have. */
typedef struct TsrAbsentEngine {
    const char *name;      /* of the plugin where the engine's is not known */
    const char *plugin;
    const char *state;
    char *reason;
} TsrAbsentEngine;

typedef struct TsrExplained {
    TsrGraph *graph;
    const TsrPluginSet *set;
    const TsrCompileReport *report;
    GArray *conversions;   /* TsrConversion */
    GArray *borders;       /* TsrBorder */
    GArray *absent;        /* TsrAbsentEngine */
    GPtrArray *gone;       /* names of the model's nodes that placement did not see; borrowed */
    GHashTable *became;    /* name of a placed node -> GPtrArray of the names it ended in */
} TsrExplained;

void tsr_explained_init(TsrExplained *explained, TsrGraph *graph, const TsrPluginSet *set,
                        const TsrCompileReport *report);
void tsr_explained_clear(TsrExplained *explained);

const char *tsr_selector_kind_name(guint32 selector);
/* "float NCHW -> NC1HWC0". (transfer full) */
char *tsr_conversion_to_text(const TsrConversion *conversion);

void tsr_explain_print_text(const TsrExplained *explained);
void tsr_explain_print_json(const TsrExplained *explained);
void tsr_explain_print_dot(const TsrExplained *explained);

#endif
