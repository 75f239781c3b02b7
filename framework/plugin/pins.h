/* SPDX-License-Identifier: Apache-2.0
 *
 * pins.h: the user's word on which engine gets a node: by its name, by a pattern of names, or
 * by its operator. From plugins.conf and from options, which go first.
 */
#ifndef TSR_PLUGIN_PINS_H
#define TSR_PLUGIN_PINS_H

#include <glib.h>

typedef struct TsrPin {
    gboolean is_op;       /* of an operator type ("Relu", "domain::Op"), else of a node */
    char *pattern;        /* with * for any text and ? for any letter */
    char *engine;
    const char *source;   /* where it came from, for people; static */
    gboolean is_option;   /* given for this session: it must match something */
} TsrPin;

/* A list of pins, in their order. (transfer full) */
GPtrArray *tsr_pins_new(void);
void tsr_pins_add(GPtrArray *pins, gboolean is_op, const char *pattern, const char *engine,
                  const char *source);
/* Puts pins of the form "NODE=ENGINE", "node:NODE=ENGINE" or "op:OPERATOR=ENGINE" before the
 * others. texts is NULL-terminated or NULL. Errors: INVALID_ARGUMENT. */
gboolean tsr_pins_add_options(GPtrArray *pins, const char *const *texts, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The pin that holds for a node: the first that is its name, else the first pattern that its
 * name matches, else its operator's name, else a pattern of that; NULL for none. */
const TsrPin *tsr_pins_find(const GPtrArray *pins, const char *node, const char *domain,
                            const char *op);

#endif
