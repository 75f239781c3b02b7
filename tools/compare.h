/* SPDX-License-Identifier: Apache-2.0
 *
 * compare.h: whether a computed tensor is the one that was wanted, as the runner of the
 * ONNX backend suite sees it. Used by conformance and by run --compare.
 */
#ifndef TSR_TOOLS_COMPARE_H
#define TSR_TOOLS_COMPARE_H

#include <tessera/tessera.h>

/* dtype and shape must be equal. Floats (narrow ones widened, complex ones by magnitude)
 * may differ by atol + rtol * |wanted|; NaN equals NaN, an infinity only itself. Integers,
 * bools and strings must be equal. FALSE appends to out_reason the first bad element, how
 * many there are and the largest error. */
gboolean tsr_compare_arrays(TsrArray *got, TsrArray *wanted, double rtol, double atol,
                            GString *out_reason);

#endif
