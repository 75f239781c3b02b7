/* SPDX-License-Identifier: Apache-2.0
 *
 * dims_table.c: the table of dims.h: what is in it, once each, and what it comes to for given
 * values. An atom's operands are older than the atom, and a sum's atoms older than the sum: no
 * expression holds itself, whatever a file says.
 */
#include "ir/dims_table.h"

#include <string.h>
#include <tessera/plugin_util.h>

struct TsrDims {
    gatomicrefcount refs;
    GPtrArray *atoms;     /* TsrDimAtom */
    GPtrArray *sums;      /* TsrDimSum */
    GHashTable *names;    /* of symbols -> atom + 1 */
    GHashTable *by_sum;   /* TsrDimSum -> its place + 1 */
    guint symbols;
};

static guint hash_sum(gconstpointer key)
{
    const guint8 *bytes = key;
    guint hash = 5381;
    for (gsize i = 0; i < sizeof(TsrDimSum); i++)
        hash = hash * 33 + bytes[i];
    return hash;
}

static gboolean equal_sums(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(TsrDimSum)) == 0;
}

static void atom_free(gpointer data)
{
    g_free(((TsrDimAtom *)data)->name);
    g_free(data);
}

TsrDims *tsr_dims_new(void)
{
    TsrDims *dims = g_new0(TsrDims, 1);
    g_atomic_ref_count_init(&dims->refs);
    dims->atoms = g_ptr_array_new_with_free_func(atom_free);
    dims->sums = g_ptr_array_new_with_free_func(g_free);
    dims->names = g_hash_table_new(g_str_hash, g_str_equal);
    dims->by_sum = g_hash_table_new(hash_sum, equal_sums);
    return dims;
}

TsrDims *tsr_dims_ref(TsrDims *dims)
{
    g_atomic_ref_count_inc(&dims->refs);
    return dims;
}

void tsr_dims_unref(TsrDims *dims)
{
    if (dims == NULL || !g_atomic_ref_count_dec(&dims->refs))
        return;
    g_hash_table_unref(dims->by_sum);
    g_hash_table_unref(dims->names);
    g_ptr_array_unref(dims->sums);
    g_ptr_array_unref(dims->atoms);
    g_free(dims);
}

guint tsr_dims_atom_count(const TsrDims *dims)
{
    return dims->atoms->len;
}

guint tsr_dims_count(const TsrDims *dims)
{
    return dims->sums->len;
}

const TsrDimSum *tsr_dims_sum(const TsrDims *dims, gint64 extent)
{
    return g_ptr_array_index(dims->sums, (guint)(extent - G_MININT64));
}

const TsrDimAtom *tsr_dims_atom(const TsrDims *dims, guint32 atom)
{
    return g_ptr_array_index(dims->atoms, atom);
}

gint64 tsr_dims_keep(TsrDims *dims, const TsrDimSum *sum)
{
    TsrDimSum *kept;
    guint place;
    if (sum->count == 0)
        return 0;
    if (sum->count == 1 && sum->terms[0].degree == 0)
        return sum->terms[0].factor;
    kept = g_new0(TsrDimSum, 1);
    kept->count = sum->count;
    memcpy(kept->terms, sum->terms, sum->count * sizeof(sum->terms[0]));
    place = GPOINTER_TO_UINT(g_hash_table_lookup(dims->by_sum, kept));
    if (place != 0) {
        g_free(kept);
        return G_MININT64 + place - 1;
    }
    g_ptr_array_add(dims->sums, kept);
    g_hash_table_insert(dims->by_sum, kept, GUINT_TO_POINTER(dims->sums->len));
    return G_MININT64 + dims->sums->len - 1;
}

static guint32 add_atom(TsrDims *dims, guint32 kind, const char *name, gint64 a, gint64 b,
                        gboolean is_nonnegative, guint32 cost)
{
    TsrDimAtom *atom = g_new0(TsrDimAtom, 1);
    *atom = (TsrDimAtom){kind, is_nonnegative, dims->symbols, cost, g_strdup(name), a, b};
    g_ptr_array_add(dims->atoms, atom);
    if (kind == TSR_DIM_SYMBOL) {
        g_hash_table_insert(dims->names, atom->name, GUINT_TO_POINTER(dims->atoms->len));
        dims->symbols++;
    }
    return dims->atoms->len - 1;
}

static guint32 cost_of(const TsrDims *dims, gint64 extent)
{
    guint32 cost = 0;
    if (!TSR_DIM_IS_SYMBOL(extent))
        return 0;
    for (guint32 i = 0; i < tsr_dims_sum(dims, extent)->count; i++) {
        const TsrDimTerm *term = &tsr_dims_sum(dims, extent)->terms[i];
        for (guint32 k = 0; k < term->degree; k++)
            cost += tsr_dims_atom(dims, term->atoms[k])->cost;
    }
    return cost;
}

gboolean tsr_dims_pair(TsrDims *dims, guint32 kind, gint64 a, gint64 b,
                       gboolean is_nonnegative, guint32 *out_atom)
{
    const guint32 cost = 1 + cost_of(dims, a) + cost_of(dims, b);
    for (guint i = 0; i < dims->atoms->len; i++) {
        const TsrDimAtom *atom = tsr_dims_atom(dims, i);
        if (atom->kind == kind && atom->a == a && atom->b == b) {
            *out_atom = i;
            return TRUE;
        }
    }
    if (cost > TSR_DIM_MAX_COST)
        return FALSE;
    *out_atom = add_atom(dims, kind, NULL, a, b, is_nonnegative, cost);
    return TRUE;
}

gboolean tsr_dims_restore_atom(TsrDims *dims, guint32 kind, const char *name, gint64 a, gint64 b)
{
    const guint32 cost = 1 + cost_of(dims, a) + cost_of(dims, b);
    if (cost > TSR_DIM_MAX_COST ||
        (kind == TSR_DIM_SYMBOL && g_hash_table_contains(dims->names, name)))
        return FALSE;
    add_atom(dims, kind, kind == TSR_DIM_SYMBOL ? name : NULL, a, b, kind == TSR_DIM_SYMBOL,
             cost);
    return TRUE;
}

static gint64 extent_of_atom(TsrDims *dims, guint32 atom)
{
    TsrDimSum sum;
    memset(&sum, 0, sizeof(sum));
    sum.count = 1;
    sum.terms[0].factor = 1;
    sum.terms[0].degree = 1;
    sum.terms[0].atoms[0] = atom;
    return tsr_dims_keep(dims, &sum);
}

gint64 tsr_dims_symbol(TsrDims *dims, const char *name)
{
    const guint known = GPOINTER_TO_UINT(g_hash_table_lookup(dims->names, name));
    return extent_of_atom(dims, known != 0 ? known - 1
                                           : add_atom(dims, TSR_DIM_SYMBOL, name, 0, 0, TRUE, 1));
}

guint tsr_dims_symbol_count(const TsrDims *dims)
{
    return dims->symbols;
}

gint tsr_dims_symbol_index(const TsrDims *dims, gint64 extent)
{
    const TsrDimSum *sum;
    const TsrDimAtom *atom;
    if (!TSR_DIM_IS_SYMBOL(extent))
        return -1;
    sum = tsr_dims_sum(dims, extent);
    if (sum->count != 1 || sum->terms[0].degree != 1 || sum->terms[0].factor != 1)
        return -1;
    atom = tsr_dims_atom(dims, sum->terms[0].atoms[0]);
    return atom->kind == TSR_DIM_SYMBOL ? (gint)atom->symbol : -1;
}

gboolean tsr_dims_has(const TsrDims *dims, gint64 extent)
{
    return extent >= TSR_DIM_UNKNOWN ||
           (TSR_DIM_IS_SYMBOL(extent) && (guint64)(extent - G_MININT64) < dims->sums->len);
}

/* ----------------------------------------------------------------- evaluation */

static gboolean eval_atom(const TsrDims *dims, const TsrDimAtom *atom, const gint64 *values,
                          gint64 *out)
{
    gint64 a, b;
    if (atom->kind == TSR_DIM_SYMBOL) {
        *out = values[atom->symbol];
        return *out >= 0;
    }
    if (!tsr_dims_eval(dims, atom->a, values, &a) || !tsr_dims_eval(dims, atom->b, values, &b))
        return FALSE;
    return tsr_dim_combine(atom->kind, a, b, out);
}

gboolean tsr_dims_eval(const TsrDims *dims, gint64 extent, const gint64 *values, gint64 *out)
{
    const TsrDimSum *sum;
    *out = extent;
    if (!TSR_DIM_IS_SYMBOL(extent))
        return TRUE;
    sum = tsr_dims_sum(dims, extent);
    *out = 0;
    for (guint32 i = 0; i < sum->count; i++) {
        gint64 product = sum->terms[i].factor;
        for (guint32 k = 0; k < sum->terms[i].degree; k++) {
            gint64 value;
            if (!eval_atom(dims, tsr_dims_atom(dims, sum->terms[i].atoms[k]), values, &value) ||
                __builtin_mul_overflow(product, value, &product))
                return FALSE;
        }
        if (__builtin_add_overflow(*out, product, out))
            return FALSE;
    }
    return TRUE;
}

/* ----------------------------------------------------------------------- text */

static void print_extent(GString *text, const TsrDims *dims, gint64 extent, gboolean in_product);

static void print_atom(GString *text, const TsrDims *dims, const TsrDimAtom *atom)
{
    if (atom->kind == TSR_DIM_SYMBOL) {
        g_string_append(text, atom->name);
        return;
    }
    g_string_append(text, atom->kind == TSR_DIM_DIV   ? "floor("
                          : atom->kind == TSR_DIM_MIN ? "min("
                                                      : "max(");
    print_extent(text, dims, atom->a, atom->kind == TSR_DIM_DIV);
    g_string_append(text, atom->kind == TSR_DIM_DIV ? "/" : ", ");
    print_extent(text, dims, atom->b, atom->kind == TSR_DIM_DIV);
    g_string_append_c(text, ')');
}

static void print_term(GString *text, const TsrDims *dims, const TsrDimTerm *term,
                       gboolean first)
{
    const gint64 factor = ABS(term->factor);
    g_string_append(text, term->factor < 0 ? first ? "-" : " - " : first ? "" : " + ");
    if (factor != 1 || term->degree == 0)
        g_string_append_printf(text, "%" G_GINT64_FORMAT "%s", factor,
                               term->degree != 0 ? "*" : "");
    for (guint32 k = 0; k < term->degree; k++) {
        g_string_append(text, k != 0 ? "*" : "");
        print_atom(text, dims, tsr_dims_atom(dims, term->atoms[k]));
    }
}

static void print_extent(GString *text, const TsrDims *dims, gint64 extent, gboolean in_product)
{
    const TsrDimSum *sum;
    gboolean brackets;
    gsize begin;
    if (!TSR_DIM_IS_SYMBOL(extent)) {
        g_string_append_printf(text, "%" G_GINT64_FORMAT, extent);
        return;
    }
    sum = tsr_dims_sum(dims, extent);
    brackets = in_product && (sum->count > 1 || sum->terms[0].degree > 1);
    g_string_append(text, brackets ? "(" : "");
    begin = text->len;
    /* What is added first, so that a text begins with a minus only where nothing is. */
    for (guint32 i = 0; i < 2 * sum->count; i++) {
        const TsrDimTerm *term = &sum->terms[i % sum->count];
        if ((term->factor < 0) == (i >= sum->count))
            print_term(text, dims, term, text->len == begin);
    }
    g_string_append(text, brackets ? ")" : "");
}

char *tsr_dims_text(const TsrDims *dims, gint64 extent)
{
    GString *text = g_string_new(NULL);
    print_extent(text, dims, extent, FALSE);
    return g_string_free(text, FALSE);
}
