/* SPDX-License-Identifier: Apache-2.0
 *
 * image.c: definitions of ONNX operators:
 * pictures out of files.
 * Rows follow the ONNX changelog: one for each version whose types, attributes or
 * meaning changed.
 */
#include "families.h"

/* ImageDecoder: [H, W, C]; only the file knows its extents. */
static int32_t infer_image(const TsrOpDef *def, TsrInferContext *infer)
{
    Shape y = tsr_shape_unknown(3);
    int32_t status = tsr_infer_want_rank(infer, 0, 1);
    (void)def;
    y.dim[2] = tsr_attr_is(infer->node, "pixel_format", "Grayscale") ? 1 : 3;
    return status != TSR_OK ? status : tsr_infer_set(infer, 0, TSR_DTYPE_UINT8, &y);
}

static const TsrOpParam image_decoder_20_in[] = {
    {"encoded_stream", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_UINT8)},
};

static const TsrOpParam image_decoder_20_out[] = {
    {"image", TSR_PARAM_REQUIRED, 2, TSR_BIT(TSR_DTYPE_UINT8)},
};

static const TsrOpAttr image_decoder_20_attrs[] = {
    {.name = "pixel_format", .type = TSR_ATTR_STRING, .has_default = 1, .s = "RGB",
     .words = "RGB|BGR|Grayscale"},
};

static const TsrOpDef definitions[] = {
    {OP_ROW("", "ImageDecoder", 20), OP_INPUTS(image_decoder_20_in),
     OP_OUTPUTS(image_decoder_20_out), OP_ATTRS(image_decoder_20_attrs),
     .flags = TSR_OP_DATA_DEPENDENT, .infer = infer_image},
};

const TsrOps tsr_ops_image = OP_FAMILY(definitions);
