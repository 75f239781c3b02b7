#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# abi_table.py: freezes the plugin ABI of a minor version: where every field of the public
# structs lies, how large it is, and the number of every enumerator, as tests/abi/test_layout.c
# reads it. Run it once for a minor version, right before its release:
#
#     python3 scripts/abi_table.py > tests/abi/abi_1_0.inc
#
# A later minor appends to the headers, raises TSR_ABI_MINOR, adds abi_1_N.inc and includes it;
# the older tables stay as they are for as long as the major lives.
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import abi_header  # noqa: E402

INCLUDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "include")
HEADERS = ["types.h", "plugin.h", "device_kernels.h"]

PROGRAM = """#include <stdio.h>
#include <tessera/device_kernels.h>
#include <tessera/plugin.h>
#define FIELD(type, field) printf("TSR_ABI_FIELD(" #type ", " #field ", %zu, %zu)\\n", \\
                                  offsetof(type, field), sizeof(((type *)0)->field))
int main(void)
{
"""


def main():
    lines = []
    for header in HEADERS:
        with open(os.path.join(INCLUDE, "tessera", header), encoding="utf-8") as file:
            text = file.read()
        for name, fields in abi_header.structs(text).items():
            grows = fields[0][1] == ["struct_size"] or name in abi_header.STRIDED
            kind = "STRUCT" if grows else "ROW"
            lines.append(f'printf("TSR_ABI_{kind}({name}, %zu)\\n", sizeof({name}));')
            lines += [f"FIELD({name}, {one});" for _, names in fields for one in names]
        lines += [f'printf("TSR_ABI_VALUE({name}, %lld)\\n", (long long){name});'
                  for name in abi_header.enumerators(text) if not name.endswith("_COUNT")]
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "table.c")
        program = os.path.join(folder, "table")
        with open(source, "w", encoding="utf-8") as file:
            file.write(PROGRAM + "\n".join(lines) + "\nreturn 0;\n}\n")
        subprocess.run([os.environ.get("CC", "cc"), source, "-I", INCLUDE, "-o", program],
                       check=True)
        rows = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    print("/* SPDX-License-Identifier: Apache-2.0\n *\n"
          " * Made by scripts/abi_table.py and never changed after the release of its minor\n"
          " * version: fields (offset, size), structs, which may only grow, rows\n"
          " * of arrays, which may not, and enumerators. For 64-bit machines.\n"
          " */")
    print(rows, end="")


main()
