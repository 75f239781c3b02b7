/* SPDX-License-Identifier: Apache-2.0
 *
 * square.c: a whole plugin with one operator of its own, example.square.Square
 * (y = x * x), and the host engine that runs it. Built from the installed headers alone:
 *
 *     cc -shared -fPIC -fvisibility=hidden square.c -o square.so -I PREFIX/include
 */
#include <tessera/plugin_util.h>

#define DOMAIN "example.square"

static const TsrOpParam inputs[] = {
    {"x", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_INT64)},
};
static const TsrOpParam outputs[] = {
    {"y", TSR_PARAM_REQUIRED, 1, TSR_BIT(TSR_DTYPE_FLOAT) | TSR_BIT(TSR_DTYPE_INT64)},
};
static const TsrOpDef definitions[] = {
    {.struct_size = sizeof(TsrOpDef), .since_version = 1, .domain = DOMAIN, .name = "Square",
     .inputs = inputs, .input_count = 1, .input_stride = sizeof(TsrOpParam),
     .outputs = outputs, .output_count = 1, .output_stride = sizeof(TsrOpParam),
     .follow = "y=x"},
};
static const TsrOps ops = {.struct_size = sizeof(TsrOps), .op_count = 1,
                           .op_stride = sizeof(TsrOpDef), .ops = definitions};

static int32_t check(const TsrEngine *engine, const TsrNodeView *node, TsrSupport *out_support)
{
    (void)engine;
    if (strcmp(node->domain, DOMAIN) == 0)
        return tsr_support_yes(out_support, 0.0f);
    return tsr_support_no(out_support, TSR_REFUSE_OP, "square runs %s.Square only", DOMAIN);
}

static int32_t run(const TsrExecutor *executor, void *state, TsrRunContext *context)
{
    const TsrTensor *x = context->inputs[0];
    int64_t count = tsr_desc_elements(x->desc);
    (void)executor;
    (void)state;
    if (x->desc->dtype == TSR_DTYPE_FLOAT) {
        const float *from = x->data;
        float *to = context->outputs[0]->data;
        for (int64_t i = 0; i < count; i++)
            to[i] = from[i] * from[i];
    } else {
        const int64_t *from = x->data;
        int64_t *to = context->outputs[0]->data;
        for (int64_t i = 0; i < count; i++)
            to[i] = (int64_t)((uint64_t)from[i] * (uint64_t)from[i]); /* wraps */
    }
    return TSR_OK;
}

static const TsrEngine engine = {.struct_size = sizeof(TsrEngine),
                                 .flags = TSR_ENGINE_HOST | TSR_ENGINE_DYNAMIC,
                                 .name = "square", .default_priority = 20, .check = check};
static const TsrExecutor executor = {.struct_size = sizeof(TsrExecutor), .run = run};

static const void *get_interface(const TsrPlugin *plugin, const char *name, uint32_t version)
{
    (void)plugin;
    if (version != TSR_INTERFACE_VERSION)
        return NULL;
    if (strcmp(name, TSR_INTERFACE_ENGINE) == 0)
        return &engine;
    if (strcmp(name, TSR_INTERFACE_EXECUTOR) == 0)
        return &executor;
    return strcmp(name, TSR_INTERFACE_OPS) == 0 ? &ops : NULL;
}

#ifndef TSR_BUILD_SANITIZER
#define TSR_BUILD_SANITIZER TSR_SANITIZER_NONE
#endif

static const TsrPlugin plugin = {
    .struct_size = sizeof(TsrPlugin), .abi_major = TSR_ABI_MAJOR, .abi_minor = TSR_ABI_MINOR,
    .sanitizer = TSR_BUILD_SANITIZER, .pointer_bits = 8 * sizeof(void *),
    .byte_order = 0x01020304u, .name = "square", .version = "1.0", .vendor = "Tessera examples",
    .license = "Apache-2.0", .url = "docs/custom-ops.md", .description = "one operator: Square",
    .get_interface = get_interface,
};

int32_t tsr_plugin_query(const TsrHost *host, const TsrPlugin **out_plugin)
{
    if (host->abi_major != TSR_ABI_MAJOR)
        return host->set_error(host, TSR_INCOMPATIBLE, "speaks ABI %u, the host %u",
                               TSR_ABI_MAJOR, host->abi_major);
    *out_plugin = &plugin;
    return TSR_OK;
}
