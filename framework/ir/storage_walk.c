/* SPDX-License-Identifier: Apache-2.0
 *
 * storage_walk.c: see storage_walk.h. One walk over the origin's elements serves all formats:
 * each has a rule for where an element lies, by its N, C, H, W or by its last two axes.
 */
#include "ir/storage_walk.h"

#include <string.h>
#include <tessera/plugin_util.h>

#include "base/error.h"

typedef struct Walk {
    const TsrTensorDesc *desc;
    guint32 axes[4];    /* origin axis of N, C, H, W; rank where it is missing */
    gint64 extents[4];  /* of N, C, H, W; 1 where missing */
} Walk;

/* Which origin axis is N, C, H and W, missing ones by the expand rule. */
static gboolean find_axes(Walk *walk)
{
    static const guint32 nchw[4] = {0, 1, 2, 3}, nhwc[4] = {0, 3, 1, 2}, hwcn[4] = {3, 2, 0, 1};
    static const guint32 bits[4] = {TSR_EXPAND_N, TSR_EXPAND_C, TSR_EXPAND_H, TSR_EXPAND_W};
    const TsrTensorDesc *desc = walk->desc;
    guint32 next = 0;
    if (desc->rank == 4) {
        const guint32 *order = desc->origin_format == TSR_FORMAT_NCHW   ? nchw
                               : desc->origin_format == TSR_FORMAT_NHWC ? nhwc
                               : desc->origin_format == TSR_FORMAT_HWCN ? hwcn
                                                                        : NULL;
        if (order == NULL)
            return FALSE;
        memcpy(walk->axes, order, sizeof(walk->axes));
    } else {
        if (desc->origin_format != TSR_FORMAT_NCHW)
            return FALSE;
        for (guint i = 0; i < 4; i++)
            walk->axes[i] = (desc->expand_dims & bits[i]) != 0 ? next++ : desc->rank;
        if (next != desc->rank)
            return FALSE;
    }
    for (guint i = 0; i < 4; i++)
        walk->extents[i] = walk->axes[i] < desc->rank ? desc->shape[walk->axes[i]] : 1;
    return TRUE;
}

static gint64 coordinate(const Walk *walk, const gint64 *index, guint which)
{
    return walk->axes[which] < walk->desc->rank ? index[walk->axes[which]] : 0;
}

static gint64 nc1hwc0_offset(const Walk *walk, const gint64 *index)
{
    const gint64 *s = walk->desc->storage_shape;
    gint64 n = coordinate(walk, index, 0), c = coordinate(walk, index, 1);
    gint64 h = coordinate(walk, index, 2), w = coordinate(walk, index, 3);
    return (((n * s[1] + c / s[4]) * s[2] + h) * s[3] + w) * s[4] + c % s[4];
}

static gint64 fractal_z_offset(const Walk *walk, const gint64 *index)
{
    const gint64 *s = walk->desc->storage_shape;
    gint64 n = coordinate(walk, index, 0), c = coordinate(walk, index, 1);
    gint64 h = coordinate(walk, index, 2), w = coordinate(walk, index, 3);
    gint64 row = (c / s[3] * walk->extents[2] + h) * walk->extents[3] + w;
    return ((row * s[1] + n / s[2]) * s[2] + n % s[2]) * s[3] + c % s[3];
}

/* Weights of depthwise convolutions: in a block they lie on the diagonal of Co and C0. */
static gint64 c1hwncoc0_offset(const Walk *walk, const gint64 *index)
{
    const gint64 *s = walk->desc->storage_shape;
    gint64 n = coordinate(walk, index, 0), c = coordinate(walk, index, 1);
    gint64 h = coordinate(walk, index, 2), w = coordinate(walk, index, 3);
    return ((((c / s[5] * s[1] + h) * s[2] + w) * s[3] + n) * s[4] + c % s[4]) * s[5] +
           c % s[5];
}

static gint64 fractal_nz_offset(const Walk *walk, const gint64 *index)
{
    guint32 rank = walk->desc->rank;
    const gint64 *s = walk->desc->storage_shape + rank - 2;
    gint64 row = index[rank - 2], column = index[rank - 1], batch = 0;
    for (guint32 i = 0; i + 2 < rank; i++)
        batch = batch * walk->desc->shape[i] + index[i];
    return (((batch * s[0] + column / s[3]) * s[1] + row / s[2]) * s[2] + row % s[2]) * s[3] +
           column % s[3];
}

/* The plain orders, where the origin has another one. */
static gint64 ordered_offset(const Walk *walk, const gint64 *index, const guint8 order[4])
{
    gint64 offset = 0;
    for (guint i = 0; i < 4; i++)
        offset = offset * walk->extents[order[i]] + coordinate(walk, index, order[i]);
    return offset;
}

static const guint8 nchw_order[4] = {0, 1, 2, 3}, nhwc_order[4] = {0, 2, 3, 1},
                    hwcn_order[4] = {2, 3, 1, 0};

static gint64 nchw_offset(const Walk *walk, const gint64 *index)
{
    return ordered_offset(walk, index, nchw_order);
}

static gint64 nhwc_offset(const Walk *walk, const gint64 *index)
{
    return ordered_offset(walk, index, nhwc_order);
}

static gint64 hwcn_offset(const Walk *walk, const gint64 *index)
{
    return ordered_offset(walk, index, hwcn_order);
}

static gboolean same_elements(const Walk *walk)
{
    return tsr_desc_storage_elements(walk->desc) == tsr_desc_elements(walk->desc);
}

static gint64 blocks(gint64 extent, gint64 block)
{
    return (extent + block - 1) / block;
}

static gboolean nc1hwc0_fits(const Walk *walk)
{
    const gint64 *s = walk->desc->storage_shape, *e = walk->extents;
    return s[4] > 0 && s[0] == e[0] && s[1] == blocks(e[1], s[4]) && s[2] == e[2] &&
           s[3] == e[3];
}

static gboolean fractal_z_fits(const Walk *walk)
{
    const gint64 *s = walk->desc->storage_shape, *e = walk->extents;
    return s[2] > 0 && s[3] > 0 && s[0] == blocks(e[1], s[3]) * e[2] * e[3] &&
           s[1] == blocks(e[0], s[2]);
}

static gboolean c1hwncoc0_fits(const Walk *walk)
{
    const gint64 *s = walk->desc->storage_shape, *e = walk->extents;
    return s[5] > 0 && s[4] == s[5] && s[0] == blocks(e[1], s[5]) && s[1] == e[2] &&
           s[2] == e[3] && s[3] == e[0];
}

static gboolean fractal_nz_fits(const Walk *walk)
{
    const TsrTensorDesc *desc = walk->desc;
    guint32 rank = desc->rank;
    const gint64 *s;
    if (rank < 2 || desc->storage_rank != rank + 2)
        return FALSE;
    s = desc->storage_shape + rank - 2;
    for (guint32 i = 0; i + 2 < rank; i++)
        if (desc->storage_shape[i] != desc->shape[i])
            return FALSE;
    return s[2] > 0 && s[3] > 0 && s[0] == blocks(desc->shape[rank - 1], s[3]) &&
           s[1] == blocks(desc->shape[rank - 2], s[2]);
}

static const struct {
    guint32 format;
    guint32 storage_rank; /* 0: the fits slot looks at it */
    gboolean needs_meaning;
    gboolean (*fits)(const Walk *walk);
    gint64 (*offset)(const Walk *walk, const gint64 *index);
} rules[] = {
    {TSR_FORMAT_NCHW, 4, TRUE, same_elements, nchw_offset},
    {TSR_FORMAT_NHWC, 4, TRUE, same_elements, nhwc_offset},
    {TSR_FORMAT_HWCN, 4, TRUE, same_elements, hwcn_offset},
    {TSR_FORMAT_NC1HWC0, 5, TRUE, nc1hwc0_fits, nc1hwc0_offset},
    {TSR_FORMAT_FRACTAL_Z, 4, TRUE, fractal_z_fits, fractal_z_offset},
    {TSR_FORMAT_C1HWNCOC0, 6, TRUE, c1hwncoc0_fits, c1hwncoc0_offset},
    {TSR_FORMAT_FRACTAL_NZ, 0, FALSE, fractal_nz_fits, fractal_nz_offset},
};

static gboolean unfit(const TsrTensorDesc *desc, GError **error)
{
    char shape[TSR_MAX_RANK * 24], storage[TSR_MAX_RANK * 24];
    g_set_error(error, TSR_ERROR, TSR_UNSUPPORTED, "%s%s cannot be read back from %s%s",
                tsr_format_name(desc->origin_format),
                tsr_shape_text(desc->rank, desc->shape, shape, sizeof(shape)),
                tsr_format_name(desc->storage_format),
                tsr_shape_text(desc->storage_rank, desc->storage_shape, storage,
                               sizeof(storage)));
    return FALSE;
}

/* Steps to the next element in the order of the origin shape. */
static void advance(const TsrTensorDesc *desc, gint64 *index)
{
    for (guint32 axis = desc->rank; axis-- > 0;) {
        if (++index[axis] < desc->shape[axis])
            return;
        index[axis] = 0;
    }
}

/* Copies every element between the storage and the origin's order. */
static gboolean walk_elements(const TsrTensorDesc *desc, guint8 *storage, gsize size_bytes,
                              guint8 *origin, gboolean to_storage, GError **error)
{
    Walk walk = {.desc = desc};
    gsize width = tsr_dtype_bits(desc->dtype) / 8;
    gint64 count, index[TSR_MAX_RANK] = {0};
    guint row = 0;
    if (!tsr_desc_is_static(desc))
        return unfit(desc, error);
    count = tsr_desc_elements(desc);
    if (desc->storage_format == desc->origin_format || desc->storage_format == TSR_FORMAT_ND) {
        if (tsr_dtype_bytes(desc->dtype, (guint64)count) != size_bytes)
            return unfit(desc, error);
        if (size_bytes != 0)
            memcpy(to_storage ? storage : origin, to_storage ? origin : storage, size_bytes);
        return TRUE;
    }
    while (row < G_N_ELEMENTS(rules) && rules[row].format != desc->storage_format)
        row++;
    if (row == G_N_ELEMENTS(rules) || width == 0 ||
        (rules[row].needs_meaning && !find_axes(&walk)) ||
        (rules[row].storage_rank != 0 && rules[row].storage_rank != desc->storage_rank) ||
        !rules[row].fits(&walk) ||
        (guint64)tsr_desc_storage_elements(desc) * width != size_bytes)
        return unfit(desc, error);
    for (gint64 i = 0; i < count; i++) {
        guint8 *stored = storage + (gsize)rules[row].offset(&walk, index) * width;
        guint8 *meant = origin + (gsize)i * width;
        memcpy(to_storage ? stored : meant, to_storage ? meant : stored, width);
        advance(desc, index);
    }
    return TRUE;
}

gboolean tsr_storage_to_origin(const TsrTensorDesc *desc, gconstpointer storage,
                               gsize size_bytes, gpointer origin, GError **error)
{
    return walk_elements(desc, (guint8 *)storage, size_bytes, origin, FALSE, error);
}

gboolean tsr_storage_from_origin(const TsrTensorDesc *desc, gconstpointer origin,
                                 gpointer storage, gsize size_bytes, GError **error)
{
    if (size_bytes != 0)
        memset(storage, 0, size_bytes);
    return walk_elements(desc, storage, size_bytes, (guint8 *)origin, TRUE, error);
}
