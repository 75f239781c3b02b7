/* SPDX-License-Identifier: Apache-2.0
 *
 * conv2d_depthwise_i8_tmpl.h: CONV2D_DEPTHWISE_I8 for one instruction set; the files that
 * include it define DEPTHWISE_I8. Elements lose their zero point, so that taps outside of
 * the picture are left out; a product of 16-bit numbers is one step of pmaddwd beside a
 * zero.
 */
#include "kernel_list.h"
#include "requant.h"
#include "split.h"
#include "vec_i8.h"

enum { GROUP = 4 };

typedef struct Row {
    const TsrConv2dI8Params *p;
    const uint8_t *x; /* the channel block of a picture */
    const int16_t *w;
    const TsrRequantBlock *table;
    int32_t zero;
    int32_t row, first_tap, last_tap; /* row: of x, at tap 0; taps that lie inside */
    char *y;
} Row;

ALWAYS_INLINE vq16 load_x(const Row *t, const uint8_t *x)
{
    return vq_sub(t->p->requant.x_signed ? vq_of_s8(x) : vq_of_u8(x), vq_set1(t->zero));
}

static void put(const Row *t, int64_t column, vq16 sum)
{
    if (t->p->requant.y_dtype == TSR_DTYPE_INT32)
        vq_store((int32_t *)t->y + column * 16, sum);
    else
        _mm_storeu_si128((__m128i *)(t->y + column * 16),
                         vq_requant(sum, t->table->factor, &t->p->requant, NULL));
}

/* `count` columns from `column` on, whose taps [b_begin, b_end) all lie inside. */
ALWAYS_INLINE void columns(const Row *t, int64_t column, int32_t b_begin, int32_t b_end,
                           const int count)
{
    const TsrConv2dParams *c = &t->p->conv;
    const int64_t step = (int64_t)c->stride_w * 16;
    vq16 sum[GROUP];
    for (int i = 0; i < count; i++)
        sum[i] = vq_load(t->table->bias);
    for (int32_t a = t->first_tap; a < t->last_tap; a++)
        for (int32_t b = b_begin; b < b_end; b++) {
            const vq16 w = vq_of_u16(t->w + (a * c->kernel_w + b) * 16);
            const uint8_t *x = t->x + (((int64_t)t->row + a * c->dilation_h) * c->in_w +
                                       column * c->stride_w - c->pad_left + b * c->dilation_w) * 16;
            for (int i = 0; i < count; i++)
                sum[i] = vq_add(sum[i], vq_madd(load_x(t, x + i * step), w));
        }
    for (int i = 0; i < count; i++)
        put(t, column + i, sum[i]);
}

/* The taps of an axis that lie inside where tap 0 is at `at`. */
static void inside(int64_t at, int32_t taps, int32_t dilation, int32_t extent, int32_t *out_begin,
                   int32_t *out_end)
{
    int32_t begin = 0, end = taps;
    while (begin < end && at + (int64_t)begin * dilation < 0)
        begin++;
    while (end > begin && at + (int64_t)(end - 1) * dilation >= extent)
        end--;
    *out_begin = begin;
    *out_end = end;
}

static void row_run(const Row *t)
{
    const TsrConv2dParams *c = &t->p->conv;
    for (int64_t column = 0; column < c->out_w;) {
        const int64_t at = column * c->stride_w - c->pad_left;
        int32_t begin, end, later_begin, later_end;
        inside(at, c->kernel_w, c->dilation_w, c->in_w, &begin, &end);
        inside(at + (GROUP - 1) * c->stride_w, c->kernel_w, c->dilation_w, c->in_w, &later_begin,
               &later_end);
        if (column + GROUP <= c->out_w && begin == 0 && later_begin == 0 &&
            end == c->kernel_w && later_end == c->kernel_w) {
            columns(t, column, 0, c->kernel_w, GROUP);
            column += GROUP;
        } else {
            columns(t, column, begin, end, 1);
            column++;
        }
    }
}

void DEPTHWISE_I8(void *const *args, const void *params, uint32_t block_index,
                  uint32_t block_dim)
{
    const TsrConv2dI8Params *p = params;
    const TsrConv2dParams *c = &p->conv;
    const int64_t blocks = split_pieces(c->out_c, 16), taps = (int64_t)c->kernel_h * c->kernel_w;
    const int64_t size = requant_bytes(&p->requant);
    int64_t begin, end;
    split_range(c->batch * blocks * c->out_h, block_index, block_dim, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        const int64_t row = piece % c->out_h, plane = piece / c->out_h, block = plane % blocks;
        Row t = { .p = p, .zero = requant_zero(&p->requant, args[3]),
                  .x = (const uint8_t *)args[0] + plane * c->in_h * c->in_w * 16,
                  .w = (const int16_t *)args[1] + block * taps * 16,
                  .table = (const TsrRequantBlock *)args[2] + block,
                  .row = (int32_t)(row * c->stride_h - c->pad_top),
                  .y = (char *)args[4] + (plane * c->out_h + row) * c->out_w * 16 * size };
        inside(t.row, c->kernel_h, c->dilation_h, c->in_h, &t.first_tap, &t.last_tap);
        row_run(&t);
    }
}
