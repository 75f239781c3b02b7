/* SPDX-License-Identifier: Apache-2.0
 *
 * task_log.c: see task_log.h. A thread finds its memory through a thread-local word that names
 * the log it was for; logs have numbers that never come again, so that a word of a log that is
 * gone is not mistaken for one of another at the same address. A record is mostly one word, since
 * a core goes from task to task without a pause: memory that is touched for the first time costs
 * more than all else, about 2 us a page of 4 KiB.
 */
#include "runtime/task_log.h"

#include <string.h>

enum {
    PAGE_WORDS = 16384,
    /* A word: how far the task is from the last one, and how long it took. It began when the
     * last one of the same core ended. */
    TOOK_BITS = 22,
    STEP_ZERO = 511,
    /* In place of a step: a whole TsrTaskRecord follows. */
    WHOLE_MARK = 1023,
    WHOLE_WORDS = 1 + sizeof(TsrTaskRecord) / sizeof(guint32),
};

typedef struct Page {
    struct Page *older;
    guint32 *end;  /* behind the last word; the page begins with a whole record */
    guint32 words[PAGE_WORDS];
} Page;

/* Of one thread. */
typedef struct Buffer {
    GThread *thread;
    Page *page;
    guint32 *at;   /* where the next word goes */
    guint32 *full; /* from here on there may be no room for a whole record */
    guint32 task, core; /* of the last record, as is end */
    guint64 end;
} Buffer;

typedef struct ClockReading {
    guint64 ticks, ns;
} ClockReading;

struct TsrTaskLog {
    guint64 number;
    GMutex lock;
    GPtrArray *buffers; /* Buffer */
    TsrTaskClock clock; /* or NULL: times are nanoseconds */
    gpointer clock_user;
    ClockReading first, last; /* before the first record, and behind all that were read so far */
};

typedef struct Own {
    guint64 number;
    Buffer *buffer;
} Own;

static _Thread_local Own own;

static void buffer_free(gpointer data)
{
    Buffer *buffer = data;
    while (buffer->page != NULL) {
        Page *page = buffer->page;
        buffer->page = page->older;
        g_free(page);
    }
    g_free(buffer);
}

TsrTaskLog *tsr_task_log_new(void)
{
    static gsize numbers;
    TsrTaskLog *log = g_new0(TsrTaskLog, 1);
    log->number = 1 + (guint64)g_atomic_pointer_add(&numbers, 1);
    log->buffers = g_ptr_array_new_with_free_func(buffer_free);
    g_mutex_init(&log->lock);
    return log;
}

void tsr_task_log_free(TsrTaskLog *log)
{
    if (log == NULL)
        return;
    g_ptr_array_unref(log->buffers);
    g_mutex_clear(&log->lock);
    g_free(log);
}

/* The calling thread's, which another log may have had the word of meanwhile. */
static Buffer *find_buffer(TsrTaskLog *log)
{
    Buffer *found = NULL;
    g_mutex_lock(&log->lock);
    for (guint i = 0; i < log->buffers->len && found == NULL; i++) {
        Buffer *buffer = g_ptr_array_index(log->buffers, i);
        if (buffer->thread == g_thread_self())
            found = buffer;
    }
    if (found == NULL) {
        found = g_new0(Buffer, 1);
        found->thread = g_thread_self();
        g_ptr_array_add(log->buffers, found);
    }
    g_mutex_unlock(&log->lock);
    own = (Own){log->number, found};
    return found;
}

static void add_page(Buffer *buffer)
{
    Page *page = g_new(Page, 1);
    page->older = buffer->page;
    if (buffer->page != NULL)
        buffer->page->end = buffer->at;
    buffer->page = page;
    buffer->at = page->words;
    buffer->full = page->words + PAGE_WORDS - WHOLE_WORDS + 1;
}

static void write_whole(Buffer *buffer, const TsrTaskRecord *record)
{
    *buffer->at = (guint32)WHOLE_MARK << TOOK_BITS;
    memcpy(buffer->at + 1, record, sizeof(*record));
    buffer->at += WHOLE_WORDS;
}

void tsr_task_log_hook(gpointer user, guint32 task, guint32 core, guint64 begin, guint64 end)
{
    TsrTaskLog *log = user;
    Buffer *buffer = own.number == log->number ? own.buffer : find_buffer(log);
    const guint32 step = task - buffer->task + STEP_ZERO;
    const guint64 took = end - begin;
    gboolean whole = begin != buffer->end || core != buffer->core || step >= WHOLE_MARK ||
                     took >> TOOK_BITS != 0;
    if (buffer->at >= buffer->full) {
        add_page(buffer);
        whole = TRUE;
    }
    if (whole)
        write_whole(buffer, &(TsrTaskRecord){task, core, begin, end});
    else
        *buffer->at++ = step << TOOK_BITS | (guint32)took;
    buffer->task = task;
    buffer->core = core;
    buffer->end = end;
}

/* ------------------------------------------------------------------- reading */

void tsr_task_log_set_clock(TsrTaskLog *log, TsrTaskClock clock, gpointer user)
{
    log->clock = clock;
    log->clock_user = user;
    clock(user, &log->first.ticks, &log->first.ns);
    log->last = log->first;
}

static void read_page(const Page *page, const guint32 *end, GArray *records)
{
    TsrTaskRecord record = {0};
    for (const guint32 *at = page->words; at < end;) {
        if (*at >> TOOK_BITS == WHOLE_MARK) {
            memcpy(&record, at + 1, sizeof(record));
            at += WHOLE_WORDS;
        } else {
            record.task += (*at >> TOOK_BITS) - STEP_ZERO;
            record.begin_ns = record.end_ns;
            record.end_ns += *at++ & ((1u << TOOK_BITS) - 1);
        }
        g_array_append_val(records, record);
    }
}

/* Between two readings of both clocks, so that no time lies outside of them, in whole numbers, so
 * that a long run is as exact as a short one. */
static guint64 nanoseconds(const TsrTaskLog *log, guint64 ticks)
{
    const guint64 span = log->last.ticks - log->first.ticks;
    const guint64 at = CLAMP(ticks, log->first.ticks, log->last.ticks) - log->first.ticks;
    if (span == 0)
        return log->first.ns;
    return log->first.ns +
           (guint64)((__uint128_t)at * (log->last.ns - log->first.ns) / span);
}

/* Reads the clock again only when something came behind its last reading: what was read twice is
 * the same. */
static void convert(TsrTaskLog *log, GArray *records)
{
    guint64 newest = 0;
    for (guint i = 0; i < records->len; i++)
        newest = MAX(newest, g_array_index(records, TsrTaskRecord, i).end_ns);
    if (newest > log->last.ticks)
        log->clock(log->clock_user, &log->last.ticks, &log->last.ns);
    for (guint i = 0; i < records->len; i++) {
        TsrTaskRecord *record = &g_array_index(records, TsrTaskRecord, i);
        record->begin_ns = nanoseconds(log, record->begin_ns);
        record->end_ns = nanoseconds(log, record->end_ns);
    }
}

static gint by_begin(gconstpointer a, gconstpointer b)
{
    const TsrTaskRecord *x = a, *y = b;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns < y->end_ns ? -1 : 1;
    return x->task < y->task ? -1 : x->task > y->task;
}

GArray *tsr_task_log_records(TsrTaskLog *log)
{
    GArray *records = g_array_new(FALSE, FALSE, sizeof(TsrTaskRecord));
    g_mutex_lock(&log->lock);
    for (guint i = 0; i < log->buffers->len; i++) {
        const Buffer *buffer = g_ptr_array_index(log->buffers, i);
        for (const Page *page = buffer->page; page != NULL; page = page->older)
            read_page(page, page == buffer->page ? buffer->at : page->end, records);
    }
    if (log->clock != NULL)
        convert(log, records);
    g_mutex_unlock(&log->lock);
    g_array_sort(records, by_begin);
    return records;
}

GArray *tsr_task_log_tasks(TsrTaskLog *log)
{
    g_autoptr(GArray) records = tsr_task_log_records(log);
    GArray *tasks = g_array_new(FALSE, FALSE, sizeof(TsrTaskRecord));
    /* Task -> index + 1 of its record that began last. */
    g_autoptr(GHashTable) last = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < records->len; i++) {
        const TsrTaskRecord *record = &g_array_index(records, TsrTaskRecord, i);
        const guint at =
            GPOINTER_TO_UINT(g_hash_table_lookup(last, GUINT_TO_POINTER(record->task)));
        TsrTaskRecord *open = at != 0 ? &g_array_index(tasks, TsrTaskRecord, at - 1) : NULL;
        if (open != NULL && open->core != record->core && record->begin_ns <= open->end_ns) {
            open->end_ns = MAX(open->end_ns, record->end_ns);
            continue;
        }
        g_array_append_val(tasks, *record);
        g_hash_table_insert(last, GUINT_TO_POINTER(record->task),
                            GUINT_TO_POINTER(tasks->len));
    }
    return tasks;
}
