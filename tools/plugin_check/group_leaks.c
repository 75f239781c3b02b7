/* SPDX-License-Identifier: Apache-2.0
 *
 * group_leaks.c: memory that a plugin takes and does not give back. Blocks that its own code
 * asked for are counted one by one (alloc_watch.h); what it takes through other libraries shows
 * in the size of the whole heap, over many repetitions of the same.
 */
#include <string.h>

#include "base/error.h"
#include "plugin_check/alloc_watch.h"
#include "plugin_check/claimed.h"
#include "plugin_check/device_checks.h"

enum { WARM = 4, ROUNDS = 16, MOST_CASES = 200 };

/* One repetition; FALSE with an error. */
typedef gboolean (*RoundFn)(PcContext *context, gpointer data, GError **error);

/* Repeats a round until whatever is made once has been made, then looks what grows. */
static void check_rounds(PcContext *context, RoundFn round, gpointer data)
{
    GError *error = NULL;
    PcAllocLive before = {0}, after;
    guint64 heap = 0, grown;
    for (int i = 0; i < WARM + ROUNDS && error == NULL; i++) {
        if (i == WARM) {
            before = pc_alloc_live();
            heap = pc_alloc_heap();
        }
        round(context, data, &error);
        if (i == 0)
            pc_alloc_watch(context->plugin->path);
    }
    if (error != NULL) {
        pc_end(context, error);
        return;
    }
    after = pc_alloc_live();
    grown = pc_alloc_heap() - heap;
    if (after.blocks >= before.blocks + ROUNDS)
        pc_fail(context, "%g blocks with %g bytes a round are not freed, the last of code at +%#zx",
                (double)(after.blocks - before.blocks) / ROUNDS,
                (double)(after.bytes - before.bytes) / ROUNDS, after.caller);
    else if ((gint64)grown >= 16 * ROUNDS)
        pc_fail(context, "the heap grows by %g bytes a round", (double)grown / ROUNDS);
    else
        pc_pass(context);
}

static gboolean round_session(PcContext *context, gpointer data, GError **error)
{
    TsrSession *session = pc_session(context, error);
    (void)data;
    if (session != NULL)
        pc_loaded(context, session, error);
    if (*error == NULL && session->set->device != NULL)
        tsr_session_device(session, error);
    tsr_session_free(session);
    return *error == NULL;
}

static gboolean round_device(PcContext *context, gpointer data, GError **error)
{
    (void)data;
    return pc_device_round(context, error);
}

typedef struct Round {
    TsrSession *session;
    const PcCase *item;
} Round;

static gboolean round_case(PcContext *context, gpointer data, GError **error)
{
    const Round *round = data;
    g_autoptr(GPtrArray) inputs =
        g_ptr_array_new_with_free_func((GDestroyNotify)tsr_array_unref);
    g_autoptr(TsrGraph) graph = pc_case_graph(round->item, round->session, inputs, error);
    g_autoptr(TsrModel) model =
        graph != NULL ? tsr_session_compile(round->session, graph, NULL, error) : NULL;
    (void)context;
    for (int i = 0; model != NULL && i < 2; i++) {
        g_autoptr(GPtrArray) results = pc_run_model(model, inputs, error);
        if (results == NULL)
            return FALSE;
    }
    return model != NULL;
}

static void run(PcContext *context)
{
    PcStart start;
    g_autoptr(GPtrArray) claimed = NULL;
    if (!pc_alloc_is_watched()) {
        pc_skip_check(context, "all", "a sanitizer owns the allocator, and has a look of its own");
        return;
    }
    if (pc_begin(context, "start and end"))
        check_rounds(context, round_session, NULL);
    if (context->plugin->device != NULL && pc_begin(context, "the device opened, used and closed"))
        check_rounds(context, round_device, NULL);
    if (!pc_start(context, &start))
        return;
    claimed = pc_claimed(context, start.session, start.record, start.cases, MOST_CASES);
    for (guint i = 0; i < claimed->len; i++) {
        Round round = {start.session, g_ptr_array_index(claimed, i)};
        if (pc_begin(context, "compile and run %s", round.item->text))
            check_rounds(context, round_case, &round);
    }
    if (claimed->len == 0)
        pc_skip_check(context, "compile and run", "the engine takes none of the cases");
    pc_start_clear(&start);
}

const PcGroup pc_group_leaks = {"leaks", "memory that is not given back", run, TRUE};
