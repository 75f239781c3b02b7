/* SPDX-License-Identifier: Apache-2.0
 *
 * op_harness.h: one node, built by hand, for the tests of operator definitions and of
 * aicpu: infer runs the definition, run also lets aicpu compute the node. Everything
 * belongs to the harness and dies with it. Calls that cannot fail in a test abort it.
 */
#ifndef TESTS_OP_HARNESS_H
#define TESTS_OP_HARNESS_H

#include <tessera/plugin_util.h>

typedef struct OpHarness OpHarness;

/* Stands for a subgraph: fills outputs (of harness memory, see op_harness_tensor). */
typedef int32_t (*OpSubgraphFn)(OpHarness *h, uint32_t index, const TsrTensor *const *inputs,
                                uint32_t input_count, const TsrTensor **outputs,
                                uint32_t output_count);

/* A node of the definition that serves the opset; NULL when there is none. */
OpHarness *op_harness_new(const char *domain, const char *op, uint32_t opset);
void op_harness_free(OpHarness *h); /* NULL is a no-op */

/* A tensor with a copy of data; NULL data is zero. */
TsrTensor *op_harness_tensor(OpHarness *h, uint32_t dtype, uint32_t rank, const int64_t *shape,
                             const void *data);
/* Appends an input with data; with NULL data its value is not known (dimensions may be
 * -1, the rank TSR_RANK_UNKNOWN): such a node can only be inferred. */
void op_harness_input(OpHarness *h, uint32_t dtype, uint32_t rank, const int64_t *shape,
                      const void *data);
void op_harness_omit(OpHarness *h);
/* The storage format and shape of input or output index (TransData). */
void op_harness_storage(OpHarness *h, int output, uint32_t index, uint32_t origin,
                        uint32_t format, uint32_t rank, const int64_t *shape);
/* Bytes of an input whose storage is larger than its shape. */
void op_harness_data(OpHarness *h, uint32_t index, const void *data, uint64_t size_bytes);
void op_harness_int(OpHarness *h, const char *name, int64_t value);
void op_harness_float(OpHarness *h, const char *name, float value);
void op_harness_string(OpHarness *h, const char *name, const char *value);
void op_harness_ints(OpHarness *h, const char *name, uint32_t count, const int64_t *values);
void op_harness_floats(OpHarness *h, const char *name, uint32_t count, const float *values);
void op_harness_strings(OpHarness *h, const char *name, uint32_t count,
                        const char *const *values);
void op_harness_tensor_attr(OpHarness *h, const char *name, TsrTensor *tensor);
void op_harness_graph(OpHarness *h, const char *name, int64_t index, OpSubgraphFn fn);
/* Number of outputs (1 at first) and which are not wanted (a bit each). */
void op_harness_outputs(OpHarness *h, uint32_t count, uint32_t unwanted);

int32_t op_harness_infer(OpHarness *h);
/* Infers, asks the engine, prepares and runs. */
int32_t op_harness_run(OpHarness *h);
/* What infer said (after infer) or what run made. */
const TsrTensorDesc *op_harness_desc(const OpHarness *h, uint32_t index);
const TsrTensor *op_harness_output(const OpHarness *h, uint32_t index);
const char *op_harness_error(const OpHarness *h);
/* Version of the definition and the answer of the engine for it. */
uint32_t op_harness_version(const OpHarness *h);
int32_t op_harness_check(OpHarness *h, TsrSupport *out_support);

#endif
