/* SPDX-License-Identifier: Apache-2.0
 *
 * tessera.h: the application API: a session with its plugins, graphs imported or
 * built by hand, compiled models, runs. GLib conventions: a function that can fail
 * takes GError ** last, returns NULL or FALSE on failure and then sets an error of
 * domain TSR_ERROR with a TSR_ status as code and a text that names the object, what
 * was wanted and what was got. (transfer full) results are the caller's to free.
 *
 * Threads: a session, a graph and a model may each be used by one thread at a time,
 * but for tsr_model_run, which locks. Arrays are refcounted and may be shared as long
 * as nobody writes.
 */
#ifndef TESSERA_TESSERA_H
#define TESSERA_TESSERA_H

#include <glib.h>
#include <tessera/types.h>

G_BEGIN_DECLS

#define TSR_API __attribute__((visibility("default")))

#define TSR_ERROR (tsr_error_quark())
TSR_API GQuark tsr_error_quark(void);
/* The name of a status, such as "INVALID_ARGUMENT". */
TSR_API const char *tsr_status_name(gint32 status);
/* The version of the library, "MAJOR.MINOR.PATCH". */
TSR_API const char *tsr_version(void);

typedef struct TsrSession TsrSession;
typedef struct TsrGraph TsrGraph;
typedef struct TsrValue TsrValue;
typedef struct TsrModel TsrModel;
typedef struct TsrArray TsrArray;

/* ------------------------------------------------------------------- session */

typedef enum TsrFallbackMode {
    TSR_FALLBACK_DEFAULT = -1, /* what the configuration says */
    TSR_FALLBACK_MODE_STRICT = 0,
    TSR_FALLBACK_MODE_WARN = 1,
    TSR_FALLBACK_MODE_SILENT = 2,
} TsrFallbackMode;

/* Zero-initialise, set struct_size, then what differs from the default. */
typedef struct TsrSessionOptions {
    gsize struct_size;
    const char *plugins_conf;           /* NULL: the default configuration */
    const char *const *engine_priority; /* NULL-terminated, first is best; or NULL */
    TsrFallbackMode fallback;           /* zero means strict: use DEFAULT */
    gboolean safe_mode;                 /* reference kernels only */
    guint threads;                      /* cores of the device; 0: all */
    gboolean rescan;                    /* looks at every plugin in a child process again,
                                           whatever is known of it from before */
    const char *const *engine_modes;    /* "NAME=off" (its plugin is not loaded), "NAME=deny"
                                           (gets no node), "NAME=allow" (may be used, though no
                                           list names it) or "NAME=require" (as allow, and an
                                           error without it); NULL-terminated or NULL */
    const char *const *pins;            /* "NODE=ENGINE" or "op:OPERATOR=ENGINE", where NODE and
                                           OPERATOR may be patterns with * and ?;
                                           NULL-terminated or NULL */
    const char *placement;              /* "priority": the first engine that takes a node;
                                           "cost": what is least for the whole graph; NULL: as
                                           the configuration says */
    const char *device_file;            /* compiles for the device that this key file describes,
                                           which need not be there; nothing can run. NULL: for
                                           the device that is */
} TsrSessionOptions;

#define TSR_SESSION_OPTIONS_INIT                                                    \
    { sizeof(TsrSessionOptions), NULL, NULL, TSR_FALLBACK_DEFAULT, FALSE, 0, FALSE,  \
      NULL, NULL, NULL, NULL }

/* Loads the plugins. options may be NULL. (transfer full)
 * Errors: INVALID_ARGUMENT or IO (configuration), NOT_FOUND (an engine or device that
 * is named is not there). A plugin that cannot be loaded is a warning. */
TSR_API TsrSession *tsr_session_new(const TsrSessionOptions *options, GError **error);
TSR_API void tsr_session_free(TsrSession *session);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrSession, tsr_session_free)
/* What the user should know about the plugins that were (not) loaded; NULL-terminated,
 * owned by the session. */
TSR_API const char *const *tsr_session_warnings(TsrSession *session);

/* -------------------------------------------------------------------- graphs */

/* Imports an ONNX model. (transfer full: tsr_graph_unref) */
TSR_API TsrGraph *tsr_session_import(TsrSession *session, const char *path, GError **error);
/* An empty graph to build by hand. (transfer full) */
TSR_API TsrGraph *tsr_session_graph(TsrSession *session, const char *name);
TSR_API void tsr_graph_unref(TsrGraph *graph); /* NULL is a no-op */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrGraph, tsr_graph_unref)

/* Declares an input; a dimension of -1 is known only at run time. The value belongs to
 * the graph. */
TSR_API TsrValue *tsr_build_input(TsrGraph *graph, const char *name, guint32 dtype,
                                  guint32 rank, const gint64 *shape, GError **error);
/* Adds a constant; the array's contents are shared. */
TSR_API TsrValue *tsr_build_constant(TsrGraph *graph, const char *name, TsrArray *array,
                                     GError **error);
/* Adds a node with one output and returns that. op is "Conv" or "domain::Conv"; inputs
 * is NULL-terminated. attrs is a text such as "strides=[2,2] auto_pad=\"SAME_UPPER\"
 * alpha=0.1 xs=[\"a\",\"b\"]" or NULL. */
TSR_API TsrValue *tsr_build_node(TsrGraph *graph, const char *op, const char *name,
                                 TsrValue *const *inputs, const char *attrs, GError **error);
/* The same with any number of outputs, written to out_outputs[output_count]. */
TSR_API gboolean tsr_build_node_full(TsrGraph *graph, const char *op, const char *name,
                                     TsrValue *const *inputs, guint input_count,
                                     const char *attrs, TsrValue **out_outputs,
                                     guint output_count, GError **error);
TSR_API void tsr_build_output(TsrGraph *graph, const char *name, TsrValue *value);
/* Fixes the shape of an input. Errors: NOT_FOUND, INVALID_ARGUMENT (rank, or a
 * dimension that the model fixes otherwise). */
TSR_API gboolean tsr_graph_set_input_shape(TsrGraph *graph, const char *name, guint32 rank,
                                           const gint64 *shape, GError **error);
/* Bounds of an input: each extent is least[i] to most[i], the two equal where it is fixed; most
 * -1: no bound. They hold from compiling on, and every run is checked against them. Errors as
 * above. */
TSR_API gboolean tsr_graph_set_input_range(TsrGraph *graph, const char *name, guint32 rank,
                                           const gint64 *least, const gint64 *most,
                                           GError **error);
/* The graph as text, one node a line. (transfer full) */
TSR_API char *tsr_graph_to_text(TsrGraph *graph);
/* The graph as GraphViz. (transfer full) */
TSR_API char *tsr_graph_to_dot(TsrGraph *graph);

/* -------------------------------------------------------------------- models */

typedef struct TsrCompileOptions {
    gsize struct_size;
    const char *const *disable_fusion; /* pass names or "all"; NULL-terminated or NULL */
    const char *const *enable_fusion;
    gboolean disable_memory_reuse;
    gboolean host_mode;                /* run node by node, never as one task list */
    const char *dump_graph_dir;        /* the graph after each stage, .txt and .dot */
    const char *const *storage_formats; /* "NAME:NC1HWC0": how the caller's buffer of an input
                                           or output lies; NULL-terminated or NULL */
    const char *force_format;          /* for bisecting: a storage format that every node takes
                                          that can, or "plain"; NULL: none */
    const char *const *input_formats;  /* "NAME:NHWC": what an input means, or "*:NHWC" for
                                          those that nothing else tells; NULL-terminated or
                                          NULL */
    const char *precision;             /* "must_keep_origin" (NULL), "allow_fp32_to_fp16",
                                          "allow_bf16", "force_fp16", "force_bf16",
                                          "mix_fp16" or "mix_bf16" */
    const char *precision_list;        /* file with the group [precision]; or NULL */
    gboolean disable_inplace;          /* no output takes over its input's memory */
    guint streams;                     /* at most so many streams; 0: as many as are worth it */
    const char *dynamic_dims;          /* gears: "1;2;4" or "1,224;2,320;*": values for the
                                          dimensions that only a run knows, in the order of
                                          inputs and axes, those of one name once; each set gets
                                          a program of its own; other values are refused, or run
                                          without one when "*" is the last; NULL: none */
    gboolean disable_plans;            /* no programs are made at run time for the shapes that
                                          runs bring, and the model does not keep its source */
} TsrCompileOptions;

/* Compiles; the graph is used up (its nodes change), but not freed. options may be
 * NULL. (transfer full) Errors: as of inference, placement, fusion and building. */
TSR_API TsrModel *tsr_session_compile(TsrSession *session, TsrGraph *graph,
                                      const TsrCompileOptions *options, GError **error);
/* Maps an offline model. (transfer full) Errors: IO, CORRUPT, INCOMPATIBLE, NOT_FOUND
 * (an engine, device or kernel that the model wants). */
TSR_API TsrModel *tsr_session_load(TsrSession *session, const char *path, GError **error);
/* Whether an offline model can run here. */
typedef enum TsrFit {
    TSR_FIT_YES,
    TSR_FIT_RECOMPILE, /* it can, but should be compiled again */
    TSR_FIT_NO,
} TsrFit;
/* Answers that from the tables of the file: weights are not read, nothing is loaded or run, so
 * damage of the weights is not found. *out_reasons, which may be NULL, is NULL-terminated: why
 * it is not TSR_FIT_YES, the worst first. (transfer full): g_strfreev. Errors: IO, CORRUPT. */
TSR_API gboolean tsr_session_fit(TsrSession *session, const char *path, TsrFit *out_fit,
                                 char ***out_reasons, GError **error);
/* Writes the offline model. */
TSR_API gboolean tsr_model_save(TsrModel *model, const char *path, GError **error);
TSR_API void tsr_model_free(TsrModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrModel, tsr_model_free)

TSR_API guint tsr_model_input_count(TsrModel *model);
TSR_API guint tsr_model_output_count(TsrModel *model);
/* Name, dtype and shape of an input or output; unknown dimensions are -1 and *out_rank
 * is G_MAXUINT32 for an unknown rank. Pointers are the model's; any may be NULL. */
TSR_API const char *tsr_model_input(TsrModel *model, guint index, guint32 *out_dtype,
                                    guint32 *out_rank, const gint64 **out_shape);
TSR_API const char *tsr_model_output(TsrModel *model, guint index, guint32 *out_dtype,
                                     guint32 *out_rank, const gint64 **out_shape);

/* "float[batch,3,2*h + 1]": type and shape, with what only a run knows as an expression of the
 * names of the inputs' dimensions; "x[2]" is the name of one that the model leaves without, and of
 * an extent that follows from data. (transfer full) */
TSR_API char *tsr_model_input_text(TsrModel *model, guint index);
TSR_API char *tsr_model_output_text(TsrModel *model, guint index);

/* How the buffer of an input or output lies: its TSR_FORMAT_ storage format, and the shape
 * that the caller's array must have, which is the storage shape. Without a storage format of
 * the user both are the origin's. Pointers may be NULL. */
TSR_API void tsr_model_input_storage(TsrModel *model, guint index, guint32 *out_format,
                                     guint32 *out_rank, const gint64 **out_shape);
TSR_API void tsr_model_output_storage(TsrModel *model, guint index, guint32 *out_format,
                                      guint32 *out_rank, const gint64 **out_shape);

/* Runs the model: inputs[input_count] in its order; outputs[output_count] are NULL (a
 * new array is put there, transfer full) or arrays of the right dtype and shape that
 * are written in place. Errors: INVALID_ARGUMENT names the input, the wanted and the
 * got, or the gears; what an engine reports. Threads: any; runs of several go side by side,
 * each with its own activations. */
TSR_API gboolean tsr_model_run(TsrModel *model, TsrArray *const *inputs, TsrArray **outputs,
                               GError **error);

/* -------------------------------------------------------------------- arrays */

/* A zeroed tensor. (transfer full: tsr_array_unref) Errors: INVALID_ARGUMENT,
 * OUT_OF_MEMORY. */
TSR_API TsrArray *tsr_array_create(guint32 dtype, guint32 rank, const gint64 *shape,
                                   GError **error);
/* A copy of data, size_bytes long. */
TSR_API TsrArray *tsr_array_create_from(guint32 dtype, guint32 rank, const gint64 *shape,
                                        gconstpointer data, gsize size_bytes, GError **error);
TSR_API TsrArray *tsr_array_ref(TsrArray *array);
TSR_API void tsr_array_unref(TsrArray *array); /* NULL is a no-op */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrArray, tsr_array_unref)
TSR_API guint32 tsr_array_dtype(TsrArray *array);
TSR_API guint32 tsr_array_rank(TsrArray *array);
TSR_API const gint64 *tsr_array_shape(TsrArray *array);
TSR_API gpointer tsr_array_data(TsrArray *array);
TSR_API gsize tsr_array_size_bytes(TsrArray *array);

G_END_DECLS
#endif
