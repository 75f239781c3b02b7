/* SPDX-License-Identifier: Apache-2.0
 *
 * other_abi.c: was built for the next major of the ABI.
 */
#include "good_engine.h"

#define PLUGIN_NAME "other_abi"
#define PLUGIN_ABI_MAJOR (TSR_ABI_MAJOR + 1)
#include "good_plugin.h"
