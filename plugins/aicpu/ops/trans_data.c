/* SPDX-License-Identifier: Apache-2.0
 *
 * trans_data.c: TransData of the domain "tessera": the same elements in another storage
 * format. A storage is described as axes over the origin's (batch, channel, row, column)
 * or (matrix, row, column) coordinates, so that one walk serves every pair; padding is
 * zero. Any dtype with whole bytes.
 */
#include "../aicpu.h"

/* Offset of an element in a storage, for coordinates that the format gives meaning to. */
typedef struct Storage {
    uint32_t format;
    const TsrTensorDesc *desc;
    int64_t stride[TSR_MAX_RANK];
} Storage;

static void storage_init(Storage *storage, const TsrTensorDesc *desc)
{
    storage->format = desc->storage_format;
    storage->desc = desc;
    tsr_shape_strides(desc->storage_rank, desc->storage_shape, storage->stride);
}

/* Which storage axis holds C and whether H, W follow: the plain four-axis formats. */
static int64_t plain_offset(const Storage *s, int64_t n, int64_t c, int64_t h, int64_t w)
{
    const int64_t *t = s->stride;
    if (s->format == TSR_FORMAT_NHWC)
        return n * t[0] + h * t[1] + w * t[2] + c * t[3];
    if (s->format == TSR_FORMAT_HWCN)
        return h * t[0] + w * t[1] + c * t[2] + n * t[3];
    return n * t[0] + c * t[1] + h * t[2] + w * t[3];
}

/* N, C, H, W of the origin shape, whatever their order. */
static void origin_extents(const TsrTensorDesc *d, int64_t *out)
{
    static const uint8_t nchw[4] = {0, 1, 2, 3}, nhwc[4] = {0, 3, 1, 2}, hwcn[4] = {3, 2, 0, 1};
    const uint8_t *axis = d->origin_format == TSR_FORMAT_NHWC   ? nhwc
                          : d->origin_format == TSR_FORMAT_HWCN ? hwcn
                                                                : nchw;
    for (int i = 0; i < 4; i++)
        out[i] = d->shape[axis[i]];
}

/* Formats that split the channels into blocks of C0. */
static int is_blocked(uint32_t format)
{
    return format == TSR_FORMAT_NC1HWC0 || format == TSR_FORMAT_FRACTAL_Z ||
           format == TSR_FORMAT_C1HWNCOC0;
}

/* Offset of an element in any four-axis storage. C1HWNCoC0 holds the weights of depthwise
 * convolutions: within a block they lie on the diagonal of Co and C0. */
static int64_t image_offset(const Storage *s, int64_t n, int64_t c, int64_t h, int64_t w)
{
    const int64_t *t = s->stride, *shape = s->desc->storage_shape;
    if (s->format == TSR_FORMAT_NC1HWC0)
        return n * t[0] + c / shape[4] * t[1] + h * t[2] + w * t[3] + c % shape[4] * t[4];
    if (s->format == TSR_FORMAT_FRACTAL_Z) {
        int64_t extent[4];
        origin_extents(s->desc, extent);
        return ((c / shape[3] * extent[2] + h) * extent[3] + w) * t[0] + n / shape[2] * t[1] +
               n % shape[2] * t[2] + c % shape[3];
    }
    if (s->format == TSR_FORMAT_C1HWNCOC0)
        return c / shape[5] * t[0] + h * t[1] + w * t[2] + n * t[3] +
               c % shape[5] * (t[4] + t[5]);
    return plain_offset(s, n, c, h, w);
}

/* Offset in [..., ceil(N/C0), ceil(M/16), 16, C0] or in a plain matrix. */
static int64_t matrix_offset(const Storage *s, int64_t batch, int64_t row, int64_t column,
                             int64_t rows, int64_t columns)
{
    uint32_t r = s->desc->storage_rank;
    if (s->format == TSR_FORMAT_FRACTAL_NZ) {
        const int64_t *d = s->desc->storage_shape + r - 4;
        return (((batch * d[0] + column / d[3]) * d[1] + row / d[2]) * d[2] + row % d[2]) * d[3] +
               column % d[3];
    }
    return (batch * rows + row) * columns + column;
}

/* Whether the storage shape is what the format makes of the origin shape. */
static int fits(const TsrTensorDesc *d)
{
    const int64_t *o = d->shape, *s = d->storage_shape;
    uint32_t r = d->rank;
    if (is_blocked(d->storage_format)) {
        static const uint32_t ranks[3] = {5, 4, 6};
        uint32_t kind = d->storage_format == TSR_FORMAT_NC1HWC0     ? 0
                        : d->storage_format == TSR_FORMAT_FRACTAL_Z ? 1
                                                                    : 2;
        int64_t e[4], c0, blocks;
        if (r != 4 || d->storage_rank != ranks[kind] || (c0 = s[ranks[kind] - 1]) < 1)
            return 0;
        origin_extents(d, e);
        blocks = (e[1] + c0 - 1) / c0;
        if (kind == 0)
            return s[0] == e[0] && s[1] == blocks && s[2] == e[2] && s[3] == e[3];
        if (kind == 1)
            return s[2] > 0 && s[0] == blocks * e[2] * e[3] && s[1] == (e[0] + s[2] - 1) / s[2];
        return s[0] == blocks && s[1] == e[2] && s[2] == e[3] && s[3] == e[0] && s[4] == c0;
    }
    if (d->storage_format == TSR_FORMAT_FRACTAL_NZ) {
        const int64_t *f = s + r - 2;
        return r >= 2 && d->storage_rank == r + 2 && f[2] > 0 && f[3] > 0 &&
               f[0] == (o[r - 1] + f[3] - 1) / f[3] && f[1] == (o[r - 2] + f[2] - 1) / f[2];
    }
    return d->storage_format < TSR_FORMAT_NC1HWC0 &&
           tsr_desc_storage_elements(d) == tsr_desc_elements(d);
}

static int32_t run_trans_data(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *y = run->outputs[0];
    const TsrTensorDesc *d = x->desc;
    size_t size = tsr_dtype_bits(d->dtype) / 8;
    int64_t extent[4];
    Storage from, to;
    (void)kernel;
    if (size == 0 || d->dtype == TSR_DTYPE_STRING || !fits(d) || !fits(y->desc))
        return run->fail(run, TSR_UNSUPPORTED, "%s from %s to %s is not supported",
                         tsr_dtype_name(d->dtype), tsr_format_name(d->storage_format),
                         tsr_format_name(y->desc->storage_format));
    storage_init(&from, d);
    storage_init(&to, y->desc);
    if (y->size_bytes > 0)
        memset(y->data, 0, y->size_bytes);
    if (from.format == TSR_FORMAT_FRACTAL_NZ || to.format == TSR_FORMAT_FRACTAL_NZ ||
        d->rank != 4 || (from.format == to.format)) {
        int64_t rows = d->rank > 1 ? d->shape[d->rank - 2] : 1;
        int64_t columns = d->rank > 0 ? d->shape[d->rank - 1] : 1;
        int64_t count = tsr_desc_elements(d);
        if (is_blocked(from.format) || is_blocked(to.format))
            return run->fail(run, TSR_UNSUPPORTED, "from %s to %s is not supported",
                             tsr_format_name(from.format), tsr_format_name(to.format));
        for (int64_t i = 0; i < count; i++) {
            int64_t r = i / columns % rows, c = i % columns, b = i / columns / rows;
            memcpy((char *)y->data + size * (size_t)matrix_offset(&to, b, r, c, rows, columns),
                   (const char *)x->data +
                       size * (size_t)matrix_offset(&from, b, r, c, rows, columns), size);
        }
        return TSR_OK;
    }
    origin_extents(d, extent);
    /* ND storage keeps the order of the origin. */
    if (from.format == TSR_FORMAT_ND)
        from.format = d->origin_format;
    if (to.format == TSR_FORMAT_ND)
        to.format = y->desc->origin_format;
    for (int64_t n = 0; n < extent[0]; n++)
        for (int64_t c = 0; c < extent[1]; c++)
            for (int64_t h = 0; h < extent[2]; h++)
                for (int64_t w = 0; w < extent[3]; w++)
                    memcpy((char *)y->data + size * (size_t)image_offset(&to, n, c, h, w),
                           (const char *)x->data +
                               size * (size_t)image_offset(&from, n, c, h, w), size);
    return TSR_OK;
}

static const AicpuKernel kernels[] = {
    {.op = "TransData", .domain = "tessera", .run = run_trans_data},
};

const AicpuFamily aicpu_trans_data = AICPU_FAMILY(kernels);
