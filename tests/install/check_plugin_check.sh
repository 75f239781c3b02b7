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

# faulty NAME GROUP WORDS: whether the kit failed, in that group, with the words (a pattern).
faulty()
{
    status=$(cat "$out/$1.status")
    [ "$status" = 1 ] && grep -q "^FAILED  $2: .*$3" "$out/$1.report" ||
        { echo "        status $status"; tail -n 12 "$out/$1.report"; return 1; }
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

# Plugin of bad_plugins/, group, and the words of its fault. Those that take long come first.
faults=$(cat <<'END'
hangs_at_load load loads: was still busy after 3 s
lies_about_operator claims MatMul.*cannot run MatMul after all
crashes_at_load load loads: crashed (SIGSEGV)
exits_at_load load loads: ended its process with status 7
prints_at_load load prints nothing: printed 'thank you for choosing
other_abi load loads: abi version:
nonsense_passes load 4000000000 passes
nonsense_operators load 3000000000 definitions
shows_symbols load parse_everything
leaves_thread lifecycle threads are left
crashes_at_check purity Relu, asked twice: crashed (SIGSEGV)
prints_at_check purity prints nothing: printed
nonsense_answers purity check answers 77
nonsense_status purity without saying why
changes_its_mind purity asked again at once
lies_about_numbers claims Relu(T3x17) float: output 0: element
remembers_runs claims Sigmoid(T3x17) float: second run: output 0
refuses_cluster claims the engine said yes to the node, then refused it: not these 1
nonsense_columns formats 4000000000 columns where there is room for 32
writes_behind_columns formats writes behind the formats
mistakes_format formats Relu(T1x17x5x5) float in NC1HWC0: output 0
fuses_wrongly fusion Relu behind Neg(x): with all passes: output 0
describes_at_length offline describe writes no end within its 64 bytes
shares_scratch threads on one state in 4 threads: output 0
device_returns_early lifecycle the device opened, .*: [0-9]* blocks were run, wanted
device_drops_byte lifecycle a launched copy of 4097 bytes: byte 4096 is
device_ignores_events lifecycle a stream went on before the event that it waits for
END
)
# What only an allocator of the kit's own shows; a sanitizer has its own.
allocator_faults=$(cat <<'END'
device_leaks_stream leaks the device opened, .*: [0-9.]* blocks with .* a round
leaks_memory leaks start and end: 1 blocks with .* bytes a round
trusts_malloc errors while memory runs out: crashed (SIGSEGV)
END
)
if [ -n "${SANITIZE:-}" ]; then
    echo "skipped, since a sanitizer owns the allocator:"
    echo "$allocator_faults" | sed 's/ .*//; s/^/        /'
    skipped=$(echo "$allocator_faults" | wc -l)
else
    faults="$faults
$allocator_faults"
fi

# The kit looks at them side by side, one more at a time than there are processors, since one
# of them only waits.
# shellcheck disable=SC2016 # the inner shell expands
export CC="${CC:-cc}" SANITIZE="${SANITIZE:-}" kit out sources include
echo "$faults" | cut -d ' ' -f 1,2 | xargs -P $(($(nproc) + 1)) -L 1 sh -c '
    $CC -std=gnu11 -Wall -Wextra -Werror -shared -fPIC -fvisibility=hidden $SANITIZE \
        "$sources/$1.c" -I"$include" -o "$out/$1.so" -lm -lpthread || exit 255
    status=0
    "$kit" --timeout 3 --cycles 20 --group "$2" "$out/$1.so" >"$out/$1.report" 2>&1 || status=$?
    echo "$status" >"$out/$1.status"' examine
while read -r name group words; do
    check "$name: $group says '$words'" faulty "$name" "$group" "$words"
done <<END
$faults
END

compile sound "$sources/sound.c"
# What goes wrong in one check leaves the others alone.
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
