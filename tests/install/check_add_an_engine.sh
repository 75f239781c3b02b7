#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# check_add_an_engine.sh: installs the build into a folder of its own and does what
# docs/add-an-engine.md says, word for word, in an empty folder, from that installation alone.
# Usage: check_add_an_engine.sh BUILD_FOLDER PAGE.md RUN_PAGE.py
set -eu
build=$(cd "$1" && pwd)
page=$(realpath "$2")
run_page=$(realpath "$3")
root=$build/installed_engine
rm -rf "$root"
meson install -C "$build" --no-rebuild --strip --destdir "$root" >/dev/null
PKG_CONFIG_PATH=$(dirname "$(find "$root" -name tessera-plugin.pc)")
PATH=$(dirname "$(find "$root" -path '*/bin/tessera')"):$PATH
XDG_CACHE_HOME=$root/cache
export PKG_CONFIG_PATH PATH XDG_CACHE_HOME
# Under a sanitizer the plugin is built with it as well; the page is for those who are not.
if [ -n "${SANITIZE:-}" ]; then
    CFLAGS=$SANITIZE
    LDFLAGS=$SANITIZE
    export CFLAGS LDFLAGS
fi
cd /
exec /usr/bin/python3 "$run_page" "$page" "$root/page"
