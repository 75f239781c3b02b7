/* SPDX-License-Identifier: Apache-2.0
 *
 * import.c: the model level of the importer: file, opsets, domains.
 */
#include "onnx/import.h"

#include <string.h>

#include "base/error.h"
#include "ir/verify.h"
#include "onnx/depth.h"
#include "onnx/import_graph.h"

GHashTable *tsr_import_opsets(Onnx__OperatorSetId *const *ids, gsize count, GError **error)
{
    g_autoptr(GHashTable) opsets = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    for (gsize i = 0; i < count; i++) {
        const char *domain = ids[i]->domain != NULL ? ids[i]->domain : "";
        gint64 *version = g_new(gint64, 1);
        *version = ids[i]->version;
        if (strcmp(domain, "ai.onnx") == 0)
            domain = "";
        g_hash_table_insert(opsets, g_strdup(domain), version);
        if (domain[0] == '\0' && (*version < 1 || *version > TSR_ONNX_OPSET_MAX)) {
            g_set_error(error, TSR_ERROR, TSR_UNSUPPORTED,
                        "model wants opset %" G_GINT64_FORMAT
                        " of the ONNX domain; 1 to %d are known",
                        *version, TSR_ONNX_OPSET_MAX);
            return NULL;
        }
    }
    return g_steal_pointer(&opsets);
}

static void index_functions(const Onnx__Model *model, GHashTable *functions)
{
    for (gsize i = 0; i < model->n_functions; i++) {
        Onnx__Function *function = model->functions[i];
        g_hash_table_insert(functions,
                            tsr_function_key(function->domain, function->name,
                                             function->overload),
                            function);
    }
}

static gboolean check_model(const Onnx__Model *model, GError **error)
{
    if (!model->has_ir_version || model->ir_version < 1) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT, "model has no IR version");
        return FALSE;
    }
    if (model->n_opset_import == 0 && model->ir_version >= 3) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "model names no operator set (opset_import is empty)");
        return FALSE;
    }
    if (model->graph == NULL) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT, "model has no graph");
        return FALSE;
    }
    return TRUE;
}

/* (transfer full) */
static Onnx__Model *decode(const guint8 *data, gsize size, GError **error)
{
    Onnx__Model *model;
    if (!tsr_onnx_check_depth(data, size, error))
        return NULL;
    model = size != 0 ? onnx__model__unpack(NULL, size, data) : NULL;
    if (model == NULL)
        g_set_error(error, TSR_ERROR, TSR_CORRUPT,
                    "not an ONNX model: %zu bytes that do not decode as a ModelProto", size);
    return model;
}

/* model is taken over. */
static TsrGraph *import_model(TsrOpRegistry *registry, Onnx__Model *model,
                              const char *directory, GError **error)
{
    g_autoptr(GHashTable) opsets = NULL;
    g_autoptr(GHashTable) functions =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) values = g_hash_table_new(g_str_hash, g_str_equal);
    TsrImporter importer = {registry, directory, functions};
    TsrFrame frame = {0};
    TsrScope scope = {NULL, NULL, values, &frame};
    gboolean done;

    if (!check_model(model, error)) {
        onnx__model__free_unpacked(model, NULL);
        return NULL;
    }
    scope.graph = tsr_graph_new(registry, model->graph->name);
    opsets = tsr_import_opsets(model->opset_import, model->n_opset_import, error);
    frame.opsets = opsets;
    index_functions(model, functions);
    done = opsets != NULL &&
           tsr_import_graph(&importer, model->graph, &scope, error) &&
           tsr_graph_verify(scope.graph, error);
    onnx__model__free_unpacked(model, NULL);
    if (!done)
        g_clear_pointer(&scope.graph, tsr_graph_unref);
    return scope.graph;
}

TsrGraph *tsr_onnx_import_data(TsrOpRegistry *registry, const guint8 *data, gsize size,
                               const char *directory, GError **error)
{
    Onnx__Model *model = decode(data, size, error);
    return model != NULL ? import_model(registry, model, directory, error) : NULL;
}

TsrGraph *tsr_onnx_import_file(TsrOpRegistry *registry, const char *path, GError **error)
{
    g_autofree char *directory = g_path_get_dirname(path);
    g_autoptr(GError) io = NULL;
    GMappedFile *file = g_mapped_file_new(path, FALSE, &io);
    Onnx__Model *model;
    TsrGraph *graph;
    if (file == NULL) {
        g_set_error(error, TSR_ERROR, TSR_IO, "model '%s': %s", path, io->message);
        return NULL;
    }
    model = decode((const guint8 *)g_mapped_file_get_contents(file),
                   g_mapped_file_get_length(file), error);
    g_mapped_file_unref(file); /* a large one should not be there twice */
    graph = model != NULL ? import_model(registry, model, directory, error) : NULL;
    if (graph == NULL)
        g_prefix_error(error, "model '%s': ", path);
    return graph;
}
