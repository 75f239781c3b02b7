/* SPDX-License-Identifier: Apache-2.0
 *
 * image.h: the decoders of ImageDecoder. Each tells its files by their first bytes and
 * gives 8-bit RGB; it returns 0 for a file that it cannot decode and never reads outside
 * of the data. image_png.c and the like are there where their libraries are.
 */
#ifndef AICPU_OPS_IMAGE_H
#define AICPU_OPS_IMAGE_H

#include "../aicpu.h"

/* A picture that claims more pixels is not decoded. */
#define AICPU_IMAGE_PIXELS (INT64_C(1) << 28)

typedef struct AicpuImage {
    TsrRunContext *run; /* for memory */
    int64_t width, height;
    uint8_t *rgb;       /* height * width * 3, in scratch memory */
} AicpuImage;

typedef int (*AicpuImageFn)(AicpuImage *image, const uint8_t *data, size_t size);

/* Sets the extents and gets the memory; 0 when they are too large or there is none. */
int aicpu_image_make(AicpuImage *image, int64_t width, int64_t height);

int aicpu_image_bmp(AicpuImage *image, const uint8_t *data, size_t size);
int aicpu_image_pnm(AicpuImage *image, const uint8_t *data, size_t size);
int aicpu_image_tiff(AicpuImage *image, const uint8_t *data, size_t size);
int aicpu_image_png(AicpuImage *image, const uint8_t *data, size_t size);
int aicpu_image_jpeg(AicpuImage *image, const uint8_t *data, size_t size);
int aicpu_image_webp(AicpuImage *image, const uint8_t *data, size_t size);
int aicpu_image_jp2(AicpuImage *image, const uint8_t *data, size_t size);

#endif
