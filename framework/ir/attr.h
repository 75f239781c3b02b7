/* SPDX-License-Identifier: Apache-2.0
 *
 * attr.h: one attribute of a node: a TsrAttr (what plugins see) that owns all it
 * points to. Immutable once made and refcounted, so that nodes can share it.
 */
#ifndef TSR_IR_ATTR_H
#define TSR_IR_ATTR_H

#include <glib.h>
#include <tessera/plugin.h>

typedef struct TsrAttrBox TsrAttrBox;

TsrAttrBox *tsr_attr_new_float(const char *name, float value);
TsrAttrBox *tsr_attr_new_int(const char *name, gint64 value);
TsrAttrBox *tsr_attr_new_string(const char *name, const char *data, gsize size);
TsrAttrBox *tsr_attr_new_floats(const char *name, const float *values, gsize count);
TsrAttrBox *tsr_attr_new_ints(const char *name, const gint64 *values, gsize count);
TsrAttrBox *tsr_attr_new_strings(const char *name, const TsrString *values, gsize count);
/* bytes is shared, not copied. */
TsrAttrBox *tsr_attr_new_tensor(const char *name, const TsrTensorDesc *desc, GBytes *bytes);
/* A reference to the subgraph of that index of the node. */
TsrAttrBox *tsr_attr_new_graph(const char *name, guint32 subgraph_index);
/* Copies what a plugin handed over. */
TsrAttrBox *tsr_attr_copy_view(const TsrAttr *view);

TsrAttrBox *tsr_attr_ref(TsrAttrBox *attr);
void tsr_attr_unref(TsrAttrBox *attr);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrAttrBox, tsr_attr_unref)

const TsrAttr *tsr_attr_view(const TsrAttrBox *attr);
/* The bytes behind a TENSOR attribute, or NULL. (transfer none) */
GBytes *tsr_attr_tensor_bytes(const TsrAttrBox *attr);
const char *tsr_attr_type_name(guint32 type);

#endif
