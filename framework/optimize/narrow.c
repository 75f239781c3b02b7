/* SPDX-License-Identifier: Apache-2.0
 *
 * narrow.c: see narrow.h.
 */
#include "optimize/narrow.h"

#include <math.h>
#include <string.h>
#include <tessera/plugin_util.h>

#include "engine/place.h"

#define FLOAT16_MOST 65504.0f

/* What was made of one value. */
typedef struct Made {
    TsrValue *value[TSR_DTYPE_COUNT];
    GBytes *bytes[TSR_DTYPE_COUNT];
} Made;

struct TsrNarrower {
    const TsrPluginSet *set;
    GPtrArray *warnings;
    GHashTable *made;     /* TsrValue -> Made */
    GHashTable *narrowed; /* TsrValue that was float */
    guint casts;
    guint constants;
};

static void made_free(gpointer data)
{
    Made *made = data;
    for (guint i = 0; i < TSR_DTYPE_COUNT; i++)
        g_clear_pointer(&made->bytes[i], g_bytes_unref);
    g_free(made);
}

TsrNarrower *tsr_narrower_new(const TsrPluginSet *set, GPtrArray *warnings)
{
    TsrNarrower *narrower = g_new0(TsrNarrower, 1);
    narrower->set = set;
    narrower->warnings = warnings;
    narrower->made = g_hash_table_new_full(NULL, NULL, NULL, made_free);
    narrower->narrowed = g_hash_table_new(NULL, NULL);
    return narrower;
}

void tsr_narrower_free(TsrNarrower *narrower)
{
    if (narrower == NULL)
        return;
    g_hash_table_unref(narrower->made);
    g_hash_table_unref(narrower->narrowed);
    g_free(narrower);
}

guint tsr_narrower_casts(const TsrNarrower *narrower)
{
    return narrower->casts;
}

guint tsr_narrower_constants(const TsrNarrower *narrower)
{
    return narrower->constants;
}

gboolean tsr_is_cast(const TsrNode *node)
{
    return node->kind == TSR_NODE_OPERATOR && node->def->domain[0] == '\0' &&
           strcmp(node->def->name, "Cast") == 0;
}

void tsr_narrower_note(TsrNarrower *narrower, TsrValue *value, guint32 dtype)
{
    value->desc.view.dtype = dtype;
    g_hash_table_add(narrower->narrowed, value);
}

gboolean tsr_narrower_is_narrow(const TsrNarrower *narrower, const TsrValue *value)
{
    return g_hash_table_contains(narrower->narrowed, value);
}

gboolean tsr_narrower_was_float(const TsrNarrower *narrower, const TsrValue *value)
{
    return value->desc.view.kind == TSR_KIND_TENSOR &&
           (value->desc.view.dtype == TSR_DTYPE_FLOAT || tsr_narrower_is_narrow(narrower, value));
}

static Made *made_of(TsrNarrower *narrower, TsrValue *value)
{
    Made *made = g_hash_table_lookup(narrower->made, value);
    if (made == NULL) {
        made = g_new0(Made, 1);
        g_hash_table_insert(narrower->made, value, made);
    }
    return made;
}

/* Infinities were meant; other numbers beyond the range become its end, since an infinity
 * that was none turns into NaN as soon as it is subtracted. */
static guint16 narrow_number(float number, guint32 dtype, gboolean *out_clipped)
{
    guint16 bits;
    if (dtype == TSR_DTYPE_BFLOAT16) {
        bits = tsr_float_to_bfloat16(number);
        if (isfinite(number) && (bits & 0x7fff) == 0x7f80) {
            *out_clipped = TRUE;
            bits--;
        }
        return bits;
    }
    if (isfinite(number) && fabsf(number) > FLOAT16_MOST) {
        *out_clipped = TRUE;
        number = copysignf(FLOAT16_MOST, number);
    }
    return tsr_float_to_float16(number);
}

GBytes *tsr_narrow_constant(TsrNarrower *narrower, TsrValue *value, guint32 dtype)
{
    Made *made = made_of(narrower, value);
    gsize size, count;
    const float *data;
    guint16 *out;
    gsize clipped = 0;
    if (made->bytes[dtype] != NULL)
        return made->bytes[dtype];
    data = g_bytes_get_data(value->constant, &size);
    count = size / sizeof(float);
    out = g_new(guint16, count + 1);
    for (gsize i = 0; i < count; i++) {
        gboolean out_of_range = FALSE;
        out[i] = narrow_number(data[i], dtype, &out_of_range);
        clipped += out_of_range;
    }
    if (clipped != 0)
        g_ptr_array_add(narrower->warnings,
                        g_strdup_printf("constant '%s': %zu of %zu numbers are out of range of "
                                        "%s and become its largest",
                                        value->name, clipped, count, tsr_dtype_name(dtype)));
    made->bytes[dtype] = g_bytes_new_take(out, count * sizeof(guint16));
    return made->bytes[dtype];
}

static TsrValue *new_constant(TsrNarrower *narrower, TsrValue *value, guint32 dtype,
                              const char *stem, GError **error)
{
    g_autofree char *name = tsr_graph_unique_name(value->producer->graph, stem);
    TsrValue *constant;
    TsrDesc desc;
    tsr_desc_init(&desc);
    tsr_desc_copy(&desc, &value->desc.view);
    desc.view.dtype = dtype;
    constant = tsr_graph_add_constant(value->producer->graph, name, &desc.view,
                                      tsr_narrow_constant(narrower, value, dtype), error);
    if (constant == NULL)
        return NULL;
    constant->format_anchor = g_strdup(value->format_anchor);
    narrower->constants++;
    return constant;
}

static TsrValue *new_cast(TsrNarrower *narrower, TsrValue *value, guint32 dtype,
                          const char *stem, const char *engine, GError **error)
{
    TsrGraph *graph = value->producer->graph;
    const TsrOpDef *def = tsr_op_registry_get(graph->registry, "", "Cast", G_MAXINT64, error);
    g_autoptr(TsrAttrBox) to = tsr_attr_new_int("to", dtype);
    g_autofree char *name = tsr_graph_unique_name(graph, stem);
    const char *const names[] = {name};
    TsrNode *node;
    TsrValue *output;
    if (def == NULL)
        return NULL;
    node = tsr_graph_add_node(graph, def, name, &value, 1, names, 1, &to, 1, NULL, 0, error);
    if (node == NULL)
        return NULL;
    output = g_ptr_array_index(node->outputs, 0);
    tsr_desc_copy(&output->desc, &value->desc.view);
    output->desc.view.dtype = dtype;
    output->format_anchor = g_strdup(value->format_anchor);
    if (!tsr_place_node(node, narrower->set, engine, error))
        return NULL;
    narrower->casts++;
    return output;
}

TsrValue *tsr_narrow_value(TsrNarrower *narrower, TsrValue *value, guint32 dtype,
                           const char *engine, GError **error)
{
    const TsrNode *producer = value->producer;
    g_autofree char *stem = NULL;
    Made *made;
    if (value->desc.view.dtype == dtype)
        return value;
    /* What was widened loses nothing when it becomes what it was. */
    if (tsr_is_cast(producer) && value->desc.view.dtype == TSR_DTYPE_FLOAT) {
        TsrValue *source = g_ptr_array_index(producer->inputs, 0);
        if (source->desc.view.dtype == dtype)
            return source;
    }
    made = made_of(narrower, value);
    if (made->value[dtype] != NULL)
        return made->value[dtype];
    stem = g_strdup_printf("%s_%s", value->name, tsr_dtype_name(dtype));
    made->value[dtype] = value->constant != NULL && dtype != TSR_DTYPE_FLOAT
                             ? new_constant(narrower, value, dtype, stem, error)
                             : new_cast(narrower, value, dtype, stem, engine, error);
    return made->value[dtype];
}
