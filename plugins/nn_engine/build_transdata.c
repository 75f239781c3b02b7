/* SPDX-License-Identifier: Apache-2.0
 *
 * build_transdata.c: the framework's TransData, and the moves between storage formats that
 * other builders need. Both storages become steps along common axes (N, C, H, W, or the
 * dims of the origin where nothing is blocked by meaning), which are joined and ordered so
 * that the kernel reads and writes long runs; the kernel knows no format. Invariant: what
 * nn_transdata_fits accepts, nn_build_transdata can build.
 */
#include "nn.h"

enum { N, C, H, W, IMAGE_AXES, BLOCK = TSR_NPU_C0, TILE = BLOCK * BLOCK };

/* How one storage lays out the axes. Index i of an axis lies i / 16 * block + i % 16 * step
 * elements from the start, and there are places for `places` of them. */
typedef struct Storage {
    int64_t step[TSR_MAX_RANK], block[TSR_MAX_RANK], places[TSR_MAX_RANK];
    int diagonal; /* of the places of axis C */
} Storage;

/* Which axis every dim of the origin shape is: one of N, C, H, W, or its own number. */
typedef struct Meaning {
    int image;
    uint8_t axis[TSR_MAX_RANK];
} Meaning;

static int is_plain(uint32_t format)
{
    return format < TSR_FORMAT_NC1HWC0;
}

/* The order of N, C, H, W in a plain format; ND is read as NCHW. */
static const uint8_t *image_order(uint32_t format)
{
    static const uint8_t nchw[4] = { N, C, H, W }, nhwc[4] = { N, H, W, C },
                         hwcn[4] = { H, W, C, N };
    return format == TSR_FORMAT_NHWC ? nhwc : format == TSR_FORMAT_HWCN ? hwcn : nchw;
}

static Meaning meaning_of(const TsrTensorDesc *d)
{
    Meaning m = { .image = 0 };
    uint32_t rank = 0;
    for (uint32_t i = N; d->rank < 4 && i <= W; i++) {
        const uint8_t axis = image_order(d->origin_format)[i];
        if (d->expand_dims >> axis & 1)
            m.axis[rank++] = axis;
    }
    m.image = d->rank == 4 || (d->rank > 0 && rank == d->rank);
    if (d->rank == 4)
        memcpy(m.axis, image_order(d->origin_format), 4);
    else if (!m.image)
        for (uint32_t i = 0; i < d->rank; i++)
            m.axis[i] = (uint8_t)i;
    return m;
}

static int64_t known(int64_t extent) { return extent < 0 ? 1 : extent; }

/* Dense steps of the axes in that order, outermost first, from `step` on. */
static void dense_steps(Storage *s, const int64_t *extent, const uint8_t *order, uint32_t count,
                        int64_t step)
{
    for (uint32_t i = count; i-- > 0; step *= extent[order[i]]) {
        s->step[order[i]] = step;
        s->block[order[i]] = step * BLOCK;
        s->places[order[i]] = extent[order[i]];
    }
}

static void set_axis(Storage *s, uint32_t axis, int64_t step, int64_t block, int64_t places)
{
    s->step[axis] = step;
    s->block[axis] = block;
    s->places[axis] = places;
}

/* The formats that block axis C; see TSR_FORMAT_ in types.h. */
static void blocked_steps(Storage *s, uint32_t format, const int64_t *e)
{
    const int64_t all_c = nn_round_up(e[C], BLOCK), all_n = nn_round_up(e[N], BLOCK);
    const int64_t pixels = e[H] * e[W];
    if (format == TSR_FORMAT_NC1HWC0) {
        dense_steps(s, e, (const uint8_t[]){ H, W }, 2, BLOCK);
        set_axis(s, C, 1, pixels * BLOCK, all_c);
        set_axis(s, N, pixels * all_c, pixels * all_c * BLOCK, e[N]);
    } else if (format == TSR_FORMAT_FRACTAL_Z) {
        dense_steps(s, e, (const uint8_t[]){ H, W }, 2, all_n * BLOCK);
        set_axis(s, C, 1, pixels * all_n * BLOCK, all_c);
        set_axis(s, N, BLOCK, TILE, all_n);
    } else {
        dense_steps(s, e, (const uint8_t[]){ H, W, N }, 3, TILE);
        set_axis(s, C, BLOCK + 1, pixels * e[N] * TILE, all_c);
        s->diagonal = 1;
    }
}

/* Fills *out for the axes of that extent; 0 when the format cannot store the desc. */
static int storage_of(const TsrTensorDesc *d, const Meaning *m, const int64_t *extent,
                      Storage *out)
{
    memset(out, 0, sizeof(*out));
    for (uint32_t i = 0; i < TSR_MAX_RANK; i++)
        out->places[i] = 1;
    if (d->storage_format == TSR_FORMAT_FRACTAL_NZ) {
        if (d->rank < 2)
            return 0;
        const uint8_t row = m->axis[d->rank - 2], column = m->axis[d->rank - 1];
        const int64_t rows = nn_round_up(extent[row], BLOCK);
        const int64_t columns = nn_round_up(extent[column], BLOCK);
        dense_steps(out, extent, m->axis, d->rank - 2, rows * columns);
        set_axis(out, row, BLOCK, TILE, rows);
        set_axis(out, column, 1, rows * BLOCK, columns);
        return 1;
    }
    if (!is_plain(d->storage_format)) {
        if (!m->image || d->storage_format > TSR_FORMAT_C1HWNCOC0)
            return 0;
        blocked_steps(out, d->storage_format, extent);
        return 1;
    }
    /* Plain storage may order the dims otherwise than the origin does. */
    const int turned = m->image && d->storage_format >= TSR_FORMAT_NCHW &&
                       d->storage_format <= TSR_FORMAT_HWCN;
    if (!turned && d->storage_format != TSR_FORMAT_ND && d->storage_format != d->origin_format)
        return 0;
    dense_steps(out, extent, turned ? image_order(d->storage_format) : m->axis,
                turned ? IMAGE_AXES : d->rank, 1);
    return 1;
}

/* Whether axis i of a storage is split; one block of it cannot be told from none. */
static int is_split(int64_t step, int64_t block, int64_t places)
{
    return places > BLOCK && block != step * BLOCK;
}

static int is_even(const TsrTransdataAxis *a)
{
    return a->y_extent == a->extent && !is_split(a->x_step, a->x_block, a->extent) &&
           !is_split(a->y_step, a->y_block, a->y_extent);
}

/* Adds an axis to p, or joins it with one outside of it where both sides step on evenly. */
static void add_axis(TsrTransdataParams *p, const TsrTransdataAxis *a)
{
    if (a->extent == 1 && a->y_extent == 1)
        return;
    for (uint32_t i = 0; i < p->rank && is_even(a); i++) {
        TsrTransdataAxis *outer = &p->axes[i];
        if (!is_even(outer) || outer->x_step != a->x_step * a->extent ||
            outer->y_step != a->y_step * a->extent)
            continue;
        outer->extent = outer->y_extent = outer->extent * a->extent;
        outer->x_step = a->x_step;
        outer->y_step = a->y_step;
        outer->x_block = a->x_step * BLOCK;
        outer->y_block = a->y_step * BLOCK;
        return;
    }
    p->axes[p->rank++] = *a;
}

/* Fills everything but the order of the axes and the run; 0 when there is no such move. */
static int describe(const TsrTensorDesc *x, const TsrTensorDesc *y, TsrTransdataParams *p)
{
    Meaning mx = meaning_of(x), my = meaning_of(y);
    const uint32_t axes = mx.image && my.image ? (uint32_t)IMAGE_AXES : x->rank;
    int64_t extent[TSR_MAX_RANK], y_extent[TSR_MAX_RANK];
    Storage from, to;
    if (x->rank > TSR_NPU_MAX_DIMS || x->rank != y->rank)
        return 0;
    if (!mx.image || !my.image) {
        /* Without a common meaning the dims are matched by their places. */
        if (!is_plain(x->storage_format) && x->storage_format != TSR_FORMAT_FRACTAL_NZ)
            return 0;
        for (uint32_t i = 0; i < x->rank; i++)
            mx.axis[i] = my.axis[i] = (uint8_t)i;
        mx.image = my.image = 0;
    }
    for (uint32_t i = 0; i < TSR_MAX_RANK; i++)
        extent[i] = y_extent[i] = 1;
    for (uint32_t i = 0; i < x->rank; i++) {
        extent[mx.axis[i]] = known(x->shape[i]);
        y_extent[my.axis[i]] = known(y->shape[i]);
    }
    if (memcmp(extent, y_extent, sizeof(extent)) != 0 || !storage_of(x, &mx, extent, &from) ||
        !storage_of(y, &my, extent, &to))
        return 0;
    p->y_diagonal = (uint32_t)to.diagonal;
    for (uint32_t i = 0; i < axes; i++) {
        const TsrTransdataAxis a = { extent[i], to.places[i], from.step[i], from.block[i],
                                     to.step[i], to.block[i] };
        add_axis(p, &a);
    }
    while (p->rank < 2)
        p->axes[p->rank++] = (TsrTransdataAxis){ 1, 1, 0, 0, 0, 0 };
    return 1;
}

int nn_plain_copy(const TsrTensorDesc *x, const void *from, void *to)
{
    TsrTensorDesc plain = *x;
    TsrTransdataParams p = { .struct_size = sizeof(p) };
    const size_t size = tsr_dtype_bits(x->dtype) / 8;
    int64_t count = 1;
    plain.storage_format = x->origin_format;
    plain.storage_rank = x->rank;
    plain.storage_shape = x->shape;
    if (size == 0 || !describe(x, &plain, &p))
        return 0;
    for (uint32_t i = 0; i < p.rank; i++)
        count *= p.axes[i].extent;
    for (int64_t k = 0; k < count; k++) {
        int64_t rest = k, x_at = 0, y_at = 0;
        for (uint32_t i = p.rank; i-- > 0; rest /= p.axes[i].extent) {
            const TsrTransdataAxis *a = &p.axes[i];
            const int64_t at = rest % a->extent;
            x_at += at / BLOCK * a->x_block + at % BLOCK * a->x_step;
            y_at += at / BLOCK * a->y_block + at % BLOCK * a->y_step;
        }
        memcpy((char *)to + (size_t)y_at * size, (const char *)from + (size_t)x_at * size, size);
    }
    return 1;
}

/* The axis that has to be walked in blocks of 16 on one side: what is split there, else the
 * longest with step 1; rank when there is none. */
static uint32_t lane_of(const TsrTransdataParams *p, int of_y)
{
    uint32_t best = p->rank;
    for (uint32_t i = 0; i < p->rank; i++) {
        const TsrTransdataAxis *a = &p->axes[i];
        const int64_t step = of_y ? a->y_step : a->x_step;
        if (is_split(step, of_y ? a->y_block : a->x_block, of_y ? a->y_extent : a->extent) ||
            (of_y && p->y_diagonal && step == BLOCK + 1))
            return i;
        if (step == 1 && (best == p->rank || a->y_extent > p->axes[best].y_extent))
            best = i;
    }
    return best;
}

static int is_lane(const TsrTransdataParams *p, uint32_t i)
{
    return i == p->x_lane || i == p->y_lane;
}

/* How far a step along axis i moves in memory, on the side where it moves further. */
static int64_t stride_of(const TsrTransdataParams *p, uint32_t i)
{
    const TsrTransdataAxis *a = &p->axes[i];
    const int64_t x = is_lane(p, i) ? a->x_block : a->x_step;
    const int64_t y = is_lane(p, i) ? a->y_block : a->y_step;
    return x > y ? x : y;
}

static int64_t count_of(const TsrTransdataParams *p, uint32_t i)
{
    return is_lane(p, i) ? nn_ceil_div(p->axes[i].y_extent, BLOCK) : p->axes[i].y_extent;
}

static void swap_axes(TsrTransdataParams *p, uint32_t i, uint32_t k)
{
    const TsrTransdataAxis axis = p->axes[i];
    p->axes[i] = p->axes[k];
    p->axes[k] = axis;
    p->x_lane = p->x_lane == i ? k : p->x_lane == k ? i : p->x_lane;
    p->y_lane = p->y_lane == i ? k : p->y_lane == k ? i : p->y_lane;
}

/* Chooses the lanes, the order of the axes (the shortest strides innermost) and the run,
 * so that what the two innermost axes touch stays in a core's cache. Returns the pieces. */
static int64_t arrange(TsrTransdataParams *p, uint32_t cores)
{
    enum { CACHE = 16 << 10, LEAST_BYTES = 512 };
    /* Below half a kilobyte in a row a store is worth little. */
    const int64_t least = LEAST_BYTES / BLOCK / p->element_bytes;
    int64_t outer = 1, most, step;
    p->x_lane = lane_of(p, 0);
    p->y_lane = lane_of(p, 1);
    if (p->y_lane == p->rank)
        p->y_lane = p->x_lane < p->rank ? p->x_lane : 0;
    if (p->x_lane == p->rank)
        p->x_lane = p->y_lane;
    for (uint32_t i = 1; i < p->rank; i++)
        for (uint32_t k = i; k > 0 && stride_of(p, k) > stride_of(p, k - 1); k--)
            swap_axes(p, k, k - 1);
    /* Squares that lie side by side along an axis are best walked along it. */
    for (uint32_t i = 0; p->x_lane != p->y_lane && i + 1 < p->rank; i++)
        if (!is_lane(p, i) && (p->axes[i].x_step == BLOCK || p->axes[i].y_step == BLOCK))
            for (uint32_t k = i; k + 1 < p->rank; k++)
                swap_axes(p, k, k + 1);
    /* A walk of a few steps costs more than it moves. */
    for (uint32_t i = p->rank - 1; i-- > 0;)
        if (count_of(p, p->rank - 1) < 4 && count_of(p, i) >= 4)
            swap_axes(p, i, p->rank - 1);
    for (uint32_t i = 0; i + 1 < p->rank; i++)
        outer *= count_of(p, i);
    step = 2 * (int64_t)p->element_bytes * (p->x_lane == p->y_lane ? BLOCK : TILE) *
           count_of(p, p->rank - 2);
    most = CACHE / step;
    most = most < least ? least : most;
    while (most > least &&
           outer * nn_ceil_div(count_of(p, p->rank - 1), most) < 4 * (int64_t)cores)
        most /= 2;
    p->run = (uint32_t)most;
    return outer * nn_ceil_div(count_of(p, p->rank - 1), most);
}

/* Where both storages are the same bytes. */
static int is_copy(const TsrTransdataParams *p)
{
    int64_t next = 1;
    if (p->y_diagonal)
        return 0;
    for (uint32_t i = p->rank; i-- > 0; next *= p->axes[i].extent) {
        const TsrTransdataAxis *a = &p->axes[i];
        if (a->extent == 1 && a->y_extent == 1)
            continue;
        if (a->extent != a->y_extent || a->x_step != next || a->y_step != next ||
            is_split(a->x_step, a->x_block, a->extent) ||
            is_split(a->y_step, a->y_block, a->y_extent))
            return 0;
    }
    return 1;
}

int nn_transdata_fits(const TsrTensorDesc *x, const TsrTensorDesc *y)
{
    TsrTransdataParams p = { .struct_size = sizeof(p) };
    return describe(x, y, &p);
}

int32_t nn_build_transdata(TsrTaskSink *sink, const char *name, const TsrTensorDesc *x,
                           const TsrTensorDesc *y, uint32_t padding, uint32_t x_arg,
                           uint32_t y_arg)
{
    const uint32_t args[2] = { x_arg, y_arg };
    TsrTransdataParams p = { .struct_size = sizeof(p), .padding = padding,
                             .element_bytes = tsr_dtype_bits(x->dtype) / 8 };
    if (!describe(x, y, &p))
        return sink->fail(sink, TSR_UNSUPPORTED, "TransData '%s': %s to %s at rank %u", name,
                          tsr_format_name(x->storage_format), tsr_format_name(y->storage_format),
                          x->rank);
    if (is_copy(&p)) {
        TsrCopyRowsParams copy = { .struct_size = sizeof(copy), .rows = 1 };
        copy.row_bytes = tsr_desc_elements(x) * p.element_bytes;
        return nn_task(sink, TSR_KERNEL_COPY_ROWS,
                       nn_block_dim(sink, nn_ceil_div(copy.row_bytes, 16384),
                                    (double)copy.row_bytes / 4.0),
                       args, 2, &copy, sizeof(copy));
    }
    const int64_t pieces = arrange(&p, sink->core_count);
    return nn_task(sink, TSR_KERNEL_TRANSDATA,
                   nn_block_dim(sink, pieces, (double)tsr_desc_storage_elements(y)), args, 2, &p,
                   sizeof(p));
}

static void transdata_check(const NnOp *op, const TsrNodeView *node, TsrSupport *out_support)
{
    const TsrTensorDesc *x = node->inputs[0], *y = node->outputs[0];
    const uint32_t bits = tsr_dtype_bits(x->dtype);
    (void)op;
    if ((bits != 8 && bits != 16 && bits != 32) || x->dtype != y->dtype)
        tsr_support_no(out_support, TSR_REFUSE_DTYPE, "elements of %s, wanted 1, 2 or 4 bytes",
                       tsr_dtype_name(x->dtype));
    else if (!nn_transdata_fits(x, y))
        tsr_support_no(out_support, TSR_REFUSE_SHAPE, "no kernel for %s to %s at rank %u",
                       tsr_format_name(x->storage_format), tsr_format_name(y->storage_format),
                       x->rank);
}

static int32_t transdata_build(const NnOp *op, const TsrNodeView *node, TsrTaskSink *sink)
{
    (void)op;
    return nn_build_transdata(sink, node->name, node->inputs[0], node->outputs[0], 0,
                              TSR_ARG_INPUT | 0, TSR_ARG_OUTPUT | 0);
}

static const NnOp ops[] = {
    { .op_type = "TransData", .domain = NN_FRAMEWORK_DOMAIN, .min_version = 0,
      .max_version = UINT32_MAX, .flags = NN_ANY_DTYPE, .check = transdata_check,
      .build = transdata_build },
};

const NnOpTable nn_transdata_ops = { ops, sizeof(ops) / sizeof(ops[0]) };
