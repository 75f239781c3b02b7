/* SPDX-License-Identifier: Apache-2.0
 *
 * tessera.c: operators of the domain "tessera", which the framework itself puts into
 * graphs. TransData changes the storage format; its formats are in the descs. It is a view
 * where both formats are the same bytes (one pixel with whole channel blocks).
 */
#include "families.h"

static const TsrOpParam trans_data_in[] = {{"x", TSR_PARAM_REQUIRED, 1, 0}};
static const TsrOpParam trans_data_out[] = {{"y", TSR_PARAM_REQUIRED, 1, 0}};

static const TsrOpDef definitions[] = {
    {OP_ROW("tessera", "TransData", 1), OP_INPUTS(trans_data_in), OP_OUTPUTS(trans_data_out),
     .flags = TSR_OP_VIEW, .follow = "y=x"},
};

const TsrOps tsr_ops_tessera = OP_FAMILY(definitions);
