/* SPDX-License-Identifier: Apache-2.0
 *
 * format_declare.c: see format_declare.h.
 */
#include "prepare/format_declare.h"

#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "base/nearest.h"
#include "prepare/format_rule.h"

static const guint32 origin_formats[] = {TSR_FORMAT_NCHW, TSR_FORMAT_NHWC, TSR_FORMAT_HWCN,
                                         TSR_FORMAT_NCDHW, TSR_FORMAT_NDHWC};

static gboolean read_format(const char *declaration, const char *word, guint32 *out_format,
                            GError **error)
{
    const char *names[G_N_ELEMENTS(origin_formats)], *nearest;
    g_autofree char *list = NULL;
    for (guint i = 0; i < G_N_ELEMENTS(origin_formats); i++) {
        names[i] = tsr_format_name(origin_formats[i]);
        if (strcmp(names[i], word) == 0) {
            *out_format = origin_formats[i];
            return TRUE;
        }
    }
    nearest = tsr_nearest_word(word, names, G_N_ELEMENTS(names));
    for (guint32 format = TSR_FORMAT_NC1HWC0; format <= TSR_FORMAT_C1HWNCOC0; format++) {
        if (g_ascii_strcasecmp(tsr_format_name(format), word) != 0)
            continue;
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "input format '%s': %s is a storage format and no meaning of dimensions",
                    declaration, word);
        return FALSE;
    }
    list = nearest != NULL ? g_strdup_printf("; did you mean %s?", nearest) : g_strdup("");
    g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                "input format '%s': wanted NCHW, NHWC, HWCN, NCDHW or NDHWC, got '%s'%s",
                declaration, word, list);
    return FALSE;
}

static TsrValue *find_input(TsrGraph *graph, const char *declaration, const char *name,
                            GError **error)
{
    g_autofree const char **names = g_new0(const char *, graph->inputs->len + 1);
    const char *nearest;
    for (guint i = 0; i < graph->inputs->len; i++) {
        TsrValue *value = g_ptr_array_index(graph->inputs, i);
        names[i] = value->name;
        if (strcmp(value->name, name) == 0)
            return value;
    }
    nearest = tsr_nearest_word(name, names, graph->inputs->len);
    if (nearest != NULL) {
        g_set_error(error, TSR_ERROR, TSR_NOT_FOUND,
                    "input format '%s': there is no input '%s'; did you mean '%s'?", declaration,
                    name, nearest);
    } else {
        g_autofree char *list = g_strjoinv("', '", (char **)names);
        g_set_error(error, TSR_ERROR, TSR_NOT_FOUND,
                    "input format '%s': there is no input '%s'; there are '%s'", declaration,
                    name, list);
    }
    return NULL;
}

static gboolean declare(TsrGraph *graph, const char *declaration, GError **error)
{
    const char *colon = strrchr(declaration, ':');
    g_autofree char *name = colon != NULL ? g_strndup(declaration, (gsize)(colon - declaration))
                                          : NULL;
    TsrValue *value;
    guint32 format;
    if (name == NULL || name[0] == '\0') {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "input format '%s': wanted NAME:NHWC or *:NHWC", declaration);
        return FALSE;
    }
    if (!read_format(declaration, colon + 1, &format, error))
        return FALSE;
    if (strcmp(name, "*") == 0) {
        graph->data_format = format;
        return TRUE;
    }
    value = find_input(graph, declaration, name, error);
    if (value == NULL)
        return FALSE;
    if (!tsr_format_fits(&value->desc.view, format, 0)) {
        g_autofree char *text = tsr_desc_to_text(&value->desc.view);
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "input format '%s': %s has %zu dimensions, the input is %s", declaration,
                    tsr_format_name(format), strlen(tsr_format_name(format)), text);
        return FALSE;
    }
    value->desc.view.origin_format = format;
    value->desc.view.storage_format = format;
    value->desc.view.expand_dims = 0;
    value->format_locked = TRUE;
    g_free(value->format_anchor);
    value->format_anchor = g_strdup("the user");
    return TRUE;
}

gboolean tsr_format_declare(TsrGraph *graph, const char *const *declarations, GError **error)
{
    for (guint i = 0; declarations != NULL && declarations[i] != NULL; i++)
        if (!declare(graph, declarations[i], error))
            return FALSE;
    return TRUE;
}
