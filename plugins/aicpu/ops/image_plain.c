/* SPDX-License-Identifier: Apache-2.0
 *
 * image_plain.c: decoders of uncompressed files: BMP (8, 24 and 32 bits), the portable
 * maps P1 to P6 and baseline TIFF with 8-bit samples in strips. Every read is checked
 * against the size of the data.
 */
#include "image.h"

/* A number of 1 to 4 bytes at a place; 0 beyond the end. */
static uint32_t number_at(const uint8_t *data, size_t size, uint64_t at, int bytes, int big)
{
    uint32_t value = 0;
    if (at > size || size - at < (size_t)bytes)
        return 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint32_t)data[at + (uint64_t)i] << 8 * (big ? bytes - 1 - i : i);
    return value;
}

int aicpu_image_bmp(AicpuImage *image, const uint8_t *data, size_t size)
{
    int64_t width = (int32_t)number_at(data, size, 18, 4, 0);
    int64_t height = (int32_t)number_at(data, size, 22, 4, 0), rows = height < 0 ? -height : height;
    uint64_t pixels = number_at(data, size, 10, 4, 0), header = number_at(data, size, 14, 4, 0);
    uint32_t bits = number_at(data, size, 28, 2, 0), packing = number_at(data, size, 30, 4, 0);
    uint64_t stride, palette = 14 + header;
    if (header < 40 || (bits != 8 && bits != 24 && bits != 32) ||
        !(packing == 0 || (packing == 3 && bits == 32)) || !aicpu_image_make(image, width, rows))
        return 0;
    stride = ((uint64_t)width * bits + 31) / 32 * 4; /* rows are padded to 4 bytes */
    if (pixels > size || (size - pixels) / stride < (uint64_t)rows)
        return 0;
    for (int64_t y = 0; y < rows; y++) {
        const uint8_t *row = data + pixels + (uint64_t)(height < 0 ? y : rows - 1 - y) * stride;
        for (int64_t x = 0; x < width; x++)
            for (int c = 0; c < 3; c++) /* stored as blue, green, red */
                image->rgb[(y * width + x) * 3 + c] =
                    bits == 8 ? (uint8_t)number_at(data, size, palette + 4u * row[x] + 2u -
                                                                   (uint64_t)c, 1, 0)
                              : row[x * (bits / 8) + 2 - c];
    }
    return 1;
}

/* The next number of a portable map's header; comments run to the end of the line. */
static int64_t header_number(const uint8_t *data, size_t size, size_t *at)
{
    int64_t value = -1;
    for (int comment = 0; *at < size && (comment || data[*at] < '0' || data[*at] > '9'); (*at)++)
        comment = data[*at] == '#' || (comment && data[*at] != '\n');
    for (; *at < size && data[*at] >= '0' && data[*at] <= '9' && value < 1 << 24; (*at)++)
        value = (value < 0 ? 0 : value * 10) + (data[*at] - '0');
    return value;
}

int aicpu_image_pnm(AicpuImage *image, const uint8_t *data, size_t size)
{
    int kind = size > 2 ? data[1] - '0' : 0, channels = kind == 3 || kind == 6 ? 3 : 1;
    int text = kind <= 3, bitmap = kind == 1 || kind == 4;
    size_t at = 2;
    int64_t width, height, most = 1, count;
    if (kind < 1 || kind > 6)
        return 0;
    width = header_number(data, size, &at);
    height = header_number(data, size, &at);
    if (!bitmap)
        most = header_number(data, size, &at);
    if (most < 1 || most > 255 || !aicpu_image_make(image, width, height))
        return 0;
    at++; /* one white space */
    count = width * height * channels;
    if (!text && (at > size || (uint64_t)(size - at) <
                                   (uint64_t)(bitmap ? (width + 7) / 8 * height : count)))
        return 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t value;
        if (kind == 4) {
            value = data[at + (uint64_t)(i / width * ((width + 7) / 8) + i % width / 8)] >>
                        (7 - i % width % 8) & 1;
        } else if (kind == 1) { /* digits need not be apart */
            while (at < size && data[at] != '0' && data[at] != '1')
                at++;
            value = at < size ? data[at++] - '0' : -1;
        } else {
            value = text ? header_number(data, size, &at) : data[at++];
        }
        if (value < 0 || value > most)
            return 0;
        value = bitmap ? (value ? 0 : 255) : (value * 255 + most / 2) / most;
        for (int c = 0; c < 3 / channels; c++)
            image->rgb[i * (3 / channels) + c] = (uint8_t)value;
    }
    return 1;
}

/* What baseline TIFF says of a picture. */
typedef struct Tiff {
    const uint8_t *data;
    size_t size;
    int big;
    uint32_t width, height, bits, packing, meaning, samples, rows, planar;
    uint64_t strips, strip_type; /* place of the offsets, bytes of one */
} Tiff;

/* Reads one entry of the directory at a place. */
static void read_tag(Tiff *t, uint64_t at)
{
    uint32_t tag = number_at(t->data, t->size, at, 2, t->big);
    uint32_t type = number_at(t->data, t->size, at + 2, 2, t->big);
    uint32_t count = number_at(t->data, t->size, at + 4, 4, t->big);
    int bytes = type == 3 ? 2 : type == 4 ? 4 : 1;
    uint64_t place = (uint64_t)count * (uint64_t)bytes > 4
                         ? number_at(t->data, t->size, at + 8, 4, t->big)
                         : at + 8;
    uint32_t value = number_at(t->data, t->size, place, bytes, t->big);
    switch (tag) {
    case 256: t->width = value; break;
    case 257: t->height = value; break;
    case 258: t->bits = value; break;
    case 259: t->packing = value; break;
    case 262: t->meaning = value; break;
    case 273:
        t->strips = place;
        t->strip_type = (uint64_t)bytes;
        break;
    case 277: t->samples = value; break;
    case 278: t->rows = value; break;
    case 284: t->planar = value; break;
    default: break;
    }
}

int aicpu_image_tiff(AicpuImage *image, const uint8_t *data, size_t size)
{
    Tiff t = {.data = data, .size = size, .big = data[0] == 'M', .bits = 1, .packing = 1,
              .samples = 1, .rows = UINT32_MAX, .planar = 1};
    uint64_t directory = number_at(data, size, 4, 4, t.big), row_bytes;
    uint32_t entries = number_at(data, size, directory, 2, t.big);
    for (uint32_t i = 0; i < entries; i++)
        read_tag(&t, directory + 2 + 12 * (uint64_t)i);
    if (t.bits != 8 || t.packing != 1 || t.planar != 1 || t.rows == 0 || t.strips == 0 ||
        t.meaning > 2 || t.samples < (t.meaning == 2 ? 3u : 1u) || t.samples > 8 ||
        !aicpu_image_make(image, t.width, t.height))
        return 0;
    row_bytes = (uint64_t)t.width * t.samples;
    for (uint32_t y = 0; y < t.height; y++) {
        uint64_t at = number_at(data, size, t.strips + y / t.rows * t.strip_type,
                                (int)t.strip_type, t.big) + y % t.rows * row_bytes;
        if (at > size || size - at < row_bytes)
            return 0;
        for (uint32_t x = 0; x < t.width; x++)
            for (uint32_t c = 0; c < 3; c++) {
                uint8_t value = data[at + (uint64_t)x * t.samples + (t.meaning == 2 ? c : 0)];
                image->rgb[((uint64_t)y * t.width + x) * 3 + c] =
                    t.meaning == 0 ? (uint8_t)(255 - value) : value; /* 0: white is zero */
            }
    }
    return 1;
}
