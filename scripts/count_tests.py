#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Adds up a meson test log (JSON lines): prints "PASSED FAILED".

A Check executable counts with its checks; one that broke down without saying how
many, or a test of another kind, counts as one.

Usage: count_tests.py BUILD/meson-logs/testlog.json
"""
import json
import re
import sys

SUMMARY = re.compile(r"Checks: (\d+), Failures: (\d+), Errors: (\d+)")

passed = failed = 0
try:
    with open(sys.argv[1], encoding="utf-8") as file:
        tests = [json.loads(line) for line in file if line.strip()]
except OSError:
    tests = []
for test in tests:
    if test["result"] in ("SKIP", "IGNORED"):
        continue
    good = bad = 0
    for checks, failures, errors in SUMMARY.findall(test.get("stdout") or ""):
        bad += int(failures) + int(errors)
        good += int(checks) - int(failures) - int(errors)
    ok = test["result"] in ("OK", "EXPECTEDFAIL")
    passed += good if good + bad > 0 else ok
    failed += bad if bad > 0 or ok else 1
print(passed, failed)
