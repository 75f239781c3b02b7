/* SPDX-License-Identifier: Apache-2.0
 *
 * nets.h: small graphs written as text, in which fusion passes find what they look for:
 * "x=f1x8x5x5; c=Conv(x !f8x8x3x3){pads=[1,1,1,1]}; y=Relu(c)". A word that is no value of
 * the net is a tensor as in cases.h. The last line is the output.
 */
#ifndef TSR_PLUGIN_CHECK_NETS_H
#define TSR_PLUGIN_CHECK_NETS_H

#include "plugin_check/cases.h"

typedef struct PcNet {
    const char *about, *text;
} PcNet;

/* Ends with a row of NULL. */
extern const PcNet pc_nets[];

/* NULL with an error where an operator refuses what it gets. (transfer full) */
TsrGraph *pc_net_graph(const char *text, TsrSession *session, GPtrArray *out_inputs,
                       GError **error);

/* Fills a subgraph: "s=f3; n=Add(s x1) -> n n": lines that are no node are its inputs, a
 * word with "~" one of an unknown shape; x0 and so on are values around it; behind the arrow
 * its outputs, without one the last line. own is the type of T. */
gboolean pc_net_body(const char *text, guint32 own, TsrGraph *body, GHashTable *around,
                     GError **error) G_GNUC_WARN_UNUSED_RESULT;

#endif
