/* SPDX-License-Identifier: Apache-2.0
 *
 * test_infer_refusals.c: contradictions that the later families of operators refuse, and
 * what they say when dimensions are not known yet.
 */
#include "support/op_check.h"

START_TEST(attention)
{
    OpHarness *h = op("Attention", 24);
    in_shape(h, LIST(-1, 4, -1, 8));
    in_shape(h, LIST(2, 2, 5, 8));
    in_shape(h, LIST(2, 2, 5, 6));
    infers(h, TSR_DTYPE_FLOAT, LIST(2, 4, -1, 6));
    h = op("Attention", 24);
    in_shape(h, LIST(2, 4, 3, 8));
    in_shape(h, LIST(2, 4, 5, 7));
    in_shape(h, LIST(2, 4, 5, 8));
    refuses(h, TSR_INVALID_ARGUMENT, "head sizes of Q and K");
    h = op("Attention", 24);
    in_shape(h, LIST(2, 4, 3, 8));
    in_shape(h, LIST(2, 4, 5, 8));
    in_shape(h, LIST(2, 4, 5, 8));
    in_shape(h, LIST(4, 5));
    refuses(h, TSR_INVALID_ARGUMENT, "attn_mask must broadcast");
    h = op("Attention", 24);
    in_shape(h, LIST(2, 4, 3, 8));
    in_shape(h, LIST(2, 4, 5, 8));
    in_shape(h, LIST(2, 4, 5, 8));
    op_harness_omit(h);
    in_shape(h, LIST(2, 4, 1, 8));
    refuses(h, TSR_INVALID_ARGUMENT, "must come together");
    h = op("TensorScatter", 24);
    in_shape(h, LIST(2, 3, 1));
    in_shape(h, LIST(2, 4, 1));
    refuses(h, TSR_INVALID_ARGUMENT, "the update has 4 places");
}
END_TEST

START_TEST(losses_and_products)
{
    OpHarness *h = op("NegativeLogLikelihoodLoss", 13);
    in_shape(h, LIST(2, 5, 3));
    op_harness_input(h, TSR_DTYPE_INT64, 2, I64(2, 4), NULL);
    refuses(h, TSR_INVALID_ARGUMENT, "extents of scores and labels");
    h = op("Einsum", 12);
    in_shape(h, LIST(2, 3));
    in_shape(h, LIST(4, 5));
    op_harness_string(h, "equation", "ij,jk->ik");
    refuses(h, TSR_INVALID_ARGUMENT, "extents of one label");
    h = op("Einsum", 12);
    in_shape(h, LIST(-1, 7, 3));
    in_shape(h, LIST(3, 5));
    op_harness_string(h, "equation", "...ij,jk");
    infers(h, TSR_DTYPE_FLOAT, LIST(-1, 7, 5));
    h = op("Det", 11);
    in_shape(h, LIST(2, 3));
    refuses(h, TSR_INVALID_ARGUMENT, "rows and columns");
    h = op("Add", 6);
    in_shape(h, LIST(2, 3));
    in_shape(h, LIST(2, 3, 4));
    refuses(h, TSR_INVALID_ARGUMENT, "does not lie in A");
    h = op("PRelu", 9);
    in_shape(h, LIST(2, 1));
    in_shape(h, LIST(3));
    refuses(h, TSR_INVALID_ARGUMENT, "whose axis 1 is 1");
    h = op("Max", 1);
    in_shape(h, LIST(2));
    in_shape(h, LIST(3));
    refuses(h, TSR_INVALID_ARGUMENT, "extents of the inputs");
    h = op("LayerNormalization", 17);
    in_shape(h, LIST(2));
    in_shape(h, LIST(2));
    op_harness_int(h, "stash_type", TSR_DTYPE_STRING);
    refuses(h, TSR_INVALID_ARGUMENT, "stash_type");
    h = op("Reshape", 1);
    in_shape(h, LIST(2, 3));
    op_harness_ints(h, "shape", 2, I64(4, -1));
    refuses(h, TSR_INVALID_ARGUMENT, "6 elements");
}
END_TEST

START_TEST(images_and_signals)
{
    OpHarness *h = op("AffineGrid", 20);
    in_shape(h, LIST(-1, 3, 4));
    op_harness_input(h, TSR_DTYPE_INT64, 1, I64(5), NULL);
    infers(h, TSR_DTYPE_FLOAT, LIST(-1, -1, -1, -1, 3));
    h = op("AffineGrid", 20);
    in_shape(h, LIST(1, 2, 4));
    op_harness_input(h, TSR_DTYPE_INT64, 1, I64(4), NULL);
    refuses(h, TSR_INVALID_ARGUMENT, "3 columns");
    h = op("Col2Im", 18);
    in_shape(h, LIST(1, 5, 2));
    in_i64(h, I64(3), LIST(1));
    in_i64(h, I64(2), LIST(1));
    refuses(h, TSR_INVALID_ARGUMENT, "do not split into blocks");
    h = op("DeformConv", 19);
    in_shape(h, LIST(1, 1, 3, 3));
    in_shape(h, LIST(1, 1, 2, 2));
    in_shape(h, LIST(1, 7, 2, 2));
    refuses(h, TSR_INVALID_ARGUMENT, "channels of offset");
    h = op("DFT", 20);
    in_shape(h, LIST(4, 10, 1));
    op_harness_omit(h);
    op_harness_input(h, TSR_DTYPE_INT64, 0, NULL, NULL);
    infers(h, TSR_DTYPE_FLOAT, LIST(-1, -1, 2));
    h = op("DFT", 17);
    in_shape(h, LIST(4, 10, 1));
    op_harness_int(h, "onesided", 1);
    infers(h, TSR_DTYPE_FLOAT, LIST(4, 6, 2));
    h = op("RandomUniform", 1);
    op_harness_ints(h, "shape", 1, I64(-1));
    refuses(h, TSR_INVALID_ARGUMENT, "shape must not be negative");
    h = op("TfIdfVectorizer", 9);
    op_harness_input(h, TSR_DTYPE_INT64, 2, I64(3, 7), NULL);
    op_harness_ints(h, "ngram_indexes", 2, I64(4, 1));
    infers(h, TSR_DTYPE_FLOAT, LIST(3, 5));
}
END_TEST

OP_TEST_MAIN(attention, losses_and_products, images_and_signals)
