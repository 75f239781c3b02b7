/* SPDX-License-Identifier: Apache-2.0
 *
 * image_webp.c: WebP through libwebp. Alpha is dropped.
 */
#include "image.h"
#include <webp/decode.h>

int aicpu_image_webp(AicpuImage *image, const uint8_t *data, size_t size)
{
    int width, height;
    return WebPGetInfo(data, size, &width, &height) && aicpu_image_make(image, width, height) &&
           WebPDecodeRGBInto(data, size, image->rgb, (size_t)width * (size_t)height * 3,
                             width * 3) != NULL;
}
