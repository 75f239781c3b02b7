/* SPDX-License-Identifier: Apache-2.0
 *
 * nearest.c: see nearest.h. The distance counts insertions, deletions, replacements
 * and swaps of neighbours (Damerau 1964, Levenshtein 1966), row by row.
 */
#include "base/nearest.h"

#include <string.h>

static gboolean same_letter(char a, char b)
{
    return g_ascii_tolower(a) == g_ascii_tolower(b);
}

static guint distance(const char *a, const char *b)
{
    gsize columns = strlen(b);
    g_autofree guint *rows = g_new(guint, 3 * (columns + 1));
    guint *before = rows, *last = rows + columns + 1, *row = last + columns + 1;
    for (gsize k = 0; k <= columns; k++)
        row[k] = (guint)k;
    for (gsize i = 0; a[i] != '\0'; i++) {
        guint *spare = before;
        before = last;
        last = row;
        row = spare;
        row[0] = (guint)i + 1;
        for (gsize k = 0; k < columns; k++) {
            guint replaced = last[k] + (same_letter(a[i], b[k]) ? 0 : 1);
            row[k + 1] = MIN(MIN(last[k + 1], row[k]) + 1, replaced);
            if (i > 0 && k > 0 && same_letter(a[i], b[k - 1]) && same_letter(a[i - 1], b[k]))
                row[k + 1] = MIN(row[k + 1], before[k - 1] + 1);
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

char *tsr_nearest_hint(const char *word, const char *const *words, guint count)
{
    const char *nearest = tsr_nearest_word(word, words, count);
    return nearest != NULL ? g_strdup_printf("; did you mean '%s'?", nearest) : g_strdup("");
}
