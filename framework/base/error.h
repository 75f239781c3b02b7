/* SPDX-License-Identifier: Apache-2.0
 *
 * error.h: the one error domain of the framework. Codes are the TSR_ status
 * values of types.h, so a status from a plugin and a GError of ours compare.
 */
#ifndef TSR_BASE_ERROR_H
#define TSR_BASE_ERROR_H

#include <glib.h>
#include <tessera/tessera.h> /* declares TSR_ERROR and tsr_status_name for everybody */

#endif
