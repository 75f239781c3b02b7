/* SPDX-License-Identifier: Apache-2.0
 *
 * aicpu.h: the row that a kernel of the general engine is, and the tables of rows.
 * engine.c looks a node's row up, executor.c runs it. A row is found by domain,
 * operator, version and the dtype of one port; nothing else knows operators by name.
 */
#ifndef AICPU_AICPU_H
#define AICPU_AICPU_H

#include <tessera/plugin_util.h>

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/* A port is an input index, or an output index with this bit. */
#define AICPU_PORT_OUTPUT 0x100u

typedef struct AicpuKernel AicpuKernel;
struct AicpuKernel {
    const char *op;
    const char *domain;    /* NULL is the ONNX domain */
    uint32_t since_min;    /* versions of the operator definition, both ends included */
    uint32_t since_max;    /* 0: no end */
    uint32_t port;         /* whose dtype must be in dtypes */
    uint32_t mode;         /* of the run function */
    uint64_t dtypes;       /* 0: any */
    const void *table;     /* of the run function */
    int32_t (*run)(const AicpuKernel *kernel, TsrRunContext *run);
    /* Why the row does not run a node that its dtype fits, or NULL where it does. Optional. */
    const char *(*refuses)(const TsrNodeView *node);
};

typedef struct AicpuFamily {
    const AicpuKernel *kernels;
    uint32_t count;
} AicpuFamily;

#define AICPU_FAMILY(rows) {.kernels = (rows), .count = COUNT_OF(rows)}

/* The row that runs the node; NULL with *out_reason (TSR_REFUSE_) when there is none. */
const AicpuKernel *aicpu_kernel_find(const TsrNodeView *node, uint32_t *out_reason);

/* Whether the row computes each element of output 0 from the one in its place of input 0
 * alone, reading it before it writes. */
int aicpu_is_unary(const AicpuKernel *kernel);

extern const TsrEngine aicpu_engine;
extern const TsrExecutor aicpu_executor;
extern const AicpuFamily *const aicpu_families[];
extern const uint32_t aicpu_family_count;

/* Input index of a run, NULL when omitted. */
static inline const TsrTensor *aicpu_input(const TsrRunContext *run, uint32_t index)
{
    return index < run->input_count ? run->inputs[index] : NULL;
}

/* Output index of a run, NULL when not wanted. */
static inline TsrTensor *aicpu_output(const TsrRunContext *run, uint32_t index)
{
    return index < run->output_count ? run->outputs[index] : NULL;
}

#endif
