/* SPDX-License-Identifier: Apache-2.0
 *
 * custom_op.c: see custom_op.h. A key file becomes an operator definition, a C function
 * and a list of where each of its arguments comes from.
 */
#include "plugin/custom_op.h"

#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "plugin/ffi_call.h"

/* Where an argument of the function comes from. */
typedef enum Source {
    SOURCE_DATA,     /* NAME.data: the elements of a tensor; NULL where omitted */
    SOURCE_SHAPE,    /* NAME.shape: its dimensions, int64 */
    SOURCE_RANK,     /* NAME.rank */
    SOURCE_ELEMENTS, /* NAME.elements */
    SOURCE_ATTR,     /* the value of an attribute */
    SOURCE_VALUES,   /* ATTR.values of a list attribute */
    SOURCE_COUNT,    /* ATTR.count */
} Source;

typedef struct Argument {
    Source source;
    gboolean output;
    guint32 index;   /* of the input or output */
    char *attr;
} Argument;

typedef struct Custom {
    TsrOpDef def;
    GArray *inputs;    /* TsrOpParam */
    GArray *outputs;
    GArray *attrs;     /* TsrOpAttr */
    GArray *arguments; /* Argument */
    GPtrArray *texts;  /* all names, owned */
    TsrCFunction *function;
} Custom;

struct TsrCustomOps {
    TsrExecutor executor; /* first: its slots find the rest */
    TsrEngine engine;
    TsrPlugin plugin;
    TsrLoadedPlugin record;
    GPtrArray *customs;
    GArray *defs;         /* TsrOpDef, copied from the customs */
    TsrOps ops;
};

static void custom_free(gpointer data)
{
    Custom *custom = data;
    for (guint i = 0; i < custom->arguments->len; i++)
        g_free(g_array_index(custom->arguments, Argument, i).attr);
    g_array_unref(custom->inputs);
    g_array_unref(custom->outputs);
    g_array_unref(custom->attrs);
    g_array_unref(custom->arguments);
    g_ptr_array_unref(custom->texts);
    tsr_c_function_free(custom->function);
    g_free(custom);
}

static const char *keep(Custom *custom, char *text)
{
    g_ptr_array_add(custom->texts, text);
    return text;
}

static gboolean G_GNUC_PRINTF(4, 5) bad(GError **error, const char *group, const char *key,
                                        const char *format, ...)
{
    va_list args;
    g_autofree char *text = NULL;
    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT, "[%s] %s: %s", group, key, text);
    return FALSE;
}

static guint32 dtype_by_name(const char *name)
{
    for (guint32 dtype = 1; dtype < TSR_DTYPE_COUNT; dtype++)
        if (strcmp(tsr_dtype_name(dtype), name) == 0)
            return dtype;
    return TSR_DTYPE_UNDEFINED;
}

static gboolean read_param(Custom *custom, GKeyFile *file, const char *group, const char *name,
                           GArray *out_params, GError **error)
{
    g_auto(GStrv) dtypes = g_key_file_get_string_list(file, group, "dtypes", NULL, NULL);
    g_autofree char *kind = g_key_file_get_string(file, group, "kind", NULL);
    TsrOpParam param = {.name = keep(custom, g_strdup(name)), .kind = TSR_PARAM_REQUIRED};
    if (kind != NULL && strcmp(kind, "optional") == 0)
        param.kind = TSR_PARAM_OPTIONAL;
    else if (kind != NULL && strcmp(kind, "required") != 0)
        return bad(error, group, "kind", "wanted required or optional, got '%s'", kind);
    if (dtypes == NULL || dtypes[0] == NULL)
        return bad(error, group, "dtypes", "is missing");
    for (guint i = 0; dtypes[i] != NULL; i++) {
        guint32 dtype = dtype_by_name(g_strstrip(dtypes[i]));
        if (dtype == TSR_DTYPE_UNDEFINED)
            return bad(error, group, "dtypes", "'%s' is no element type", dtypes[i]);
        param.dtypes |= TSR_BIT(dtype);
    }
    g_array_append_val(out_params, param);
    return TRUE;
}

static gboolean read_attr(Custom *custom, GKeyFile *file, const char *group, const char *name,
                          GError **error)
{
    static const struct { const char *word; guint32 type; } types[] = {
        {"float", TSR_ATTR_FLOAT}, {"int", TSR_ATTR_INT}, {"string", TSR_ATTR_STRING},
        {"floats", TSR_ATTR_FLOATS}, {"ints", TSR_ATTR_INTS},
    };
    g_autofree char *type = g_key_file_get_string(file, group, "type", NULL);
    g_autofree char *value = g_key_file_get_string(file, group, "default", NULL);
    TsrOpAttr attr = {.name = keep(custom, g_strdup(name)), .required = value == NULL,
                      .has_default = value != NULL};
    for (guint i = 0; type != NULL && i < G_N_ELEMENTS(types); i++)
        if (strcmp(type, types[i].word) == 0)
            attr.type = types[i].type;
    if (attr.type == 0)
        return bad(error, group, "type", "wanted float, int, string, floats or ints, got '%s'",
                   type != NULL ? type : "");
    if (value != NULL && attr.type == TSR_ATTR_FLOAT)
        attr.f = (float)g_ascii_strtod(value, NULL);
    else if (value != NULL && attr.type == TSR_ATTR_INT)
        attr.i = g_ascii_strtoll(value, NULL, 10);
    else if (value != NULL && attr.type == TSR_ATTR_STRING)
        attr.s = keep(custom, g_steal_pointer(&value));
    else if (value != NULL)
        return bad(error, group, "default", "a list has none");
    g_array_append_val(custom->attrs, attr);
    return TRUE;
}

static gboolean read_groups(Custom *custom, GKeyFile *file, GError **error)
{
    g_auto(GStrv) groups = g_key_file_get_groups(file, NULL);
    for (guint i = 0; groups[i] != NULL; i++) {
        const char *group = groups[i];
        gboolean done = TRUE;
        if (g_str_has_prefix(group, "input "))
            done = read_param(custom, file, group, group + 6, custom->inputs, error);
        else if (g_str_has_prefix(group, "output "))
            done = read_param(custom, file, group, group + 7, custom->outputs, error);
        else if (g_str_has_prefix(group, "attribute "))
            done = read_attr(custom, file, group, group + 10, error);
        else if (strcmp(group, "operator") != 0)
            done = bad(error, group, "", "unknown group");
        if (!done)
            return FALSE;
    }
    return custom->outputs->len != 0 ? TRUE : bad(error, "operator", "", "has no output");
}

static gboolean find_param(const GArray *params, const char *name, guint32 *out_index)
{
    for (guint i = 0; i < params->len; i++) {
        if (strcmp(g_array_index(params, TsrOpParam, i).name, name) == 0) {
            *out_index = i;
            return TRUE;
        }
    }
    return FALSE;
}

static const TsrOpAttr *find_attr(const Custom *custom, const char *name)
{
    for (guint i = 0; i < custom->attrs->len; i++)
        if (strcmp(g_array_index(custom->attrs, TsrOpAttr, i).name, name) == 0)
            return &g_array_index(custom->attrs, TsrOpAttr, i);
    return NULL;
}

/* What C types may carry a source: a bit each. */
static guint fitting_types(const Custom *custom, const Argument *argument)
{
    const TsrOpAttr *attr = argument->attr != NULL ? find_attr(custom, argument->attr) : NULL;
    switch (argument->source) {
    case SOURCE_DATA:
    case SOURCE_SHAPE:
    case SOURCE_VALUES:
        return 1u << TSR_C_POINTER;
    case SOURCE_ATTR:
        return attr->type == TSR_ATTR_FLOAT ? 1u << TSR_C_FLOAT | 1u << TSR_C_DOUBLE
               : attr->type == TSR_ATTR_INT ? 1u << TSR_C_INT32 | 1u << TSR_C_INT64
                                            : 1u << TSR_C_POINTER;
    default:
        return 1u << TSR_C_INT32 | 1u << TSR_C_INT64;
    }
}

static gboolean parse_argument(Custom *custom, const char *text, Argument *argument)
{
    static const struct { const char *word; Source source; gboolean of_attr; } words[] = {
        {"data", SOURCE_DATA, FALSE},   {"shape", SOURCE_SHAPE, FALSE},
        {"rank", SOURCE_RANK, FALSE},   {"elements", SOURCE_ELEMENTS, FALSE},
        {"values", SOURCE_VALUES, TRUE}, {"count", SOURCE_COUNT, TRUE},
    };
    const char *dot = strrchr(text, '.');
    g_autofree char *name = dot != NULL ? g_strndup(text, (gsize)(dot - text)) : g_strdup(text);
    memset(argument, 0, sizeof(*argument));
    if (dot == NULL) {
        argument->source = SOURCE_ATTR;
        argument->attr = g_steal_pointer(&name);
        return find_attr(custom, argument->attr) != NULL;
    }
    for (guint i = 0; i < G_N_ELEMENTS(words); i++) {
        if (strcmp(dot + 1, words[i].word) != 0)
            continue;
        argument->source = words[i].source;
        if (words[i].of_attr) {
            argument->attr = g_steal_pointer(&name);
            return find_attr(custom, argument->attr) != NULL;
        }
        argument->output = !find_param(custom->inputs, name, &argument->index);
        return !argument->output || find_param(custom->outputs, name, &argument->index);
    }
    return FALSE;
}

static gboolean read_arguments(Custom *custom, GKeyFile *file, GError **error)
{
    g_auto(GStrv) texts = g_key_file_get_string_list(file, "operator", "args", NULL, NULL);
    guint count = texts != NULL ? g_strv_length(texts) : 0;
    if (count != tsr_c_function_arg_count(custom->function))
        return bad(error, "operator", "args", "lists %u, the signature takes %u", count,
                   tsr_c_function_arg_count(custom->function));
    for (guint i = 0; i < count; i++) {
        TsrCType type = tsr_c_function_arg_type(custom->function, i);
        Argument argument;
        gboolean known = parse_argument(custom, g_strstrip(texts[i]), &argument);
        g_array_append_val(custom->arguments, argument);
        if (!known)
            return bad(error, "operator", "args",
                       "'%s' is no TENSOR.data, .shape, .rank, .elements, no attribute and no "
                       "LIST.values or .count",
                       texts[i]);
        if ((fitting_types(custom, &argument) >> type & 1) == 0)
            return bad(error, "operator", "args", "'%s' cannot be passed as %s", texts[i],
                       tsr_c_type_name(type));
    }
    return TRUE;
}

static gboolean read_function(Custom *custom, GKeyFile *file, const char *path, GError **error)
{
    g_autofree char *directory = g_path_get_dirname(path);
    g_autofree char *library = g_key_file_get_string(file, "operator", "library", error);
    g_autofree char *symbol = NULL;
    g_autofree char *signature = NULL;
    g_autofree char *absolute = NULL;
    symbol = library != NULL ? g_key_file_get_string(file, "operator", "function", error) : NULL;
    signature =
        symbol != NULL ? g_key_file_get_string(file, "operator", "signature", error) : NULL;
    if (signature == NULL)
        return FALSE;
    /* Relative to the key file; never to the current directory. */
    absolute = g_path_is_absolute(library) ? g_strdup(library)
                                           : g_build_filename(directory, library, NULL);
    custom->function = tsr_c_function_new(absolute, symbol, signature, error);
    return custom->function != NULL;
}

static gboolean read_operator(Custom *custom, GKeyFile *file, GError **error)
{
    TsrOpDef *def = &custom->def;
    char *name = g_key_file_get_string(file, "operator", "name", error), *text;
    if (name == NULL)
        return FALSE;
    def->struct_size = sizeof(*def);
    def->name = keep(custom, name);
    text = g_key_file_get_string(file, "operator", "domain", NULL);
    def->domain = keep(custom, text != NULL ? text : g_strdup(""));
    def->since_version = 1;
    if (g_key_file_has_key(file, "operator", "version", NULL))
        def->since_version =
            (guint32)g_key_file_get_integer(file, "operator", "version", NULL);
    text = g_key_file_get_string(file, "operator", "follow", error);
    if (text == NULL)
        return FALSE;
    def->follow = keep(custom, text);
    def->inputs = (const TsrOpParam *)custom->inputs->data;
    def->outputs = (const TsrOpParam *)custom->outputs->data;
    def->attrs = (const TsrOpAttr *)custom->attrs->data;
    def->input_count = custom->inputs->len;
    def->output_count = custom->outputs->len;
    def->attr_count = custom->attrs->len;
    def->input_stride = def->output_stride = sizeof(TsrOpParam);
    def->attr_stride = sizeof(TsrOpAttr);
    return TRUE;
}

/* ------------------------------------------------------------------- engine */

static const Custom *find_custom(const TsrCustomOps *set, const TsrNodeView *node)
{
    for (guint i = 0; i < set->customs->len; i++) {
        const Custom *custom = g_ptr_array_index(set->customs, i);
        if (strcmp(custom->def.name, node->op_type) == 0 &&
            strcmp(custom->def.domain, node->domain) == 0 &&
            custom->def.since_version == node->since_version)
            return custom;
    }
    return NULL;
}

static int32_t check(const TsrEngine *engine, const TsrNodeView *node, TsrSupport *out_support)
{
    const TsrCustomOps *set =
        (const TsrCustomOps *)((const char *)engine - offsetof(TsrCustomOps, engine));
    return find_custom(set, node) != NULL
               ? tsr_support_yes(out_support, 0.0f)
               : tsr_support_no(out_support, TSR_REFUSE_OP,
                                "no custom operator of the configuration is %s", node->op_type);
}

static void put_integer(TsrCValue *value, TsrCType type, gint64 integer)
{
    if (type == TSR_C_INT32)
        value->int32 = (gint32)integer;
    else
        value->int64 = integer;
}

static void put_attr(TsrCValue *value, TsrCType type, const TsrAttr *attr)
{
    if (type == TSR_C_FLOAT)
        value->f = attr->f;
    else if (type == TSR_C_DOUBLE)
        value->d = (double)attr->f;
    else if (type == TSR_C_POINTER)
        value->pointer = (gpointer)attr->s.data;
    else
        put_integer(value, type, attr->i);
}

static void put_argument(TsrCValue *value, TsrCType type, const Argument *argument,
                         const TsrRunContext *run)
{
    const TsrAttr *attr =
        argument->attr != NULL ? tsr_attr_find(run->node, argument->attr) : NULL;
    guint32 count = argument->output ? run->output_count : run->input_count;
    const TsrTensor *tensor = NULL;
    if (argument->attr == NULL && argument->index < count)
        tensor = argument->output ? run->outputs[argument->index] : run->inputs[argument->index];
    switch (argument->source) {
    case SOURCE_DATA:
        value->pointer = tensor != NULL ? tensor->data : NULL;
        break;
    case SOURCE_SHAPE:
        value->pointer = tensor != NULL ? (gpointer)tensor->desc->shape : NULL;
        break;
    case SOURCE_RANK:
        put_integer(value, type, tensor != NULL ? tensor->desc->rank : 0);
        break;
    case SOURCE_ELEMENTS:
        put_integer(value, type, tensor != NULL ? tsr_desc_elements(tensor->desc) : 0);
        break;
    case SOURCE_ATTR:
        put_attr(value, type, attr);
        break;
    case SOURCE_VALUES:
        value->pointer = attr == NULL            ? NULL
                         : attr->floats != NULL ? (gpointer)attr->floats
                                                : (gpointer)attr->ints;
        break;
    case SOURCE_COUNT:
        put_integer(value, type, attr != NULL ? attr->count : 0);
        break;
    }
}

static int32_t run_custom(const TsrExecutor *executor, void *state, TsrRunContext *run)
{
    const Custom *custom = find_custom((const TsrCustomOps *)executor, run->node);
    g_autofree TsrCValue *values = NULL;
    gint32 result;
    (void)state;
    if (custom == NULL)
        return run->fail(run, TSR_NOT_FOUND, "no custom operator of the configuration is %s",
                         run->node->op_type);
    values = g_new0(TsrCValue, custom->arguments->len + 1);
    for (guint i = 0; i < custom->arguments->len; i++)
        put_argument(&values[i], tsr_c_function_arg_type(custom->function, i),
                     &g_array_index(custom->arguments, Argument, i), run);
    result = tsr_c_function_call(custom->function, values);
    return result == 0 ? TSR_OK
                       : run->fail(run, TSR_INVALID_ARGUMENT, "the function returned %d", result);
}

static const void *no_interface(const TsrPlugin *plugin, const char *name, uint32_t version)
{
    (void)plugin;
    (void)name;
    (void)version;
    return NULL;
}

TsrCustomOps *tsr_custom_ops_new(void)
{
    TsrCustomOps *set = g_new0(TsrCustomOps, 1);
    set->executor = (TsrExecutor){.struct_size = sizeof(TsrExecutor), .run = run_custom};
    set->engine = (TsrEngine){.struct_size = sizeof(TsrEngine),
                              .flags = TSR_ENGINE_HOST | TSR_ENGINE_DYNAMIC,
                              .name = TSR_CUSTOM_ENGINE, .default_priority = 50, .check = check};
    set->plugin = (TsrPlugin){.struct_size = sizeof(TsrPlugin), .abi_major = TSR_ABI_MAJOR,
                              .abi_minor = TSR_ABI_MINOR, .name = TSR_CUSTOM_ENGINE,
                              .version = TSR_VERSION,
                              .description = "C functions of the configuration as operators",
                              .get_interface = no_interface};
    set->record.name = g_strdup(TSR_CUSTOM_ENGINE);
    set->record.state = TSR_PLUGIN_LOADED;
    set->record.plugin = &set->plugin;
    set->record.engine = &set->engine;
    set->record.executor = &set->executor;
    set->customs = g_ptr_array_new_with_free_func(custom_free);
    set->defs = g_array_new(FALSE, FALSE, sizeof(TsrOpDef));
    return set;
}

void tsr_custom_ops_free(TsrCustomOps *set)
{
    if (set == NULL)
        return;
    g_ptr_array_unref(set->customs);
    g_array_unref(set->defs);
    g_free(set->record.name);
    g_free(set);
}

gboolean tsr_custom_ops_add(TsrCustomOps *set, const char *path, GError **error)
{
    g_autoptr(GKeyFile) file = g_key_file_new();
    Custom *custom;
    gboolean done;
    if (!g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, error)) {
        g_prefix_error(error, "custom operator '%s': ", path);
        return FALSE;
    }
    custom = g_new0(Custom, 1);
    custom->inputs = g_array_new(FALSE, FALSE, sizeof(TsrOpParam));
    custom->outputs = g_array_new(FALSE, FALSE, sizeof(TsrOpParam));
    custom->attrs = g_array_new(FALSE, FALSE, sizeof(TsrOpAttr));
    custom->arguments = g_array_new(FALSE, FALSE, sizeof(Argument));
    custom->texts = g_ptr_array_new_with_free_func(g_free);
    done = read_groups(custom, file, error) && read_operator(custom, file, error) &&
           read_function(custom, file, path, error) && read_arguments(custom, file, error);
    if (!done) {
        custom_free(custom);
        g_prefix_error(error, "custom operator '%s': ", path);
        return FALSE;
    }
    g_ptr_array_add(set->customs, custom);
    g_array_append_val(set->defs, custom->def);
    return TRUE;
}

guint tsr_custom_ops_count(const TsrCustomOps *set)
{
    return set->customs->len;
}

const TsrOps *tsr_custom_ops_table(TsrCustomOps *set)
{
    set->ops = (TsrOps){.struct_size = sizeof(TsrOps), .op_count = set->defs->len,
                        .op_stride = sizeof(TsrOpDef),
                        .ops = (const TsrOpDef *)set->defs->data};
    return &set->ops;
}

const TsrLoadedPlugin *tsr_custom_ops_plugin(TsrCustomOps *set)
{
    return &set->record;
}
