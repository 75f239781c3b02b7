/* SPDX-License-Identifier: Apache-2.0
 *
 * cases.h: what the kit asks an engine about: one operator with inputs of certain types and
 * shapes. Most follow from the operator definitions that the session knows, the plugin's own
 * among them; operators whose inputs must fit each other are rows of a table (cases.c).
 *
 * Inputs are words: a letter for the element type (T: the one that the case is made for; f
 * float, d double, h float16, l int64, i int32, u uint8, s int8, b bool, t text), the shape
 * "2x3" (nothing: a scalar), then "=1,2" values, "<5" a bound of integers, "+" positive numbers,
 * "%" numbers from 0 to 1, "#" texts that are numbers. "T[2x3|4]" is a sequence of two tensors,
 * "T?2x3" an optional with a tensor, "T?-" one with nothing. "!" before it makes it a constant,
 * which one with values always is; "&" makes it a value that only the node's subgraphs read;
 * "-" is an omitted input.
 */
#ifndef TSR_PLUGIN_CHECK_CASES_H
#define TSR_PLUGIN_CHECK_CASES_H

#include "plugin_check/check.h"

typedef struct PcCase {
    char *op;         /* "Conv" or "domain::Conv" */
    char *inputs;
    char *attrs;      /* as tsr_build_node wants them, or NULL */
    const char *tensors; /* attributes that are tensors: "name=T2=1,2 other=f3", or NULL */
    const char *bodies;  /* subgraphs, "attribute: lines of pc_net_body | ...", or NULL */
    gboolean is_random;  /* only types and shapes of the results can be compared */
    guint32 dtype;    /* of T */
    guint outputs;
    guint32 version;  /* of the definition; 0: the newest */
    guint32 seed;     /* of its numbers; 0: the common one */
    char *text;       /* for people: Conv(T1x3x8x8 ...) float, Relu-6(T3x17) float */
} PcCase;

void pc_case_free(PcCase *item);

/* All cases for the operators of a session, in a fixed order. full: every shape with every
 * type. (transfer full) */
GPtrArray *pc_cases_new(TsrSession *session, gboolean full);
/* Operators of the session that no case is of. (transfer full, of names) */
GPtrArray *pc_cases_missing(TsrSession *session, GPtrArray *cases);
/* Why there is none of such an operator; one address a reason. */
const char *pc_missing_reason(const char *op);

/* The graph of one node, and in out_inputs the TsrArray of each of its inputs, filled from a
 * generator that always starts the same. NULL with an error where the definition refuses it.
 * (transfer full) */
TsrGraph *pc_case_graph(const PcCase *item, TsrSession *session, GPtrArray *out_inputs,
                        GError **error);
/* The value that a word describes; own is the type of T. (transfer full) */
TsrArray *pc_word_array(const char *word, guint32 own, guint32 *seed, gboolean *out_constant,
                        GError **error);
/* An input that takes such a value; array NULL: a tensor of an unknown shape. */
TsrValue *pc_word_input(const char *word, guint32 own, const char *name, TsrGraph *graph,
                        const TsrArray *array, GError **error);
/* Compiles a graph and runs it; the outputs are TsrArray. NULL with an error.
 * (transfer full) */
GPtrArray *pc_run(TsrSession *session, TsrGraph *graph, const TsrCompileOptions *options,
                  GPtrArray *inputs, GError **error);
GPtrArray *pc_run_model(TsrModel *model, GPtrArray *inputs, GError **error);
/* Whether results agree, within what their element types and the order of sums allow. FALSE
 * sets the error. */
gboolean pc_same(GPtrArray *got, GPtrArray *wanted, gboolean exactly, GError **error);
/* Whether they have the same element types and shapes. */
gboolean pc_same_form(GPtrArray *got, GPtrArray *wanted, GError **error);

#endif
