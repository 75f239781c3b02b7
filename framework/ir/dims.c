/* SPDX-License-Identifier: Apache-2.0
 *
 * dims.c: the algebra of dims.h; dims_table.c keeps, prints, evaluates and stores.
 * Sums are polynomials with integer factors over atoms; floor takes out what divides:
 * floor((2h - 2)/2) is h - 1.
 */
#include "ir/dims.h"

#include <stdlib.h>
#include <string.h>
#include <tessera/plugin_util.h>

#include "ir/dims_table.h"

enum { NESTED_CHOICES = 3 };

#define LIMIT (G_GINT64_CONSTANT(1) << 56)

static gboolean in_range(gint64 number)
{
    return number > -LIMIT && number < LIMIT;
}

static gint compare_products(const TsrDimTerm *a, const TsrDimTerm *b)
{
    /* Higher degrees first: "h*w + h + 1" reads as people write it. */
    if (a->degree != b->degree)
        return a->degree > b->degree ? -1 : 1;
    return memcmp(a->atoms, b->atoms, a->degree * sizeof(a->atoms[0]));
}

/* Adds a term to a sum in order; terms that cancel go. */
static gboolean add_term(TsrDimSum *sum, const TsrDimTerm *term)
{
    guint32 at = 0;
    while (at < sum->count && compare_products(&sum->terms[at], term) < 0)
        at++;
    if (at < sum->count && compare_products(&sum->terms[at], term) == 0) {
        sum->terms[at].factor += term->factor;
        if (!in_range(sum->terms[at].factor))
            return FALSE;
        if (sum->terms[at].factor == 0) {
            sum->count--;
            memmove(&sum->terms[at], &sum->terms[at + 1],
                    (sum->count - at) * sizeof(sum->terms[0]));
        }
        return TRUE;
    }
    if (sum->count == TSR_DIM_MAX_TERMS)
        return FALSE;
    memmove(&sum->terms[at + 1], &sum->terms[at], (sum->count - at) * sizeof(sum->terms[0]));
    sum->terms[at] = *term;
    sum->count++;
    return TRUE;
}

static TsrDimSum sum_of_number(gint64 number)
{
    TsrDimSum sum;
    memset(&sum, 0, sizeof(sum));
    sum.count = number != 0;
    sum.terms[0].factor = number;
    return sum;
}

static TsrDimSum sum_of(const TsrDims *dims, gint64 extent)
{
    return TSR_DIM_IS_SYMBOL(extent) ? *tsr_dims_sum(dims, extent) : sum_of_number(extent);
}

static TsrDimSum sum_of_atom(guint32 atom)
{
    TsrDimSum sum = sum_of_number(1);
    sum.terms[0].degree = 1;
    sum.terms[0].atoms[0] = atom;
    return sum;
}

static gboolean is_number(const TsrDimSum *sum, gint64 *out)
{
    *out = sum->count == 0 ? 0 : sum->terms[0].factor;
    return sum->count == 0 || (sum->count == 1 && sum->terms[0].degree == 0);
}

static gboolean add(TsrDimSum *sum, const TsrDimSum *other, gint64 sign)
{
    for (guint32 i = 0; i < other->count; i++) {
        TsrDimTerm term = other->terms[i];
        term.factor *= sign;
        if (!add_term(sum, &term))
            return FALSE;
    }
    return TRUE;
}

static gint compare_atoms(gconstpointer a, gconstpointer b)
{
    /* By memcmp, as compare_products does. */
    return memcmp(a, b, sizeof(guint32));
}

static gboolean multiply_terms(const TsrDimTerm *a, const TsrDimTerm *b, TsrDimTerm *out)
{
    memset(out, 0, sizeof(*out));
    if (a->degree + b->degree > TSR_DIM_MAX_DEGREE ||
        __builtin_mul_overflow(a->factor, b->factor, &out->factor) || !in_range(out->factor))
        return FALSE;
    out->degree = a->degree + b->degree;
    memcpy(out->atoms, a->atoms, a->degree * sizeof(out->atoms[0]));
    memcpy(out->atoms + a->degree, b->atoms, b->degree * sizeof(out->atoms[0]));
    qsort(out->atoms, out->degree, sizeof(out->atoms[0]), compare_atoms);
    return TRUE;
}

static gboolean multiply(const TsrDimSum *a, const TsrDimSum *b, TsrDimSum *out)
{
    *out = sum_of_number(0);
    for (guint32 i = 0; i < a->count; i++) {
        for (guint32 k = 0; k < b->count; k++) {
            TsrDimTerm term;
            if (!multiply_terms(&a->terms[i], &b->terms[k], &term) || !add_term(out, &term))
                return FALSE;
        }
    }
    return TRUE;
}

/* term / by where that leaves a product of atoms. */
static gboolean divide_term(const TsrDimTerm *term, const TsrDimTerm *by, TsrDimTerm *out)
{
    guint32 left = 0;
    if (by->factor == 0 || term->factor % by->factor != 0)
        return FALSE;
    memset(out, 0, sizeof(*out));
    out->factor = term->factor / by->factor;
    for (guint32 i = 0; i < term->degree; i++) {
        if (left < by->degree && term->atoms[i] == by->atoms[left])
            left++;
        else
            out->atoms[out->degree++] = term->atoms[i];
    }
    return left == by->degree;
}

/* The largest number that the sum is known to reach always, atoms being at least 0. */
static gboolean least(const TsrDims *dims, const TsrDimSum *sum, gint64 *out)
{
    *out = 0;
    for (guint32 i = 0; i < sum->count; i++) {
        const TsrDimTerm *term = &sum->terms[i];
        if (term->degree == 0)
            *out = term->factor;
        else if (term->factor < 0)
            return FALSE;
        for (guint32 k = 0; k < term->degree; k++)
            if (!tsr_dims_atom(dims, term->atoms[k])->is_nonnegative)
                return FALSE;
    }
    return TRUE;
}

/* Whether a sum is known to be at least 0 always. What is subtracted as the smaller of two, or
 * added as the larger, may be either of them instead, which leaves no more: h - min(h, 4) as
 * h - h. */
static gboolean is_nonnegative(const TsrDims *dims, const TsrDimSum *sum, guint depth)
{
    gint64 low;
    if (least(dims, sum, &low))
        return low >= 0;
    for (guint32 i = 0; depth > 0 && i < sum->count; i++) {
        const TsrDimTerm *term = &sum->terms[i];
        const TsrDimAtom *atom = term->degree == 1 ? tsr_dims_atom(dims, term->atoms[0]) : NULL;
        if (atom == NULL || atom->kind != (term->factor < 0 ? TSR_DIM_MIN : TSR_DIM_MAX))
            continue;
        for (guint k = 0; k < 2; k++) {
            TsrDimSum factor = sum_of_number(term->factor), without = *sum, product;
            const TsrDimSum operand = sum_of(dims, k == 0 ? atom->a : atom->b);
            const TsrDimTerm minus = {-term->factor, 1, {term->atoms[0]}};
            if (multiply(&factor, &operand, &product) && add_term(&without, &minus) &&
                add(&without, &product, 1) && is_nonnegative(dims, &without, depth - 1))
                return TRUE;
        }
    }
    return FALSE;
}

/* An atom of two sums; whether it is at least 0 follows from theirs. */
static gboolean pair(TsrDims *dims, guint32 kind, const TsrDimSum *a, const TsrDimSum *b,
                     TsrDimSum *out)
{
    const gboolean nonnegative_a = is_nonnegative(dims, a, NESTED_CHOICES);
    const gboolean nonnegative_b = is_nonnegative(dims, b, NESTED_CHOICES);
    const gboolean nonnegative =
        kind == TSR_DIM_MAX ? nonnegative_a || nonnegative_b : nonnegative_a && nonnegative_b;
    gint64 left = tsr_dims_keep(dims, a), right = tsr_dims_keep(dims, b);
    guint32 atom;
    if (kind != TSR_DIM_DIV && left > right) { /* either order is the same; numbers last */
        const gint64 swap = left;
        left = right;
        right = swap;
    }
    if (!tsr_dims_pair(dims, kind, left, right, nonnegative, &atom))
        return FALSE;
    *out = sum_of_atom(atom);
    return TRUE;
}

/* floor(a / b): what b divides term by term comes out as it is, the rest stays an atom. */
static gboolean divide(TsrDims *dims, const TsrDimSum *a, const TsrDimSum *b, TsrDimSum *out)
{
    TsrDimSum rest = sum_of_number(0), bottom;
    gint64 top, under, number;
    *out = sum_of_number(0);
    if (b->count == 0)
        return FALSE;
    if (a->count == b->count && memcmp(a->terms, b->terms, a->count * sizeof(a->terms[0])) == 0) {
        *out = sum_of_number(1);
        return TRUE;
    }
    for (guint32 i = 0; i < a->count; i++) {
        TsrDimTerm part;
        const gboolean divides = b->count == 1 && divide_term(&a->terms[i], &b->terms[0], &part);
        if (!add_term(divides ? out : &rest, divides ? &part : &a->terms[i]))
            return FALSE;
    }
    if (rest.count == 0)
        return TRUE;
    if (is_number(&rest, &top) && is_number(b, &under)) {
        if (!tsr_dim_combine(TSR_DIM_DIV, top, under, &number))
            return FALSE;
        bottom = sum_of_number(number);
        return add(out, &bottom, 1);
    }
    return pair(dims, TSR_DIM_DIV, &rest, b, &bottom) && add(out, &bottom, 1);
}

/* The smaller or the larger of two, where algebra can tell; else an atom. */
static gboolean choose(TsrDims *dims, guint32 op, const TsrDimSum *a, const TsrDimSum *b,
                       TsrDimSum *out)
{
    TsrDimSum a_less_b = *a, b_less_a = *b;
    if (add(&a_less_b, b, -1) && is_nonnegative(dims, &a_less_b, NESTED_CHOICES))
        *out = op == TSR_DIM_MAX ? *a : *b;
    else if (add(&b_less_a, a, -1) && is_nonnegative(dims, &b_less_a, NESTED_CHOICES))
        *out = op == TSR_DIM_MAX ? *b : *a;
    else
        return pair(dims, op, a, b, out);
    return TRUE;
}

gboolean tsr_dims_apply(TsrDims *dims, guint32 op, gint64 a, gint64 b, gint64 *out)
{
    TsrDimSum result, left, right;
    gboolean done;
    if ((!TSR_DIM_IS_SYMBOL(a) && !in_range(a)) || (!TSR_DIM_IS_SYMBOL(b) && !in_range(b)))
        return FALSE;
    left = sum_of(dims, a);
    right = sum_of(dims, b);
    result = left;
    switch (op) {
    case TSR_DIM_ADD: done = add(&result, &right, 1); break;
    case TSR_DIM_SUB: done = add(&result, &right, -1); break;
    case TSR_DIM_MUL: done = multiply(&left, &right, &result); break;
    case TSR_DIM_DIV: done = divide(dims, &left, &right, &result); break;
    case TSR_DIM_MIN:
    case TSR_DIM_MAX: done = choose(dims, op, &left, &right, &result); break;
    default: done = FALSE; break;
    }
    if (!done)
        return FALSE;
    *out = tsr_dims_keep(dims, &result);
    return TRUE;
}
