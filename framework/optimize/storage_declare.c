/* SPDX-License-Identifier: Apache-2.0
 *
 * storage_declare.c: see storage_declare.h.
 */
#include "optimize/storage_declare.h"

#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "base/nearest.h"
#include "ir/storage.h"

static TsrValue *find_input(TsrGraph *graph, const char *name)
{
    for (guint i = 0; i < graph->inputs->len; i++) {
        TsrValue *value = g_ptr_array_index(graph->inputs, i);
        if (strcmp(value->name, name) == 0)
            return value;
    }
    return NULL;
}

static TsrGraphOutput *find_output(TsrGraph *graph, const char *name)
{
    for (guint i = 0; i < graph->outputs->len; i++) {
        TsrGraphOutput *output = &g_array_index(graph->outputs, TsrGraphOutput, i);
        if (strcmp(output->name, name) == 0)
            return output;
    }
    return NULL;
}

static gboolean refuse_name(const TsrGraph *graph, const char *declaration, const char *name,
                            GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    g_autofree char *list = NULL;
    const char *nearest;
    for (guint i = 0; i < graph->inputs->len; i++)
        g_ptr_array_add(names, ((TsrValue *)g_ptr_array_index(graph->inputs, i))->name);
    for (guint i = 0; i < graph->outputs->len; i++)
        g_ptr_array_add(names, g_array_index(graph->outputs, TsrGraphOutput, i).name);
    nearest = tsr_nearest_word(name, (const char *const *)names->pdata, names->len);
    g_ptr_array_add(names, NULL);
    list = nearest != NULL ? g_strdup_printf("did you mean '%s'?", nearest)
                           : g_strjoinv("', '", (char **)names->pdata);
    g_set_error(error, TSR_ERROR, TSR_NOT_FOUND,
                nearest != NULL
                    ? "storage format '%s': there is no input or output '%s'; %s"
                    : "storage format '%s': there is no input or output '%s'; there are '%s'",
                declaration, name, list);
    return FALSE;
}

/* Whether a value can be stored so; desc is then the stored one. */
static gboolean try_storage(const TsrValue *value, guint32 format, guint32 c0_lanes,
                            const char *declaration, TsrDesc *out_desc, GError **error)
{
    g_autofree char *text = NULL;
    tsr_desc_init(out_desc);
    tsr_desc_copy(out_desc, &value->desc.view);
    if (tsr_desc_set_storage(out_desc, format, c0_lanes))
        return TRUE;
    text = tsr_desc_to_text(&value->desc.view);
    g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                "storage format '%s': %s of origin format %s cannot be stored as %s", declaration,
                text, tsr_format_name(value->desc.view.origin_format), tsr_format_name(format));
    return FALSE;
}

static gboolean declare(TsrGraph *graph, const char *declaration, guint32 c0_lanes,
                        GError **error)
{
    const char *colon = strrchr(declaration, ':');
    g_autofree char *name = colon != NULL ? g_strndup(declaration, (gsize)(colon - declaration))
                                          : NULL;
    const guint32 format = colon != NULL ? tsr_format_from_name(colon + 1) : G_MAXUINT32;
    TsrGraphOutput *output;
    TsrValue *input;
    TsrDesc stored;
    if (name == NULL || name[0] == '\0' || format == G_MAXUINT32) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "storage format '%s': wanted NAME:FORMAT with NCHW, NHWC, HWCN, NC1HWC0, "
                    "FRACTAL_Z, FRACTAL_NZ or C1HWNCoC0",
                    declaration);
        return FALSE;
    }
    input = find_input(graph, name);
    output = find_output(graph, name);
    if (input == NULL && output == NULL)
        return refuse_name(graph, declaration, name, error);
    if (input != NULL) {
        if (!try_storage(input, format, c0_lanes, declaration, &stored, error))
            return FALSE;
        tsr_desc_copy(&input->desc, &stored.view);
    }
    if (output != NULL) {
        if (!try_storage(output->value, format, c0_lanes, declaration, &stored, error))
            return FALSE;
        output->storage_format = format == output->value->desc.view.origin_format
                                     ? TSR_FORMAT_ND
                                     : format;
    }
    return TRUE;
}

gboolean tsr_storage_declare(TsrGraph *graph, const char *const *declarations, guint32 c0_lanes,
                             GError **error)
{
    for (guint i = 0; declarations != NULL && declarations[i] != NULL; i++)
        if (!declare(graph, declarations[i], c0_lanes, error))
            return FALSE;
    return TRUE;
}
