#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# conformance.sh: the ONNX backend suite in every form that must give the same results,
# the cases from public bug reports, and the proof that the runner notices damage. One
# line a form, then "N passed, N failed". Usage: conformance.sh [--build FOLDER] [--quick]
set -u
cd "$(dirname "$0")/.." || exit 1
build=build
quick=
while [ $# -gt 0 ]; do
    case $1 in
        --build) build=$2; shift 2 ;;
        --quick) quick=1; shift ;;
        *) echo "usage: conformance.sh [--build FOLDER] [--quick]" >&2; exit 2 ;;
    esac
done
tessera=$build/tools/tessera
shared=${TESSERA_SHARED:-../shared}
suite=build/onnx_backend
log=$build/conformance.log
passed=0
failed=0
: >"$log"

# form NAME FOLDER OPTION...: runs the tests of a folder and adds up what it says. What is
# unsupported counts as failed: nothing of the suite may be.
form()
{
    name=$1
    folder=$2
    shift 2
    "$tessera" conformance "$folder" "$@" >"$log.one" 2>&1
    { echo "== $name"; cat "$log.one"; } >>"$log"
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ unsupported$' "$log.one" | tail -n 1)
    if [ -z "$line" ]; then
        echo "FAILED  $name: $(tail -n 1 "$log.one")"
        failed=$((failed + 1))
        return
    fi
    # shellcheck disable=SC2086 # the line is words
    set -- $line
    echo "$name: $line"
    passed=$((passed + $1))
    failed=$((failed + $3 + $5))
}

# pass_names: every pass that can be switched off, as the command lists them when it is
# asked for one that does not exist.
pass_names()
{
    set -- "$suite"/node/test_relu/model.onnx
    "$tessera" explain "$1" --disable-fusion none_such 2>&1 |
        sed -n 's/.*there are: //p' | tr -d ' ' | tr ',' '\n'
}

if [ -d "$suite/node" ]; then
    form "ONNX backend suite" "$suite"
    form "  shape inference alone" "$suite" --infer-only
    if [ -z "$quick" ]; then
        form "  on the general engine alone" "$suite" --engine-priority aicpu
        form "  without memory reuse" "$suite" --disable-memory-reuse
        form "  constants fed at run time" "$suite" --feed run-time
        form "  inputs known at compile time" "$suite" --feed constant
        form "  shapes known only at run time" "$suite" --feed dynamic
        form "  and no plans for them" "$suite" --feed dynamic --no-plans
        for format in plain NHWC HWCN NC1HWC0 FRACTAL_Z FRACTAL_NZ C1HWNCoC0; do
            form "  storage format forced: $format" "$suite" --force-format $format
        done
        form "  without fusion" "$suite" --disable-fusion all
        for pass in $(pass_names); do
            form "  without $pass" "$suite" --disable-fusion "$pass"
        done
        for damage in element nan inf sign shape dtype; do
            form "  expected outputs damaged: $damage" "$suite" --damage $damage
        done
    fi
else
    echo "skipped the ONNX backend suite: $suite is not there (scripts/models.sh)"
fi
if [ -f "$shared/bug_cases/manifest.tsv" ]; then
    form "cases from public bug reports" "$shared/bug_cases"
else
    echo "skipped the bug cases: $shared/bug_cases is not there"
fi
rm -f "$log.one"
[ "$failed" = 0 ] || echo "what failed: $log"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
