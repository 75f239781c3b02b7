/* SPDX-License-Identifier: Apache-2.0
 *
 * test_fusion.c: fusions through TsrGraphEdit: a right one is made, a wrong one leaves the
 * graph as it was; passes run by order and by their switches.
 */
#include "fixture.h"
#include "ir/verify.h"
#include "optimize/fusion.h"
#include "optimize/pass_stats.h"
#include "optimize/graph_edit.h"
#include "plugin/host.h"
#include "prepare/infer.h"

typedef struct Bench {
    FakeEngine engine;
    TsrPluginSet *set;
    TsrGraph *graph;
    TsrEditor *editor;
    const TsrGraphEdit *edit;
} Bench;

/* a + (-b), on an engine that also takes Sub; everything inferred and placed. */
static void bench_init(Bench *bench, const char *ops)
{
    FakeEngine *const list[] = {&bench->engine};
    GError *error = NULL;
    TsrValue *a, *b, *neg, *add;
    fake_engine_init(&bench->engine, "fake", ops);
    bench->set = fixture_set(list, 1, NULL);
    bench->graph = fixture_graph();
    a = fixture_input(bench->graph, "a", SHAPE(2, 3));
    b = fixture_input(bench->graph, "b", SHAPE(2, 3));
    neg = fixture_node(bench->graph, "Neg", "neg", VALUES(b), NULL);
    add = fixture_node(bench->graph, "Add", "add", VALUES(a, neg), NULL);
    tsr_build_output(bench->graph, "out", fixture_node(bench->graph, "Relu", "relu", VALUES(add),
                                                       NULL));
    ck_assert(tsr_infer_graph(bench->graph, NULL, &error));
    for (guint i = 0; i < bench->graph->nodes->len; i++)
        ((TsrNode *)g_ptr_array_index(bench->graph->nodes, i))->engine = g_intern_string("fake");
    bench->editor = tsr_editor_new(bench->graph, bench->set);
    tsr_editor_set_engine(bench->editor, g_intern_string("fake"));
    bench->edit = tsr_editor_interface(bench->editor);
}

static void bench_clear(Bench *bench)
{
    tsr_editor_free(bench->editor);
    tsr_graph_unref(bench->graph);
    tsr_plugin_set_free(bench->set);
}

static guint32 id(Bench *bench, const char *name)
{
    guint32 found = tsr_editor_node_id(bench->editor, fixture_find(bench->graph, name));
    ck_assert_uint_ne(found, G_MAXUINT32);
    return found;
}

typedef struct Spec {
    guint32 nodes[3], inputs[3], outputs[3];
    TsrFusedNode fused;
} Spec;

/* add and neg to Sub(a, b) */
static void spec_init(Spec *spec, Bench *bench)
{
    memset(spec, 0, sizeof(*spec));
    spec->nodes[0] = id(bench, "add");
    spec->nodes[1] = id(bench, "neg");
    spec->inputs[0] = bench->edit->input_value(bench->edit, spec->nodes[0], 0);
    spec->inputs[1] = bench->edit->input_value(bench->edit, spec->nodes[1], 0);
    spec->outputs[0] = bench->edit->output_value(bench->edit, spec->nodes[0], 0);
    spec->fused = (TsrFusedNode){.struct_size = sizeof(TsrFusedNode), .node_count = 2,
                                 .input_count = 2, .output_count = 1, .op_type = "Sub",
                                 .domain = "", .nodes = spec->nodes, .inputs = spec->inputs,
                                 .outputs = spec->outputs};
}

START_TEST(looks_around)
{
    Bench bench;
    const TsrGraphEdit *edit;
    guint32 add, neg, value;
    bench_init(&bench, NULL);
    edit = bench.edit;
    add = id(&bench, "add");
    neg = id(&bench, "neg");
    ck_assert_str_eq(edit->node(edit, add)->op_type, "Add");
    ck_assert_ptr_null(edit->node(edit, 1000));
    value = edit->input_value(edit, add, 1);
    ck_assert_uint_eq(edit->producer(edit, value), neg);
    ck_assert_uint_eq(edit->consumer_count(edit, value), 1);
    ck_assert_uint_eq(edit->consumer(edit, value, 0), add);
    ck_assert_uint_eq(edit->consumer(edit, value, 1), UINT32_MAX);
    ck_assert_uint_eq(edit->is_needed(edit, value), 0);
    ck_assert_uint_eq(edit->desc(edit, value)->rank, 2);
    ck_assert_ptr_null(edit->constant(edit, value));
    ck_assert_uint_eq(edit->input_value(edit, add, 9), TSR_NO_VALUE);
    ck_assert_uint_eq(edit->output_value(edit, 1000, 0), TSR_NO_VALUE);
    value = edit->input_value(edit, add, 0);
    ck_assert_uint_eq(edit->producer(edit, value), UINT32_MAX); /* a graph input */
    value = edit->output_value(edit, id(&bench, "relu"), 0);
    ck_assert_uint_ne(edit->is_needed(edit, value), 0);
    ck_assert_ptr_null(edit->desc(edit, 1000));
    bench_clear(&bench);
}
END_TEST

START_TEST(fuses)
{
    Bench bench;
    Spec spec;
    TsrNode *made;
    GError *error = NULL;
    char *name;
    bench_init(&bench, NULL);
    spec_init(&spec, &bench);
    name = g_strdup(((TsrValue *)g_ptr_array_index(fixture_find(bench.graph, "add")->outputs, 0))
                        ->name);
    ck_assert_int_eq(bench.edit->fuse(bench.edit, &spec.fused), TSR_OK);
    ck_assert(tsr_graph_verify(bench.graph, &error));
    ck_assert_ptr_null(fixture_find(bench.graph, "neg"));
    made = ((TsrValue *)g_ptr_array_index(fixture_find(bench.graph, "relu")->inputs, 0))->producer;
    ck_assert_str_eq(made->def->name, "Sub");
    ck_assert_str_eq(made->engine, "fake");
    /* It answers for both, and its value has the user's name. */
    ck_assert_uint_eq(made->origin_names->len, 2);
    ck_assert_str_eq(((TsrValue *)g_ptr_array_index(made->outputs, 0))->name, name);
    ck_assert_ptr_null(bench.edit->node(bench.edit, spec.nodes[0]));
    ck_assert_int_eq(bench.edit->fuse(bench.edit, &spec.fused), TSR_INVALID_ARGUMENT);
    g_free(name);
    bench_clear(&bench);
}
END_TEST

/* What breaks the specification of a fusion. */
static void drop_nodes(Bench *bench, Spec *spec) { (void)bench; spec->fused.node_count = 0; }
static void drop_outputs(Bench *bench, Spec *spec) { (void)bench; spec->fused.output_count = 0; }
static void unknown_op(Bench *bench, Spec *spec) { (void)bench; spec->fused.op_type = "NoSuchOp"; }
static void no_op(Bench *bench, Spec *spec) { (void)bench; spec->fused.op_type = NULL; }
static void unknown_domain(Bench *bench, Spec *spec) { (void)bench; spec->fused.domain = "none"; }
static void bad_node(Bench *bench, Spec *spec) { (void)bench; spec->nodes[1] = 4711; }
static void bad_input(Bench *bench, Spec *spec) { (void)bench; spec->inputs[1] = 4711; }
static void too_few_inputs(Bench *bench, Spec *spec) { (void)bench; spec->fused.input_count = 1; }

static void foreign_output(Bench *bench, Spec *spec)
{
    spec->outputs[0] = bench->edit->output_value(bench->edit, id(bench, "relu"), 0);
}

static void other_shape(Bench *bench, Spec *spec)
{
    (void)bench;
    spec->fused.op_type = "MatMul";
}

static void used_elsewhere(Bench *bench, Spec *spec)
{
    TsrValue *neg = g_ptr_array_index(fixture_find(bench->graph, "neg")->outputs, 0);
    (void)spec;
    tsr_build_output(bench->graph, "again", fixture_node(bench->graph, "Abs", "abs", VALUES(neg),
                                                         NULL));
}

static void is_output(Bench *bench, Spec *spec)
{
    (void)spec;
    tsr_build_output(bench->graph, "again",
                     g_ptr_array_index(fixture_find(bench->graph, "neg")->outputs, 0));
}

/* neg -> add -> relu: fusing the ends would make the middle depend on itself. */
static void makes_cycle(Bench *bench, Spec *spec)
{
    spec->nodes[0] = id(bench, "neg");
    spec->nodes[1] = id(bench, "relu");
    spec->inputs[0] = bench->edit->output_value(bench->edit, id(bench, "add"), 0);
    spec->inputs[1] = bench->edit->input_value(bench->edit, id(bench, "neg"), 0);
    spec->outputs[0] = bench->edit->output_value(bench->edit, id(bench, "neg"), 0);
    spec->outputs[1] = bench->edit->output_value(bench->edit, id(bench, "relu"), 0);
    spec->fused.output_count = 2;
    spec->fused.op_type = "TopK"; /* two outputs; refused at the latest by inference */
}

/* The same with one output, which only the search for a cycle can see: relu is folded
 * into neg, and add, which relu depends on, reads the result. */
static void makes_short_cycle(Bench *bench, Spec *spec)
{
    spec->nodes[0] = id(bench, "neg");
    spec->fused.node_count = 1;
    spec->inputs[0] = bench->edit->output_value(bench->edit, id(bench, "add"), 0);
    spec->outputs[0] = bench->edit->output_value(bench->edit, id(bench, "neg"), 0);
    spec->fused.input_count = 1;
    spec->fused.op_type = "Abs";
}

/* The new node would read what vanishes with the old ones. */
static void reads_replaced(Bench *bench, Spec *spec)
{
    spec->inputs[1] = bench->edit->output_value(bench->edit, id(bench, "neg"), 0);
}

START_TEST(refuses)
{
    static const struct {
        const char *name;
        void (*spoil)(Bench *bench, Spec *spec);
    } rows[] = {
        {"drop_nodes", drop_nodes},         {"drop_outputs", drop_outputs},
        {"unknown_op", unknown_op},         {"no_op", no_op},
        {"unknown_domain", unknown_domain}, {"bad_node", bad_node},
        {"bad_input", bad_input},           {"too_few_inputs", too_few_inputs},
        {"foreign_output", foreign_output}, {"other_shape", other_shape},
        {"used_elsewhere", used_elsewhere}, {"is_output", is_output},
        {"makes_cycle", makes_cycle},       {"makes_short_cycle", makes_short_cycle},
        {"reads_replaced", reads_replaced},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *before = NULL;
        g_autofree char *after = NULL;
        GError *error = NULL;
        Bench bench;
        Spec spec;
        bench_init(&bench, NULL);
        spec_init(&spec, &bench);
        rows[i].spoil(&bench, &spec);
        before = tsr_graph_to_text(bench.graph);
        tsr_host_clear_error();
        ck_assert_msg(bench.edit->fuse(bench.edit, &spec.fused) == TSR_INVALID_ARGUMENT,
                      "%s was taken", rows[i].name);
        /* With a text of its own. */
        tsr_host_take_error(TSR_INVALID_ARGUMENT, "fuse", rows[i].name, &error);
        ck_assert_msg(strstr(error->message, "without saying why") == NULL, "%s", error->message);
        g_clear_error(&error);
        after = tsr_graph_to_text(bench.graph);
        ck_assert_msg(strcmp(before, after) == 0, "%s changed the graph:\n%s\n%s", rows[i].name,
                      before, after);
        ck_assert_msg(tsr_graph_verify(bench.graph, &error), "%s: %s", rows[i].name,
                      error != NULL ? error->message : "");
        bench_clear(&bench);
    }
}
END_TEST

START_TEST(no_engine_for_the_result)
{
    g_autofree char *before = NULL;
    g_autofree char *after = NULL;
    Bench bench;
    Spec spec;
    bench_init(&bench, " Add Neg Relu ");
    spec_init(&spec, &bench);
    before = tsr_graph_to_text(bench.graph);
    ck_assert_int_eq(bench.edit->fuse(bench.edit, &spec.fused), TSR_UNSUPPORTED);
    after = tsr_graph_to_text(bench.graph);
    ck_assert_str_eq(before, after);
    bench_clear(&bench);
}
END_TEST

START_TEST(adds_constants)
{
    const float data[6] = {1, 2, 3, 4, 5, 6};
    Bench bench;
    Spec spec;
    TsrDesc desc;
    guint32 value;
    GError *error = NULL;
    bench_init(&bench, NULL);
    spec_init(&spec, &bench);
    tsr_desc_init(&desc);
    tsr_desc_set(&desc, TSR_DTYPE_FLOAT, SHAPE(-1));
    ck_assert_uint_eq(bench.edit->add_constant(bench.edit, &desc.view, data), TSR_NO_VALUE);
    tsr_desc_set(&desc, TSR_DTYPE_FLOAT, SHAPE(2, 3));
    value = bench.edit->add_constant(bench.edit, &desc.view, data);
    ck_assert_uint_ne(value, TSR_NO_VALUE);
    ck_assert_int_eq(memcmp(bench.edit->constant(bench.edit, value)->data, data, sizeof(data)), 0);
    spec.inputs[1] = value;
    ck_assert_int_eq(bench.edit->fuse(bench.edit, &spec.fused), TSR_OK);
    ck_assert(tsr_graph_verify(bench.graph, &error));
    bench_clear(&bench);
}
END_TEST

/* -------------------------------------------------------------------- passes */

static char order_seen[64];

static int32_t apply_sub(const TsrFusionPass *pass, const TsrGraphEdit *edit, uint32_t node)
{
    uint32_t value = edit->input_value(edit, node, 1), producer = edit->producer(edit, value);
    uint32_t nodes[2] = {node, producer}, inputs[2], output = edit->output_value(edit, node, 0);
    TsrFusedNode fused = {.struct_size = sizeof(fused), .node_count = 2, .input_count = 2,
                          .output_count = 1, .op_type = "Sub", .domain = "", .nodes = nodes,
                          .inputs = inputs, .outputs = &output};
    g_strlcat(order_seen, pass->name, sizeof(order_seen));
    if (producer == UINT32_MAX || strcmp(edit->node(edit, producer)->op_type, "Neg") != 0 ||
        edit->is_needed(edit, value))
        return TSR_UNSUPPORTED;
    inputs[0] = edit->input_value(edit, node, 0);
    inputs[1] = edit->input_value(edit, producer, 0);
    return edit->fuse(edit, &fused);
}

static int32_t apply_nothing(const TsrFusionPass *pass, const TsrGraphEdit *edit, uint32_t node)
{
    (void)edit;
    (void)node;
    g_strlcat(order_seen, pass->name, sizeof(order_seen));
    return TSR_UNSUPPORTED;
}

static int32_t apply_broken(const TsrFusionPass *pass, const TsrGraphEdit *edit, uint32_t node)
{
    const TsrHost *host = tsr_host_get();
    (void)pass;
    (void)edit;
    (void)node;
    return host->set_error(host, TSR_INTERNAL, "fell over");
}

static const char *const add_root[] = {"Add"};

#define PASS(pass_name, pass_order, on, function)                                   \
    {.struct_size = sizeof(TsrFusionPass), .order = (pass_order), .name = (pass_name), \
     .description = "", .default_on = (on), .root_count = 1, .root_ops = add_root,  \
     .apply = (function)}

static const TsrFusionPass pass_sub = PASS("sub", 20, 1, apply_sub);
static const TsrFusionPass pass_early = PASS("early", 10, 1, apply_nothing);
static const TsrFusionPass pass_off = PASS("off", 5, 0, apply_nothing);
static const TsrFusionPass pass_broken = PASS("broken", 1, 1, apply_broken);
static const TsrFusionPass *const passes[] = {&pass_sub, &pass_early, &pass_off};
static const TsrFusionPass *const broken_passes[] = {&pass_broken};

static GHashTable *run_passes(const char *conf, const TsrFusionSwitches *switches,
                              GError **error)
{
    GHashTable *stats = tsr_pass_stats_new();
    Bench bench;
    bench_init(&bench, NULL);
    tsr_plugin_set_free(bench.set);
    bench.engine.fusion = (TsrFusion){sizeof(TsrFusion), G_N_ELEMENTS(passes), passes};
    bench.set = fixture_set((FakeEngine *const[]){&bench.engine}, 1, conf);
    order_seen[0] = '\0';
    if (!tsr_fusion_run(bench.graph, bench.set, switches, TSR_STAGE_PLACED, stats, error))
        g_clear_pointer(&stats, g_hash_table_unref);
    bench_clear(&bench);
    return stats;
}

static guint count_of(GHashTable *stats, const char *name)
{
    return tsr_pass_stats_get(stats, name).matches;
}

START_TEST(passes_by_switches)
{
    const char *const sub[] = {"sub", NULL}, *const all[] = {"all", NULL};
    const char *const off[] = {"off", NULL}, *const wrong[] = {"sbu", NULL};
    const TsrFusionSwitches none = {NULL, NULL}, no_sub = {sub, NULL}, no_all = {all, NULL};
    const TsrFusionSwitches only_sub = {all, sub}, with_off = {NULL, off}, bad = {wrong, NULL};
    GError *error = NULL;
    GHashTable *stats = run_passes(NULL, &none, &error);
    ck_no_error(error);
    ck_assert_uint_eq(count_of(stats, "sub"), 1);
    ck_assert(g_str_has_prefix(order_seen, "earlysub")); /* by order; off stays off */
    ck_assert_ptr_null(strstr(order_seen, "off"));
    g_hash_table_unref(stats);
    stats = run_passes(NULL, &no_sub, &error);
    ck_assert_uint_eq(count_of(stats, "sub"), 0);
    g_hash_table_unref(stats);
    stats = run_passes(NULL, &no_all, &error);
    ck_assert_str_eq(order_seen, "");
    g_hash_table_unref(stats);
    stats = run_passes(NULL, &only_sub, &error);
    ck_assert_uint_eq(count_of(stats, "sub"), 1);
    ck_assert_ptr_null(strstr(order_seen, "early"));
    g_hash_table_unref(stats);
    stats = run_passes(NULL, &with_off, &error);
    ck_assert_ptr_nonnull(strstr(order_seen, "off"));
    g_hash_table_unref(stats);
    stats = run_passes("[fusion]\ndefault=off\n", &none, &error);
    ck_assert_str_eq(order_seen, "");
    g_hash_table_unref(stats);
    stats = run_passes("[fusion]\nsub=off\noff=on\n", &none, &error);
    ck_assert_uint_eq(count_of(stats, "sub"), 0);
    ck_assert_ptr_nonnull(strstr(order_seen, "off"));
    g_hash_table_unref(stats);
    ck_assert_ptr_null(run_passes(NULL, &bad, &error));
    ck_error(error, TSR_NOT_FOUND, "no fusion pass is called 'sbu'; there are: ");
}
END_TEST

START_TEST(broken_pass)
{
    const TsrFusionSwitches none = {NULL, NULL};
    g_autoptr(GHashTable) stats = tsr_pass_stats_new();
    GError *error = NULL;
    Bench bench;
    bench_init(&bench, NULL);
    tsr_plugin_set_free(bench.set);
    bench.engine.fusion = (TsrFusion){sizeof(TsrFusion), 1, broken_passes};
    bench.set = fixture_set((FakeEngine *const[]){&bench.engine}, 1, NULL);
    ck_assert(!tsr_fusion_run(bench.graph, bench.set, &none, TSR_STAGE_PLACED, stats, &error));
    ck_error(error, TSR_INTERNAL, "fell over");
    bench_clear(&bench);
}
END_TEST

FIXTURE_MAIN("fusion", looks_around, fuses, refuses, no_engine_for_the_result, adds_constants,
             passes_by_switches, broken_pass)
