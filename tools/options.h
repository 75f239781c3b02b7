/* SPDX-License-Identifier: Apache-2.0
 *
 * options.h: the options that subcommands share (docs/cli.md), and how a subcommand
 * starts and ends.
 */
#ifndef TSR_TOOLS_OPTIONS_H
#define TSR_TOOLS_OPTIONS_H

#include <glib.h>

#include "api/session.h"

/* Exit statuses of the command. */
enum {
    TSR_EXIT_DONE = 0,
    TSR_EXIT_FAILED = 1,
    TSR_EXIT_USAGE = 2,
    TSR_EXIT_DIFFERENT = 3,
    TSR_EXIT_RECOMPILE = 4, /* of validate: it can be used, and should be compiled again */
};

typedef struct TsrToolOptions {
    char *plugins_conf;
    char *engine_priority;  /* a,b,c */
    char *fallback;
    gboolean safe_mode;
    gboolean rescan;
    char **engine_modes;    /* NAME=off */
    char *placement;        /* priority or cost */
    char *device_file;
    char **pins;            /* NODE=ENGINE */
    char **input_shapes;    /* NAME:1,3,224,224 */
    char *precision;
    char *precision_list;
    char *disable_fusion;
    char *enable_fusion;
    gboolean disable_memory_reuse;
    gboolean disable_inplace;
    char *streams;
    gint threads;
    char *mode;             /* sink or host */
    char *dump_graph;
    char *dynamic_dims;
    gboolean disable_plans;
    char **input_formats;
    char **storage_formats;
    char *force_format;
    gboolean json;
} TsrToolOptions;

/* Parses the subcommand's own entries and, with shared TRUE, those above; what is left
 * in argv are its arguments, of which there must be min_args to max_args. Returns FALSE
 * after a usage message (exit status 2). */
gboolean tsr_options_parse(TsrToolOptions *options, int *argc, char ***argv,
                           const GOptionEntry *own, gboolean shared, const char *arguments,
                           const char *summary, int min_args, int max_args);
void tsr_options_clear(TsrToolOptions *options);

/* A session by the options; its warnings go to standard error. NULL after an error line. */
TsrSession *tsr_options_session(const TsrToolOptions *options);
/* The graph of an ONNX model with its input shapes fixed. */
TsrGraph *tsr_options_import(const TsrToolOptions *options, TsrSession *session,
                             const char *path, GError **error);
/* The compile options of the command line, which own nothing of what they point to but
 * lists; clear them. */
typedef struct TsrToolCompile {
    TsrCompileOptions options;
    char **disable;
    char **enable;
} TsrToolCompile;
gboolean tsr_options_fill(const TsrToolOptions *options, TsrToolCompile *out, GError **error);
void tsr_tool_compile_clear(TsrToolCompile *compile);
/* Compiles a graph. */
TsrModel *tsr_options_compile(const TsrToolOptions *options, TsrSession *session,
                              TsrGraph *graph, GError **error);
/* Compiles, or loads when the file is an offline model. */
TsrModel *tsr_options_model(const TsrToolOptions *options, TsrSession *session, const char *path,
                            GError **error);
/* Before the runs of one set of inputs: tsr_model_settle, in the mode that the options say. */
gboolean tsr_options_settle(const TsrToolOptions *options, TsrModel *model,
                            GPtrArray *inputs, GError **error);

/* Prints "error: TEXT" to standard error, frees the error, gives the exit status. */
int tsr_tool_fail(GError *error);
/* Prints a wrong-usage line, gives the exit status. */
int tsr_tool_usage(const char *format, ...) G_GNUC_PRINTF(1, 2);
/* Says what is being done, on a terminal only. */
void tsr_tool_progress(const char *text);

#endif
