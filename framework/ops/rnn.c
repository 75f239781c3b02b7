/* SPDX-License-Identifier: Apache-2.0
 *
 * rnn.c: definitions of ONNX operators:
 * recurrent layers.
 * Rows follow the ONNX changelog: one for each version whose types, attributes or meaning
 * changed. output_sequence of the first versions only says that Y may be omitted.
 */
#include "families.h"

/* RNN, GRU, LSTM: X [seq, batch, input], Y [seq, directions, batch, hidden], Y_h and Y_c
 * [directions, batch, hidden]; layout 1 puts the batch first (version 14 on). */
static int32_t infer_rnn(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape x = tsr_infer_shape(infer, 0), r = tsr_infer_shape(infer, 2);
    Shape w = tsr_infer_shape(infer, 1);
    Shape y = tsr_shape_unknown(4), h = tsr_shape_unknown(3);
    int64_t directions = tsr_attr_is(infer->node, "direction", "bidirectional") ? 2 : 1;
    int64_t hidden = tsr_attr_int(infer->node, "hidden_size", TSR_DIM_UNKNOWN);
    int64_t batch_first = tsr_attr_int(infer->node, "layout", 0);
    int64_t seq = TSR_DIM_UNKNOWN, batch = TSR_DIM_UNKNOWN, gates, rows;
    uint32_t dtype = tsr_infer_dtype(infer, 0);
    int32_t status;
    if ((status = tsr_infer_want_rank(infer, 0, 3)) != TSR_OK ||
        (status = tsr_infer_want_rank(infer, 1, 3)) != TSR_OK ||
        (status = tsr_infer_want_rank(infer, 2, 3)) != TSR_OK)
        return status;
    gates = strcmp(def->name, "LSTM") == 0 ? 4 : strcmp(def->name, "GRU") == 0 ? 3 : 1;
    if (x.rank == 3 && w.rank == 3 &&
        (status = tsr_infer_join(infer, "input sizes of X and W", &w.dim[2], x.dim[2])) != TSR_OK)
        return status;
    if (x.rank == 3) {
        seq = x.dim[batch_first ? 1 : 0];
        batch = x.dim[batch_first ? 0 : 1];
    }
    if (r.rank == 3 &&
        ((status = tsr_infer_join(infer, "hidden_size and the columns of R", &hidden,
                                  r.dim[2])) != TSR_OK ||
         (status = tsr_infer_join(infer, "directions and the first dimension of R", &directions,
                                  r.dim[0])) != TSR_OK))
        return status;
    rows = TSR_DIM_UNKNOWN;
    if (hidden >= 0 && (status = tsr_infer_multiply(infer, hidden, gates, &rows)) != TSR_OK)
        return status;
    if ((w.rank == 3 && (status = tsr_infer_join(infer, "gates times hidden_size and the rows "
                                                 "of W", &rows, w.dim[1])) != TSR_OK) ||
        (r.rank == 3 && (status = tsr_infer_join(infer, "gates times hidden_size and the rows "
                                                 "of R", &rows, r.dim[1])) != TSR_OK))
        return status;
    if (batch_first) {
        y.dim[0] = h.dim[0] = batch;
        y.dim[1] = seq;
        y.dim[2] = h.dim[1] = directions;
    } else {
        y.dim[0] = seq;
        y.dim[1] = h.dim[0] = directions;
        y.dim[2] = h.dim[1] = batch;
    }
    y.dim[3] = h.dim[2] = hidden;
    if ((status = tsr_infer_set(infer, 0, dtype, &y)) != TSR_OK ||
        (status = tsr_infer_set(infer, 1, dtype, &h)) != TSR_OK)
        return status;
    return tsr_infer_set(infer, 2, dtype, &h);
}

static const TsrOpParam rnn_7_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"W", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"R", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"B", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
    {"sequence_lens", TSR_PARAM_OPTIONAL, 2, TSR_BIT(TSR_DTYPE_INT32)},
    {"initial_h", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam rnn_7_out[] = {
    {"Y", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
    {"Y_h", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
};

/* What RNN, GRU and LSTM have in every version. */
#define RECURRENT                                                                   \
    {.name = "activation_alpha", .type = TSR_ATTR_FLOATS},                          \
    {.name = "activation_beta", .type = TSR_ATTR_FLOATS},                           \
    {.name = "activations", .type = TSR_ATTR_STRINGS},                              \
    {.name = "clip", .type = TSR_ATTR_FLOAT},                                       \
    {.name = "direction", .type = TSR_ATTR_STRING, .has_default = 1, .s = "forward",\
     .words = "forward|reverse|bidirectional"},                                     \
    {.name = "hidden_size", .type = TSR_ATTR_INT, .min = 1, .max = INT32_MAX}
#define OUTPUT_SEQUENCE                                                             \
    {.name = "output_sequence", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1}

static const TsrOpAttr rnn_1_attrs[] = {
    RECURRENT,
    OUTPUT_SEQUENCE,
};

static const TsrOpAttr gru_3_attrs[] = {
    RECURRENT,
    {.name = "linear_before_reset", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    OUTPUT_SEQUENCE,
};

static const TsrOpAttr lstm_1_attrs[] = {
    RECURRENT,
    {.name = "input_forget", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    OUTPUT_SEQUENCE,
};

static const TsrOpAttr rnn_7_attrs[] = {
    RECURRENT,
};

static const TsrOpAttr rnn_14_attrs[] = {
    RECURRENT,
    {.name = "layout", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
};

static const TsrOpParam rnn_22_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"W", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"R", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"B", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT},
    {"sequence_lens", TSR_PARAM_OPTIONAL, 2, TSR_BIT(TSR_DTYPE_INT32)},
    {"initial_h", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam rnn_22_out[] = {
    {"Y", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT},
    {"Y_h", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT},
};

static const TsrOpAttr gru_7_attrs[] = {
    RECURRENT,
    {.name = "linear_before_reset", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
};

static const TsrOpAttr gru_14_attrs[] = {
    RECURRENT,
    {.name = "layout", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    {.name = "linear_before_reset", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
};

static const TsrOpParam lstm_7_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"W", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"R", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT_IEEE},
    {"B", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
    {"sequence_lens", TSR_PARAM_OPTIONAL, 2, TSR_BIT(TSR_DTYPE_INT32)},
    {"initial_h", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
    {"initial_c", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
    {"P", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpParam lstm_7_out[] = {
    {"Y", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
    {"Y_h", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
    {"Y_c", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT_IEEE},
};

static const TsrOpAttr lstm_7_attrs[] = {
    RECURRENT,
    {.name = "input_forget", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
};

static const TsrOpAttr lstm_14_attrs[] = {
    RECURRENT,
    {.name = "input_forget", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
    {.name = "layout", .type = TSR_ATTR_INT, .has_default = 1, .min = 0, .max = 1},
};

static const TsrOpParam lstm_22_in[] = {
    {"X", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"W", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"R", TSR_PARAM_REQUIRED, 1, TSR_TYPES_FLOAT},
    {"B", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT},
    {"sequence_lens", TSR_PARAM_OPTIONAL, 2, TSR_BIT(TSR_DTYPE_INT32)},
    {"initial_h", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT},
    {"initial_c", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT},
    {"P", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT},
};

static const TsrOpParam lstm_22_out[] = {
    {"Y", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT},
    {"Y_h", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT},
    {"Y_c", TSR_PARAM_OPTIONAL, 1, TSR_TYPES_FLOAT},
};

static const TsrOpDef definitions[] = {
    {OP_ROW("", "RNN", 1), OP_INPUTS(rnn_7_in), OP_OUTPUTS(rnn_7_out), OP_ATTRS(rnn_1_attrs),
     .infer = infer_rnn},
    {OP_ROW("", "GRU", 1), OP_INPUTS(rnn_7_in), OP_OUTPUTS(rnn_7_out), OP_ATTRS(rnn_1_attrs),
     .infer = infer_rnn},
    {OP_ROW("", "GRU", 3), OP_INPUTS(rnn_7_in), OP_OUTPUTS(rnn_7_out), OP_ATTRS(gru_3_attrs),
     .infer = infer_rnn},
    {OP_ROW("", "LSTM", 1), OP_INPUTS(lstm_7_in), OP_OUTPUTS(lstm_7_out), OP_ATTRS(lstm_1_attrs),
     .infer = infer_rnn},
    {OP_ROW("", "RNN", 7), OP_INPUTS(rnn_7_in), OP_OUTPUTS(rnn_7_out), OP_ATTRS(rnn_7_attrs),
     .infer = infer_rnn},
    {OP_ROW("", "RNN", 14), OP_INPUTS(rnn_7_in), OP_OUTPUTS(rnn_7_out), OP_ATTRS(rnn_14_attrs),
     .infer = infer_rnn},
    {OP_ROW("", "RNN", 22), OP_INPUTS(rnn_22_in), OP_OUTPUTS(rnn_22_out), OP_ATTRS(rnn_14_attrs),
     .infer = infer_rnn},
    {OP_ROW("", "GRU", 7), OP_INPUTS(rnn_7_in), OP_OUTPUTS(rnn_7_out), OP_ATTRS(gru_7_attrs),
     .infer = infer_rnn},
    {OP_ROW("", "GRU", 14), OP_INPUTS(rnn_7_in), OP_OUTPUTS(rnn_7_out), OP_ATTRS(gru_14_attrs),
     .infer = infer_rnn},
    {OP_ROW("", "GRU", 22), OP_INPUTS(rnn_22_in), OP_OUTPUTS(rnn_22_out), OP_ATTRS(gru_14_attrs),
     .infer = infer_rnn},
    {OP_ROW("", "LSTM", 7), OP_INPUTS(lstm_7_in), OP_OUTPUTS(lstm_7_out), OP_ATTRS(lstm_7_attrs),
     .infer = infer_rnn},
    {OP_ROW("", "LSTM", 14), OP_INPUTS(lstm_7_in), OP_OUTPUTS(lstm_7_out), OP_ATTRS(lstm_14_attrs),
     .infer = infer_rnn},
    {OP_ROW("", "LSTM", 22), OP_INPUTS(lstm_22_in), OP_OUTPUTS(lstm_22_out),
     OP_ATTRS(lstm_14_attrs), .infer = infer_rnn},
};

const TsrOps tsr_ops_rnn = OP_FAMILY(definitions);
