#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares two folders of `tessera run --dump` by the names in their indexes.

A value may differ by 1e-3 of the greatest element of it (sums are taken in another order).
Every value of the first folder has to be in the second, or be told there as fused away; what
only the second has are conversions between storages. Exit status 1 otherwise.

Usage: compare_dumps.py WANTED_FOLDER GOT_FOLDER
"""
import json
import os
import sys

import numpy as np


def read(folder):
    with open(os.path.join(folder, "index.json"), encoding="utf-8") as file:
        index = json.load(file)
    values = {row["value"]: row for row in index["values"] if row["file"]}
    return values, {row["value"] for row in index["fused"]}


def main():
    wanted, _ = read(sys.argv[1])
    got, fused = read(sys.argv[2])
    bad = 0
    worst = 0.0
    common = 0
    blocked = 0
    for name, row in wanted.items():
        if name not in got:
            if name not in fused:
                print(f"'{name}' is missing and not told as fused")
                bad += 1
            continue
        a = np.load(os.path.join(sys.argv[1], row["file"]))
        b = np.load(os.path.join(sys.argv[2], got[name]["file"]))
        common += 1
        blocked += got[name]["storage_format"] != got[name]["origin_format"]
        if a.shape != b.shape or a.dtype != b.dtype:
            print(f"'{name}' is {a.dtype}{a.shape} and {b.dtype}{b.shape}")
            bad += 1
            continue
        if a.size == 0 or a.dtype.kind != "f":
            bad += not np.array_equal(a, b)
            continue
        scale = max(float(np.abs(a).max()), 1e-30)
        difference = float(np.abs(a - b).max()) / scale
        worst = max(worst, difference)
        if not difference <= 1e-3:
            print(f"'{name}' differs by {difference:.2e} of its greatest element")
            bad += 1
    print(f"{common} values, {blocked} of them blocked, {len(fused)} fused away, greatest "
          f"difference {worst:.1e}, {bad} wrong")
    return 1 if bad or common == 0 else 0


sys.exit(main())
