/* SPDX-License-Identifier: Apache-2.0
 *
 * test_layout.c: the public headers against the frozen table of every minor version of the
 * plugin ABI: what it had still lies where it lay and is called what it was called. All is
 * checked while this file is compiled; running it only says how much that was.
 */
#include <stdio.h>
#include <tessera/device_kernels.h>
#include <tessera/plugin.h>

#define TSR_ABI_FIELD(type, field, offset, size)                                    \
    _Static_assert(offsetof(type, field) == (offset), #type "." #field " has moved"); \
    _Static_assert(sizeof(((type *)NULL)->field) == (size), #type "." #field " has another size");
#define TSR_ABI_STRUCT(type, size) _Static_assert(sizeof(type) >= (size), #type " has shrunk");
#define TSR_ABI_ROW(type, size) _Static_assert(sizeof(type) == (size), #type " has another size");
#define TSR_ABI_VALUE(name, number) _Static_assert((name) == (number), #name " has changed");

#include "abi_1_0.inc"

#undef TSR_ABI_FIELD
#undef TSR_ABI_STRUCT
#undef TSR_ABI_ROW
#undef TSR_ABI_VALUE
#define TSR_ABI_FIELD(type, field, offset, size) +1
#define TSR_ABI_STRUCT(type, size) +1
#define TSR_ABI_ROW(type, size) +1
#define TSR_ABI_VALUE(name, number) +1

static const int rows = 0
#include "abi_1_0.inc"
    ;

int main(void)
{
    printf("%d rows of the tables up to ABI %u.%u\n", rows, TSR_ABI_MAJOR, TSR_ABI_MINOR);
    return rows > 0 ? 0 : 1;
}
