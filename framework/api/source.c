/* SPDX-License-Identifier: Apache-2.0
 *
 * source.c: see source.h.
 */
#include "api/source.h"

#include <tessera/plugin_util.h>

gboolean tsr_source_wanted(const TsrGraph *graph, const TsrCompileOptions *options,
                           const char **out_why)
{
    gboolean unknown = FALSE, tensors = TRUE;
    const char *why = NULL;
    for (guint i = 0; i < graph->inputs->len; i++) {
        const TsrTensorDesc *desc = &((const TsrValue *)g_ptr_array_index(graph->inputs, i))
                                         ->desc.view;
        unknown |= !tsr_desc_is_static(desc);
        tensors &= desc->kind == TSR_KIND_TENSOR && desc->dtype != TSR_DTYPE_UNDEFINED;
    }
    if (!unknown)
        why = "every dimension of its inputs is known";
    else if (!tensors)
        why = "an input is no tensor of one type";
    else if (options->host_mode)
        why = "it is compiled to run node by node";
    else if (options->storage_formats != NULL || options->precision_list != NULL)
        why = "storage formats of inputs and lists of operators are for one set of shapes";
    if (out_why != NULL)
        *out_why = why;
    return why == NULL;
}

/* ---------------------------------------------------------------- options */

/* What an option is called in the section, and where it lies. */
typedef struct OptionRow {
    const char *name;
    gsize offset;
} OptionRow;

static const OptionRow list_rows[] = {
    {"disable_fusion", offsetof(TsrCompileOptions, disable_fusion)},
    {"enable_fusion", offsetof(TsrCompileOptions, enable_fusion)},
    {"input_formats", offsetof(TsrCompileOptions, input_formats)},
};
static const OptionRow text_rows[] = {
    {"force_format", offsetof(TsrCompileOptions, force_format)},
    {"precision", offsetof(TsrCompileOptions, precision)},
};
static const OptionRow switch_rows[] = {
    {"disable_memory_reuse", offsetof(TsrCompileOptions, disable_memory_reuse)},
    {"disable_inplace", offsetof(TsrCompileOptions, disable_inplace)},
};

#define AT(type, options, row) ((type *)(gpointer)((char *)(options) + (row)->offset))

static GVariant *options_variant(TsrCompileOptions *options)
{
    GVariantDict dict;
    g_variant_dict_init(&dict, NULL);
    for (gsize i = 0; i < G_N_ELEMENTS(list_rows); i++) {
        const char *const *list = *AT(const char *const *, options, &list_rows[i]);
        if (list != NULL)
            g_variant_dict_insert_value(&dict, list_rows[i].name, g_variant_new_strv(list, -1));
    }
    for (gsize i = 0; i < G_N_ELEMENTS(text_rows); i++) {
        const char *text = *AT(const char *, options, &text_rows[i]);
        if (text != NULL)
            g_variant_dict_insert(&dict, text_rows[i].name, "s", text);
    }
    for (gsize i = 0; i < G_N_ELEMENTS(switch_rows); i++)
        g_variant_dict_insert(&dict, switch_rows[i].name, "b",
                              *AT(gboolean, options, &switch_rows[i]));
    g_variant_dict_insert(&dict, "streams", "u", options->streams);
    return g_variant_dict_end(&dict);
}

void tsr_source_options(GVariant *source, TsrCompileOptions *out_options, GPtrArray *out_lists)
{
    g_autoptr(GVariant) options = g_variant_get_child_value(source, 0);
    *out_options = (TsrCompileOptions){.struct_size = sizeof(*out_options)};
    for (gsize i = 0; i < G_N_ELEMENTS(list_rows); i++) {
        const char **list;
        if (!g_variant_lookup(options, list_rows[i].name, "^a&s", &list))
            continue;
        *AT(const char *const *, out_options, &list_rows[i]) = list;
        g_ptr_array_add(out_lists, list);
    }
    for (gsize i = 0; i < G_N_ELEMENTS(text_rows); i++)
        (void)g_variant_lookup(options, text_rows[i].name, "&s",
                               AT(const char *, out_options, &text_rows[i]));
    for (gsize i = 0; i < G_N_ELEMENTS(switch_rows); i++)
        (void)g_variant_lookup(options, switch_rows[i].name, "b",
                               AT(gboolean, out_options, &switch_rows[i]));
    (void)g_variant_lookup(options, "streams", "u", &out_options->streams);
}

/* ------------------------------------------------------------------- graph */

GVariant *tsr_source_new(TsrGraph *graph, const TsrCompileOptions *options,
                         TsrWeights *weights)
{
    g_autoptr(TsrProgram) program = tsr_program_new(graph, weights);
    TsrCompileOptions copy = *options;
    GVariant *parts[2];
    tsr_program_keep_constants(program);
    parts[0] = options_variant(&copy);
    parts[1] = tsr_graph_to_variant(program);
    return g_variant_new_tuple(parts, 2);
}

TsrGraph *tsr_source_graph(GVariant *source, TsrOpRegistry *registry, const TsrWeights *weights,
                           GError **error)
{
    g_autoptr(GVariant) graph = g_variant_get_child_value(source, 1);
    return tsr_graph_from_variant(registry, graph, weights, error);
}
