/* SPDX-License-Identifier: Apache-2.0
 *
 * test_control_random.c: random nests of If, Loop and Scan up to three deep, whose bodies read
 * what is around them and hand on views, states and values that are not their own: in every form
 * of a plan the same bits as node by node.
 */
#include "control_case.h"

typedef struct Random {
    ModelMaker *maker;
    GRand *random;
    guint names;
    guint nodes; /* with subgraphs */
} Random;

static guint below(Random *random, guint limit)
{
    return (guint)g_rand_int_range(random->random, 0, (gint32)limit);
}

static char *new_name(Random *random)
{
    return maker_keep(random->maker, g_strdup_printf("n%u", random->names++));
}

static const char *pick(Random *random, const GPtrArray *names)
{
    return g_ptr_array_index(names, below(random, names->len));
}

static void random_block(Random *random, Onnx__Graph *graph, GPtrArray *names, guint depth);

/* A list of that many names, none of them twice, from a copy of names; those that came last are
 * likelier. */
static char *distinct(Random *random, const GPtrArray *names, guint count)
{
    g_autoptr(GPtrArray) left = g_ptr_array_new();
    GString *list = g_string_new(NULL);
    for (guint i = 0; i < names->len; i++)
        g_ptr_array_add(left, g_ptr_array_index(names, i));
    for (guint i = 0; i < count; i++) {
        const guint half = left->len / 2;
        const guint at = below(random, 3) == 0 ? below(random, left->len)
                                               : half + below(random, left->len - half);
        g_string_append_printf(list, "%s%s", i == 0 ? "" : ",",
                               (const char *)g_ptr_array_index(left, at));
        g_ptr_array_remove_index(left, at);
    }
    return maker_keep(random->maker, g_string_free(list, FALSE));
}

static GPtrArray *copy_names(const GPtrArray *names)
{
    GPtrArray *copy = g_ptr_array_new();
    for (guint i = 0; i < names->len; i++)
        g_ptr_array_add(copy, g_ptr_array_index(names, i));
    return copy;
}

/* New names, as a list for a node, and into names. */
static char *results(Random *random, GPtrArray *names, guint count)
{
    GString *list = g_string_new(NULL);
    for (guint i = 0; i < count; i++) {
        char *name = new_name(random);
        g_string_append_printf(list, "%s%s", i == 0 ? "" : ",", name);
        g_ptr_array_add(names, name);
    }
    return maker_keep(random->maker, g_string_free(list, FALSE));
}

static void random_if(Random *random, Onnx__Graph *graph, GPtrArray *names, guint depth)
{
    const guint count = 1 + below(random, 2);
    g_autoptr(GPtrArray) mine = copy_names(names), theirs = copy_names(names);
    Onnx__Graph *no, *yes;
    yes = control_if(random->maker, graph, below(random, 2) ? "c0" : "c1",
                 results(random, names, count), &no);
    random_block(random, yes, mine, depth - 1);
    random_block(random, no, theirs, depth - 1);
    control_outputs(random->maker, yes, distinct(random, mine, count));
    control_outputs(random->maker, no, distinct(random, theirs, count));
}

static void random_loop(Random *random, Onnx__Graph *graph, GPtrArray *names, guint depth)
{
    static const char *const known[] = {"none", "one", "three"};
    const guint count = 1 + below(random, 3);
    const gboolean stacks = below(random, 2);
    g_autoptr(GPtrArray) inside = copy_names(names);
    const char *prefix = new_name(random);
    g_autofree char *inputs =
        g_strdup_printf("%s,%s,%s",
                        stacks              ? known[below(random, 3)]
                        : below(random, 2) ? "m0"
                                           : "m1",
                        !stacks && below(random, 3) == 0 ? "c0" : "",
                        distinct(random, names, count));
    g_autofree char *condition = g_strdup_printf("%sgo", prefix);
    const char *last = results(random, names, count);
    g_autofree char *both = g_strdup_printf("%s,%sall", last, prefix);
    g_autofree char *sum = g_strdup_printf("%sall,first", prefix);
    Onnx__Graph *body =
        control_loop(random->maker, graph, inputs, stacks ? both : last, prefix);
    for (guint i = 0; i < count; i++) {
        char *state = new_name(random);
        control_float(random->maker, body, state);
        g_ptr_array_add(inside, state);
    }
    random_block(random, body, inside, depth - 1);
    maker_output(random->maker, body, condition);
    control_outputs(random->maker, body, distinct(random, inside, count));
    if (stacks) { /* one value of each round, whose sum is a value as others are */
        maker_output(random->maker, body, distinct(random, inside, 1));
        control_int(random->maker,
                    maker_node(random->maker, graph, "ReduceSum", "", sum,
                               results(random, names, 1)), "keepdims", 0);
    }
}

static void random_scan(Random *random, Onnx__Graph *graph, GPtrArray *names, guint depth)
{
    static const gint64 row[] = {CONTROL_COLUMNS};
    const gint64 way = below(random, 2);
    g_autoptr(GPtrArray) inside = copy_names(names);
    g_autofree char *inputs = g_strdup(distinct(random, names, 2));
    const char *part = new_name(random), *result = new_name(random);
    g_autofree char *reads = g_strdup_printf("%s,row", part);
    Onnx__Node *node;
    Onnx__Graph *body =
        control_scan(random->maker, graph, inputs, results(random, names, 2), 1, &node);
    control_ints(random->maker, node, "scan_output_directions", 1, &way);
    g_ptr_array_add(inside, new_name(random));
    control_float(random->maker, body, g_ptr_array_index(inside, inside->len - 1));
    maker_input(random->maker, body, part, TSR_DTYPE_FLOAT, 1, row);
    maker_node(random->maker, body, below(random, 2) ? "Add" : "Mul", "", reads, result);
    random_block(random, body, inside, depth - 1);
    control_outputs(random->maker, body, distinct(random, inside, 1));
    maker_output(random->maker, body, result);
}

static void random_plain(Random *random, Onnx__Graph *graph, GPtrArray *names)
{
    static const char *const ops[] = {"Add", "Sub", "Mul", "Relu", "Tanh"};
    const guint kind = below(random, 7);
    const char *a = pick(random, names), *b = pick(random, names);
    const char *first = new_name(random), *second = new_name(random), *last = new_name(random);
    g_autofree char *pair = g_strdup_printf("%s,%s", a, b);
    g_autofree char *halves = g_strdup_printf("%s,%s", first, second);
    g_autofree char *turned = g_strdup_printf("%s,%s", second, first);
    g_autofree char *to = g_strdup_printf("%s,half", a), *back = g_strdup_printf("%s,whole", first);
    if (kind < 5) {
        maker_node(random->maker, graph, ops[kind], "", kind < 3 ? pair : a, last);
    } else if (kind == 5) {
        maker_node(random->maker, graph, "Reshape", "", to, first);
        maker_node(random->maker, graph, "Reshape", "", back, last);
    } else {
        control_int(random->maker, maker_node(random->maker, graph, "Split", "", a, halves), "axis",
                0);
        control_int(random->maker, maker_node(random->maker, graph, "Concat", "", turned, last),
                "axis", 0);
    }
    g_ptr_array_add(names, (gpointer)last);
}

static void random_block(Random *random, Onnx__Graph *graph, GPtrArray *names, guint depth)
{
    const guint count = 1 + below(random, 4);
    for (guint i = 0; i < count; i++) {
        const guint kind = depth != 0 ? below(random, 7) : 7;
        random->nodes += kind < 3;
        if (kind == 0)
            random_if(random, graph, names, depth);
        else if (kind == 1)
            random_loop(random, graph, names, depth);
        else if (kind == 2)
            random_scan(random, graph, names, depth);
        else
            random_plain(random, graph, names);
    }
}

static void build_random(ModelMaker *maker, gpointer user)
{
    static const gint64 half[] = {2, 1, 2, CONTROL_COLUMNS}, four = 4;
    static const gint64 whole[] = {CONTROL_ROWS, CONTROL_COLUMNS}, two = 2, one = 1, zero = 0;
    g_autoptr(GRand) source = g_rand_new_with_seed(GPOINTER_TO_UINT(user));
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    Random random = {maker, source, 0, 0};
    maker_initializer(maker, maker->graph, maker_tensor(maker, "half", TSR_DTYPE_INT64, 1, &four,
                                                        half, sizeof(half)));
    maker_initializer(maker, maker->graph, maker_tensor(maker, "whole", TSR_DTYPE_INT64, 1, &two,
                                                        whole, sizeof(whole)));
    maker_initializer(maker, maker->graph, maker_tensor(maker, "first", TSR_DTYPE_INT64, 1, &one,
                                                        &zero, sizeof(zero)));
    control_count(maker, "none", 0);
    control_count(maker, "one", 1);
    control_count(maker, "three", 3);
    g_ptr_array_add(names, (gpointer) "x");
    g_ptr_array_add(names, (gpointer) "w");
    g_ptr_array_add(names, (gpointer) "v");
    while (random.nodes < 2)
        random_block(&random, maker->graph, names, 3);
    control_outputs(maker, maker->graph, distinct(&random, names, 3));
}

START_TEST(random_nests)
{
    guint spread = 0;
    control_open();
    for (guint seed = 0; seed < 24; seed++) {
        g_autofree char *name = g_strdup_printf("seed %u", seed);
        spread += control_check(build_random, GUINT_TO_POINTER(seed), name, FALSE) > 1;
    }
    ck_assert_uint_gt(spread, 5); /* control flow beside other streams */
    control_close();
}
END_TEST

/* The same, known in parts. */
START_TEST(random_parts)
{
    control_open();
    for (guint seed = 100; seed < 116; seed++) {
        g_autofree char *name = g_strdup_printf("seed %u", seed);
        control_check_mixed(build_random, GUINT_TO_POINTER(seed), name);
    }
    control_close();
}
END_TEST

FIXTURE_MAIN("control_random", random_nests, random_parts)
