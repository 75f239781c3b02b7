/* SPDX-License-Identifier: Apache-2.0
 *
 * test_memory_check.c: the checker accepts what the compiler makes, and finds every damage
 * that is done to it on purpose: in addresses, in the table, in the order of tasks, in
 * streams and events, in what may be written in place.
 */
#include "api/session.h"
#include "build/memory_check.h"
#include "fixture.h"
#include "runtime/model.h"

typedef struct Case {
    TsrSession *session;
    TsrModel *model;
    TsrProgram *program;
} Case;

/* Convolutions with workspaces, a sum in place, a Concat without a task, a value with
 * several readers, an output that is there twice. */
static void case_init(Case *test)
{
    const char *const off[] = {"all", NULL};
    const TsrCompileOptions options = {sizeof(options), .disable_fusion = off};
    TsrSessionOptions session_options = TSR_SESSION_OPTIONS_INIT;
    TsrGraph *graph;
    TsrValue *x, *a, *b, *sum, *left, *right, *all, *y;
    GError *error = NULL;
    session_options.threads = 1;
    test->session = tsr_session_new(&session_options, &error);
    ck_no_error(error);
    graph = tsr_session_graph(test->session, "net");
    x = fixture_input(graph, "x", SHAPE(1, 16, 12, 12));
    a = fixture_node(graph, "Conv", "a",
                     VALUES(x, fixture_constant(graph, "wa", SHAPE(32, 16, 3, 3))),
                     "pads=[1,1,1,1]");
    b = fixture_node(graph, "Conv", "b",
                     VALUES(a, fixture_constant(graph, "wb", SHAPE(32, 32, 3, 3))),
                     "pads=[1,1,1,1]");
    sum = fixture_node(graph, "Add", "sum", VALUES(b, a), NULL);
    left = fixture_node(graph, "Sigmoid", "left", VALUES(sum), NULL);
    right = fixture_node(graph, "Tanh", "right", VALUES(a), NULL);
    all = fixture_node(graph, "Concat", "all", VALUES(left, right), "axis=1");
    y = fixture_node(graph, "Conv", "y",
                     VALUES(all, fixture_constant(graph, "wy", SHAPE(16, 64, 1, 1))), NULL);
    tsr_build_output(graph, "out", fixture_node(graph, "Softplus", "out", VALUES(y), NULL));
    tsr_build_output(graph, "mean",
                     fixture_node(graph, "GlobalAveragePool", "mean", VALUES(all), NULL));
    tsr_build_output(graph, "twice", g_array_index(graph->outputs, TsrGraphOutput, 0).value);
    test->model = tsr_session_compile(test->session, graph, &options, &error);
    tsr_graph_unref(graph);
    ck_no_error(error);
    test->program = tsr_bound_model_program(test->model->bound);
    ck_assert(test->program->is_sink);
}

static void case_clear(Case *test)
{
    tsr_model_free(test->model);
    tsr_session_free(test->session);
}

static gboolean accepts(const Case *test, char **out_text)
{
    g_autoptr(GError) error = NULL;
    const gboolean right = tsr_memory_check(test->program, test->program->nodes,
                                            test->session->set, &error);
    ck_assert(right == (error == NULL));
    ck_assert(right || g_error_matches(error, TSR_ERROR, TSR_CORRUPT));
    if (out_text != NULL)
        *out_text = error != NULL ? g_strdup(error->message) : NULL;
    return right;
}

static void refuses(const Case *test, const char *part, const char *what)
{
    g_autofree char *text = NULL;
    ck_assert_msg(!accepts(test, &text), "%s: not found", what);
    ck_assert_msg(strstr(text, part) != NULL, "%s: '%s' is not in: %s", what, part, text);
}

static TsrProgramTask *task_at(const Case *test, guint i)
{
    return g_ptr_array_index(test->program->tasks, i);
}

static TsrTaskArg *arg_at(const TsrProgramTask *task, guint i)
{
    return &g_array_index(task->args, TsrTaskArg, i);
}

static TsrMemoryRow *row_at(const Case *test, guint i)
{
    return &g_array_index(test->program->memory, TsrMemoryRow, i);
}

static gboolean is_piece(const TsrMemoryRow *row)
{
    return row->address.space == TSR_SPACE_ARENA &&
           (row->kind == TSR_MEMORY_OWN || row->kind == TSR_MEMORY_WORKSPACE);
}

static guint find_task(const Case *test, const char *name)
{
    for (guint i = 0; i < test->program->tasks->len; i++)
        if (strcmp(task_at(test, i)->name, name) == 0)
            return i;
    ck_abort_msg("no task '%s'", name);
}

/* The case is worth something: all that can be damaged is there. */
START_TEST(what_the_compiler_makes)
{
    Case test;
    guint kinds[5] = {0};
    case_init(&test);
    ck_assert(accepts(&test, NULL));
    for (guint i = 0; i < test.program->memory->len; i++)
        kinds[row_at(&test, i)->kind]++;
    ck_assert_uint_gt(kinds[TSR_MEMORY_OWN], 2);
    ck_assert_uint_gt(kinds[TSR_MEMORY_WORKSPACE], 0);
    ck_assert_uint_eq(kinds[TSR_MEMORY_PART], 2);
    ck_assert_uint_gt(kinds[TSR_MEMORY_INPLACE], 0);
    for (guint i = 0; i < test.program->tasks->len; i++)
        ck_assert_str_ne(task_at(&test, i)->name, "all");
    case_clear(&test);
}
END_TEST

START_TEST(moved_arguments)
{
    const gint64 steps[] = {64, -64, 4096, 1, G_MAXINT64};
    Case test;
    guint moved = 0;
    case_init(&test);
    for (guint i = 0; i < test.program->tasks->len; i++)
        for (guint a = 0; a < task_at(&test, i)->args->len; a++) {
            TsrTaskArg *arg = arg_at(task_at(&test, i), a);
            const guint64 offset = arg->address.offset;
            g_autofree char *what = g_strdup_printf("task %u argument %u", i, a);
            if (arg->address.space != TSR_SPACE_ARENA)
                continue;
            for (gsize s = 0; s < G_N_ELEMENTS(steps); s++) {
                arg->address.offset = offset + (guint64)steps[s];
                refuses(&test, "memory: ", what);
                moved++;
            }
            arg->address.offset = offset;
        }
    ck_assert_uint_gt(moved, 50);
    ck_assert(accepts(&test, NULL));
    case_clear(&test);
}
END_TEST

/* What the last kernel writes into a graph output. */
static TsrTaskArg *output_arg(const Case *test)
{
    for (guint i = 0; i < test->program->tasks->len; i++)
        for (guint a = 0; a < task_at(test, i)->args->len; a++) {
            TsrTaskArg *arg = arg_at(task_at(test, i), a);
            if (arg->address.space == TSR_SPACE_OUTPUT && arg->address.index == 0)
                return arg;
        }
    ck_abort_msg("no task writes the output");
}

START_TEST(other_memories)
{
    Case test;
    TsrTaskArg *arg;
    TsrAddress saved;
    case_init(&test);
    for (guint i = 0; i < test.program->tasks->len; i++)
        for (guint a = 0; a < task_at(&test, i)->args->len; a++) {
            const guint32 kind = (arg = arg_at(task_at(&test, i), a))->ref & 0xff000000u;
            saved = arg->address;
            if (kind == TSR_ARG_CONSTANT || kind == TSR_ARG_NULL)
                continue;
            for (guint32 space = TSR_SPACE_NULL; space <= TSR_SPACE_OUTPUT + 1; space++) {
                if (space == saved.space)
                    continue;
                arg->address = (TsrAddress){space, 0, 0};
                refuses(&test, "memory: ", "another memory");
            }
            arg->address = saved;
        }
    /* The output of a task in the weights, and in an input. */
    arg = arg_at(task_at(&test, find_task(&test, "left")), 1);
    saved = arg->address;
    arg->address = (TsrAddress){TSR_SPACE_WEIGHTS, 0, 0};
    refuses(&test, "read only", "writes weights");
    arg->address = saved;
    /* An output's memory that is too small for what is written there. */
    arg = output_arg(&test);
    saved = arg->address;
    ck_assert_uint_eq(saved.index, 0);
    arg->address.index = 1;
    refuses(&test, "leaves its memory", "the wrong output");
    arg->address.index = 2;
    refuses(&test, "memory: ", "the other output");
    arg->address.index = 9;
    refuses(&test, "leaves its memory", "no output");
    arg->address = saved;
    ck_assert(accepts(&test, NULL));
    case_clear(&test);
}
END_TEST

START_TEST(pool_cut)
{
    Case test;
    case_init(&test);
    test.program->stats.activation_bytes -= 64;
    refuses(&test, "which leaves its memory", "pool");
    test.program->stats.activation_bytes = 0;
    refuses(&test, "which leaves its memory", "no pool");
    case_clear(&test);
}
END_TEST

/* The table has to say what the tasks do. */
START_TEST(table_damage)
{
    Case test;
    guint pieces = 0;
    case_init(&test);
    for (guint i = 0; i < test.program->memory->len; i++) {
        TsrMemoryRow *row = row_at(&test, i);
        const TsrMemoryRow saved = *row;
        if (!is_piece(row))
            continue;
        row->address.offset += 64;
        refuses(&test, "has no piece for it", saved.name);
        *row = saved;
        row->size -= 64;
        refuses(&test, "has no piece for it", saved.name);
        *row = saved;
        row->birth++;
        refuses(&test, "has no piece for it", saved.name);
        *row = saved;
        if (row->death > 0) {
            row->death--;
            refuses(&test, "has no piece for it", saved.name);
        }
        *row = saved;
        row->kind = TSR_MEMORY_VIEW;
        refuses(&test, "has no piece for it", saved.name);
        *row = saved;
        pieces++;
    }
    ck_assert_uint_gt(pieces, 3);
    ck_assert(accepts(&test, NULL));
    case_clear(&test);
}
END_TEST

/* Moves a piece with all that lies in it, as a planner with a mistake would. */
static void move_piece(const Case *test, guint row_index, guint64 to)
{
    TsrMemoryRow *row = row_at(test, row_index);
    const guint64 from = row->address.offset;
    for (guint i = row->birth; i <= row->death; i++)
        for (guint a = 0; a < task_at(test, i)->args->len; a++) {
            TsrTaskArg *arg = arg_at(task_at(test, i), a);
            if (arg->address.space == TSR_SPACE_ARENA && arg->address.offset >= from &&
                arg->address.offset < from + row->size)
                arg->address.offset += to - from;
        }
    row->address.offset = to;
}

START_TEST(overlapping_pieces)
{
    guint pairs = 0, workspaces = 0;
    Case probe;
    guint count;
    case_init(&probe);
    count = probe.program->memory->len;
    for (guint i = 0; i < count; i++)
        for (guint k = 0; k < count; k++) {
            const TsrMemoryRow *a = row_at(&probe, i), *b = row_at(&probe, k);
            const guint64 offset = a->address.offset;
            g_autofree char *what = g_strdup_printf("'%s' onto '%s'", a->name, b->name);
            if (i == k || !is_piece(a) || !is_piece(b) || a->birth > b->death ||
                b->birth > a->death)
                continue;
            /* Far away first, so that what is moved is known again. */
            probe.program->stats.activation_bytes += 1u << 24;
            move_piece(&probe, i, 1u << 23);
            ck_assert_msg(accepts(&probe, NULL), "%s: far away", what);
            move_piece(&probe, i, b->address.offset + b->size - 64);
            refuses(&probe, "memory: ", what);
            /* A piece that is to be found again is moved back from where only it is. */
            case_clear(&probe);
            case_init(&probe);
            ck_assert_uint_eq(row_at(&probe, i)->address.offset, offset);
            pairs++;
            workspaces += row_at(&probe, i)->kind == TSR_MEMORY_WORKSPACE;
        }
    ck_assert_uint_gt(pairs, 5);
    ck_assert_uint_gt(workspaces, 0);
    case_clear(&probe);
}
END_TEST

START_TEST(tasks_left_out)
{
    Case test;
    case_init(&test);
    for (guint i = 0; i < test.program->tasks->len; i++) {
        TsrProgramTask *task = g_ptr_array_steal_index(test.program->tasks, i);
        refuses(&test, "memory: ", task->name);
        g_ptr_array_insert(test.program->tasks, (gint)i, task);
    }
    ck_assert(accepts(&test, NULL));
    case_clear(&test);
}
END_TEST

/* Whether task b reads what task a writes. */
static gboolean depends(const Case *test, guint a, guint b)
{
    const TsrNode *from = g_ptr_array_index(test->program->nodes, task_at(test, a)->node);
    const TsrNode *to = task_at(test, b)->node < test->program->nodes->len
                            ? g_ptr_array_index(test->program->nodes,
                                                task_at(test, b)->node)
                            : NULL;
    for (guint i = 0; to != NULL && to != from && i < to->inputs->len; i++)
        if (((TsrValue *)g_ptr_array_index(to->inputs, i))->producer == from)
            return TRUE;
    return FALSE;
}

START_TEST(tasks_in_another_order)
{
    guint found = 0;
    Case test;
    case_init(&test);
    for (guint b = 1; b < test.program->tasks->len; b++)
        for (guint a = 0; a < b; a++) {
            if (task_at(&test, a)->kind == TSR_TASK_MEMCPY || !depends(&test, a, b))
                continue;
            g_ptr_array_insert(test.program->tasks, (gint)b,
                               g_ptr_array_steal_index(test.program->tasks, a));
            /* The table is made to fit, so that it alone does not give it away. */
            for (guint i = 0; i < test.program->memory->len; i++) {
                row_at(&test, i)->birth = 0;
                row_at(&test, i)->death = G_MAXUINT32;
            }
            refuses(&test, "reads ", "order");
            g_ptr_array_insert(test.program->tasks, (gint)a,
                               g_ptr_array_steal_index(test.program->tasks, b));
            found++;
        }
    ck_assert_uint_ge(found, 5);
    ck_assert(accepts(&test, NULL));
    case_clear(&test);
}
END_TEST

START_TEST(in_place)
{
    Case test;
    TsrTaskArg *arg;
    TsrAddress saved;
    GError *error = NULL;
    case_init(&test);
    /* Without an engine that allows it nothing may be in place. */
    ck_assert(!tsr_memory_check(test.program, test.program->nodes, NULL, &error));
    ck_error(error, TSR_CORRUPT, ", which it reads");
    /* Over an input that another task still reads: b + a over a, before Tanh reads it. */
    arg = arg_at(task_at(&test, find_task(&test, "sum")), 2);
    saved = arg->address;
    ck_assert_uint_eq(arg->ref, TSR_ARG_OUTPUT | 0);
    if (find_task(&test, "sum") < find_task(&test, "right")) {
        arg->address = arg_at(task_at(&test, find_task(&test, "sum")), 1)->address;
        refuses(&test, "reads '", "over a value that is still read");
        arg->address = saved;
    }
    /* Not at the very same place. */
    arg->address.offset = arg_at(task_at(&test, find_task(&test, "sum")), 0)->address.offset + 64;
    refuses(&test, "memory: ", "beside the input");
    arg->address = saved;
    /* An operator that does not allow it: a convolution over its input. */
    arg = arg_at(task_at(&test, find_task(&test, "b")), 4);
    if (arg->ref == (TSR_ARG_OUTPUT | 0)) {
        arg->address = arg_at(task_at(&test, find_task(&test, "b")), 0)->address;
        refuses(&test, "over 'a", "a convolution in place");
    }
    case_clear(&test);
}
END_TEST

/* --------------------------------------------------------------------- streams */

static TsrProgramTask *event_task(guint32 kind, guint32 stream, guint32 event)
{
    TsrProgramTask *task = tsr_program_task_new(kind, "event");
    task->stream = stream;
    task->event = event;
    return task;
}

/* Puts a task on a stream of its own, with events or notifies around it. */
static void put_aside(Case *test, guint index, gboolean notifies)
{
    const guint32 record = notifies ? TSR_TASK_NOTIFY_RECORD : TSR_TASK_EVENT_RECORD;
    const guint32 wait = notifies ? TSR_TASK_NOTIFY_WAIT : TSR_TASK_EVENT_WAIT;
    GPtrArray *tasks = test->program->tasks;
    test->program->stream_count = 2;
    test->program->event_count = test->program->notify_count = 2;
    task_at(test, index)->stream = 1;
    g_ptr_array_insert(tasks, (gint)index + 1, event_task(wait, 0, 1));
    g_ptr_array_insert(tasks, (gint)index + 1, event_task(record, 1, 1));
    g_ptr_array_insert(tasks, (gint)index, event_task(wait, 1, 0));
    g_ptr_array_insert(tasks, (gint)index, event_task(record, 0, 0));
    for (guint i = 0; i < test->program->memory->len; i++) {
        row_at(test, i)->birth = 0; /* numbers of tasks have changed */
        row_at(test, i)->death = G_MAXUINT32;
    }
}

START_TEST(streams_and_events)
{
    guint count = 0;
    Case test;
    case_init(&test);
    count = test.program->tasks->len;
    case_clear(&test);
    for (guint i = 1; i + 1 < count; i++) {
        guint unordered = 0;
        case_init(&test);
        put_aside(&test, i, TRUE);
        ck_assert_msg(accepts(&test, NULL), "task %u with notifies", i);
        case_clear(&test);
        case_init(&test);
        put_aside(&test, i, FALSE);
        ck_assert_msg(accepts(&test, NULL), "task %u with events", i);
        for (guint gone = 0; gone < 4; gone++) {
            const guint at = i + gone + (gone > 1); /* the task itself stays */
            TsrProgramTask *event = g_ptr_array_steal_index(test.program->tasks, at);
            g_autofree char *text = NULL;
            if (!accepts(&test, &text)) {
                ck_assert_ptr_nonnull(strstr(text, "event"));
                unordered++;
            }
            g_ptr_array_insert(test.program->tasks, (gint)at, event);
        }
        /* It reads what was written before it: the first two are needed at least. */
        ck_assert_uint_ge(unordered, 2);
        case_clear(&test);
    }
}
END_TEST

/* The text names both tasks, both tensors and both ranges. */
START_TEST(text_names_all)
{
    Case test;
    TsrTaskArg *arg;
    g_autofree char *text = NULL;
    case_init(&test);
    arg = arg_at(task_at(&test, find_task(&test, "right")), 1);
    arg->address.offset = arg_at(task_at(&test, find_task(&test, "left")), 1)->address.offset;
    ck_assert(!accepts(&test, &text));
    ck_assert_ptr_nonnull(strstr(text, "memory: task "));
    ck_assert_ptr_nonnull(strstr(text, " at activations ["));
    ck_assert_ptr_nonnull(strstr(text, ") holds '"));
    ck_assert_ptr_nonnull(strstr(text, "', which task "));
    case_clear(&test);
}
END_TEST

FIXTURE_MAIN("memory_check", what_the_compiler_makes, moved_arguments, other_memories, pool_cut,
             table_damage, overlapping_pieces, tasks_left_out, tasks_in_another_order, in_place,
             streams_and_events, text_names_all)
