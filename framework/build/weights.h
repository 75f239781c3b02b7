/* SPDX-License-Identifier: Apache-2.0
 *
 * weights.h: the constant bytes of a program, or of several that share them. An offset means
 * the same whether the pieces still lie apart, as a build leaves them, or in the one block
 * that an offline model holds.
 */
#ifndef TSR_BUILD_WEIGHTS_H
#define TSR_BUILD_WEIGHTS_H

#include <glib.h>

typedef struct TsrWeights TsrWeights;

TsrWeights *tsr_weights_new(void); /* (transfer full) */
/* All weights as one block, 64-byte aligned; nothing can be added. (transfer full) */
TsrWeights *tsr_weights_new_block(GBytes *block);
TsrWeights *tsr_weights_ref(TsrWeights *weights);
void tsr_weights_unref(TsrWeights *weights); /* NULL is a no-op */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrWeights, tsr_weights_unref)

guint64 tsr_weights_size(const TsrWeights *weights);
/* Puts bytes (64-byte aligned) into the weights and returns their offset, a multiple of 64.
 * Bytes with the contents of a piece that is there already share it. */
guint64 tsr_weights_add(TsrWeights *weights, GBytes *bytes);
/* Where an offset lies; NULL beyond the pieces. */
const guint8 *tsr_weights_at(const TsrWeights *weights, guint64 offset);
/* size bytes from an offset on, without a copy; NULL when they are not in one piece.
 * (transfer full) */
GBytes *tsr_weights_slice(const TsrWeights *weights, guint64 offset, guint64 size);
/* Bytes of the piece from that offset on. */
guint64 tsr_weights_left(const TsrWeights *weights, guint64 offset);
/* Writes all pieces to target[tsr_weights_size], zeros between them, and gives each up at
 * once, so that they are never there twice. */
void tsr_weights_move(TsrWeights *weights, guint8 *target);
/* Pieces whose contents are a piece of `from` too take that one's memory; offsets stay. */
void tsr_weights_share(TsrWeights *weights, const TsrWeights *from);

#endif
