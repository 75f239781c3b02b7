#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# check_dump.sh: every tensor of a network's run, by name, against the reference kernels: with
# fusion off, when each value of the model is there, with fusion on, from an offline model, and
# node by node. One line per network and way; exit status 1 when one differs.
# Usage: check_dump.sh [--build FOLDER] [NAME...]; without names: resnet50 and shufflenet
set -u
cd "$(dirname "$0")/../.." || exit 1

build=build
if [ "${1:-}" = --build ]; then
    build=$2
    shift 2
fi
[ $# -gt 0 ] || set -- resnet50 shufflenet
models=build/models
here=tests/models
tessera=$build/tools/tessera
work=$models/dump
passed=0
failed=0
mkdir -p "$work"

# check WAY MODEL ARGUMENT...: dumps and compares with $work/safe.
check()
{
    way=$1
    shift
    rm -rf "$work/got"
    if "$tessera" run "$@" --dump "$work/got" >"$work/log" 2>&1 &&
        /usr/bin/python3 "$here/compare_dumps.py" "$work/safe" "$work/got" >"$work/log"; then
        echo "ok      $name, $way: $(tail -n 1 "$work/log")"
        passed=$((passed + 1))
    else
        echo "FAILED  $name, $way: $(tail -n 1 "$work/log")"
        failed=$((failed + 1))
    fi
}

for name in "$@"; do
    model=$models/seeded/$name.onnx
    if [ ! -f "$model" ]; then
        echo "skipped $name: $model is not there"
        continue
    fi
    rm -rf "$work/safe"
    "$tessera" run "$model" --safe-mode --dump "$work/safe" >"$work/log" 2>&1 || {
        echo "FAILED  $name: $(tail -n 1 "$work/log")"
        failed=$((failed + 1))
        continue
    }
    check "fusion off" "$model" --disable-fusion all
    check "fusion on" "$model"
    check "task by task" "$model" --mode host
    "$tessera" compile "$model" -o "$work/model.om" >"$work/log" 2>&1
    check "offline model" "$work/model.om"
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
