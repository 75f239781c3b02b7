#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# check_shapes.sh: PP-OCR's detector, whose picture may have any size, at four of them: by a
# gear each, and by plans made at run time, of one offline model each. Outputs are compared with
# those of the network compiled for that size alone. Called by run_models.sh; the last line
# printed is the result.
# Usage: check_shapes.sh TESSERA BUILD_MODELS_FOLDER
# Exit status 3: outputs differ; 4: the network is not there.
set -u
tessera=$1
models=$2
model=$models/ocr/assets/ch_PP-OCRv4_det_infer.onnx
folder=$models/shapes
sizes="160,160 192,320 320,224 96,256"

if [ ! -f "$model" ]; then
    echo "$model is not there"
    exit 4
fi
rm -rf "$folder"
mkdir -p "$folder"

# tell STATUS TEXT: what went wrong, with what the command said.
tell()
{
    echo "$2: $(tail -n 1 "$folder/log")"
    exit "$1"
}

"$tessera" compile "$model" -o "$folder/plans.om" >"$folder/log" 2>&1 || tell 1 "any size"
gears=$(for size in $sizes; do printf '%s1,%s' "${sep:-}" "$size"; sep=';'; done)
"$tessera" compile "$model" -o "$folder/gears.om" --dynamic-dims "$gears" \
    >"$folder/log" 2>&1 || tell 1 "gears $gears"
for size in $sizes; do
    set -- --input-shape "x:1,3,$size" --input x=random:7
    "$tessera" run "$model" "$@" --output "$folder/$size" >"$folder/log" 2>&1 ||
        tell 1 "fixed $size"
    for kind in plans gears; do
        "$tessera" run "$folder/$kind.om" "$@" --json --compare "$folder/$size" --rtol 1e-4 \
            --atol 1e-5 >"$folder/log" 2>&1 || tell 3 "$kind at $size"
        grep -q '"mode" : "sink"' "$folder/log" || tell 3 "$kind at $size ran node by node"
    done
done
# A size that no gear has is an error that lists them.
if "$tessera" run "$folder/gears.om" --input-shape x:1,3,64,64 >"$folder/log" 2>&1 ||
    ! grep -q "no gear of the model fits" "$folder/log"; then
    tell 3 "a size without a gear"
fi
echo "4 sizes by gears and by plans equal"
