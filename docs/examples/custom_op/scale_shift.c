/* SPDX-License-Identifier: Apache-2.0
 *
 * scale_shift.c: a plain C function that scale_shift.ini makes the operator
 * example.ScaleShift: y = scale * x + shift. It knows nothing of Tessera.
 */
#include <stdint.h>

int32_t scale_shift(const float *x, float *y, int64_t elements, float scale, float shift);

int32_t scale_shift(const float *x, float *y, int64_t elements, float scale, float shift)
{
    for (int64_t i = 0; i < elements; i++)
        y[i] = scale * x[i] + shift;
    return 0; /* anything else is an error of the run */
}
