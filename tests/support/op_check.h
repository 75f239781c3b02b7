/* SPDX-License-Identifier: Apache-2.0
 *
 * op_check.h: short words for the tests that use op_harness.h with Check: shapes as
 * lists, inputs of the common types, and comparisons that print what differs.
 */
#ifndef TESTS_OP_CHECK_H
#define TESTS_OP_CHECK_H

#include "check_main.h"
#include "op_harness.h"
#include <math.h>
#include <stdlib.h>

#define LIST(...) (const int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / 8
#define F(...) (const float[]){__VA_ARGS__}
#define I64(...) (const int64_t[]){__VA_ARGS__}

__attribute__((unused)) static OpHarness *op(const char *name, uint32_t opset)
{
    OpHarness *h = op_harness_new("", name, opset);
    ck_assert_msg(h != NULL, "%s has no definition for opset %u", name, opset);
    return h;
}

__attribute__((unused)) static void in_f32(OpHarness *h, const float *data, const int64_t *shape,
                                           size_t rank)
{
    op_harness_input(h, TSR_DTYPE_FLOAT, (uint32_t)rank, shape, data);
}

__attribute__((unused)) static void in_i64(OpHarness *h, const int64_t *data,
                                           const int64_t *shape, size_t rank)
{
    op_harness_input(h, TSR_DTYPE_INT64, (uint32_t)rank, shape, data);
}

/* A float input of which only the shape is known. */
__attribute__((unused)) static void in_shape(OpHarness *h, const int64_t *shape, size_t rank)
{
    op_harness_input(h, TSR_DTYPE_FLOAT, (uint32_t)rank, shape, NULL);
}

__attribute__((unused)) static void want_shape(OpHarness *h, uint32_t index, uint32_t dtype,
                                               const int64_t *shape, size_t rank)
{
    const TsrTensorDesc *desc = op_harness_desc(h, index);
    char got[256], want[256];
    ck_assert_msg(desc != NULL, "output %u was not set", index);
    tsr_shape_text(desc->rank, desc->shape, got, sizeof(got));
    tsr_shape_text((uint32_t)rank, shape, want, sizeof(want));
    ck_assert_str_eq(got, want);
    ck_assert_uint_eq(desc->dtype, dtype);
}

/* Infers and compares output 0, then frees the harness. */
__attribute__((unused)) static void infers(OpHarness *h, uint32_t dtype, const int64_t *shape,
                                           size_t rank)
{
    ck_assert_msg(op_harness_infer(h) == TSR_OK, "%s", op_harness_error(h));
    want_shape(h, 0, dtype, shape, rank);
    op_harness_free(h);
}

/* Infers with an error whose text holds the word, then frees the harness. */
__attribute__((unused)) static void refuses(OpHarness *h, int32_t code, const char *word)
{
    ck_assert_int_eq(op_harness_infer(h), code);
    ck_assert_msg(strstr(op_harness_error(h), word) != NULL, "'%s' lacks '%s'",
                  op_harness_error(h), word);
    op_harness_free(h);
}

__attribute__((unused)) static void runs(OpHarness *h)
{
    ck_assert_msg(op_harness_run(h) == TSR_OK, "%s", op_harness_error(h));
}

/* Runs with an error whose text holds the word, then frees the harness. */
__attribute__((unused)) static void fails(OpHarness *h, int32_t code, const char *word)
{
    ck_assert_int_eq(op_harness_run(h), code);
    ck_assert_msg(strstr(op_harness_error(h), word) != NULL, "'%s' lacks '%s'",
                  op_harness_error(h), word);
    op_harness_free(h);
}

__attribute__((unused)) static void want_f32(OpHarness *h, uint32_t index, const float *want,
                                             const int64_t *shape, size_t rank)
{
    const float *got = op_harness_output(h, index)->data;
    want_shape(h, index, TSR_DTYPE_FLOAT, shape, rank);
    for (int64_t i = 0; i < tsr_shape_elements((uint32_t)rank, shape); i++)
        if (!(isnan(want[i]) ? isnan(got[i])
              : isinf(want[i]) ? got[i] == want[i]
                               : fabsf(got[i] - want[i]) <= 2e-6f * (1.0f + fabsf(want[i]))))
            ck_abort_msg("element %lld is %.9g, wanted %.9g", (long long)i, (double)got[i],
                         (double)want[i]);
}

__attribute__((unused)) static void want_i64(OpHarness *h, uint32_t index, const int64_t *want,
                                             const int64_t *shape, size_t rank)
{
    want_shape(h, index, TSR_DTYPE_INT64, shape, rank);
    for (int64_t i = 0; i < tsr_shape_elements((uint32_t)rank, shape); i++)
        ck_assert_int_eq(((const int64_t *)op_harness_output(h, index)->data)[i], want[i]);
}

__attribute__((unused)) static void want_bytes(OpHarness *h, uint32_t index, uint32_t dtype,
                                               const void *want, size_t size)
{
    ck_assert_uint_eq(op_harness_desc(h, index)->dtype, dtype);
    ck_assert_uint_eq(op_harness_output(h, index)->size_bytes, size);
    ck_assert_mem_eq(op_harness_output(h, index)->data, want, size);
}

/* Runs a test case of the suite in this file. */
#define OP_TEST_MAIN(...)                                                           \
    int main(void)                                                                  \
    {                                                                               \
        const TTest *const tests[] = {__VA_ARGS__};                                 \
        TCase *tcase = tcase_create("all");                                         \
        for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)               \
            tcase_add_test(tcase, tests[i]);                                        \
        return check_main(__FILE__, tcase);                                         \
    }

#endif
