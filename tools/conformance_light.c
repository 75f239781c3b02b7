/* SPDX-License-Identifier: Apache-2.0
 *
 * conformance_light.c: see conformance_light.h.
 */
#include "conformance_light.h"

#include <tessera/plugin_util.h>

#include "base/error.h"

TsrArray *tsr_conformance_light_input(const TsrValue *input, GError **error)
{
    guint32 dtype = input->desc.view.dtype, rank = input->desc.view.rank;
    const gint64 *given = input->desc.shape;
    const char *name = input->name;
    gint64 shape[TSR_MAX_RANK] = {0};
    TsrArray *array;
    gint64 count;
    float *data;
    if (dtype != TSR_DTYPE_FLOAT || rank > TSR_MAX_RANK) {
        g_set_error(error, TSR_ERROR, TSR_UNSUPPORTED,
                    "input '%s': the suite's rule makes float tensors of known rank only", name);
        return NULL;
    }
    for (guint32 i = 0; i < rank; i++)
        shape[i] = given[i] >= 0 ? given[i] : 1;
    array = tsr_array_create(dtype, rank, shape, error);
    if (array == NULL)
        return NULL;
    count = tsr_shape_elements(rank, shape);
    data = tsr_array_data(array);
    /* Divided in double and narrowed, as the suite does. */
    for (gint64 i = 0; i < count; i++)
        data[i] = (float)((double)i / (double)count);
    return array;
}
