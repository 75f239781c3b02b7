/* SPDX-License-Identifier: Apache-2.0
 *
 * image_png.c: PNG through libpng's simplified interface, which keeps its errors to
 * itself. Alpha is dropped, not blended.
 */
#include "image.h"
#include <png.h>

int aicpu_image_png(AicpuImage *image, const uint8_t *data, size_t size)
{
    png_image png = {.version = PNG_IMAGE_VERSION};
    uint8_t *pixels;
    int done = 0;
    if (!png_image_begin_read_from_memory(&png, data, size))
        return 0;
    png.format = PNG_FORMAT_RGBA;
    if (aicpu_image_make(image, png.width, png.height) &&
        (pixels = image->run->scratch(image->run, PNG_IMAGE_SIZE(png))) != NULL &&
        png_image_finish_read(&png, NULL, pixels, 0, NULL)) {
        for (int64_t i = 0; i < image->width * image->height; i++)
            memcpy(image->rgb + 3 * i, pixels + 4 * i, 3);
        done = 1;
    }
    png_image_free(&png);
    return done;
}
