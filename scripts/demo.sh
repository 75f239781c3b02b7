#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# demo.sh: from a fresh checkout to two networks at work. Installs what is missing,
# fetches the networks, builds, and then lets Tessera compile and run them: it reads a
# picture that is drawn on the spot (PP-OCR: one network finds the lines, one reads
# them), and finds speech in sound (Silero VAD). ONNX Runtime is asked the same.
set -eu
cd "$(dirname "$0")/.."

models=build/models
demo=build/demo
tessera=build/tools/tessera
keys=$models/ocr/assets/ppocr_keys_v1.txt

bold=
plain=
if [ -t 1 ]; then
    bold=$(printf '\033[1m')
    plain=$(printf '\033[0m')
fi

step()
{
    printf '\n%s%s%s\n' "$bold" "$*" "$plain"
}

python()
{
    /usr/bin/python3 -B scripts/demo/demo.py "$@"
}

step "1. What it needs"
sh scripts/deps.sh
sh scripts/models.sh || echo "(going on with what is there)"

step "2. Building"
[ -f build/build.ninja ] || meson setup build >/dev/null
ninja -C build >build/demo-build.log || { tail -n 40 build/demo-build.log; exit 1; }
tail -n 1 build/demo-build.log
rm -rf "$demo"
mkdir -p "$demo/vad"

step "3. Reading a picture"
python picture "$demo"
echo "drawn: $demo/picture.png (640 x 320)"
"$tessera" compile "$models/ocr/assets/ch_PP-OCRv4_det_infer.onnx" -o "$demo/detector.om" \
    --input-shape x:1,3,320,640
"$tessera" compile "$models/ocr/assets/ch_PP-OCRv4_rec_infer.onnx" -o "$demo/reader.om" \
    --input-shape x:1,3,48,320
"$tessera" run "$demo/detector.om" --input "x=$demo/x.npy" --output "$demo/map" >/dev/null
count=$(python lines "$demo" "$demo/map/sigmoid_0.tmp_0.npy")
printf 'lines of text found: %s\n\n' "$count"
agree=0
index=0
while [ "$index" -lt "$count" ]; do
    "$tessera" run "$demo/reader.om" --input "x=$demo/line_$index.npy" \
        --output "$demo/read_$index" >/dev/null
    text=$(python read "$demo/read_$index/softmax_11.tmp_0.npy" "$keys")
    mkdir -p "$demo/in_$index"
    cp "$demo/line_$index.npy" "$demo/in_$index/x.npy"
    note=
    if node tests/models/reference.js "$models" --run \
        "$models/ocr/assets/ch_PP-OCRv4_rec_infer.onnx" "$demo/in_$index" "$demo/ort_$index"; then
        theirs=$(python read "$demo/ort_$index/output_0.npy" "$keys")
        gap=$(python difference "$demo/read_$index/softmax_11.tmp_0.npy" \
            "$demo/ort_$index/output_0.npy")
        if [ "${theirs%	*}" = "${text%	*}" ]; then
            agree=$((agree + 1))
            note="ONNX Runtime reads the same (largest difference $gap)"
        else
            note="ONNX Runtime reads '${theirs%	*}' (largest difference $gap)"
        fi
    fi
    printf '   %-24s sure to %s   %s\n' "\"${text%	*}\"" "${text##*	}" "$note"
    index=$((index + 1))
done

step "4. Hearing speech"
"$tessera" compile "$models/vad/dist/silero_vad_v5.onnx" -o "$demo/vad.om" \
    --input-shape input:1,512 --input-shape state:2,1,128
chunks=$(python sound "$demo/vad")
state=$demo/vad/state.npy
index=0
while [ "$index" -lt "$chunks" ]; do
    "$tessera" run "$demo/vad.om" --input "input=$demo/vad/chunk_$index.npy" \
        --input "state=$state" --input "sr=$demo/vad/sr.npy" \
        --output "$demo/vad/probability_$index" >/dev/null
    state=$demo/vad/probability_$index/stateN.npy
    index=$((index + 1))
done
echo "probability of speech, 32 ms a column (silence, \"hello world, this is Tessera\", silence):"
python meter "$demo/vad" "$chunks"
if node scripts/demo/vad_reference.js "$models" "$demo/vad" "$chunks"; then
    echo "largest difference from ONNX Runtime over $chunks chunks:" \
        "$(python difference "$demo/vad/probabilities.npy" "$demo/vad/reference.npy")"
fi

step "Done"
echo "$agree of $count lines read as ONNX Runtime reads them. Look further:"
echo "  $tessera show $demo/reader.om            tasks and memory of the compiled network"
echo "  $tessera explain MODEL.onnx                 why each node is where it is"
echo "  scripts/bench.sh                                  latency beside ONNX Runtime"
echo "  scripts/test.sh                                   every test"
