#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# test.sh: installs what is missing, builds, and runs every test: the unit tests by
# meson, then the real networks against ONNX Runtime. Ends with the two runners' own
# summaries and "N passed, N failed"; exit status 1 when anything failed.
set -u
cd "$(dirname "$0")/.." || exit 1

sh scripts/deps.sh || exit 1
sh scripts/models.sh || echo "test: some networks could not be fetched; their tests are skipped"
if [ ! -f build/build.ninja ]; then
    meson setup build || exit 1
fi
meson configure build -Dtests=true || exit 1
ninja -C build || exit 1

# What an earlier run left must not be counted.
rm -f build/meson-logs/testlog.json
meson test -C build --print-errorlogs
status=$?
counts=$(/usr/bin/python3 scripts/count_tests.py build/meson-logs/testlog.json)
passed=${counts% *}
failed=${counts#* }
[ $status = 0 ] || [ "$failed" -gt 0 ] || failed=1

# add_up FILE: adds the numbers of the last "N passed, N failed" that a part printed; one
# that printed none has failed.
add_up()
{
    numbers=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed.*/\1 \2/p' "$1" | tail -n 1)
    if [ -n "$numbers" ]; then
        passed=$((passed + ${numbers% *}))
        failed=$((failed + ${numbers#* }))
    else
        failed=$((failed + 1))
    fi
    rm -f "$1"
}

echo
echo "operators, by the ONNX backend suite:"
sh tests/conformance.sh 2>&1 | tee build/conformance.out
add_up build/conformance.out

echo
echo "real networks, compared with ONNX Runtime, on one core and on two:"
[ $# -gt 0 ] || set -- --threads 1,2
sh tests/models/run_models.sh "$@" 2>&1 | tee build/run_models.out
add_up build/run_models.out

echo
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
