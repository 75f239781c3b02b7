/* SPDX-License-Identifier: Apache-2.0
 *
 * dims_variant.c: the table of dims.h in a file: its atoms (kind, name, operands) in the order in
 * which they came, then its sums (factor and atoms of each term). A sound table's atoms have
 * operands of older atoms only, so that none holds itself.
 */
#include <string.h>

#include "ir/dims_table.h"

enum { MOST_ENTRIES = 1 << 20 };

static GVariant *sum_variant(const TsrDimSum *sum)
{
    GVariantBuilder terms;
    g_variant_builder_init(&terms, G_VARIANT_TYPE("a(xau)"));
    for (guint32 i = 0; i < sum->count; i++)
        g_variant_builder_add(&terms, "(x@au)", sum->terms[i].factor,
                              g_variant_new_fixed_array(G_VARIANT_TYPE_UINT32,
                                                        sum->terms[i].atoms,
                                                        sum->terms[i].degree, sizeof(guint32)));
    return g_variant_builder_end(&terms);
}

GVariant *tsr_dims_to_variant(const TsrDims *dims)
{
    GVariantBuilder atoms, sums;
    g_variant_builder_init(&atoms, G_VARIANT_TYPE("a(usxx)"));
    g_variant_builder_init(&sums, G_VARIANT_TYPE("aa(xau)"));
    for (guint i = 0; i < tsr_dims_atom_count(dims); i++) {
        const TsrDimAtom *atom = tsr_dims_atom(dims, i);
        g_variant_builder_add(&atoms, "(usxx)", atom->kind, atom->name != NULL ? atom->name : "",
                              atom->a, atom->b);
    }
    for (guint i = 0; i < tsr_dims_count(dims); i++)
        g_variant_builder_add_value(&sums, sum_variant(tsr_dims_sum(dims, G_MININT64 + i)));
    return g_variant_new("(a(usxx)aa(xau))", &atoms, &sums);
}

static gboolean read_sum(GVariant *variant, gsize atom_count, TsrDimSum *out)
{
    memset(out, 0, sizeof(*out));
    if (g_variant_n_children(variant) == 0 || g_variant_n_children(variant) > TSR_DIM_MAX_TERMS)
        return FALSE;
    out->count = (guint32)g_variant_n_children(variant);
    for (guint32 i = 0; i < out->count; i++) {
        g_autoptr(GVariant) list = NULL;
        TsrDimTerm *term = &out->terms[i];
        const guint32 *atoms;
        gsize degree;
        g_variant_get_child(variant, i, "(x@au)", &term->factor, &list);
        atoms = g_variant_get_fixed_array(list, &degree, sizeof(guint32));
        if (degree > TSR_DIM_MAX_DEGREE)
            return FALSE;
        term->degree = (guint32)degree;
        for (gsize k = 0; k < degree; k++) {
            if (atoms[k] >= atom_count)
                return FALSE;
            term->atoms[k] = atoms[k];
        }
    }
    return TRUE;
}

/* Whether the operand is a number, or a sum that is there and has atoms below `before` only. */
static gboolean is_older(const TsrDims *dims, gint64 operand, guint before)
{
    const TsrDimSum *sum;
    if (!TSR_DIM_IS_SYMBOL(operand))
        return TRUE;
    if (!tsr_dims_has(dims, operand))
        return FALSE;
    sum = tsr_dims_sum(dims, operand);
    for (guint32 i = 0; i < sum->count; i++)
        for (guint32 k = 0; k < sum->terms[i].degree; k++)
            if (sum->terms[i].atoms[k] >= before)
                return FALSE;
    return TRUE;
}

TsrDims *tsr_dims_from_variant(GVariant *variant)
{
    g_autoptr(GVariant) atoms = g_variant_get_child_value(variant, 0);
    g_autoptr(GVariant) sums = g_variant_get_child_value(variant, 1);
    g_autoptr(TsrDims) dims = tsr_dims_new();
    const gsize atom_count = g_variant_n_children(atoms), sum_count = g_variant_n_children(sums);
    if (atom_count > MOST_ENTRIES || sum_count > MOST_ENTRIES)
        return NULL;
    for (gsize i = 0; i < sum_count; i++) {
        g_autoptr(GVariant) child = g_variant_get_child_value(sums, i);
        TsrDimSum sum;
        if (!read_sum(child, atom_count, &sum) ||
            tsr_dims_keep(dims, &sum) != G_MININT64 + (gint64)i)
            return NULL;
    }
    for (gsize i = 0; i < atom_count; i++) {
        const char *name;
        guint32 kind;
        gint64 a, b;
        g_variant_get_child(atoms, i, "(u&sxx)", &kind, &name, &a, &b);
        if (kind == TSR_DIM_SYMBOL) {
            if (a != 0 || b != 0)
                return NULL;
        } else if ((kind != TSR_DIM_DIV && kind != TSR_DIM_MIN && kind != TSR_DIM_MAX) ||
                   !is_older(dims, a, (guint)i) || !is_older(dims, b, (guint)i)) {
            return NULL;
        }
        if (!tsr_dims_restore_atom(dims, kind, name, a, b))
            return NULL;
    }
    return g_steal_pointer(&dims);
}
