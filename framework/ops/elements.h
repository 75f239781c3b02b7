/* SPDX-License-Identifier: Apache-2.0
 *
 * elements.h: what networks do with their own shapes: the infer_elements of operators that read,
 * cut, join and calculate sizes. Elements are numbers or symbols of TsrInferContext; all functions
 * leave the output unknown where one of its elements would be.
 */
#ifndef TSR_OPS_ELEMENTS_H
#define TSR_OPS_ELEMENTS_H

#include <tessera/plugin.h>

int32_t tsr_elements_shape(const TsrOpDef *def, TsrInferContext *infer);
int32_t tsr_elements_size(const TsrOpDef *def, TsrInferContext *infer);
/* Those of input 0 in their order, whole numbers staying such: Identity, Reshape, Squeeze,
 * Unsqueeze, Cast. */
int32_t tsr_elements_same(const TsrOpDef *def, TsrInferContext *infer);
int32_t tsr_elements_gather(const TsrOpDef *def, TsrInferContext *infer);
int32_t tsr_elements_slice(const TsrOpDef *def, TsrInferContext *infer);
int32_t tsr_elements_concat(const TsrOpDef *def, TsrInferContext *infer);
/* Element by element, one number for all where an input has one. */
int32_t tsr_elements_add(const TsrOpDef *def, TsrInferContext *infer);
int32_t tsr_elements_sub(const TsrOpDef *def, TsrInferContext *infer);
int32_t tsr_elements_mul(const TsrOpDef *def, TsrInferContext *infer);
int32_t tsr_elements_div(const TsrOpDef *def, TsrInferContext *infer);
int32_t tsr_elements_min(const TsrOpDef *def, TsrInferContext *infer);
int32_t tsr_elements_max(const TsrOpDef *def, TsrInferContext *infer);
int32_t tsr_elements_equal(const TsrOpDef *def, TsrInferContext *infer);
int32_t tsr_elements_where(const TsrOpDef *def, TsrInferContext *infer);
int32_t tsr_elements_fill(const TsrOpDef *def, TsrInferContext *infer);

#endif
