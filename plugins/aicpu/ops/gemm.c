/* SPDX-License-Identifier: Apache-2.0
 *
 * gemm.c: a blocked matrix product. A tile of 4 rows by 32 columns stays in registers
 * while k advances through a chunk; the chunk's sum is then added to the output, so
 * that rounding errors grow with k / CHUNK + CHUNK and not with k.
 */
#include "gemm.h"
#include "../walk.h"

enum { ROWS = 4, COLUMNS = 32, CHUNK = 256 };

/* The tile is compiled for wider vectors too and picked when the plugin is loaded. The
 * build forbids contraction to fused operations, so that all of them round alike.
 * 512 x 512 x 512 on one core: 24 GFLOP/s with SSE2, 66 with AVX-512. Sanitizers do not
 * bear the resolvers that this needs. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&              \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define MANY_TARGETS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define MANY_TARGETS
#endif

typedef struct Job {
    int64_t m, n, k, y_stride;
    const float *a, *b;
    float *y;
    int accumulate;
} Job;

/* A full tile: the extents are constants, so that the sums live in vector registers. */
MANY_TARGETS
static void tile_full(const Job *job, int64_t row, int64_t column, int64_t k0, int64_t k1,
                      int add)
{
    float sum[ROWS][COLUMNS] = {{0}};
    const float *a = job->a + row * job->k;
    for (int64_t k = k0; k < k1; k++) {
        const float *b = job->b + k * job->n + column;
        for (int r = 0; r < ROWS; r++) {
            float v = a[r * job->k + k];
            for (int c = 0; c < COLUMNS; c++)
                sum[r][c] += v * b[c];
        }
    }
    for (int r = 0; r < ROWS; r++) {
        float *y = job->y + (row + r) * job->y_stride + column;
        for (int c = 0; c < COLUMNS; c++)
            y[c] = add ? y[c] + sum[r][c] : sum[r][c];
    }
}

/* A tile at the edge of the output. */
MANY_TARGETS
static void tile_edge(const Job *job, int64_t row, int64_t rows, int64_t column, int64_t columns,
                      int64_t k0, int64_t k1, int add)
{
    for (int64_t r = 0; r < rows; r++) {
        float sum[COLUMNS] = {0};
        const float *a = job->a + (row + r) * job->k;
        float *y = job->y + (row + r) * job->y_stride + column;
        for (int64_t k = k0; k < k1; k++) {
            const float *b = job->b + k * job->n + column;
            for (int64_t c = 0; c < columns; c++)
                sum[c] += a[k] * b[c];
        }
        for (int64_t c = 0; c < columns; c++)
            y[c] = add ? y[c] + sum[c] : sum[c];
    }
}

/* A band of tile columns or tile rows, whichever the output has more of. */
static void band(const Job *job, int64_t row0, int64_t row1, int64_t column0, int64_t column1)
{
    for (int64_t k0 = 0; k0 < job->k || k0 == 0; k0 += CHUNK) {
        int64_t k1 = k0 + CHUNK < job->k ? k0 + CHUNK : job->k;
        int add = job->accumulate || k0 > 0;
        for (int64_t column = column0; column < column1; column += COLUMNS) {
            int64_t columns = column1 - column < COLUMNS ? column1 - column : COLUMNS;
            for (int64_t row = row0; row < row1; row += ROWS) {
                int64_t rows = row1 - row < ROWS ? row1 - row : ROWS;
                if (rows == ROWS && columns == COLUMNS)
                    tile_full(job, row, column, k0, k1, add);
                else
                    tile_edge(job, row, rows, column, columns, k0, k1, add);
            }
        }
    }
}

static void by_columns(void *arg, uint64_t begin, uint64_t end)
{
    const Job *job = arg;
    int64_t last = (int64_t)end * COLUMNS;
    band(job, 0, job->m, (int64_t)begin * COLUMNS, last < job->n ? last : job->n);
}

static void by_rows(void *arg, uint64_t begin, uint64_t end)
{
    const Job *job = arg;
    int64_t last = (int64_t)end * ROWS;
    band(job, (int64_t)begin * ROWS, last < job->m ? last : job->m, 0, job->n);
}

void aicpu_gemm_f32(TsrRunContext *run, int64_t m, int64_t n, int64_t k, const float *a,
                    const float *b, float *y, int64_t y_stride, int accumulate)
{
    Job job = {m, n, k, y_stride, a, b, y, accumulate};
    int64_t row_tiles = (m + ROWS - 1) / ROWS, column_tiles = (n + COLUMNS - 1) / COLUMNS;
    if (m <= 0 || n <= 0)
        return;
    if (run == NULL || m * n * (k > 0 ? k : 1) < 65536)
        band(&job, 0, m, 0, n);
    else if (column_tiles >= row_tiles || column_tiles >= 8)
        aicpu_parallel(run, column_tiles, 1, by_columns, &job);
    else
        aicpu_parallel(run, row_tiles, 4, by_rows, &job);
}

enum { LANES = 16 };

/* Columns [begin, end) of y = a * transpose(b): dot products in LANES partial sums,
 * which the compiler keeps in vector registers. */
static void dots(void *arg, uint64_t begin, uint64_t end)
{
    const Job *job = arg;
    for (int64_t column = (int64_t)begin; column < (int64_t)end; column++) {
        const float *b = job->b + column * job->k;
        for (int64_t row = 0; row < job->m; row++) {
            const float *a = job->a + row * job->k;
            float lane[LANES] = {0}, sum = 0.0f;
            int64_t k = 0;
            for (; k + LANES <= job->k; k += LANES)
                for (int i = 0; i < LANES; i++)
                    lane[i] += a[k + i] * b[k + i];
            for (; k < job->k; k++)
                sum += a[k] * b[k];
            for (int i = 0; i < LANES; i++)
                sum += lane[i];
            job->y[row * job->y_stride + column] = sum;
        }
    }
}

void aicpu_gemm_nt_f32(TsrRunContext *run, int64_t m, int64_t n, int64_t k, const float *a,
                       const float *b, float *y)
{
    Job job = {m, n, k, n, a, b, y, 0};
    aicpu_parallel(run, n, 1 + 65536 / (m * k + 1), dots, &job);
}
