/* SPDX-License-Identifier: Apache-2.0
 *
 * template.c: an engine that takes no node, with all that every engine needs: start from a
 * copy of this folder (docs/add-an-engine.md). It is built from the installed headers alone.
 * check() says which nodes the engine takes, run() computes one; both are called from many
 * threads at once.
 */
#include <tessera/plugin_util.h>

/* 1. Which nodes. "No" needs a reason: users read it in `tessera explain`. */
static int32_t check(const TsrEngine *engine, const TsrNodeView *node, TsrSupport *out_support)
{
    return tsr_support_no(out_support, TSR_REFUSE_OP, "%s does not run %s yet", engine->name,
                          node->op_type);
}

/* 2. How one is computed: inputs to outputs, both with memory. Only nodes that check()
 * took come here. */
static int32_t run(const TsrExecutor *executor, void *state, TsrRunContext *context)
{
    (void)executor;
    (void)state;
    return context->fail(context, TSR_UNSUPPORTED, "%s is not run by this engine",
                         context->node->op_type);
}

/* 3. What the host is told. TSR_ENGINE_HOST: run() on the host, instead of tasks for a
 * device. TSR_ENGINE_DYNAMIC: also nodes whose shapes only a run knows. */
static const TsrEngine engine = {
    .struct_size = sizeof(TsrEngine),
    .flags = TSR_ENGINE_HOST | TSR_ENGINE_DYNAMIC,
    .name = "template",
    .default_priority = 20,
    .blob_version = 1,
    .check = check,
};

static const TsrExecutor executor = {.struct_size = sizeof(TsrExecutor), .run = run};

/* 4. The tables by name. One that is not offered is NULL. */
static const void *get_interface(const TsrPlugin *plugin, const char *name, uint32_t version)
{
    (void)plugin;
    if (version != TSR_INTERFACE_VERSION)
        return NULL;
    if (strcmp(name, TSR_INTERFACE_ENGINE) == 0)
        return &engine;
    if (strcmp(name, TSR_INTERFACE_EXECUTOR) == 0)
        return &executor;
    return NULL;
}

/* 5. Who you are. name is the file's name, and what plugins.conf says. */
static const TsrPlugin plugin = {
    .struct_size = sizeof(TsrPlugin),
    .abi_major = TSR_ABI_MAJOR,
    .abi_minor = TSR_ABI_MINOR,
    .sanitizer = TSR_BUILD_SANITIZER, /* plugin_util.h knows it */
    .pointer_bits = 8 * sizeof(void *),
    .byte_order = 0x01020304,
    .name = "template",
    .version = "0.1.0",
    .vendor = "You",
    .license = "Apache-2.0",
    .url = "",
    .description = "An engine to start from",
    .get_interface = get_interface,
};

int32_t tsr_plugin_query(const TsrHost *host, const TsrPlugin **out_plugin)
{
    if (host->abi_major != TSR_ABI_MAJOR)
        return host->set_error(host, TSR_INCOMPATIBLE, "template speaks ABI %u, the host %u",
                               TSR_ABI_MAJOR, host->abi_major);
    *out_plugin = &plugin;
    return TSR_OK;
}
