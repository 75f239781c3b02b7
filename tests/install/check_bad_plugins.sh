#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# check_bad_plugins.sh: builds the plugins of bad_plugins/, each with one fault, from the
# headers of a fresh installation, lists them one after the other before the engines of the
# installed command, and looks for the answer that docs/plugins.md promises. A network runs on
# the other engines each time, with the same numbers as without the plugin.
# Usage: check_bad_plugins.sh BUILD_FOLDER BAD_PLUGINS_FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
sources=$(cd "$2" && pwd)
root=$build/installed_bad
rm -rf "$root"
meson install -C "$build" --no-rebuild --strip --destdir "$root" >/dev/null
include=$(dirname "$(dirname "$(find "$root" -path '*/tessera/plugin.h')")")
tessera=$(find "$root" -path '*/bin/tessera')
conf=$(find "$root" -path '*/tessera/plugins.conf')
out=$root/out
mkdir -p "$root/plugins" "$out"
export XDG_CACHE_HOME="$root/cache"
. "$here/checks.sh"

# says FILE WORDS: whether the words are in the file.
says()
{
    grep -qF -- "$2" "$1" || { sed 's/^/        /' "$1" | head -n 12; return 1; }
}

# use NAME: builds a plugin and puts its engine before the others; sets $name and $with.
use()
{
    name=$1
    # shellcheck disable=SC2086 # the flags are words
    ${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -shared -fPIC -fvisibility=hidden \
        ${SANITIZE:-} -DTSR_BUILD_SANITIZER="${SANITIZER_KIND:-0}" "$sources/$name.c" \
        -I"$include" -o "$root/plugins/$name.so" -lm -lpthread
    sed -e "s/^\[plugins\]\$/[plugins]\n$name=on/" \
        -e "s/^\[tessera\]\$/[tessera]\nscan_timeout=2/" \
        -e "s/^priority=/priority=$name;/" \
        -e "s|^search_path=.*|search_path=$root/plugins|" "$conf" >"$root/$name.conf"
    with="--plugins-conf $root/$name.conf"
}

# run WHERE OPTION...: the network with the plugin against what it gave without; prints and
# errors go to the file, the exit status is that of the command.
run()
{
    where=$1
    shift
    # shellcheck disable=SC2086 # with is words
    "$tessera" run "$model" $with --compare "$root/alone" "$@" >"$out/$where" 2>&1
}

# ends STATUS WHERE OPTION...: whether the run ends so.
ends()
{
    wanted=$1
    shift
    status=0
    run "$@" || status=$?
    [ "$status" = "$wanted" ] || { echo "        status $status"; cat "$out/$1"; return 1; }
}

# refused NAME FAULT WORDS: kept out for that reason; the network runs.
refused()
{
    use "$1"
    # shellcheck disable=SC2086
    "$tessera" engines $with --json >"$out/$name.json" 2>/dev/null
    check "$name is refused: $2" says "$out/$name.json" "\"fault\" : \"$2\""
    check "$name: the reason says '$3'" says "$out/$name.json" "$3"
    check "$name: the network runs without it" ends 0 "$name.run"
    check "$name: the user is told" says "$out/$name.run" "plugin '$name'"
}

# goes_on NAME WORDS: in use, and told why a Relu is not its own.
goes_on()
{
    use "$1"
    # shellcheck disable=SC2086
    "$tessera" explain "$model" $with --json >"$out/$name.json" 2>/dev/null
    check "$name: explain says '$2'" says "$out/$name.json" "$2"
    check "$name: the network runs all the same" ends 0 "$name.run"
}

# A real network, where there is one.
model=$build/models/seeded/squeezenet.onnx
if [ ! -f "$model" ]; then
    echo "the network squeezenet is not there, so a small one is made"
    model=$root/model.onnx
    /usr/bin/python3 - "$model" <<'PYTHON'
import sys
import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
weights = numpy.random.default_rng(1).standard_normal((8, 3, 3, 3)).astype("float32") * 0.3
nodes = [helper.make_node("Conv", ["x", "w"], ["c"], "conv", pads=[1, 1, 1, 1]),
         helper.make_node("Relu", ["c"], ["r"], "relu"),
         helper.make_node("Add", ["r", "c"], ["a"], "add"),
         helper.make_node("Softmax", ["a"], ["y"], "softmax", axis=1)]
graph = helper.make_graph(nodes, "small",
                          [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 16, 16])],
                          [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 8, 16, 16])],
                          [numpy_helper.from_array(weights, "w")])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
model.ir_version = 8
onnx.save(model, sys.argv[1])
PYTHON
fi
"$tessera" run "$model" --output "$root/alone" >/dev/null

use sound
# shellcheck disable=SC2086
"$tessera" explain "$model" $with --json >"$out/sound.json" 2>/dev/null
check "sound: an engine without a fault takes its nodes" \
    says "$out/sound.json" '"engine" : "sound"'
check "sound: the numbers are the same" ends 0 sound.run

refused crashes_at_load signal "SIGSEGV"
refused exits_at_load exit "status 7"
refused hangs_at_load timeout "after 2 s"
refused prints_at_load printed "thank you for choosing"
refused other_abi "abi version" "rebuild the plugin"
refused nonsense_passes nonsense "4000000000 passes"
refused nonsense_operators operators "3000000000 definitions"
refused leaves_thread "left behind" "1 threads and 1 open files"

goes_on refuses_cluster "together"
goes_on nonsense_answers "answered 77 to check"
goes_on nonsense_status "failed without saying why"
goes_on nonsense_columns "filled 4000000000 columns"

use lies_about_operator
check "lies_about_operator: the run names node, engine and reason" ends 1 "$name.run"
check "lies_about_operator: in these words" says "$out/$name.run" "after all"
check "lies_about_operator: nobody else is in the way" ends 0 "$name.denied" --engine "$name=deny"
use lies_about_numbers
check "lies_about_numbers: a comparison finds it" ends 3 "$name.run"
check "lies_about_numbers: it can be left out" ends 0 "$name.denied" --engine "$name=deny"
use crashes_at_check
status=0
(run "$name.run") 2>/dev/null || status=$?
check "crashes_at_check: takes the process with it" [ "$status" -gt 128 ]
check "crashes_at_check: it can be left out" ends 0 "$name.denied" --engine "$name=off"
use prints_at_check
check "prints_at_check: the numbers are the same" ends 0 "$name.run"
use leaks_memory
check "leaks_memory: the numbers are the same" \
    env ASAN_OPTIONS=detect_leaks=0 "$tessera" run "$model" --plugins-conf "$root/$name.conf" \
    --compare "$root/alone" --loop 3 >/dev/null 2>&1

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
