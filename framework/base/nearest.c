/* SPDX-License-Identifier: Apache-2.0
 *
 * nearest.c: see nearest.h. The distance is Levenshtein's (1966), row by row.
 */
#include "base/nearest.h"

#include <string.h>

static guint distance(const char *a, const char *b)
{
    gsize columns = strlen(b);
    g_autofree guint *row = g_new(guint, columns + 1);
    for (gsize k = 0; k <= columns; k++)
        row[k] = (guint)k;
    for (gsize i = 0; a[i] != '\0'; i++) {
        guint diagonal = row[0];
        row[0] = (guint)i + 1;
        for (gsize k = 0; k < columns; k++) {
            guint above = row[k + 1];
            gboolean same = g_ascii_tolower(a[i]) == g_ascii_tolower(b[k]);
            row[k + 1] = MIN(MIN(above, row[k]) + 1, diagonal + (same ? 0 : 1));
            diagonal = above;
        }
    }
    return row[columns];
}

const char *tsr_nearest_word(const char *word, const char *const *words, guint count)
{
    const char *best = NULL;
    guint least = G_MAXUINT;
    for (guint i = 0; i < count; i++) {
        guint far = distance(word, words[i]);
        if (far < least && far <= MAX(strlen(words[i]) / 3, 1)) {
            least = far;
            best = words[i];
        }
    }
    return best;
}
