/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_check_notify.c: records and waits of notifies. A notify is set by its record and reset
 * by its one wait, so the two take turns: a record may only come when the wait of the last one is
 * past in every execution, not just in the order of the list, and none is left set for the next
 * execution. Events, which nobody resets, need no such proof: the device takes each wait for the
 * last record before it in the list.
 */
#include <tessera/plugin.h>

#include "build/memory_checker.h"

/* The last task of a notify so far. */
typedef struct Notify {
    gboolean is_used;
    gboolean is_set;
    guint task;
} Notify;

static const char *name_of(const TsrChecker *checker, guint task)
{
    return ((const TsrProgramTask *)g_ptr_array_index(checker->program->tasks, task))->name;
}

static gboolean check_record(TsrChecker *checker, Notify *notify)
{
    const guint number = checker->task->event;
    if (notify->is_set)
        return tsr_checker_wrong(checker,
                                 "records notify %u, which task %u '%s' recorded and no task "
                                 "has waited for since",
                                 number, notify->task, name_of(checker, notify->task));
    if (notify->is_used &&
        !tsr_task_order_before(checker->order, notify->task, checker->task_index))
        return tsr_checker_wrong(checker,
                                 "records notify %u again, while task %u '%s' may still wait "
                                 "for the last record",
                                 number, notify->task, name_of(checker, notify->task));
    *notify = (Notify){TRUE, TRUE, checker->task_index};
    return TRUE;
}

static gboolean check_wait(TsrChecker *checker, Notify *notify)
{
    const guint number = checker->task->event;
    if (!notify->is_used)
        return tsr_checker_wrong(checker, "waits for notify %u, which no task before it records",
                                 number);
    if (!notify->is_set)
        return tsr_checker_wrong(checker,
                                 "waits for notify %u, whose record task %u '%s' has waited for",
                                 number, notify->task, name_of(checker, notify->task));
    *notify = (Notify){TRUE, FALSE, checker->task_index};
    return TRUE;
}

static gboolean check_task(TsrChecker *checker, Notify *notifies)
{
    const gboolean records = checker->task->kind == TSR_TASK_NOTIFY_RECORD;
    if (!records && checker->task->kind != TSR_TASK_NOTIFY_WAIT)
        return TRUE;
    if (checker->task->event >= checker->program->notify_count)
        return tsr_checker_wrong(checker, "%s notify %u of %u", records ? "records" : "waits for",
                                 checker->task->event, checker->program->notify_count);
    return records ? check_record(checker, &notifies[checker->task->event])
                   : check_wait(checker, &notifies[checker->task->event]);
}

gboolean tsr_checker_notifies(TsrChecker *checker)
{
    const TsrProgram *program = checker->program;
    g_autofree Notify *notifies = g_new0(Notify, (gsize)program->notify_count + 1);
    gboolean right = TRUE;
    for (guint i = 0; right && i < program->tasks->len; i++) {
        checker->task_index = i;
        checker->task = g_ptr_array_index(program->tasks, i);
        right = check_task(checker, notifies);
    }
    for (guint n = 0; right && n < program->notify_count; n++) {
        if (!notifies[n].is_set)
            continue;
        checker->task_index = notifies[n].task;
        checker->task = g_ptr_array_index(program->tasks, notifies[n].task);
        right = tsr_checker_wrong(checker, "records notify %u, which no task waits for", n);
    }
    checker->task = NULL;
    return right;
}
