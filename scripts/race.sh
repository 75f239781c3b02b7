#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# race.sh [SECONDS]: eight threads on one model, four ways, each for that long (60), in a build
# with the thread sanitizer (build-tsan). Takes a build of its own, so no other script calls
# it. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1

sh scripts/deps.sh || exit 1
[ -f build-tsan/build.ninja ] ||
    meson setup build-tsan -Dbuildtype=debugoptimized -Dtests=true -Db_sanitize=thread \
        -Db_lundef=false || exit 1
ninja -C build-tsan || exit 1
TESSERA_TEST_SECONDS=${1:-60}
export TESSERA_TEST_SECONDS
TSAN_OPTIONS=halt_on_error=1
# GLib hands memory from thread to thread by means that the sanitizer does not see.
G_SLICE=always-malloc
CK_TIMEOUT_MULTIPLIER=10
export TSAN_OPTIONS G_SLICE CK_TIMEOUT_MULTIPLIER
rm -f build-tsan/meson-logs/testlog.json
meson test -C build-tsan --no-rebuild --print-errorlogs --timeout-multiplier 30 -v \
    framework_threads framework_task_log framework_plans framework_streams \
    framework_known_parts "npu_sim model" "npu_sim parallel" "npu_sim side_by_side"
counts=$(/usr/bin/python3 scripts/count_tests.py build-tsan/meson-logs/testlog.json)
echo "${counts% *} passed, ${counts#* } failed"
[ "${counts#* }" = 0 ] && [ "${counts% *}" -gt 0 ]
