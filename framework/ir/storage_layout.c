/* SPDX-License-Identifier: Apache-2.0
 *
 * storage_layout.c: see storage_layout.h.
 */
#include "ir/storage_layout.h"

#include <string.h>
#include <tessera/plugin_util.h>

enum { N, C, H, W };

typedef struct Loops {
    TsrStorageLoop *loops;
    guint count;
    gboolean padded;
} Loops;

static void add(Loops *to, guint32 dim, gint64 extent, gint64 step)
{
    TsrStorageLoop *last = to->count > 0 ? &to->loops[to->count - 1] : NULL;
    if (extent == 1)
        return;
    if (last != NULL && last->dim == dim && last->step == extent * step) {
        last->extent *= extent;
        last->step = step;
        return;
    }
    to->loops[to->count++] = (TsrStorageLoop){dim, extent, step};
}

/* The blocks of a dimension that is cut into pieces of `block`. */
static void add_blocks(Loops *to, guint32 dim, gint64 extent, gint64 block)
{
    to->padded |= extent % block != 0;
    add(to, dim, (extent + block - 1) / block, block);
}

/* Which origin dimension each of N, C, H and W is; those that are not there get one that no
 * loop has, since their extent is 1. */
static void name_dims(const TsrTensorDesc *desc, guint32 dims[4])
{
    static const guint8 nchw[4] = {N, C, H, W}, nhwc[4] = {N, H, W, C}, hwcn[4] = {H, W, C, N};
    const guint8 *order = desc->origin_format == TSR_FORMAT_NHWC   ? nhwc
                          : desc->origin_format == TSR_FORMAT_HWCN ? hwcn
                                                                   : nchw;
    const guint32 present = desc->rank == 4 ? 0xf : desc->expand_dims;
    guint32 next = 0;
    for (guint i = 0; i < 4; i++)
        dims[order[i]] = (present >> order[i] & 1) != 0 ? next++ : G_MAXUINT32;
}

static gboolean add_with_meaning(Loops *to, const TsrTensorDesc *desc)
{
    static const guint8 orders[][4] = {{N, C, H, W}, {N, H, W, C}, {H, W, C, N}};
    const guint32 format = desc->storage_format;
    const gint64 c0 = desc->storage_rank > 0 ? desc->storage_shape[desc->storage_rank - 1] : 1;
    gint64 extents[4];
    guint32 dims[4];
    if (!tsr_storage_nchw(desc, extents))
        return FALSE;
    name_dims(desc, dims);
    switch (format) {
    case TSR_FORMAT_NCHW:
    case TSR_FORMAT_NHWC:
    case TSR_FORMAT_HWCN:
        for (guint i = 0; i < 4; i++) {
            const guint8 axis = orders[format - TSR_FORMAT_NCHW][i];
            add(to, dims[axis], extents[axis], 1);
        }
        return TRUE;
    case TSR_FORMAT_NC1HWC0:
        add(to, dims[N], extents[N], 1);
        add_blocks(to, dims[C], extents[C], c0);
        add(to, dims[H], extents[H], 1);
        add(to, dims[W], extents[W], 1);
        add(to, dims[C], c0, 1);
        return TRUE;
    case TSR_FORMAT_FRACTAL_Z:
        add_blocks(to, dims[C], extents[C], c0);
        add(to, dims[H], extents[H], 1);
        add(to, dims[W], extents[W], 1);
        add_blocks(to, dims[N], extents[N], TSR_FRACTAL_ROWS);
        add(to, dims[N], TSR_FRACTAL_ROWS, 1);
        add(to, dims[C], c0, 1);
        return TRUE;
    default:
        return FALSE;
    }
}

guint tsr_storage_loops(const TsrTensorDesc *desc, TsrStorageLoop loops[TSR_STORAGE_LOOPS],
                        gboolean *out_padded)
{
    Loops to = {loops, 0, FALSE};
    const guint32 rank = desc->rank;
    gboolean done = TRUE;
    if (desc->storage_format == desc->origin_format) {
        for (guint32 i = 0; i < rank; i++)
            add(&to, i, desc->shape[i], 1);
    } else if (desc->storage_format == TSR_FORMAT_FRACTAL_NZ && rank >= 2) {
        const gint64 c0 = desc->storage_shape[desc->storage_rank - 1];
        for (guint32 i = 0; i + 2 < rank; i++)
            add(&to, i, desc->shape[i], 1);
        add_blocks(&to, rank - 1, desc->shape[rank - 1], c0);
        add_blocks(&to, rank - 2, desc->shape[rank - 2], TSR_FRACTAL_ROWS);
        add(&to, rank - 2, TSR_FRACTAL_ROWS, 1);
        add(&to, rank - 1, c0, 1);
    } else {
        done = add_with_meaning(&to, desc);
    }
    *out_padded = to.padded;
    return done ? to.count : G_MAXUINT;
}

static gboolean same_loops(const TsrStorageLoop *a, const TsrStorageLoop *b, guint count)
{
    for (guint i = 0; i < count; i++)
        if (a[i].dim != b[i].dim || a[i].extent != b[i].extent || a[i].step != b[i].step)
            return FALSE;
    return TRUE;
}

gboolean tsr_storage_same_bytes(const TsrTensorDesc *a, const TsrTensorDesc *b)
{
    TsrStorageLoop first[TSR_STORAGE_LOOPS], second[TSR_STORAGE_LOOPS];
    gboolean padded;
    guint count;
    if (a->dtype != b->dtype || a->rank != b->rank || a->origin_format != b->origin_format ||
        !tsr_desc_is_static(a) || !tsr_desc_is_static(b) ||
        memcmp(a->shape, b->shape, a->rank * sizeof(*a->shape)) != 0)
        return FALSE;
    if (a->storage_format == b->storage_format)
        return TRUE;
    count = tsr_storage_loops(a, first, &padded);
    return count != G_MAXUINT && count == tsr_storage_loops(b, second, &padded) &&
           same_loops(first, second, count);
}
