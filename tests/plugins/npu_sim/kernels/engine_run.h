/* SPDX-License-Identifier: Apache-2.0
 *
 * engine_run.h: builds one node with nn_engine and runs its tasks on the kernels of this
 * machine, without the framework. For test_nn_engine.c.
 */
#ifndef TSR_ENGINE_RUN_H
#define TSR_ENGINE_RUN_H

#include <tessera/plugin.h>

enum { NODE_PORTS = 6, NODE_ATTRS = 10 };

/* A node under construction: tensors own their data in plain order. */
typedef struct NodeTensor {
    TsrTensorDesc desc;
    TsrTensor tensor;
    int64_t shape[8], storage_shape[8];
    float *data;      /* as `shape` says */
    uint16_t *stored; /* the same in a narrow type, NULL for float */
    int present, constant;
} NodeTensor;

typedef struct NodeCase {
    const char *op_type, *domain;
    uint32_t version, input_count, output_count, attr_count, core_count;
    NodeTensor inputs[NODE_PORTS], outputs[2];
    TsrAttr attrs[NODE_ATTRS];
} NodeCase;

void node_init(NodeCase *c, const char *domain, const char *op_type, uint32_t version);
void node_clear(NodeCase *c);
/* Adds an input with random data (a constant one is in node->values); rank 0 with
 * present 0 stands for an omitted one. Returns its data. */
float *node_input(NodeCase *c, int constant, uint32_t rank, const int64_t *shape);
void node_omit(NodeCase *c);
float *node_output(NodeCase *c, uint32_t rank, const int64_t *shape);
void node_attr_int(NodeCase *c, const char *name, int64_t value);
void node_attr_float(NodeCase *c, const char *name, float value);
void node_attr_ints(NodeCase *c, const char *name, uint32_t count, const int64_t *ints);
void node_attr_text(NodeCase *c, const char *name, const char *text);

/* Makes all tensors float, float16 or bfloat16, and rounds the inputs to that type. */
void node_type(NodeCase *c, uint32_t dtype);

/* Stores the tensor (an input index, or 100 + an output index) as NC1HWC0. */
void node_block(NodeCase *c, int port);

/* What check() says. */
TsrSupport node_check(NodeCase *c);

/* Builds and runs; the outputs' data are then the result in plain order. Returns the
 * number of kernel tasks, -1 when the build failed. */
int node_run(NodeCase *c);

/* Builds once and runs several times; *out_seconds is the shortest time of all tasks,
 * block after block on one core. Returns the number of tasks, -1 when a build failed. */
int node_time(NodeCase *c, int runs, double *out_seconds);

/* How many columns the selector offers, and the formats of the best one. */
uint32_t node_columns(NodeCase *c, uint32_t *out_formats);

#endif
