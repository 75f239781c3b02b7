/* SPDX-License-Identifier: Apache-2.0
 *
 * fixture.h: what the tests of the framework share: a registry with the built-in
 * operators, short words to build graphs, engines made by hand, and checks of errors that
 * name domain, code and text.
 */
#ifndef TSR_TEST_FIXTURE_H
#define TSR_TEST_FIXTURE_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ir/array.h"
#include "ir/graph.h"
#include "plugin/plugin_set.h"

#define SHAPE(...)                                                                  \
    (guint32)(sizeof((gint64[]){__VA_ARGS__}) / sizeof(gint64)), (const gint64[]){__VA_ARGS__}
#define VALUES(...) (TsrValue *const[]){__VA_ARGS__, NULL}

/* The error is ours, has that code and its text holds part; it is cleared. */
void fixture_error(GError **error, gint32 code, const char *part, const char *where);
#define ck_error(error, code, part) fixture_error(&(error), code, part, G_STRLOC)
#define ck_no_error(error)                                                          \
    ck_assert_msg((error) == NULL, "%s", (error) != NULL ? (error)->message : "")

/* A session of the configuration at hand on a device of that many cores. (transfer full) */
TsrSession *fixture_session(guint threads);
/* Built-in operators. (transfer full) */
TsrOpRegistry *fixture_registry(void);
TsrGraph *fixture_graph(void);
TsrValue *fixture_input(TsrGraph *graph, const char *name, guint32 rank, const gint64 *shape);
/* A float constant 0, 1, 2, ... */
TsrValue *fixture_constant(TsrGraph *graph, const char *name, guint32 rank,
                           const gint64 *shape);
TsrValue *fixture_integers(TsrGraph *graph, const char *name, gint64 count,
                           const gint64 *values);
/* A node with one output. */
TsrValue *fixture_node(TsrGraph *graph, const char *op, const char *name,
                       TsrValue *const *inputs, const char *attrs);
TsrNode *fixture_find(TsrGraph *graph, const char *name);

/* A float array; data NULL: 0.25, 0.5, ... with changing sign. */
TsrArray *fixture_array(const float *data, guint32 rank, const gint64 *shape);

/* An engine made by hand: it takes the operators of a list, in at most a number of nodes
 * per cluster. */
typedef struct FakeEngine {
    TsrEngine engine;
    TsrFusion fusion;
    const char *ops;       /* " Add Mul "; NULL takes everything */
    const char *costs;     /* " Add=5 "; others, or NULL: 1 */
    guint32 cluster_limit; /* 0: none */
    guint32 checks;        /* calls so far */
    guint32 confirms;
} FakeEngine;

void fake_engine_init(FakeEngine *fake, const char *name, const char *ops);
/* A set with these engines, first is best. conf is the text of a plugins.conf or NULL. */
TsrPluginSet *fixture_set(FakeEngine *const *engines, guint count, const char *conf);

/* A new directory, removed when the test program ends. (transfer full) */
char *fixture_directory(void);
/* Writes a file in a directory and gives its path. (transfer full) */
char *fixture_file(const char *directory, const char *name, const void *data, gssize size);

int fixture_main(const char *name, const TTest *const *tests, gsize count);
#define FIXTURE_MAIN(name, ...)                                                     \
    int main(void)                                                                  \
    {                                                                               \
        const TTest *const tests[] = {__VA_ARGS__};                                 \
        return fixture_main(name, tests, G_N_ELEMENTS(tests));                      \
    }

#endif
