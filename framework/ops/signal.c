/* SPDX-License-Identifier: Apache-2.0
 *
 * signal.c: definitions of ONNX operators:
 * spectra and their windows.
 * Rows follow the ONNX changelog: one for each version whose types, attributes or
 * meaning changed.
 */
#include "families.h"

/* Places of the one-sided spectrum of a real signal. */
static int64_t one_sided(int64_t length)
{
    return length < 0 ? TSR_DIM_UNKNOWN : length / 2 + 1;
}

/* DFT: axis is an attribute (17) or input 2 (20); the last axis holds real and imaginary
 * part. The inverse of a one-sided spectrum (20) is real. */
static int32_t infer_dft(const TsrOpDef *def, TsrInferContext *infer)
{
    int onesided = tsr_attr_int(infer->node, "onesided", 0) != 0, known, length_known;
    int inverse = tsr_attr_int(infer->node, "inverse", 0) != 0, axis_known = 1;
    Shape y = tsr_infer_shape(infer, 0);
    int64_t axis = tsr_attr_int(infer->node, "axis", def->since_version < 20 ? 1 : -2);
    int64_t length = TSR_DIM_UNKNOWN;
    uint32_t normal;
    int32_t status;
    if ((status = tsr_infer_want_min_rank(infer, 0, 2)) != TSR_OK ||
        (status = tsr_infer_int(infer, "dft_length", 1, &length, &length_known)) != TSR_OK)
        return status;
    if (def->since_version >= 20 && tsr_infer_input(infer, 2) != NULL) {
        if ((status = tsr_infer_int(infer, "axis", 2, &axis, &known)) != TSR_OK)
            return status;
        axis_known = known;
    }
    if (y.rank == TSR_RANK_UNKNOWN)
        return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &y);
    if (length_known && length < 1)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "dft_length must be positive, got %lld",
                           (long long)length);
    if (!axis_known) {
        y = tsr_shape_unknown(y.rank);
    } else {
        if ((status = tsr_infer_axis(infer, "axis", axis, y.rank, &normal)) != TSR_OK)
            return status;
        if (normal == y.rank - 1)
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "axis must not be the last one, which holds the parts");
        if (!length_known && tsr_infer_input(infer, 1) == NULL)
            length = onesided && inverse && y.dim[normal] > 0 ? 2 * (y.dim[normal] - 1)
                                                              : y.dim[normal];
        y.dim[normal] = onesided && !inverse ? one_sided(length) : length;
    }
    y.dim[y.rank - 1] = onesided && inverse ? 1 : 2;
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &y);
}

/* STFT: signal [batch, length, 1 or 2]; [batch, frames, bins, 2]. */
static int32_t infer_stft(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), window = tsr_infer_shape(infer, 2);
    Shape y = tsr_shape_unknown(4);
    int64_t step = 0, length = TSR_DIM_UNKNOWN;
    int step_known, length_known;
    int32_t status;
    (void)def;
    if ((status = tsr_infer_want_min_rank(infer, 0, 2)) != TSR_OK ||
        (status = tsr_infer_want_rank(infer, 2, 1)) != TSR_OK ||
        (status = tsr_infer_int(infer, "frame_step", 1, &step, &step_known)) != TSR_OK ||
        (status = tsr_infer_int(infer, "frame_length", 3, &length, &length_known)) != TSR_OK)
        return status;
    if (window.rank == 1 &&
        (status = tsr_infer_join(infer, "frame_length and entries of the window", &length,
                                 window.dim[0])) != TSR_OK)
        return status;
    if ((step_known && step < 1) || (length_known && length < 1))
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "frame_step and frame_length must be positive");
    if (x.rank != TSR_RANK_UNKNOWN) {
        y.dim[0] = x.dim[0];
        if (tsr_infer_input(infer, 2) == NULL && tsr_infer_input(infer, 3) == NULL)
            length = x.dim[1];
        if (x.dim[1] >= 0 && length >= 0 && length > x.dim[1])
            return infer->fail(infer, TSR_INVALID_ARGUMENT,
                               "a frame of %lld is longer than the signal of %lld",
                               (long long)length, (long long)x.dim[1]);
        if (x.dim[1] >= 0 && length >= 0 && step_known)
            y.dim[1] = (x.dim[1] - length) / step + 1;
    }
    y.dim[2] = tsr_attr_int(infer->node, "onesided", 1) != 0 ? one_sided(length) : length;
    y.dim[3] = 2;
    return tsr_infer_set(infer, 0, tsr_infer_dtype(infer, 0), &y);
}

/* The dtype that output_datatype names. */
static int32_t output_dtype(const TsrOpDef *def, TsrInferContext *infer, uint32_t *out)
{
    int64_t dtype = tsr_attr_int(infer->node, "output_datatype", TSR_DTYPE_FLOAT);
    if (dtype < 0 || dtype >= TSR_DTYPE_COUNT ||
        !(def->outputs[0].dtypes & TSR_BIT((uint32_t)dtype)))
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "output_datatype must be a number type, got %lld", (long long)dtype);
    *out = (uint32_t)dtype;
    return TSR_OK;
}

static int32_t infer_window(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape y = tsr_shape_unknown(1);
    uint32_t dtype = TSR_DTYPE_FLOAT;
    int known;
    int32_t status;
    if ((status = tsr_infer_int(infer, "size", 0, &y.dim[0], &known)) != TSR_OK ||
        (status = output_dtype(def, infer, &dtype)) != TSR_OK)
        return status;
    if (known && y.dim[0] < 0)
        return infer->fail(infer, TSR_INVALID_ARGUMENT, "size must not be negative, got %lld",
                           (long long)y.dim[0]);
    return tsr_infer_set(infer, 0, dtype, &y);
}

/* MelWeightMatrix: [dft_length / 2 + 1, num_mel_bins]. */
static int32_t infer_mel(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape y = tsr_shape_unknown(2);
    int64_t length = TSR_DIM_UNKNOWN;
    int known, length_known;
    uint32_t dtype = TSR_DTYPE_FLOAT;
    int32_t status;
    if ((status = tsr_infer_int(infer, "num_mel_bins", 0, &y.dim[1], &known)) != TSR_OK ||
        (status = tsr_infer_int(infer, "dft_length", 1, &length, &length_known)) != TSR_OK ||
        (status = output_dtype(def, infer, &dtype)) != TSR_OK)
        return status;
    if ((known && y.dim[1] < 0) || (length_known && length < 0))
        return infer->fail(infer, TSR_INVALID_ARGUMENT,
                           "num_mel_bins and dft_length must not be negative");
    y.dim[0] = one_sided(length);
    return tsr_infer_set(infer, 0, dtype, &y);
}

static const TsrOpParam dft_17_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"dft_length", TSR_PARAM_OPTIONAL, 2, TSR_TYPES_INDEX},
};

static const TsrOpParam dft_17_out[] = {
    {"output", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
};

static const TsrOpAttr dft_17_attrs[] = {
    {.name = "axis", .type = TSR_ATTR_INT, .has_default = 1, .i = 1},
    {.name = "inverse", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    {.name = "onesided", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
};

static const TsrOpParam dft_20_in[] = {
    {"input", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"dft_length", TSR_PARAM_OPTIONAL, 2, TSR_TYPES_INDEX},
    {"axis", TSR_PARAM_OPTIONAL, 0, TSR_BIT(TSR_DTYPE_INT64)},
};

static const TsrOpAttr dft_20_attrs[] = {
    {.name = "inverse", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    {.name = "onesided", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
};

static const TsrOpParam stft_17_in[] = {
    {"signal", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"frame_step", TSR_PARAM_REQUIRED, 2, TSR_TYPES_INDEX},
    {"window", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT},
    {"frame_length", TSR_PARAM_OPTIONAL, 2, TSR_TYPES_INDEX},
};

static const TsrOpAttr stft_17_attrs[] = {
    {.name = "onesided", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 0, .max = 1},
};

static const TsrOpParam hann_window_17_in[] = {
    {"size", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INDEX},
};

static const TsrOpParam hann_window_17_out[] = {
    {"output", TSR_PARAM_REQUIRED, 2, TSR_TYPES_NUMERIC},
};

static const TsrOpAttr hann_window_17_attrs[] = {
    {.name = "output_datatype", .type = TSR_ATTR_INT, .has_default = 1, .i = 1},
    {.name = "periodic", .type = TSR_ATTR_INT, .has_default = 1, .i = 1, .min = 0, .max = 1},
};

static const TsrOpParam mel_weight_matrix_17_in[] = {
    {"num_mel_bins", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INDEX},
    {"dft_length", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INDEX},
    {"sample_rate", TSR_PARAM_REQUIRED, 1, TSR_TYPES_INDEX},
    {"lower_edge_hertz", TSR_PARAM_REQUIRED, 2, TSR_TYPES_FLOAT},
    {"upper_edge_hertz", TSR_PARAM_REQUIRED, 2, TSR_TYPES_FLOAT},
};

static const TsrOpParam mel_weight_matrix_17_out[] = {
    {"output", TSR_PARAM_REQUIRED, 3, TSR_TYPES_NUMERIC},
};

static const TsrOpAttr mel_weight_matrix_17_attrs[] = {
    {.name = "output_datatype", .type = TSR_ATTR_INT, .has_default = 1, .i = 1},
};

static const TsrOpDef definitions[] = {
    {OP_ROW("", "DFT", 17), OP_INPUTS(dft_17_in), OP_OUTPUTS(dft_17_out), OP_ATTRS(dft_17_attrs),
     .value_inputs = 1u << 1, .infer = infer_dft},
    {OP_ROW("", "DFT", 20), OP_INPUTS(dft_20_in), OP_OUTPUTS(dft_17_out), OP_ATTRS(dft_20_attrs),
     .value_inputs = 1u << 1 | 1u << 2, .infer = infer_dft},
    {OP_ROW("", "STFT", 17), OP_INPUTS(stft_17_in), OP_OUTPUTS(dft_17_out),
     OP_ATTRS(stft_17_attrs), .value_inputs = 1u << 1 | 1u << 3, .infer = infer_stft},
    {OP_ROW("", "HannWindow", 17), OP_INPUTS(hann_window_17_in), OP_OUTPUTS(hann_window_17_out),
     OP_ATTRS(hann_window_17_attrs), .value_inputs = 1u << 0, .infer = infer_window},
    {OP_ROW("", "HammingWindow", 17), OP_INPUTS(hann_window_17_in), OP_OUTPUTS(hann_window_17_out),
     OP_ATTRS(hann_window_17_attrs), .value_inputs = 1u << 0, .infer = infer_window},
    {OP_ROW("", "BlackmanWindow", 17), OP_INPUTS(hann_window_17_in),
     OP_OUTPUTS(hann_window_17_out), OP_ATTRS(hann_window_17_attrs), .value_inputs = 1u << 0,
     .infer = infer_window},
    {OP_ROW("", "MelWeightMatrix", 17), OP_INPUTS(mel_weight_matrix_17_in),
     OP_OUTPUTS(mel_weight_matrix_17_out), OP_ATTRS(mel_weight_matrix_17_attrs),
     .value_inputs = 1u << 0 | 1u << 1, .infer = infer_mel},
};

const TsrOps tsr_ops_signal = OP_FAMILY(definitions);
