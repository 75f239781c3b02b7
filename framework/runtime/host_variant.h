/* SPDX-License-Identifier: Apache-2.0
 *
 * host_variant.h: what followed for one set of inputs of a node: the shapes of its outputs, and
 * the tasks that a device engine built. A host node keeps the last few, so that shapes that
 * come again are neither inferred nor tiled again.
 */
#ifndef TSR_RUNTIME_HOST_VARIANT_H
#define TSR_RUNTIME_HOST_VARIANT_H

#include "build/task_sink.h"
#include "ir/array.h"
#include "ir/graph.h"

typedef struct TsrHostVariant {
    guint input_count;
    TsrDesc *inputs;     /* as they were; kind TSR_KIND_COUNT: omitted */
    GPtrArray *values;   /* GBytes of inputs that inference reads, NULL of others */
    TsrDesc *outputs;    /* inferred; not of a node whose shapes the compiler knew */
    gboolean is_told;    /* outputs came from expressions (shape_function.h) */
    TsrBuiltNode *built; /* NULL until it runs on a device */
    GPtrArray *kernels;  /* TsrKernelFn of the built tasks */
} TsrHostVariant;

/* Of these inputs, with nothing inferred yet. (transfer full) */
TsrHostVariant *tsr_host_variant_new(const TsrNode *node, TsrArray *const *inputs);
void tsr_host_variant_free(TsrHostVariant *variant);

/* Whether shapes of outputs follow from what a variant keeps: no subgraphs, tensors of numbers
 * that are small where inference reads them. */
gboolean tsr_host_variant_is_whole(const TsrNode *node, TsrArray *const *inputs);
/* Whether the inputs have the types, shapes and formats, and with `values` the contents, of the
 * variant's. */
gboolean tsr_host_variant_fits(const TsrHostVariant *variant, TsrArray *const *inputs,
                               gboolean values);
/* Packed constants of the tasks that another variant has too take that one's memory. */
void tsr_host_variant_share(TsrHostVariant *variant, const TsrHostVariant *other);

#endif
