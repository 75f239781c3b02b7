#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# deps.sh: installs what building, testing and the demo need, from Debian 12 only.
# What is there already is skipped, so a second run costs a second. --build leaves
# out what only the model tests and the demo use.
set -eu

# Package, and how to tell that it is there: a dpkg name, or a command that may
# have come from elsewhere.
build_packages="meson ninja-build gcc g++ libc6-dev pkg-config libglib2.0-dev libffi-dev check
libjpeg62-turbo-dev libjson-glib-dev libopenjp2-7-dev libpng-dev libprotobuf-c-dev protobuf-c-compiler libwebp-dev libxxhash-dev xz-utils"
model_packages="python3 python3-onnx python3-numpy python3-pil fonts-dejavu-core espeak-ng"

is_installed()
{
    case $(dpkg-query -W -f='${Status}' "$1" 2>/dev/null) in
        *" installed") return 0 ;;
        *) return 1 ;;
    esac
}

missing=
for package in $build_packages; do
    is_installed "$package" || missing="$missing $package"
done
if [ "${1:-}" != --build ]; then
    for package in $model_packages; do
        is_installed "$package" || missing="$missing $package"
    done
    # Node often comes from elsewhere than Debian.
    command -v node >/dev/null 2>&1 || missing="$missing nodejs"
    command -v npm >/dev/null 2>&1 || missing="$missing npm"
fi

if [ -z "$missing" ]; then
    echo "deps: everything is there"
    exit 0
fi
echo "deps: installing$missing"
if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo >/dev/null 2>&1; then
    as_root=sudo
else
    echo "error: deps: missing$missing; run this as root or install sudo" >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
$as_root apt-get install -y --no-install-recommends $missing >/dev/null 2>&1 && exit 0
# An old package index is the usual cause.
$as_root apt-get update -q >/dev/null
# shellcheck disable=SC2086
exec $as_root apt-get install -y -q --no-install-recommends $missing
