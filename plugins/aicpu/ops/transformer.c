/* SPDX-License-Identifier: Apache-2.0
 *
 * transformer.c: what language models have around attention: RMSNormalization, SwiGLU,
 * RotaryEmbedding, LinearAttention, CausalConvWithState and TensorScatter. Sums and
 * recurrent states are double.
 */
#include "../number.h"
#include "../walk.h"
#include "../aicpu.h"
#include <math.h>

/* RMSNormalization: x / sqrt(mean(x^2) + epsilon) over the axes from axis on, times scale. */
static int32_t run_rms_norm(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *x_desc = run->inputs[0]->desc, *s_desc = run->inputs[1]->desc;
    int64_t axis = tsr_axis_normalize(tsr_attr_int(run->node, "axis", -1), x_desc->rank);
    int64_t count = tsr_desc_elements(x_desc), inner, stride[TSR_MAX_RANK];
    int64_t index[TSR_MAX_RANK] = {0}, at = 0;
    double epsilon = (double)tsr_attr_float(run->node, "epsilon", 1e-5f);
    const double *x = aicpu_as_double(run, run->inputs[0]);
    const double *scale = aicpu_as_double(run, run->inputs[1]);
    double *y = aicpu_begin_double(run, run->outputs[0]);
    (void)kernel;
    if (x == NULL || scale == NULL || y == NULL)
        return TSR_OUT_OF_MEMORY;
    if (axis < 0)
        return run->fail(run, TSR_INVALID_ARGUMENT, "axis is outside of rank %u", x_desc->rank);
    inner = tsr_shape_elements(x_desc->rank - (uint32_t)axis, x_desc->shape + axis);
    tsr_broadcast_strides(s_desc->rank, s_desc->shape, x_desc->rank, stride);
    for (int64_t v = 0; count > 0 && v < count / inner; v++) {
        double sum = 0.0, root;
        for (int64_t i = 0; i < inner; i++)
            sum += x[v * inner + i] * x[v * inner + i];
        root = 1.0 / sqrt(sum / (double)inner + epsilon);
        for (int64_t i = 0; i < inner; i++) {
            /* The first stage ends in the type of X. */
            y[v * inner + i] = aicpu_round_to(x_desc->dtype, x[v * inner + i] * root) * scale[at];
            for (uint32_t d = x_desc->rank; d-- > 0;) {
                at += stride[d];
                if (++index[d] < x_desc->shape[d])
                    break;
                at -= stride[d] * index[d];
                index[d] = 0;
            }
        }
    }
    aicpu_finish_double(run->outputs[0], y);
    return TSR_OK;
}

/* SwiGLU: swish(a) * b. */
static int32_t run_swiglu(const AicpuKernel *kernel, TsrRunContext *run)
{
    uint32_t dtype = run->inputs[0]->desc->dtype;
    int64_t count = tsr_desc_elements(run->outputs[0]->desc);
    double alpha = (double)tsr_attr_float(run->node, "alpha", 1.0f);
    (void)kernel;
    for (int64_t i = 0; i < count; i++) {
        double a, b;
        aicpu_load_double(dtype, run->inputs[0]->data, i, 1, &a);
        aicpu_load_double(dtype, run->inputs[1]->data, i, 1, &b);
        a = a / (1.0 + exp(-alpha * a)) * b;
        aicpu_store_double(dtype, run->outputs[0]->data, i, 1, &a, AICPU_SATURATE);
    }
    return TSR_OK;
}

/* RotaryEmbedding: turns pairs of a head's first columns by the angle of its position. */
static int32_t run_rotary(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *x_desc = run->inputs[0]->desc, *cache = run->inputs[1]->desc;
    const TsrTensor *ids = aicpu_input(run, 3);
    int flat = x_desc->rank == 3;
    int interleaved = tsr_attr_int(run->node, "interleaved", 0) != 0;
    int64_t heads = flat ? tsr_attr_int(run->node, "num_heads", 1) : x_desc->shape[1];
    int64_t batch = x_desc->shape[0], length = x_desc->shape[flat ? 1 : 2];
    int64_t size = flat ? x_desc->shape[2] / heads : x_desc->shape[3];
    int64_t turned = tsr_attr_int(run->node, "rotary_embedding_dim", 0), half;
    const double *x = aicpu_as_double(run, run->inputs[0]);
    const double *cosine = aicpu_as_double(run, run->inputs[1]);
    const double *sine = aicpu_as_double(run, run->inputs[2]);
    const int64_t *positions = aicpu_as_int64(run, ids);
    double *y = aicpu_begin_double(run, run->outputs[0]);
    (void)kernel;
    if (x == NULL || cosine == NULL || sine == NULL || y == NULL || (ids && positions == NULL))
        return TSR_OUT_OF_MEMORY;
    turned = turned == 0 ? size : turned;
    half = turned / 2;
    if (turned % 2 != 0 || turned > size || cache->shape[cache->rank - 1] != half ||
        tsr_desc_elements(run->inputs[2]->desc) != tsr_desc_elements(cache))
        return run->fail(run, TSR_INVALID_ARGUMENT,
                         "%lld columns of %lld cannot be turned by caches of %lld",
                         (long long)turned, (long long)size,
                         (long long)cache->shape[cache->rank - 1]);
    if (ids != NULL ? tsr_desc_elements(ids->desc) != batch * length
                    : tsr_desc_elements(cache) != batch * length * half)
        return run->fail(run, TSR_INVALID_ARGUMENT,
                         "position_ids or the caches do not have %lld times %lld places",
                         (long long)batch, (long long)length);
    memcpy(y, x, (size_t)(batch * heads * length * size) * sizeof(*y));
    for (int64_t row = 0; row < batch * heads * length; row++) {
        /* Rows lie as [batch, length, heads] or [batch, heads, length]. */
        int64_t b = row / (heads * length);
        int64_t place = flat ? row / heads % length : row % length;
        int64_t position = ids != NULL ? positions[b * length + place] : b * length + place;
        const double *from = x + row * size;
        double *to = y + row * size;
        if (position < 0 || (ids != NULL && position >= cache->shape[0]))
            return run->fail(run, TSR_INVALID_ARGUMENT,
                             "a position must be in [0, %lld), got %lld",
                             (long long)cache->shape[0], (long long)position);
        for (int64_t i = 0; i < half; i++) {
            int64_t first = interleaved ? 2 * i : i, second = interleaved ? 2 * i + 1 : half + i;
            double c = cosine[position * half + i], s = sine[position * half + i];
            to[first] = c * from[first] - s * from[second];
            to[second] = s * from[first] + c * from[second];
        }
    }
    aicpu_finish_double(run->outputs[0], y);
    return TSR_OK;
}

/* One head of a LinearAttention: the recurrence over all places. */
typedef struct Recurrence {
    const double *q, *k, *v, *decay, *beta;
    double *y, *state;
    int64_t length, q_step, k_step, v_step, decay_step, beta_step, y_step;
    int64_t k_size, v_size, group, decay_size;
    double scale;
    int delta;
    double *memory; /* v_size */
} Recurrence;

static void recur(const Recurrence *r)
{
    for (int64_t t = 0; t < r->length; t++) {
        const double *k = r->k + t * r->k_step, *v = r->v + t * r->v_step;
        double beta = r->delta ? r->beta[t * r->beta_step] : 1.0;
        for (int64_t i = 0; r->decay != NULL && i < r->k_size; i++) {
            double g = exp(r->decay[t * r->decay_step + (r->decay_size > 1 ? i : 0)]);
            for (int64_t j = 0; j < r->v_size; j++)
                r->state[i * r->v_size + j] *= g;
        }
        for (int64_t j = 0; j < r->v_size; j++) {
            r->memory[j] = v[j];
            for (int64_t i = 0; r->delta && i < r->k_size; i++)
                r->memory[j] -= r->state[i * r->v_size + j] * k[i];
        }
        for (int64_t i = 0; i < r->k_size; i++)
            for (int64_t j = 0; j < r->v_size; j++)
                r->state[i * r->v_size + j] += beta * k[i] * r->memory[j];
        for (int64_t h = 0; h < r->group; h++) {
            const double *q = r->q + t * r->q_step + h * r->k_size;
            double *y = r->y + t * r->y_step + h * r->v_size;
            for (int64_t j = 0; j < r->v_size; j++) {
                y[j] = 0.0;
                for (int64_t i = 0; i < r->k_size; i++)
                    y[j] += q[i] * r->state[i * r->v_size + j];
                y[j] *= r->scale;
            }
        }
    }
}

/* LinearAttention 27: the four update rules differ in decay and delta only. */
static int32_t run_linear_attention(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *q = run->inputs[0]->desc, *v = run->inputs[2]->desc;
    const TsrTensor *past = aicpu_input(run, 3), *decay = aicpu_input(run, 4);
    const TsrTensor *beta = aicpu_input(run, 5), *present = aicpu_output(run, 1);
    int64_t heads = tsr_attr_int(run->node, "q_num_heads", 1), batch = q->shape[0];
    int64_t kv_heads = tsr_attr_int(run->node, "kv_num_heads", 1), states;
    int gated = tsr_attr_is(run->node, "update_rule", "gated") ||
                tsr_attr_is(run->node, "update_rule", "gated_delta");
    int delta = tsr_attr_is(run->node, "update_rule", "delta") ||
                tsr_attr_is(run->node, "update_rule", "gated_delta");
    Recurrence r = {.length = q->shape[1], .q_step = q->shape[2], .delta = delta,
                    .k_step = run->inputs[1]->desc->shape[2], .v_step = v->shape[2],
                    .k_size = q->shape[2] / heads, .v_size = v->shape[2] / kv_heads,
                    .group = heads / kv_heads, .y_step = heads * (v->shape[2] / kv_heads),
                    .scale = (double)tsr_attr_float(run->node, "scale", 0.0f)};
    const double *in[6];
    double *state, *y = aicpu_begin_double(run, run->outputs[0]);
    (void)kernel;
    if ((gated && decay == NULL) || (delta && beta == NULL))
        return run->fail(run, TSR_INVALID_ARGUMENT, "this update_rule needs the input %s",
                         gated && decay == NULL ? "decay" : "beta");
    if (gated) {
        r.decay_step = decay->desc->shape[decay->desc->rank - 1];
        r.decay_size = r.decay_step == kv_heads * r.k_size ? r.k_size : 1;
    }
    if (delta)
        r.beta_step = beta->desc->shape[beta->desc->rank - 1];
    if ((gated && (decay->desc->rank != 3 || r.decay_step != kv_heads * r.decay_size ||
                   tsr_desc_elements(decay->desc) != batch * r.length * r.decay_step)) ||
        (delta && (beta->desc->rank != 3 || (r.beta_step != 1 && r.beta_step != kv_heads) ||
                   tsr_desc_elements(beta->desc) != batch * r.length * r.beta_step)))
        return run->fail(run, TSR_INVALID_ARGUMENT,
                         "decay or beta do not have one entry for each of %lld heads",
                         (long long)kv_heads);
    states = batch * kv_heads * r.k_size * r.v_size;
    state = run->scratch(run, (uint64_t)(states + r.v_size + 1) * sizeof(double));
    for (uint32_t i = 0; i < 6; i++)
        if ((in[i] = aicpu_as_double(run, aicpu_input(run, i))) == NULL &&
            aicpu_input(run, i) != NULL)
            return TSR_OUT_OF_MEMORY;
    if (state == NULL || y == NULL)
        return TSR_OUT_OF_MEMORY;
    r.memory = state + states;
    if (past != NULL)
        memcpy(state, in[3], (size_t)states * sizeof(double));
    else
        memset(state, 0, (size_t)states * sizeof(double));
    if (r.scale == 0.0)
        r.scale = 1.0 / sqrt((double)r.k_size);
    for (int64_t b = 0; b < batch; b++)
        for (int64_t h = 0; h < kv_heads; h++) {
            r.q = in[0] + b * r.length * r.q_step + h * r.group * r.k_size;
            r.k = in[1] + b * r.length * r.k_step + h * r.k_size;
            r.v = in[2] + b * r.length * r.v_step + h * r.v_size;
            r.decay = gated ? in[4] + b * r.length * r.decay_step + h * r.decay_size : NULL;
            r.beta = delta ? in[5] + b * r.length * r.beta_step + (r.beta_step > 1 ? h : 0) : NULL;
            r.y = y + b * r.length * r.y_step + h * r.group * r.v_size;
            r.state = state + (b * kv_heads + h) * r.k_size * r.v_size;
            recur(&r);
        }
    aicpu_finish_double(run->outputs[0], y);
    if (present != NULL)
        aicpu_store_double(present->desc->dtype, present->data, 0, states, state,
                           AICPU_SATURATE);
    return TSR_OK;
}

/* CausalConvWithState: a channel sees its past k - 1 places. */
static int32_t run_causal_conv(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *x_desc = run->inputs[0]->desc;
    const TsrTensor *bias = aicpu_input(run, 2), *past = aicpu_input(run, 3);
    const TsrTensor *present = aicpu_output(run, 1);
    int64_t channels = x_desc->shape[1], length = x_desc->shape[2];
    int64_t rows = x_desc->shape[0] * channels, k = run->inputs[1]->desc->shape[2];
    int silu = !tsr_attr_is(run->node, "activation", "none");
    uint32_t dtype = x_desc->dtype;
    double *line = run->scratch(run, (uint64_t)(2 * k + length) * sizeof(double));
    double *weight = line != NULL ? line + k + length : NULL;
    (void)kernel;
    if (line == NULL)
        return TSR_OUT_OF_MEMORY;
    for (int64_t row = 0; row < rows; row++) {
        int64_t c = row % channels;
        double b = 0.0;
        memset(line, 0, (size_t)k * sizeof(*line));
        if (past != NULL)
            aicpu_load_double(dtype, past->data, row * (k - 1), k - 1, line);
        aicpu_load_double(dtype, run->inputs[0]->data, row * length, length, line + k - 1);
        aicpu_load_double(dtype, run->inputs[1]->data, c * k, k, weight);
        if (bias != NULL)
            aicpu_load_double(dtype, bias->data, c, 1, &b);
        for (int64_t t = 0; t < length; t++) {
            double sum = b;
            for (int64_t i = 0; i < k; i++)
                sum += weight[i] * line[t + i];
            sum = silu ? sum / (1.0 + exp(-sum)) : sum;
            aicpu_store_double(dtype, run->outputs[0]->data, row * length + t, 1, &sum,
                               AICPU_SATURATE);
        }
        if (present != NULL)
            aicpu_store_double(dtype, present->data, row * (k - 1), k - 1, line + length,
                               AICPU_SATURATE);
    }
    return TSR_OK;
}

/* TensorScatter: the cache with update written from write_indices[batch] on along axis. */
static int32_t run_tensor_scatter(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *cache = run->inputs[0]->desc, *update = run->inputs[1]->desc;
    const int64_t *indices = aicpu_as_int64(run, aicpu_input(run, 2));
    int64_t axis = tsr_axis_normalize(tsr_attr_int(run->node, "axis", -2), cache->rank);
    int circular = tsr_attr_is(run->node, "mode", "circular");
    int64_t outer, inner, room, steps;
    int32_t status = aicpu_copy_dense(run, cache->dtype, run->outputs[0]->data, 0,
                                      run->inputs[0]->data, 0, tsr_desc_elements(cache));
    (void)kernel;
    if (status != TSR_OK || tsr_desc_elements(update) == 0)
        return status;
    if (axis < 1)
        return run->fail(run, TSR_INVALID_ARGUMENT, "axis is outside of rank %u", cache->rank);
    outer = tsr_shape_elements((uint32_t)axis - 1, cache->shape + 1);
    inner = tsr_shape_elements(cache->rank - (uint32_t)axis - 1, cache->shape + axis + 1);
    room = cache->shape[axis];
    steps = update->shape[axis];
    if (indices != NULL && tsr_desc_elements(run->inputs[2]->desc) != cache->shape[0])
        return run->fail(run, TSR_INVALID_ARGUMENT, "write_indices must have %lld entries",
                         (long long)cache->shape[0]);
    for (int64_t p = 0; p < cache->shape[0] * outer; p++) {
        int64_t first = indices != NULL ? indices[p / outer] : 0;
        if (first < 0 || (!circular && first + steps > room))
            return run->fail(run, TSR_INVALID_ARGUMENT,
                             "writing %lld places from %lld leaves the cache of %lld",
                             (long long)steps, (long long)first, (long long)room);
        for (int64_t t = 0; t < steps && status == TSR_OK; t++)
            status = aicpu_copy_dense(run, cache->dtype, run->outputs[0]->data,
                                      (p * room + (first + t) % room) * inner,
                                      run->inputs[1]->data, (p * steps + t) * inner, inner);
    }
    return status;
}

#define SINGLE (TSR_TYPES_FLOAT & ~TSR_BIT(TSR_DTYPE_DOUBLE))

static const AicpuKernel kernels[] = {
    {.op = "RMSNormalization", .run = run_rms_norm, .dtypes = TSR_TYPES_FLOAT},
    {.op = "SwiGLU", .run = run_swiglu, .dtypes = TSR_TYPES_FLOAT},
    {.op = "RotaryEmbedding", .run = run_rotary, .dtypes = SINGLE},
    {.op = "LinearAttention", .run = run_linear_attention, .dtypes = SINGLE},
    {.op = "CausalConvWithState", .run = run_causal_conv, .dtypes = SINGLE},
    {.op = "TensorScatter", .run = run_tensor_scatter},
};

const AicpuFamily aicpu_transformer = AICPU_FAMILY(kernels);
