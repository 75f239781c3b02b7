/* SPDX-License-Identifier: Apache-2.0
 *
 * build_gemm.c: ONNX Gemm (7 to 13) and MatMul (1 to 13) as tasks of GEMM_F32. A
 * constant B is packed into panels here; another one by a task into a workspace. The
 * batch dims of MatMul are broadcast by steps; batches of A before one B are one tall
 * matrix. The fused MatMul adds a bias, a summand and an activation.
 */
#include <limits.h>
#include <stdlib.h>
#include "nn.h"

/* One product, in the words of TsrGemmParams. */
typedef struct Product {
    TsrGemmParams gemm;
    TsrPackPanelsParams pack;
    uint32_t b_input;
    uint32_t bias, residual, y; /* TSR_ARG_ */
} Product;

/* Packs a constant B, or adds the task that does so at run time. */
static int32_t add_panels(const TsrNodeView *node, TsrTaskSink *sink, const Product *p,
                          uint32_t *out_arg)
{
    const TsrPackPanelsParams *k = &p->pack;
    const int64_t panels = nn_ceil_div(k->n, 16), floats = k->count * panels * k->k * 16;
    const TsrTensor *b = nn_value(node, p->b_input);
    uint32_t args[2] = { TSR_ARG_INPUT | p->b_input, TSR_ARG_NULL };
    int32_t status;
    float *packed, *to;
    if (b == NULL) {
        status = sink->workspace(sink, (uint64_t)floats * sizeof(float), out_arg);
        args[1] = *out_arg;
        if (status != TSR_OK)
            return status;
        return nn_task(sink, nn_kernel_of(TSR_KERNEL_PACK_PANELS_F32, node->inputs[0]->dtype),
                       nn_block_dim(sink, k->count * panels, (double)floats), args, 2, k,
                       sizeof(*k));
    }
    packed = to = malloc((size_t)floats * sizeof(*packed));
    if (packed == NULL)
        return sink->fail(sink, TSR_OUT_OF_MEMORY, "%s '%s': %lld weights", node->op_type,
                          node->name, (long long)floats);
    for (int64_t m = 0; m < k->count; m++)
        for (int64_t panel = 0; panel < panels; panel++)
            for (int64_t row = 0; row < k->k; row++)
                for (int64_t column = panel * 16; column < panel * 16 + 16; column++)
                    *to++ = column < k->n
                                ? k->scale * ((const float *)b->data)[m * k->matrix_step +
                                                                      row * k->row_step +
                                                                      column * k->column_step]
                                : 0.0f;
    status = nn_constant_of(sink, node->inputs[0]->dtype, packed, floats, out_arg);
    free(packed);
    return status;
}

int32_t nn_gemm_task(TsrTaskSink *sink, uint32_t dtype, TsrGemmParams *g, const uint32_t *operands)
{
    const int64_t cores = sink->core_count > 0 ? sink->core_count : 1;
    const int64_t l2 = sink->l2_bytes > 0 ? sink->l2_bytes : 1 << 20;
    const int64_t panels = nn_ceil_div(g->n, 16);
    int64_t batch = 1, rows, pieces;
    uint32_t blocks;
    uint32_t args[6];
    int32_t status;
    memcpy(args, operands, 5 * sizeof(*args));
    args[5] = TSR_ARG_NULL;
    g->struct_size = sizeof(*g);
    for (uint32_t i = 0; i < g->batch_rank; i++)
        batch *= g->batch_shape[i];
    /* Rows of A whose blocked copy takes a quarter of L2, in whole register tiles. */
    rows = l2 / 16 / nn_round_up(g->k > 0 ? g->k : 1, 16) / 14 * 14;
    rows = rows < 14 ? 14 : rows;
    /* Somewhat more is better than a second walk over all the weights. */
    if (g->m <= rows * 7 / 4)
        rows = g->m;
    g->rows_per_piece = rows;
    g->panels_per_piece = panels;
    if (batch * nn_ceil_div(g->m, rows) % cores != 0) {
        if (g->m >= 28 * cores && g->m > g->n) {
            const int64_t parts = nn_round_up(nn_ceil_div(g->m, rows), cores);
            g->rows_per_piece = nn_round_up(nn_ceil_div(g->m, parts), 14);
        } else {
            g->panels_per_piece = nn_round_up(nn_ceil_div(panels, cores),
                                              panels >= 4 * cores ? 4 : 1);
        }
    }
    pieces = batch * nn_ceil_div(g->m, g->rows_per_piece) *
             nn_ceil_div(panels, g->panels_per_piece);
    /* Few rows are over as soon as the weights have come from memory, which is slower than
     * the products: a core fetches about four floats in the time of 16 multiply-adds. */
    blocks = nn_block_dim(sink, pieces, (double)batch * (double)g->n * (double)g->k *
                                            (g->m > 4 ? (double)g->m / 16.0 : 0.25));
    if (g->rows_per_piece > 1 || g->a_column != 1 || dtype != TSR_DTYPE_FLOAT) {
        g->workspace_floats =
            (uint64_t)(g->rows_per_piece * nn_round_up(g->k > 0 ? g->k : 1, 16));
        status = sink->workspace(sink, g->workspace_floats * blocks * sizeof(float), &args[5]);
        if (status != TSR_OK)
            return status;
    }
    return nn_compute_task(sink, nn_kernel_of(TSR_KERNEL_GEMM_F32, dtype), blocks,
                           2.0 * (double)batch * (double)g->m * (double)g->n * (double)g->k, args,
                           6, g, sizeof(*g));
}

static int32_t add_product(const TsrNodeView *node, TsrTaskSink *sink, Product *p)
{
    uint32_t args[5] = { TSR_ARG_INPUT | 0, TSR_ARG_NULL, p->bias, p->residual, p->y };
    const int32_t status = add_panels(node, sink, p, &args[1]);
    return status == TSR_OK ? nn_gemm_task(sink, node->inputs[0]->dtype, &p->gemm, args) : status;
}

/* ----------------------------------------------------------------- MatMul */

/* Fills *out_product for A times B by MatMul's rules; tb: the last two dims of B change
 * places, likewise ta where A is a matrix. */
static int32_t read_matmul(const TsrNodeView *node, TsrTaskSink *sink, int ta, int tb,
                           Product *out_product)
{
    const TsrTensorDesc *a = node->inputs[0], *b = node->inputs[1];
    int64_t a_shape[TSR_MAX_RANK + 1], b_shape[TSR_MAX_RANK + 1], b_steps[TSR_MAX_RANK];
    int64_t batch[TSR_MAX_RANK], a_steps[TSR_MAX_RANK], b_count = 1, b_batches = 1;
    uint32_t a_rank = a->rank, b_rank = b->rank, rank;
    Product p = { .b_input = 1, .bias = TSR_ARG_NULL, .residual = TSR_ARG_NULL,
                  .y = TSR_ARG_OUTPUT | 0 };
    TsrGemmParams *g = &p.gemm;
    memcpy(a_shape, a->shape, a_rank * sizeof(int64_t));
    memcpy(b_shape, b->shape, b_rank * sizeof(int64_t));
    /* A vector is a row on the left and a column on the right. */
    if (a_rank == 1) {
        a_shape[1] = a_shape[0];
        a_shape[0] = 1;
        a_rank = 2;
    }
    if (b_rank == 1) {
        b_shape[1] = 1;
        b_rank = 2;
    }
    g->m = a_shape[a_rank - (ta ? 1 : 2)];
    g->k = a_shape[a_rank - (ta ? 2 : 1)];
    g->n = b_shape[b_rank - (tb ? 2 : 1)];
    if (b_shape[b_rank - (tb ? 1 : 2)] != g->k)
        return sink->fail(sink, TSR_INVALID_ARGUMENT,
                          "MatMul '%s': A has %lld columns, B %lld rows", node->name,
                          (long long)g->k, (long long)b_shape[b_rank - 2]);
    for (uint32_t i = 0; i + 2 < b_rank; i++)
        b_batches *= b_shape[i];
    if (b_batches == 1) {
        g->m *= tsr_shape_elements(a_rank - 2, a_shape);
        a_rank = 2;
        b_rank = 2;
    }
    rank = a_rank - 2;
    memcpy(batch, a_shape, rank * sizeof(int64_t));
    if (!tsr_shape_broadcast(&rank, batch, b_rank - 2, b_batches == 1 ? NULL : b_shape))
        return sink->fail(sink, TSR_INVALID_ARGUMENT, "MatMul '%s': batch dims do not broadcast",
                          node->name);
    tsr_broadcast_strides(a_rank - 2, a_shape, rank, a_steps);
    tsr_broadcast_strides(b_rank - 2, b_shape, rank, b_steps);
    g->batch_rank = rank;
    for (uint32_t i = 0; i < rank; i++) {
        g->batch_shape[i] = batch[i];
        g->a_step[i] = a_steps[i] * g->m * g->k;
        g->b_step[i] = b_steps[i];
    }
    for (uint32_t i = 0; i + 2 < b_rank; i++)
        b_count *= b_shape[i];
    g->a_row = ta ? 1 : g->k;
    g->a_column = ta ? g->m : 1;
    p.pack = (TsrPackPanelsParams){ sizeof(p.pack), 1.0f, b_count, g->k, g->n,
                                    tb ? 1 : g->n, tb ? g->k : 1, g->k * g->n };
    *out_product = p;
    return TSR_OK;
}

static int32_t matmul_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    Product p;
    int32_t status;
    (void)op;
    if (nn_is_internal(node->outputs[0]))
        return nn_matmul_nz_build(node, sink);
    status = read_matmul(node, sink, 0, 0, &p);
    return status == TSR_OK ? add_product(node, sink, &p) : status;
}

/* ----------------------------------------------------------- fused MatMul */

/* A constant of n floats as the bias of whole panels. */
static int32_t add_bias(const TsrNodeView *node, TsrTaskSink *sink, int64_t n, uint32_t *out_arg)
{
    const TsrTensor *value = nn_value(node, 2);
    const size_t all = (size_t)nn_round_up(n, 16);
    float *copy;
    int32_t status;
    if (value == NULL || tsr_desc_elements(value->desc) != n)
        return sink->fail(sink, TSR_UNSUPPORTED, "MatMul '%s': the bias has to be %lld constants",
                          node->name, (long long)n);
    copy = calloc(all + 1, sizeof(*copy));
    if (copy == NULL)
        return sink->fail(sink, TSR_OUT_OF_MEMORY, "MatMul '%s': bias", node->name);
    memcpy(copy, value->data, (size_t)n * sizeof(*copy));
    status = sink->constant(sink, copy, (uint64_t)all * sizeof(*copy), out_arg);
    free(copy);
    return status;
}

static NnOperand operand_of(uint32_t arg, const TsrTensorDesc *d)
{
    NnOperand operand = { .arg = arg, .rank = d->rank, .dtype = d->dtype };
    memcpy(operand.shape, d->shape, d->rank * sizeof(int64_t));
    return operand;
}

/* A times B alone: it has the output's shape but where Z is larger. */
static NnOperand product_operand(const TsrNodeView *node, int ta, int tb)
{
    const TsrTensorDesc *a = node->inputs[0], *b = node->inputs[1];
    NnOperand product = { .arg = TSR_ARG_OUTPUT | 0, .rank = a->rank - 2,
                          .dtype = a->dtype };
    memcpy(product.shape, a->shape, product.rank * sizeof(int64_t));
    tsr_shape_broadcast(&product.rank, product.shape, b->rank - 2, b->shape);
    product.shape[product.rank++] = a->shape[a->rank - (ta ? 1 : 2)];
    product.shape[product.rank++] = b->shape[b->rank - (tb ? 2 : 1)];
    return product;
}

static int same_operand(const NnOperand *operand, const TsrTensorDesc *d)
{
    return operand->rank == d->rank &&
           memcmp(operand->shape, d->shape, d->rank * sizeof(int64_t)) == 0;
}

/* Z goes into the kernel where it is as large as the product. Otherwise it is added
 * afterwards, with the activation behind that. */
static int32_t fused_matmul_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const TsrTensorDesc *y = node->outputs[0], *z = nn_input(node, 3);
    const int ta = tsr_attr_int(node, "transA", 0) != 0;
    const int tb = tsr_attr_int(node, "transB", 0) != 0;
    const TsrActivation activation = nn_activation_of(node);
    NnOperand product = product_operand(node, ta, tb), summand, whole;
    Product p;
    int32_t status;
    (void)op;
    if (nn_is_internal(y))
        return nn_matmul_nz_build(node, sink);
    status = read_matmul(node, sink, ta, tb, &p);
    if (status == TSR_OK && nn_input(node, 2) != NULL)
        status = add_bias(node, sink, p.gemm.n, &p.bias);
    if (status != TSR_OK)
        return status;
    if (z == NULL || same_operand(&product, z)) {
        p.residual = z != NULL ? TSR_ARG_INPUT | 3 : TSR_ARG_NULL;
        p.gemm.activation = activation;
        return add_product(node, sink, &p);
    }
    if (!same_operand(&product, y))
        status = sink->workspace(sink,
                                 (uint64_t)tsr_shape_elements(product.rank, product.shape) *
                                     sizeof(float), &product.arg);
    p.y = product.arg;
    if (status == TSR_OK)
        status = add_product(node, sink, &p);
    if (status != TSR_OK)
        return status;
    summand = operand_of(TSR_ARG_INPUT | 3, z);
    whole = operand_of(TSR_ARG_OUTPUT | 0, y);
    status = nn_build_binary(sink, TSR_BINARY_ADD, &product, &summand, &whole);
    if (status != TSR_OK || activation.kind == TSR_ACT_NONE)
        return status;
    return nn_build_activation(sink, y->dtype, &activation, TSR_ARG_OUTPUT | 0,
                               TSR_ARG_OUTPUT | 0, tsr_desc_elements(y));
}

static void fused_matmul_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    const TsrTensorDesc *a = node->inputs[0], *b = node->inputs[1];
    (void)op;
    if (a->rank < 2 || b->rank < 2)
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "an operand is no matrix");
    else if (tsr_attr_int(node, "transA", 0) != 0 && (a->rank != 2 || b->rank != 2))
        tsr_support_no(out_support, TSR_REFUSE_ATTR, "transA with batches");
    else if (nn_input(node, 2) != NULL && nn_value(node, 2) == NULL)
        tsr_support_no(out_support, TSR_REFUSE_VALUE, "the bias has to be constant");
}

/* ------------------------------------------------------------------- Gemm */

static int bias_row(const TsrTensorDesc *c, int64_t n);

/* Whether alpha and C need no rounding of their own: the panels hold B itself, and the
 * kernel adds C before it rounds. */
static int rounds_once(const TsrNodeView *node)
{
    const TsrTensorDesc *c = nn_input(node, 2), *y = node->outputs[0];
    if (tsr_attr_float(node, "alpha", 1.0f) != 1.0f || !tsr_desc_is_static(y))
        return 0;
    if (c == NULL || tsr_attr_float(node, "beta", 1.0f) == 0.0f)
        return 1;
    if (nn_value(node, 2) != NULL)
        return bias_row(c, y->shape[1]);
    return c->rank == 2 && c->shape[0] == y->shape[0] && c->shape[1] == y->shape[1];
}

static void gemm_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    const TsrTensorDesc *c = nn_input(node, 2);
    (void)op;
    if (node->inputs[0]->rank != 2 || node->inputs[1]->rank != 2) {
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "A and B have rank %u and %u, wanted 2",
                       node->inputs[0]->rank, node->inputs[1]->rank);
        return;
    }
    if (c != NULL && nn_value(node, 2) == NULL && tsr_attr_float(node, "beta", 1.0f) != 1.0f)
        tsr_support_no(out_support, TSR_REFUSE_VALUE, "beta is not 1, so C has to be constant");
    if (node->inputs[0]->dtype != TSR_DTYPE_FLOAT && !rounds_once(node))
        tsr_support_no(out_support, TSR_REFUSE_ATTR,
                       "alpha or C would round narrow floats twice");
}

/* C as a bias of whole panels when it is one row; 0 when it is not. */
static int bias_row(const TsrTensorDesc *c, int64_t n)
{
    const int64_t count = tsr_desc_elements(c);
    if (c->rank == 2 && c->shape[0] != 1)
        return 0;
    return count == n || count == 1;
}

static int32_t gemm_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    const int64_t *a = node->inputs[0]->shape, *b = node->inputs[1]->shape;
    const int ta = tsr_attr_int(node, "transA", 0) != 0;
    const int tb = tsr_attr_int(node, "transB", 0) != 0;
    const float beta = tsr_attr_float(node, "beta", 1.0f);
    const TsrTensorDesc *c = nn_input(node, 2);
    const TsrTensor *value = nn_value(node, 2);
    uint32_t c_arg = TSR_ARG_INPUT | 2;
    int32_t status = TSR_OK;
    float *copy = NULL;
    Product p = { .b_input = 1, .bias = TSR_ARG_NULL, .residual = TSR_ARG_NULL,
                  .y = TSR_ARG_OUTPUT | 0 };
    TsrGemmParams *g = &p.gemm;
    (void)op;
    g->m = ta ? a[1] : a[0];
    g->k = ta ? a[0] : a[1];
    g->n = tb ? b[0] : b[1];
    if ((tb ? b[1] : b[0]) != g->k)
        return sink->fail(sink, TSR_INVALID_ARGUMENT, "Gemm '%s': inner dims are %lld and %lld",
                          node->name, (long long)g->k, (long long)(tb ? b[1] : b[0]));
    g->a_row = ta ? 1 : g->k;
    g->a_column = ta ? g->m : 1;
    p.pack = (TsrPackPanelsParams){ sizeof(p.pack), tsr_attr_float(node, "alpha", 1.0f), 1, g->k,
                                    g->n, tb ? 1 : g->n, tb ? g->k : 1, 0 };
    if (c == NULL || beta == 0.0f)
        return add_product(node, sink, &p);
    if (value != NULL) {
        /* beta * C is known: a row goes into the kernel, more is added afterwards. */
        const int row = bias_row(c, g->n);
        const int64_t count = tsr_desc_elements(c), all = row ? nn_round_up(g->n, 16) : count;
        copy = calloc((size_t)all + 1, sizeof(*copy));
        if (copy == NULL)
            return sink->fail(sink, TSR_OUT_OF_MEMORY, "Gemm '%s': C", node->name);
        for (int64_t i = 0; i < (row ? g->n : count); i++)
            copy[i] = beta * ((const float *)value->data)[count == 1 ? 0 : i];
        status = sink->constant(sink, copy, (uint64_t)all * sizeof(*copy), &c_arg);
        free(copy);
        if (status == TSR_OK && row) {
            p.bias = c_arg;
            return add_product(node, sink, &p);
        }
    } else if (c->rank == 2 && c->shape[0] == g->m && c->shape[1] == g->n) {
        p.residual = c_arg;
        return add_product(node, sink, &p);
    }
    if (status == TSR_OK)
        status = add_product(node, sink, &p);
    if (status != TSR_OK)
        return status;
    const NnOperand y = { TSR_ARG_OUTPUT | 0, 2, { g->m, g->n } };
    NnOperand addend = { .arg = c_arg, .rank = c->rank };
    memcpy(addend.shape, c->shape, c->rank * sizeof(int64_t));
    return nn_build_binary(sink, TSR_BINARY_ADD, &y, &addend, &y);
}

static void matmul_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    (void)op;
    if (node->inputs[0]->rank < 1 || node->inputs[1]->rank < 1)
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "an operand is a scalar");
}

static const NnOp ops[] = {
    { .op_type = "Gemm", .domain = "", .min_version = 7, .max_version = 13,
      .dtypes = NN_FLOATS, .check = gemm_check, .build = gemm_build },
    { .op_type = "MatMul", .domain = "", .min_version = 1, .max_version = 13,
      .dtypes = NN_FLOATS, .check = matmul_check, .build = matmul_build,
      .select = &nn_matmul_select },
    { .op_type = "MatMul", .domain = NN_DOMAIN, .min_version = 1, .max_version = 1,
      .dtypes = NN_FLOATS, .check = fused_matmul_check, .build = fused_matmul_build,
      .select = &nn_matmul_select },
};

const NnOpTable nn_gemm_ops = { ops, sizeof(ops) / sizeof(ops[0]) };
