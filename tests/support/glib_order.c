/* SPDX-License-Identifier: Apache-2.0
 *
 * glib_order.c: what the thread sanitizer must know of GLib, which was built without it: that
 * a mutex orders what is done under it, and a reference count what was done before the last
 * reference went. Each function stands in front of GLib's and calls it. Linked into the tests
 * of a build with -Db_sanitize=thread only.
 */
#include <dlfcn.h>
#include <glib.h>
#include <sanitizer/tsan_interface.h>
#include <string.h>

#undef g_mutex_lock
#undef g_mutex_unlock
#undef g_mutex_trylock
#undef g_atomic_ref_count_inc
#undef g_atomic_ref_count_dec

/* GLib's function of that name, which threads may look for at the same time. */
static void find(gpointer *known, const char *name, void *out_function, gsize size)
{
    gpointer symbol = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (symbol == NULL) {
        symbol = dlsym(RTLD_NEXT, name);
        __atomic_store_n(known, symbol, __ATOMIC_RELAXED);
    }
    memcpy(out_function, &symbol, size);
}

#define GLIB_FUNCTION(type, name, ...)          \
    static gpointer known;                      \
    type (*real)(__VA_ARGS__);                  \
    find(&known, #name, &real, sizeof(real))

void g_mutex_lock(GMutex *mutex)
{
    GLIB_FUNCTION(void, g_mutex_lock, GMutex *);
    real(mutex);
    __tsan_acquire(mutex);
}

gboolean g_mutex_trylock(GMutex *mutex)
{
    gboolean locked;
    GLIB_FUNCTION(gboolean, g_mutex_trylock, GMutex *);
    locked = real(mutex);
    if (locked)
        __tsan_acquire(mutex);
    return locked;
}

void g_mutex_unlock(GMutex *mutex)
{
    GLIB_FUNCTION(void, g_mutex_unlock, GMutex *);
    __tsan_release(mutex);
    real(mutex);
}

gboolean g_atomic_ref_count_dec(gatomicrefcount *count)
{
    gboolean last;
    GLIB_FUNCTION(gboolean, g_atomic_ref_count_dec, gatomicrefcount *);
    __tsan_release(count);
    last = real(count);
    if (last)
        __tsan_acquire(count);
    return last;
}

void g_bytes_unref(GBytes *bytes)
{
    GLIB_FUNCTION(void, g_bytes_unref, GBytes *);
    if (bytes == NULL)
        return;
    __tsan_release(bytes);
    __tsan_acquire(bytes);
    real(bytes);
}
