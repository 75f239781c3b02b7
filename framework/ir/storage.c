/* SPDX-License-Identifier: Apache-2.0
 *
 * storage.c: see storage.h. Formats as Ascend's documents describe them: NC1HWC0 splits C
 * into blocks of C0; FRACTAL_Z puts the weights of a convolution into fractals of 16 x C0;
 * FRACTAL_NZ does so with the last two dimensions of any tensor, column blocks first;
 * C1HWNCoC0 holds depthwise weights, on the diagonal of Co and C0.
 */
#include "ir/storage.h"

#include <string.h>
#include <tessera/plugin_util.h>

enum { N, C, H, W };

/* The order in which a format lists N, C, H and W. */
typedef struct AxisOrder {
    guint32 format;
    guint8 axes[4];
} AxisOrder;

static const AxisOrder orders[] = {
    {TSR_FORMAT_NCHW, {N, C, H, W}},
    {TSR_FORMAT_NHWC, {N, H, W, C}},
    {TSR_FORMAT_HWCN, {H, W, C, N}},
};

static const AxisOrder *find_order(guint32 format)
{
    for (gsize i = 0; i < G_N_ELEMENTS(orders); i++)
        if (orders[i].format == format)
            return &orders[i];
    return NULL;
}

gboolean tsr_storage_nchw(const TsrTensorDesc *desc, gint64 extents[4])
{
    const AxisOrder *order = find_order(desc->origin_format);
    guint32 present = desc->rank == 4 ? 0xf : desc->expand_dims, next = 0;
    if (order == NULL || desc->rank == 0 || desc->rank > 4 ||
        (guint32)__builtin_popcount(present & 0xf) != desc->rank)
        return FALSE;
    for (guint i = 0; i < 4; i++)
        extents[order->axes[i]] = (present >> order->axes[i] & 1) != 0 ? desc->shape[next++] : 1;
    return TRUE;
}

static gint64 blocks(gint64 extent, gint64 block)
{
    return extent / block + (extent % block != 0);
}

/* A rule writes the storage shape and returns its rank. Of a rule with meaning, shape is
 * N, C, H, W; of the others it is the origin shape. */
static guint32 store_nchw(guint32 rank, const gint64 *shape, gint64 c0, gint64 *out)
{
    (void)rank;
    (void)c0;
    memcpy(out, shape, 4 * sizeof(*out));
    return 4;
}

static guint32 store_nhwc(guint32 rank, const gint64 *shape, gint64 c0, gint64 *out)
{
    const gint64 stored[] = {shape[N], shape[H], shape[W], shape[C]};
    (void)rank;
    (void)c0;
    memcpy(out, stored, sizeof(stored));
    return 4;
}

static guint32 store_hwcn(guint32 rank, const gint64 *shape, gint64 c0, gint64 *out)
{
    const gint64 stored[] = {shape[H], shape[W], shape[C], shape[N]};
    (void)rank;
    (void)c0;
    memcpy(out, stored, sizeof(stored));
    return 4;
}

static guint32 store_nc1hwc0(guint32 rank, const gint64 *shape, gint64 c0, gint64 *out)
{
    const gint64 stored[] = {shape[N], blocks(shape[C], c0), shape[H], shape[W], c0};
    (void)rank;
    memcpy(out, stored, sizeof(stored));
    return 5;
}

static guint32 store_fractal_z(guint32 rank, const gint64 *shape, gint64 c0, gint64 *out)
{
    gint64 rows;
    (void)rank;
    if (__builtin_mul_overflow(blocks(shape[C], c0), shape[H], &rows) ||
        __builtin_mul_overflow(rows, shape[W], &rows))
        return 0;
    out[0] = rows;
    out[1] = blocks(shape[N], TSR_FRACTAL_ROWS);
    out[2] = TSR_FRACTAL_ROWS;
    out[3] = c0;
    return 4;
}

static guint32 store_c1hwncoc0(guint32 rank, const gint64 *shape, gint64 c0, gint64 *out)
{
    const gint64 stored[] = {blocks(shape[C], c0), shape[H], shape[W], shape[N], c0, c0};
    (void)rank;
    memcpy(out, stored, sizeof(stored));
    return 6;
}

static guint32 store_fractal_nz(guint32 rank, const gint64 *shape, gint64 c0, gint64 *out)
{
    if (rank < 2 || rank + 2 > TSR_MAX_RANK)
        return 0;
    memcpy(out, shape, (rank - 2) * sizeof(*out));
    out[rank - 2] = blocks(shape[rank - 1], c0);
    out[rank - 1] = blocks(shape[rank - 2], TSR_FRACTAL_ROWS);
    out[rank] = TSR_FRACTAL_ROWS;
    out[rank + 1] = c0;
    return rank + 2;
}

typedef struct StorageRule {
    guint32 format;
    gboolean needs_meaning; /* the origin format must say which axis is C */
    guint32 (*store)(guint32 rank, const gint64 *shape, gint64 c0, gint64 *out);
} StorageRule;

static const StorageRule rules[] = {
    {TSR_FORMAT_NCHW, TRUE, store_nchw},
    {TSR_FORMAT_NHWC, TRUE, store_nhwc},
    {TSR_FORMAT_HWCN, TRUE, store_hwcn},
    {TSR_FORMAT_NC1HWC0, TRUE, store_nc1hwc0},
    {TSR_FORMAT_FRACTAL_Z, TRUE, store_fractal_z},
    {TSR_FORMAT_FRACTAL_NZ, FALSE, store_fractal_nz},
    {TSR_FORMAT_C1HWNCOC0, TRUE, store_c1hwncoc0},
};

static gboolean set_plain(TsrDesc *desc)
{
    desc->view.storage_format = desc->view.origin_format;
    desc->view.storage_rank = desc->view.rank;
    if (desc->view.rank != TSR_RANK_UNKNOWN)
        memcpy(desc->storage_shape, desc->shape, desc->view.rank * sizeof(gint64));
    return TRUE;
}

gboolean tsr_desc_set_storage(TsrDesc *desc, guint32 format, guint32 c0_lanes)
{
    const guint32 dtype = desc->view.dtype;
    gint64 meaning[4];
    if (format == desc->view.origin_format || format == TSR_FORMAT_ND)
        return set_plain(desc);
    if (!tsr_desc_is_static(&desc->view) || tsr_dtype_bits(dtype) < 8 ||
        dtype == TSR_DTYPE_STRING || c0_lanes == 0)
        return FALSE;
    for (gsize i = 0; i < G_N_ELEMENTS(rules); i++) {
        guint32 rank;
        if (rules[i].format != format)
            continue;
        if (rules[i].needs_meaning && !tsr_storage_nchw(&desc->view, meaning))
            return FALSE;
        rank = rules[i].store(desc->view.rank, rules[i].needs_meaning ? meaning : desc->shape,
                              c0_lanes, desc->storage_shape);
        if (rank == 0)
            return FALSE;
        desc->view.storage_format = format;
        desc->view.storage_rank = rank;
        return TRUE;
    }
    return FALSE;
}

guint32 tsr_format_from_name(const char *name)
{
    static const guint32 all[] = {
        TSR_FORMAT_ND, TSR_FORMAT_NCHW, TSR_FORMAT_NHWC, TSR_FORMAT_HWCN, TSR_FORMAT_NCDHW,
        TSR_FORMAT_NDHWC, TSR_FORMAT_NC1HWC0, TSR_FORMAT_FRACTAL_Z, TSR_FORMAT_FRACTAL_NZ,
        TSR_FORMAT_C1HWNCOC0,
    };
    for (gsize i = 0; i < G_N_ELEMENTS(all); i++)
        if (g_ascii_strcasecmp(name, tsr_format_name(all[i])) == 0)
            return all[i];
    return G_MAXUINT32;
}
