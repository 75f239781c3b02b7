/* SPDX-License-Identifier: Apache-2.0
 *
 * import_function.c: calls of functions that the model defines itself. A call becomes the
 * nodes of the body: its names are looked up in a scope of their own, its attributes may
 * refer to those of the call, and its operator sets are the function's. Source: ONNX IR.md,
 * "Model-local functions".
 */
#include <string.h>
#include <tessera/types.h>

#include "base/error.h"
#include "onnx/import_graph.h"

/* Deeper than any real model, and far from the end of the stack. */
#define CALL_DEPTH_MAX 64

static const char *text_of(const char *text)
{
    return text != NULL ? text : "";
}

char *tsr_function_key(const char *domain, const char *name, const char *overload)
{
    domain = text_of(domain);
    if (strcmp(domain, "ai.onnx") == 0)
        domain = "";
    return g_strdup_printf("%s\n%s\n%s", domain, text_of(name), text_of(overload));
}

const Onnx__Function *tsr_function_find(const TsrImporter *importer, const Onnx__Node *node)
{
    g_autofree char *key = NULL;
    if (g_hash_table_size(importer->functions) == 0)
        return NULL;
    key = tsr_function_key(node->domain, node->op_type, node->overload);
    return g_hash_table_lookup(importer->functions, key);
}

static gboolean refers(const Onnx__Attribute *attr)
{
    return attr->ref_attr_name != NULL && attr->ref_attr_name[0] != '\0';
}

const Onnx__Attribute *tsr_function_attr(const TsrScope *scope, const Onnx__Attribute *attr,
                                         Onnx__Attribute *copy)
{
    const Onnx__Attribute *given;
    if (!refers(attr) || scope->frame->attrs == NULL)
        return attr;
    given = g_hash_table_lookup(scope->frame->attrs, attr->ref_attr_name);
    if (given == NULL)
        return NULL;
    *copy = *given;
    copy->name = attr->name;
    return copy;
}

const TsrScope *tsr_function_attr_scope(const TsrScope *scope, const Onnx__Attribute *attr)
{
    return refers(attr) && scope->frame->caller != NULL ? scope->frame->caller : scope;
}

/* Attributes of the call over the defaults of the function, by name. */
static gboolean bind_attrs(const Onnx__Function *function, const Onnx__Node *call,
                           const TsrScope *scope, Onnx__Attribute *copies, GHashTable *attrs,
                           GError **error)
{
    for (gsize i = 0; i < function->n_attribute_proto; i++)
        g_hash_table_insert(attrs, (gpointer)text_of(function->attribute_proto[i]->name),
                            function->attribute_proto[i]);
    for (gsize i = 0; i < call->n_attribute; i++) {
        /* A call within a function may hand on what that was given. */
        const Onnx__Attribute *meant =
            tsr_function_attr(scope, call->attribute[i], &copies[i]);
        if (meant != NULL)
            g_hash_table_insert(attrs, (gpointer)text_of(call->attribute[i]->name),
                                (gpointer)meant);
    }
    for (gsize i = 0; i < function->n_attribute; i++) {
        if (g_hash_table_contains(attrs, function->attribute[i]))
            continue;
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "%s '%s': the function wants attribute '%s'", text_of(call->op_type),
                    text_of(call->name), function->attribute[i]);
        return FALSE;
    }
    return TRUE;
}

static gboolean bind_inputs(const Onnx__Function *function, const Onnx__Node *call,
                            const TsrScope *scope, GHashTable *values, GError **error)
{
    if (call->n_input > function->n_input || call->n_output > function->n_output) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "%s '%s': the function has %zu inputs and %zu outputs, the call %zu and %zu",
                    text_of(call->op_type), text_of(call->name), function->n_input,
                    function->n_output, call->n_input, call->n_output);
        return FALSE;
    }
    for (gsize i = 0; i < function->n_input; i++) {
        TsrValue *value = i < call->n_input && text_of(call->input[i])[0] != '\0'
                              ? tsr_scope_find(scope, call->input[i])
                              : NULL;
        /* An omitted input is there under its name, as no value. */
        g_hash_table_insert(values, function->input[i], value);
    }
    return TRUE;
}

/* The caller sees the function's outputs under the names it gave them. */
static gboolean bind_outputs(const Onnx__Function *function, const Onnx__Node *call,
                             TsrScope *scope, const TsrScope *body, GError **error)
{
    for (gsize i = 0; i < call->n_output; i++) {
        TsrValue *value = tsr_scope_find(body, function->output[i]);
        if (text_of(call->output[i])[0] == '\0')
            continue;
        if (value == NULL) {
            g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                        "%s '%s': nothing in the function writes its output '%s'",
                        text_of(call->op_type), text_of(call->name), function->output[i]);
            return FALSE;
        }
        g_hash_table_insert(scope->values, call->output[i], value);
    }
    return TRUE;
}

gboolean tsr_function_inline(TsrImporter *importer, const Onnx__Function *function,
                             const Onnx__Node *call, TsrScope *scope, GError **error)
{
    g_autoptr(GHashTable) values = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) attrs = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) renames =
        g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
    g_autoptr(GHashTable) opsets =
        tsr_import_opsets(function->opset_import, function->n_opset_import, error);
    g_autofree Onnx__Attribute *copies = g_new0(Onnx__Attribute, call->n_attribute + 1);
    g_autofree char *name = NULL;
    TsrFrame frame = {.opsets = opsets, .caller = scope, .attrs = attrs, .renames = renames,
                      .depth = scope->frame->depth + 1};
    TsrScope body = {NULL, scope->graph, values, &frame};

    if (opsets == NULL)
        return FALSE;
    if (frame.depth > CALL_DEPTH_MAX) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "%s '%s': functions call each other more than %d deep", text_of(call->op_type),
                    text_of(call->name), CALL_DEPTH_MAX);
        return FALSE;
    }
    name = scope->frame->call != NULL
               ? g_strdup_printf("%s/%s", scope->frame->call, text_of(call->name))
               : g_strdup(text_of(call->name));
    frame.call = name[0] != '\0' ? name : text_of(call->op_type);
    for (gsize i = 0; i < call->n_output && i < function->n_output; i++) {
        /* Within a call the caller's name is local itself. */
        const char *outer = text_of(call->output[i]);
        const char *final = scope->frame->renames != NULL
                                ? g_hash_table_lookup(scope->frame->renames, outer)
                                : outer;
        if (outer[0] != '\0' && final != NULL &&
            !g_hash_table_contains(renames, function->output[i]))
            g_hash_table_insert(renames, function->output[i], g_strdup(final));
    }
    return bind_attrs(function, call, scope, copies, attrs, error) &&
           bind_inputs(function, call, scope, values, error) &&
           tsr_import_nodes(importer, function->node, function->n_node, &body, error) &&
           bind_outputs(function, call, scope, &body, error);
}
