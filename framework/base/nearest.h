/* SPDX-License-Identifier: Apache-2.0
 *
 * nearest.h: the word that somebody meant who wrote another, for error messages.
 */
#ifndef TSR_BASE_NEAREST_H
#define TSR_BASE_NEAREST_H

#include <glib.h>

/* The one of count words that takes fewest insertions, deletions, replacements and swaps of
 * neighbours to reach, letter case aside; NULL when even that is more than a third of its
 * length away. */
const char *tsr_nearest_word(const char *word, const char *const *words, guint count);

/* "; did you mean 'x'?", or "" when no word is near. (transfer full) */
char *tsr_nearest_hint(const char *word, const char *const *words, guint count);

#endif
