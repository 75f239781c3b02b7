/* SPDX-License-Identifier: Apache-2.0
 *
 * device_checks.h: the part of the groups that a device is asked for. Each does nothing, and
 * skips nothing, for a plugin without one.
 */
#ifndef TSR_PLUGIN_CHECK_DEVICE_CHECKS_H
#define TSR_PLUGIN_CHECK_DEVICE_CHECKS_H

#include "plugin_check/check.h"

void pc_device_lifecycle(PcContext *context);
/* The device opened, used and closed once, for the search for leaks; FALSE with an error. */
gboolean pc_device_round(PcContext *context, GError **error);
void pc_device_purity(PcContext *context);
void pc_device_errors(PcContext *context);
void pc_device_threads(PcContext *context);

#endif
