/* SPDX-License-Identifier: Apache-2.0
 *
 * group_purity.c: questions have no effects. The same node gets the same answer of every slot
 * that plugin.h calls pure, when it is asked at once again and when it is asked behind all
 * others in the opposite order; and what a slot answers is in its range.
 */
#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"
#include "plugin/host.h"
#include "plugin_check/alloc_watch.h"
#include "plugin_check/claimed.h"
#include "plugin_check/device_checks.h"

/* All answers about one node. */
typedef struct Answers {
    guint32 answer, reason_code, confirmed, precision;
    float cost;
    char reason[232];
    guint64 inplace;
} Answers;

static gboolean wrong(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
static gboolean wrong(GError **error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_propagate_error(error, g_error_new_valist(TSR_ERROR, TSR_INTERNAL, format, args));
    va_end(args);
    return FALSE;
}

static gboolean ask_confirm(const PcContext *context, const TsrLoadedPlugin *record,
                            const PcAsked *asked, Answers *out, GError **error)
{
    const TsrNodeView *const view = tsr_node_view(asked->node);
    TsrSupport support = {.struct_size = sizeof(support)};
    gint32 status;
    if (!TSR_HAS(record->engine, confirm) || out->answer == TSR_SUPPORT_NO)
        return TRUE;
    tsr_host_clear_error();
    status = record->engine->confirm(record->engine, &view, 1, &support);
    if (status != TSR_OK)
        return pc_slot_error(context, status, "confirm", error);
    if (support.answer > TSR_SUPPORT_IF)
        return wrong(error, "confirm answers %u, which is neither no, yes nor if",
                     support.answer);
    if (support.answer == TSR_SUPPORT_NO &&
        strnlen(support.reason, sizeof(support.reason)) % sizeof(support.reason) == 0)
        return wrong(error, "confirm says no without a reason");
    out->confirmed = support.answer + 1;
    return TRUE;
}

static gboolean ask_all(const PcContext *context, const TsrLoadedPlugin *record,
                        const PcAsked *asked, Answers *out, GError **error)
{
    const TsrNodeView *view = tsr_node_view(asked->node);
    TsrSupport support;
    memset(out, 0, sizeof(*out));
    if (!pc_ask(context, record, asked, &support, error))
        return FALSE;
    out->answer = support.answer;
    out->reason_code = support.reason_code;
    out->cost = support.cost;
    g_strlcpy(out->reason, support.reason, sizeof(out->reason));
    if (!ask_confirm(context, record, asked, out, error))
        return FALSE;
    if (TSR_HAS(record->engine, precision)) {
        out->precision = record->engine->precision(record->engine, view);
        if (out->precision > TSR_PRECISION_BLACK)
            return wrong(error, "precision answers %u, which is no colour", out->precision);
    }
    if (support.answer == TSR_SUPPORT_YES && TSR_HAS(record->executor, inplace)) {
        out->inplace = record->executor->inplace(record->executor, view, 0);
        if (view->input_count < 64 && out->inplace >> view->input_count != 0)
            return wrong(error, "inplace names inputs %#" G_GINT64_MODIFIER "x of %u",
                         out->inplace, view->input_count);
    }
    return TRUE;
}

/* Asks about a case; FALSE where the definition refuses it, or with an error. */
static gboolean ask_case(const PcContext *context, const PcStart *start, const PcCase *item,
                         Answers *out, GError **error)
{
    PcAsked asked;
    Answers again;
    gboolean good = pc_asked_make(&asked, item, start->session, NULL) && asked.node != NULL;
    if (good) {
        good = ask_all(context, start->record, &asked, out, error) &&
               ask_all(context, start->record, &asked, &again, error);
        if (good && memcmp(out, &again, sizeof(again)) != 0)
            good = wrong(error, "%s: asked again at once, the answer is '%u %s', not '%u %s'",
                         item->text, again.answer, again.reason, out->answer, out->reason);
    }
    pc_asked_clear(&asked);
    return good;
}

/* The cases of one operator, which lie side by side. */
static guint operator_end(const GPtrArray *cases, guint begin)
{
    const char *op = ((const PcCase *)g_ptr_array_index(cases, begin))->op;
    guint end = begin;
    while (end < cases->len &&
           strcmp(((const PcCase *)g_ptr_array_index(cases, end))->op, op) == 0)
        end++;
    return end;
}

static GError *ask_operator(const PcContext *context, const PcStart *start, guint begin,
                            guint end, Answers *answers)
{
    GError *error = NULL;
    for (guint i = begin; i < end && error == NULL; i++)
        if (!ask_case(context, start, g_ptr_array_index(start->cases, i), &answers[i], &error))
            memset(&answers[i], 0, sizeof(answers[i]));
    return error;
}

static GError *ask_backwards(const PcContext *context, const PcStart *start,
                             const Answers *answers)
{
    GError *error = NULL;
    for (guint i = start->cases->len; i-- > 0 && error == NULL;) {
        const PcCase *item = g_ptr_array_index(start->cases, i);
        Answers now;
        if (ask_case(context, start, item, &now, &error) &&
            memcmp(&now, &answers[i], sizeof(now)) != 0)
            wrong(&error, "%s: behind other questions the answer is '%u %s', not '%u %s'",
                  item->text, now.answer, now.reason, answers[i].answer, answers[i].reason);
    }
    return error;
}

static void check_memory(PcContext *context, const PcStart *start, Answers *answers)
{
    PcAllocLive before, after;
    if (!pc_begin(context, "questions keep no memory"))
        return;
    if (!pc_alloc_is_watched() || !pc_alloc_watch(context->plugin->path)) {
        pc_skip(context, "a sanitizer owns the allocator");
        return;
    }
    before = pc_alloc_live();
    g_clear_error(&(GError *){ask_operator(context, start, 0, start->cases->len, answers)});
    after = pc_alloc_live();
    if (after.blocks > before.blocks)
        pc_fail(context, "%" G_GUINT64_FORMAT " blocks with %" G_GUINT64_FORMAT
                " bytes are left, the last of code at +%#zx",
                after.blocks - before.blocks, after.bytes - before.bytes, after.caller);
    else
        pc_pass(context);
}

/* An operator of a domain that nobody can know. */
static void check_stranger(PcContext *context, const PcStart *start)
{
    const TsrTensorDesc desc = {.struct_size = sizeof(desc), .dtype = TSR_DTYPE_FLOAT,
                                .name = "x"};
    const TsrTensorDesc *const ports[] = {&desc};
    const TsrTensor *const values[] = {NULL};
    const TsrNodeView view = {.struct_size = sizeof(view), .since_version = 1, .name = "stranger",
                              .op_type = "NoSuchOperator", .domain = "tessera.plugin.check",
                              .input_count = 1, .output_count = 1, .inputs = ports,
                              .outputs = ports, .values = values};
    TsrSupport support = {.struct_size = sizeof(support)};
    gint32 status;
    if (!pc_begin(context, "an operator that it cannot know"))
        return;
    tsr_host_clear_error();
    status = start->record->engine->check(start->record->engine, &view, &support);
    if (status == TSR_OK && support.answer != TSR_SUPPORT_NO)
        pc_fail(context, "the engine takes NoSuchOperator of domain tessera.plugin.check");
    else if (status == TSR_OK && support.reason[0] == '\0')
        pc_fail(context, "check says no without a reason");
    else
        pc_pass(context);
}

static void run(PcContext *context)
{
    PcStart start;
    g_autofree Answers *answers = NULL;
    pc_device_purity(context);
    if (!pc_start(context, &start))
        return;
    answers = g_new0(Answers, start.cases->len);
    for (guint begin = 0, end; begin < start.cases->len; begin = end) {
        end = operator_end(start.cases, begin);
        if (pc_begin(context, "%s, asked twice",
                     ((PcCase *)g_ptr_array_index(start.cases, begin))->op))
            pc_end(context, ask_operator(context, &start, begin, end, answers));
    }
    check_stranger(context, &start);
    if (pc_begin(context, "the order of questions does not matter")) {
        GError *error = NULL;
        if (context->resume != 0)
            error = ask_operator(context, &start, 0, start.cases->len, answers);
        if (error == NULL)
            error = ask_backwards(context, &start, answers);
        pc_end(context, error);
    }
    check_memory(context, &start, answers);
    pc_start_clear(&start);
}

const PcGroup pc_group_purity = {"purity", "questions have the same answer twice, and no effects",
                                 run, FALSE};
