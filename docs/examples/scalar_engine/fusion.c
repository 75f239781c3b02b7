/* SPDX-License-Identifier: Apache-2.0
 *
 * fusion.c: one pass, scalar_chain: two nodes of the engine in a row become one ScaleShift,
 * (x * a + b) * c + d = x * (a * c) + (b * c + d). The host calls it again until nothing
 * changes, so that a chain of any length becomes one node.
 */
#include "scalar.h"

static int32_t apply(const TsrFusionPass *pass, const TsrGraphEdit *edit, uint32_t node)
{
    const TsrNodeView *view = edit->node(edit, node);
    ScalarLine last, first;
    uint32_t before, between, input, output;
    (void)pass;
    if (view == NULL || !scalar_read(view, &last, NULL))
        return TSR_UNSUPPORTED;
    between = edit->input_value(edit, node, last.input);
    before = edit->producer(edit, between);
    view = before != UINT32_MAX ? edit->node(edit, before) : NULL;
    if (view == NULL || !scalar_read(view, &first, NULL) ||
        edit->consumer_count(edit, between) != 1 || edit->is_needed(edit, between))
        return TSR_UNSUPPORTED;
    input = edit->input_value(edit, before, first.input);
    output = edit->output_value(edit, node, 0);

    const TsrAttr scale = {.struct_size = sizeof(scale), .type = TSR_ATTR_FLOAT, .name = "scale",
                           .f = first.scale * last.scale};
    const TsrAttr shift = {.struct_size = sizeof(shift), .type = TSR_ATTR_FLOAT, .name = "shift",
                           .f = first.shift * last.scale + last.shift};
    const TsrAttr *const attrs[] = {&scale, &shift};
    const uint32_t nodes[] = {before, node};
    const TsrFusedNode fused = {
        .struct_size = sizeof(fused),
        .node_count = 2,
        .input_count = 1,
        .output_count = 1,
        .attr_count = 2,
        .op_type = "ScaleShift",
        .domain = SCALAR_DOMAIN,
        .nodes = nodes,
        .inputs = &input,
        .outputs = &output,
        .attrs = attrs,
    };
    return edit->fuse(edit, &fused);
}

static const char *const roots[] = {"Add", "Sub", "Mul", "ScaleShift"};
static const TsrFusionPass chain = {
    .struct_size = sizeof(TsrFusionPass),
    .name = "scalar_chain",
    .description = "additions and multiplications by constants in a row to one ScaleShift",
    .default_on = 1,
    .root_count = 4,
    .root_ops = roots,
    .apply = apply,
    .stage = TSR_STAGE_PLACED,
};
static const TsrFusionPass *const passes[] = {&chain};

const TsrFusion scalar_fusion = {
    .struct_size = sizeof(TsrFusion),
    .pass_count = 1,
    .passes = passes,
};
