/* SPDX-License-Identifier: Apache-2.0
 *
 * test_storage.c: the table of storage rules, for every pair of origin and storage format,
 * every rank and element type. What is wanted is spelt out as a text per format and
 * evaluated here, apart from the code that is tested.
 */
#include <tessera/plugin_util.h>

#include "fixture.h"
#include "ir/storage_layout.h"

static const guint32 origins[] = {TSR_FORMAT_ND,    TSR_FORMAT_NCHW,  TSR_FORMAT_NHWC,
                                  TSR_FORMAT_HWCN,  TSR_FORMAT_NCDHW, TSR_FORMAT_NDHWC};

/* c is ceil(C / C0), n is ceil(N / 16), 0 is C0, 6 is 16; letters side by side multiply. */
static const struct {
    guint32 format;
    const char *stored;
} meanings[] = {
    {TSR_FORMAT_NCHW, "N C H W"},          {TSR_FORMAT_NHWC, "N H W C"},
    {TSR_FORMAT_HWCN, "H W C N"},          {TSR_FORMAT_NC1HWC0, "N c H W 0"},
    {TSR_FORMAT_FRACTAL_Z, "cHW n 6 0"},   {TSR_FORMAT_C1HWNCOC0, "c H W N 0 0"},
};

static const gint64 extents[] = {5, 17, 3, 2}; /* N, C, H, W where they are there */

static gint64 extent_of(char letter, guint32 present, gint64 c0)
{
    const char *place = strchr("NCHW", letter);
    gint64 channels = (present & TSR_EXPAND_C) != 0 ? extents[1] : 1;
    gint64 batch = (present & TSR_EXPAND_N) != 0 ? extents[0] : 1;
    if (place != NULL)
        return (present >> (place - "NCHW") & 1) != 0 ? extents[place - "NCHW"] : 1;
    return letter == 'c'   ? (channels + c0 - 1) / c0
           : letter == 'n' ? (batch + 15) / 16
           : letter == '0' ? c0
                           : 16;
}

static void ck_stored(const TsrDesc *desc, const char *text, guint32 present, gint64 c0)
{
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    ck_assert_uint_eq(desc->view.storage_rank, g_strv_length(words));
    for (guint i = 0; words[i] != NULL; i++) {
        gint64 wanted = 1;
        for (const char *letter = words[i]; *letter != '\0'; letter++)
            wanted *= extent_of(*letter, present, c0);
        ck_assert_msg(desc->view.storage_shape[i] == wanted, "%s, axes %x: [%u] is %d, wanted %d",
                      text, present, i, (int)desc->view.storage_shape[i], (int)wanted);
    }
}

/* A desc of that origin format with the axes of `present` only. */
static void make(TsrDesc *desc, guint32 dtype, guint32 origin, guint32 present)
{
    static const char *const orders[] = {
        [TSR_FORMAT_NCHW] = "NCHW", [TSR_FORMAT_NHWC] = "NHWC", [TSR_FORMAT_HWCN] = "HWCN"};
    gint64 shape[4];
    guint32 rank = 0;
    for (const char *letter = orders[origin]; *letter != '\0'; letter++) {
        gsize axis = (gsize)(strchr("NCHW", *letter) - "NCHW");
        if ((present >> axis & 1) != 0)
            shape[rank++] = extents[axis];
    }
    tsr_desc_init(desc);
    desc->view.origin_format = origin;
    tsr_desc_set(desc, dtype, rank, shape);
    desc->view.expand_dims = rank == 4 ? 0 : present;
}

static gboolean can_block(guint32 dtype)
{
    return tsr_dtype_bits(dtype) >= 8 && dtype != TSR_DTYPE_STRING;
}

START_TEST(formats_with_meaning)
{
    static const gint64 c0s[] = {16, 8, 1};
    guint checked = 0;
    for (guint32 dtype = 1; dtype < TSR_DTYPE_COUNT; dtype++)
        for (guint o = 1; o < 4; o++)
            for (guint32 present = 0; present < 16; present++)
                for (gsize m = 0; m < G_N_ELEMENTS(meanings); m++)
                    for (gsize k = 0; k < G_N_ELEMENTS(c0s); k++) {
                        const guint32 format = meanings[m].format;
                        guint64 bytes, elements = 1;
                        TsrDesc desc;
                        make(&desc, dtype, origins[o], present);
                        if (format == origins[o])
                            continue;
                        ck_assert_int_eq(tsr_desc_set_storage(&desc, format, (guint32)c0s[k]),
                                         can_block(dtype) && present != 0);
                        if (!can_block(dtype) || present == 0) {
                            ck_assert_uint_eq(desc.view.storage_format, origins[o]);
                            continue;
                        }
                        ck_stored(&desc, meanings[m].stored, present, c0s[k]);
                        for (guint32 i = 0; i < desc.view.storage_rank; i++)
                            elements *= (guint64)desc.view.storage_shape[i];
                        ck_assert(tsr_desc_storage_bytes(&desc.view, &bytes));
                        ck_assert_uint_eq(bytes, elements * tsr_dtype_bits(dtype) / 8);
                        checked++;
                    }
    ck_assert_uint_gt(checked, 10000);
}
END_TEST

START_TEST(fractal_nz_at_every_rank)
{
    for (guint o = 0; o < G_N_ELEMENTS(origins); o++)
        for (guint32 rank = 0; rank <= TSR_MAX_RANK; rank++) {
            gint64 shape[TSR_MAX_RANK];
            TsrDesc desc;
            for (guint32 i = 0; i < rank; i++)
                shape[i] = i + 2 == rank ? 33 : i + 1 == rank ? 17 : 1 + i % 3;
            tsr_desc_init(&desc);
            desc.view.origin_format = origins[o];
            tsr_desc_set(&desc, TSR_DTYPE_FLOAT16, rank, shape);
            ck_assert_int_eq(tsr_desc_set_storage(&desc, TSR_FORMAT_FRACTAL_NZ, 16),
                             rank >= 2 && rank <= TSR_MAX_RANK - 2);
            if (rank < 2 || rank > TSR_MAX_RANK - 2)
                continue;
            ck_assert_uint_eq(desc.view.storage_rank, rank + 2);
            for (guint32 i = 0; i + 2 < rank; i++)
                ck_assert_int_eq(desc.view.storage_shape[i], shape[i]);
            ck_assert_int_eq(desc.view.storage_shape[rank - 2], 2);
            ck_assert_int_eq(desc.view.storage_shape[rank - 1], 3);
            ck_assert_int_eq(desc.view.storage_shape[rank], 16);
            ck_assert_int_eq(desc.view.storage_shape[rank + 1], 16);
            /* The origin is as it was: a storage shape alone would not tell it. */
            ck_assert_uint_eq(desc.view.rank, rank);
            ck_assert(memcmp(desc.view.shape, shape, rank * sizeof(gint64)) == 0);
        }
}
END_TEST

START_TEST(without_meaning)
{
    static const guint32 meaningless[] = {TSR_FORMAT_ND, TSR_FORMAT_NCDHW, TSR_FORMAT_NDHWC};
    for (gsize o = 0; o < G_N_ELEMENTS(meaningless); o++)
        for (gsize m = 0; m < G_N_ELEMENTS(meanings); m++)
            for (guint32 rank = 0; rank <= 6; rank++) {
                static const gint64 shape[] = {2, 3, 4, 5, 6, 7};
                TsrDesc desc;
                tsr_desc_init(&desc);
                desc.view.origin_format = meaningless[o];
                tsr_desc_set(&desc, TSR_DTYPE_FLOAT, rank, shape);
                ck_assert(!tsr_desc_set_storage(&desc, meanings[m].format, 16));
                ck_assert_uint_eq(desc.view.storage_format, meaningless[o]);
                ck_assert_uint_eq(desc.view.storage_rank, rank);
            }
}
END_TEST

/* A rule that does not have as many axes as the tensor dimensions is none. */
START_TEST(rule_must_fit_the_rank)
{
    static const gint64 shape[] = {2, 3, 4};
    for (guint32 present = 0; present < 16; present++) {
        gint64 nchw[4];
        TsrDesc desc;
        tsr_desc_init(&desc);
        desc.view.origin_format = TSR_FORMAT_NCHW;
        tsr_desc_set(&desc, TSR_DTYPE_FLOAT, 3, shape);
        desc.view.expand_dims = present;
        ck_assert_int_eq(tsr_storage_nchw(&desc.view, nchw), __builtin_popcount(present) == 3);
        ck_assert_int_eq(tsr_desc_set_storage(&desc, TSR_FORMAT_NC1HWC0, 16),
                         __builtin_popcount(present) == 3);
    }
}
END_TEST

START_TEST(names)
{
    for (gsize m = 0; m < G_N_ELEMENTS(meanings); m++)
        ck_assert_uint_eq(tsr_format_from_name(tsr_format_name(meanings[m].format)),
                          meanings[m].format);
    ck_assert_uint_eq(tsr_format_from_name("nc1hwc0"), TSR_FORMAT_NC1HWC0);
    ck_assert_uint_eq(tsr_format_from_name("NCWH"), G_MAXUINT32);
}
END_TEST

/* Which pairs are the same bytes: counted by placing every element, not by the loops. */
static gint64 place(const TsrTensorDesc *d, const gint64 *nchw)
{
    const gint64 *s = d->storage_shape, n = nchw[0], c = nchw[1], h = nchw[2], w = nchw[3];
    const gint64 *e = d->shape; /* the tests below have NCHW origins */
    switch (d->storage_format) {
    case TSR_FORMAT_NHWC: return ((n * e[2] + h) * e[3] + w) * e[1] + c;
    case TSR_FORMAT_HWCN: return ((h * e[3] + w) * e[1] + c) * e[0] + n;
    case TSR_FORMAT_NC1HWC0:
        return (((n * s[1] + c / 16) * s[2] + h) * s[3] + w) * 16 + c % 16;
    case TSR_FORMAT_FRACTAL_Z:
        return ((((c / 16 * e[2] + h) * e[3] + w) * s[1] + n / 16) * 16 + n % 16) * 16 + c % 16;
    case TSR_FORMAT_FRACTAL_NZ:
        return ((((n * e[1] + c) * s[2] + w / 16) * s[3] + h / 16) * 16 + h % 16) * 16 + w % 16;
    default: return ((n * e[1] + c) * e[2] + h) * e[3] + w;
    }
}

static gboolean same_places(const TsrTensorDesc *a, const TsrTensorDesc *b)
{
    guint64 bytes_a, bytes_b;
    gint64 at[4];
    ck_assert(tsr_desc_storage_bytes(a, &bytes_a) && tsr_desc_storage_bytes(b, &bytes_b));
    if (bytes_a != bytes_b)
        return FALSE;
    for (at[0] = 0; at[0] < a->shape[0]; at[0]++)
        for (at[1] = 0; at[1] < a->shape[1]; at[1]++)
            for (at[2] = 0; at[2] < a->shape[2]; at[2]++)
                for (at[3] = 0; at[3] < a->shape[3]; at[3]++)
                    if (place(a, at) != place(b, at))
                        return FALSE;
    return TRUE;
}

START_TEST(same_bytes)
{
    static const guint32 formats[] = {TSR_FORMAT_NCHW,      TSR_FORMAT_NHWC,
                                      TSR_FORMAT_HWCN,      TSR_FORMAT_NC1HWC0,
                                      TSR_FORMAT_FRACTAL_Z, TSR_FORMAT_FRACTAL_NZ};
    static const gint64 sizes[] = {1, 2, 16, 32, 17};
    guint same = 0, other = 0;
    for (guint i = 0; i < 625; i++) {
        const gint64 shape[] = {sizes[i % 5], sizes[i / 5 % 5], sizes[i / 25 % 5],
                                sizes[i / 125]};
        for (guint f = 0; f < 36; f++) {
            TsrDesc a, b;
            gboolean found, padded;
            guint64 bytes;
            tsr_desc_init(&a);
            a.view.origin_format = TSR_FORMAT_NCHW;
            tsr_desc_set(&a, TSR_DTYPE_FLOAT, 4, shape);
            tsr_desc_init(&b);
            b.view.origin_format = TSR_FORMAT_NCHW;
            tsr_desc_copy(&b, &a.view);
            ck_assert(tsr_desc_set_storage(&a, formats[f / 6], 16));
            ck_assert(tsr_desc_set_storage(&b, formats[f % 6], 16));
            found = tsr_storage_same_bytes(&a.view, &b.view);
            ck_assert(tsr_desc_storage_bytes(&a.view, &bytes));
            /* A lone element in padding lies the same by chance, which need not be found. */
            padded = (gint64)bytes != 4 * shape[0] * shape[1] * shape[2] * shape[3];
            if (padded && !found)
                continue;
            ck_assert_msg(found == same_places(&a.view, &b.view), "%s and %s of [%d,%d,%d,%d]: %d",
                          tsr_format_name(formats[f / 6]), tsr_format_name(formats[f % 6]),
                          (int)shape[0], (int)shape[1], (int)shape[2], (int)shape[3], found);
            *(found ? &same : &other) += 1;
        }
    }
    ck_assert_uint_gt(same, 1000);
    ck_assert_uint_gt(other, 1000);
}
END_TEST

FIXTURE_MAIN("storage", formats_with_meaning, fractal_nz_at_every_rank, without_meaning,
             rule_must_fit_the_rank, same_bytes, names)
