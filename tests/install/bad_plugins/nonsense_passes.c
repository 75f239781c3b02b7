/* SPDX-License-Identifier: Apache-2.0
 *
 * nonsense_passes.c: says that it has four thousand million fusion passes and shows none.
 */
#include "good_engine.h"

static const TsrFusion fusion = {.struct_size = sizeof(TsrFusion), .pass_count = 4000000000u};

#define PLUGIN_NAME "nonsense_passes"
#define PLUGIN_FUSION &fusion
#include "good_plugin.h"
