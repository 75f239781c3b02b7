/* SPDX-License-Identifier: Apache-2.0
 *
 * separable.h: when a depthwise and a pointwise convolution are one; in fusion_separable.c.
 */
#ifndef TSR_NN_SEPARABLE_H
#define TSR_NN_SEPARABLE_H

#include "nn.h"

/* Whether one task beats two: y is what the depthwise convolution makes. */
int nn_separable_wins(const TsrTensorDesc *y);

#endif
