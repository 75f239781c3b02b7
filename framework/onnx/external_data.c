/* SPDX-License-Identifier: Apache-2.0
 *
 * external_data.c: see external_data.h.
 */
#include "onnx/external_data.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <tessera/types.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

typedef struct Place {
    const char *location;
    guint64 offset;
    guint64 length;
    gboolean has_length;
} Place;

static gboolean read_place(const Onnx__Tensor *proto, Place *place, GError **error)
{
    memset(place, 0, sizeof(*place));
    for (gsize i = 0; i < proto->n_external_data; i++) {
        const Onnx__StringStringEntry *entry = proto->external_data[i];
        guint64 *number = NULL;
        if (entry->key == NULL || entry->value == NULL)
            continue;
        if (strcmp(entry->key, "location") == 0) {
            place->location = entry->value;
        } else if (strcmp(entry->key, "offset") == 0) {
            number = &place->offset;
        } else if (strcmp(entry->key, "length") == 0) {
            number = &place->length;
            place->has_length = TRUE;
        }
        if (number != NULL &&
            !g_ascii_string_to_unsigned(entry->value, 10, 0, G_MAXUINT64, number, NULL)) {
            g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                        "tensor '%s': external %s '%s' is not a number", proto->name, entry->key,
                        entry->value);
            return FALSE;
        }
    }
    if (place->location == NULL || place->location[0] == '\0') {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "tensor '%s': external data without a location", proto->name);
        return FALSE;
    }
    return TRUE;
}

/* Opens a plain file below the directory, one name at a time, so that no symbolic link is
 * followed on the way and what was checked is what is read. -1 when there is none. */
static int open_below(const char *directory, const char *location)
{
    g_auto(GStrv) parts = g_strsplit(location, "/", -1);
    int fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    struct stat status;
    for (guint i = 0; fd >= 0 && parts[i] != NULL; i++) {
        /* Without O_NONBLOCK a pipe would wait for its other end. */
        int flags = parts[i + 1] != NULL ? O_PATH | O_DIRECTORY : O_RDONLY | O_NONBLOCK;
        int next = openat(fd, parts[i], flags | O_NOFOLLOW | O_CLOEXEC);
        close(fd);
        fd = next;
    }
    if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* A relative path that does not climb; symbolic links are refused when opened. */
static gboolean is_below(const char *location)
{
    g_auto(GStrv) parts = g_strsplit(location, "/", -1);
    if (g_path_is_absolute(location) || strchr(location, '\\') != NULL)
        return FALSE;
    for (guint i = 0; parts[i] != NULL; i++)
        if (strcmp(parts[i], "..") == 0)
            return FALSE;
    return TRUE;
}

GBytes *tsr_external_data_read(const Onnx__Tensor *proto, const char *directory,
                               guint64 size_bytes, GError **error)
{
    g_autoptr(GMappedFile) file = NULL;
    g_autoptr(GError) cause = NULL;
    guint64 end, file_size;
    GBytes *bytes;
    Place place;
    int fd;

    if (!read_place(proto, &place, error))
        return NULL;
    if (directory == NULL || !is_below(place.location)) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "tensor '%s': external data '%s' is not a path below the model's directory",
                    proto->name, place.location);
        return NULL;
    }
    if (place.has_length && place.length != size_bytes) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "tensor '%s': takes %" G_GUINT64_FORMAT
                    " bytes, but its external length is %" G_GUINT64_FORMAT,
                    proto->name, size_bytes, place.length);
        return NULL;
    }
    fd = open_below(directory, place.location);
    if (fd < 0) {
        g_set_error(error, TSR_ERROR, TSR_IO,
                    "tensor '%s': external data '%s' is not a plain file below '%s'",
                    proto->name, place.location, directory);
        return NULL;
    }
    file = g_mapped_file_new_from_fd(fd, FALSE, &cause);
    close(fd);
    if (file == NULL) {
        g_set_error(error, TSR_ERROR, TSR_IO, "tensor '%s': external data '%s': %s", proto->name,
                    place.location, cause->message);
        return NULL;
    }
    file_size = g_mapped_file_get_length(file);
    if (!g_uint64_checked_add(&end, place.offset, size_bytes) || end > file_size) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "tensor '%s': external data '%s' has %" G_GUINT64_FORMAT
                    " bytes, wanted %" G_GUINT64_FORMAT " from offset %" G_GUINT64_FORMAT,
                    proto->name, place.location, file_size, size_bytes, place.offset);
        return NULL;
    }
    if (size_bytes == 0)
        return g_bytes_new_static("", 0);
    bytes = tsr_memory_copy_bytes(g_mapped_file_get_contents(file) + place.offset, size_bytes);
    if (bytes == NULL)
        g_set_error(error, TSR_ERROR, TSR_OUT_OF_MEMORY,
                    "tensor '%s': no memory for %" G_GUINT64_FORMAT " bytes", proto->name,
                    size_bytes);
    return bytes;
}
