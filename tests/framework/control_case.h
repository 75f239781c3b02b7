/* SPDX-License-Identifier: Apache-2.0
 *
 * control_case.h: networks with If, Loop and Scan for the tests of control flow: short words to
 * make them, a table of them, and the check of all forms of a plan against node by node.
 */
#ifndef TSR_TEST_CONTROL_CASE_H
#define TSR_TEST_CONTROL_CASE_H

#include <tessera/plugin.h>

#include "api/session.h"
#include "fixture.h"
#include "model_maker.h"
#include "runtime/model.h"

enum { CONTROL_ROWS = 4, CONTROL_COLUMNS = 16 };
extern const gint64 control_shape[2]; /* of all floats but row */

/* Sessions of 1 and 2 cores. */
extern TsrSession *control_sessions[2];
void control_open(void);
void control_close(void);

void control_float(ModelMaker *maker, Onnx__Graph *graph, const char *name);
void control_int(ModelMaker *maker, Onnx__Node *node, const char *name, gint64 value);
void control_ints(ModelMaker *maker, Onnx__Node *node, const char *name, guint count,
                  const gint64 *ints);
/* Constants of one element of the outermost graph. */
void control_count(ModelMaker *maker, const char *name, gint64 value);
void control_truth(ModelMaker *maker, const char *name, gboolean value);
void control_outputs(ModelMaker *maker, Onnx__Graph *graph, const char *names);
/* The branch that runs when the condition is true. */
Onnx__Graph *control_if(ModelMaker *maker, Onnx__Graph *graph, const char *condition,
                        const char *results, Onnx__Graph **out_else);
/* The body of a Loop, with its first two inputs: prefix and "i", prefix and "go". */
Onnx__Graph *control_loop(ModelMaker *maker, Onnx__Graph *graph, const char *inputs,
                          const char *results, const char *prefix);
Onnx__Graph *control_scan(ModelMaker *maker, Onnx__Graph *graph, const char *inputs,
                          const char *results, gint64 scan_inputs, Onnx__Node **out_node);

typedef struct ControlNetwork {
    const char *name;
    void (*build)(ModelMaker *maker);
    gboolean on_device; /* every operator of it has kernels: no call of the host at all */
} ControlNetwork;
extern const ControlNetwork control_networks[];
extern const gsize control_network_count;
/* Loops that stack, with a number of rounds that is known (control_stacks.c). */
extern const ControlNetwork control_stacks[];
extern const gsize control_stack_count;

typedef void (*ControlBuild)(ModelMaker *maker, gpointer user);
/* A ControlBuild; user is a ControlNetwork. */
void control_build_network(ModelMaker *maker, gpointer user);

/* Inputs of all networks: floats x, w, v and row, conditions c0 and c1, counts m0 and m1. */
TsrGraph *control_import(TsrSession *session, ControlBuild build, gpointer user);
TsrModel *control_compile(TsrSession *session, TsrGraph *graph, const TsrCompileOptions *options);
GPtrArray *control_run(TsrModel *model, guint32 conditions, gint64 m0, gint64 m1);
TsrProgram *control_program(TsrModel *model);

/* The forms of a plan: all of them are proved at the build and when they are read back. */
enum { CONTROL_FORMS = 4, CONTROL_APART = 3 };
extern const TsrCompileOptions control_forms[CONTROL_FORMS];
/* In all forms, on all inputs, on both sessions: the same bits as node by node. Returns the
 * largest number of streams that a form had. */
guint control_check(ControlBuild build, gpointer user, const char *name, gboolean on_device);
/* The same for the graph with a further output whose size follows from data, so that it is known
 * in parts only; from a file as well. Returns how many nodes with subgraphs stayed with the
 * host. */
guint control_check_mixed(ControlBuild build, gpointer user, const char *name);

#endif
