/* SPDX-License-Identifier: Apache-2.0
 *
 * test_image.c: ImageDecoder on files that are short enough to be written down; whatever
 * is cut short or claims too much gives an empty picture.
 */
#include "support/op_check.h"

/* Decodes bytes and compares the picture; want NULL: an empty one. */
static void decodes(const void *file, size_t size, const char *format, const int64_t *shape,
                    const uint8_t *want)
{
    const int64_t empty[3] = {0, 0, strcmp(format, "Grayscale") == 0 ? 1 : 3};
    int64_t length = (int64_t)size;
    OpHarness *h = op("ImageDecoder", 20);
    op_harness_input(h, TSR_DTYPE_UINT8, 1, &length, file);
    op_harness_string(h, "pixel_format", format);
    runs(h);
    want_shape(h, 0, TSR_DTYPE_UINT8, want != NULL ? shape : empty, 3);
    if (want != NULL)
        ck_assert_mem_eq(op_harness_output(h, 0)->data, want,
                         (size_t)tsr_shape_elements(3, shape));
    op_harness_free(h);
}

/* One by two pixels: (1, 2, 3) over (4, 5, 6); BMP begins at the bottom with blue. */
static const uint8_t bmp[62] = {
    'B', 'M', 62, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 0,
    24, 0, [54] = 6, 5, 4, 0, 3, 2, 1, 0,
};

/* The same as TIFF: width, height, bits, packing, meaning, offset, samples. */
static const uint8_t tiff[] = {
    'I', 'I', '*', 0, 14, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 0,
    0, 1, 3, 0, 1, 0, 0, 0, 1, 0, 0, 0,  1, 1, 3, 0, 1, 0, 0, 0, 2, 0, 0, 0,
    2, 1, 3, 0, 1, 0, 0, 0, 8, 0, 0, 0,  3, 1, 3, 0, 1, 0, 0, 0, 1, 0, 0, 0,
    6, 1, 3, 0, 1, 0, 0, 0, 2, 0, 0, 0,  17, 1, 4, 0, 1, 0, 0, 0, 8, 0, 0, 0,
    21, 1, 3, 0, 1, 0, 0, 0, 3, 0, 0, 0,
};

START_TEST(pictures)
{
    const uint8_t rgb[6] = {1, 2, 3, 4, 5, 6}, bgr[6] = {3, 2, 1, 6, 5, 4}, gray[2] = {2, 5};
    const uint8_t map[6] = {0, 0, 0, 255, 255, 255};
    decodes(bmp, sizeof(bmp), "RGB", I64(2, 1, 3), rgb);
    decodes(bmp, sizeof(bmp), "BGR", I64(2, 1, 3), bgr);
    decodes(bmp, sizeof(bmp), "Grayscale", I64(2, 1, 1), gray);
    decodes(tiff, sizeof(tiff), "RGB", I64(2, 1, 3), rgb);
    decodes("P6 #x\n1 2 255\n\1\2\3\4\5\6", 21, "RGB", I64(2, 1, 3), rgb);
    decodes("P3 1 2 # 9\n255 1 2 3 4 5 6", 26, "RGB", I64(2, 1, 3), rgb);
    decodes("P1\n2 1\n10", 9, "RGB", I64(1, 2, 3), map);
    decodes("P4\n2 1\n\x80", 8, "RGB", I64(1, 2, 3), map);
    decodes("P2 2 1 3 0 3", 12, "RGB", I64(1, 2, 3), map);
}
END_TEST

START_TEST(broken_files)
{
    static const char *const starts[] = {"\x89PNG\r\n\x1a\n", "\xff\xd8\xff\xe0", "RIFF",
                                         "\xff\x4f\xff\x51", "P7", "GIF8"};
    uint8_t huge[62];
    for (size_t n = 0; n < sizeof(bmp) - 2; n++)
        decodes(bmp, n, "RGB", NULL, NULL);
    for (size_t n = 0; n < sizeof(tiff) - 12; n++)
        decodes(tiff, n, "RGB", NULL, NULL);
    decodes("P6 1 2 255\n\1\2\3", 14, "RGB", NULL, NULL);
    decodes("P6 99999999 99999999 255\n", 25, "Grayscale", NULL, NULL);
    memcpy(huge, bmp, sizeof(bmp));
    memset(huge + 18, 0x7f, 8);
    decodes(huge, sizeof(huge), "BGR", NULL, NULL);
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        uint8_t file[64];
        memset(file, (int)(17 * i), sizeof(file));
        memcpy(file, starts[i], strlen(starts[i]));
        decodes(file, sizeof(file), "RGB", NULL, NULL);
    }
}
END_TEST

OP_TEST_MAIN(pictures, broken_files)
