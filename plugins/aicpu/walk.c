/* SPDX-License-Identifier: Apache-2.0
 *
 * walk.c: the generic walkers of aicpu. Strings are copied one by one through the host,
 * which owns their bytes; everything else is moved by its size.
 */
#include "walk.h"
#include "number.h"

/* Below this many elements the cores are not woken: about 10 us of work. */
enum { PARALLEL_GRAIN = 16384 };

void aicpu_grid_init(AicpuGrid *grid, uint32_t rank, const int64_t *shape, uint32_t operands)
{
    grid->rank = rank;
    grid->operands = operands;
    grid->count = 1;
    for (uint32_t i = 0; i < rank; i++) {
        grid->dim[i] = shape[i];
        grid->count *= shape[i];
    }
}

void aicpu_grid_broadcast(AicpuGrid *grid, uint32_t k, uint32_t rank, const int64_t *shape)
{
    tsr_broadcast_strides(rank, shape, grid->rank, grid->stride[k]);
}

void aicpu_grid_ready(AicpuGrid *grid)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < grid->rank; i++) {
        int merge = kept > 0;
        if (grid->dim[i] == 1)
            continue;
        for (uint32_t k = 0; merge && k < grid->operands; k++)
            merge = grid->stride[k][kept - 1] == grid->stride[k][i] * grid->dim[i];
        if (merge) {
            grid->dim[kept - 1] *= grid->dim[i];
            for (uint32_t k = 0; k < grid->operands; k++)
                grid->stride[k][kept - 1] = grid->stride[k][i];
            continue;
        }
        grid->dim[kept] = grid->dim[i];
        for (uint32_t k = 0; k < grid->operands; k++)
            grid->stride[k][kept] = grid->stride[k][i];
        kept++;
    }
    if (kept == 0) {
        grid->dim[0] = 1;
        for (uint32_t k = 0; k < grid->operands; k++)
            grid->stride[k][0] = 0;
        kept = 1;
    }
    grid->rank = kept;
}

/* Walks the flat range [begin, end) of the grid. */
static void walk_range(const AicpuGrid *grid, int64_t begin, int64_t end, AicpuRunFn fn, void *arg)
{
    int64_t index[TSR_MAX_RANK], offset[AICPU_MAX_OPERANDS] = {0}, rest = begin;
    uint32_t last = grid->rank - 1;
    if (begin >= end)
        return;
    for (uint32_t i = grid->rank; i-- > 0;) {
        index[i] = rest % grid->dim[i];
        rest /= grid->dim[i];
        for (uint32_t k = 0; k < grid->operands; k++)
            offset[k] += index[i] * grid->stride[k][i];
    }
    while (begin < end) {
        int64_t n = grid->dim[last] - index[last];
        n = n < end - begin ? n : end - begin;
        fn(arg, offset, n);
        begin += n;
        index[last] += n;
        for (uint32_t k = 0; k < grid->operands; k++)
            offset[k] += n * grid->stride[k][last];
        for (uint32_t i = last; i > 0 && index[i] == grid->dim[i]; i--) {
            for (uint32_t k = 0; k < grid->operands; k++)
                offset[k] += grid->stride[k][i - 1] - grid->dim[i] * grid->stride[k][i];
            index[i] = 0;
            index[i - 1]++;
        }
    }
}

void aicpu_grid_walk(const AicpuGrid *grid, AicpuRunFn fn, void *arg)
{
    walk_range(grid, 0, grid->count, fn, arg);
}

typedef struct GridJob {
    const AicpuGrid *grid;
    AicpuRunFn fn;
    void *arg;
} GridJob;

static void grid_piece(void *arg, uint64_t begin, uint64_t end)
{
    const GridJob *job = arg;
    walk_range(job->grid, (int64_t)begin, (int64_t)end, job->fn, job->arg);
}

void aicpu_grid_parallel(const AicpuGrid *grid, TsrRunContext *run, AicpuRunFn fn, void *arg)
{
    GridJob job = {grid, fn, arg};
    aicpu_parallel(run, grid->count, PARALLEL_GRAIN, grid_piece, &job);
}

void aicpu_parallel(TsrRunContext *run, int64_t count, int64_t grain,
                    void (*fn)(void *arg, uint64_t begin, uint64_t end), void *arg)
{
    if (count <= 0)
        return;
    if (count <= grain || run->parallel == NULL)
        fn(arg, 0, (uint64_t)count);
    else
        run->parallel(run, (uint64_t)count, (uint64_t)(grain < 1 ? 1 : grain), fn, arg);
}

typedef struct CopyJob {
    TsrRunContext *run;
    const AicpuCopy *copy;
    const AicpuGrid *grid;
    uint64_t size;
    int32_t status;
} CopyJob;

#define T uint8_t
#define NAME copy_1
#include "copy_tmpl.c"
#define T uint16_t
#define NAME copy_2
#include "copy_tmpl.c"
#define T uint32_t
#define NAME copy_4
#include "copy_tmpl.c"
#define T uint64_t
#define NAME copy_8
#include "copy_tmpl.c"

/* Sizes without a template of their own: complex128. */
static void copy_any(void *arg, const int64_t *offset, int64_t n)
{
    const CopyJob *job = arg;
    char *to = (char *)job->copy->to + (job->copy->to_offset + offset[0]) * (int64_t)job->size;
    const char *from = (const char *)job->copy->from +
                       (job->copy->from_offset + offset[1]) * (int64_t)job->size;
    int64_t to_step = aicpu_grid_inner(job->grid, 0) * (int64_t)job->size;
    int64_t from_step = aicpu_grid_inner(job->grid, 1) * (int64_t)job->size;
    for (int64_t i = 0; i < n; i++)
        memcpy(to + i * to_step, from + i * from_step, job->size);
}

static void copy_strings(void *arg, const int64_t *offset, int64_t n)
{
    CopyJob *job = arg;
    TsrString *to = (TsrString *)job->copy->to + job->copy->to_offset + offset[0];
    const TsrString *from = (const TsrString *)job->copy->from + job->copy->from_offset +
                            offset[1];
    int64_t to_step = aicpu_grid_inner(job->grid, 0), from_step = aicpu_grid_inner(job->grid, 1);
    for (int64_t i = 0; i < n && job->status == TSR_OK; i++)
        job->status = job->run->set_string(job->run, to + i * to_step, from[i * from_step].data,
                                           from[i * from_step].size);
}

/* Packed elements of 2 or 4 bits: as unsigned numbers of that width, one at a time. */
static uint32_t packed_carrier(uint32_t dtype)
{
    return tsr_dtype_bits(dtype) == 2 ? TSR_DTYPE_UINT2 : TSR_DTYPE_UINT4;
}

static void copy_packed(void *arg, const int64_t *offset, int64_t n)
{
    const CopyJob *job = arg;
    uint32_t dtype = packed_carrier(job->copy->dtype);
    int64_t to = job->copy->to_offset + offset[0], from = job->copy->from_offset + offset[1];
    for (int64_t i = 0; i < n; i++) {
        int64_t value;
        aicpu_load_int64(dtype, job->copy->from, from + i * aicpu_grid_inner(job->grid, 1), 1,
                         &value);
        aicpu_store_int64(dtype, job->copy->to, to + i * aicpu_grid_inner(job->grid, 0), 1,
                          &value);
    }
}

int32_t aicpu_copy(TsrRunContext *run, const AicpuCopy *copy)
{
    AicpuGrid grid;
    CopyJob job = {run, copy, &grid, tsr_dtype_bits(copy->dtype) / 8, TSR_OK};
    aicpu_grid_init(&grid, copy->rank, copy->shape, 2);
    memcpy(grid.stride[0], copy->to_stride, copy->rank * sizeof(int64_t));
    memcpy(grid.stride[1], copy->from_stride, copy->rank * sizeof(int64_t));
    aicpu_grid_ready(&grid);
    if (copy->dtype == TSR_DTYPE_STRING)
        aicpu_grid_walk(&grid, copy_strings, &job);
    else if (job.size == 0) /* neighbours share bytes: one thread */
        aicpu_grid_walk(&grid, copy_packed, &job);
    else
        aicpu_grid_parallel(&grid, run,
                            job.size == 1   ? copy_1
                            : job.size == 2 ? copy_2
                            : job.size == 4 ? copy_4
                            : job.size == 8 ? copy_8
                                            : copy_any, &job);
    return job.status;
}

int32_t aicpu_copy_dense(TsrRunContext *run, uint32_t dtype, void *to, int64_t to_first,
                         const void *from, int64_t from_first, int64_t count)
{
    int64_t size = tsr_dtype_bits(dtype) / 8;
    if (count <= 0)
        return TSR_OK;
    if (dtype == TSR_DTYPE_STRING) {
        for (int64_t i = 0; i < count; i++) {
            const TsrString *s = (const TsrString *)from + from_first + i;
            int32_t status = run->set_string(run, (TsrString *)to + to_first + i, s->data, s->size);
            if (status != TSR_OK)
                return status;
        }
        return TSR_OK;
    }
    if (size == 0) {
        /* Packed elements: whole bytes at once where both runs start on one. */
        uint32_t carrier = packed_carrier(dtype), bits = tsr_dtype_bits(dtype);
        int64_t whole = to_first == 0 && from_first == 0 ? count * bits / 8 : 0;
        memcpy(to, from, (size_t)whole);
        for (int64_t i = whole * 8 / bits; i < count; i++) {
            int64_t value;
            aicpu_load_int64(carrier, from, from_first + i, 1, &value);
            aicpu_store_int64(carrier, to, to_first + i, 1, &value);
        }
        return TSR_OK;
    }
    memcpy((char *)to + to_first * size, (const char *)from + from_first * size,
           (size_t)(count * size));
    return TSR_OK;
}
