/* SPDX-License-Identifier: Apache-2.0
 *
 * test_format_assign.c: the choice of storage formats against all combinations of columns,
 * on small random graphs; and the minimum cut below it against all answers.
 */
#include "fixture.h"
#include "optimize/format_assign.h"
#include "base/min_cut.h"

static GRand *dice;

/* ---------------------------------------------------------------- minimum cut */

enum { VARIABLES = 8 };

typedef struct Costs {
    double zero[VARIABLES], one[VARIABLES], differ[VARIABLES][VARIABLES];
} Costs;

static double cost_of(const Costs *costs, guint answers)
{
    double sum = 0.0;
    for (guint i = 0; i < VARIABLES; i++) {
        sum += (answers >> i & 1) != 0 ? costs->one[i] : costs->zero[i];
        for (guint k = 0; k < VARIABLES; k++)
            if ((answers >> i & 1) == 0 && (answers >> k & 1) != 0)
                sum += costs->differ[i][k];
    }
    return sum;
}

START_TEST(cuts_are_minimal)
{
    for (guint round = 0; round < 200; round++) {
        g_autoptr(TsrMinCut) cut = tsr_min_cut_new();
        guint variables[VARIABLES], found = 0;
        double least = G_MAXDOUBLE;
        Costs costs = {{0}, {0}, {{0}}};
        for (guint i = 0; i < VARIABLES; i++) {
            variables[i] = tsr_min_cut_variable(cut);
            costs.zero[i] = g_rand_int_range(dice, 0, 20);
            costs.one[i] = g_rand_int_range(dice, 0, 20);
            tsr_min_cut_if_zero(cut, variables[i], costs.zero[i]);
            tsr_min_cut_if_one(cut, variables[i], costs.one[i]);
        }
        for (guint i = 0; i < VARIABLES; i++)
            for (guint k = 0; k < VARIABLES; k++) {
                if (i == k || g_rand_int_range(dice, 0, 3) != 0)
                    continue;
                costs.differ[i][k] = g_rand_int_range(dice, 1, 15);
                tsr_min_cut_if_differ(cut, variables[i], variables[k], costs.differ[i][k]);
            }
        tsr_min_cut_solve(cut);
        for (guint i = 0; i < VARIABLES; i++)
            found |= (guint)tsr_min_cut_answer(cut, variables[i]) << i;
        for (guint answers = 0; answers < 1u << VARIABLES; answers++)
            least = MIN(least, cost_of(&costs, answers));
        ck_assert(cost_of(&costs, found) == least);
    }
}
END_TEST

/* -------------------------------------------------------------------- formats */

/* What a node can take follows from the first letter of its name: plain, blocked, either,
 * either with blocked better, or a change from one to the other. */
static int32_t columns(const TsrFormatSelector *selector, const TsrNodeView *node,
                       TsrColumnSet *out)
{
    const char kind = node->name[0];
    (void)selector;
    out->selector = TSR_SELECTOR_CUSTOMIZE;
    for (guint c = 0; c < 2; c++) {
        if (c == 0 ? kind == 'b' : kind == 'p')
            continue;
        for (uint32_t i = 0; i < out->port_count; i++)
            out->formats[out->count * out->port_count + i] =
                c == 0 ? TSR_FORMAT_ND : TSR_FORMAT_NC1HWC0;
        if (kind == 'x') /* plain in, blocked out; and the other way round */
            out->formats[out->count * out->port_count + out->port_count - 1] =
                c == 0 ? TSR_FORMAT_NC1HWC0 : TSR_FORMAT_ND;
        out->scores[out->count++] = kind == 'h' && c == 1 ? 1.5f : 1.0f;
    }
    return TSR_OK;
}

static const TsrFormatSelector selector = {.struct_size = sizeof(TsrFormatSelector),
                                           .name = "by name", .columns = columns};

static TsrValue *as_picture(TsrValue *value)
{
    value->desc.view.origin_format = value->desc.view.storage_format = TSR_FORMAT_NCHW;
    return value;
}

/* Nodes of one or two inputs over all values before them, of different sizes. */
static TsrGraph *random_graph(guint nodes)
{
    static const char kinds[] = "pbaahx";
    TsrGraph *graph = fixture_graph();
    g_autoptr(GPtrArray) values = g_ptr_array_new();
    g_ptr_array_add(values, as_picture(fixture_input(graph, "in", SHAPE(1, 16, 4, 4))));
    g_ptr_array_add(values, as_picture(fixture_input(graph, "in2", SHAPE(1, 3, 4, 4))));
    for (guint i = 0; i < nodes; i++) {
        const char kind = kinds[g_rand_int_range(dice, 0, (gint)sizeof(kinds) - 1)];
        g_autofree char *name = g_strdup_printf("%c%u", kind, i);
        TsrValue *x = g_ptr_array_index(values,
                                        (guint)g_rand_int_range(dice, 0, (gint)values->len));
        TsrValue *y = fixture_node(graph, "Relu", name, VALUES(x), NULL);
        tsr_desc_copy(&y->desc, &x->desc.view);
        g_ptr_array_add(values, y);
        if (g_rand_int_range(dice, 0, 3) == 0)
            tsr_graph_add_output(graph, y->name, y);
        fixture_find(graph, name)->engine = g_intern_string("fake");
    }
    return graph;
}

static double least_of_all(TsrFormatProblem *problem)
{
    double least = G_MAXDOUBLE;
    gboolean more = TRUE;
    for (guint i = 0; i < problem->nodes->len; i++)
        tsr_format_node(problem, i)->chosen = 0;
    while (more) {
        least = MIN(least, tsr_format_cost(problem));
        more = FALSE;
        for (guint i = 0; i < problem->nodes->len && !more; i++) {
            TsrFormatNode *item = tsr_format_node(problem, i);
            item->chosen = (item->chosen + 1) % item->columns->len;
            more = item->chosen != 0;
        }
    }
    return least;
}

START_TEST(formats_cost_the_least)
{
    guint optimal = 0, all = 0;
    for (guint round = 0; round < 150; round++) {
        FakeEngine fake;
        GError *error = NULL;
        TsrPluginSet *set;
        TsrFormatProblem *problem;
        TsrGraph *graph = random_graph(9);
        double from_plain, from_spread, least;
        fake_engine_init(&fake, "fake", NULL);
        set = fixture_set((FakeEngine *const[]){&fake}, 1, NULL);
        ((TsrLoadedPlugin *)g_ptr_array_index(set->plugins, 0))->selector = &selector;
        problem = tsr_format_problem_new(graph, set, 16, TSR_FORMAT_ND, &error);
        ck_no_error(error);
        tsr_format_assign_plain(problem);
        tsr_format_improve(problem);
        from_plain = tsr_format_cost(problem);
        tsr_format_propagate(problem);
        tsr_format_improve(problem);
        from_spread = tsr_format_cost(problem);
        least = least_of_all(problem);
        ck_assert(from_plain >= least && from_spread >= least);
        /* The better of both is what is taken. */
        optimal += MIN(from_plain, from_spread) == least;
        all++;
        tsr_format_problem_free(problem);
        tsr_plugin_set_free(set);
        tsr_graph_unref(graph);
    }
    /* Nodes that change the format make some costs none that a cut can tell. */
    ck_assert_msg(optimal * 100 >= all * 97, "%u of %u", optimal, all);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {cuts_are_minimal, formats_cost_the_least};
    int status;
    dice = g_rand_new_with_seed(20261130);
    status = fixture_main("format_assign", tests, G_N_ELEMENTS(tests));
    g_rand_free(dice);
    return status;
}
