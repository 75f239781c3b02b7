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
        program = tsr_om_program(parts, registry, weights, error);
    for (guint i = 0; i < count; i++)
        g_variant_unref(parts[i]);
    return program;
}
TsrProgram *tsr_om_read_gear(const TsrOmFile *file, guint index, TsrOpRegistry *registry,
                             TsrWeights *weights, GError **error)
{
    g_autoptr(GVariant) whole = tsr_om_gear(file, index, error);
    TsrProgram *program =
        whole != NULL ? tsr_om_program_of_tuple(whole, registry, weights, error) : NULL;
    if (whole != NULL && program == NULL)
        g_prefix_error(error, "section '" TSR_OM_GEAR "%u': ", index);
    return program;
}
