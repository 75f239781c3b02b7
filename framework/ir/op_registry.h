/* SPDX-License-Identifier: Apache-2.0
 *
 * op_registry.h: all operator definitions that a session knows, builtin ones and
 * those of plugins, found by domain, name and opset. Definitions are borrowed
 * and live as long as the process; the registry only indexes them.
 */
#ifndef TSR_IR_OP_REGISTRY_H
#define TSR_IR_OP_REGISTRY_H

#include <glib.h>
#include <tessera/plugin.h>

typedef struct TsrOpRegistry TsrOpRegistry;

TsrOpRegistry *tsr_op_registry_new(void); /* (transfer full) */
TsrOpRegistry *tsr_op_registry_ref(TsrOpRegistry *registry);
void tsr_op_registry_unref(TsrOpRegistry *registry); /* NULL is a no-op */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TsrOpRegistry, tsr_op_registry_unref)

/* Whether a table is sound in itself; as tsr_op_registry_add, which asks that first. */
gboolean tsr_op_registry_check(const TsrOps *ops, const char *owner, GError **error);
/* Adds every definition of a table. owner names the plugin (or "builtin") in
 * errors. Errors: ALREADY_EXISTS names both owners; INVALID_ARGUMENT names a
 * definition that is malformed. Nothing is added on error. */
gboolean tsr_op_registry_add(TsrOpRegistry *registry, const TsrOps *ops, const char *owner,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Keeps data, which definitions point into, until nobody holds the registry. */
void tsr_op_registry_keep(TsrOpRegistry *registry, gpointer data, GDestroyNotify destroy);

/* The definition that serves a node of that opset: the highest since_version not
 * above it. NULL with an error that names operator, domain and what exists. */
const TsrOpDef *tsr_op_registry_get(TsrOpRegistry *registry, const char *domain,
                                    const char *name, gint64 opset, GError **error);
/* The same without an error: NULL where there is none. */
const TsrOpDef *tsr_op_registry_find(TsrOpRegistry *registry, const char *domain,
                                     const char *name, gint64 opset);
/* Whether any definition is in that domain. */
gboolean tsr_op_registry_has_domain(TsrOpRegistry *registry, const char *domain);
/* All definitions, in no order. (transfer container) */
GPtrArray *tsr_op_registry_list(TsrOpRegistry *registry);

/* Rows of a definition; the stride is the writer's. */
static inline const TsrOpParam *tsr_op_input(const TsrOpDef *def, guint32 index)
{
    return (const TsrOpParam *)((const char *)def->inputs + (gsize)index * def->input_stride);
}

static inline const TsrOpParam *tsr_op_output(const TsrOpDef *def, guint32 index)
{
    return (const TsrOpParam *)((const char *)def->outputs + (gsize)index * def->output_stride);
}

static inline const TsrOpAttr *tsr_op_attr(const TsrOpDef *def, guint32 index)
{
    return (const TsrOpAttr *)((const char *)def->attrs + (gsize)index * def->attr_stride);
}

/* Row that instance input (output) index belongs to: its own, or the variadic last
 * one; NULL beyond the end. */
const TsrOpParam *tsr_op_input_at(const TsrOpDef *def, guint32 instance_index);
const TsrOpParam *tsr_op_output_at(const TsrOpDef *def, guint32 instance_index);

#endif
