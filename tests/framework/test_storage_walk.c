/* SPDX-License-Identifier: Apache-2.0
 *
 * test_storage_walk.c: every blocked storage read back, for each order of the origin and with
 * missing axes. Storages are filled here from the definitions in types.h, block by block, which
 * is not how the walk goes.
 */
#include <tessera/plugin_util.h>

#include "fixture.h"
#include "ir/storage_walk.h"

#define PADDING 65535

typedef struct Case {
    guint32 origin_format, storage_format, rank, expand_dims;
    gint64 shape[5];
    gint64 c0;
} Case;

/* Where N, C, H, W stand in the origin; -1 missing. */
static void axes_of(const Case *row, int *axes)
{
    static const int orders[3][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {3, 2, 0, 1}};
    int next = 0;
    for (int i = 0; i < 4; i++)
        if (row->rank == 4)
            axes[i] = orders[row->origin_format - TSR_FORMAT_NCHW][i];
        else
            axes[i] = (row->expand_dims >> i & 1) != 0 ? next++ : -1;
}

/* The number of the origin element with these N, C, H, W. */
static guint16 number(const Case *row, const int *axes, const gint64 *nchw)
{
    gint64 index[4] = {0}, flat = 0;
    for (int i = 0; i < 4; i++)
        if (axes[i] >= 0)
            index[axes[i]] = nchw[i];
    for (guint32 i = 0; i < row->rank; i++)
        flat = flat * row->shape[i] + index[i];
    return (guint16)flat;
}

/* Fills by walking the storage in its own order; returns its elements. */
static gsize fill_blocked(const Case *row, guint16 *out, gint64 *shape, guint32 *out_rank)
{
    int axes[4];
    gint64 e[4], c1, n1, at[4];
    gsize k = 0;
    axes_of(row, axes);
    for (int i = 0; i < 4; i++)
        e[i] = axes[i] >= 0 ? row->shape[axes[i]] : 1;
    c1 = (e[1] + row->c0 - 1) / row->c0;
    n1 = (e[0] + 15) / 16;
#define EACH(variable, count) for (gint64 variable = 0; variable < (count); variable++)
#define PUT(n, c, h, w, there)                                                      \
    do {                                                                            \
        at[0] = (n), at[1] = (c), at[2] = (h), at[3] = (w);                         \
        out[k++] = (n) < e[0] && (c) < e[1] && (there) ? number(row, axes, at) : PADDING; \
    } while (0)
    if (row->storage_format == TSR_FORMAT_NC1HWC0) {
        const gint64 s[] = {e[0], c1, e[2], e[3], row->c0};
        memcpy(shape, s, sizeof(s));
        *out_rank = 5;
        EACH(n, e[0]) EACH(b, c1) EACH(h, e[2]) EACH(w, e[3]) EACH(c, row->c0)
            PUT(n, b * row->c0 + c, h, w, TRUE);
    } else if (row->storage_format == TSR_FORMAT_FRACTAL_Z) {
        const gint64 s[] = {c1 * e[2] * e[3], n1, 16, row->c0};
        memcpy(shape, s, sizeof(s));
        *out_rank = 4;
        EACH(b, c1) EACH(h, e[2]) EACH(w, e[3]) EACH(m, n1) EACH(n, 16) EACH(c, row->c0)
            PUT(m * 16 + n, b * row->c0 + c, h, w, TRUE);
    } else {
        const gint64 s[] = {c1, e[2], e[3], e[0], row->c0, row->c0};
        memcpy(shape, s, sizeof(s));
        *out_rank = 6;
        EACH(b, c1) EACH(h, e[2]) EACH(w, e[3]) EACH(n, e[0]) EACH(o, row->c0) EACH(c, row->c0)
            PUT(n, b * row->c0 + c, h, w, o == c);
    }
    return k;
}

static gsize fill_matrix(const Case *row, guint16 *out, gint64 *shape, guint32 *out_rank)
{
    gint64 batch = 1, rows = row->shape[row->rank - 2], columns = row->shape[row->rank - 1];
    gint64 n1 = (columns + row->c0 - 1) / row->c0, m1 = (rows + 15) / 16;
    gsize k = 0;
    for (guint32 i = 0; i + 2 < row->rank; i++) {
        shape[i] = row->shape[i];
        batch *= row->shape[i];
    }
    shape[row->rank - 2] = n1;
    shape[row->rank - 1] = m1;
    shape[row->rank] = 16;
    shape[row->rank + 1] = row->c0;
    *out_rank = row->rank + 2;
    EACH(b, batch) EACH(j, n1) EACH(i, m1) EACH(r, 16) EACH(c, row->c0) {
        gint64 y = i * 16 + r, x = j * row->c0 + c;
        out[k++] = y < rows && x < columns ? (guint16)((b * rows + y) * columns + x) : PADDING;
    }
    return k;
}

static const Case cases[] = {
    {TSR_FORMAT_NCHW, TSR_FORMAT_NC1HWC0, 4, 0, {2, 19, 3, 5}, 16},
    {TSR_FORMAT_NHWC, TSR_FORMAT_NC1HWC0, 4, 0, {2, 3, 5, 19}, 16},
    {TSR_FORMAT_HWCN, TSR_FORMAT_NC1HWC0, 4, 0, {3, 5, 19, 2}, 8},
    {TSR_FORMAT_NCHW, TSR_FORMAT_FRACTAL_Z, 4, 0, {18, 19, 3, 2}, 16},
    {TSR_FORMAT_HWCN, TSR_FORMAT_FRACTAL_Z, 4, 0, {3, 2, 19, 18}, 16},
    {TSR_FORMAT_NCHW, TSR_FORMAT_C1HWNCOC0, 4, 0, {3, 10, 2, 3}, 4},
    {TSR_FORMAT_NHWC, TSR_FORMAT_C1HWNCOC0, 4, 0, {3, 2, 3, 10}, 4},
    {TSR_FORMAT_NCHW, TSR_FORMAT_NC1HWC0, 3, 1 | 2 | 8, {2, 19, 5}, 16},
    {TSR_FORMAT_NCHW, TSR_FORMAT_NC1HWC0, 3, 2 | 4 | 8, {19, 1, 1}, 16},
    {TSR_FORMAT_NCHW, TSR_FORMAT_NC1HWC0, 1, 2, {19}, 16},
    {TSR_FORMAT_NCHW, TSR_FORMAT_NC1HWC0, 2, 1 | 2, {3, 19}, 16},
    {TSR_FORMAT_NCHW, TSR_FORMAT_FRACTAL_Z, 3, 1 | 2 | 8, {18, 19, 3}, 16},
    {TSR_FORMAT_ND, TSR_FORMAT_FRACTAL_NZ, 2, 0, {17, 33}, 16},
    {TSR_FORMAT_ND, TSR_FORMAT_FRACTAL_NZ, 4, 0, {2, 3, 5, 7}, 16},
    {TSR_FORMAT_NCHW, TSR_FORMAT_FRACTAL_NZ, 4, 0, {2, 2, 16, 16}, 16},
};

static void describe(const Case *row, TsrDesc *desc, guint32 storage_rank, const gint64 *storage)
{
    tsr_desc_init(desc);
    tsr_desc_set(desc, TSR_DTYPE_UINT16, row->rank, row->shape);
    desc->view.origin_format = row->origin_format;
    desc->view.expand_dims = row->expand_dims;
    desc->view.storage_format = row->storage_format;
    desc->view.storage_rank = storage_rank;
    memcpy(desc->storage_shape, storage, storage_rank * sizeof(gint64));
}

START_TEST(reads_back_what_was_stored)
{
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        const Case *row = &cases[i];
        guint16 stored[20000], origin[3000];
        gint64 shape[8], count = tsr_shape_elements(row->rank, row->shape);
        guint32 rank;
        gsize size = row->storage_format == TSR_FORMAT_FRACTAL_NZ
                         ? fill_matrix(row, stored, shape, &rank)
                         : fill_blocked(row, stored, shape, &rank);
        TsrDesc desc;
        GError *error = NULL;
        describe(row, &desc, rank, shape);
        memset(origin, 0xff, sizeof(origin));
        ck_assert_msg(tsr_storage_to_origin(&desc.view, stored, size * 2, origin, &error),
                      "case %zu: %s", i, error != NULL ? error->message : "");
        for (gint64 k = 0; k < count; k++)
            ck_assert_msg(origin[k] == k, "case %zu: element %d is %u", i, (int)k, origin[k]);
        ck_assert_uint_eq(origin[count], PADDING);
        /* A storage of another size, or that the shape does not make. */
        ck_assert(!tsr_storage_to_origin(&desc.view, stored, size * 2 - 2, origin, &error));
        ck_error(error, TSR_UNSUPPORTED, "cannot be read back from");
        desc.storage_shape[0]++;
        ck_assert(!tsr_storage_to_origin(&desc.view, stored, size * 2, origin, &error));
        g_clear_error(&error);
    }
}
END_TEST

START_TEST(plain_is_copied)
{
    const guint8 packed[] = {0x21, 0x43, 0x05};
    guint8 out[4] = {0xff, 0xff, 0xff, 0xff};
    TsrDesc desc;
    GError *error = NULL;
    tsr_desc_init(&desc);
    tsr_desc_set(&desc, TSR_DTYPE_INT4, SHAPE(5));
    ck_assert(tsr_storage_to_origin(&desc.view, packed, 3, out, &error));
    ck_assert_mem_eq(out, packed, 3);
    ck_assert_uint_eq(out[3], 0xff);
    ck_assert(!tsr_storage_to_origin(&desc.view, packed, 4, out, &error));
    ck_error(error, TSR_UNSUPPORTED, "[5]");
    tsr_desc_set(&desc, TSR_DTYPE_FLOAT, SHAPE(-1));
    ck_assert(!tsr_storage_to_origin(&desc.view, packed, 4, out, &error));
    ck_error(error, TSR_UNSUPPORTED, "cannot be read back");
}
END_TEST

/* The rule of missing axes has to name as many as there are, and the origin to mean something. */
START_TEST(meaning_is_needed)
{
    guint16 stored[4000] = {0}, origin[400];
    const gint64 storage[] = {2, 2, 1, 5, 16};
    Case row = {TSR_FORMAT_ND, TSR_FORMAT_NC1HWC0, 4, 0, {2, 19, 1, 5}, 16};
    TsrDesc desc;
    GError *error = NULL;
    describe(&row, &desc, 5, storage);
    ck_assert(!tsr_storage_to_origin(&desc.view, stored, 320 * 2, origin, &error));
    ck_error(error, TSR_UNSUPPORTED, "ND[2,19,1,5]");
    row = (Case){TSR_FORMAT_NCHW, TSR_FORMAT_NC1HWC0, 3, 1 | 2, {2, 19, 5}, 16};
    describe(&row, &desc, 5, storage);
    ck_assert(!tsr_storage_to_origin(&desc.view, stored, 320 * 2, origin, &error));
    ck_error(error, TSR_UNSUPPORTED, "NCHW[2,19,5]");
}
END_TEST

FIXTURE_MAIN("storage_walk", reads_back_what_was_stored, plain_is_copied, meaning_is_needed)
