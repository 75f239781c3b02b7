/* SPDX-License-Identifier: Apache-2.0
 *
 * neighbour.c: a plugin that is built against the header of an older and of a newer minor
 * version (other_minor.py): an operator with attributes, example.neighbour.Twice, the engine
 * that runs it, a selector and a fusion pass. Where its structs have grown it fills what is
 * new with rubbish that an older host must not look at. test_minors.c runs it.
 */
#include <string.h>
#ifdef OTHER_HEADER
#include OTHER_HEADER
#else
#include <tessera/plugin.h>
#endif

#if TSR_ABI_MINOR >= 900
#define RUBBISH                                                                     \
    .later = {~0ull, ~0ull, ~0ull, ~0ull}, .later_slot = (const void *(*)(const void *))8,
#else
#define RUBBISH
#endif

#define DOMAIN "example.neighbour"

static const TsrOpParam params[] = {
    {.name = "x", .type_group = 1, .dtypes = TSR_BIT(TSR_DTYPE_FLOAT), RUBBISH},
};
/* Two rows, so that the second is found by the stride. */
static const TsrOpAttr attrs[] = {
    {.name = "unused", .type = TSR_ATTR_STRING, .has_default = 1, .s = "word", RUBBISH},
    {.name = "times", .type = TSR_ATTR_INT, .has_default = 1, .i = 2, RUBBISH},
};

#define DEF(version)                                                                \
    {.struct_size = sizeof(TsrOpDef), .since_version = (version), .domain = DOMAIN, \
     .name = "Twice", .inputs = params, .input_count = 1,                           \
     .input_stride = sizeof(TsrOpParam), .outputs = params, .output_count = 1,      \
     .output_stride = sizeof(TsrOpParam), .attrs = attrs, .attr_count = 2,          \
     .attr_stride = sizeof(TsrOpAttr), .follow = "x=x", RUBBISH}
static const TsrOpDef definitions[] = {DEF(1), DEF(1000)};
static const TsrOps ops = {.struct_size = sizeof(TsrOps), .op_count = 2,
                           .op_stride = sizeof(TsrOpDef), .ops = definitions, RUBBISH};

static int32_t check(const TsrEngine *engine, const TsrNodeView *node, TsrSupport *out_support)
{
    (void)engine;
    out_support->answer =
        strcmp(node->domain, DOMAIN) == 0 ? TSR_SUPPORT_YES : TSR_SUPPORT_NO;
    out_support->reason_code = TSR_REFUSE_OP;
    strcpy(out_support->reason, "takes Twice only");
    return TSR_OK;
}

static int32_t run(const TsrExecutor *executor, void *state, TsrRunContext *context)
{
    const float *from = context->inputs[0]->data;
    float *to = context->outputs[0]->data;
    uint64_t count = context->inputs[0]->size_bytes / sizeof(float);
    int64_t times = 0;
    (void)executor;
    (void)state;
    for (uint32_t i = 0; i < context->node->attr_count; i++)
        if (strcmp(context->node->attrs[i]->name, "times") == 0)
            times = context->node->attrs[i]->i;
    for (uint64_t i = 0; i < count; i++)
        to[i] = from[i] * (float)times;
    return TSR_OK;
}

static int32_t columns(const TsrFormatSelector *selector, const TsrNodeView *node,
                       TsrColumnSet *out_columns)
{
    (void)selector;
    (void)node;
    out_columns->count = 0;
    return TSR_OK;
}

static int32_t apply(const TsrFusionPass *pass, const TsrGraphEdit *edit, uint32_t node)
{
    (void)pass;
    (void)edit;
    (void)node;
    return TSR_UNSUPPORTED;
}

static const TsrEngine engine = {.struct_size = sizeof(TsrEngine),
                                 .flags = TSR_ENGINE_HOST | TSR_ENGINE_DYNAMIC,
                                 .name = NAME, .default_priority = 20, .check = check, RUBBISH};
static const TsrExecutor executor = {.struct_size = sizeof(TsrExecutor), .run = run, RUBBISH};
static const TsrFormatSelector selector = {.struct_size = sizeof(TsrFormatSelector),
                                           .name = NAME, .columns = columns, RUBBISH};
static const char *const roots[] = {"Twice"};
static const TsrFusionPass pass = {.struct_size = sizeof(TsrFusionPass), .name = NAME "_pass",
                                   .description = "does nothing", .default_on = 1,
                                   .root_count = 1, .root_ops = roots, .apply = apply, RUBBISH};
static const TsrFusionPass *const passes[] = {&pass};
static const TsrFusion fusion = {.struct_size = sizeof(TsrFusion), .pass_count = 1,
                                 .passes = passes, RUBBISH};

static const void *get_interface(const TsrPlugin *plugin, const char *name, uint32_t version)
{
    static const struct {
        const char *name;
        const void *table;
    } rows[] = {
        {TSR_INTERFACE_ENGINE, &engine},          {TSR_INTERFACE_EXECUTOR, &executor},
        {TSR_INTERFACE_FUSION, &fusion},          {TSR_INTERFACE_OPS, &ops},
        {TSR_INTERFACE_FORMAT_SELECTOR, &selector},
    };
    (void)plugin;
    for (size_t i = 0; version == TSR_INTERFACE_VERSION && i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].table;
    return NULL;
}

static const TsrPlugin plugin_table = {
    .struct_size = sizeof(TsrPlugin),
    .abi_major = TSR_ABI_MAJOR,
    .abi_minor = TSR_ABI_MINOR,
    .sanitizer = TSR_BUILD_SANITIZER,
    .pointer_bits = 8 * sizeof(void *),
    .byte_order = 0x01020304u,
    .name = NAME,
    .version = "1.0",
    .vendor = "tests",
    .license = "Apache-2.0",
    .url = "none",
    .description = "built against another minor version",
    .get_interface = get_interface,
    RUBBISH
};

int32_t tsr_plugin_query(const TsrHost *host, const TsrPlugin **out_plugin)
{
    (void)host;
    *out_plugin = &plugin_table;
    return TSR_OK;
}
