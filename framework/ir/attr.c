/* SPDX-License-Identifier: Apache-2.0
 *
 * attr.c: see attr.h.
 */
#include "ir/attr.h"

#include <string.h>

#include "base/memory.h"
#include "ir/desc.h"

struct TsrAttrBox {
    gatomicrefcount refs;
    TsrAttr view;
    char *name;
    gpointer payload;   /* string bytes, floats, ints or the TsrString array */
    GBytes *bytes;      /* of a tensor */
    TsrDesc desc;
    TsrTensor tensor;
};

static TsrAttrBox *attr_new(const char *name, guint32 type)
{
    TsrAttrBox *attr = g_new0(TsrAttrBox, 1);
    g_atomic_ref_count_init(&attr->refs);
    attr->name = g_strdup(name);
    attr->view.struct_size = sizeof(attr->view);
    attr->view.type = type;
    attr->view.name = attr->name;
    return attr;
}

TsrAttrBox *tsr_attr_new_float(const char *name, float value)
{
    TsrAttrBox *attr = attr_new(name, TSR_ATTR_FLOAT);
    attr->view.f = value;
    return attr;
}

TsrAttrBox *tsr_attr_new_int(const char *name, gint64 value)
{
    TsrAttrBox *attr = attr_new(name, TSR_ATTR_INT);
    attr->view.i = value;
    return attr;
}

/* A NUL follows the bytes, so that a text can also be read as a C string. */
static char *copy_text(const char *data, gsize size)
{
    char *copy = g_malloc(size + 1);
    if (size != 0)
        memcpy(copy, data, size);
    copy[size] = '\0';
    return copy;
}

TsrAttrBox *tsr_attr_new_string(const char *name, const char *data, gsize size)
{
    TsrAttrBox *attr = attr_new(name, TSR_ATTR_STRING);
    attr->payload = copy_text(data, size);
    attr->view.s.data = attr->payload;
    attr->view.s.size = size;
    return attr;
}

TsrAttrBox *tsr_attr_new_floats(const char *name, const float *values, gsize count)
{
    TsrAttrBox *attr = attr_new(name, TSR_ATTR_FLOATS);
    attr->payload = g_memdup2(values, count * sizeof(*values));
    attr->view.floats = attr->payload;
    attr->view.count = (guint32)count;
    return attr;
}

TsrAttrBox *tsr_attr_new_ints(const char *name, const gint64 *values, gsize count)
{
    TsrAttrBox *attr = attr_new(name, TSR_ATTR_INTS);
    attr->payload = g_memdup2(values, count * sizeof(*values));
    attr->view.ints = attr->payload;
    attr->view.count = (guint32)count;
    return attr;
}

TsrAttrBox *tsr_attr_new_strings(const char *name, const TsrString *values, gsize count)
{
    TsrAttrBox *attr = attr_new(name, TSR_ATTR_STRINGS);
    TsrString *strings = g_new0(TsrString, count);
    for (gsize i = 0; i < count; i++) {
        strings[i].data = copy_text(values[i].data, values[i].size);
        strings[i].size = values[i].size;
    }
    attr->payload = strings;
    attr->view.strings = strings;
    attr->view.count = (guint32)count;
    return attr;
}

TsrAttrBox *tsr_attr_new_tensor(const char *name, const TsrTensorDesc *desc, GBytes *bytes)
{
    TsrAttrBox *attr = attr_new(name, TSR_ATTR_TENSOR);
    tsr_desc_init(&attr->desc);
    tsr_desc_copy(&attr->desc, desc);
    attr->bytes = g_bytes_ref(bytes);
    attr->tensor.struct_size = sizeof(attr->tensor);
    attr->tensor.desc = &attr->desc.view;
    attr->tensor.size_bytes = g_bytes_get_size(bytes);
    attr->tensor.data = (gpointer)g_bytes_get_data(bytes, NULL);
    attr->view.tensor = &attr->tensor;
    return attr;
}

TsrAttrBox *tsr_attr_new_graph(const char *name, guint32 subgraph_index)
{
    TsrAttrBox *attr = attr_new(name, TSR_ATTR_GRAPH);
    attr->view.i = subgraph_index;
    return attr;
}

TsrAttrBox *tsr_attr_copy_view(const TsrAttr *view)
{
    switch (view->type) {
    case TSR_ATTR_FLOAT:
        return tsr_attr_new_float(view->name, view->f);
    case TSR_ATTR_INT:
        return tsr_attr_new_int(view->name, view->i);
    case TSR_ATTR_STRING:
        return tsr_attr_new_string(view->name, view->s.data, view->s.size);
    case TSR_ATTR_FLOATS:
        return tsr_attr_new_floats(view->name, view->floats, view->count);
    case TSR_ATTR_INTS:
        return tsr_attr_new_ints(view->name, view->ints, view->count);
    case TSR_ATTR_STRINGS:
        return tsr_attr_new_strings(view->name, view->strings, view->count);
    case TSR_ATTR_TENSOR: {
        g_autoptr(GBytes) bytes =
            tsr_memory_copy_bytes(view->tensor->data, view->tensor->size_bytes);
        return bytes != NULL ? tsr_attr_new_tensor(view->name, view->tensor->desc, bytes) : NULL;
    }
    case TSR_ATTR_GRAPH:
        return tsr_attr_new_graph(view->name, (guint32)view->i);
    default:
        return NULL;
    }
}

TsrAttrBox *tsr_attr_ref(TsrAttrBox *attr)
{
    g_atomic_ref_count_inc(&attr->refs);
    return attr;
}

void tsr_attr_unref(TsrAttrBox *attr)
{
    if (attr == NULL || !g_atomic_ref_count_dec(&attr->refs))
        return;
    if (attr->view.type == TSR_ATTR_STRINGS)
        for (guint32 i = 0; i < attr->view.count; i++)
            g_free((gpointer)attr->view.strings[i].data);
    g_free(attr->payload);
    g_clear_pointer(&attr->bytes, g_bytes_unref);
    g_free(attr->name);
    g_free(attr);
}

const TsrAttr *tsr_attr_view(const TsrAttrBox *attr)
{
    return &attr->view;
}

GBytes *tsr_attr_tensor_bytes(const TsrAttrBox *attr)
{
    return attr->bytes;
}

const char *tsr_attr_type_name(guint32 type)
{
    static const char *const names[] = {
        "undefined", "FLOAT", "INT", "STRING", "TENSOR", "GRAPH", "FLOATS", "INTS", "STRINGS",
    };
    return type < G_N_ELEMENTS(names) ? names[type] : "unknown";
}
