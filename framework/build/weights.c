/* SPDX-License-Identifier: Apache-2.0
 *
 * weights.c: see weights.h.
 */
#include "build/weights.h"

#include <string.h>
#include <xxhash.h>

#include "base/memory.h"

typedef struct Piece {
    guint64 offset;
    GBytes *bytes;
    guint64 hash;
} Piece;

struct TsrWeights {
    gatomicrefcount refs;
    GArray *pieces;       /* Piece, ascending */
    GHashTable *by_hash;  /* hash -> index + 1 of the first piece with it */
    guint64 size;
};

static void clear_piece(gpointer piece)
{
    g_clear_pointer(&((Piece *)piece)->bytes, g_bytes_unref);
}

TsrWeights *tsr_weights_new(void)
{
    TsrWeights *weights = g_new0(TsrWeights, 1);
    g_atomic_ref_count_init(&weights->refs);
    weights->pieces = g_array_new(FALSE, FALSE, sizeof(Piece));
    g_array_set_clear_func(weights->pieces, clear_piece);
    weights->by_hash = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    return weights;
}

TsrWeights *tsr_weights_new_block(GBytes *block)
{
    TsrWeights *weights = tsr_weights_new();
    Piece piece = {0, g_bytes_ref(block), 0};
    g_array_append_val(weights->pieces, piece);
    weights->size = g_bytes_get_size(block);
    return weights;
}

TsrWeights *tsr_weights_ref(TsrWeights *weights)
{
    g_atomic_ref_count_inc(&weights->refs);
    return weights;
}

void tsr_weights_unref(TsrWeights *weights)
{
    if (weights == NULL || !g_atomic_ref_count_dec(&weights->refs))
        return;
    g_array_unref(weights->pieces);
    g_hash_table_unref(weights->by_hash);
    g_free(weights);
}

guint64 tsr_weights_size(const TsrWeights *weights)
{
    return weights->size;
}

static const Piece *piece_at(const TsrWeights *weights, guint index)
{
    return &g_array_index(weights->pieces, Piece, index);
}

guint64 tsr_weights_add(TsrWeights *weights, GBytes *bytes)
{
    gsize size;
    gconstpointer data = g_bytes_get_data(bytes, &size);
    Piece piece = {weights->size, NULL, size != 0 ? XXH3_64bits(data, size) : 0};
    const guint known = GPOINTER_TO_UINT(g_hash_table_lookup(weights->by_hash, &piece.hash));
    if (known != 0 && g_bytes_equal(piece_at(weights, known - 1)->bytes, bytes))
        return piece_at(weights, known - 1)->offset;
    piece.bytes = g_bytes_ref(bytes);
    g_array_append_val(weights->pieces, piece);
    if (known == 0)
        g_hash_table_insert(weights->by_hash, g_memdup2(&piece.hash, sizeof(piece.hash)),
                            GUINT_TO_POINTER(weights->pieces->len));
    weights->size += tsr_align_up(MAX(size, 1), TSR_MEMORY_ALIGNMENT);
    return piece.offset;
}

/* The piece that the offset lies in or behind; NULL before the first. */
static const Piece *find(const TsrWeights *weights, guint64 offset)
{
    guint low = 0, high = weights->pieces->len;
    while (low < high) {
        const guint middle = low + (high - low) / 2;
        if (piece_at(weights, middle)->offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low != 0 ? piece_at(weights, low - 1) : NULL;
}

guint64 tsr_weights_left(const TsrWeights *weights, guint64 offset)
{
    const Piece *piece = find(weights, offset);
    const guint64 size = piece != NULL ? g_bytes_get_size(piece->bytes) : 0;
    return piece != NULL && offset - piece->offset <= size ? size - (offset - piece->offset) : 0;
}

const guint8 *tsr_weights_at(const TsrWeights *weights, guint64 offset)
{
    const Piece *piece = find(weights, offset);
    if (piece == NULL || offset - piece->offset > g_bytes_get_size(piece->bytes))
        return NULL;
    return (const guint8 *)g_bytes_get_data(piece->bytes, NULL) + (offset - piece->offset);
}

GBytes *tsr_weights_slice(const TsrWeights *weights, guint64 offset, guint64 size)
{
    const Piece *piece = find(weights, offset);
    if (piece == NULL || size > tsr_weights_left(weights, offset))
        return NULL;
    return g_bytes_new_from_bytes(piece->bytes, offset - piece->offset, size);
}

void tsr_weights_move(TsrWeights *weights, guint8 *target)
{
    guint64 at = 0;
    for (guint i = 0; i < weights->pieces->len; i++) {
        Piece *piece = &g_array_index(weights->pieces, Piece, i);
        gsize size;
        gconstpointer data = g_bytes_get_data(piece->bytes, &size);
        memset(target + at, 0, piece->offset - at);
        if (size != 0)
            memcpy(target + piece->offset, data, size);
        at = piece->offset + size;
        g_clear_pointer(&piece->bytes, g_bytes_unref);
    }
    memset(target + at, 0, weights->size - at);
    g_array_set_size(weights->pieces, 0);
    g_hash_table_remove_all(weights->by_hash);
}

void tsr_weights_share(TsrWeights *weights, const TsrWeights *from)
{
    for (guint i = 0; i < weights->pieces->len; i++) {
        Piece *piece = &g_array_index(weights->pieces, Piece, i);
        const guint known = GPOINTER_TO_UINT(g_hash_table_lookup(from->by_hash, &piece->hash));
        GBytes *other = known != 0 ? piece_at(from, known - 1)->bytes : NULL;
        if (other == NULL || other == piece->bytes || !g_bytes_equal(other, piece->bytes))
            continue;
        g_bytes_unref(piece->bytes);
        piece->bytes = g_bytes_ref(other);
    }
}
