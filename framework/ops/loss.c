/* SPDX-License-Identifier: Apache-2.0
 *
 * loss.c: definitions of ONNX operators:
 * losses over classes.
 * Rows follow the ONNX changelog: one for each version whose types, attributes or
 * meaning changed.
 */
#include "families.h"

/* Scores [N, C, d...] and labels [N, d...]; the loss has the shape of the labels or, once
 * reduced, is a scalar. */
static int32_t loss_shape(TsrInferContext *infer, Shape *out)
{
    Shape x = tsr_infer_shape(infer, 0), labels = tsr_infer_shape(infer, 1);
    int32_t status = tsr_infer_want_min_rank(infer, 0, 2);
    if (status != TSR_OK)
        return status;
    if (x.rank != TSR_RANK_UNKNOWN) {
        int64_t classes = x.dim[1];
        Shape weight = tsr_infer_shape(infer, 2);
        if ((status = tsr_infer_want_rank(infer, 1, x.rank - 1)) != TSR_OK ||
            (status = tsr_infer_want_rank(infer, 2, 1)) != TSR_OK ||
            (weight.rank == 1 && (status = tsr_infer_join(infer, "classes and entries of weight",
                                                          &classes, weight.dim[0])) != TSR_OK))
            return status;
        for (uint32_t i = 0, k = 0; i < x.rank && labels.rank != TSR_RANK_UNKNOWN; i++)
            if (i != 1 && (status = tsr_infer_join(infer, "extents of scores and labels",
                                                   &labels.dim[k++], x.dim[i])) != TSR_OK)
                return status;
    }
    *out = labels;
    if (!tsr_attr_is(infer->node, "reduction", "none"))
        out->rank = 0;
    return TSR_OK;
}

static int32_t infer_nll_loss(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape loss;
    int32_t status = loss_shape(infer, &loss);
    (void)def;
    return status != TSR_OK ? status
                            : tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &loss);
}

/* SoftmaxCrossEntropyLoss: log_prob has the shape of the scores. */
static int32_t infer_softmax_loss(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0);
    int32_t status = infer_nll_loss(def, infer);
    return status != TSR_OK ? status : tsr_infer_set(infer, 1, tsr_infer_dtype(infer, 0), &x);
}

static const TsrOpParam negative_log_likelihood_loss_12_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"target", TSR_PARAM_REQUIRED, 2, TSR_TYPES_INDEX},
    {"weight", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam negative_log_likelihood_loss_12_out[] = {
    {"loss", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr negative_log_likelihood_loss_12_attrs[] = {
    {.name = "ignore_index", .type = TSR_ATTR_INT},
    {.name = "reduction", .type = TSR_ATTR_STRING, .has_default = 1, .s = "mean",
     .words = "none|sum|mean"},
};

static const TsrOpParam negative_log_likelihood_loss_22_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"target", TSR_PARAM_REQUIRED, 2, TSR_TYPES_INDEX},
    {"weight", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam negative_log_likelihood_loss_22_out[] = {
    {"loss", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam softmax_cross_entropy_loss_12_in[] = {
    {"scores", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"labels", TSR_PARAM_REQUIRED, 2, TSR_TYPES_INDEX},
    {"weights", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam softmax_cross_entropy_loss_12_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"log_prob", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam softmax_cross_entropy_loss_13_in[] = {
    {"scores", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"labels", TSR_PARAM_REQUIRED, 2, TSR_TYPES_INDEX},
    {"weights", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam softmax_cross_entropy_loss_13_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"log_prob", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT},
};

static const TsrOpDef definitions[] = {
    {OP_ROW("", "NegativeLogLikelihoodLoss", 12), OP_INPUTS(negative_log_likelihood_loss_12_in),
     OP_OUTPUTS(negative_log_likelihood_loss_12_out),
     OP_ATTRS(negative_log_likelihood_loss_12_attrs), .infer = infer_nll_loss},
    {OP_ROW("", "NegativeLogLikelihoodLoss", 13), OP_INPUTS(negative_log_likelihood_loss_12_in),
     OP_OUTPUTS(negative_log_likelihood_loss_12_out),
     OP_ATTRS(negative_log_likelihood_loss_12_attrs), .infer = infer_nll_loss},
    {OP_ROW("", "NegativeLogLikelihoodLoss", 22), OP_INPUTS(negative_log_likelihood_loss_22_in),
     OP_OUTPUTS(negative_log_likelihood_loss_22_out),
     OP_ATTRS(negative_log_likelihood_loss_12_attrs), .infer = infer_nll_loss},
    {OP_ROW("", "SoftmaxCrossEntropyLoss", 12), OP_INPUTS(softmax_cross_entropy_loss_12_in),
     OP_OUTPUTS(softmax_cross_entropy_loss_12_out),
     OP_ATTRS(negative_log_likelihood_loss_12_attrs), .infer = infer_softmax_loss},
    {OP_ROW("", "SoftmaxCrossEntropyLoss", 13), OP_INPUTS(softmax_cross_entropy_loss_13_in),
     OP_OUTPUTS(softmax_cross_entropy_loss_13_out),
     OP_ATTRS(negative_log_likelihood_loss_12_attrs), .infer = infer_softmax_loss},
};

const TsrOps tsr_ops_loss = OP_FAMILY(definitions);
