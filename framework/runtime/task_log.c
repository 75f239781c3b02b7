/* SPDX-License-Identifier: Apache-2.0
 *
 * task_log.c: see task_log.h. A thread finds its memory through a thread-local word that names
 * the log it was for; logs have numbers that never come again, so that a word of a log that is
 * gone is not mistaken for one of another at the same address.
 */
#include "runtime/task_log.h"

enum { PAGE_RECORDS = 4096 };

typedef struct Page {
    struct Page *older;
    guint count;
    TsrTaskRecord records[PAGE_RECORDS];
} Page;

/* Of one thread. */
typedef struct Buffer {
    GThread *thread;
    Page *page;
} Buffer;

struct TsrTaskLog {
    guint64 number;
    GMutex lock;
    GPtrArray *buffers; /* Buffer */
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

static Page *add_page(Buffer *buffer)
{
    Page *page = g_new(Page, 1);
    page->older = buffer->page;
    page->count = 0;
    buffer->page = page;
    return page;
}

void tsr_task_log_hook(gpointer user, guint32 task, guint32 core, guint64 begin_ns,
                       guint64 end_ns)
{
    TsrTaskLog *log = user;
    Buffer *buffer = own.number == log->number ? own.buffer : find_buffer(log);
    Page *page = buffer->page;
    if (page == NULL || page->count == PAGE_RECORDS)
        page = add_page(buffer);
    page->records[page->count++] = (TsrTaskRecord){task, core, begin_ns, end_ns};
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
            g_array_append_vals(records, page->records, page->count);
    }
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
