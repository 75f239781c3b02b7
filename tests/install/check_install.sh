#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# check_install.sh: installs the build into a folder of its own, compiles the example of
# the README against the installed headers with pkg-config alone, and runs it, and the
# installed command, away from the source tree.
# Usage: check_install.sh BUILD_FOLDER EXAMPLE.c MODEL.onnx
set -eu
build=$(cd "$1" && pwd)
example=$2
model=$3
root=$build/installed
rm -rf "$root"
meson install -C "$build" --no-rebuild --strip --destdir "$root" >/dev/null
pc=$(find "$root" -name tessera.pc)
libdir=$(dirname "$(dirname "$pc")")
bin=$(dirname "$(find "$root" -path '*/bin/tessera')")
# The files lie below the destination folder, not at the prefix that tessera.pc names.
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
include=$root$(pkg-config --variable=includedir tessera)
glib=$(pkg-config --cflags --libs glib-2.0)
library=$(pkg-config --libs-only-l tessera | tr ' ' '\n' | grep tessera)
# shellcheck disable=SC2086 # the flags are words
${CC:-cc} -std=c11 -Wall -Wextra -Werror "$example" -I"$include" -L"$libdir" $library $glib \
    ${SANITIZE:-} -o "$root/run_model"
model=$(realpath "$model")
cd /
LD_LIBRARY_PATH=$libdir "$root/run_model" "$model" | grep -q 'bytes$'
"$bin/tessera" engines | grep -q "$libdir/tessera/plugins.conf"
for header in plugin.h plugin_util.h narrow.h types.h device_kernels.h; do
    echo "#include <tessera/$header>" >"$root/alone.c"
    ${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$include" -c "$root/alone.c" \
        -o "$root/alone.o"
    cp "$root/alone.c" "$root/alone.cc"
    ${CXX:-c++} -std=c++17 -Wall -Wextra -Wpedantic -Werror -I"$include" -c "$root/alone.cc" \
        -o "$root/alone.o"
done
echo "1 passed, 0 failed"
