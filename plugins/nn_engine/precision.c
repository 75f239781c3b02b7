/* SPDX-License-Identifier: Apache-2.0
 *
 * precision.c: how each operator takes to narrow floats, for the framework's precision modes.
 * White are those whose time goes into products, which narrow floats halve and which sum in
 * float anyway; black are those that sum over much, or whose result grows or shrinks by
 * powers. All others are grey: they move or combine what they get.
 */
#include "nn.h"

static const char *const white[] = {
    "Attention", "Conv", "ConvTranspose", "GRU", "Gemm", "LSTM", "MatMul",
};

static const char *const black[] = {
    "BatchNormalization", "CumSum", "Erf", "Exp", "GroupNormalization",
    "InstanceNormalization", "LRN", "LayerNormalization", "Log", "LogSoftmax",
    "LpNormalization", "MeanVarianceNormalization", "NegativeLogLikelihoodLoss", "Pow",
    "RMSNormalization", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp",
    "ReduceMean", "ReduceProd", "ReduceSum", "ReduceSumSquare", "Softmax",
    "SoftmaxCrossEntropyLoss",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int is_among(const char *const *words, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return 1;
    return 0;
}

uint32_t nn_precision(const TsrEngine *engine, const TsrNodeView *node)
{
    (void)engine;
    if (is_among(white, COUNT(white), node->op_type))
        return TSR_PRECISION_WHITE;
    return is_among(black, COUNT(black), node->op_type) ? TSR_PRECISION_BLACK
                                                        : TSR_PRECISION_GREY;
}
