#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints, as a table for docs/formats.md, what storage formats cost per network: TransData
nodes left to run, Transposes left, and bytes that TransData reads, without any pass and with
all of them, and the same weighed over the whole graph by heavy-format propagation alone.

Usage: formats.py TESSERA MODELS_FOLDER [NAME...]
"""
import json
import os
import subprocess
import sys


def explain(tessera, path, arguments, *more):
    command = [tessera, "explain", path, "--json", *arguments, *more]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def shapes(folder, name):
    """The --input-shape options that run_models.sh uses."""
    path = os.path.join(folder, "inputs", name, "arguments")
    if not os.path.exists(path):
        return []
    lines = open(path).read().splitlines()
    return [word for option, value in zip(lines, lines[1:]) if option == "--input-shape"
            for word in (option, value)]


def figures(report):
    transposes = sum(node["op"] == "Transpose" for node in report["nodes"])
    return report["transdata"], transposes, report["converted_bytes"]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip().splitlines()[-1])
    tessera, folder, wanted = sys.argv[1], sys.argv[2], sys.argv[3:]
    table = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models.tsv")
    print("| network | TransData | Transpose | KiB converted | nodes |")
    print("|---|---|---|---|---|")
    for line in open(table):
        fields = line.rstrip("\n").split("\t")
        if line.startswith("#") or len(fields) < 2 or (wanted and fields[0] not in wanted):
            continue
        path = os.path.join(folder, fields[1])
        if not os.path.exists(path):
            print(f"| {fields[0]} | {path} is not there | | | |")
            continue
        options = shapes(folder, fields[0])
        before = explain(tessera, path, options, "--disable-fusion", "all")
        after = explain(tessera, path, options)
        (t0, p0, b0), (t1, p1, b1) = figures(before), figures(after)
        print(f"| {fields[0]} | {t0} → {t1} | {p0} → {p1} | {b0 / 1024:.0f} → {b1 / 1024:.0f} "
              f"| {len(before['nodes'])} → {len(after['nodes'])} |")


main()
