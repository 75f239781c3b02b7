#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# check_user_plugins.sh: builds the example plugins that bring only a format selector or only
# a fusion pass, from the headers of a fresh installation, drops them into the installed
# command's configuration and looks at what they change: formats, operators, no number.
# Usage: check_user_plugins.sh BUILD_FOLDER EXAMPLES_FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
examples=$(cd "$2" && pwd)
root=$build/installed_user
rm -rf "$root"
meson install -C "$build" --no-rebuild --strip --destdir "$root" >/dev/null
include=$(dirname "$(dirname "$(find "$root" -path '*/tessera/plugin.h')")")
tessera=$(find "$root" -path '*/bin/tessera')
conf=$(find "$root" -path '*/tessera/plugins.conf')
. "$here/checks.sh"

# build_plugin FOLDER NAME: beside the installed plugins, with the headers alone.
build_plugin()
{
    # shellcheck disable=SC2086 # the flags are words
    ${CC:-cc} -std=c11 -Wall -Wextra -Werror -shared -fPIC -fvisibility=hidden ${SANITIZE:-} \
        -DTSR_BUILD_SANITIZER="${SANITIZER_KIND:-0}" "$examples/$1/$2.c" -I"$include" \
        -o "$(dirname "$conf")/$2.so"
}
build_plugin selector_plugin blocked_relu
build_plugin fusion_plugin log_softmax

# x [1,17,5,5] -> Relu -> Softmax over channels -> Log
/usr/bin/python3 - "$root/model.onnx" <<'PYTHON'
import sys
import onnx
from onnx import TensorProto, helper
nodes = [helper.make_node("Relu", ["x"], ["r"], "relu"),
         helper.make_node("Softmax", ["r"], ["s"], "softmax", axis=1),
         helper.make_node("Log", ["s"], ["y"], "log")]
shape = [1, 17, 5, 5]
graph = helper.make_graph(nodes, "user",
                          [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                          [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
model.ir_version = 8
onnx.save(model, sys.argv[1])
PYTHON
model=$root/model.onnx
format="--input-format x:NCHW"
# shellcheck disable=SC2086 # format is words
"$tessera" run "$model" $format --output "$root/alone" >/dev/null
# shellcheck disable=SC2086
"$tessera" explain "$model" $format >"$root/before.txt"
sed 's/^\[plugins\]$/[plugins]\nblocked_relu=on\nlog_softmax=on/' "$conf" >"$conf.user"
with="--plugins-conf $conf.user"
# shellcheck disable=SC2086
"$tessera" explain "$model" $format $with >"$root/after.txt"
# shellcheck disable=SC2086
"$tessera" compile "$model" $format $with -o "$root/user.om" --json >"$root/report.json"
# shellcheck disable=SC2086
"$tessera" explain "$model" $format $with --disable-fusion log_softmax >"$root/off.txt"

check "without the plugins Relu stays plain" \
    sh -c "grep -A1 \"^Relu 'relu'\" '$root/before.txt' | grep -q 'NCHW -> NCHW'"
check "the selector puts Relu into NC1HWC0" \
    sh -c "grep -A1 \"^Relu 'relu'\" '$root/after.txt' |
           grep -q 'customize of blocked_relu): NC1HWC0 -> NC1HWC0'"
check "without the plugins Softmax and Log are two nodes" grep -q "^Log 'log'" "$root/before.txt"
check "the pass makes them LogSoftmax" grep -q "^LogSoftmax" "$root/after.txt"
check "the fused node remembers both" \
    sh -c "grep -q \"stands for 'softmax'\" '$root/after.txt' &&
           grep -q \"and 'log'\" '$root/after.txt'"
check "the report counts the fusion" grep -q '"log_softmax" : 1' "$root/report.json"
check "the pass can be switched off" grep -q "^Log 'log'" "$root/off.txt"
# shellcheck disable=SC2086
check "the numbers are the same" \
    "$tessera" run "$model" $format $with --compare "$root/alone" >/dev/null
# A plugin of another sanitizer's build, whose runtime would end the process that loads it.
if [ "${SANITIZER_KIND:-0}" = 0 ]; then
    SANITIZE=-fsanitize=address SANITIZER_KIND=1 build_plugin ops_plugin square
    sed 's/^\[plugins\]$/[plugins]\nsquare=on/' "$conf" >"$conf.sanitized"
    XDG_CACHE_HOME=$root/cache "$tessera" engines --plugins-conf "$conf.sanitized" \
        >"$root/engines.txt" 2>&1
    check "a plugin of a sanitized build is refused" \
        grep -q "square      *refused" "$root/engines.txt"
    check "the engines go on" grep -q "aicpu      *loaded" "$root/engines.txt"
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
