/* SPDX-License-Identifier: Apache-2.0
 *
 * format_infer.h: origin formats: what the dimensions of each value mean. Anchors are
 * operators that fix a format (convolutions, pools); it spreads through operators
 * that keep the axes.
 */
#ifndef TSR_PREPARE_FORMAT_INFER_H
#define TSR_PREPARE_FORMAT_INFER_H

#include "ir/graph.h"

/* Sets origin_format of every value of the graph and below it; shapes are inferred
 * before. Storage formats become equal to it. */
void tsr_format_infer(TsrGraph *graph);

#endif
