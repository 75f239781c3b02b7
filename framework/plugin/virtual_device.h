/* SPDX-License-Identifier: Apache-2.0
 *
 * virtual_device.h: a device that is only described, by a key file, so that models can be
 * compiled for one that this machine lacks. It has memory, and any kernel that is asked for;
 * whatever would run on it is refused with an error.
 */
#ifndef TSR_PLUGIN_VIRTUAL_DEVICE_H
#define TSR_PLUGIN_VIRTUAL_DEVICE_H

#include "plugin/loader.h"

/* Reads the group [device] of a file: name and c0_lanes, which are mandatory, core_count,
 * l1_bytes, l2_bytes, memory_bytes, alignment, isa. Errors: IO, INVALID_ARGUMENT name file,
 * key, what was wanted and what was got. The record is of no library and belongs to the
 * caller; tsr_virtual_device_free. (transfer full) */
TsrLoadedPlugin *tsr_virtual_device_new(const char *path, GError **error);
void tsr_virtual_device_free(TsrLoadedPlugin *record); /* NULL is a no-op */

/* Whether what a device says of itself can be; name is for the error. */
gboolean tsr_device_info_check(const TsrDeviceInfo *info, const char *name, GError **error);

#endif
