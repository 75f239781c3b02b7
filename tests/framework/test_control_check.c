/* SPDX-License-Identifier: Apache-2.0
 *
 * test_control_check.c: the checker of memory in loops and branches: it finds arguments that
 * moved, tasks that are left out, lives that are too short, and what only a second round notices.
 */
#include "build/memory_check.h"
#include "build/memory_use.h"
#include "control_case.h"

static void kept_value(ModelMaker *maker)
{
    Onnx__Graph *body;
    maker_node(maker, maker->graph, "Mul", "", "x,w", "kept");
    body = control_loop(maker, maker->graph, "m0,,x", "y", "l");
    control_float(maker, body, "s");
    maker_node(maker, body, "Add", "", "s,kept", "t");
    maker_node(maker, body, "Mul", "", "t,w", "u");
    control_outputs(maker, body, "lgo,u");
    control_outputs(maker, maker->graph, "y");
}

static const ControlNetwork by_hand = {"kept_value", kept_value, TRUE};

static TsrModel *compile_apart(const ControlNetwork *network)
{
    g_autoptr(TsrGraph) graph =
        control_import(control_sessions[0], control_build_network, (gpointer)network);
    static const char *const all[] = {"all", NULL};
    TsrCompileOptions options = control_forms[CONTROL_APART];
    options.disable_fusion = all;
    return control_compile(control_sessions[0], graph, &options);
}

static gboolean accepts(const TsrProgram *program)
{
    g_autoptr(GError) error = NULL;
    return tsr_memory_check(program, program->nodes, control_sessions[0]->set, &error);
}

/* Arguments that move, in every task: also those that only a second round would notice. */
static guint damage_arguments(TsrProgram *program, const char *name)
{
    static const gint64 steps[] = {64, -64, 4096};
    guint count = 0;
    for (guint i = 0; i < program->tasks->len; i++) {
        const TsrProgramTask *task = g_ptr_array_index(program->tasks, i);
        for (guint a = 0; a < task->args->len; a++) {
            TsrTaskArg *arg = &g_array_index(task->args, TsrTaskArg, a);
            const TsrAddress saved = arg->address;
            for (guint s = 0; arg->address.space == TSR_SPACE_ARENA && s < G_N_ELEMENTS(steps);
                 s++) {
                arg->address.offset += (guint64)steps[s];
                ck_assert_msg(!accepts(program), "%s: argument %u of task %u '%s' moved by %d",
                              name, a, i, task->name, (int)steps[s]);
                arg->address = saved;
                count++;
            }
        }
    }
    return count;
}

static gboolean is_kind(const TsrProgramTask *task, guint32 kind)
{
    return task->kind == kind;
}

/* Copies, counters, labels and jumps that are not there. */
static guint damage_by_leaving_out(TsrProgram *program, const char *name)
{
    guint count = 0;
    for (guint i = 0; i < program->tasks->len; i++) {
        TsrProgramTask *task = g_ptr_array_index(program->tasks, i);
        if (is_kind(task, TSR_TASK_SWITCH) || is_kind(task, TSR_TASK_GOTO) ||
            is_kind(task, TSR_TASK_COUNT_NEXT))
            continue; /* the memory may be right without them, only the rounds are not */
        if (is_kind(task, TSR_TASK_MEMCPY_AT) && task->bytes == 0)
            continue; /* of no round at all */
        g_ptr_array_steal_index(program->tasks, i);
        ck_assert_msg(!accepts(program), "%s: task %u '%s' of kind %u left out", name, i,
                      task->name, task->kind);
        g_ptr_array_insert(program->tasks, (gint)i, task);
        count++;
    }
    return count;
}

/* What a loop reads in every round looks dead after its last use in the list: memory that a
 * plan reuses there is overwritten when the round begins again. */
static guint damage_lives(TsrProgram *program)
{
    guint found = 0;
    for (guint i = 0; i < program->memory->len; i++) {
        TsrMemoryRow *row = &g_array_index(program->memory, TsrMemoryRow, i);
        const guint32 saved = row->death;
        if (row->address.space != TSR_SPACE_ARENA || row->death == row->birth)
            continue;
        row->death = row->birth;
        found += !accepts(program);
        row->death = saved;
    }
    return found;
}

static void damage(const ControlNetwork *networks, gsize count)
{
    control_open();
    for (guint i = 0; i < count; i++) {
        g_autoptr(TsrModel) model = NULL;
        TsrProgram *program;
        if (networks == control_stacks && !networks[i].on_device)
            continue; /* it makes a condition that nobody reads: wherever that lies is right */
        model = compile_apart(&networks[i]);
        program = control_program(model);
        ck_assert(accepts(program));
        ck_assert_uint_gt(damage_arguments(program, networks[i].name), 2);
        ck_assert_uint_gt(damage_by_leaving_out(program, networks[i].name), 2);
        ck_assert_uint_gt(damage_lives(program), 0);
        ck_assert(accepts(program));
    }
    control_close();
}

START_TEST(damage_is_found)
{
    damage(control_networks, control_network_count);
}
END_TEST

START_TEST(damage_of_stacks_is_found)
{
    damage(control_stacks, control_stack_count);
}
END_TEST

/* Of the first task of that kind. */
static TsrProgramTask *find_task(const TsrProgram *program, guint32 kind)
{
    for (guint i = 0; i < program->tasks->len; i++) {
        TsrProgramTask *task = g_ptr_array_index(program->tasks, i);
        if (task->kind == kind)
            return task;
    }
    ck_abort_msg("no task of kind %u", kind);
}

/* Places are as many as rounds, and the loop has as many rounds as places. */
START_TEST(rounds_that_are_not_those_of_the_stack)
{
    g_autoptr(TsrModel) model = NULL;
    TsrProgram *program;
    TsrPlaceParams params;
    TsrProgramTask *place, *next;
    TsrTaskArg *limit, saved;
    GBytes *right;
    control_open();
    model = compile_apart(&control_stacks[0]);
    program = control_program(model);
    ck_assert(accepts(program));
    place = find_task(program, TSR_TASK_MEMCPY_AT);
    right = place->params;
    memcpy(&params, g_bytes_get_data(right, NULL), sizeof(params));
    params.places++;
    place->params = g_bytes_new(&params, sizeof(params));
    ck_assert(!accepts(program));
    g_bytes_unref(place->params);
    place->params = right;
    next = find_task(program, TSR_TASK_COUNT_NEXT);
    limit = &g_array_index(next->args, TsrTaskArg, 2);
    saved = *limit;
    ck_assert_uint_eq(saved.ref, TSR_ARG_CONSTANT);
    *limit = (TsrTaskArg){{TSR_SPACE_NULL, 0, 0}, TSR_ARG_NULL, 0};
    ck_assert(!accepts(program));
    *limit = saved;
    limit->address.offset += sizeof(gint64);
    ck_assert(!accepts(program));
    *limit = saved;
    ck_assert(accepts(program));
    control_close();
}
END_TEST

/* Of the first argument that is a value of that name. */
static TsrTaskArg *find_arg(const TsrProgram *program, const char *name)
{
    for (guint i = 0; i < program->tasks->len; i++) {
        const TsrProgramTask *task = g_ptr_array_index(program->tasks, i);
        for (guint a = 0; a < task->args->len; a++) {
            TsrTaskArg *arg = &g_array_index(task->args, TsrTaskArg, a);
            const TsrValue *value = tsr_task_arg_value(program->graph, program->nodes, task, arg);
            if (value != NULL && strcmp(value->name, name) == 0)
                return arg;
        }
    }
    ck_abort_msg("no argument '%s'", name);
}

/* The last product of a round over what every round reads first: the first round is right. */
START_TEST(only_the_second_round_notices)
{
    g_autoptr(TsrModel) model = NULL;
    g_autoptr(GError) error = NULL;
    TsrProgram *program;
    TsrAddress kept;
    control_open();
    model = compile_apart(&by_hand);
    program = control_program(model);
    ck_assert(accepts(program));
    kept = find_arg(program, "kept")->address;
    for (guint i = 0; i < program->tasks->len; i++) {
        const TsrProgramTask *task = g_ptr_array_index(program->tasks, i);
        for (guint a = 0; a < task->args->len; a++) {
            TsrTaskArg *arg = &g_array_index(task->args, TsrTaskArg, a);
            const TsrValue *value = tsr_task_arg_value(program->graph, program->nodes, task, arg);
            if (value != NULL && strcmp(value->name, "u") == 0)
                arg->address = kept;
        }
    }
    ck_assert(!tsr_memory_check(program, program->nodes, control_sessions[0]->set, &error));
    ck_assert_msg(strstr(error->message, "reads 'kept'") != NULL, "%s", error->message);
    control_close();
}
END_TEST

/* -------------------------------------------- results that are written over states */

/* "next" is written over "a", which only its maker reads, "other" over "c", which nobody reads;
 * "late" cannot lie over "b": the node behind reads that. */
static void three_states(ModelMaker *maker)
{
    Onnx__Graph *body = control_loop(maker, maker->graph, "m0,,x,w,v", "y,z,u", "l");
    control_float(maker, body, "a");
    control_float(maker, body, "b");
    control_float(maker, body, "c");
    maker_node(maker, body, "Mul", "", "a,b", "next");
    maker_node(maker, body, "Tanh", "", "next", "late");
    maker_node(maker, body, "Sub", "", "b,late", "other");
    control_outputs(maker, body, "lgo,next,late,other");
    maker_node(maker, maker->graph, "Add", "", "y,z", "sum");
    control_outputs(maker, maker->graph, "sum,u");
}

/* The same with the read before. */
static void two_dead_states(ModelMaker *maker)
{
    static const gint64 size[] = {CONTROL_COLUMNS, CONTROL_COLUMNS};
    static const float halves[CONTROL_COLUMNS * CONTROL_COLUMNS] = {0.5f, -0.5f, 0.25f};
    Onnx__Graph *body = control_loop(maker, maker->graph, "m0,,x,w", "y,z", "l");
    control_float(maker, body, "a");
    control_float(maker, body, "b");
    maker_initializer(maker, maker->graph, maker_tensor(maker, "square", TSR_DTYPE_FLOAT, 2, size,
                                                        halves, sizeof(halves)));
    maker_node(maker, body, "Sub", "", "b,a", "diff");
    maker_node(maker, body, "Mul", "", "diff,v", "next");
    maker_node(maker, body, "MatMul", "", "diff,square", "late");
    control_outputs(maker, body, "lgo,next,late");
    maker_node(maker, maker->graph, "Add", "", "y,z", "sum");
    control_outputs(maker, maker->graph, "sum");
}

/* One result is two states: copied to both, or at least to one. */
static void one_result_twice(ModelMaker *maker)
{
    Onnx__Graph *body = control_loop(maker, maker->graph, "m0,,x,w", "y,z", "l");
    control_float(maker, body, "a");
    control_float(maker, body, "b");
    maker_node(maker, body, "Sub", "", "a,b", "next");
    control_outputs(maker, body, "lgo,next,next");
    maker_node(maker, maker->graph, "Add", "", "y,z", "sum");
    control_outputs(maker, maker->graph, "sum");
}

static TsrModel *compile_joined(void (*build)(ModelMaker *maker))
{
    const ControlNetwork network = {"", build, FALSE};
    g_autoptr(TsrGraph) graph =
        control_import(control_sessions[0], control_build_network, (gpointer)&network);
    static const char *const all[] = {"all", NULL};
    TsrCompileOptions options = control_forms[0];
    options.disable_fusion = all;
    return control_compile(control_sessions[0], graph, &options);
}

static gboolean is_next_state(const TsrProgramTask *task)
{
    return task->kind == TSR_TASK_MEMCPY && task->args->len == 2 &&
           (g_array_index(task->args, TsrTaskArg, 0).ref & 0xff000000u) == TSR_REF_BODY_INPUT &&
           (g_array_index(task->args, TsrTaskArg, 1).ref & 0xff000000u) == TSR_REF_BODY_OUTPUT;
}

static guint next_states(const TsrProgram *program)
{
    guint count = 0;
    for (guint i = 0; i < program->tasks->len; i++)
        count += is_next_state(g_ptr_array_index(program->tasks, i));
    return count;
}

START_TEST(copies_that_are_left)
{
    static const struct {
        ControlNetwork network;
        guint copies;
    } cases[] = {
        {{"three_states", three_states, TRUE}, 1},
        {{"two_dead_states", two_dead_states, TRUE}, 0},
        {{"one_result_twice", one_result_twice, TRUE}, 2},
    };
    control_open();
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(TsrModel) model = compile_joined(cases[i].network.build);
        ck_assert_msg(next_states(control_program(model)) == cases[i].copies, "%s: %u copies",
                      cases[i].network.name, next_states(control_program(model)));
        control_check(control_build_network, (gpointer)&cases[i].network, cases[i].network.name,
                      cases[i].network.on_device);
    }
    control_close();
}
END_TEST

/* A result anywhere else than where its state is read, now that no task copies it. */
START_TEST(a_result_that_is_not_where_its_state_is)
{
    g_autoptr(TsrModel) model = NULL;
    TsrProgram *program;
    TsrTaskArg *next, *late;
    TsrAddress saved;
    control_open();
    model = compile_joined(two_dead_states);
    program = control_program(model);
    ck_assert(accepts(program));
    next = find_arg(program, "next");
    late = find_arg(program, "late");
    ck_assert_uint_eq(next->address.offset, find_arg(program, "a")->address.offset);
    saved = next->address;
    next->address = late->address;
    ck_assert(!accepts(program));
    next->address = saved;
    next->address.offset += 64;
    ck_assert(!accepts(program));
    next->address = saved;
    ck_assert(accepts(program));
    control_close();
}
END_TEST

/* The old state is read once more after the new one lies over it. */
START_TEST(a_state_that_is_not_dead)
{
    g_autoptr(TsrModel) model = NULL;
    g_autoptr(GError) error = NULL;
    TsrProgram *program;
    TsrAddress state;
    control_open();
    model = compile_joined(three_states);
    program = control_program(model);
    ck_assert(accepts(program));
    state = find_arg(program, "b")->address;
    for (guint i = 0; i < program->tasks->len; i++) {
        const TsrProgramTask *task = g_ptr_array_index(program->tasks, i);
        for (guint a = 0; a < task->args->len; a++) {
            TsrTaskArg *arg = &g_array_index(task->args, TsrTaskArg, a);
            const TsrValue *value = tsr_task_arg_value(program->graph, program->nodes, task, arg);
            if (value != NULL && strcmp(value->name, "late") == 0)
                arg->address = state;
        }
    }
    ck_assert(!tsr_memory_check(program, program->nodes, control_sessions[0]->set, &error));
    ck_assert_msg(strstr(error->message, "'late'") != NULL, "%s", error->message);
    control_close();
}
END_TEST

FIXTURE_MAIN("control_check", damage_is_found, damage_of_stacks_is_found,
             rounds_that_are_not_those_of_the_stack, copies_that_are_left,
             a_result_that_is_not_where_its_state_is, a_state_that_is_not_dead,
             only_the_second_round_notices)
