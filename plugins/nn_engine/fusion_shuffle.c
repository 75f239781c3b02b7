/* SPDX-License-Identifier: Apache-2.0
 *
 * fusion_shuffle.c: the pass nn_channel_shuffle: [N, C, H, W] reshaped to [N, g, C/g, H,
 * W], transposed by 0, 2, 1, 3, 4 and reshaped back is one Shuffle, which can stay in
 * NC1HWC0. Called through the table in fusion.c.
 */
#include "fusion.h"

static int same_dims(const TsrTensorDesc *a, const TsrTensorDesc *b)
{
    return a->rank == b->rank && memcmp(a->shape, b->shape, a->rank * sizeof(int64_t)) == 0;
}

/* Whether the Transpose swaps the groups of a picture with the channels in a group. */
static int swaps_groups(const TsrNodeView *view, const TsrTensorDesc *x)
{
    static const int64_t wanted[5] = { 0, 2, 1, 3, 4 };
    const TsrTensorDesc *split = view->inputs[0];
    uint32_t count;
    const int64_t *perm = tsr_attr_ints(view, "perm", &count);
    return count == 5 && memcmp(perm, wanted, sizeof(wanted)) == 0 && tsr_desc_is_static(x) &&
           tsr_desc_is_static(split) && x->rank == 4 && nn_is_float(x->dtype) &&
           split->rank == 5 && split->shape[0] == x->shape[0] && split->shape[1] > 0 &&
           split->shape[1] * split->shape[2] == x->shape[1] && split->shape[3] == x->shape[2] &&
           split->shape[4] == x->shape[3];
}

static int32_t apply_shuffle(const TsrFusionPass *pass, const TsrGraphEdit *edit, uint32_t node)
{
    const TsrNodeView *view = edit->node(edit, node);
    const uint32_t before = view != NULL ? nn_vanishing_producer(edit, node, 0) : UINT32_MAX;
    uint32_t nodes[3] = { before, node, 0 }, input, output = TSR_NO_VALUE;
    const TsrTensorDesc *x;
    TsrAttr group = { .struct_size = sizeof(group), .type = TSR_ATTR_INT, .name = "group" };
    const TsrAttr *const attrs[1] = { &group };
    (void)pass;
    if (before == UINT32_MAX || !nn_is_op(edit->node(edit, before), "", "Reshape"))
        return TSR_UNSUPPORTED;
    input = edit->input_value(edit, before, 0);
    output = edit->output_value(edit, node, 0);
    if (edit->consumer_count(edit, output) != 1 || edit->is_needed(edit, output))
        return TSR_UNSUPPORTED;
    nodes[2] = edit->consumer(edit, output, 0);
    x = edit->desc(edit, input);
    view = edit->node(edit, node);
    if (!nn_is_op(edit->node(edit, nodes[2]), "", "Reshape") || !swaps_groups(view, x))
        return TSR_UNSUPPORTED;
    output = edit->output_value(edit, nodes[2], 0);
    if (!same_dims(edit->desc(edit, output), x))
        return TSR_UNSUPPORTED;
    group.i = view->inputs[0]->shape[1];
    return edit->fuse(edit, &(TsrFusedNode){ .struct_size = sizeof(TsrFusedNode),
                                             .node_count = 3, .input_count = 1,
                                             .output_count = 1, .attr_count = 1,
                                             .op_type = "Shuffle", .domain = NN_DOMAIN,
                                             .nodes = nodes, .inputs = &input,
                                             .outputs = &output, .attrs = attrs });
}

static const char *const roots[] = { "Transpose" };

const TsrFusionPass nn_channel_shuffle_pass = {
    .struct_size = sizeof(TsrFusionPass), .order = 6, .name = "nn_channel_shuffle",
    .description = "Recognises a channel shuffle made of Reshape, Transpose and Reshape",
    .default_on = 1, .root_count = 1, .root_ops = roots, .apply = apply_shuffle,
};
