/* SPDX-License-Identifier: Apache-2.0
 *
 * conformance_test.h: one test of the conformance subcommand, from its model file to a
 * verdict. conformance.c calls it in a process of its own.
 */
#ifndef TSR_TOOLS_CONFORMANCE_TEST_H
#define TSR_TOOLS_CONFORMANCE_TEST_H

#include "conformance_infer.h"
#include "conformance_variant.h"
#include "options.h"

typedef enum TsrVerdict {
    TSR_VERDICT_PASSED,
    TSR_VERDICT_FAILED,
    TSR_VERDICT_UNSUPPORTED, /* an error with that code: valid, but nobody here can do it */
    TSR_VERDICT_COUNT,
} TsrVerdict;

typedef struct TsrConformanceTest {
    char *name;
    char *model;            /* path of the ONNX model */
    gboolean is_light;      /* outputs lie beside the model, the input is made up */
    gboolean expects_error; /* passes only by a clean error */
} TsrConformanceTest;

/* How every test of a call is run. */
typedef struct TsrConformanceForm {
    TsrFeed feed;
    const char *damage; /* one of tsr_damage_names: a test passes when it notices; or NULL */
    gboolean infer_only; /* compile, and judge what is inferred of the outputs */
} TsrConformanceForm;

/* Compiles the model and runs every data set in one session, the first one twice, then
 * compares all outputs, so that a run that spoils an earlier result shows. reason is
 * filled unless the test passed, out_count by a form that only infers. */
TsrVerdict tsr_conformance_run(const TsrConformanceTest *test, const TsrConformanceForm *form,
                               const TsrToolOptions *options, TsrInferCount *out_count,
                               GString *reason);

#endif
