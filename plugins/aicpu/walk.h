/* SPDX-License-Identifier: Apache-2.0
 *
 * walk.h: walks over several tensors at once. A grid has one shape and, per operand,
 * strides in elements (0 where it is repeated, negative where it runs backwards);
 * kernels see runs along the innermost axis. Used by every elementwise and moving
 * kernel of aicpu.
 */
#ifndef AICPU_WALK_H
#define AICPU_WALK_H

#include <tessera/plugin_util.h>

enum { AICPU_MAX_OPERANDS = 4 };

typedef struct AicpuGrid {
    uint32_t rank;      /* at least 1 once it is ready */
    uint32_t operands;
    int64_t count;      /* elements */
    int64_t dim[TSR_MAX_RANK];
    int64_t stride[AICPU_MAX_OPERANDS][TSR_MAX_RANK];
} AicpuGrid;

/* Called for a run of n elements; offset[k] is where operand k starts, in elements. */
typedef void (*AicpuRunFn)(void *arg, const int64_t *offset, int64_t n);

void aicpu_grid_init(AicpuGrid *grid, uint32_t rank, const int64_t *shape, uint32_t operands);
/* Operand k is a dense tensor of that shape, broadcast to the grid. */
void aicpu_grid_broadcast(AicpuGrid *grid, uint32_t k, uint32_t rank, const int64_t *shape);
/* Drops axes of extent 1 and merges neighbours that all operands walk as one. */
void aicpu_grid_ready(AicpuGrid *grid);
static inline int64_t aicpu_grid_inner(const AicpuGrid *grid, uint32_t k)
{
    return grid->stride[k][grid->rank - 1];
}
/* Calls fn for the whole grid in order, on this thread. */
void aicpu_grid_walk(const AicpuGrid *grid, AicpuRunFn fn, void *arg);
/* The same on all cores when it is worth it; runs come in any order. */
void aicpu_grid_parallel(const AicpuGrid *grid, TsrRunContext *run, AicpuRunFn fn, void *arg);
/* run->parallel, or one direct call where count does not pass the grain. */
void aicpu_parallel(TsrRunContext *run, int64_t count, int64_t grain,
                    void (*fn)(void *arg, uint64_t begin, uint64_t end), void *arg);

/* Copies elements over a shape; strides and offsets in elements. */
typedef struct AicpuCopy {
    uint32_t dtype;
    uint32_t rank;
    const int64_t *shape;
    void *to;
    const void *from;
    int64_t to_offset;
    int64_t from_offset;
    int64_t to_stride[TSR_MAX_RANK];
    int64_t from_stride[TSR_MAX_RANK];
} AicpuCopy;
int32_t aicpu_copy(TsrRunContext *run, const AicpuCopy *copy);
/* Copies count dense elements. */
int32_t aicpu_copy_dense(TsrRunContext *run, uint32_t dtype, void *to, int64_t to_first,
                         const void *from, int64_t from_first, int64_t count);

#endif
