/* SPDX-License-Identifier: Apache-2.0
 *
 * depth.c: see depth.h. Walks the wire format without decoding it: only fields that can
 * hold a message of their own kind further down are entered. Source: the protobuf encoding
 * and the field numbers of onnx.proto.
 */
#include "onnx/depth.h"

#include <tessera/types.h>

#include "base/error.h"

typedef enum Kind {
    KIND_NONE,
    KIND_MODEL,
    KIND_FUNCTION,
    KIND_GRAPH,
    KIND_NODE,
    KIND_ATTRIBUTE,
    KIND_VALUE,
    KIND_TYPE,
    KIND_WRAPPER, /* sequence, map or optional of a type */
} Kind;

static const struct {
    Kind kind;
    guint32 field;
    Kind child;
} rows[] = {
    {KIND_MODEL, 7, KIND_GRAPH},      {KIND_MODEL, 25, KIND_FUNCTION},
    {KIND_FUNCTION, 7, KIND_NODE},    {KIND_FUNCTION, 11, KIND_ATTRIBUTE},
    {KIND_GRAPH, 1, KIND_NODE},       {KIND_GRAPH, 11, KIND_VALUE},
    {KIND_GRAPH, 12, KIND_VALUE},     {KIND_GRAPH, 13, KIND_VALUE},
    {KIND_NODE, 5, KIND_ATTRIBUTE},   {KIND_ATTRIBUTE, 6, KIND_GRAPH},
    {KIND_ATTRIBUTE, 11, KIND_GRAPH}, {KIND_ATTRIBUTE, 14, KIND_TYPE},
    {KIND_VALUE, 2, KIND_TYPE},       {KIND_TYPE, 4, KIND_WRAPPER},
    {KIND_TYPE, 5, KIND_WRAPPER},     {KIND_TYPE, 9, KIND_WRAPPER},
    {KIND_WRAPPER, 1, KIND_TYPE},     {KIND_WRAPPER, 2, KIND_TYPE},
};

static Kind child_of(Kind kind, guint64 field)
{
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
        if (rows[i].kind == kind && rows[i].field == field)
            return rows[i].child;
    return KIND_NONE;
}

static gboolean read_varint(const guint8 **at, const guint8 *end, guint64 *out_value)
{
    guint64 value = 0;
    for (guint shift = 0; shift < 64 && *at < end; shift += 7) {
        guint8 byte = *(*at)++;
        value |= (guint64)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            *out_value = value;
            return TRUE;
        }
    }
    return FALSE;
}

/* Whether the message stays within that many further levels. */
static gboolean is_shallow(Kind kind, const guint8 *at, const guint8 *end, guint levels)
{
    guint64 tag, size;
    while (read_varint(&at, end, &tag)) {
        Kind child = KIND_NONE;
        switch (tag & 7) {
        case 0:
            if (!read_varint(&at, end, &size))
                return TRUE;
            continue;
        case 1:
            size = 8;
            break;
        case 5:
            size = 4;
            break;
        case 2:
            if (!read_varint(&at, end, &size))
                return TRUE;
            child = child_of(kind, tag >> 3);
            break;
        default:
            return TRUE;
        }
        if (size > (guint64)(end - at))
            return TRUE;
        if (child != KIND_NONE &&
            (levels == 0 || !is_shallow(child, at, at + size, levels - 1)))
            return FALSE;
        at += size;
    }
    return TRUE;
}

gboolean tsr_onnx_check_depth(const guint8 *data, gsize size, GError **error)
{
    if (size == 0 || is_shallow(KIND_MODEL, data, data + size, TSR_ONNX_DEPTH_MAX))
        return TRUE;
    g_set_error(error, TSR_ERROR, TSR_UNSUPPORTED,
                "the model's messages are nested deeper than %d levels", TSR_ONNX_DEPTH_MAX);
    return FALSE;
}
