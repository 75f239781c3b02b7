/* SPDX-License-Identifier: Apache-2.0
 *
 * format_infer.h: origin formats: what the dimensions of each value mean. They start at
 * anchors (operators that fix a format such as convolutions and pools, inputs that the user
 * declared) and spread breadth first, backward and then forward, as far as operators keep
 * their axes.
 */
#ifndef TSR_PREPARE_FORMAT_INFER_H
#define TSR_PREPARE_FORMAT_INFER_H

#include "ir/graph.h"

/* Two anchors that want one value to mean different things. The value keeps what it has
 * from the first; the node at which they meet keeps plain storage, which costs speed and no
 * numbers. */
typedef struct TsrFormatConflict {
    char *value;
    guint32 format;   /* it has */
    char *anchor;     /* the node, or what the user said, that it has it from */
    guint32 wanted;
    char *wanted_by;  /* the anchor of the other format */
    char *node;       /* at which they meet */
} TsrFormatConflict;

/* "'x' means NHWC by 'a', NCHW by 'b'; they meet at 'c'". (transfer full) */
char *tsr_format_conflict_to_text(const TsrFormatConflict *conflict);

/* Sets origin_format and expand_dims of the values of the graph and below it that have none
 * yet; shapes are inferred before. Storage formats become equal to the origin. A second call
 * finds what the first one found, and looks at what was added since. Conflicts are put into
 * graph->format_conflicts. Errors: those of a definition that says what cannot be. */
gboolean tsr_format_infer(TsrGraph *graph, GError **error) G_GNUC_WARN_UNUSED_RESULT;

#endif
