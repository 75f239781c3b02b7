/* SPDX-License-Identifier: Apache-2.0
 *
 * nms.c: NonMaxSuppression: per image and class, boxes by falling score; a box that
 * overlaps a chosen one by more than the threshold is dropped.
 */
#include "../aicpu.h"
#include "../number.h"
#include <stdlib.h>

typedef struct Candidate {
    float score;
    int64_t box;
} Candidate;

static int by_score(const void *p, const void *q)
{
    const Candidate *a = p, *b = q;
    if (a->score != b->score)
        return a->score < b->score ? 1 : -1;
    return (a->box > b->box) - (a->box < b->box);
}

/* Corners in ascending order; center_point_box has [x, y, width, height]. */
static void corners(const float *box, int center, float *out)
{
    for (int i = 0; i < 2; i++) {
        float a = center ? box[i] - box[2 + i] / 2 : box[i];
        float b = center ? box[i] + box[2 + i] / 2 : box[2 + i];
        out[i] = a < b ? a : b;
        out[2 + i] = a < b ? b : a;
    }
}

static float overlap(const float *p, const float *q, int center)
{
    float a[4], b[4], side[2], area;
    corners(p, center, a);
    corners(q, center, b);
    for (int i = 0; i < 2; i++) {
        float low = a[i] > b[i] ? a[i] : b[i], high = a[2 + i] < b[2 + i] ? a[2 + i] : b[2 + i];
        side[i] = high > low ? high - low : 0.0f;
    }
    area = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - side[0] * side[1];
    return area > 0.0f ? side[0] * side[1] / area : 0.0f;
}

static int32_t run_nms(const AicpuKernel *kernel, TsrRunContext *run)
{
    const float *boxes = run->inputs[0]->data, *scores = run->inputs[1]->data;
    const int64_t *shape = run->inputs[1]->desc->shape;
    int64_t batches = shape[0], classes = shape[1], n = shape[2], found = 0, out_shape[2];
    int64_t limit = aicpu_scalar_int64(aicpu_input(run, 2), 0);
    float iou = (float)aicpu_scalar_double(aicpu_input(run, 3), 0.0);
    const TsrTensor *score_limit = aicpu_input(run, 4);
    float least = (float)aicpu_scalar_double(score_limit, 0.0);
    int center = tsr_attr_int(run->node, "center_point_box", 0) != 0;
    Candidate *list = run->scratch(run, (uint64_t)(n + 1) * sizeof(*list));
    int64_t *chosen, per_class = limit < n ? limit : n;
    int32_t status;
    (void)kernel;
    if (run->inputs[0]->desc->shape[0] != batches || run->inputs[0]->desc->shape[1] != n ||
        run->inputs[0]->desc->shape[2] != 4)
        return run->fail(run, TSR_INVALID_ARGUMENT, "boxes must be [%lld,%lld,4] like the scores",
                         (long long)batches, (long long)n);
    per_class = per_class < 0 ? 0 : per_class;
    chosen = run->scratch(run, (uint64_t)(3 * batches * classes * per_class + 1) *
                                   sizeof(*chosen));
    if (list == NULL || chosen == NULL)
        return TSR_OUT_OF_MEMORY;
    for (int64_t b = 0; b < batches; b++)
        for (int64_t c = 0; c < classes; c++) {
            int64_t count = 0, first = found;
            for (int64_t i = 0; i < n; i++) {
                float score = scores[(b * classes + c) * n + i];
                if (score_limit == NULL || score > least)
                    list[count++] = (Candidate){score, i};
            }
            qsort(list, (size_t)count, sizeof(*list), by_score);
            for (int64_t i = 0; i < count && found - first < per_class; i++) {
                int keep = 1;
                for (int64_t k = first; k < found && keep; k++)
                    keep = overlap(boxes + (b * n + list[i].box) * 4,
                                   boxes + (b * n + chosen[3 * k + 2]) * 4, center) <= iou;
                if (!keep)
                    continue;
                chosen[3 * found] = b;
                chosen[3 * found + 1] = c;
                chosen[3 * found + 2] = list[i].box;
                found++;
            }
        }
    out_shape[0] = found;
    out_shape[1] = 3;
    if ((status = run->alloc_output(run, 0, TSR_DTYPE_INT64, 2, out_shape)) != TSR_OK)
        return status;
    if (found > 0)
        memcpy(run->outputs[0]->data, chosen, (size_t)found * 3 * sizeof(*chosen));
    return TSR_OK;
}

static const AicpuKernel kernels[] = {
    {.op = "NonMaxSuppression", .run = run_nms},
};

const AicpuFamily aicpu_nms = AICPU_FAMILY(kernels);
