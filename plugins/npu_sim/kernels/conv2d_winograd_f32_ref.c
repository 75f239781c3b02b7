/* SPDX-License-Identifier: Apache-2.0
 *
 * conv2d_winograd_f32_ref.c: the reference of CONV2D_WINOGRAD_F32, one tile of one
 * output channel at a time: Y = A^T [sum (B^T d B) * U] A in double, from the matrices
 * as Lavin and Gray print them. It needs no workspace.
 */
#include "act_ref.h"
#include "kernel_list.h"
#include "split.h"

static const double bt[6][6] = {
    { 4, 0, -5, 0, 1, 0 },  { 0, -4, -4, 1, 1, 0 }, { 0, 4, -4, -1, 1, 0 },
    { 0, -2, -1, 2, 1, 0 }, { 0, 2, -1, -2, 1, 0 }, { 0, 4, 0, -5, 0, 1 },
};
static const double at[4][6] = {
    { 1, 1, 1, 1, 1, 0 }, { 0, 1, -1, 2, -2, 0 }, { 0, 1, 1, 4, 4, 0 }, { 0, 1, -1, 8, -8, 1 },
};

/* B^T d B of the 6 x 6 pixels of x (one channel, 16 floats a pixel) from (top, left). */
static void input_tile(const TsrWinogradParams *p, const float *x, int64_t top, int64_t left,
                       double out[6][6])
{
    double half[6][6] = { { 0.0 } };
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            for (int k = 0; k < 6; k++)
                if (top + k >= 0 && top + k < p->in_h && left + j >= 0 && left + j < p->in_w)
                    half[i][j] += bt[i][k] * (double)x[((top + k) * p->in_w + left + j) * 16];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            out[i][j] = 0.0;
            for (int k = 0; k < 6; k++)
                out[i][j] += half[i][k] * bt[j][k];
        }
}

void tsr_conv2d_winograd_f32_ref(void *const *args, const void *params, uint32_t block_index,
                                 uint32_t block_dim)
{
    const TsrWinogradParams *p = params;
    const float *x = args[0], *w = args[1], *bias = args[2], *residual = args[3];
    float *y = args[4];
    const int64_t across = split_pieces(p->out_w, 4), tiles = across * split_pieces(p->out_h, 4);
    const int64_t in = (int64_t)p->in_h * p->in_w, out = (int64_t)p->out_h * p->out_w;
    const int64_t in_blocks = split_pieces(p->in_c, 16), out_blocks = split_pieces(p->out_c, 16);
    int64_t begin, end;
    split_range(p->batch * tiles * p->out_c, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t oc = piece % p->out_c, tile = piece / p->out_c % tiles;
        const int64_t n = piece / p->out_c / tiles;
        const int64_t top = tile / across * 4, left = tile % across * 4;
        double sum[6][6] = { { 0.0 } }, v[6][6];
        for (int64_t c = 0; c < p->in_c; c++) {
            input_tile(p, x + (n * in_blocks + c / 16) * in * 16 + c % 16, top - p->pad_top,
                       left - p->pad_left, v);
            for (int i = 0; i < 36; i++)
                sum[i / 6][i % 6] +=
                    v[i / 6][i % 6] *
                    (double)w[((oc / 16 * 36 + i) * p->in_c + c) * 16 + oc % 16];
        }
        for (int64_t i = 0; i < 16; i++) {
            const int64_t row = top + i / 4, column = left + i % 4;
            const int64_t to =
                ((n * out_blocks + oc / 16) * out + row * p->out_w + column) * 16 + oc % 16;
            double value = bias != NULL ? (double)bias[oc] : 0.0;
            if (row >= p->out_h || column >= p->out_w)
                continue;
            for (int a = 0; a < 6; a++)
                for (int b = 0; b < 6; b++)
                    value += at[i / 4][a] * sum[a][b] * at[i % 4][b];
            if (residual != NULL)
                value += (double)residual[to];
            y[to] = activate_ref((float)value, &p->activation);
        }
    }
}
