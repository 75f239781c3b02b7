/* SPDX-License-Identifier: Apache-2.0
 *
 * blocked_relu.c: a plugin that brings a format selector and nothing else. It serves
 * nn_engine, is asked before that engine's own selector, and lets a Relu on pictures take
 * NC1HWC0 only; for all other nodes it has no columns, so the engine's own answer counts.
 * Built from the installed headers alone:
 *
 *     cc -shared -fPIC -fvisibility=hidden blocked_relu.c -o blocked_relu.so -I PREFIX/include
 */
#include <tessera/plugin_util.h>

static int32_t columns(const TsrFormatSelector *selector, const TsrNodeView *node,
                       TsrColumnSet *out_columns)
{
    (void)selector;
    out_columns->count = 0;
    if (strcmp(node->op_type, "Relu") != 0 || node->inputs[0]->rank != 4 ||
        out_columns->capacity < 1)
        return TSR_OK;
    out_columns->selector = TSR_SELECTOR_CUSTOMIZE;
    for (uint32_t i = 0; i < out_columns->port_count; i++)
        out_columns->formats[i] = TSR_FORMAT_NC1HWC0;
    out_columns->scores[0] = 1.0f;
    out_columns->count = 1;
    return TSR_OK;
}

static const TsrFormatSelector selector = {.struct_size = sizeof(TsrFormatSelector),
                                           .name = "blocked_relu", .columns = columns,
                                           .engine = "nn_engine"};

static const void *get_interface(const TsrPlugin *plugin, const char *name, uint32_t version)
{
    (void)plugin;
    return version == TSR_INTERFACE_VERSION && strcmp(name, TSR_INTERFACE_FORMAT_SELECTOR) == 0
               ? &selector
               : NULL;
}

#ifndef TSR_BUILD_SANITIZER
#define TSR_BUILD_SANITIZER TSR_SANITIZER_NONE
#endif

static const TsrPlugin plugin = {
    .struct_size = sizeof(TsrPlugin), .abi_major = TSR_ABI_MAJOR, .abi_minor = TSR_ABI_MINOR,
    .sanitizer = TSR_BUILD_SANITIZER, .pointer_bits = 8 * sizeof(void *),
    .byte_order = 0x01020304u, .name = "blocked_relu", .version = "1.0",
    .vendor = "Tessera examples", .license = "Apache-2.0", .url = "docs/plugins.md",
    .description = "formats of Relu", .get_interface = get_interface,
};

int32_t tsr_plugin_query(const TsrHost *host, const TsrPlugin **out_plugin)
{
    (void)host;
    *out_plugin = &plugin;
    return TSR_OK;
}
