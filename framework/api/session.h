/* SPDX-License-Identifier: Apache-2.0
 *
 * session.h: what stands behind the handles of tessera.h; the command and the tests
 * look in here too.
 */
#ifndef TSR_API_SESSION_H
#define TSR_API_SESSION_H

#include <tessera/tessera.h>

#include "api/plans.h"
#include "optimize/format_select.h"
#include "optimize/precision.h"
#include "plugin/plugin_set.h"
#include "prepare/format_infer.h"
#include "runtime/device.h"
#include "runtime/model.h"
#include "runtime/om_read.h"

struct TsrSession {
    gatomicrefcount refs;
    TsrPluginSet *set;
    TsrOpenDevice *device;   /* opened when first needed; may stay NULL */
    gboolean device_tried;
    guint threads;
    gboolean priority_is_explicit;
    GMutex plan_lock;        /* of compiling for the shapes of a run */
};

/* What a compilation did. */
typedef struct TsrCompileReport {
    GHashTable *fusions;     /* of pass_stats.h */
    TsrFormatReport formats;
    guint clusters;
    guint nodes;             /* operator nodes, subgraphs included */
    GHashTable *engines;     /* interned engine name -> node count */
    double compile_ms;
    TsrPrecisionReport precision;
    GPtrArray *format_conflicts; /* TsrFormatConflict; NULL before formats are inferred */
    char *fallback_text;     /* for the user, or NULL */
    /* What explain wants to know; filled when placed is not NULL before. */
    GPtrArray *imported;     /* names of the model's operator nodes; or NULL */
    GPtrArray *placed;       /* TsrPlacedNode */
} TsrCompileReport;

struct TsrModel {
    TsrSession *session;
    GBytes *om;
    TsrBoundModel *bound;    /* for all shapes */
    TsrPlans *plans;         /* for fixed ones; NULL where all are */
    TsrCompileReport *report; /* NULL for a model that was loaded */
};

TsrSession *tsr_session_ref(TsrSession *session);

/* The device of the session, opened now if it was not. NULL without an error when the
 * session needs none. */
TsrOpenDevice *tsr_session_device(TsrSession *session, GError **error);

TsrCompileReport *tsr_compile_report_new(void);
/* Has the compilation that gets the report ask every engine about every node. */
void tsr_compile_report_ask_all(TsrCompileReport *report);
void tsr_compile_report_free(TsrCompileReport *report); /* NULL is a no-op */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrCompileReport, tsr_compile_report_free)

/* The options as this version knows them: a caller built against an older one has fewer. */
TsrCompileOptions tsr_compile_options_known(const TsrCompileOptions *options);

/* Prepares, places, fuses and chooses formats, without building tasks. */
gboolean tsr_compile_graph(TsrSession *session, TsrGraph *graph,
                           const TsrCompileOptions *options, TsrCompileReport *report,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The same, then the tasks of every node, its memory and streams. Constants go into weights,
 * or into new ones when that is NULL. (transfer full) */
TsrProgram *tsr_build_program(TsrSession *session, TsrGraph *graph,
                              const TsrCompileOptions *options, TsrWeights *weights,
                              TsrCompileReport *report, GError **error);

/* For commands that look into one run: the model is from now on what a run of these inputs
 * would use, a gear, a plan made for them or the program for all shapes. */
gboolean tsr_model_settle(TsrModel *model, TsrArray *const *inputs, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* The engines that built the model against those that are here. FALSE sets the reason. */
gboolean tsr_session_check_engines(TsrSession *session, const TsrOmFile *file, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Whether the offline model can run here, checked without loading it. FALSE sets the
 * reason. */
gboolean tsr_session_validate(TsrSession *session, const char *path, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Both meanings of an input or output: origin and storage. (transfer none) */
const TsrTensorDesc *tsr_model_input_desc(TsrModel *model, guint index);
const TsrTensorDesc *tsr_model_output_desc(TsrModel *model, guint index);

#endif
