#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Adds up a meson test log (JSON lines): prints "PASSED FAILED".

A Check executable counts with its checks; one that broke down without saying how
many, or a test of another kind, counts as one. Of several logs the later ones hold
repeated tests, which count instead of their first run. With --leak-checker-died it
prints the names of tests that failed in whose output GCC's leak checker says that it
died itself, which says nothing of the test.

Usage: count_tests.py [--leak-checker-died] BUILD/meson-logs/testlog.json...
"""
import json
import re
import sys

SUMMARY = re.compile(r"Checks: (\d+), Failures: (\d+), Errors: (\d+)")

DIED = "LeakSanitizer has encountered a fatal error"

passed = failed = 0
tests = {}
paths = [path for path in sys.argv[1:] if not path.startswith("--")]
for path in paths:
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.strip():
                    test = json.loads(line)
                    tests[test["name"]] = test
    except OSError:
        pass
if "--leak-checker-died" in sys.argv:
    print(*(name.split(" / ")[-1] for name, test in tests.items()
            if test["result"] not in ("OK", "EXPECTEDFAIL", "SKIP", "IGNORED")
            and DIED in (test.get("stdout") or "") + (test.get("stderr") or "")))
    sys.exit()
for test in tests.values():
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
