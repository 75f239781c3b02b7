#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# check_header.py: what holds for every struct of plugin.h: it begins with its size (the
# exceptions are named and explained in scripts/abi_header.py), its fields have types of a fixed
# width, and no type of another library crosses the line. The rules are then tried on headers
# with faults planted into them, each of which must be found.
# Usage: check_header.py INCLUDE_FOLDER
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts"))
import abi_header  # noqa: E402

# Types whose size or meaning the two sides may not agree on.
FOREIGN = re.compile(r"\b(bool|_Bool|long|short|size_t|ssize_t|time_t|FILE|va_list|wchar_t|"
                     r"g[a-z]*int[0-9]*|gboolean|gsize|gpointer|G[A-Z]\w+)\b")


def faults(text):
    found = []
    for name, fields in abi_header.structs(text).items():
        first = fields[0][0]
        if first != "uint32_t struct_size" and name not in abi_header.UNSIZED:
            found.append(f"{name} begins with '{first}', wanted 'uint32_t struct_size'")
        for declaration, _ in fields:
            foreign = FOREIGN.search(declaration)
            if foreign:
                found.append(f"{name}: '{declaration}' has the type {foreign.group(0)}")
            if re.search(r":\s*\d+$", declaration):
                found.append(f"{name}: '{declaration}' is a bit field")
            if re.match(r"(unsigned |enum |int\b|unsigned\b)", declaration):
                found.append(f"{name}: '{declaration}' has no fixed width")
    return found


PLANTED = [
    ("typedef struct TsrEvil { uint32_t flags; uint32_t struct_size; } TsrEvil;", "begins with"),
    ("struct TsrEvil { uint32_t struct_size; bool on; };", "the type bool"),
    ("struct TsrEvil { uint32_t struct_size; long big; };", "the type long"),
    ("struct TsrEvil { uint32_t struct_size; GError *error; };", "the type GError"),
    ("struct TsrEvil { uint32_t struct_size; uint32_t bit : 1; };", "is a bit field"),
    ("struct TsrEvil { uint32_t struct_size; int count; };", "no fixed width"),
    ("struct TsrEvil { uint32_t struct_size; int32_t (*put)(FILE *out); };", "the type FILE"),
]


def main():
    passed = failed = 0
    for header in ("types.h", "plugin.h"):
        with open(os.path.join(sys.argv[1], "tessera", header), encoding="utf-8") as file:
            text = file.read()
        wrong = faults(text)
        count = len(abi_header.structs(text))
        for line in wrong:
            print(f"FAILED  {header}: {line}")
        failed += len(wrong)
        passed += count - min(count, len(wrong))
        for planted, wanted in PLANTED:
            if any(wanted in line for line in faults(text + planted)):
                passed += 1
            else:
                print(f"FAILED  nothing is said of: {planted}")
                failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
