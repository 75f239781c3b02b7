/* SPDX-License-Identifier: Apache-2.0
 *
 * attention.c: Attention (23, 24, 25) and FlexAttention. A row of scores (one query of one
 * head) is the unit of work; sums are double. A key that the bias forbids is left out of
 * every sum, so that whatever lies in masked places of K and V does no harm, and a row
 * without any key is zero.
 */
#include "../number.h"
#include "../walk.h"
#include "../aicpu.h"
#include <math.h>

/* Where element (batch, head, place, 0) of Q, K, V or Y lies: both layouts as strides. */
typedef struct View {
    int64_t batch, head, place;
} View;

typedef struct Job {
    TsrRunContext *run;
    const double *q, *k, *v;
    double *y;
    View q_view, k_view, v_view, y_view;
    int64_t batch, heads, group, queries, keys, size, v_size;
    double scale, softcap;
    uint32_t dtype;          /* of the scores */
    uint32_t precision;      /* of the softmax */
    /* Bias */
    const double *mask;      /* values, or 0 and 1 where mask_bool */
    int mask_bool, causal;
    int64_t mask_stride[4], mask_keys;
    int64_t past, left, right;
    const int64_t *nonpad;
    /* The scores of one stage for an output, or of all stages in memory for FlexAttention */
    double *stage;
    int64_t stage_mode;
} Job;

static View view_of(const TsrTensorDesc *desc, int64_t heads)
{
    View view;
    if (desc->rank == 4) {
        view.place = desc->shape[3];
        view.head = desc->shape[2] * view.place;
        view.batch = desc->shape[1] * view.head;
    } else {
        view.head = desc->shape[2] / heads;
        view.place = desc->shape[2];
        view.batch = desc->shape[1] * view.place;
    }
    return view;
}

static double dot(const double *a, const double *b, int64_t n)
{
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* What is added to the score of key j for query i; -infinity forbids it. */
static double bias(const Job *job, int64_t b, int64_t h, int64_t i, int64_t j)
{
    int64_t offset = job->past, at;
    double value;
    if (job->nonpad != NULL) {
        if (job->past == 0)
            offset = job->nonpad[b] - job->queries;
        if (j >= job->nonpad[b])
            return -INFINITY;
    }
    if (job->causal && j > i + offset)
        return -INFINITY;
    if ((job->left >= 0 && j < i + offset - job->left) ||
        (job->right >= 0 && j > i + offset + job->right))
        return -INFINITY;
    if (job->mask == NULL)
        return 0.0;
    if (j >= job->mask_keys)
        return -INFINITY;
    at = b * job->mask_stride[0] + h * job->mask_stride[1] + i * job->mask_stride[2] +
         j * job->mask_stride[3];
    value = job->mask[at];
    return job->mask_bool ? (value != 0.0 ? 0.0 : -INFINITY) : value;
}

/* Softmax in place; -infinity counts nothing, and a row of only that becomes zero. */
static void softmax_row(double *row, int64_t n, uint32_t precision)
{
    double largest = -INFINITY, sum = 0.0;
    for (int64_t j = 0; j < n; j++)
        if (row[j] > largest || isnan(row[j]))
            largest = row[j];
    for (int64_t j = 0; j < n; j++) {
        row[j] = row[j] == -INFINITY ? 0.0 : aicpu_round_to(precision, exp(row[j] - largest));
        sum += row[j];
    }
    for (int64_t j = 0; j < n && sum != 0.0; j++)
        row[j] = aicpu_round_to(precision, row[j] / sum);
}

/* y = sum of probabilities times values. */
static void weigh(const Job *job, int64_t b, int64_t h, int64_t i, const double *row)
{
    double *y = job->y + b * job->y_view.batch + h * job->y_view.head + i * job->y_view.place;
    const double *v = job->v + b * job->v_view.batch + h / job->group * job->v_view.head;
    memset(y, 0, (size_t)job->v_size * sizeof(*y));
    for (int64_t j = 0; j < job->keys; j++)
        for (int64_t d = 0; row[j] != 0.0 && d < job->v_size; d++)
            y[d] += row[j] * v[j * job->v_view.place + d];
}

static void keep_stage(const Job *job, int64_t stage, int64_t row_index, const double *row)
{
    if (job->stage != NULL && job->stage_mode == stage)
        memcpy(job->stage + row_index * job->keys, row, (size_t)job->keys * sizeof(*row));
}

/* Rows [begin, end) of scores; row is one row of memory. */
static void attend(const Job *job, int64_t begin, int64_t end, double *row)
{
    for (int64_t r = begin; r < end; r++) {
        int64_t i = r % job->queries, h = r / job->queries % job->heads;
        int64_t b = r / job->queries / job->heads;
        const double *q = job->q + b * job->q_view.batch + h * job->q_view.head +
                          i * job->q_view.place;
        const double *k = job->k + b * job->k_view.batch + h / job->group * job->k_view.head;
        for (int64_t j = 0; j < job->keys; j++)
            row[j] = aicpu_round_to(job->dtype,
                                    job->scale * dot(q, k + j * job->k_view.place, job->size));
        keep_stage(job, 0, r, row);
        for (int64_t j = 0; job->softcap > 0.0 && j < job->keys; j++)
            row[j] = job->softcap * tanh(row[j] / job->softcap);
        keep_stage(job, 1, r, row);
        for (int64_t j = 0; j < job->keys; j++) {
            double add = bias(job, b, h, i, j);
            row[j] = add == -INFINITY ? -INFINITY : row[j] + add;
        }
        keep_stage(job, 2, r, row);
        softmax_row(row, job->keys, job->precision);
        keep_stage(job, 3, r, row);
        weigh(job, b, h, i, row);
    }
}

typedef struct Pieces {
    const Job *job;
    int64_t per_piece;
    double *rows; /* one row of memory for each piece */
} Pieces;

static void attend_pieces(void *arg, uint64_t begin, uint64_t end)
{
    const Pieces *p = arg;
    int64_t rows = p->job->batch * p->job->heads * p->job->queries;
    for (int64_t i = (int64_t)begin; i < (int64_t)end; i++) {
        int64_t last = (i + 1) * p->per_piece;
        attend(p->job, i * p->per_piece, last < rows ? last : rows,
               p->rows + i * p->job->keys);
    }
}

enum { PIECES = 64 };

static int32_t attend_all(Job *job)
{
    int64_t rows = job->batch * job->heads * job->queries;
    Pieces pieces = {job, (rows + PIECES - 1) / PIECES, NULL};
    if (rows == 0)
        return TSR_OK;
    pieces.rows = job->run->scratch(job->run, (uint64_t)(PIECES * job->keys + 1) *
                                                  sizeof(double));
    if (pieces.rows == NULL)
        return TSR_OUT_OF_MEMORY;
    aicpu_parallel(job->run, (rows + pieces.per_piece - 1) / pieces.per_piece,
                   1 + 16384 / (1 + pieces.per_piece * job->keys * (job->size + job->v_size)),
                   attend_pieces, &pieces);
    return TSR_OK;
}

/* The keys or values [batch, heads, past + new, size] as doubles, and in the output
 * present where it is wanted. */
static const double *with_past(TsrRunContext *run, const TsrTensor *past, const TsrTensor *fresh,
                               const TsrTensor *present, int64_t heads, View *out_view)
{
    View from = view_of(fresh->desc, heads);
    uint32_t place = fresh->desc->rank == 4 ? 2 : 1;
    int64_t batch = fresh->desc->shape[0], n = fresh->desc->shape[place];
    int64_t size = fresh->desc->rank == 4 ? fresh->desc->shape[3] : fresh->desc->shape[2] / heads;
    int64_t before = past != NULL ? past->desc->shape[2] : 0, total = before + n;
    const double *new_values = aicpu_as_double(run, fresh), *old = aicpu_as_double(run, past);
    double *all;
    if (past == NULL && present == NULL) {
        *out_view = from;
        return new_values;
    }
    all = run->scratch(run, (uint64_t)(batch * heads * total * size + 1) * sizeof(double));
    if (all == NULL || new_values == NULL || (past != NULL && old == NULL))
        return NULL;
    for (int64_t p = 0; p < batch * heads; p++) {
        double *to = all + p * total * size;
        if (before > 0)
            memcpy(to, old + p * before * size, (size_t)(before * size) * sizeof(double));
        for (int64_t t = 0; t < n; t++)
            memcpy(to + (before + t) * size,
                   new_values + p / heads * from.batch + p % heads * from.head + t * from.place,
                   (size_t)size * sizeof(double));
    }
    if (present != NULL)
        aicpu_store_double(present->desc->dtype, present->data, 0, batch * heads * total * size,
                           all, AICPU_SATURATE);
    out_view->place = size;
    out_view->head = total * size;
    out_view->batch = heads * total * size;
    return all;
}

static int32_t read_mask(TsrRunContext *run, Job *job, const TsrTensor *mask)
{
    int64_t stride[TSR_MAX_RANK], want[4] = {job->batch, job->heads, job->queries, job->keys};
    uint32_t rank = mask->desc->rank;
    int padded = run->node->since_version >= 24;
    if (rank > 4)
        return run->fail(run, TSR_INVALID_ARGUMENT, "attn_mask must have at most rank 4, got %u",
                         rank);
    tsr_broadcast_strides(rank, mask->desc->shape, 4, stride);
    for (uint32_t i = 0; i < rank; i++) {
        int64_t extent = mask->desc->shape[i], wanted = want[4 - rank + i];
        if (extent != 1 && extent != wanted && !(padded && i + 1 == rank && extent < wanted))
            return run->fail(run, TSR_INVALID_ARGUMENT,
                             "axis %u of attn_mask must be 1 or %lld, got %lld", i,
                             (long long)wanted, (long long)extent);
    }
    memcpy(job->mask_stride, stride, sizeof(job->mask_stride));
    /* An extent of 1 broadcasts; a shorter one is padded with -infinity (version 24). */
    job->mask_keys = rank == 0 || mask->desc->shape[rank - 1] == 1 ? job->keys
                                                                   : mask->desc->shape[rank - 1];
    job->mask_bool = mask->desc->dtype == TSR_DTYPE_BOOL;
    job->mask = aicpu_as_double(run, mask);
    return job->mask != NULL ? TSR_OK : TSR_OUT_OF_MEMORY;
}

/* What both operators read from Q, K, V. */
static int32_t read_common(TsrRunContext *run, Job *job, int64_t heads, int64_t kv_heads)
{
    const TsrTensorDesc *q = run->inputs[0]->desc, *v = run->inputs[2]->desc;
    const TsrAttr *scale = tsr_attr_find(run->node, "scale");
    job->run = run;
    job->batch = q->shape[0];
    job->heads = heads;
    job->queries = q->rank == 4 ? q->shape[2] : q->shape[1];
    job->size = q->rank == 4 ? q->shape[3] : q->shape[2] / heads;
    job->v_size = v->rank == 4 ? v->shape[3] : v->shape[2] / kv_heads;
    job->group = heads / kv_heads;
    job->dtype = q->dtype;
    job->scale = scale != NULL ? (double)scale->f : 1.0 / sqrt((double)job->size);
    job->left = job->right = -1;
    job->q = aicpu_as_double(run, run->inputs[0]);
    job->q_view = view_of(q, heads);
    job->y = aicpu_begin_double(run, run->outputs[0]);
    job->y_view = view_of(run->outputs[0]->desc, heads);
    return job->q != NULL && job->y != NULL ? TSR_OK : TSR_OUT_OF_MEMORY;
}

static int32_t run_attention(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *q = run->inputs[0]->desc, *k = run->inputs[1]->desc;
    const TsrTensor *past = aicpu_input(run, 4), *nonpad = aicpu_input(run, 6);
    const TsrTensor *stage = aicpu_output(run, 3);
    int64_t heads = q->rank == 4 ? q->shape[1] : tsr_attr_int(run->node, "q_num_heads", 1);
    int64_t kv_heads = k->rank == 4 ? k->shape[1] : tsr_attr_int(run->node, "kv_num_heads", 1);
    Job job = {.batch = 0};
    int32_t status;
    (void)kernel;
    if (tsr_desc_elements(run->outputs[0]->desc) == 0)
        return TSR_OK;
    if ((status = read_common(run, &job, heads, kv_heads)) != TSR_OK)
        return status;
    job.past = past != NULL ? past->desc->shape[2] : 0;
    job.keys = job.past + (k->rank == 4 ? k->shape[2] : k->shape[1]);
    job.k = with_past(run, past, run->inputs[1], aicpu_output(run, 1), kv_heads, &job.k_view);
    job.v = with_past(run, aicpu_input(run, 5), run->inputs[2], aicpu_output(run, 2), kv_heads,
                      &job.v_view);
    if (job.k == NULL || job.v == NULL)
        return TSR_OUT_OF_MEMORY;
    if (aicpu_input(run, 3) != NULL &&
        (status = read_mask(run, &job, run->inputs[3])) != TSR_OK)
        return status;
    job.causal = tsr_attr_int(run->node, "is_causal", 0) != 0;
    job.left = tsr_attr_int(run->node, "left_window_size", -1);
    job.right = tsr_attr_int(run->node, "right_window_size", -1);
    job.softcap = (double)tsr_attr_float(run->node, "softcap", 0.0f);
    job.precision = (uint32_t)tsr_attr_int(run->node, "softmax_precision", q->dtype);
    if (nonpad != NULL && (job.nonpad = aicpu_as_int64(run, nonpad)) == NULL)
        return TSR_OUT_OF_MEMORY;
    job.stage_mode = tsr_attr_int(run->node, "qk_matmul_output_mode", 0);
    if (stage != NULL && (job.stage = aicpu_begin_double(run, stage)) == NULL)
        return TSR_OUT_OF_MEMORY;
    if ((status = attend_all(&job)) != TSR_OK)
        return status;
    aicpu_finish_double(run->outputs[0], job.y);
    if (stage != NULL)
        aicpu_finish_double(stage, job.stage);
    return TSR_OK;
}

/* Runs a modifier of FlexAttention over all the scores; rows of doubles in and out. */
static int32_t modify(TsrRunContext *run, const char *name, const Job *job, double *scores)
{
    const TsrAttr *body = tsr_attr_find(run->node, name);
    int64_t shape[4] = {job->batch, job->heads, job->queries, job->keys};
    int64_t count = tsr_shape_elements(4, shape);
    TsrTensorDesc desc = {.struct_size = sizeof(desc), .dtype = job->precision, .rank = 4,
                          .storage_rank = 4, .shape = shape, .storage_shape = shape, .name = ""};
    TsrTensor tensor = {.struct_size = sizeof(tensor), .desc = &desc,
                        .size_bytes = tsr_dtype_bytes(job->precision, (uint64_t)count)};
    const TsrTensor *input = &tensor, *output;
    int32_t status;
    if (body == NULL)
        return TSR_OK;
    tensor.data = run->scratch(run, tensor.size_bytes + 1);
    if (tensor.data == NULL)
        return TSR_OUT_OF_MEMORY;
    aicpu_store_double(job->precision, tensor.data, 0, count, scores, AICPU_SATURATE);
    status = run->run_subgraph(run, (uint32_t)body->i, &input, 1, &output, 1);
    if (status != TSR_OK)
        return status;
    if (output->desc->dtype != job->precision || output->desc->rank != 4 ||
        memcmp(output->desc->shape, shape, sizeof(shape)) != 0)
        return run->fail(run, TSR_INVALID_ARGUMENT,
                         "%s must give a %s tensor of the shape of its input", name,
                         tsr_dtype_name(job->precision));
    aicpu_load_double(job->precision, output->data, 0, count, scores);
    return TSR_OK;
}

/* FlexAttention (ai.onnx.preview 1): the scores of all rows at once, since the subgraphs
 * see them as one tensor. */
static int32_t run_flex(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *q = run->inputs[0]->desc, *k = run->inputs[1]->desc;
    Job job = {.batch = 0};
    int64_t rows;
    double *scores;
    int32_t status;
    (void)kernel;
    if (tsr_desc_elements(run->outputs[0]->desc) == 0)
        return TSR_OK;
    if ((status = read_common(run, &job, q->shape[1], k->shape[1])) != TSR_OK)
        return status;
    job.keys = k->shape[2];
    job.precision = (uint32_t)tsr_attr_int(
        run->node, "softmax_precision",
        q->dtype == TSR_DTYPE_DOUBLE ? TSR_DTYPE_DOUBLE : TSR_DTYPE_FLOAT);
    job.k = aicpu_as_double(run, run->inputs[1]);
    job.v = aicpu_as_double(run, run->inputs[2]);
    job.k_view = view_of(k, k->shape[1]);
    job.v_view = view_of(run->inputs[2]->desc, k->shape[1]);
    rows = job.batch * job.heads * job.queries;
    scores = run->scratch(run, (uint64_t)(rows * job.keys + 1) * sizeof(double));
    if (job.k == NULL || job.v == NULL || scores == NULL)
        return TSR_OUT_OF_MEMORY;
    for (int64_t r = 0; r < rows; r++) {
        int64_t plane = r / job.queries, b = plane / job.heads, h = plane % job.heads;
        for (int64_t j = 0; j < job.keys; j++)
            scores[r * job.keys + j] =
                job.scale * dot(job.q + r * job.size,
                                job.k + b * job.k_view.batch + h / job.group * job.k_view.head +
                                    j * job.k_view.place, job.size);
    }
    if ((status = modify(run, "score_mod", &job, scores)) != TSR_OK)
        return status;
    for (int64_t r = 0; r < rows; r++)
        softmax_row(scores + r * job.keys, job.keys, job.precision);
    if ((status = modify(run, "prob_mod", &job, scores)) != TSR_OK)
        return status;
    for (int64_t r = 0; r < rows; r++)
        weigh(&job, r / job.queries / job.heads, r / job.queries % job.heads, r % job.queries,
              scores + r * job.keys);
    aicpu_finish_double(run->outputs[0], job.y);
    return TSR_OK;
}

static const AicpuKernel kernels[] = {
    {.op = "Attention", .run = run_attention, .dtypes = TSR_TYPES_FLOAT},
    {.op = "FlexAttention", .domain = "ai.onnx.preview", .run = run_flex,
     .dtypes = TSR_TYPES_FLOAT},
};

const AicpuFamily aicpu_attention = AICPU_FAMILY(kernels);
