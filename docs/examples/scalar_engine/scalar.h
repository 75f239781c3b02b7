/* SPDX-License-Identifier: Apache-2.0
 *
 * scalar.h: what the files of the scalar engine share. Every node that it takes is
 * y = scale * x + shift with two numbers that are known when a model is compiled: Add, Sub
 * and Mul with a constant of one element, and its own operator ScaleShift. Invariant: what
 * scalar_read() accepts is what check() takes, what the pass fuses and what runs.
 */
#ifndef SCALAR_H
#define SCALAR_H

#include <tessera/plugin_util.h>

#define SCALAR_DOMAIN "example.scalar"

typedef struct ScalarLine {
    uint32_t input; /* index of x among the node's inputs */
    float scale;
    float shift;
} ScalarLine;

/* Reads a node. 0: it is none of ours, and out_support (NULL: not wanted) says why. */
int scalar_read(const TsrNodeView *node, ScalarLine *out_line, TsrSupport *out_support);

extern const TsrEngine scalar_engine;
extern const TsrExecutor scalar_executor;
extern const TsrFormatSelector scalar_selector;
extern const TsrFusion scalar_fusion;
extern const TsrOps scalar_ops;
/* Set when the plugin starts. */
extern const TsrHost *scalar_host;

#endif
