/* SPDX-License-Identifier: Apache-2.0
 *
 * handle.c: the registry of live handles. Called at the entry of every slot that
 * takes a handle. It compares addresses only, so a dangling pointer is found out
 * without being read. One check costs a lock that is hardly ever contended and a
 * short chain: no more than a few per execution of a whole model.
 */
#include "device.h"

enum { BUCKETS = 256 };

static TsrNpuHandle *buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static TsrNpuHandle **bucket_of(const void *object)
{
    uintptr_t address = (uintptr_t)object;
    return &buckets[((address >> 6) ^ (address >> 14)) % BUCKETS];
}

/* The link that points to the object, or NULL. */
static TsrNpuHandle **handle_find(const void *object, TsrNpuKind kind)
{
    for (TsrNpuHandle **link = bucket_of(object); *link != NULL; link = &(*link)->next)
        if (*link == object && (*link)->kind == kind)
            return link;
    return NULL;
}

void tsr_npu_handle_add(TsrNpuHandle *handle, TsrNpuKind kind, const TsrDeviceContext *owner)
{
    TsrNpuHandle **bucket = bucket_of(handle);
    handle->kind = kind;
    handle->owner = owner;
    atomic_init(&handle->users, 1);
    pthread_mutex_lock(&lock);
    handle->next = *bucket;
    *bucket = handle;
    pthread_mutex_unlock(&lock);
}

bool tsr_npu_handle_remove(const void *object, TsrNpuKind kind)
{
    TsrNpuHandle **link;
    pthread_mutex_lock(&lock);
    link = handle_find(object, kind);
    if (link != NULL)
        *link = (*link)->next;
    pthread_mutex_unlock(&lock);
    return link != NULL;
}

TsrNpuHandle *tsr_npu_handle_take(const TsrDeviceContext *owner)
{
    TsrNpuHandle *found = NULL;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BUCKETS && found == NULL; i++) {
        for (TsrNpuHandle **link = &buckets[i]; *link != NULL; link = &(*link)->next) {
            if ((*link)->owner == owner) {
                found = *link;
                *link = found->next;
                break;
            }
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}

bool tsr_npu_handle_is_live(const void *object, TsrNpuKind kind)
{
    bool live;
    pthread_mutex_lock(&lock);
    live = handle_find(object, kind) != NULL;
    pthread_mutex_unlock(&lock);
    return live;
}

bool tsr_npu_handle_acquire(void *object, TsrNpuKind kind)
{
    TsrNpuHandle **link;
    pthread_mutex_lock(&lock);
    link = handle_find(object, kind);
    if (link != NULL)
        atomic_fetch_add(&(*link)->users, 1);
    pthread_mutex_unlock(&lock);
    return link != NULL;
}
