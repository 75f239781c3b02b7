/* SPDX-License-Identifier: Apache-2.0
 *
 * test_import.c: ONNX models that are right, wrong, damaged or hostile. Each is imported
 * or refused with one error that names the object; nothing crashes.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"
#include "model_maker.h"
#include "onnx/import.h"

static TsrGraph *import_in(ModelMaker *maker, const char *directory, GError **error)
{
    g_autoptr(TsrOpRegistry) registry = fixture_registry();
    g_autoptr(GBytes) bytes = maker_pack(maker);
    gsize size;
    const guint8 *data = g_bytes_get_data(bytes, &size);
    return tsr_onnx_import_data(registry, data, size, directory, error);
}

static TsrGraph *import(ModelMaker *maker, GError **error)
{
    return import_in(maker, NULL, error);
}

static void ck_refused(ModelMaker *maker, const char *directory, gint32 code, const char *part,
                       const char *where)
{
    GError *error = NULL;
    TsrGraph *graph = import_in(maker, directory, &error);
    ck_assert_msg(graph == NULL, "%s: the model was taken", where);
    fixture_error(&error, code, part, where);
}
#define ck_refuses(maker, code, part) ck_refused(maker, NULL, code, part, G_STRLOC)

/* x [2,3] -> Relu 'r' -> y */
static ModelMaker *base(void)
{
    ModelMaker *maker = maker_new();
    maker_input(maker, maker->graph, "x", TSR_DTYPE_FLOAT, SHAPE(2, 3));
    maker_node(maker, maker->graph, "Relu", "r", "x", "y");
    maker_output(maker, maker->graph, "y");
    return maker;
}

static const float six[6] = {1, 2, 3, 4, 5, 6};

START_TEST(right)
{
    g_autoptr(ModelMaker) maker = base();
    GError *error = NULL;
    g_autoptr(TsrGraph) graph = NULL;
    /* Nodes may come in any order. */
    maker_node(maker, maker->graph, "Add", "late", "z,w", "sum");
    maker_node(maker, maker->graph, "Neg", "early", "y", "z");
    maker_initializer(maker, maker->graph,
                      maker_tensor(maker, "w", TSR_DTYPE_FLOAT, SHAPE(2, 3), six, sizeof(six)));
    maker_output(maker, maker->graph, "sum");
    graph = import(maker, &error);
    ck_no_error(error);
    ck_assert_uint_eq(graph->inputs->len, 1);
    ck_assert_uint_eq(graph->outputs->len, 2);
    ck_assert_ptr_nonnull(fixture_find(graph, "late"));
    ck_assert_uint_eq(fixture_find(graph, "r")->def->since_version, 14);
}
END_TEST

START_TEST(initializer_is_the_inputs_value)
{
    g_autoptr(ModelMaker) maker = base();
    GError *error = NULL;
    g_autoptr(TsrGraph) graph = NULL;
    maker_initializer(maker, maker->graph,
                      maker_tensor(maker, "x", TSR_DTYPE_FLOAT, SHAPE(2, 3), six, sizeof(six)));
    graph = import(maker, &error);
    ck_no_error(error);
    ck_assert_uint_eq(graph->inputs->len, 0);
}
END_TEST

START_TEST(graph_errors)
{
    ModelMaker *maker = base();
    maker_node(maker, maker->graph, "Relu", "n", "nothing", "z");
    ck_refuses(maker, TSR_INVALID_ARGUMENT, "Relu 'n': input 'nothing'");
    maker_free(maker);

    maker = base();
    maker_output(maker, maker->graph, "nowhere");
    ck_refuses(maker, TSR_INVALID_ARGUMENT, "nothing writes its output 'nowhere'");
    maker_free(maker);

    maker = base();
    maker_node(maker, maker->graph, "Relu", "a", "q", "p");
    maker_node(maker, maker->graph, "Relu", "b", "p", "q");
    ck_refuses(maker, TSR_INVALID_ARGUMENT, "cycle");
    maker_free(maker);

    maker = base();
    maker_node(maker, maker->graph, "Neg", "n", "x", "y");
    ck_refuses(maker, TSR_ALREADY_EXISTS, "'y'");
    maker_free(maker);

    maker = base();
    maker_node(maker, maker->graph, "Neg", "n", "y", "x");
    ck_refuses(maker, TSR_ALREADY_EXISTS, "'x'");
    maker_free(maker);

    maker = base(); /* two inputs of one name */
    maker_input(maker, maker->graph, "x", TSR_DTYPE_FLOAT, SHAPE(2, 3));
    ck_refuses(maker, TSR_ALREADY_EXISTS, "'x'");
    maker_free(maker);

    maker = base(); /* two initializers of one name */
    for (int i = 0; i < 2; i++)
        maker_initializer(maker, maker->graph,
                          maker_tensor(maker, "w", TSR_DTYPE_FLOAT, SHAPE(6), six, 24));
    ck_refuses(maker, TSR_ALREADY_EXISTS, "'w'");
    maker_free(maker);

    maker = base();
    maker_initializer(maker, maker->graph,
                      maker_tensor(maker, "", TSR_DTYPE_FLOAT, SHAPE(6), six, 24));
    ck_refuses(maker, TSR_INVALID_ARGUMENT, "name");
    maker_free(maker);

    maker = base();
    maker_input(maker, maker->graph, "", TSR_DTYPE_FLOAT, SHAPE(2));
    ck_refuses(maker, TSR_INVALID_ARGUMENT, "name");
    maker_free(maker);
}
END_TEST

START_TEST(operator_errors)
{
    ModelMaker *maker = base();
    Onnx__Attribute *attr;
    maker_node(maker, maker->graph, "NoSuchOp", "n", "x", "z");
    ck_refuses(maker, TSR_UNSUPPORTED, "NoSuchOp 'n'");
    maker_free(maker);

    maker = base();
    maker_node(maker, maker->graph, "Op", "n", "x", "z")->domain =
        maker_keep(maker, g_strdup("my.domain"));
    ck_refuses(maker, TSR_UNSUPPORTED, "'my.domain'");
    maker_opset(maker, "my.domain", 1);
    ck_refuses(maker, TSR_UNSUPPORTED, "'my.domain'");
    maker_free(maker);

    maker = base();
    maker->model.opset_import[0]->version = TSR_ONNX_OPSET_MAX + 1;
    ck_refuses(maker, TSR_UNSUPPORTED, "1 to 28 are known");
    maker->model.opset_import[0]->version = 0;
    ck_refuses(maker, TSR_UNSUPPORTED, "opset 0");
    maker->model.opset_import[0]->version = -5;
    ck_refuses(maker, TSR_UNSUPPORTED, "opset -5");
    maker->model.n_opset_import = 0;
    ck_refuses(maker, TSR_INVALID_ARGUMENT, "opset_import is empty");
    maker_free(maker);

    maker = base();
    attr = maker_attr(maker, maker->graph->node[0], "alpha", TSR_ATTR_FLOAT);
    ck_refuses(maker, TSR_INVALID_ARGUMENT, "Relu 'r': version 14 of the operator has no "
                                            "attribute 'alpha'");
    attr->name = maker_keep(maker, g_strdup(""));
    ck_refuses(maker, TSR_INVALID_ARGUMENT, "attribute without a name");
    attr->name = maker_keep(maker, g_strdup("alpha"));
    attr->ref_attr_name = maker_keep(maker, g_strdup("outer"));
    ck_refuses(maker, TSR_INVALID_ARGUMENT, "outside a function");
    attr->ref_attr_name = NULL;
    attr->type = 99;
    ck_refuses(maker, TSR_UNSUPPORTED, "attribute type 99");
    attr->type = TSR_ATTR_GRAPH;
    ck_refuses(maker, TSR_INVALID_ARGUMENT, "has no graph");
    attr->type = TSR_ATTR_TENSOR;
    ck_refuses(maker, TSR_INVALID_ARGUMENT, "has no tensor");
    maker_free(maker);

    maker = base();
    maker_node(maker, maker->graph, "Add", "n", "x", "z");
    ck_refuses(maker, TSR_INVALID_ARGUMENT, "Add 'n': required input 1 ('B') is missing");
    maker_free(maker);
}
END_TEST

START_TEST(model_errors)
{
    ModelMaker *maker = base();
    g_autoptr(TsrOpRegistry) registry = fixture_registry();
    GError *error = NULL;
    maker->model.has_ir_version = 0;
    ck_refuses(maker, TSR_INVALID_ARGUMENT, "IR version");
    maker->model.has_ir_version = 1;
    maker->model.graph = NULL;
    ck_refuses(maker, TSR_INVALID_ARGUMENT, "no graph");
    maker_free(maker);
    ck_assert_ptr_null(tsr_onnx_import_data(registry, (const guint8 *)"", 0, NULL, &error));
    ck_error(error, TSR_CORRUPT, "0 bytes");
    ck_assert_ptr_null(tsr_onnx_import_file(registry, "/nonexistent.onnx", &error));
    ck_error(error, TSR_IO, "/nonexistent.onnx");
    ck_assert_ptr_null(tsr_onnx_import_file(registry, "/", &error));
    ck_error(error, TSR_IO, "'/'");
}
END_TEST

START_TEST(input_errors)
{
    static const gint64 many[20];
    ModelMaker *maker = base();
    Onnx__ValueInfo *info = maker_input(maker, maker->graph, "s", 0, 17, many);
    ck_refuses(maker, TSR_UNSUPPORTED, "input 's': rank 17");
    info->type->tensor_type = NULL;
    ck_refuses(maker, TSR_UNSUPPORTED, "input 's'"); /* a type of none of the known kinds */
    maker_free(maker);
    maker = base();
    maker_input(maker, maker->graph, "s", 99, SHAPE(1));
    ck_refuses(maker, TSR_UNSUPPORTED, "input 's'");
    maker_free(maker);
    maker = base();
    maker_input(maker, maker->graph, "s", -1, SHAPE(1));
    ck_refuses(maker, TSR_UNSUPPORTED, "input 's'");
    maker_free(maker);
}
END_TEST

static void ck_tensor(Onnx__Tensor *(*make)(ModelMaker *), const char *directory, gint32 code,
                      const char *part, const char *where)
{
    g_autoptr(ModelMaker) maker = base();
    maker_initializer(maker, maker->graph, make(maker));
    ck_refused(maker, directory, code, part, where);
}

static Onnx__Tensor *short_raw(ModelMaker *maker)
{
    return maker_tensor(maker, "w", TSR_DTYPE_FLOAT, SHAPE(7), six, sizeof(six));
}

static Onnx__Tensor *negative(ModelMaker *maker)
{
    return maker_tensor(maker, "w", TSR_DTYPE_FLOAT, SHAPE(-2, 3), six, sizeof(six));
}

static Onnx__Tensor *huge(ModelMaker *maker)
{
    return maker_tensor(maker, "w", TSR_DTYPE_FLOAT, SHAPE(G_MAXINT64, G_MAXINT64, 4), six, 24);
}

static Onnx__Tensor *wide(ModelMaker *maker)
{
    return maker_tensor(maker, "w", TSR_DTYPE_DOUBLE, SHAPE(G_MAXINT64 / 2), six, 24);
}

static Onnx__Tensor *unknown_type(ModelMaker *maker)
{
    return maker_tensor(maker, "w", 77, SHAPE(6), six, 24);
}

static Onnx__Tensor *no_data(ModelMaker *maker)
{
    return maker_tensor(maker, "w", TSR_DTYPE_FLOAT, SHAPE(6), NULL, 0);
}

static Onnx__Tensor *too_many_strings(ModelMaker *maker)
{
    return maker_tensor(maker, "w", TSR_DTYPE_STRING, SHAPE(2), NULL, 0);
}

static Onnx__Tensor *external_strings(ModelMaker *maker)
{
    /* Bytes of a file must never be taken for pointers. */
    Onnx__Tensor *tensor = maker_tensor(maker, "w", TSR_DTYPE_STRING, SHAPE(1), NULL, 0);
    maker_external(maker, tensor, "w.bin", NULL, NULL);
    return tensor;
}

START_TEST(tensor_errors)
{
    g_autofree char *directory = fixture_directory();
    g_autofree char *file = fixture_file(directory, "w.bin", "0123456789abcdef0123456789", 26);
    ck_tensor(short_raw, NULL, TSR_INVALID_ARGUMENT, "'w': float[7] takes 28 bytes", G_STRLOC);
    ck_tensor(negative, NULL, TSR_INVALID_ARGUMENT, "'w': dimension 0 is -2", G_STRLOC);
    ck_tensor(huge, NULL, TSR_INVALID_ARGUMENT, "'w'", G_STRLOC);
    ck_tensor(wide, NULL, TSR_INVALID_ARGUMENT, "'w'", G_STRLOC);
    ck_tensor(unknown_type, NULL, TSR_UNSUPPORTED, "unknown data type 77", G_STRLOC);
    ck_tensor(no_data, NULL, TSR_INVALID_ARGUMENT, "6 values of float wanted, got 0", G_STRLOC);
    ck_tensor(too_many_strings, NULL, TSR_INVALID_ARGUMENT, "2 strings wanted", G_STRLOC);
    ck_tensor(external_strings, directory, TSR_INVALID_ARGUMENT, "'w'", G_STRLOC);
}
END_TEST

/* Refused places of external data, and the one that is right. */
START_TEST(external_data)
{
    static const struct {
        const char *location, *offset, *length;
        gint32 code;
        const char *part;
    } rows[] = {
        {"w.bin", "8", NULL, TSR_INVALID_ARGUMENT, "has 24 bytes, wanted 24 from offset 8"},
        {"w.bin", "18446744073709551610", NULL, TSR_INVALID_ARGUMENT, "from offset"},
        {"w.bin", "-1", NULL, TSR_INVALID_ARGUMENT, "'-1' is not a number"},
        {"w.bin", "x", NULL, TSR_INVALID_ARGUMENT, "'x' is not a number"},
        {"w.bin", NULL, "23", TSR_INVALID_ARGUMENT, "its external length is 23"},
        {"w.bin", NULL, "18446744073709551615", TSR_INVALID_ARGUMENT, "external length"},
        {"../w.bin", NULL, NULL, TSR_INVALID_ARGUMENT, "not a path below"},
        {"sub/../../w.bin", NULL, NULL, TSR_INVALID_ARGUMENT, "not a path below"},
        {"/etc/passwd", NULL, NULL, TSR_INVALID_ARGUMENT, "not a path below"},
        {"", NULL, NULL, TSR_INVALID_ARGUMENT, "without a location"},
        {NULL, NULL, NULL, TSR_INVALID_ARGUMENT, "without a location"},
        {"absent.bin", NULL, NULL, TSR_IO, "absent.bin"},
        {"link.bin", NULL, NULL, TSR_IO, "link.bin"},
        {"dir_link/w.bin", NULL, NULL, TSR_IO, "dir_link"},
        {".", NULL, NULL, TSR_IO, "plain file"},
        {"w.bin/", NULL, NULL, TSR_IO, "plain file"},
        {"pipe", NULL, NULL, TSR_IO, "plain file"},
    };
    g_autofree char *directory = fixture_directory();
    g_autofree char *other = fixture_directory();
    g_autofree char *file = fixture_file(directory, "w.bin", six, sizeof(six));
    g_autofree char *far = fixture_file(other, "w.bin", six, sizeof(six));
    g_autofree char *link = g_build_filename(directory, "link.bin", NULL);
    g_autofree char *dir_link = g_build_filename(directory, "dir_link", NULL);
    g_autofree char *pipe = g_build_filename(directory, "pipe", NULL);
    GError *error = NULL;
    ck_assert_int_eq(mkfifo(pipe, 0600), 0);
    ck_assert_int_eq(symlink(far, link), 0);
    ck_assert_int_eq(symlink(other, dir_link), 0);
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(ModelMaker) maker = base();
        g_autofree char *where = g_strdup_printf("row %zu", i);
        Onnx__Tensor *tensor = maker_tensor(maker, "w", TSR_DTYPE_FLOAT, SHAPE(6), NULL, 0);
        maker_external(maker, tensor, rows[i].location, rows[i].offset, rows[i].length);
        maker_initializer(maker, maker->graph, tensor);
        ck_refused(maker, directory, rows[i].code, rows[i].part, where);
        ck_refused(maker, NULL, rows[i].code == TSR_IO ? TSR_INVALID_ARGUMENT : rows[i].code, "'w'",
                   where); /* a model from memory has no directory */
    }
    {
        g_autoptr(ModelMaker) maker = base();
        Onnx__Tensor *tensor = maker_tensor(maker, "w", TSR_DTYPE_FLOAT, SHAPE(2), NULL, 0);
        g_autoptr(TsrGraph) graph = NULL;
        const float *data;
        maker_external(maker, tensor, "w.bin", "4", "8");
        maker_initializer(maker, maker->graph, tensor);
        graph = import_in(maker, directory, &error);
        ck_no_error(error);
        data = g_bytes_get_data(
            ((TsrValue *)g_ptr_array_index(fixture_find(graph, "w")->outputs, 0))->constant, NULL);
        ck_assert(data[0] == 2.0f && data[1] == 3.0f);
    }
}
END_TEST

static void add_sparse(ModelMaker *maker, const gint64 *indices, guint rank, const gint64 *shape)
{
    Onnx__SparseTensor *sparse = maker_keep(maker, g_new0(Onnx__SparseTensor, 1));
    gint64 count = rank == 0 ? 1 : shape[0] * (rank > 1 ? shape[1] : 1);
    onnx__sparse_tensor__init(sparse);
    sparse->values = maker_tensor(maker, "s", TSR_DTYPE_FLOAT, SHAPE(2), six, 8);
    sparse->indices = maker_tensor(maker, "i", TSR_DTYPE_INT64, rank, shape, indices,
                                   (gsize)count * sizeof(gint64));
    sparse->n_dims = 2;
    sparse->dims = maker_keep(maker, g_memdup2((gint64[]){2, 3}, 16));
    maker->graph->n_sparse_initializer = 1;
    maker->graph->sparse_initializer = maker_keep(maker, g_new0(Onnx__SparseTensor *, 1));
    maker->graph->sparse_initializer[0] = sparse;
}

START_TEST(sparse_initializers)
{
    static const struct {
        gint64 indices[4];
        guint rank;
        gint64 shape[2];
        const char *error; /* NULL: taken */
    } rows[] = {
        {{1, 5}, 1, {2}, NULL},
        {{0, 1, 1, 2}, 2, {2, 2}, NULL},
        {{1, 6}, 1, {2}, "outside the shape"},
        {{-1, 5}, 1, {2}, "outside the shape"},
        {{0, 1, 1, 3}, 2, {2, 2}, "outside the shape"},
        {{0, 1, 2, 0}, 2, {2, 2}, "outside the shape"},
        {{1}, 1, {1}, "indices"},
        {{1, 2}, 2, {1, 2}, "indices"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(ModelMaker) maker = base();
        g_autoptr(TsrGraph) graph = NULL;
        GError *error = NULL;
        const float *data;
        add_sparse(maker, rows[i].indices, rows[i].rank, rows[i].shape);
        graph = import(maker, &error);
        if (rows[i].error != NULL) {
            ck_assert_msg(graph == NULL, "row %zu", i);
            ck_error(error, TSR_INVALID_ARGUMENT, rows[i].error);
            continue;
        }
        ck_no_error(error);
        data = g_bytes_get_data(
            ((TsrValue *)g_ptr_array_index(fixture_find(graph, "s")->outputs, 0))->constant, NULL);
        ck_assert(data[0] == 0 && data[1] == 1.0f && data[5] == 2.0f);
    }
}
END_TEST

static TsrValue *import_constant(void (*fill)(ModelMaker *, Onnx__Node *), TsrGraph **out_graph)
{
    g_autoptr(ModelMaker) maker = base();
    Onnx__Node *node = maker_node(maker, maker->graph, "Constant", "c", "x", "k");
    GError *error = NULL;
    node->n_input = 0;
    fill(maker, node);
    *out_graph = import(maker, &error);
    ck_no_error(error);
    return g_ptr_array_index(fixture_find(*out_graph, "k")->outputs, 0);
}

static void fill_float(ModelMaker *maker, Onnx__Node *node)
{
    maker_attr(maker, node, "value_float", TSR_ATTR_FLOAT)->f = 1.5f;
}

static void fill_ints(ModelMaker *maker, Onnx__Node *node)
{
    Onnx__Attribute *attr = maker_attr(maker, node, "value_ints", TSR_ATTR_INTS);
    attr->n_ints = 3;
    attr->ints = maker_keep(maker, g_memdup2((gint64[]){4, 5, 6}, 24));
}

static void fill_string(ModelMaker *maker, Onnx__Node *node)
{
    Onnx__Attribute *attr = maker_attr(maker, node, "value_string", TSR_ATTR_STRING);
    attr->s.len = 3;
    attr->s.data = maker_keep(maker, g_memdup2("abc", 3));
}

static void fill_tensor(ModelMaker *maker, Onnx__Node *node)
{
    maker_attr(maker, node, "value", TSR_ATTR_TENSOR)->t =
        maker_tensor(maker, "", TSR_DTYPE_FLOAT, SHAPE(2, 3), six, sizeof(six));
}

START_TEST(constant_forms)
{
    TsrGraph *graph;
    TsrValue *value = import_constant(fill_float, &graph);
    ModelMaker *maker;
    ck_assert_uint_eq(value->desc.view.rank, 0);
    ck_assert(*(const float *)value->tensor.data == 1.5f);
    tsr_graph_unref(graph);
    value = import_constant(fill_ints, &graph);
    ck_assert_uint_eq(value->desc.view.dtype, TSR_DTYPE_INT64);
    ck_assert_int_eq(value->desc.shape[0], 3);
    ck_assert_int_eq(((const gint64 *)value->tensor.data)[2], 6);
    tsr_graph_unref(graph);
    value = import_constant(fill_string, &graph);
    ck_assert_int_eq(memcmp(((const TsrString *)value->tensor.data)->data, "abc", 3), 0);
    tsr_graph_unref(graph);
    value = import_constant(fill_tensor, &graph);
    ck_assert_uint_eq(value->desc.view.rank, 2);
    tsr_graph_unref(graph);

    maker = base();
    maker_node(maker, maker->graph, "Constant", "c", "", "k");
    ck_refuses(maker, TSR_INVALID_ARGUMENT, "Constant 'c': wants exactly one value attribute");
    maker_attr(maker, maker->graph->node[1], "value_folat", TSR_ATTR_FLOAT);
    ck_refuses(maker, TSR_INVALID_ARGUMENT, "'value_folat' gives no value");
    maker_free(maker);
}
END_TEST

/* If whose branches read a value of the graph around them, and of its own. */
static ModelMaker *with_if(const char *reads)
{
    ModelMaker *maker = base();
    Onnx__Node *node;
    maker_input(maker, maker->graph, "c", TSR_DTYPE_BOOL, 0, NULL);
    node = maker_node(maker, maker->graph, "If", "if", "c", "z");
    for (int i = 0; i < 2; i++) {
        Onnx__Graph *branch = maker_graph(maker, i == 0 ? "then" : "else");
        maker_node(maker, branch, "Neg", "inner", reads, "inner_out");
        maker_output(maker, branch, "inner_out");
        maker_attr(maker, node, i == 0 ? "then_branch" : "else_branch", TSR_ATTR_GRAPH)->g = branch;
    }
    maker_output(maker, maker->graph, "z");
    return maker;
}

START_TEST(subgraph_captures)
{
    ModelMaker *maker = with_if("y");
    GError *error = NULL;
    TsrGraph *graph = import(maker, &error);
    TsrNode *node;
    ck_no_error(error);
    node = fixture_find(graph, "if");
    ck_assert_uint_eq(node->subgraphs->len, 2);
    ck_assert(tsr_value_is_captured(g_ptr_array_index(fixture_find(graph, "r")->outputs, 0)));
    ck_assert_ptr_eq(((TsrGraph *)g_ptr_array_index(node->subgraphs, 1))->parent, node);
    tsr_graph_unref(graph);
    maker_free(maker);
    maker = with_if("nowhere");
    ck_refuses(maker, TSR_INVALID_ARGUMENT, "'nowhere'");
    maker_free(maker);
}
END_TEST

/* An If in an If in an If ...: deep ones are read, endless ones refused before the stack
 * ends. */
static void nest(ModelMaker *maker, guint levels)
{
    Onnx__Graph *graph = maker->graph;
    maker_input(maker, graph, "c", TSR_DTYPE_BOOL, 0, NULL);
    for (guint i = 0; i < levels; i++) {
        g_autofree char *out = g_strdup_printf("z%u", i);
        Onnx__Node *node = maker_node(maker, graph, "If", "", "c", out);
        Onnx__Graph *branch = maker_graph(maker, "then"), *other = maker_graph(maker, "else");
        maker_node(maker, branch, "Neg", "", "y", "deep");
        maker_output(maker, branch, "deep");
        maker_node(maker, other, "Abs", "", "y", "flat");
        maker_output(maker, other, "flat");
        maker_attr(maker, node, "then_branch", TSR_ATTR_GRAPH)->g = branch;
        maker_attr(maker, node, "else_branch", TSR_ATTR_GRAPH)->g = other;
        graph = branch;
    }
}

START_TEST(nested)
{
    ModelMaker *maker = base();
    GError *error = NULL;
    TsrGraph *graph;
    nest(maker, 20);
    graph = import(maker, &error);
    ck_no_error(error);
    tsr_graph_unref(graph);
    maker_free(maker);
    maker = base();
    nest(maker, 1000);
    ck_refuses(maker, TSR_UNSUPPORTED, "nested deeper than 300 levels");
    maker_free(maker);
}
END_TEST

/* The same for types: a sequence of sequences without end. */
START_TEST(nested_types)
{
    g_autoptr(ModelMaker) maker = base();
    Onnx__Type *type = maker_input(maker, maker->graph, "s", 1, SHAPE(1))->type;
    type->tensor_type = NULL;
    for (guint i = 0; i < 2000; i++) {
        Onnx__Type__SequenceType *sequence = maker_keep(maker, g_new0(Onnx__Type__SequenceType, 1));
        Onnx__Type *inner = maker_keep(maker, g_new0(Onnx__Type, 1));
        onnx__type__sequence_type__init(sequence);
        onnx__type__init(inner);
        type->sequence_type = sequence;
        sequence->elem_type = inner;
        type = inner;
    }
    ck_refuses(maker, TSR_UNSUPPORTED, "nested deeper than 300 levels");
}
END_TEST

/* A model with something of everything, cut at every length and with every byte wrong:
 * read or refused, always with an error of ours. */
START_TEST(damaged_anywhere)
{
    g_autoptr(ModelMaker) maker = with_if("y");
    g_autoptr(TsrOpRegistry) registry = fixture_registry();
    g_autoptr(GBytes) bytes = NULL;
    g_autofree guint8 *copy = NULL;
    const guint8 *data;
    gsize size, refused = 0;
    maker_initializer(maker, maker->graph,
                      maker_tensor(maker, "w", TSR_DTYPE_FLOAT, SHAPE(2, 3), six, sizeof(six)));
    fill_ints(maker, maker_node(maker, maker->graph, "Constant", "c", "", "k"));
    add_sparse(maker, (const gint64[]){1, 5}, SHAPE(2));
    bytes = maker_pack(maker);
    data = g_bytes_get_data(bytes, &size);
    copy = g_malloc(size);
    for (gsize i = 0; i < size; i++) {
        /* Of its own, so that a reader beyond the end is seen. */
        g_autofree guint8 *cut = g_memdup2(data, i);
        GError *error = NULL;
        TsrGraph *graph = tsr_onnx_import_data(registry, cut, i, NULL, &error);
        ck_assert((graph == NULL) == (error != NULL));
        ck_assert(error == NULL || error->domain == TSR_ERROR);
        refused += graph == NULL;
        tsr_graph_unref(graph);
        g_clear_error(&error);
        for (guint bit = 0; bit < 8; bit++) {
            memcpy(copy, data, size);
            copy[i] ^= (guint8)(1u << bit);
            graph = tsr_onnx_import_data(registry, copy, size, NULL, &error);
            ck_assert((graph == NULL) == (error != NULL));
            ck_assert(error == NULL || error->domain == TSR_ERROR);
            tsr_graph_unref(graph);
            g_clear_error(&error);
        }
    }
    ck_assert_uint_gt(refused, size / 2);
}
END_TEST

FIXTURE_MAIN("import", right, initializer_is_the_inputs_value, graph_errors, operator_errors,
             model_errors, input_errors, tensor_errors, external_data, sparse_initializers,
             constant_forms, subgraph_captures, nested, nested_types, damaged_anywhere)
