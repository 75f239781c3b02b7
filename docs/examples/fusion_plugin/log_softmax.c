/* SPDX-License-Identifier: Apache-2.0
 *
 * log_softmax.c: a plugin that brings a fusion pass and nothing else. Log(Softmax(x)) loses
 * digits where the softmax is small; the pass makes it LogSoftmax, on anyone's graph, before
 * origin formats are inferred and nodes are placed. Built from the installed headers alone:
 *
 *     cc -shared -fPIC -fvisibility=hidden log_softmax.c -o log_softmax.so -I PREFIX/include
 */
#include <tessera/plugin_util.h>

static int is_op(const TsrNodeView *node, const char *op_type)
{
    return node != NULL && node->domain[0] == '\0' && strcmp(node->op_type, op_type) == 0;
}

/* Called for every Log. The Softmax before it must be read by it alone. */
static int32_t apply(const TsrFusionPass *pass, const TsrGraphEdit *edit, uint32_t node)
{
    const uint32_t between = edit->input_value(edit, node, 0);
    const uint32_t softmax = edit->producer(edit, between);
    const TsrNodeView *before = softmax != UINT32_MAX ? edit->node(edit, softmax) : NULL;
    const uint32_t nodes[2] = {softmax, node};
    TsrFusedNode fused = {.struct_size = sizeof(fused), .node_count = 2, .input_count = 1,
                          .output_count = 1, .op_type = "LogSoftmax", .domain = "",
                          .nodes = nodes};
    uint32_t input, output;
    const TsrAttr *axis;
    (void)pass;
    /* Before version 13 Softmax flattens its input, and LogSoftmax of today does not. */
    if (!is_op(before, "Softmax") || before->since_version < 13 ||
        edit->consumer_count(edit, between) != 1 || edit->is_needed(edit, between))
        return TSR_UNSUPPORTED;
    axis = tsr_attr_find(before, "axis");
    input = edit->input_value(edit, softmax, 0);
    output = edit->output_value(edit, node, 0);
    fused.inputs = &input;
    fused.outputs = &output;
    fused.attrs = &axis;
    fused.attr_count = axis != NULL;
    return edit->fuse(edit, &fused);
}

static const char *const roots[] = {"Log"};
static const TsrFusionPass pass = {
    .struct_size = sizeof(TsrFusionPass), .name = "log_softmax",
    .description = "Softmax and Log to LogSoftmax", .default_on = 1, .root_count = 1,
    .root_ops = roots, .apply = apply, .stage = TSR_STAGE_BEFORE_FORMATS};
static const TsrFusionPass *const passes[] = {&pass};
static const TsrFusion fusion = {.struct_size = sizeof(TsrFusion), .pass_count = 1,
                                 .passes = passes};

static const void *get_interface(const TsrPlugin *plugin, const char *name, uint32_t version)
{
    (void)plugin;
    return version == TSR_INTERFACE_VERSION && strcmp(name, TSR_INTERFACE_FUSION) == 0 ? &fusion
                                                                                       : NULL;
}

#ifndef TSR_BUILD_SANITIZER
#define TSR_BUILD_SANITIZER TSR_SANITIZER_NONE
#endif

static const TsrPlugin plugin = {
    .struct_size = sizeof(TsrPlugin), .abi_major = TSR_ABI_MAJOR, .abi_minor = TSR_ABI_MINOR,
    .sanitizer = TSR_BUILD_SANITIZER, .pointer_bits = 8 * sizeof(void *),
    .byte_order = 0x01020304u, .name = "log_softmax", .version = "1.0",
    .vendor = "Tessera examples", .license = "Apache-2.0", .url = "docs/plugins.md",
    .description = "one fusion pass", .get_interface = get_interface,
};

int32_t tsr_plugin_query(const TsrHost *host, const TsrPlugin **out_plugin)
{
    (void)host;
    *out_plugin = &plugin;
    return TSR_OK;
}
