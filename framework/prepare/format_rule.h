/* SPDX-License-Identifier: Apache-2.0
 *
 * format_rule.h: what one node says about origin formats, given those its values have so
 * far: format_infer.c asks, and decides what becomes of it.
 */
#ifndef TSR_PREPARE_FORMAT_RULE_H
#define TSR_PREPARE_FORMAT_RULE_H

#include "ir/graph.h"

/* A node wants that value to mean that. */
typedef struct TsrFormatWish {
    TsrValue *value;
    guint32 format;
    guint32 expand_dims;
    const TsrValue *source; /* the value that it comes from; NULL: the node itself says so */
    gboolean is_parameter;  /* a broadcast operand: nothing is lost when it means otherwise */
} TsrFormatWish;

/* Whether a format has a meaning for every dimension of a desc, under that rule. */
gboolean tsr_format_fits(const TsrTensorDesc *desc, guint32 format, guint32 expand_dims);

/* Appends the node's wishes to a GArray of TsrFormatWish: infer_format_full goes first, else
 * infer_format, else the rule for operators that keep axes. Wishes that are fulfilled already
 * are among them. Errors: what the definition's slot reports, or INVALID_ARGUMENT when it
 * hands out a format that cannot be an origin format. */
gboolean tsr_format_wishes(TsrNode *node, GArray *wishes, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

#endif
