/* SPDX-License-Identifier: Apache-2.0
 *
 * ops.h: the operator definitions that the framework brings itself. They are
 * written with the public structs of plugin.h, so that they read like those of a
 * plugin; the operator registry takes both in the same way.
 */
#ifndef TSR_OPS_OPS_H
#define TSR_OPS_OPS_H

#include <tessera/plugin.h>

/* The families of built-in definitions; static data.
 * @out_count: number of entries. Threads: any. */
const TsrOps *const *tsr_ops_builtin(uint32_t *out_count);

#endif
