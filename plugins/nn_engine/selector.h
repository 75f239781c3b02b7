/* SPDX-License-Identifier: Apache-2.0
 *
 * selector.h: the three ways in which a row of nn.h finds the storage formats of a node.
 * A row points to one NnSelect; which one it is stands in the row and in `explain`.
 *
 *  - kernel: columns written out beside the kernels, as in an operator information library;
 *  - builtin: columns derived from the pattern that the operator follows;
 *  - customize: a function of the operator.
 *
 * Plain storage is written as TSR_FORMAT_ND. A column with a format that a tensor cannot be
 * stored in is dropped by the host, so no one here repeats the storage rules.
 */
#ifndef TSR_NN_SELECTOR_H
#define TSR_NN_SELECTOR_H

#include <tessera/plugin.h>

struct NnOp;

enum {
    NN_COLUMN_PORTS = 4, /* written out per column; the last one repeats for further ports */
};

/* One column of the kernel selector; ports that are not written out have the last format. */
typedef struct NnKernelColumn {
    float score;
    uint32_t port_count;
    uint32_t formats[NN_COLUMN_PORTS];
} NnKernelColumn;

enum {
    NN_PATTERN_AGNOSTIC = 1,  /* element by element on input 0; other inputs stay plain */
    NN_PATTERN_BROADCAST = 2, /* all inputs broadcast to the output */
    NN_PATTERN_REDUCE = 3,    /* input 0 loses extents along axes */
};

typedef struct NnSelect {
    uint32_t selector; /* TSR_SELECTOR_ */
    uint32_t pattern;  /* builtin: NN_PATTERN_ */
    const NnKernelColumn *columns;
    uint32_t column_count;
    void (*customize)(const struct NnOp *op, const TsrNodeView *node, TsrColumnSet *set);
} NnSelect;

#define NN_SELECT_KERNEL(table)                                                     \
    { .selector = TSR_SELECTOR_KERNEL, .columns = (table),                          \
      .column_count = sizeof(table) / sizeof((table)[0]) }
#define NN_SELECT_BUILTIN(which) { .selector = TSR_SELECTOR_BUILTIN, .pattern = (which) }
#define NN_SELECT_CUSTOMIZE(function)                                               \
    { .selector = TSR_SELECTOR_CUSTOMIZE, .customize = (function) }

extern const NnSelect nn_select_agnostic, nn_select_broadcast, nn_select_reduce;

/* A column with the formats of `count` ports, the last of them repeated for the rest. */
void nn_column(TsrColumnSet *set, float score, const uint32_t *formats, uint32_t count);
/* A column with one format for the inputs in the mask `blocked` and for all outputs, and
 * plain storage for the others. */
void nn_column_mask(TsrColumnSet *set, const TsrNodeView *node, float score, uint32_t format,
                    uint64_t blocked);

/* The columns of a pattern; in selector_builtin.c. */
void nn_builtin_columns(uint32_t pattern, const TsrNodeView *node, TsrColumnSet *set);

#endif
