/* SPDX-License-Identifier: Apache-2.0
 *
 * desc.c: tensor descriptors and the table of storage shapes.
 */
#include "ir/desc.h"

#include <string.h>
#include <tessera/plugin_util.h>

void tsr_desc_init(TsrDesc *desc)
{
    memset(desc, 0, sizeof(*desc));
    desc->view.struct_size = sizeof(desc->view);
    desc->view.rank = TSR_RANK_UNKNOWN;
    desc->view.storage_rank = TSR_RANK_UNKNOWN;
    desc->view.shape = desc->shape;
    desc->view.storage_shape = desc->storage_shape;
    desc->view.name = "";
}

static void copy_shape(gint64 *target, guint32 rank, const gint64 *source)
{
    if (rank != TSR_RANK_UNKNOWN && rank != 0)
        memmove(target, source, rank * sizeof(gint64));
}

void tsr_desc_copy(TsrDesc *target, const TsrTensorDesc *source)
{
    const char *name = target->view.name;
    copy_shape(target->shape, source->rank, source->shape);
    copy_shape(target->storage_shape, source->storage_rank, source->storage_shape);
    target->view.dtype = source->dtype;
    target->view.origin_format = source->origin_format;
    target->view.storage_format = source->storage_format;
    target->view.rank = source->rank;
    target->view.storage_rank = source->storage_rank;
    target->view.struct_size = sizeof(target->view);
    target->view.kind = source->kind;
    target->view.key_dtype = source->key_dtype;
    target->view.shape = target->shape;
    target->view.storage_shape = target->storage_shape;
    target->view.name = name != NULL ? name : "";
    tsr_desc_set_max(target, source->max_shape);
}

void tsr_desc_set_max(TsrDesc *desc, const gint64 *max_shape)
{
    desc->view.max_shape = NULL;
    if (max_shape == NULL || desc->view.rank == TSR_RANK_UNKNOWN)
        return;
    copy_shape(desc->max_shape, desc->view.rank, max_shape);
    desc->view.max_shape = desc->max_shape;
}

void tsr_desc_set(TsrDesc *desc, guint32 dtype, guint32 rank, const gint64 *shape)
{
    desc->view.kind = TSR_KIND_TENSOR;
    desc->view.max_shape = NULL;
    desc->view.dtype = dtype;
    desc->view.rank = rank;
    desc->view.storage_rank = rank;
    desc->view.storage_format = desc->view.origin_format;
    copy_shape(desc->shape, rank, shape);
    copy_shape(desc->storage_shape, rank, desc->shape);
}

static gint64 blocks(gint64 extent, gint64 block)
{
    return (extent + block - 1) / block;
}

/* How a storage format lays out an origin shape: one row per pair. A rule gets
 * the shape in NCHW order of its meaning where the origin format has one. */
static guint32 store_nc1hwc0(guint32 rank, const gint64 *nchw, gint64 c0, gint64 *out)
{
    if (rank != 4)
        return 0;
    out[0] = nchw[0];
    out[1] = blocks(nchw[1], c0);
    out[2] = nchw[2];
    out[3] = nchw[3];
    out[4] = c0;
    return 5;
}

static guint32 store_fractal_z(guint32 rank, const gint64 *nchw, gint64 c0, gint64 *out)
{
    if (rank != 4)
        return 0;
    out[0] = blocks(nchw[1], c0) * nchw[2] * nchw[3];
    out[1] = blocks(nchw[0], 16);
    out[2] = 16;
    out[3] = c0;
    return 4;
}

static guint32 store_c1hwncoc0(guint32 rank, const gint64 *nchw, gint64 c0, gint64 *out)
{
    if (rank != 4)
        return 0;
    out[0] = blocks(nchw[1], c0);
    out[1] = nchw[2];
    out[2] = nchw[3];
    out[3] = nchw[0];
    out[4] = c0;
    out[5] = c0;
    return 6;
}

static guint32 store_fractal_nz(guint32 rank, const gint64 *shape, gint64 c0, gint64 *out)
{
    if (rank < 2 || rank + 2 > TSR_MAX_RANK)
        return 0;
    for (guint32 i = 0; i + 2 < rank; i++)
        out[i] = shape[i];
    out[rank - 2] = blocks(shape[rank - 1], c0);
    out[rank - 1] = blocks(shape[rank - 2], 16);
    out[rank] = 16;
    out[rank + 1] = c0;
    return rank + 2;
}

typedef struct StorageRule {
    guint32 format;
    gboolean needs_meaning; /* the origin format must say which axis is C */
    guint32 (*store)(guint32 rank, const gint64 *shape, gint64 c0, gint64 *out);
} StorageRule;

static const StorageRule storage_rules[] = {
    {TSR_FORMAT_NC1HWC0, TRUE, store_nc1hwc0},
    {TSR_FORMAT_FRACTAL_Z, TRUE, store_fractal_z},
    {TSR_FORMAT_C1HWNCOC0, TRUE, store_c1hwncoc0},
    {TSR_FORMAT_FRACTAL_NZ, FALSE, store_fractal_nz},
};

/* Axes of N, C, H, W in a 4-D origin format; FALSE when it gives them no meaning. */
static gboolean nchw_axes(guint32 format, guint32 axes[4])
{
    static const guint32 nchw[4] = {0, 1, 2, 3}, nhwc[4] = {0, 3, 1, 2}, hwcn[4] = {3, 2, 0, 1};
    const guint32 *found = format == TSR_FORMAT_NCHW   ? nchw
                           : format == TSR_FORMAT_NHWC ? nhwc
                           : format == TSR_FORMAT_HWCN ? hwcn
                                                       : NULL;
    if (found != NULL)
        memcpy(axes, found, 4 * sizeof(*axes));
    return found != NULL;
}

gboolean tsr_desc_set_storage(TsrDesc *desc, guint32 format, guint32 c0_lanes)
{
    guint32 axes[4], rank = desc->view.rank, bits = tsr_dtype_bits(desc->view.dtype);
    gint64 ordered[TSR_MAX_RANK];

    if (format == desc->view.origin_format || format == TSR_FORMAT_ND) {
        desc->view.storage_format = desc->view.origin_format;
        desc->view.storage_rank = rank;
        copy_shape(desc->storage_shape, rank, desc->shape);
        return TRUE;
    }
    if (!tsr_desc_is_static(&desc->view) || bits < 8)
        return FALSE;
    for (gsize i = 0; i < G_N_ELEMENTS(storage_rules); i++) {
        const StorageRule *rule = &storage_rules[i];
        guint32 storage_rank;
        if (rule->format != format)
            continue;
        copy_shape(ordered, rank, desc->shape);
        if (rule->needs_meaning) {
            if (rank != 4 || !nchw_axes(desc->view.origin_format, axes))
                return FALSE;
            for (guint32 axis = 0; axis < 4; axis++)
                ordered[axis] = desc->shape[axes[axis]];
        }
        storage_rank = rule->store(rank, ordered, c0_lanes, desc->storage_shape);
        if (storage_rank == 0)
            return FALSE;
        desc->view.storage_format = format;
        desc->view.storage_rank = storage_rank;
        return TRUE;
    }
    return FALSE;
}

gboolean tsr_desc_storage_bytes(const TsrTensorDesc *desc, guint64 *out_bytes)
{
    guint64 count = 1, bits = tsr_dtype_bits(desc->dtype);
    if (bits == 0 || desc->storage_rank == TSR_RANK_UNKNOWN || desc->kind != TSR_KIND_TENSOR)
        return FALSE;
    for (guint32 i = 0; i < desc->storage_rank; i++) {
        if (desc->storage_shape[i] < 0 ||
            !g_uint64_checked_mul(&count, count, (guint64)desc->storage_shape[i]))
            return FALSE;
    }
    if (!g_uint64_checked_mul(&bits, bits, count) || bits > (guint64)G_MAXINT64 - 7)
        return FALSE;
    *out_bytes = (bits + 7) / 8;
    return TRUE;
}

gboolean tsr_desc_compatible(const TsrTensorDesc *a, const TsrTensorDesc *b)
{
    if (a->kind != b->kind)
        return FALSE;
    if (a->dtype != b->dtype && a->dtype != TSR_DTYPE_UNDEFINED &&
        b->dtype != TSR_DTYPE_UNDEFINED)
        return FALSE;
    if (a->rank == TSR_RANK_UNKNOWN || b->rank == TSR_RANK_UNKNOWN)
        return TRUE;
    if (a->rank != b->rank)
        return FALSE;
    for (guint32 i = 0; i < a->rank; i++)
        if (a->shape[i] != b->shape[i] && a->shape[i] >= 0 && b->shape[i] >= 0)
            return FALSE;
    return TRUE;
}

char *tsr_desc_to_text(const TsrTensorDesc *desc)
{
    char shape[TSR_MAX_RANK * 24];
    tsr_shape_text(desc->rank, desc->shape, shape, sizeof(shape));
    if (desc->kind != TSR_KIND_TENSOR)
        return g_strdup_printf("%s(%s%s)", tsr_kind_name(desc->kind),
                               tsr_dtype_name(desc->dtype), shape);
    if (desc->max_shape != NULL) {
        char most[TSR_MAX_RANK * 24];
        tsr_shape_text(desc->rank, desc->max_shape, most, sizeof(most));
        return g_strdup_printf("%s%s at most %s", tsr_dtype_name(desc->dtype), shape, most);
    }
    if (desc->storage_format == desc->origin_format)
        return g_strdup_printf("%s%s", tsr_dtype_name(desc->dtype), shape);
    return g_strdup_printf("%s%s %s", tsr_dtype_name(desc->dtype), shape,
                           tsr_format_name(desc->storage_format));
}
