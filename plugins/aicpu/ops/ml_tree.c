/* SPDX-License-Identifier: Apache-2.0
 *
 * ml_tree.c: TreeEnsemble (ai.onnx.ml 5). The lists of the attributes are checked before a
 * row is walked, and a walk ends after as many steps as there are nodes, so that no list
 * can make it read outside or run forever.
 */
#include "../number.h"
#include "../aicpu.h"
#include <math.h>

enum { LEQ, LT, GTE, GT, EQ, NEQ, MEMBER };
enum { AVERAGE, SUM, MIN, MAX };

typedef struct Forest {
    uint32_t nodes, leaves, roots;
    const int64_t *feature, *true_id, *false_id, *true_leaf, *false_leaf, *missing, *root;
    const int64_t *target;
    const double *split, *weight, *member;
    const int64_t *mode, *first_member; /* of the set of a node */
    int64_t members;
} Forest;

/* An INTS attribute that must have count entries in [0, limit). */
static int32_t read_list(TsrRunContext *run, const char *name, uint32_t count, int64_t limit,
                         const int64_t **out)
{
    uint32_t got;
    *out = tsr_attr_ints(run->node, name, &got);
    if (got != count)
        return run->fail(run, TSR_INVALID_ARGUMENT, "%s must have %u entries, got %u", name,
                         count, got);
    for (uint32_t i = 0; i < count; i++)
        if ((*out)[i] < 0 || (*out)[i] >= limit)
            return run->fail(run, TSR_INVALID_ARGUMENT, "%s must be in [0, %lld), got %lld", name,
                             (long long)limit, (long long)(*out)[i]);
    return TSR_OK;
}

/* A tensor attribute of count numbers (any number for -1). */
static int32_t read_numbers(TsrRunContext *run, const char *name, int64_t count,
                            const double **out, int64_t *out_count)
{
    const TsrAttr *attr = tsr_attr_find(run->node, name);
    const TsrTensor *tensor = attr != NULL ? attr->tensor : NULL;
    *out_count = tensor != NULL ? tsr_desc_elements(tensor->desc) : 0;
    if (count >= 0 && *out_count != count)
        return run->fail(run, TSR_INVALID_ARGUMENT, "%s must have %lld entries, got %lld", name,
                         (long long)count, (long long)*out_count);
    *out = aicpu_as_double(run, tensor);
    return tensor != NULL && *out == NULL ? TSR_OUT_OF_MEMORY : TSR_OK;
}

/* Sets of the member nodes, in their order, each ended by a NaN. */
static int32_t read_members(TsrRunContext *run, Forest *f)
{
    int64_t *first = run->scratch(run, ((uint64_t)f->nodes + 1) * sizeof(*first)), at = 0;
    int32_t status = read_numbers(run, "membership_values", -1, &f->member, &f->members);
    if (status != TSR_OK || first == NULL)
        return status != TSR_OK ? status : TSR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < f->nodes; i++) {
        first[i] = at;
        if (f->mode[i] != MEMBER)
            continue;
        if (at >= f->members)
            return run->fail(run, TSR_INVALID_ARGUMENT,
                             "membership_values has no set for node %u", i);
        while (at < f->members && !isnan(f->member[at]))
            at++;
        at++;
    }
    f->first_member = first;
    return TSR_OK;
}

static int32_t read_forest(TsrRunContext *run, Forest *f, int64_t features, int64_t targets)
{
    const double *modes;
    int64_t *mode, got;
    uint32_t count;
    int32_t status;
    tsr_attr_ints(run->node, "nodes_featureids", &f->nodes);
    tsr_attr_ints(run->node, "leaf_targetids", &f->leaves);
    tsr_attr_ints(run->node, "tree_roots", &f->roots);
    tsr_attr_ints(run->node, "nodes_missing_value_tracks_true", &count);
    mode = run->scratch(run, ((uint64_t)f->nodes + 1) * sizeof(*mode));
    if (mode == NULL)
        return TSR_OUT_OF_MEMORY;
    if ((status = read_list(run, "nodes_featureids", f->nodes, features, &f->feature)) != TSR_OK ||
        (status = read_list(run, "nodes_trueleafs", f->nodes, 2, &f->true_leaf)) != TSR_OK ||
        (status = read_list(run, "nodes_falseleafs", f->nodes, 2, &f->false_leaf)) != TSR_OK ||
        (status = read_list(run, "nodes_truenodeids", f->nodes, INT32_MAX, &f->true_id)) !=
            TSR_OK ||
        (status = read_list(run, "nodes_falsenodeids", f->nodes, INT32_MAX, &f->false_id)) !=
            TSR_OK ||
        (status = read_list(run, "leaf_targetids", f->leaves, targets, &f->target)) != TSR_OK ||
        (status = read_list(run, "tree_roots", f->roots, f->nodes, &f->root)) != TSR_OK ||
        (count > 0 && (status = read_list(run, "nodes_missing_value_tracks_true", f->nodes, 2,
                                          &f->missing)) != TSR_OK) ||
        (status = read_numbers(run, "nodes_splits", f->nodes, &f->split, &got)) != TSR_OK ||
        (status = read_numbers(run, "leaf_weights", f->leaves, &f->weight, &got)) != TSR_OK ||
        (status = read_numbers(run, "nodes_modes", f->nodes, &modes, &got)) != TSR_OK)
        return status;
    for (uint32_t i = 0; i < f->nodes; i++) {
        mode[i] = (int64_t)modes[i];
        if (mode[i] > MEMBER || f->true_id[i] >= (f->true_leaf[i] ? f->leaves : f->nodes) ||
            f->false_id[i] >= (f->false_leaf[i] ? f->leaves : f->nodes))
            return run->fail(run, TSR_INVALID_ARGUMENT,
                             "node %u has mode %lld or a branch outside of the lists", i,
                             (long long)mode[i]);
    }
    f->mode = mode;
    return read_members(run, f);
}

/* Whether a node's test holds for a value. */
static int passes(const Forest *f, int64_t node, double x)
{
    double split = f->split[node];
    if (isnan(x))
        return f->missing != NULL && f->missing[node] != 0;
    switch (f->mode[node]) {
    case LEQ: return x <= split;
    case LT: return x < split;
    case GTE: return x >= split;
    case GT: return x > split;
    case EQ: return x == split;
    case NEQ: return x != split;
    default:
        for (int64_t i = f->first_member[node]; i < f->members && !isnan(f->member[i]); i++)
            if (f->member[i] == x)
                return 1;
        return 0;
    }
}

/* The leaf that a row ends in; -1 when the branches run in a circle. */
static int64_t find_leaf(const Forest *f, int64_t node, const double *row)
{
    for (uint32_t steps = 0; steps < f->nodes; steps++) {
        int yes = passes(f, node, row[f->feature[node]]);
        if (yes ? f->true_leaf[node] : f->false_leaf[node])
            return yes ? f->true_id[node] : f->false_id[node];
        node = yes ? f->true_id[node] : f->false_id[node];
    }
    return -1;
}

/* Inverse of the normal distribution's error function, after Winitzki 2008, refined by two
 * steps of Newton's method. */
static double probit(double p)
{
    double x = 2.0 * p - 1.0, l = log((1.0 - x) * (1.0 + x)), t = 2.0 / (3.14159265358979323846 *
                                                                       0.147) + l / 2.0;
    double y = copysign(sqrt(sqrt(t * t - l / 0.147) - t), x);
    for (int i = 0; i < 2 && isfinite(y); i++)
        y -= (erf(y) - x) / (1.1283791670955126 * exp(-y * y));
    return 1.4142135623730951 * y;
}

/* post_transform: none, softmax, logistic, softmax_zero, probit. */
static void transform(int64_t how, double *score, int64_t n)
{
    double largest = -INFINITY, sum = 0.0;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, score[i]);
    for (int64_t i = 0; i < n; i++) {
        if (how == 1 || (how == 3 && score[i] != 0.0))
            sum += score[i] = exp(score[i] - largest);
        else if (how == 2)
            score[i] = 1.0 / (1.0 + exp(-score[i]));
        else if (how == 4)
            score[i] = probit(score[i]);
    }
    for (int64_t i = 0; (how == 1 || how == 3) && sum != 0.0 && i < n; i++)
        score[i] /= sum;
}

static int32_t run_tree_ensemble(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *x_desc = run->inputs[0]->desc;
    int64_t features = x_desc->shape[1], targets = run->outputs[0]->desc->shape[1];
    int64_t how = tsr_attr_int(run->node, "aggregate_function", SUM);
    const double *x = aicpu_as_double(run, run->inputs[0]);
    double *y = aicpu_begin_double(run, run->outputs[0]);
    uint8_t *seen = run->scratch(run, (uint64_t)targets + 1);
    Forest f = {.nodes = 0};
    int32_t status;
    (void)kernel;
    if (x == NULL || y == NULL || seen == NULL)
        return TSR_OUT_OF_MEMORY;
    if ((status = read_forest(run, &f, features, targets)) != TSR_OK)
        return status;
    for (int64_t n = 0; n < x_desc->shape[0]; n++) {
        double *score = y + n * targets;
        memset(seen, 0, (size_t)targets);
        for (int64_t t = 0; t < targets; t++)
            score[t] = 0.0;
        for (uint32_t r = 0; r < f.roots; r++) {
            int64_t leaf = find_leaf(&f, f.root[r], x + n * features), t;
            if (leaf < 0)
                return run->fail(run, TSR_INVALID_ARGUMENT, "tree %u runs in a circle", r);
            t = f.target[leaf];
            if (how == MIN || how == MAX)
                score[t] = !seen[t]     ? f.weight[leaf]
                           : how == MIN ? fmin(score[t], f.weight[leaf])
                                        : fmax(score[t], f.weight[leaf]);
            else
                score[t] += f.weight[leaf] / (how == AVERAGE ? f.roots : 1u);
            seen[t] = 1;
        }
        transform(tsr_attr_int(run->node, "post_transform", 0), score, targets);
    }
    aicpu_finish_double(run->outputs[0], y);
    return TSR_OK;
}

static const AicpuKernel kernels[] = {
    {.op = "TreeEnsemble", .domain = "ai.onnx.ml", .run = run_tree_ensemble,
     .dtypes = TSR_TYPES_FLOAT_IEEE},
};

const AicpuFamily aicpu_ml_tree = AICPU_FAMILY(kernels);
