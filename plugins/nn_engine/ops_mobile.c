/* SPDX-License-Identifier: Apache-2.0
 *
 * ops_mobile.c: see ops_mobile.h. The three activations are TSR_ACT_ values with their
 * numbers: `activation` behind the product, `squeeze_` between the layers, `gate_` behind
 * them.
 */
#include "ops_mobile.h"

const TsrOpParam nn_excite_inputs[NN_EXCITE_INPUTS] = {
    { "X", TSR_PARAM_REQUIRED, 1, NN_FLOATS },  { "W1", TSR_PARAM_REQUIRED, 1, NN_FLOATS },
    { "B1", TSR_PARAM_OPTIONAL, 1, NN_FLOATS }, { "W2", TSR_PARAM_REQUIRED, 1, NN_FLOATS },
    { "B2", TSR_PARAM_OPTIONAL, 1, NN_FLOATS },
};
const TsrOpParam nn_separable_inputs[NN_SEPARABLE_INPUTS] = {
    { "X", TSR_PARAM_REQUIRED, 1, NN_FLOATS },     { "filters", TSR_PARAM_REQUIRED, 1, NN_FLOATS },
    { "start", TSR_PARAM_OPTIONAL, 1, NN_FLOATS }, { "Z", TSR_PARAM_OPTIONAL, 1, NN_FLOATS },
    { "W", TSR_PARAM_REQUIRED, 1, NN_FLOATS },     { "B", TSR_PARAM_OPTIONAL, 1, NN_FLOATS },
};
const TsrOpParam nn_pixel_rows_inputs[1] = { { "X", TSR_PARAM_REQUIRED, 1, NN_FLOATS } };
const TsrOpParam nn_mobile_output[1] = { { "Y", TSR_PARAM_REQUIRED, 1, NN_FLOATS } };

#define ACTIVATION(prefix)                                                          \
    { .name = prefix "activation", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, \
      .max = TSR_ACT_COUNT - 1 },                                                   \
    { .name = prefix "alpha", .type = TSR_ATTR_FLOAT, .has_default = 1 },           \
    { .name = prefix "beta", .type = TSR_ATTR_FLOAT, .has_default = 1 }

const TsrOpAttr nn_excite_attrs[NN_EXCITE_ATTRS] = {
    ACTIVATION(""),
    ACTIVATION("squeeze_"),
    ACTIVATION("gate_"),
    { .name = "residual", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1 },
};

const TsrOpAttr nn_separable_attrs[NN_SEPARABLE_ATTRS] = {
    ACTIVATION(""),
    ACTIVATION("inner_"),
    { .name = "auto_pad", .type = TSR_ATTR_STRING, .has_default = 1, .s = "NOTSET",
      .words = "NOTSET|SAME_UPPER|SAME_LOWER|VALID" },
    { .name = "dilations", .type = TSR_ATTR_INTS },
    { .name = "pads", .type = TSR_ATTR_INTS },
    { .name = "strides", .type = TSR_ATTR_INTS },
};

int32_t nn_pixel_rows_infer(const TsrOpDef *def, TsrInferContext *infer)
{
    const TsrTensorDesc *x = infer->node->inputs[0];
    (void)def;
    if (x->rank != 4)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "X has rank %u, wanted 4", x->rank);
    const int64_t pixels = x->shape[2] < 0 || x->shape[3] < 0 ? TSR_DIM_UNKNOWN
                                                              : x->shape[2] * x->shape[3];
    return infer->set_output(infer, 0, x->dtype, 3,
                             (const int64_t[]){ x->shape[0], pixels, x->shape[1] });
}
