/* SPDX-License-Identifier: Apache-2.0
 *
 * builder.c: graphs built by hand (tessera.h): inputs, constants, nodes whose
 * attributes are written as text.
 */
#include <string.h>
#include <tessera/tessera.h>

#include "api/build_attrs.h"
#include "base/error.h"
#include "ir/array.h"

TsrValue *tsr_build_input(TsrGraph *graph, const char *name, guint32 dtype, guint32 rank,
                          const gint64 *shape, GError **error)
{
    TsrDesc desc;
    if (rank > TSR_MAX_RANK) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT, "input '%s': rank %u is above %d",
                    name, rank, TSR_MAX_RANK);
        return NULL;
    }
    tsr_desc_init(&desc);
    tsr_desc_set(&desc, dtype, rank, shape);
    return tsr_graph_add_input(graph, name, &desc.view, error);
}

TsrValue *tsr_build_constant(TsrGraph *graph, const char *name, TsrArray *array, GError **error)
{
    g_autoptr(GBytes) bytes = tsr_array_to_bytes(array);
    return tsr_graph_add_constant(graph, name, &array->desc.view, bytes, error);
}

void tsr_build_output(TsrGraph *graph, const char *name, TsrValue *value)
{
    tsr_graph_add_output(graph, name, value);
}

/* ---------------------------------------------------- attributes from a text */

typedef struct Parser {
    const char *at;
    const char *name;  /* of the attribute, for errors */
    GError **error;
} Parser;

static gboolean parse_fail(Parser *parser, const char *wanted)
{
    g_set_error(parser->error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                "attribute text: %s wanted at '%.24s'%s%s", wanted, parser->at,
                parser->name != NULL ? ", in attribute " : "",
                parser->name != NULL ? parser->name : "");
    return FALSE;
}

static void skip_space(Parser *parser)
{
    while (g_ascii_isspace(*parser->at))
        parser->at++;
}

static gboolean parse_string(Parser *parser, GString *out)
{
    if (*parser->at != '"')
        return parse_fail(parser, "a quoted string");
    for (parser->at++; *parser->at != '"'; parser->at++) {
        if (*parser->at == '\\' && parser->at[1] != '\0')
            parser->at++;
        if (*parser->at == '\0')
            return parse_fail(parser, "a closing quote");
        g_string_append_c(out, *parser->at);
    }
    parser->at++;
    return TRUE;
}

/* A number; *out_is_float tells whether it is written as one. */
static gboolean parse_number(Parser *parser, gint64 *out_int, double *out_float,
                             gboolean *out_is_float)
{
    char *int_end, *float_end;
    *out_int = g_ascii_strtoll(parser->at, &int_end, 10);
    *out_float = g_ascii_strtod(parser->at, &float_end);
    if (float_end == parser->at)
        return parse_fail(parser, "a number");
    *out_is_float = float_end > int_end;
    parser->at = float_end;
    return TRUE;
}

/* What follows an item of a list: a comma or its end. */
static gboolean skip_comma(Parser *parser)
{
    skip_space(parser);
    if (*parser->at == ',')
        parser->at++;
    skip_space(parser);
    return *parser->at != '\0' || parse_fail(parser, "']'");
}

/* A list of quoted strings; its bracket has been read. */
static TsrAttrBox *parse_strings(Parser *parser)
{
    g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GArray) strings = g_array_new(FALSE, FALSE, sizeof(TsrString));
    while (*parser->at != ']') {
        g_autoptr(GString) text = g_string_new(NULL);
        TsrString string;
        if (!parse_string(parser, text) || !skip_comma(parser))
            return NULL;
        string = (TsrString){text->str, text->len};
        g_array_append_val(strings, string);
        g_ptr_array_add(texts, g_string_free(g_steal_pointer(&text), FALSE));
    }
    parser->at++;
    return tsr_attr_new_strings(parser->name, (const TsrString *)strings->data, strings->len);
}

static TsrAttrBox *parse_list(Parser *parser)
{
    g_autoptr(GArray) ints = g_array_new(FALSE, FALSE, sizeof(gint64));
    g_autoptr(GArray) floats = g_array_new(FALSE, FALSE, sizeof(float));
    gboolean any_float = FALSE;
    parser->at++;
    skip_space(parser);
    if (*parser->at == '"')
        return parse_strings(parser);
    while (*parser->at != ']') {
        gint64 integer;
        double number;
        float narrow;
        gboolean is_float;
        if (!parse_number(parser, &integer, &number, &is_float))
            return NULL;
        narrow = (float)number;
        any_float |= is_float;
        g_array_append_val(ints, integer);
        g_array_append_val(floats, narrow);
        if (!skip_comma(parser))
            return NULL;
    }
    parser->at++;
    return any_float ? tsr_attr_new_floats(parser->name, (const float *)floats->data, floats->len)
                     : tsr_attr_new_ints(parser->name, (const gint64 *)ints->data, ints->len);
}

static TsrAttrBox *parse_value(Parser *parser)
{
    gint64 integer;
    double number;
    gboolean is_float;
    if (*parser->at == '[')
        return parse_list(parser);
    if (*parser->at == '"') {
        g_autoptr(GString) text = g_string_new(NULL);
        return parse_string(parser, text)
                   ? tsr_attr_new_string(parser->name, text->str, text->len)
                   : NULL;
    }
    if (!parse_number(parser, &integer, &number, &is_float))
        return NULL;
    return is_float ? tsr_attr_new_float(parser->name, (float)number)
                    : tsr_attr_new_int(parser->name, integer);
}

/* An integer where the definition wants a float, and a list likewise, is that float; an
 * empty list is one of anything. */
static TsrAttrBox *adapt(const TsrOpDef *def, TsrAttrBox *attr)
{
    const TsrAttr *view = tsr_attr_view(attr);
    TsrAttrBox *adapted = NULL;
    for (guint32 i = 0; i < def->attr_count; i++) {
        const TsrOpAttr *row = tsr_op_attr(def, i);
        if (strcmp(row->name, view->name) != 0)
            continue;
        if (row->type == TSR_ATTR_FLOAT && view->type == TSR_ATTR_INT) {
            adapted = tsr_attr_new_float(view->name, (float)view->i);
        } else if (row->type == TSR_ATTR_FLOATS && view->type == TSR_ATTR_INTS) {
            g_autofree float *floats = g_new(float, view->count + 1);
            for (guint32 k = 0; k < view->count; k++)
                floats[k] = (float)view->ints[k];
            adapted = tsr_attr_new_floats(view->name, floats, view->count);
        } else if (row->type == TSR_ATTR_STRINGS && view->type == TSR_ATTR_INTS &&
                   view->count == 0) {
            adapted = tsr_attr_new_strings(view->name, NULL, 0);
        }
    }
    if (adapted == NULL)
        return attr;
    tsr_attr_unref(attr);
    return adapted;
}

gboolean tsr_build_attrs(const TsrOpDef *def, const char *text, GPtrArray *attrs, GError **error)
{
    Parser parser = {text, NULL, error};
    for (skip_space(&parser); *parser.at != '\0'; skip_space(&parser)) {
        gsize length = strcspn(parser.at, "= \t\n");
        g_autofree char *name = g_strndup(parser.at, length);
        TsrAttrBox *attr;
        parser.name = name;
        parser.at += length;
        if (length == 0 || *parser.at != '=')
            return parse_fail(&parser, "name=value");
        parser.at++;
        attr = parse_value(&parser);
        if (attr == NULL)
            return FALSE;
        g_ptr_array_add(attrs, adapt(def, attr));
        parser.name = NULL;
    }
    return TRUE;
}

gboolean tsr_build_node_full(TsrGraph *graph, const char *op, const char *name,
                             TsrValue *const *inputs, guint input_count, const char *attrs,
                             TsrValue **out_outputs, guint output_count, GError **error)
{
    g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func((GDestroyNotify)tsr_attr_unref);
    const char *colons = strstr(op, "::");
    g_autofree char *domain = colons != NULL ? g_strndup(op, (gsize)(colons - op)) : g_strdup("");
    const TsrOpDef *def = tsr_op_registry_get(graph->registry, domain,
                                              colons != NULL ? colons + 2 : op, G_MAXINT64,
                                              error);
    TsrNode *node;
    if (def == NULL || (attrs != NULL && !tsr_build_attrs(def, attrs, list, error)))
        return FALSE;
    node = tsr_graph_add_node(graph, def, name, inputs, input_count, NULL, output_count,
                              (TsrAttrBox *const *)list->pdata, list->len, NULL, 0, error);
    for (guint i = 0; node != NULL && i < output_count; i++)
        out_outputs[i] = g_ptr_array_index(node->outputs, i);
    return node != NULL;
}

TsrValue *tsr_build_node(TsrGraph *graph, const char *op, const char *name,
                         TsrValue *const *inputs, const char *attrs, GError **error)
{
    TsrValue *output = NULL;
    guint count = 0;
    while (inputs[count] != NULL)
        count++;
    return tsr_build_node_full(graph, op, name, inputs, count, attrs, &output, 1, error)
               ? output
               : NULL;
}
