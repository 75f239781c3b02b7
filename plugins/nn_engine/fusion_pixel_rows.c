/* SPDX-License-Identifier: Apache-2.0
 *
 * fusion_pixel_rows.c: the pass nn_pixel_rows: a picture [N, C, H, W] seen as [N, C, H * W]
 * (Reshape, or Squeeze of H or W) and transposed to [N, H * W, C], as in front of a
 * transformer, is one PixelRows, which takes the picture out of NC1HWC0 itself. Called
 * through the table in fusion.c.
 */
#include "fusion_match.h"

static int32_t apply_pixel_rows(const TsrFusionPass *pass, const TsrGraphEdit *edit,
                                uint32_t node)
{
    static const int64_t wanted[3] = { 0, 2, 1 };
    const TsrNodeView *view = edit->node(edit, node), *flat;
    const uint32_t before = view != NULL ? nn_vanishing_producer(edit, node, 0) : UINT32_MAX;
    NnPattern pattern = { .count = 0 };
    const TsrTensorDesc *x, *y;
    uint32_t count, input;
    const int64_t *perm;
    (void)pass;
    if (before == UINT32_MAX)
        return TSR_UNSUPPORTED;
    flat = edit->node(edit, before);
    if (!nn_is_op(flat, "", "Reshape") && !nn_is_op(flat, "", "Squeeze"))
        return TSR_UNSUPPORTED;
    x = flat->inputs[0];
    y = view->inputs[0];
    perm = tsr_attr_ints(view, "perm", &count);
    if (count != 3 || memcmp(perm, wanted, sizeof(wanted)) != 0 || x->rank != 4 ||
        y->rank != 3 || !tsr_desc_is_static(x) || !tsr_desc_is_static(y) ||
        x->dtype != TSR_DTYPE_FLOAT || y->shape[0] != x->shape[0] ||
        y->shape[1] != x->shape[1] || y->shape[2] != x->shape[2] * x->shape[3])
        return TSR_UNSUPPORTED;
    nn_pattern_add(&pattern, before);
    nn_pattern_add(&pattern, node);
    input = edit->input_value(edit, before, 0);
    return nn_replace(edit, &pattern, NN_DOMAIN, "PixelRows", &input, 1,
                      edit->output_value(edit, node, 0), NULL, 0);
}

static const char *const roots[] = { "Transpose" };

const TsrFusionPass nn_pixel_rows_pass = {
    .struct_size = sizeof(TsrFusionPass), .order = 65, .name = "nn_pixel_rows",
    .description = "Turns a picture into rows of channels in one move",
    .default_on = 1, .root_count = 1, .root_ops = roots, .apply = apply_pixel_rows,
};
