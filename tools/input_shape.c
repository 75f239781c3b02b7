/* SPDX-License-Identifier: Apache-2.0
 *
 * input_shape.c: see input_shape.h.
 */
#include "input_shape.h"

#include <string.h>

#include "base/error.h"

typedef struct InputShape {
    char *name;
    guint32 rank;
    gboolean ranges;
    gint64 least[TSR_MAX_RANK];
    gint64 most[TSR_MAX_RANK];
} InputShape;

static void clear(InputShape *shape)
{
    g_free(shape->name);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(InputShape, clear)

/* "3", "1..8" or "1..". */
static gboolean read_bounds(const char *text, gint64 *out_least, gint64 *out_most)
{
    const char *dots = strstr(text, "..");
    g_autofree char *first = dots != NULL ? g_strndup(text, (gsize)(dots - text)) : g_strdup(text);
    guint64 least, most;
    if (!g_ascii_string_to_unsigned(first, 10, 0, G_MAXINT64, &least, NULL))
        return FALSE;
    *out_least = *out_most = (gint64)least;
    if (dots == NULL)
        return TRUE;
    *out_most = -1;
    if (dots[2] == '\0')
        return TRUE;
    if (!g_ascii_string_to_unsigned(dots + 2, 10, 0, G_MAXINT64, &most, NULL))
        return FALSE;
    *out_most = (gint64)most;
    return TRUE;
}

static gboolean parse(const char *text, InputShape *out, GError **error)
{
    const char *colon = strrchr(text, ':');
    g_auto(GStrv) parts = colon != NULL ? g_strsplit(colon + 1, ",", -1) : NULL;
    gboolean sound = colon != NULL && colon != text;
    for (guint i = 0; sound && parts[i] != NULL; i++) {
        if (parts[0][0] == '\0' && parts[1] == NULL)
            break; /* "NAME:" is a scalar */
        sound = out->rank < TSR_MAX_RANK &&
                read_bounds(parts[i], &out->least[out->rank], &out->most[out->rank]);
        out->ranges |= sound && out->least[out->rank] != out->most[out->rank];
        out->rank++;
    }
    if (!sound) {
        g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                    "--input-shape: wanted NAME:1,3,224,224 or NAME:1..8,3,224,224, got '%s'",
                    text);
        return FALSE;
    }
    out->name = g_strndup(text, (gsize)(colon - text));
    return TRUE;
}

gboolean tsr_input_shape_apply(const char *text, TsrGraph *graph, GError **error)
{
    g_auto(InputShape) shape = {0};
    if (!parse(text, &shape, error))
        return FALSE;
    return shape.ranges ? tsr_graph_set_input_range(graph, shape.name, shape.rank, shape.least,
                                                    shape.most, error)
                        : tsr_graph_set_input_shape(graph, shape.name, shape.rank, shape.least,
                                                    error);
}

gboolean tsr_input_shape_find(char **texts, const char *name, guint32 *out_rank,
                              gint64 *out_shape, GError **error)
{
    for (; texts != NULL && *texts != NULL; texts++) {
        g_auto(InputShape) shape = {0};
        if (!parse(*texts, &shape, error))
            return FALSE;
        if (strcmp(shape.name, name) != 0 || shape.ranges)
            continue;
        *out_rank = shape.rank;
        memcpy(out_shape, shape.least, sizeof(shape.least));
        return TRUE;
    }
    return FALSE;
}
