/* SPDX-License-Identifier: Apache-2.0
 *
 * fuses_wrongly.c: brings a pass that takes a Relu behind a Neg for superfluous.
 */
#include "good_engine.h"

static int32_t apply(const TsrFusionPass *pass, const TsrGraphEdit *edit, uint32_t node)
{
    const uint32_t between = edit->input_value(edit, node, 0);
    const uint32_t before = edit->producer(edit, between);
    const TsrNodeView *view = before != UINT32_MAX ? edit->node(edit, before) : NULL;
    const uint32_t nodes[2] = {before, node};
    TsrFusedNode fused = {.struct_size = sizeof(fused), .node_count = 2, .input_count = 1,
                          .output_count = 1, .op_type = "Neg", .domain = "", .nodes = nodes};
    uint32_t input, output;
    (void)pass;
    if (view == NULL || strcmp(view->op_type, "Neg") != 0 ||
        edit->consumer_count(edit, between) != 1 || edit->is_needed(edit, between))
        return TSR_UNSUPPORTED;
    input = edit->input_value(edit, before, 0);
    output = edit->output_value(edit, node, 0);
    fused.inputs = &input;
    fused.outputs = &output;
    return edit->fuse(edit, &fused);
}

static const char *const roots[] = {"Relu"};
static const TsrFusionPass pass = {
    .struct_size = sizeof(TsrFusionPass), .name = "fuses_wrongly",
    .description = "Neg and Relu to Neg", .default_on = 1, .root_count = 1, .root_ops = roots,
    .apply = apply, .stage = TSR_STAGE_BEFORE_FORMATS};
static const TsrFusionPass *const passes[] = {&pass};
static const TsrFusion fusion = {.struct_size = sizeof(TsrFusion), .pass_count = 1,
                                 .passes = passes};
#define PLUGIN_NAME "fuses_wrongly"
#define PLUGIN_FUSION &fusion
#include "good_plugin.h"
