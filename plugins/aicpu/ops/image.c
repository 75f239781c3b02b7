/* SPDX-License-Identifier: Apache-2.0
 *
 * image.c: ImageDecoder: the first decoder that knows the file decodes it. A file that
 * nobody can decode gives an empty picture, as the operator wants it.
 */
#include "image.h"

int aicpu_image_make(AicpuImage *image, int64_t width, int64_t height)
{
    if (width < 1 || height < 1 || width > AICPU_IMAGE_PIXELS / height)
        return 0;
    image->width = width;
    image->height = height;
    image->rgb = image->run->scratch(image->run, (uint64_t)(width * height * 3));
    return image->rgb != NULL;
}

/* How files begin; "?" stands for any byte. */
typedef struct Decoder {
    const char *magic;
    size_t size;
    AicpuImageFn decode;
} Decoder;

static const Decoder decoders[] = {
    {"BM", 2, aicpu_image_bmp},
    {"II*\0", 4, aicpu_image_tiff},
    {"MM\0*", 4, aicpu_image_tiff},
    {"P", 1, aicpu_image_pnm},
#ifdef AICPU_HAVE_PNG
    {"\x89PNG", 4, aicpu_image_png},
#endif
#ifdef AICPU_HAVE_JPEG
    {"\xff\xd8\xff", 3, aicpu_image_jpeg},
#endif
#ifdef AICPU_HAVE_WEBP
    {"RIFF????WEBP", 12, aicpu_image_webp},
#endif
#ifdef AICPU_HAVE_JP2
    {"\0\0\0\x0cjP  ", 8, aicpu_image_jp2},
    {"\xff\x4f\xff\x51", 4, aicpu_image_jp2},
#endif
};

static int begins_with(const uint8_t *data, size_t size, const Decoder *decoder)
{
    if (size < decoder->size)
        return 0;
    for (size_t i = 0; i < decoder->size; i++)
        if (decoder->magic[i] != '?' && data[i] != (uint8_t)decoder->magic[i])
            return 0;
    return 1;
}

static int32_t run_image(const AicpuKernel *kernel, TsrRunContext *run)
{
    const uint8_t *data = run->inputs[0]->data;
    size_t size = (size_t)tsr_desc_elements(run->inputs[0]->desc);
    int gray = tsr_attr_is(run->node, "pixel_format", "Grayscale");
    int swap = tsr_attr_is(run->node, "pixel_format", "BGR"), found = 0;
    AicpuImage image = {.run = run};
    int64_t shape[3] = {0, 0, gray ? 1 : 3}, pixels;
    uint8_t *out;
    int32_t status;
    (void)kernel;
    for (uint32_t i = 0; i < COUNT_OF(decoders) && !found; i++)
        found = begins_with(data, size, &decoders[i]) && decoders[i].decode(&image, data, size);
    if (found) {
        shape[0] = image.height;
        shape[1] = image.width;
    }
    if ((status = run->alloc_output(run, 0, TSR_DTYPE_UINT8, 3, shape)) != TSR_OK || !found)
        return status;
    pixels = shape[0] * shape[1];
    out = run->outputs[0]->data;
    for (int64_t i = 0; i < pixels; i++) {
        const uint8_t *p = image.rgb + 3 * i;
        if (gray) /* ITU-R BT.601 luma in 16-bit fixed point */
            out[i] = (uint8_t)((19595u * p[0] + 38470u * p[1] + 7471u * p[2] + 0x8000u) >> 16);
        for (int c = 0; !gray && c < 3; c++)
            out[3 * i + c] = p[swap ? 2 - c : c];
    }
    return TSR_OK;
}

static const AicpuKernel kernels[] = {
    {.op = "ImageDecoder", .run = run_image},
};

const AicpuFamily aicpu_image = AICPU_FAMILY(kernels);
