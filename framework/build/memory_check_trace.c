/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_check_trace.c: where the bytes of values come from, by the graph alone: those of a
 * view, a joined or a cut tensor are other values' bytes.
 */
#include "build/continuous.h"
#include "build/memory_checker.h"
#include "build/symbols.h"

static void add_piece(GArray *pieces, const TsrValue *source, guint64 at, guint64 offset,
                      guint64 size)
{
    TsrCheckPiece piece = {source, at, offset, size};
    TsrCheckPiece *last =
        pieces->len != 0 ? &g_array_index(pieces, TsrCheckPiece, pieces->len - 1) : NULL;
    if (size == 0)
        return;
    if (last != NULL && last->source == source && last->at + last->size == at &&
        last->offset + last->size == offset)
        last->size += size;
    else
        g_array_append_val(pieces, piece);
}

/* Adds bytes [first, first + size) of a value at offset. */
static void add_bytes(const TsrChecker *checker, GArray *pieces, const TsrValue *value,
                      guint64 first, guint64 size, guint64 offset)
{
    const GArray *from = g_hash_table_lookup(checker->pieces, value);
    for (guint i = 0; from != NULL && i < from->len; i++) {
        const TsrCheckPiece *piece = &g_array_index(from, TsrCheckPiece, i);
        const guint64 begin = MAX(piece->offset, first);
        const guint64 end = MIN(piece->offset + piece->size, first + size);
        if (begin < end)
            add_piece(pieces, piece->source, piece->at + begin - piece->offset,
                      offset + begin - first, end - begin);
    }
}

guint64 tsr_checker_bytes(const TsrValue *value)
{
    guint64 bytes;
    return tsr_desc_storage_bytes(&value->desc.view, &bytes) ? bytes : 0;
}

/* What the graph says of the outputs of a node without a task. */
static void trace_view(TsrChecker *checker, const TsrNode *node, GArray *offsets)
{
    if (tsr_node_is_viewable(node)) {
        const TsrValue *output = g_ptr_array_index(node->outputs, 0);
        add_bytes(checker, g_hash_table_lookup(checker->pieces, output),
                  g_ptr_array_index(node->inputs, 0), 0, tsr_checker_bytes(output), 0);
    } else if (tsr_part_offsets(node, offsets)) {
        for (guint i = 0; i < offsets->len; i++) {
            const TsrValue *output = g_ptr_array_index(node->outputs, i);
            add_bytes(checker, g_hash_table_lookup(checker->pieces, output),
                      g_ptr_array_index(node->inputs, 0), g_array_index(offsets, guint64, i),
                      tsr_checker_bytes(output), 0);
        }
    } else if (tsr_join_offsets(node, offsets)) {
        for (guint i = 0; i < offsets->len; i++) {
            const TsrValue *input = g_ptr_array_index(node->inputs, i);
            add_bytes(checker, g_hash_table_lookup(checker->pieces,
                                                   g_ptr_array_index(node->outputs, 0)),
                      input, 0, tsr_checker_bytes(input), g_array_index(offsets, guint64, i));
        }
    }
}

void tsr_checker_trace(TsrChecker *checker)
{
    g_autoptr(GArray) offsets = g_array_new(FALSE, FALSE, sizeof(guint64));
    for (guint i = 0; i < checker->nodes->len; i++) {
        const TsrNode *node = g_ptr_array_index(checker->nodes, i);
        const gboolean is_source = node->kind != TSR_NODE_OPERATOR || checker->has_task[i];
        for (guint k = 0; k < node->outputs->len; k++) {
            const TsrValue *value = g_ptr_array_index(node->outputs, k);
            GArray *pieces = g_array_new(FALSE, FALSE, sizeof(TsrCheckPiece));
            if (value == NULL) {
                g_array_unref(pieces);
                continue;
            }
            if (is_source)
                add_piece(pieces, value, 0, 0, tsr_checker_bytes(value));
            g_hash_table_insert(checker->pieces, (gpointer)value, pieces);
        }
        if (!is_source)
            trace_view(checker, node, offsets);
    }
}
