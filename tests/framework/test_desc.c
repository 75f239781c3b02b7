/* SPDX-License-Identifier: Apache-2.0
 *
 * test_desc.c: tensor descriptors: storage shapes, sizes, agreement, text.
 */
#include "fixture.h"
#include "ir/storage.h"

static void set(TsrDesc *desc, guint32 dtype, guint32 origin, guint32 rank, const gint64 *shape)
{
    tsr_desc_init(desc);
    desc->view.origin_format = origin;
    tsr_desc_set(desc, dtype, rank, shape);
}

static void ck_storage(const TsrDesc *desc, guint32 rank, const gint64 *shape)
{
    ck_assert_uint_eq(desc->view.storage_rank, rank);
    for (guint32 i = 0; i < rank; i++)
        ck_assert_msg(desc->view.storage_shape[i] == shape[i],
                      "storage dimension %u: %" G_GINT64_FORMAT ", wanted %" G_GINT64_FORMAT, i,
                      desc->view.storage_shape[i], shape[i]);
}

/* One row per rule; C0 is 16 for every element type. */
START_TEST(storage_shapes)
{
    static const struct {
        guint32 dtype, origin;
        gint64 shape[4];
        guint32 format, rank;
        gint64 stored[6];
    } rows[] = {
        {TSR_DTYPE_FLOAT, TSR_FORMAT_NCHW, {2, 17, 5, 7}, TSR_FORMAT_NC1HWC0, 5, {2, 2, 5, 7, 16}},
        {TSR_DTYPE_FLOAT, TSR_FORMAT_NHWC, {2, 5, 7, 17}, TSR_FORMAT_NC1HWC0, 5, {2, 2, 5, 7, 16}},
        {TSR_DTYPE_FLOAT, TSR_FORMAT_NCHW, {2, 16, 5, 7}, TSR_FORMAT_NC1HWC0, 5, {2, 1, 5, 7, 16}},
        {TSR_DTYPE_FLOAT16, TSR_FORMAT_NCHW, {1, 33, 1, 1}, TSR_FORMAT_NC1HWC0, 5,
         {1, 3, 1, 1, 16}},
        {TSR_DTYPE_INT8, TSR_FORMAT_NCHW, {1, 64, 1, 1}, TSR_FORMAT_NC1HWC0, 5, {1, 4, 1, 1, 16}},
        {TSR_DTYPE_FLOAT, TSR_FORMAT_NCHW, {18, 17, 3, 2}, TSR_FORMAT_FRACTAL_Z, 4,
         {12, 2, 16, 16}},
        {TSR_DTYPE_FLOAT, TSR_FORMAT_HWCN, {3, 2, 17, 18}, TSR_FORMAT_FRACTAL_Z, 4,
         {12, 2, 16, 16}},
        {TSR_DTYPE_FLOAT, TSR_FORMAT_NCHW, {18, 17, 3, 2}, TSR_FORMAT_C1HWNCOC0, 6,
         {2, 3, 2, 18, 16, 16}},
        {TSR_DTYPE_FLOAT, TSR_FORMAT_NCHW, {0, 17, 5, 7}, TSR_FORMAT_NC1HWC0, 5, {0, 2, 5, 7, 16}},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
        TsrDesc desc;
        set(&desc, rows[i].dtype, rows[i].origin, 4, rows[i].shape);
        ck_assert_msg(tsr_desc_set_storage(&desc, rows[i].format, 16), "row %zu", i);
        ck_assert_uint_eq(desc.view.storage_format, rows[i].format);
        ck_storage(&desc, rows[i].rank, rows[i].stored);
    }
}
END_TEST

START_TEST(storage_fractal_nz)
{
    TsrDesc desc;
    set(&desc, TSR_DTYPE_FLOAT, TSR_FORMAT_ND, SHAPE(3, 17, 33));
    ck_assert(tsr_desc_set_storage(&desc, TSR_FORMAT_FRACTAL_NZ, 16));
    ck_storage(&desc, SHAPE(3, 3, 2, 16, 16));
    /* Back to plain. */
    ck_assert(tsr_desc_set_storage(&desc, TSR_FORMAT_ND, 16));
    ck_storage(&desc, SHAPE(3, 17, 33));
    ck_assert_uint_eq(desc.view.storage_format, TSR_FORMAT_ND);
}
END_TEST

START_TEST(storage_refused)
{
    TsrDesc desc;
    set(&desc, TSR_DTYPE_FLOAT, TSR_FORMAT_ND, SHAPE(1, 2, 3, 4)); /* which axis is C? */
    ck_assert(!tsr_desc_set_storage(&desc, TSR_FORMAT_NC1HWC0, 16));
    ck_assert_uint_eq(desc.view.storage_format, TSR_FORMAT_ND);
    set(&desc, TSR_DTYPE_FLOAT, TSR_FORMAT_NCHW, SHAPE(1, -1, 3, 4));
    ck_assert(!tsr_desc_set_storage(&desc, TSR_FORMAT_NC1HWC0, 16));
    set(&desc, TSR_DTYPE_FLOAT, TSR_FORMAT_NCHW, SHAPE(1, 2, 3));
    ck_assert(!tsr_desc_set_storage(&desc, TSR_FORMAT_FRACTAL_Z, 16));
    set(&desc, TSR_DTYPE_FLOAT, TSR_FORMAT_ND, SHAPE(5));
    ck_assert(!tsr_desc_set_storage(&desc, TSR_FORMAT_FRACTAL_NZ, 16));
    set(&desc, TSR_DTYPE_INT4, TSR_FORMAT_NCHW, SHAPE(1, 2, 3, 4));
    ck_assert(!tsr_desc_set_storage(&desc, TSR_FORMAT_NC1HWC0, 16));
    set(&desc, TSR_DTYPE_FLOAT, TSR_FORMAT_NCHW, SHAPE(1, 2, 3, 4));
    ck_assert(!tsr_desc_set_storage(&desc, 99, 16));
    ck_storage(&desc, SHAPE(1, 2, 3, 4));
}
END_TEST

START_TEST(sizes)
{
    TsrDesc desc;
    guint64 bytes = 1;
    set(&desc, TSR_DTYPE_FLOAT, TSR_FORMAT_ND, 0, NULL);
    ck_assert(tsr_desc_storage_bytes(&desc.view, &bytes));
    ck_assert_uint_eq(bytes, 4);
    set(&desc, TSR_DTYPE_INT4, TSR_FORMAT_ND, SHAPE(5));
    ck_assert(tsr_desc_storage_bytes(&desc.view, &bytes));
    ck_assert_uint_eq(bytes, 3);
    set(&desc, TSR_DTYPE_INT2, TSR_FORMAT_ND, SHAPE(5));
    ck_assert(tsr_desc_storage_bytes(&desc.view, &bytes));
    ck_assert_uint_eq(bytes, 2);
    set(&desc, TSR_DTYPE_FLOAT, TSR_FORMAT_ND, SHAPE(3, 0, 2));
    ck_assert(tsr_desc_storage_bytes(&desc.view, &bytes));
    ck_assert_uint_eq(bytes, 0);
    set(&desc, TSR_DTYPE_FLOAT, TSR_FORMAT_NCHW, SHAPE(1, 17, 2, 2));
    ck_assert(tsr_desc_set_storage(&desc, TSR_FORMAT_NC1HWC0, 16));
    ck_assert(tsr_desc_storage_bytes(&desc.view, &bytes));
    ck_assert_uint_eq(bytes, 2 * 4 * 16 * 4);
    bytes = 77;
    set(&desc, TSR_DTYPE_FLOAT, TSR_FORMAT_ND, SHAPE(-1));
    ck_assert(!tsr_desc_storage_bytes(&desc.view, &bytes));
    set(&desc, TSR_DTYPE_FLOAT, TSR_FORMAT_ND, TSR_RANK_UNKNOWN, NULL);
    ck_assert(!tsr_desc_storage_bytes(&desc.view, &bytes));
    set(&desc, TSR_DTYPE_FLOAT, TSR_FORMAT_ND, SHAPE(G_MAXINT64, 2));
    ck_assert(!tsr_desc_storage_bytes(&desc.view, &bytes));
    set(&desc, TSR_DTYPE_DOUBLE, TSR_FORMAT_ND, SHAPE(G_MAXINT64 / 8));
    ck_assert(!tsr_desc_storage_bytes(&desc.view, &bytes));
    ck_assert_uint_eq(bytes, 77);
}
END_TEST

START_TEST(agreement)
{
    TsrDesc a, b;
    set(&a, TSR_DTYPE_FLOAT, TSR_FORMAT_ND, SHAPE(2, -1));
    set(&b, TSR_DTYPE_FLOAT, TSR_FORMAT_ND, SHAPE(2, 7));
    ck_assert(tsr_desc_compatible(&a.view, &b.view));
    set(&b, TSR_DTYPE_FLOAT, TSR_FORMAT_ND, SHAPE(3, 7));
    ck_assert(!tsr_desc_compatible(&a.view, &b.view));
    set(&b, TSR_DTYPE_FLOAT, TSR_FORMAT_ND, SHAPE(2));
    ck_assert(!tsr_desc_compatible(&a.view, &b.view));
    set(&b, TSR_DTYPE_INT32, TSR_FORMAT_ND, SHAPE(2, 7));
    ck_assert(!tsr_desc_compatible(&a.view, &b.view));
    set(&b, TSR_DTYPE_UNDEFINED, TSR_FORMAT_ND, TSR_RANK_UNKNOWN, NULL);
    ck_assert(tsr_desc_compatible(&a.view, &b.view));
}
END_TEST

START_TEST(copy_keeps_the_name)
{
    TsrDesc a, b;
    set(&a, TSR_DTYPE_FLOAT, TSR_FORMAT_NCHW, SHAPE(1, 17, 2, 2));
    ck_assert(tsr_desc_set_storage(&a, TSR_FORMAT_NC1HWC0, 16));
    a.view.name = "a";
    tsr_desc_init(&b);
    b.view.name = "b";
    tsr_desc_copy(&b, &a.view);
    ck_assert_str_eq(b.view.name, "b");
    ck_assert_ptr_eq(b.view.shape, b.shape);
    ck_assert_ptr_eq(b.view.storage_shape, b.storage_shape);
    ck_storage(&b, SHAPE(1, 2, 2, 2, 16));
}
END_TEST

START_TEST(text)
{
    TsrDesc desc;
    char *got;
    set(&desc, TSR_DTYPE_FLOAT16, TSR_FORMAT_NCHW, SHAPE(1, 3, -1, 2));
    got = tsr_desc_to_text(&desc.view);
    ck_assert_str_eq(got, "float16[1,3,?,2]");
    g_free(got);
    set(&desc, TSR_DTYPE_FLOAT, TSR_FORMAT_NCHW, SHAPE(1, 3, 2, 2));
    ck_assert(tsr_desc_set_storage(&desc, TSR_FORMAT_NC1HWC0, 16));
    got = tsr_desc_to_text(&desc.view);
    ck_assert_str_eq(got, "float[1,3,2,2] NC1HWC0");
    g_free(got);
    set(&desc, TSR_DTYPE_BOOL, TSR_FORMAT_ND, TSR_RANK_UNKNOWN, NULL);
    got = tsr_desc_to_text(&desc.view);
    ck_assert_str_eq(got, "bool[..]");
    g_free(got);
}
END_TEST

FIXTURE_MAIN("desc", storage_shapes, storage_fractal_nz, storage_refused, sizes, agreement,
             copy_keeps_the_name, text)
