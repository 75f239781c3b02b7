/* SPDX-License-Identifier: Apache-2.0
 *
 * sound.c: does nothing wrong: what the faults of the others are told from.
 */
#include "good_engine.h"

#define PLUGIN_NAME "sound"
#include "good_plugin.h"
