/* SPDX-License-Identifier: Apache-2.0
 *
 * image_jp2.c: JPEG 2000 through OpenJPEG, from files and raw code streams, for gray and
 * RGB samples of up to 16 bits without subsampling.
 */
#include "image.h"
#include <openjpeg.h>

/* The data as a stream. */
typedef struct Source {
    const uint8_t *data;
    size_t size, at;
} Source;

static OPJ_SIZE_T read_source(void *buffer, OPJ_SIZE_T size, void *user)
{
    Source *source = user;
    size_t left = source->size - source->at, n = size < left ? size : left;
    if (n == 0)
        return (OPJ_SIZE_T)-1;
    memcpy(buffer, source->data + source->at, n);
    source->at += n;
    return n;
}

static OPJ_OFF_T skip_source(OPJ_OFF_T bytes, void *user)
{
    Source *source = user;
    OPJ_OFF_T left = (OPJ_OFF_T)(source->size - source->at);
    if (bytes < 0)
        return -1;
    bytes = bytes < left ? bytes : left;
    source->at += (size_t)bytes;
    return bytes;
}

static OPJ_BOOL seek_source(OPJ_OFF_T to, void *user)
{
    Source *source = user;
    if (to < 0 || (size_t)to > source->size)
        return OPJ_FALSE;
    source->at = (size_t)to;
    return OPJ_TRUE;
}

/* Samples of one or three components as bytes. */
static int copy_samples(AicpuImage *image, const opj_image_t *from)
{
    uint32_t used = from->numcomps >= 3 ? 3 : 1;
    if (from->numcomps < 1 || from->color_space == OPJ_CLRSPC_SYCC ||
        from->color_space == OPJ_CLRSPC_EYCC || from->color_space == OPJ_CLRSPC_CMYK)
        return 0;
    for (uint32_t c = 0; c < used; c++) {
        const opj_image_comp_t *comp = &from->comps[c];
        if (comp->data == NULL || comp->prec < 1 || comp->prec > 16 ||
            comp->w != from->comps[0].w || comp->h != from->comps[0].h)
            return 0;
    }
    if (!aicpu_image_make(image, from->comps[0].w, from->comps[0].h))
        return 0;
    for (int64_t i = 0; i < image->width * image->height; i++)
        for (uint32_t c = 0; c < 3; c++) {
            const opj_image_comp_t *comp = &from->comps[used == 3 ? c : 0];
            int32_t most = (1 << comp->prec) - 1;
            int32_t value = comp->data[i] + (comp->sgnd ? 1 << (comp->prec - 1) : 0);
            value = value < 0 ? 0 : value > most ? most : value;
            image->rgb[3 * i + c] = (uint8_t)((value * 255 + most / 2) / most);
        }
    return 1;
}

int aicpu_image_jp2(AicpuImage *image, const uint8_t *data, size_t size)
{
    Source source = {data, size, 0};
    opj_dparameters_t parameters;
    opj_codec_t *codec = opj_create_decompress(data[0] == 0 ? OPJ_CODEC_JP2 : OPJ_CODEC_J2K);
    opj_stream_t *stream = opj_stream_default_create(OPJ_TRUE);
    opj_image_t *decoded = NULL;
    int done = 0;
    opj_set_default_decoder_parameters(&parameters);
    if (codec != NULL && stream != NULL) {
        opj_stream_set_read_function(stream, read_source);
        opj_stream_set_skip_function(stream, skip_source);
        opj_stream_set_seek_function(stream, seek_source);
        opj_stream_set_user_data(stream, &source, NULL);
        opj_stream_set_user_data_length(stream, size);
        done = opj_setup_decoder(codec, &parameters) &&
               opj_read_header(stream, codec, &decoded) &&
               (int64_t)decoded->x1 - decoded->x0 <= AICPU_IMAGE_PIXELS &&
               (int64_t)decoded->y1 - decoded->y0 <= AICPU_IMAGE_PIXELS &&
               ((int64_t)decoded->x1 - decoded->x0) * ((int64_t)decoded->y1 - decoded->y0) <=
                   AICPU_IMAGE_PIXELS &&
               opj_decode(codec, stream, decoded) && copy_samples(image, decoded);
    }
    opj_image_destroy(decoded);
    opj_stream_destroy(stream);
    opj_destroy_codec(codec);
    return done;
}
