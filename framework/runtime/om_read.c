/* SPDX-License-Identifier: Apache-2.0
 *
 * om_read.c: see om_read.h.
 */
#include "runtime/om_read.h"

#include "base/error.h"
#include "build/graph_variant.h"
#include "runtime/om_program.h"

/* The sections of a program. */
static const char *const part_names[] = {TSR_OM_META, TSR_OM_GRAPH, TSR_OM_TASKS, TSR_OM_MEMORY};
static const char *const part_types[] = {"a{sv}", TSR_GRAPH_VARIANT_TYPE, TSR_OM_TASKS_TYPE,
                                         TSR_OM_MEMORY_TYPE};

/* The program with its known parts; NULL: they are not sound, and it is gone. */
static TsrProgram *add_parts(TsrProgram *program, GVariant *meta, TsrOpRegistry *registry,
                             GError **error)
{
    if (program == NULL || tsr_om_read_parts(program, meta, registry, error))
        return program;
    tsr_program_free(program);
    return NULL;
}

TsrProgram *tsr_om_read(const TsrOmFile *file, TsrOpRegistry *registry, TsrWeights *weights,
                        GError **error)
{
    GVariant *parts[TSR_OM_PARTS] = {NULL};
    TsrProgram *program = NULL;
    guint count = 0;
    while (count < TSR_OM_PARTS && (parts[count] = tsr_om_section(file, part_names[count],
                                                           part_types[count], error)) != NULL)
        count++;
    if (count == TSR_OM_PARTS)
        program = add_parts(tsr_om_program(parts, registry, weights, error),
                            parts[TSR_OM_PART_META], registry, error);
    for (guint i = 0; i < count; i++)
        g_variant_unref(parts[i]);
    return program;
}

TsrProgram *tsr_om_read_gear(const TsrOmFile *file, guint index, TsrOpRegistry *registry,
                             TsrWeights *weights, GError **error)
{
    g_autoptr(GVariant) whole = tsr_om_gear(file, index, error);
    TsrProgram *program = NULL;
    if (whole != NULL) {
        g_autoptr(GVariant) meta = g_variant_get_child_value(whole, TSR_OM_PART_META);
        program = add_parts(tsr_om_program_of_tuple(whole, registry, weights, error), meta,
                            registry, error);
    }
    if (whole != NULL && program == NULL)
        g_prefix_error(error, "section '" TSR_OM_GEAR "%u': ", index);
    return program;
}
