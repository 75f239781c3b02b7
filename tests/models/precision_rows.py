#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Rows of precision.sh: compares the .npy files of two folders name by name.

max rel is the greatest |narrow - float| / |float| over elements that are at least a
thousandth of the greatest one: below that a relative difference says nothing.

Usage: precision_rows.py NETWORK MODE FLOAT_FOLDER NARROW_FOLDER
"""
import os
import sys

import numpy as np


def row(network, mode, name, wanted, got):
    a = np.asarray(wanted, np.float64).ravel()
    b = np.asarray(got, np.float64).ravel()
    if a.size == 0 or a.size != b.size:
        return f"| {network} | {mode} | {name} | {a.size} and {b.size} elements | | | |"
    difference = np.abs(a - b)
    large = np.abs(a) >= 1e-3 * np.abs(a).max()
    relative = (difference[large] / np.maximum(np.abs(a[large]), 1e-300)).max()
    norms = np.linalg.norm(a) * np.linalg.norm(b)
    cosine = float(a @ b / norms) if norms > 0 else float(np.array_equal(a, b))
    top = "yes" if np.isfinite(b).all() and a.argmax() == b.argmax() else "no"
    return (f"| {network} | {mode} | {name} | {difference.max():.2e} | {relative:.2e} "
            f"| {cosine:.7f} | {top} |")


def main():
    network, mode, float_folder, narrow_folder = sys.argv[1:5]
    for file in sorted(os.listdir(float_folder)):
        print(row(network, mode, file.removesuffix(".npy"),
                  np.load(os.path.join(float_folder, file)),
                  np.load(os.path.join(narrow_folder, file))))


main()
