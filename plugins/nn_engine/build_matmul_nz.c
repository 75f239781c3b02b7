/* SPDX-License-Identifier: Apache-2.0
 *
 * build_matmul_nz.c: MatMul whose A and result are stored as FRACTAL_NZ. A matrix [M, K] is
 * then [K / 16, M / 16, 16, 16], which is the memory of a picture NC1HWC0 with K channels and
 * M (rounded up) pixels, so the product with a constant B [K, N] is a 1x1 convolution.
 * Rows of padding go through it like others and stay among themselves.
 */
#include <stdlib.h>
#include "nn.h"

/* Whether B is one constant matrix and A a run of matrices that the result follows. */
static int is_legal(const TsrNodeView *node)
{
    const TsrTensorDesc *a = node->inputs[0], *b = node->inputs[1], *y = node->outputs[0];
    const TsrTensorDesc *z = nn_input(node, 3);
    if (nn_value(node, 1) == NULL || b->rank != 2 || a->rank < 2 || !tsr_desc_is_static(a) ||
        !tsr_desc_is_static(y) || a->rank != y->rank || y->rank + 2 > TSR_NPU_MAX_DIMS ||
        tsr_attr_int(node, "transA", 0) != 0 || a->shape[a->rank - 1] < 1)
        return 0;
    return z == NULL || (tsr_desc_is_static(z) && z->rank == y->rank &&
                         memcmp(z->shape, y->shape, y->rank * sizeof(int64_t)) == 0);
}

/* Plain products are as fast and need no rows of padding, hence the lower score: FRACTAL_NZ
 * is taken where both sides have it already. */
static void matmul_columns(const NnOp *op, const TsrNodeView *node, TsrColumnSet *set)
{
    const uint64_t z = node->input_count > 3 && node->inputs[3] != NULL ? 1u << 3 : 0;
    (void)op;
    nn_column(set, 5.0f, (const uint32_t[]){ TSR_FORMAT_ND }, 1);
    if (!is_legal(node))
        return;
    nn_column_mask(set, node, 4.0f, TSR_FORMAT_FRACTAL_NZ, z | 1);
    nn_column_mask(set, node, 4.0f, TSR_FORMAT_FRACTAL_NZ, z | 3);
}

const NnSelect nn_matmul_select = NN_SELECT_CUSTOMIZE(matmul_columns);

int32_t nn_matmul_nz_build(const TsrNodeView *node, TsrTaskSink *sink)
{
    const TsrTensorDesc *a = node->inputs[0], *b = node->inputs[1], *y = node->outputs[0];
    const int tb = tsr_attr_int(node, "transB", 0) != 0;
    const int64_t k = a->shape[a->rank - 1], n = y->shape[y->rank - 1];
    const int64_t rows = nn_round_up(a->shape[a->rank - 2], TSR_NPU_C0);
    const TsrTensor *value = nn_value(node, 1), *bias = nn_value(node, 2);
    TsrConv2dParams p = {
        .struct_size = sizeof(p), .batch = (int32_t)tsr_shape_elements(a->rank - 2, a->shape),
        .in_c = (int32_t)k, .in_h = 1, .in_w = (int32_t)rows, .out_c = (int32_t)n, .out_h = 1,
        .out_w = (int32_t)rows, .kernel_h = 1, .kernel_w = 1, .stride_h = 1, .stride_w = 1,
        .dilation_h = 1, .dilation_w = 1, .groups = 1, .activation = nn_activation_of(node),
    };
    const float *from;
    float *weights;
    int32_t status;
    if (a->storage_format != TSR_FORMAT_FRACTAL_NZ || y->storage_format != a->storage_format ||
        !is_legal(node) || b->shape[tb ? 1 : 0] != k)
        return sink->fail(sink, TSR_UNSUPPORTED, "MatMul '%s': no kernel for %s to %s",
                          node->name, tsr_format_name(a->storage_format),
                          tsr_format_name(y->storage_format));
    from = value->data;
    weights = malloc((size_t)(k * n) * sizeof(*weights));
    if (weights == NULL)
        return sink->fail(sink, TSR_OUT_OF_MEMORY, "MatMul '%s': %lld weights", node->name,
                          (long long)(k * n));
    for (int64_t column = 0; column < n; column++)
        for (int64_t row = 0; row < k; row++)
            weights[column * k + row] = tb ? from[column * k + row] : from[row * n + column];
    status = nn_conv_blocked(node, sink, &p, weights, bias != NULL ? bias->data : NULL,
                             TSR_ARG_OUTPUT | 0);
    free(weights);
    return status;
}
