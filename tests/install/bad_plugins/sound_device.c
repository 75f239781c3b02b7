/* SPDX-License-Identifier: Apache-2.0
 *
 * sound_device.c: a device that does nothing wrong: what the faults of the others are
 * told from.
 */
#define PLUGIN_NAME "sound_device"
#include "good_device.h"
