/* SPDX-License-Identifier: Apache-2.0
 *
 * math.c: definitions of ONNX operators:
 * functions of one number, applied to each element.
 * Rows follow the ONNX changelog from opset 7 on: one for each version whose types,
 * attributes or meaning changed.
 */
#include "families.h"

static const TsrOpParam abs_6_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam abs_6_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam abs_13_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC},
};

static const TsrOpParam abs_13_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC},
};

static const TsrOpParam acos_7_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam acos_7_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam acos_22_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam acos_22_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam ceil_6_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam ceil_6_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam ceil_13_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam ceil_13_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam erf_9_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam erf_9_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INTEGER | TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam neg_6_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_SIGNED | TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam neg_6_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_SIGNED | TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam neg_13_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_SIGNED},
};

static const TsrOpParam neg_13_out[] = {
    {"Y", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT | TSR_TYPES_SIGNED},
};

static const TsrOpParam sign_13_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC},
};

static const TsrOpParam sign_13_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_NUMERIC},
};

static const TsrOpDef definitions[] = {
    {OP_MAP("", "Abs", 6), OP_INPUTS(abs_6_in), OP_OUTPUTS(abs_6_out), .follow = "Y=X"},
    {OP_MAP("", "Abs", 13), OP_INPUTS(abs_13_in), OP_OUTPUTS(abs_13_out), .follow = "Y=X"},
    {OP_MAP("", "Acos", 7), OP_INPUTS(acos_7_in), OP_OUTPUTS(acos_7_out),
     .follow = "output=input"},
    {OP_MAP("", "Acos", 22), OP_INPUTS(acos_22_in), OP_OUTPUTS(acos_22_out),
     .follow = "output=input"},
    {OP_MAP("", "Acosh", 9), OP_INPUTS(acos_7_in), OP_OUTPUTS(acos_7_out),
     .follow = "output=input"},
    {OP_MAP("", "Acosh", 22), OP_INPUTS(acos_22_in), OP_OUTPUTS(acos_22_out),
     .follow = "output=input"},
    {OP_MAP("", "Asin", 7), OP_INPUTS(acos_7_in), OP_OUTPUTS(acos_7_out),
     .follow = "output=input"},
    {OP_MAP("", "Asin", 22), OP_INPUTS(acos_22_in), OP_OUTPUTS(acos_22_out),
     .follow = "output=input"},
    {OP_MAP("", "Asinh", 9), OP_INPUTS(acos_7_in), OP_OUTPUTS(acos_7_out),
     .follow = "output=input"},
    {OP_MAP("", "Asinh", 22), OP_INPUTS(acos_22_in), OP_OUTPUTS(acos_22_out),
     .follow = "output=input"},
    {OP_MAP("", "Atan", 7), OP_INPUTS(acos_7_in), OP_OUTPUTS(acos_7_out),
     .follow = "output=input"},
    {OP_MAP("", "Atan", 22), OP_INPUTS(acos_22_in), OP_OUTPUTS(acos_22_out),
     .follow = "output=input"},
    {OP_MAP("", "Atanh", 9), OP_INPUTS(acos_7_in), OP_OUTPUTS(acos_7_out),
     .follow = "output=input"},
    {OP_MAP("", "Atanh", 22), OP_INPUTS(acos_22_in), OP_OUTPUTS(acos_22_out),
     .follow = "output=input"},
    {OP_MAP("", "Ceil", 6), OP_INPUTS(ceil_6_in), OP_OUTPUTS(ceil_6_out), .follow = "Y=X"},
    {OP_MAP("", "Ceil", 13), OP_INPUTS(ceil_13_in), OP_OUTPUTS(ceil_13_out), .follow = "Y=X"},
    {OP_MAP("", "Cos", 7), OP_INPUTS(acos_7_in), OP_OUTPUTS(acos_7_out), .follow = "output=input"},
    {OP_MAP("", "Cos", 22), OP_INPUTS(acos_22_in), OP_OUTPUTS(acos_22_out),
     .follow = "output=input"},
    {OP_MAP("", "Cosh", 9), OP_INPUTS(acos_7_in), OP_OUTPUTS(acos_7_out),
     .follow = "output=input"},
    {OP_MAP("", "Cosh", 22), OP_INPUTS(acos_22_in), OP_OUTPUTS(acos_22_out),
     .follow = "output=input"},
    {OP_MAP("", "Erf", 9), OP_INPUTS(erf_9_in), OP_OUTPUTS(erf_9_out), .follow = "output=input"},
    {OP_MAP("", "Erf", 13), OP_INPUTS(acos_22_in), OP_OUTPUTS(acos_22_out),
     .follow = "output=input"},
    {OP_MAP("", "Exp", 6), OP_INPUTS(acos_7_in), OP_OUTPUTS(acos_7_out), .follow = "output=input"},
    {OP_MAP("", "Exp", 13), OP_INPUTS(acos_22_in), OP_OUTPUTS(acos_22_out),
     .follow = "output=input"},
    {OP_MAP("", "Floor", 6), OP_INPUTS(ceil_6_in), OP_OUTPUTS(ceil_6_out), .follow = "Y=X"},
    {OP_MAP("", "Floor", 13), OP_INPUTS(ceil_13_in), OP_OUTPUTS(ceil_13_out), .follow = "Y=X"},
    {OP_MAP("", "Log", 6), OP_INPUTS(acos_7_in), OP_OUTPUTS(acos_7_out), .follow = "output=input"},
    {OP_MAP("", "Log", 13), OP_INPUTS(acos_22_in), OP_OUTPUTS(acos_22_out),
     .follow = "output=input"},
    {OP_MAP("", "Neg", 6), OP_INPUTS(neg_6_in), OP_OUTPUTS(neg_6_out), .follow = "Y=X"},
    {OP_MAP("", "Neg", 13), OP_INPUTS(neg_13_in), OP_OUTPUTS(neg_13_out), .follow = "Y=X"},
    {OP_MAP("", "Reciprocal", 6), OP_INPUTS(ceil_6_in), OP_OUTPUTS(ceil_6_out), .follow = "Y=X"},
    {OP_MAP("", "Reciprocal", 13), OP_INPUTS(ceil_13_in), OP_OUTPUTS(ceil_13_out),
     .follow = "Y=X"},
    {OP_MAP("", "Round", 11), OP_INPUTS(ceil_6_in), OP_OUTPUTS(ceil_6_out), .follow = "Y=X"},
    {OP_MAP("", "Round", 22), OP_INPUTS(ceil_13_in), OP_OUTPUTS(ceil_13_out), .follow = "Y=X"},
    {OP_MAP("", "Sign", 9), OP_INPUTS(erf_9_in), OP_OUTPUTS(erf_9_out), .follow = "output=input"},
    {OP_MAP("", "Sign", 13), OP_INPUTS(sign_13_in), OP_OUTPUTS(sign_13_out),
     .follow = "output=input"},
    {OP_MAP("", "Sin", 7), OP_INPUTS(acos_7_in), OP_OUTPUTS(acos_7_out), .follow = "output=input"},
    {OP_MAP("", "Sin", 22), OP_INPUTS(acos_22_in), OP_OUTPUTS(acos_22_out),
     .follow = "output=input"},
    {OP_MAP("", "Sinh", 9), OP_INPUTS(acos_7_in), OP_OUTPUTS(acos_7_out),
     .follow = "output=input"},
    {OP_MAP("", "Sinh", 22), OP_INPUTS(acos_22_in), OP_OUTPUTS(acos_22_out),
     .follow = "output=input"},
    {OP_MAP("", "Sqrt", 6), OP_INPUTS(ceil_6_in), OP_OUTPUTS(ceil_6_out), .follow = "Y=X"},
    {OP_MAP("", "Sqrt", 13), OP_INPUTS(ceil_13_in), OP_OUTPUTS(ceil_13_out), .follow = "Y=X"},
    {OP_MAP("", "Tan", 7), OP_INPUTS(acos_7_in), OP_OUTPUTS(acos_7_out), .follow = "output=input"},
    {OP_MAP("", "Tan", 22), OP_INPUTS(acos_22_in), OP_OUTPUTS(acos_22_out),
     .follow = "output=input"},
};

const TsrOps tsr_ops_math = OP_FAMILY(definitions);
