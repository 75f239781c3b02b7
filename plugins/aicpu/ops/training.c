/* SPDX-License-Identifier: Apache-2.0
 *
 * training.c: one step of the optimizers of ai.onnx.preview.training. Inputs and outputs
 * are groups: the tensors, their gradients, then one or two accumulators of each.
 */
#include "../number.h"
#include "../aicpu.h"
#include <math.h>

enum { ADAGRAD, ADAM, MOMENTUM };

/* What a step knows beside the element. */
typedef struct Step {
    uint32_t rule;
    double rate, count, norm, norm_post, epsilon, alpha, beta;
    int nesterov;
} Step;

/* x, g and the accumulators of one element become their new values. */
static void update(const Step *s, double *x, double g, double *first, double *second)
{
    g += s->norm * *x;
    if (s->rule == ADAGRAD) {
        *first += g * g;
        *x -= s->rate * g / (sqrt(*first) + s->epsilon);
    } else if (s->rule == ADAM) {
        *first = s->alpha * *first + (1.0 - s->alpha) * g;
        *second = s->beta * *second + (1.0 - s->beta) * g * g;
        *x -= s->rate * *first / (sqrt(*second) + s->epsilon);
        *x *= 1.0 - s->norm_post;
    } else {
        *first = s->alpha * *first + s->beta * g;
        *x -= s->rate * (s->nesterov ? g + s->alpha * *first : *first);
    }
}

static int32_t run_optimizer(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrNodeView *node = run->node;
    uint32_t groups = kernel->mode == ADAM ? 4 : 3, count = (run->input_count - 2) / groups;
    Step s = {.rule = kernel->mode, .rate = aicpu_scalar_double(run->inputs[0], 0.0),
              .count = (double)aicpu_scalar_int64(run->inputs[1], 0),
              .norm = (double)tsr_attr_float(node, "norm_coefficient", 0.0f),
              .norm_post = (double)tsr_attr_float(node, "norm_coefficient_post", 0.0f),
              .epsilon = (double)tsr_attr_float(node, "epsilon", 0.0f),
              .alpha = (double)tsr_attr_float(node, "alpha", 0.9f),
              .beta = (double)tsr_attr_float(node, "beta", 0.999f),
              .nesterov = tsr_attr_is(node, "mode", "nesterov")};
    if (s.rule == ADAGRAD)
        s.rate /= 1.0 + s.count * (double)tsr_attr_float(node, "decay_factor", 0.0f);
    else if (s.rule == ADAM && s.count > 0.0)
        s.rate *= sqrt(1.0 - pow(s.beta, s.count)) / (1.0 - pow(s.alpha, s.count));
    else if (s.rule == MOMENTUM && s.count <= 0.0)
        s.beta = 1.0;
    for (uint32_t k = 0; k < count; k++) {
        const TsrTensor *in[4] = {NULL, NULL, NULL, NULL};
        for (uint32_t g = 0; g < groups; g++) {
            in[g] = run->inputs[2 + g * count + k];
            if (in[g] == NULL ||
                tsr_desc_elements(in[g]->desc) != tsr_desc_elements(in[0]->desc))
                return run->fail(run, TSR_INVALID_ARGUMENT,
                                 "tensor %u and its state differ in size", k);
        }
        for (int64_t i = 0; i < tsr_desc_elements(in[0]->desc); i++) {
            double value[4] = {0.0, 0.0, 0.0, 0.0};
            for (uint32_t g = 0; g < groups; g++)
                aicpu_load_double(in[g]->desc->dtype, in[g]->data, i, 1, &value[g]);
            update(&s, &value[0], value[1], &value[2], &value[3]);
            for (uint32_t g = 0; g < groups; g++) {
                uint32_t output = (g < 2 ? g : g - 1) * count + k;
                if (g != 1 && aicpu_output(run, output) != NULL)
                    aicpu_store_double(run->outputs[output]->desc->dtype,
                                       run->outputs[output]->data, i, 1, &value[g],
                                       AICPU_SATURATE);
            }
        }
    }
    return TSR_OK;
}

#define DOMAIN "ai.onnx.preview.training"

static const AicpuKernel kernels[] = {
    {.op = "Adagrad", .domain = DOMAIN, .run = run_optimizer, .mode = ADAGRAD},
    {.op = "Adam", .domain = DOMAIN, .run = run_optimizer, .mode = ADAM},
    {.op = "Momentum", .domain = DOMAIN, .run = run_optimizer, .mode = MOMENTUM},
};

const AicpuFamily aicpu_training = AICPU_FAMILY(kernels);
