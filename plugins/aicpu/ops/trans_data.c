/* SPDX-License-Identifier: Apache-2.0
 *
 * trans_data.c: TransData of the domain "tessera": the same elements in another storage
 * format. An element has one coordinate per axis: N, C, H, W where both origins name them
 * (axes that a tensor of lower rank lacks are 1), else one per dim; each format turns these
 * into an offset, so that one walk serves every pair. Padding is zero. Any dtype with whole
 * bytes.
 */
#include "../aicpu.h"

enum { N, C, H, W, IMAGE_AXES };

/* A storage: where its format puts the element at some coordinates. */
typedef struct Storage {
    const TsrTensorDesc *desc;
    uint32_t format;
    int image;                     /* the dims mean some of N, C, H, W */
    uint8_t axis[TSR_MAX_RANK];    /* of each dim of the origin */
    int64_t extent[TSR_MAX_RANK];  /* of each axis */
    int64_t stride[TSR_MAX_RANK];  /* of each dim of the storage */
} Storage;

/* N, C, H, W in the order of a plain format; ND is read as NCHW. */
static const uint8_t *image_order(uint32_t format)
{
    static const uint8_t nchw[4] = {N, C, H, W}, nhwc[4] = {N, H, W, C}, hwcn[4] = {H, W, C, N};
    return format == TSR_FORMAT_NHWC ? nhwc : format == TSR_FORMAT_HWCN ? hwcn : nchw;
}

static void set_extents(Storage *s)
{
    for (uint32_t i = 0; i < TSR_MAX_RANK; i++)
        s->extent[i] = 1;
    for (uint32_t i = 0; i < s->desc->rank; i++)
        s->extent[s->axis[i]] = s->desc->shape[i];
}

static void storage_init(Storage *s, const TsrTensorDesc *desc)
{
    uint32_t rank = 0;
    memset(s, 0, sizeof(*s));
    s->desc = desc;
    s->format = desc->storage_format;
    for (uint32_t axis = N; desc->rank < 4 && axis <= W; axis++)
        if (desc->expand_dims >> axis & 1)
            s->axis[rank++] = (uint8_t)axis;
    s->image = desc->rank == 4 || (desc->rank > 0 && rank == desc->rank);
    if (desc->rank == 4)
        memcpy(s->axis, image_order(desc->origin_format), 4);
    set_extents(s);
    tsr_shape_strides(desc->storage_rank, desc->storage_shape, s->stride);
}

/* Takes the dims by their places. */
static void forget_meaning(Storage *s)
{
    s->image = 0;
    for (uint32_t i = 0; i < s->desc->rank; i++)
        s->axis[i] = (uint8_t)i;
    set_extents(s);
}

/* Formats that split the channels into blocks of C0. */
static int is_blocked(uint32_t format)
{
    return format == TSR_FORMAT_NC1HWC0 || format == TSR_FORMAT_FRACTAL_Z ||
           format == TSR_FORMAT_C1HWNCOC0;
}

/* Offset of the element at `at`, one coordinate per axis. C1HWNCoC0 holds the weights of
 * depthwise convolutions: within a block they lie on the diagonal of Co and C0. */
static int64_t offset_of(const Storage *s, const int64_t *at)
{
    const int64_t *t = s->stride, *shape = s->desc->storage_shape;
    const uint32_t rank = s->desc->rank;
    const uint8_t *order = s->axis;
    uint32_t dims = rank;
    int64_t offset = 0;
    if (s->format == TSR_FORMAT_NC1HWC0)
        return at[N] * t[0] + at[C] / shape[4] * t[1] + at[H] * t[2] + at[W] * t[3] +
               at[C] % shape[4] * t[4];
    if (s->format == TSR_FORMAT_FRACTAL_Z)
        return ((at[C] / shape[3] * s->extent[H] + at[H]) * s->extent[W] + at[W]) * t[0] +
               at[N] / shape[2] * t[1] + at[N] % shape[2] * t[2] + at[C] % shape[3];
    if (s->format == TSR_FORMAT_C1HWNCOC0)
        return at[C] / shape[5] * t[0] + at[H] * t[1] + at[W] * t[2] + at[N] * t[3] +
               at[C] % shape[5] * (t[4] + t[5]);
    if (s->format == TSR_FORMAT_FRACTAL_NZ) {
        const int64_t row = at[order[rank - 2]], column = at[order[rank - 1]];
        const int64_t *f = shape + rank - 2;
        for (uint32_t i = 0; i + 2 < rank; i++)
            offset += at[order[i]] * t[i];
        return offset + (column / f[3] * f[1] + row / f[2]) * f[2] * f[3] + row % f[2] * f[3] +
               column % f[3];
    }
    /* ND storage keeps the order of the origin; another order has all four axes. */
    if (s->image && s->format != TSR_FORMAT_ND && s->format != s->desc->origin_format) {
        order = image_order(s->format);
        dims = 4;
    }
    for (uint32_t i = 0; i < dims; i++)
        offset += at[order[i]] * t[i];
    return offset;
}

/* Whether the storage shape is what the format makes of the origin shape. */
static int fits(const Storage *x)
{
    const TsrTensorDesc *d = x->desc;
    const int64_t *o = d->shape, *s = d->storage_shape, *e = x->extent;
    uint32_t r = d->rank;
    if (is_blocked(x->format)) {
        static const uint32_t ranks[3] = {5, 4, 6};
        uint32_t kind = x->format == TSR_FORMAT_NC1HWC0     ? 0
                        : x->format == TSR_FORMAT_FRACTAL_Z ? 1
                                                            : 2;
        int64_t c0, blocks;
        if (!x->image || d->storage_rank != ranks[kind] || (c0 = s[ranks[kind] - 1]) < 1)
            return 0;
        blocks = (e[C] + c0 - 1) / c0;
        if (kind == 0)
            return s[0] == e[N] && s[1] == blocks && s[2] == e[H] && s[3] == e[W];
        if (kind == 1)
            return s[2] > 0 && s[0] == blocks * e[H] * e[W] &&
                   s[1] == (e[N] + s[2] - 1) / s[2];
        return s[0] == blocks && s[1] == e[H] && s[2] == e[W] && s[3] == e[N] && s[4] == c0;
    }
    if (x->format == TSR_FORMAT_FRACTAL_NZ) {
        const int64_t *f = s + r - 2;
        return r >= 2 && d->storage_rank == r + 2 && f[2] > 0 && f[3] > 0 &&
               f[0] == (o[r - 1] + f[3] - 1) / f[3] && f[1] == (o[r - 2] + f[2] - 1) / f[2];
    }
    return x->format < TSR_FORMAT_NC1HWC0 &&
           tsr_desc_storage_elements(d) == tsr_desc_elements(d);
}

static int32_t run_trans_data(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *y = run->outputs[0];
    const TsrTensorDesc *d = x->desc;
    size_t size = tsr_dtype_bits(d->dtype) / 8;
    int64_t at[TSR_MAX_RANK] = {0}, count = tsr_desc_elements(d);
    Storage from, to;
    uint32_t axes;
    (void)kernel;
    storage_init(&from, d);
    storage_init(&to, y->desc);
    axes = from.image && to.image ? (uint32_t)IMAGE_AXES : d->rank;
    if (!from.image || !to.image) {
        forget_meaning(&from);
        forget_meaning(&to);
    }
    if (size == 0 || d->dtype == TSR_DTYPE_STRING || !fits(&from) || !fits(&to) ||
        d->rank != y->desc->rank || memcmp(from.extent, to.extent, sizeof(from.extent)) != 0)
        return run->fail(run, TSR_UNSUPPORTED, "%s from %s to %s is not supported",
                         tsr_dtype_name(d->dtype), tsr_format_name(d->storage_format),
                         tsr_format_name(y->desc->storage_format));
    if (y->size_bytes > 0)
        memset(y->data, 0, y->size_bytes);
    for (int64_t i = 0; i < count; i++) {
        memcpy((char *)y->data + size * (size_t)offset_of(&to, at),
               (const char *)x->data + size * (size_t)offset_of(&from, at), size);
        for (uint32_t axis = axes; axis-- > 0;) {
            if (++at[axis] < from.extent[axis])
                break;
            at[axis] = 0;
        }
    }
    return TSR_OK;
}

static const AicpuKernel kernels[] = {
    {.op = "TransData", .domain = "tessera", .run = run_trans_data},
};

const AicpuFamily aicpu_trans_data = AICPU_FAMILY(kernels);
