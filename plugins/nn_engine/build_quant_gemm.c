/* SPDX-License-Identifier: Apache-2.0
 *
 * build_quant_gemm.c: ONNX QLinearMatMul (10 to 21), MatMulInteger 10 and QMatMul of
 * tessera.nn (with a bias, limits and B transposed) as a task of GEMM_I8. B is one constant
 * matrix, so that the batches of A are one tall matrix.
 */
#include <stdlib.h>
#include "quantized.h"

static const NnQuantPorts *ports_of(const TsrNodeView *node)
{
    return strcmp(node->op_type, "MatMulInteger") == 0 ? &nn_q_ports_integer : &nn_q_ports_linear;
}

/* Inputs beyond QLinearMatMul's do not exist there. */
static const TsrTensor *bias_of(const TsrNodeView *node)
{
    return ports_of(node)->bias >= 0 ? nn_value(node, (uint32_t)ports_of(node)->bias) : NULL;
}

static NnQuantWeights weights_of(const TsrNodeView *node)
{
    const TsrTensor *b = node->values[ports_of(node)->w];
    const int transposed = tsr_attr_int(node, "transB", 0) != 0;
    const uint32_t rank = b->desc->rank;
    const int64_t k = b->desc->shape[rank - (transposed ? 1 : 2)];
    const int64_t n = b->desc->shape[rank - (transposed ? 2 : 1)];
    return (NnQuantWeights){ n, k, transposed ? k : 1, transposed ? 1 : n, b,
                             nn_value(node, (uint32_t)ports_of(node)->w_zero) };
}

static void gemm_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    const TsrTensorDesc *a = nn_input(node, 0), *b = nn_input(node, (uint32_t)ports_of(node)->w);
    NnQuantWeights w;
    (void)op;
    if (a == NULL || b == NULL || a->rank < 2 || b->rank < 2 ||
        nn_value(node, (uint32_t)ports_of(node)->w) == NULL) {
        tsr_support_no(out_support, TSR_REFUSE_VALUE, "A and B have to be matrices, B constant");
        return;
    }
    if (b->shape[b->rank - 1] < 1 || b->shape[b->rank - 2] < 1 ||
        tsr_desc_elements(b) != b->shape[b->rank - 1] * b->shape[b->rank - 2]) {
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "B is no single matrix");
        return;
    }
    w = weights_of(node);
    if (a->shape[a->rank - 1] >= 0 && a->shape[a->rank - 1] != w.depth) {
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "A has %lld columns, B %lld rows",
                       (long long)a->shape[a->rank - 1], (long long)w.depth);
        return;
    }
    if (nn_q_check_product(node, ports_of(node), w.channels, out_support))
        nn_q_check_sums(&w, bias_of(node), out_support);
}

static int32_t add_panels(const TsrNodeView *node, TsrTaskSink *sink, const NnQuantWeights *w,
                          uint32_t passes, uint32_t *out_arg)
{
    const int64_t padded = nn_round_up(w->depth, 4);
    const int64_t bytes = nn_round_up(w->channels, 16) * passes * padded;
    int8_t *packed = malloc((size_t)bytes), *to = packed;
    int32_t status;
    if (packed == NULL)
        return sink->fail(sink, TSR_OUT_OF_MEMORY, "%s '%s': %lld weights", node->op_type,
                          node->name, (long long)bytes);
    for (int64_t panel = 0; panel < w->channels; panel += 16)
        for (uint32_t pass = 0; pass < passes; pass++)
            for (int64_t quad = 0; quad < padded; quad += 4)
                for (int64_t n = panel; n < panel + 16; n++)
                    for (int64_t k = quad; k < quad + 4; k++)
                        *to++ = n < w->channels && k < w->depth
                                    ? nn_q_part(nn_q_weight(w, n, k), pass) : 0;
    status = sink->constant(sink, packed, (uint64_t)bytes, out_arg);
    free(packed);
    return status;
}

static int32_t gemm_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const TsrTensorDesc *a = node->inputs[0];
    const NnQuantWeights w = weights_of(node);
    const int64_t cores = sink->core_count > 0 ? sink->core_count : 1;
    const int64_t l2 = sink->l2_bytes > 0 ? sink->l2_bytes : 1 << 20;
    const int64_t panels = nn_ceil_div(w.channels, 16);
    TsrGemmI8Params p = { .struct_size = sizeof(p), .n = w.channels, .k = w.depth };
    uint32_t args[6] = { TSR_ARG_INPUT | 0, TSR_ARG_NULL, TSR_ARG_NULL, TSR_ARG_NULL,
                         TSR_ARG_OUTPUT | 0, TSR_ARG_NULL };
    double products;
    uint32_t blocks;
    int64_t rows, parts;
    int32_t status;
    (void)op;
    if (a->shape[a->rank - 1] != w.depth)
        return sink->fail(sink, TSR_INVALID_ARGUMENT, "%s '%s': A has %lld columns, B %lld rows",
                          node->op_type, node->name, (long long)a->shape[a->rank - 1],
                          (long long)w.depth);
    p.m = tsr_desc_elements(a) / w.depth;
    nn_q_requant(node, ports_of(node), &p.requant, &args[3]);
    p.requant.passes = nn_q_passes(&w);
    status = add_panels(node, sink, &w, p.requant.passes, &args[1]);
    if (status == TSR_OK)
        status = nn_q_table(node, sink, ports_of(node), &w, &args[2]);
    if (status != TSR_OK)
        return status;
    /* Rows of A that take a quarter of L2, in whole register tiles. */
    rows = l2 / 4 / nn_round_up(w.depth, 16) / 12 * 12;
    rows = rows < 12 ? 12 : rows;
    rows = rows < p.m ? rows : p.m;
    p.panels_per_piece = panels;
    parts = nn_ceil_div(p.m, rows);
    if (parts % cores != 0) {
        if (p.m >= 24 * cores && p.m > w.channels)
            rows = nn_round_up(nn_ceil_div(p.m, nn_round_up(parts, cores)), 12);
        else
            p.panels_per_piece = nn_round_up(nn_ceil_div(panels, cores),
                                             panels >= 4 * cores ? 2 : 1);
    }
    p.rows_per_piece = rows < p.m ? rows : p.m;
    products = (double)p.m * (double)p.n * (double)p.k;
    /* Bytes are multiplied about four times as fast as floats. */
    blocks = nn_block_dim(sink, nn_ceil_div(p.m, p.rows_per_piece) *
                                    nn_ceil_div(panels, p.panels_per_piece),
                          products / 64.0);
    if (p.requant.x_signed || p.k % 4 != 0) {
        p.workspace_floats = (uint64_t)(p.rows_per_piece * nn_ceil_div(p.k, 4));
        status = sink->workspace(sink, p.workspace_floats * blocks * 4, &args[5]);
        if (status != TSR_OK)
            return status;
    }
    return nn_compute_task(sink, TSR_KERNEL_GEMM_I8, blocks, products / 2.0, args, 6, &p,
                           sizeof(p));
}

static const NnOp ops[] = {
    { .op_type = "QLinearMatMul", .domain = "", .min_version = 10, .max_version = 21,
      .flags = NN_ANY_DTYPE, .check = gemm_check, .build = gemm_build },
    { .op_type = "MatMulInteger", .domain = "", .min_version = 10, .max_version = 10,
      .flags = NN_ANY_DTYPE, .check = gemm_check, .build = gemm_build },
    { .op_type = "QMatMul", .domain = NN_DOMAIN, .min_version = 1, .max_version = 1,
      .flags = NN_ANY_DTYPE, .check = gemm_check, .build = gemm_build },
};

const NnOpTable nn_quant_gemm_ops = { ops, sizeof(ops) / sizeof(ops[0]) };
