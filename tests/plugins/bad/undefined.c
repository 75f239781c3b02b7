/* SPDX-License-Identifier: Apache-2.0
 *
 * undefined.c: a plugin that calls what no library defines, as one that was linked without
 * -z defs does.
 */
#include <tessera/plugin.h>

int32_t tsr_test_nobody_defines_this(const TsrHost *host);

int32_t tsr_plugin_query(const TsrHost *host, const TsrPlugin **out_plugin)
{
    *out_plugin = NULL;
    return tsr_test_nobody_defines_this(host);
}
