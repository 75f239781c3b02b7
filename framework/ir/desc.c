/* SPDX-License-Identifier: Apache-2.0
 *
 * desc.c: see desc.h; storage shapes are in storage.c.
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
    target->view.expand_dims = TSR_HAS(source, expand_dims) ? source->expand_dims : 0;
    target->view.key_dtype = source->key_dtype;
    target->view.expand_dims = source->expand_dims;
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
