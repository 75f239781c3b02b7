/* SPDX-License-Identifier: Apache-2.0
 *
 * host_variant.c: see host_variant.h.
 */
#include "runtime/host_variant.h"

#include <string.h>

/* Contents that are compared at every run: shapes, axes, scales; not pictures. */
enum { MOST_VALUE_BYTES = 512 };

/* Whether inference may read what is in that input, and a run may change it. */
static gboolean is_read(const TsrNode *node, guint index)
{
    const TsrValue *value = g_ptr_array_index(node->inputs, index);
    return index < 64 && (node->def->value_inputs >> index & 1) != 0 && value != NULL &&
           value->constant == NULL;
}

TsrHostVariant *tsr_host_variant_new(const TsrNode *node, TsrArray *const *inputs)
{
    TsrHostVariant *variant = g_new0(TsrHostVariant, 1);
    variant->input_count = node->inputs->len;
    variant->inputs = g_new0(TsrDesc, node->inputs->len + 1);
    variant->values = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
    for (guint i = 0; i < node->inputs->len; i++) {
        GBytes *bytes = NULL;
        tsr_desc_init(&variant->inputs[i]);
        variant->inputs[i].view.kind = TSR_KIND_COUNT;
        if (inputs[i] != NULL)
            tsr_desc_copy(&variant->inputs[i], &inputs[i]->desc.view);
        if (inputs[i] != NULL && is_read(node, i) &&
            inputs[i]->tensor.size_bytes <= MOST_VALUE_BYTES)
            bytes = g_bytes_new(inputs[i]->tensor.data, inputs[i]->tensor.size_bytes);
        g_ptr_array_add(variant->values, bytes);
    }
    return variant;
}

void tsr_host_variant_free(TsrHostVariant *variant)
{
    g_free(variant->inputs);
    g_ptr_array_unref(variant->values);
    g_free(variant->outputs);
    g_clear_pointer(&variant->built, tsr_built_node_free);
    g_clear_pointer(&variant->kernels, g_ptr_array_unref);
    g_free(variant);
}

gboolean tsr_host_variant_is_whole(const TsrNode *node, TsrArray *const *inputs)
{
    if (node->subgraphs->len != 0 || node->inputs->len > 64)
        return FALSE;
    for (guint i = 0; i < node->inputs->len; i++)
        if (inputs[i] != NULL &&
            (inputs[i]->desc.view.kind != TSR_KIND_TENSOR ||
             inputs[i]->desc.view.dtype == TSR_DTYPE_STRING ||
             (is_read(node, i) && inputs[i]->tensor.size_bytes > MOST_VALUE_BYTES)))
            return FALSE;
    return TRUE;
}

static gboolean same_desc(const TsrTensorDesc *now, const TsrTensorDesc *then)
{
    return now->kind == then->kind && now->dtype == then->dtype && now->rank == then->rank &&
           now->storage_format == then->storage_format &&
           now->origin_format == then->origin_format && now->expand_dims == then->expand_dims &&
           (now->rank == TSR_RANK_UNKNOWN ||
            memcmp(now->shape, then->shape, now->rank * sizeof(*now->shape)) == 0);
}

static gboolean same_value(TsrArray *array, GBytes *bytes)
{
    gsize size;
    gconstpointer data;
    if (bytes == NULL)
        return TRUE;
    data = g_bytes_get_data(bytes, &size);
    return array->tensor.size_bytes == size &&
           (size == 0 || memcmp(array->tensor.data, data, size) == 0);
}

gboolean tsr_host_variant_fits(const TsrHostVariant *variant, TsrArray *const *inputs,
                               gboolean values)
{
    for (guint i = 0; i < variant->input_count; i++) {
        const TsrTensorDesc *then = &variant->inputs[i].view;
        if ((inputs[i] == NULL) != (then->kind == TSR_KIND_COUNT))
            return FALSE;
        if (inputs[i] != NULL &&
            (!same_desc(&inputs[i]->desc.view, then) ||
             (values && !same_value(inputs[i], g_ptr_array_index(variant->values, i)))))
            return FALSE;
    }
    return TRUE;
}

void tsr_host_variant_share(TsrHostVariant *variant, const TsrHostVariant *other)
{
    if (variant->built == NULL || other->built == NULL)
        return;
    for (guint i = 0; i < variant->built->constants->len && i < other->built->constants->len;
         i++) {
        gpointer *mine = &g_ptr_array_index(variant->built->constants, i);
        GBytes *theirs = g_ptr_array_index(other->built->constants, i);
        if (*mine == theirs || !g_bytes_equal(*mine, theirs))
            continue;
        g_bytes_unref(*mine);
        *mine = g_bytes_ref(theirs);
    }
}
