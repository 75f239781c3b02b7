/* SPDX-License-Identifier: Apache-2.0
 *
 * bad.c: a small plugin with one fault, chosen by BAD_KIND; test_plugins.c checks that the
 * loader refuses each with its reason. BAD_FINE has none; BAD_ORPHAN launches on a device
 * that does not exist, BAD_CRASHES and BAD_HANGS do so when they run, which is not the
 * loader's business. What BAD_LOAD_... do while they are loaded only a child process survives
 * (test_scan.c).
 */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera/plugin_util.h>
#include <unistd.h>

enum {
    BAD_BAD_DEVICE = 1,
    BAD_BAD_FUSION,
    BAD_BAD_OPS,
    BAD_BAD_SELECTOR,
    BAD_CRASHES,
    BAD_DEVICE_NO_BUILD,
    BAD_DUPLICATE_OP,
    BAD_FINE,
    BAD_HANGS,
    BAD_HOST_NO_RUN,
    BAD_INIT_FAILS,
    BAD_INIT_SILENT,
    BAD_LOAD_CRASHES,
    BAD_LOAD_DIES_EARLY,
    BAD_LOAD_EXITS,
    BAD_LOAD_FLOODS,
    BAD_LOAD_HANGS,
    BAD_LOAD_PRINTS,
    BAD_NO_CHECK,
    BAD_NO_DEVICE,
    BAD_NO_FIELDS,
    BAD_ORPHAN,
    BAD_OTHER_MACHINE,
    BAD_OTHER_NAME,
    BAD_QUERY_FAILS,
    BAD_SANITIZER,
    BAD_SHORT_DESCRIPTOR,
    BAD_WRONG_ABI,
};

#define IS(kind) (BAD_KIND == (kind))
#define ON_DEVICE (IS(BAD_DEVICE_NO_BUILD) || IS(BAD_NO_DEVICE) || IS(BAD_ORPHAN))

static int32_t engine_check(const TsrEngine *engine, const TsrNodeView *node,
                            TsrSupport *out_support)
{
    (void)engine;
    if (IS(BAD_CRASHES) || IS(BAD_HANGS))
        return tsr_support_yes(out_support, 1.0f);
    return tsr_support_no(out_support, TSR_REFUSE_OP, "takes nothing, not even %s", node->op_type);
}

static const TsrEngine engine = {
    .struct_size = sizeof(TsrEngine),
    .flags = ON_DEVICE ? 0 : TSR_ENGINE_HOST,
    .name = BAD_NAME,
    .device = IS(BAD_NO_DEVICE) || !ON_DEVICE ? NULL : "no_such_device",
    .default_priority = 50,
    .check = IS(BAD_NO_CHECK) ? NULL : engine_check,
};

static int32_t executor_run(const TsrExecutor *executor, void *state, TsrRunContext *run)
{
    (void)executor;
    (void)state;
    if (IS(BAD_CRASHES))
        raise(SIGILL);
    while (IS(BAD_HANGS))
        pause();
    return run->fail(run, TSR_UNSUPPORTED, "runs nothing");
}

static int32_t executor_build(const TsrExecutor *executor, const TsrNodeView *node,
                              TsrTaskSink *sink)
{
    (void)executor;
    return sink->fail(sink, TSR_UNSUPPORTED, "builds nothing for %s", node->name);
}

static const TsrExecutor executor = {
    .struct_size = sizeof(TsrExecutor),
    .build = IS(BAD_DEVICE_NO_BUILD) ? NULL : executor_build,
    .run = IS(BAD_HOST_NO_RUN) ? NULL : executor_run,
};

static const TsrFormatSelector selector = {.struct_size = sizeof(TsrFormatSelector),
                                           .name = BAD_NAME};
static const TsrDevice device = {.struct_size = sizeof(TsrDevice), .name = BAD_NAME};

static const TsrFusionPass nameless_pass = {.struct_size = sizeof(TsrFusionPass)};
static const TsrFusionPass *const passes[] = {&nameless_pass};
static const TsrFusion fusion = {.struct_size = sizeof(TsrFusion), .pass_count = 1,
                                 .passes = passes};

static const TsrOpParam param[] = {{"x", TSR_PARAM_REQUIRED, 1, 0}};

/* Relu of opset 14 is the framework's own; a definition without a name is none. */
static const TsrOpDef def = {
    .struct_size = sizeof(TsrOpDef),
    .since_version = 14,
    .domain = "",
    .name = IS(BAD_BAD_OPS) ? NULL : "Relu",
    .inputs = param,
    .outputs = param,
    .input_count = 1,
    .output_count = 1,
    .input_stride = sizeof(TsrOpParam),
    .output_stride = sizeof(TsrOpParam),
    .attr_stride = sizeof(TsrOpAttr),
    .follow = "x=x",
};
static const TsrOps ops = {.struct_size = sizeof(TsrOps), .op_count = 1,
                           .op_stride = sizeof(TsrOpDef), .ops = &def};

static const void *get_interface(const TsrPlugin *plugin, const char *name, uint32_t version)
{
    static const struct {
        const char *name;
        const void *table;
    } rows[] = {
        {TSR_INTERFACE_ENGINE, &engine},
        {TSR_INTERFACE_EXECUTOR, &executor},
        {TSR_INTERFACE_FORMAT_SELECTOR, IS(BAD_BAD_SELECTOR) ? &selector : NULL},
        {TSR_INTERFACE_DEVICE, IS(BAD_BAD_DEVICE) ? &device : NULL},
        {TSR_INTERFACE_FUSION, IS(BAD_BAD_FUSION) ? &fusion : NULL},
        {TSR_INTERFACE_OPS, IS(BAD_DUPLICATE_OP) || IS(BAD_BAD_OPS) ? &ops : NULL},
    };
    (void)plugin;
    for (size_t i = 0; version == TSR_INTERFACE_VERSION && i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].table;
    return NULL;
}

/* Runs before anybody asks the plugin anything. */
__attribute__((constructor)) static void library_starts(void)
{
    if (IS(BAD_LOAD_DIES_EARLY))
        abort();
}

static int32_t init(const TsrPlugin *plugin, const TsrHost *host)
{
    (void)plugin;
    if (IS(BAD_LOAD_CRASHES)) {
        signal(SIGSEGV, SIG_DFL); /* nor may a sanitizer turn it into something else */
        raise(SIGSEGV);
    }
    if (IS(BAD_LOAD_EXITS))
        exit(7);
    for (int i = 0; IS(BAD_LOAD_FLOODS) && i < 100000; i++)
        puts("more and more and more");
    if (IS(BAD_INIT_FAILS))
        return host->set_error(host, TSR_OUT_OF_MEMORY, "the moon is in the wrong phase");
    return IS(BAD_INIT_SILENT) ? TSR_INTERNAL : TSR_OK;
}

static const TsrPlugin plugin_table = {
    .struct_size = IS(BAD_SHORT_DESCRIPTOR) ? 8 : sizeof(TsrPlugin),
    .abi_major = IS(BAD_WRONG_ABI) ? TSR_ABI_MAJOR + 1 : TSR_ABI_MAJOR,
    .abi_minor = TSR_ABI_MINOR,
    .sanitizer = IS(BAD_SANITIZER) ? TSR_BUILD_SANITIZER + 1 : TSR_BUILD_SANITIZER,
    .pointer_bits = IS(BAD_OTHER_MACHINE) ? 16 : 8 * sizeof(void *),
    .byte_order = 0x01020304u,
    .name = IS(BAD_OTHER_NAME) ? "somebody_else" : BAD_NAME,
    .version = "1.0",
    .vendor = IS(BAD_NO_FIELDS) ? NULL : "tests",
    .license = "Apache-2.0",
    .url = IS(BAD_NO_FIELDS) ? NULL : "none",
    .description = "a plugin with one fault",
    .init = init,
    .get_interface = get_interface,
};

int32_t tsr_plugin_query(const TsrHost *host, const TsrPlugin **out_plugin)
{
    if (IS(BAD_LOAD_PRINTS))
        fputs("hello\tfrom the plugin\n", stdout);
    while (IS(BAD_LOAD_HANGS))
        pause();
    if (IS(BAD_QUERY_FAILS))
        return host->set_error(host, TSR_INCOMPATIBLE, "this host is not good enough");
    *out_plugin = &plugin_table;
    return TSR_OK;
}
