/* SPDX-License-Identifier: Apache-2.0
 *
 * compare_random.h: whether two tensors look like draws of one distribution. Random
 * operators are judged by this: their elements cannot be foretold.
 */
#ifndef TSR_TOOLS_COMPARE_RANDOM_H
#define TSR_TOOLS_COMPARE_RANDOM_H

#include <tessera/tessera.h>

/* dtype and shape must be equal, every element finite, and of float, double, bool or int32
 * and int64 tensors: means within five standard errors, and each within the other's range
 * widened by that range. FALSE appends to out_reason what differs. */
gboolean tsr_compare_random(TsrArray *got, TsrArray *wanted, GString *out_reason);

#endif
