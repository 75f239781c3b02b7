/* SPDX-License-Identifier: Apache-2.0
 *
 * pins.c: see pins.h.
 */
#include "plugin/pins.h"

#include <string.h>

#include "base/error.h"

static void pin_free(gpointer data)
{
    TsrPin *pin = data;
    g_free(pin->pattern);
    g_free(pin->engine);
    g_free(pin);
}

GPtrArray *tsr_pins_new(void)
{
    return g_ptr_array_new_with_free_func(pin_free);
}

static TsrPin *pin_new(gboolean is_op, const char *pattern, const char *engine,
                       const char *source)
{
    TsrPin *pin = g_new0(TsrPin, 1);
    *pin = (TsrPin){is_op, g_strdup(pattern), g_strdup(engine), source, FALSE};
    return pin;
}

void tsr_pins_add(GPtrArray *pins, gboolean is_op, const char *pattern, const char *engine,
                  const char *source)
{
    g_ptr_array_add(pins, pin_new(is_op, pattern, engine, source));
}

gboolean tsr_pins_add_options(GPtrArray *pins, const char *const *texts, GError **error)
{
    for (guint i = 0; texts != NULL && texts[i] != NULL; i++) {
        /* Names of nodes may hold anything, names of engines no '='. */
        const char *engine = strrchr(texts[i], '=');
        const gboolean is_op = g_str_has_prefix(texts[i], "op:");
        const gsize skip = is_op ? strlen("op:")
                           : g_str_has_prefix(texts[i], "node:") ? strlen("node:")
                                                                 : 0;
        g_autofree char *pattern = NULL;
        TsrPin *pin;
        if (engine == NULL || engine[1] == '\0' || engine - texts[i] <= (gssize)skip) {
            g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                        "--pin: wanted NODE=ENGINE or op:OPERATOR=ENGINE, got '%s'", texts[i]);
            return FALSE;
        }
        pattern = g_strndup(texts[i] + skip, (gsize)(engine - texts[i]) - skip);
        pin = pin_new(is_op, pattern, engine + 1, "--pin");
        pin->is_option = TRUE;
        g_ptr_array_insert(pins, (gint)i, pin);
    }
    return TRUE;
}

static gboolean is_pattern(const TsrPin *pin)
{
    return strpbrk(pin->pattern, "*?") != NULL;
}

static gboolean fits(const TsrPin *pin, gboolean as_pattern, const char *name)
{
    return strcmp(pin->pattern, name) == 0 ||
           (as_pattern && is_pattern(pin) && g_pattern_match_simple(pin->pattern, name));
}

const TsrPin *tsr_pins_find(const GPtrArray *pins, const char *node, const char *domain,
                            const char *op)
{
    g_autofree char *full = g_strconcat(domain, "::", op, NULL);
    for (guint turn = 0; turn < 4; turn++) {
        const gboolean on_op = turn >= 2, as_pattern = turn % 2 == 1;
        for (guint i = 0; i < pins->len; i++) {
            const TsrPin *pin = g_ptr_array_index(pins, i);
            if (pin->is_op == on_op &&
                (fits(pin, as_pattern, on_op ? op : node) ||
                 (on_op && fits(pin, as_pattern, full))))
                return pin;
        }
    }
    return NULL;
}
