#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# check_plugin_check.sh: the conformance kit in both directions, from a fresh installation
# alone. sound: it finds nothing in the plugins that are installed, in the template, the scalar
# engine and a sound plugin. faulty: it finds the fault of every plugin of bad_plugins/, in the
# group that it belongs to.
# Usage: check_plugin_check.sh sound|faulty BUILD_FOLDER BAD_PLUGINS_FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
part=$1
shift
build=$(cd "$1" && pwd)
sources=$(cd "$2" && pwd)
root=$build/installed_check_$part
rm -rf "$root"
meson install -C "$build" --no-rebuild --strip --destdir "$root" >/dev/null
include=$(dirname "$(dirname "$(find "$root" -path '*/tessera/plugin.h')")")
kit=$(find "$root" -path '*/bin/tessera-plugin-check')
share=$(dirname "$(find "$root" -path '*/tessera/template/template.c')")
plugins=$(dirname "$(find "$root" -name nn_engine.so)")
out=$root/out
mkdir -p "$out"
. "$here/checks.sh"
skipped=0

# compile NAME SOURCE...: builds a plugin.
compile()
{
    name=$1
    shift
    # shellcheck disable=SC2086 # the flags are words
    ${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -shared -fPIC -fvisibility=hidden \
        ${SANITIZE:-} "$@" -I"$include" -o "$out/$name.so" -lm -lpthread
}

# sound PLUGIN.so: whether the kit finds no fault, and says how much it has looked at.
sound()
{
    "$kit" "$1" >"$out/report.txt" 2>&1 || { grep FAILED "$out/report.txt"; return 1; }
    tail -n 1 "$out/report.txt" | grep -q '^[1-9][0-9]* passed, 0 failed, [0-9]* skipped$' ||
        { cat "$out/report.txt"; return 1; }
    sed -n '$s/^/        /p' "$out/report.txt"
}

# faulty GROUP WORDS: whether the kit fails, in that group, with the words (a pattern).
faulty()
{
    status=0
    "$kit" --timeout 3 --cycles 20 --group "$1" "$out/$name.so" >"$out/report.txt" 2>&1 ||
        status=$?
    [ "$status" = 1 ] && grep -q "^FAILED  $1: .*$2" "$out/report.txt" ||
        { echo "        status $status"; tail -n 12 "$out/report.txt"; return 1; }
}

# finds NAME GROUP WORDS: in a plugin of bad_plugins/.
finds()
{
    compile "$1" "$sources/$1.c"
    check "$1: $2 says '$3'" faulty "$2" "$3"
}

# What only an allocator of the kit's own shows; a sanitizer has its own.
finds_unsanitized()
{
    if [ -n "${SANITIZE:-}" ]; then
        echo "skipped $1: a sanitizer owns the allocator"
        skipped=$((skipped + 1))
    else
        finds "$@"
    fi
}

if [ "$part" = sound ]; then
    for plugin in nn_engine aicpu npu_sim; do
        check "$plugin has no fault" sound "$plugins/$plugin.so"
    done
    compile template "$share/template.c"
    check "the template has no fault" sound "$out/template.so"
    compile scalar_engine "$share"/../examples/scalar_engine/*.c
    check "the scalar engine has no fault" sound "$out/scalar_engine.so"
    compile sound "$sources/sound.c"
    check "a sound plugin has no fault" sound "$out/sound.so"
    compile sound_device "$sources/sound_device.c"
    check "a sound device has no fault" sound "$out/sound_device.so"
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" = 0 ]
    exit
fi

compile sound "$sources/sound.c"
finds crashes_at_load load "loads: crashed (SIGSEGV)"
finds exits_at_load load "loads: ended its process with status 7"
finds hangs_at_load load "loads: was still busy after 3 s"
finds prints_at_load load "prints nothing: printed 'thank you for choosing"
finds other_abi load "loads: abi version: "
finds nonsense_passes load "4000000000 passes"
finds nonsense_operators load "3000000000 definitions"
finds shows_symbols load "parse_everything"
finds leaves_thread lifecycle "threads are left"
finds crashes_at_check purity "Relu, asked twice: crashed (SIGSEGV)"
finds prints_at_check purity "prints nothing: printed"
finds nonsense_answers purity "check answers 77"
finds nonsense_status purity "without saying why"
finds changes_its_mind purity "asked again at once"
finds lies_about_operator claims "MatMul.*cannot run MatMul after all"
finds lies_about_numbers claims "Relu(T3x17) float: output 0: element"
finds remembers_runs claims "Sigmoid(T3x17) float: second run: output 0"
finds refuses_cluster claims "the engine said yes to the node, then refused it: not these 1"
finds nonsense_columns formats "4000000000 columns where there is room for 32"
finds writes_behind_columns formats "writes behind the formats"
finds mistakes_format formats "Relu(T1x17x5x5) float in NC1HWC0: output 0"
finds fuses_wrongly fusion "Relu behind Neg(x): with all passes: output 0"
finds describes_at_length offline "describe writes no end within its 64 bytes"
finds shares_scratch threads "on one state in 4 threads: output 0"
finds device_returns_early lifecycle "the device opened, .*: [0-9]* blocks were run, wanted"
finds device_drops_byte lifecycle "a launched copy of 4097 bytes: byte 4096 is"
finds device_ignores_events lifecycle "a stream went on before the event that it waits for"
finds_unsanitized device_leaks_stream leaks "the device opened, .*: [0-9.]* blocks with .* a round"
finds_unsanitized leaks_memory leaks "start and end: 1 blocks with .* bytes a round"
finds_unsanitized trusts_malloc errors "while memory runs out: crashed (SIGSEGV)"

# What goes wrong in one check leaves the others alone.
compile crashes_at_check "$sources/crashes_at_check.c"
"$kit" --group purity --json "$out/crashes_at_check.so" >"$out/report.json" || true
check "a crash is one failed check, and the rest goes on" /usr/bin/python3 -c "
import json, sys
report = json.load(open(sys.argv[1]))
verdicts = {row['check']: row['verdict'] for row in report['checks']}
assert verdicts['Relu, asked twice'] == 'failed', verdicts
assert verdicts['Sigmoid, asked twice'] == 'passed', verdicts
assert all(row['reason'] for row in report['checks'] if row['verdict'] != 'passed')
counts = [sum(row['verdict'] == word for row in report['checks'])
          for word in ('passed', 'failed', 'skipped')]
assert counts == [report['passed'], report['failed'], report['skipped']], counts
" "$out/report.json"
status=0
"$kit" --group nothing "$out/sound.so" 2>/dev/null || status=$?
check "an unknown group is wrong usage" [ "$status" = 2 ]
status=0
"$kit" "$out/nothing.so" 2>"$out/report.txt" || status=$?
check "a file that is not there is an error" [ "$status" = 1 ]

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
