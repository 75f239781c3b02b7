/* SPDX-License-Identifier: Apache-2.0
 *
 * image_jpeg.c: JPEG through libjpeg, whose default upsampling is the one that the
 * operator asks for. Its errors jump back here; nothing is printed.
 */
#include "image.h"
#include <setjmp.h>
#include <stdio.h>
#include <jpeglib.h>

typedef struct Errors {
    struct jpeg_error_mgr manager; /* first, so that libjpeg's pointer is ours */
    jmp_buf back;
} Errors;

static void leave(j_common_ptr info)
{
    longjmp(((Errors *)info->err)->back, 1);
}

static void keep_quiet(j_common_ptr info)
{
    (void)info;
}

int aicpu_image_jpeg(AicpuImage *image, const uint8_t *data, size_t size)
{
    struct jpeg_decompress_struct info = {.err = NULL}; /* so that destroying it is safe */
    Errors errors;
    volatile int done = 0;
    info.err = jpeg_std_error(&errors.manager);
    errors.manager.error_exit = leave;
    errors.manager.output_message = keep_quiet;
    if (setjmp(errors.back) == 0) {
        jpeg_create_decompress(&info);
        jpeg_mem_src(&info, data, size);
        jpeg_read_header(&info, TRUE);
        info.out_color_space = JCS_RGB;
        jpeg_start_decompress(&info);
        if (aicpu_image_make(image, info.output_width, info.output_height)) {
            while (info.output_scanline < info.output_height) {
                JSAMPROW row = image->rgb + (size_t)info.output_scanline * info.output_width * 3;
                jpeg_read_scanlines(&info, &row, 1);
            }
            jpeg_finish_decompress(&info);
            done = 1;
        }
    }
    jpeg_destroy_decompress(&info);
    return done;
}
