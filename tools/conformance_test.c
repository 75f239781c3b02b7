/* SPDX-License-Identifier: Apache-2.0
 *
 * conformance_test.c: see conformance_test.h. Layout and tolerances are those of the
 * runner of the ONNX backend suite (onnx/backend/test/runner).
 */
#include "conformance_test.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "base/error.h"
#include "compare.h"
#include "compare_random.h"
#include "conformance_light.h"
#include "ir/array.h"
#include "onnx/tensor_proto.h"
#include "onnx/value_proto.h"

typedef struct DataSet {
    char *name;         /* of its folder, for reasons; "" for a light model */
    GPtrArray *inputs;  /* TsrArray in the order of the files */
    GPtrArray *wanted;
    GPtrArray *got;
} DataSet;

typedef struct Run {
    const TsrConformanceTest *test;
    const TsrConformanceForm *form;
    const TsrToolOptions *options;
    TsrSession *session;
    TsrGraph *graph;    /* as imported; its inputs tell the kinds of values */
    TsrModel *model;
    gboolean is_random;   /* a node draws random numbers */
    GPtrArray *constants; /* TsrArray that the run feeds behind the inputs */
    GPtrArray *sets;
    double rtol;
    double atol;
    TsrInferCount count;
} Run;

static GPtrArray *array_list(void)
{
    return g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
}

static DataSet *set_new(const char *name)
{
    DataSet *set = g_new0(DataSet, 1);
    set->name = g_strdup(name);
    set->inputs = array_list();
    set->wanted = array_list();
    set->got = array_list();
    return set;
}

static void set_free(DataSet *set)
{
    g_ptr_array_unref(set->inputs);
    g_ptr_array_unref(set->wanted);
    g_ptr_array_unref(set->got);
    g_free(set->name);
    g_free(set);
}

static TsrArray *read_array(const char *path, guint32 kind, GError **error)
{
    g_autofree char *name = NULL;
    g_autoptr(GBytes) bytes = NULL;
    TsrDesc desc;
    if (kind != TSR_KIND_TENSOR)
        return tsr_value_file_read(path, kind, error);
    tsr_desc_init(&desc);
    bytes = tsr_tensor_file_read(path, &desc, &name, error);
    if (bytes == NULL)
        return NULL;
    desc.view.name = name;
    return tsr_array_new_from_bytes(&desc.view, bytes, error);
}

/* What kind of value file number index of the inputs or outputs holds. */
static guint32 kind_of(const Run *run, gboolean output, guint index)
{
    const TsrGraph *graph =
        output ? tsr_bound_model_program(run->model->bound)->graph : run->graph;
    if (output)
        return index < graph->outputs->len
                   ? g_array_index(graph->outputs, TsrGraphOutput, index).value->desc.view.kind
                   : TSR_KIND_TENSOR;
    return index < graph->inputs->len
               ? ((TsrValue *)g_ptr_array_index(graph->inputs, index))->desc.view.kind
               : TSR_KIND_TENSOR;
}

/* Reads PREFIX0.pb, PREFIX1.pb, ... as long as there are any. */
static gboolean read_arrays(const Run *run, gboolean output, const char *prefix,
                            GPtrArray *out_arrays, GError **error)
{
    for (guint i = 0;; i++) {
        g_autofree char *path = g_strdup_printf("%s%u.pb", prefix, i);
        TsrArray *array;
        if (!g_file_test(path, G_FILE_TEST_EXISTS))
            return TRUE;
        array = read_array(path, kind_of(run, output, i), error);
        if (array == NULL)
            return FALSE;
        g_ptr_array_add(out_arrays, array);
    }
}

/* The inputs of the data sets of the folder, by number. */
static gboolean read_inputs(Run *run, GError **error)
{
    g_autofree char *directory = g_path_get_dirname(run->test->model);
    for (guint i = 0;; i++) {
        g_autofree char *name = g_strdup_printf("test_data_set_%u", i);
        g_autofree char *folder = g_build_filename(directory, name, NULL);
        g_autofree char *prefix = g_build_filename(folder, "input_", NULL);
        DataSet *set;
        if (!g_file_test(folder, G_FILE_TEST_IS_DIR))
            return TRUE;
        set = set_new(name);
        g_ptr_array_add(run->sets, set);
        if (!read_arrays(run, FALSE, prefix, set->inputs, error))
            return FALSE;
    }
}

static gboolean read_outputs(Run *run, DataSet *set, GError **error)
{
    g_autofree char *directory = g_path_get_dirname(run->test->model);
    g_autofree char *prefix = g_build_filename(directory, set->name, "output_", NULL);
    gsize stem = strlen(run->test->model) - strlen(".onnx");
    g_autofree char *light = g_strdup_printf("%.*s_output_", (int)stem, run->test->model);
    return read_arrays(run, TRUE, run->test->is_light ? light : prefix, set->wanted, error);
}

static gboolean make_light_set(Run *run, GError **error)
{
    DataSet *set = set_new("");
    g_ptr_array_add(run->sets, set);
    for (guint i = 0; i < run->graph->inputs->len; i++) {
        TsrArray *array =
            tsr_conformance_light_input(g_ptr_array_index(run->graph->inputs, i), error);
        if (array == NULL)
            return FALSE;
        g_ptr_array_add(set->inputs, array);
    }
    return TRUE;
}

/* A data.json beside the model may hold other tolerances. */
static gboolean read_tolerance(Run *run, GError **error)
{
    g_autofree char *directory = g_path_get_dirname(run->test->model);
    g_autofree char *path = g_build_filename(directory, "data.json", NULL);
    g_autoptr(JsonParser) parser = json_parser_new();
    JsonNode *root;
    JsonObject *object;
    if (!g_file_test(path, G_FILE_TEST_EXISTS))
        return TRUE;
    if (!json_parser_load_from_file(parser, path, error))
        return FALSE;
    root = json_parser_get_root(parser);
    if (root == NULL || !JSON_NODE_HOLDS_OBJECT(root)) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT, "'%s' holds no object", path);
        return FALSE;
    }
    object = json_node_get_object(root);
    run->rtol = json_object_get_double_member_with_default(object, "rtol", run->rtol);
    run->atol = json_object_get_double_member_with_default(object, "atol", run->atol);
    return TRUE;
}

static void find_random(TsrGraph *graph, gpointer data)
{
    for (guint i = 0; i < graph->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(graph->nodes, i);
        if (node->kind == TSR_NODE_OPERATOR && (node->def->flags & TSR_OP_RANDOM) != 0)
            *(gboolean *)data = TRUE;
    }
}

static int find_input(const TsrGraph *graph, const char *name)
{
    for (guint i = 0; name != NULL && name[0] != '\0' && i < graph->inputs->len; i++)
        if (g_strcmp0(((const TsrValue *)g_ptr_array_index(graph->inputs, i))->name, name) == 0)
            return (int)i;
    return -1;
}

/* Brings the files' arrays into the order of the graph's inputs: by the name stored in the
 * file where all of them name inputs, else by position. */
static void order_inputs(const TsrGraph *graph, const DataSet *set, TsrArray **out_inputs)
{
    guint count = graph->inputs->len;
    gboolean by_name = set->inputs->len <= count;
    for (guint i = 0; i < set->inputs->len && by_name; i++) {
        TsrArray *array = g_ptr_array_index(set->inputs, i);
        int at = find_input(graph, array->name);
        by_name = at >= 0 && out_inputs[at] == NULL;
        if (by_name)
            out_inputs[at] = array;
    }
    for (guint i = 0; i < count && !by_name; i++)
        out_inputs[i] = i < set->inputs->len ? g_ptr_array_index(set->inputs, i) : NULL;
}

/* A model in the form of this call. inputs are those of a data set, in the graph's order;
 * the ones that became constants are NULL afterwards. */
static gboolean compile(Run *run, TsrArray **inputs, GError **error)
{
    g_autoptr(TsrGraph) graph =
        tsr_options_import(run->options, run->session, run->test->model, error);
    if (graph == NULL)
        return FALSE;
    g_clear_pointer(&run->model, tsr_model_free);
    g_ptr_array_set_size(run->constants, 0);
    if (run->form->feed == TSR_FEED_RUN_TIME)
        tsr_variant_constants_to_inputs(graph, run->constants);
    else if (run->form->feed == TSR_FEED_CONSTANT)
        tsr_variant_inputs_to_constants(graph, inputs);
    else if (run->form->feed == TSR_FEED_DYNAMIC)
        tsr_variant_forget_shapes(graph);
    run->model = tsr_options_compile(run->options, run->session, graph, error);
    return run->model != NULL;
}

/* Inputs that are still fed, then the constants that are. */
static GPtrArray *feeds(const Run *run, TsrArray *const *inputs)
{
    GPtrArray *list = g_ptr_array_new();
    for (guint i = 0; i < run->graph->inputs->len; i++)
        if (inputs[i] != NULL || run->form->feed != TSR_FEED_CONSTANT)
            g_ptr_array_add(list, inputs[i]);
    for (guint i = 0; i < run->constants->len; i++)
        g_ptr_array_add(list, g_ptr_array_index(run->constants, i));
    return list;
}

static gboolean run_set(Run *run, const DataSet *set, GPtrArray *out_arrays, GError **error)
{
    g_autofree TsrArray **inputs = g_new0(TsrArray *, run->graph->inputs->len + 1);
    g_autofree TsrArray **outputs = NULL;
    g_autoptr(GPtrArray) fed = NULL;
    guint count;
    order_inputs(run->graph, set, inputs);
    /* Known inputs are another model for every data set. */
    if ((run->model == NULL || run->form->feed == TSR_FEED_CONSTANT) &&
        !compile(run, inputs, error))
        return FALSE;
    fed = feeds(run, inputs);
    count = tsr_model_output_count(run->model);
    outputs = g_new0(TsrArray *, count + 1);
    if (fed->len != tsr_model_input_count(run->model)) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT, "wants %u inputs, has %u",
                    tsr_model_input_count(run->model), fed->len);
        return FALSE;
    }
    if (!tsr_model_run(run->model, (TsrArray *const *)fed->pdata, outputs, error)) {
        g_prefix_error(error, "%s: ", set->name);
        return FALSE;
    }
    for (guint i = 0; i < count; i++)
        g_ptr_array_add(out_arrays, outputs[i]);
    return TRUE;
}

static gboolean run_sets(Run *run, GError **error)
{
    g_autoptr(GPtrArray) again = array_list();
    for (guint i = 0; i < run->sets->len; i++) {
        DataSet *set = g_ptr_array_index(run->sets, i);
        if (!run_set(run, set, set->got, error) || !read_outputs(run, set, error))
            return FALSE;
    }
    return run->sets->len == 0 || run_set(run, g_ptr_array_index(run->sets, 0), again, error);
}

/* Damages the first output of a data set that has anything in it. */
static gboolean damage_set(const Run *run, DataSet *set)
{
    for (guint i = 0; i < set->wanted->len; i++) {
        TsrArray *damaged =
            tsr_variant_damage(g_ptr_array_index(set->wanted, i), run->form->damage,
                               run->is_random);
        if (damaged == NULL)
            continue;
        tsr_array_unref(g_ptr_array_index(set->wanted, i));
        g_ptr_array_index(set->wanted, i) = damaged;
        return TRUE;
    }
    return FALSE;
}

static gboolean compare_set(const Run *run, const DataSet *set, GString *reason)
{
    if (set->got->len != set->wanted->len) {
        g_string_append_printf(reason, "%s: wanted %u outputs, got %u", set->name,
                               set->wanted->len, set->got->len);
        return FALSE;
    }
    for (guint i = 0; i < set->got->len; i++) {
        g_autoptr(GString) text = g_string_new(NULL);
        TsrArray *got = g_ptr_array_index(set->got, i), *wanted = g_ptr_array_index(set->wanted, i);
        if (tsr_compare_arrays(got, wanted, run->rtol, run->atol, text))
            continue;
        if (run->is_random && got->items == NULL && wanted->items == NULL) {
            g_string_truncate(text, 0);
            if (tsr_compare_random(got, wanted, text))
                continue;
        }
        g_string_append_printf(reason, "%s: output '%s': %s", set->name,
                               tsr_model_output(run->model, i, NULL, NULL, NULL), text->str);
        return FALSE;
    }
    return TRUE;
}

/* Draws again where chance may have been against a random output. */
static gboolean draw_again(Run *run, DataSet *set)
{
    g_autoptr(GError) error = NULL;
    if (!run->is_random)
        return FALSE;
    g_ptr_array_set_size(set->got, 0);
    return run_set(run, set, set->got, &error);
}

/* Whether the data set agrees; a random one gets four draws. */
static gboolean agrees(Run *run, DataSet *set, GString *reason)
{
    for (guint draw = 1; !compare_set(run, set, reason); draw++) {
        if (draw == 4 || !draw_again(run, set))
            return FALSE;
        g_string_truncate(reason, 0);
    }
    return TRUE;
}

static TsrVerdict compare_sets(Run *run, GString *reason)
{
    if (run->test->expects_error) {
        g_string_append(reason, "an error was expected, but the model compiled and ran");
        return TSR_VERDICT_FAILED;
    }
    if (run->sets->len == 0) {
        g_string_append(reason, "there is no test_data_set_0");
        return TSR_VERDICT_FAILED;
    }
    for (guint i = 0; i < run->sets->len; i++) {
        DataSet *set = g_ptr_array_index(run->sets, i);
        gboolean damaged = run->form->damage != NULL && damage_set(run, set);
        if (agrees(run, set, reason) != damaged)
            continue;
        if (damaged)
            g_string_assign(reason, "a damaged expected output was not noticed");
        return TSR_VERDICT_FAILED;
    }
    return TSR_VERDICT_PASSED;
}

/* The outputs of every data set against what the compiler says of them. */
static TsrVerdict judge_inference(Run *run, GString *reason, GError **error)
{
    if (!compile(run, NULL, error))
        return TSR_VERDICT_FAILED;
    for (guint i = 0; i < run->sets->len; i++) {
        DataSet *set = g_ptr_array_index(run->sets, i);
        if (!read_outputs(run, set, error))
            return TSR_VERDICT_FAILED;
        if (!tsr_infer_agrees(run->model, set->wanted, &run->count, reason)) {
            g_autofree char *prefix = g_strconcat(set->name, ": ", NULL);
            g_string_prepend(reason, prefix);
            return TSR_VERDICT_FAILED;
        }
    }
    return TSR_VERDICT_PASSED;
}

/* An expected error is clean when it says what is wrong with the input; INTERNAL and
 * OUT_OF_MEMORY mean that nobody noticed. */
static TsrVerdict judge_error(const Run *run, const GError *error, GString *reason)
{
    gboolean ours = error->domain == TSR_ERROR;
    g_string_append(reason, error->message);
    if (run->test->expects_error && ours && error->code != TSR_INTERNAL &&
        error->code != TSR_OUT_OF_MEMORY)
        return TSR_VERDICT_PASSED;
    return ours && error->code == TSR_UNSUPPORTED ? TSR_VERDICT_UNSUPPORTED
                                                  : TSR_VERDICT_FAILED;
}

static TsrVerdict run_in(Run *run, GString *reason)
{
    g_autoptr(GError) error = NULL;
    run->graph = tsr_options_import(run->options, run->session, run->test->model, &error);
    if (run->graph == NULL)
        return judge_error(run, error, reason);
    tsr_graph_foreach(run->graph, find_random, &run->is_random);
    /* Damaged test data is a failure, also where the model should be refused. */
    if (!read_tolerance(run, &error) ||
        !(run->test->is_light ? make_light_set(run, &error) : read_inputs(run, &error))) {
        g_string_append(reason, error->message);
        return g_error_matches(error, TSR_ERROR, TSR_UNSUPPORTED) ? TSR_VERDICT_UNSUPPORTED
                                                                  : TSR_VERDICT_FAILED;
    }
    if (run->form->infer_only && run->sets->len != 0) {
        TsrVerdict verdict = judge_inference(run, reason, &error);
        return error == NULL ? verdict : judge_error(run, error, reason);
    }
    /* A model without data is still compiled: it may be one that has to be refused. */
    if (run->sets->len == 0 ? !compile(run, NULL, &error) : !run_sets(run, &error))
        return judge_error(run, error, reason);
    return compare_sets(run, reason);
}

TsrVerdict tsr_conformance_run(const TsrConformanceTest *test, const TsrConformanceForm *form,
                               const TsrToolOptions *options, TsrInferCount *out_count,
                               GString *reason)
{
    g_autoptr(TsrSession) session = tsr_options_session(options);
    Run run = {.test = test, .form = form, .options = options, .session = session,
               .rtol = 1e-3, .atol = 1e-7};
    TsrVerdict verdict = TSR_VERDICT_FAILED;
    run.sets = g_ptr_array_new_with_free_func((GDestroyNotify)set_free);
    run.constants = array_list();
    if (!g_file_test(test->model, G_FILE_TEST_IS_REGULAR))
        g_string_append_printf(reason, "there is no '%s'", test->model);
    else if (session == NULL)
        g_string_append(reason, "no session");
    else
        verdict = run_in(&run, reason);
    *out_count = run.count;
    g_ptr_array_unref(run.sets);
    g_ptr_array_unref(run.constants);
    tsr_model_free(run.model);
    tsr_graph_unref(run.graph);
    return verdict;
}
