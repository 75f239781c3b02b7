#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# run_models.sh: runs every network of models.tsv with `tessera run` on its inputs and
# compares the outputs with ONNX Runtime's, then the decoder over a growing cache
# (decode.js, by the name decoder_grow), the detector at several picture sizes
# (check_shapes.sh, det_shapes) and the voice detectors over a minute of audio (minute.js,
# vad_minute). One line per network, then
# "N passed, N failed, N skipped"; exit status 1 when one failed. A network that was
# not fetched, or has no reference here, is skipped and says why.
# --with passes further options to every `tessera run`, such as --with "--force-format NHWC".
# Usage: run_models.sh [--build FOLDER] [--threads N[,N]] [--with OPTIONS] [NAME...]
set -u
cd "$(dirname "$0")/../.." || exit 1

build=build
threads=2
with=
while [ $# -gt 0 ]; do
    case $1 in
        --build) build=$2; shift 2 ;;
        --threads) threads=$2; shift 2 ;;
        --with) with=$2; shift 2 ;;
        -*)
            echo "usage: run_models.sh [--build FOLDER] [--threads N[,N]] [--with OPTIONS]" \
                "[NAME...]" >&2
            exit 2 ;;
        *) break ;;
    esac
done
wanted=" $* "
models=build/models
here=tests/models
tessera=$build/tools/tessera
log=$models/run_models.log
passed=0
failed=0
skipped=0

if [ ! -x "$tessera" ]; then
    echo "error: run_models: $tessera is not there: build first" >&2
    exit 1
fi
mkdir -p "$models"
: >"$log"
/usr/bin/python3 "$here/make_inputs.py" "$models" || exit 1
reference_note=
if command -v node >/dev/null 2>&1; then
    node "$here/features.js" "$models"
    node "$here/reference.js" "$models"
    [ $? = 3 ] && reference_note="; ONNX Runtime is not in $models (scripts/models.sh)"
else
    reference_note="; node is not installed"
fi

leaks=1
# execute MODEL ARGUMENT...: one run and comparison; sets status.
execute()
{
    # shellcheck disable=SC2086 # with is words
    ASAN_OPTIONS=detect_leaks=$leaks timeout -k 5 "${TESSERA_MODEL_TIMEOUT:-300}" \
        "$tessera" run "$@" $with --threads "$count" --compare "$models/reference/$name" \
        --rtol 1e-3 --atol "$tolerance" >"$log.one" 2>&1 </dev/null
    status=$?
}

# run_one NAME PATH THREADS [TOLERANCE]
run_one()
{
    name=$1
    path=$models/$2
    count=$3
    tolerance=${4:-1e-4}
    if [ ! -f "$path" ]; then
        echo "skipped $name: $path is not there"
        skipped=$((skipped + 1))
        return
    fi
    if [ ! -d "$models/reference/$name" ]; then
        echo "skipped $name: no reference outputs$reference_note"
        skipped=$((skipped + 1))
        return
    fi
    set --
    while IFS= read -r argument; do
        set -- "$@" "$argument"
    done <"$models/inputs/$name/arguments"
    begin=$(date +%s%N)
    execute "$path" "$@"
    # GCC's leak checker can die itself while it reads thread-local storage, which says
    # nothing of the network: then, and only then, the run is repeated without it.
    if [ $status != 0 ] && grep -q "LeakSanitizer has encountered a fatal error" "$log.one"; then
        echo "note    $name: the leak checker died; once more without it"
        leaks=0
        execute "$path" "$@"
        leaks=1
    fi
    elapsed=$(( ($(date +%s%N) - begin) / 1000000 ))
    { echo "== $name, threads $count: status $status"; cat "$log.one"; } >>"$log"
    if [ $status = 0 ]; then
        echo "ok      $name (threads $count, $elapsed ms)"
        passed=$((passed + 1))
        return
    fi
    case $status in
        3) reason="outputs differ: $(tail -n 1 "$log.one")" ;;
        124|137) reason="took longer than ${TESSERA_MODEL_TIMEOUT:-300} s" ;;
        *) reason="status $status: $(grep -m 1 'error' "$log.one" || tail -n 1 "$log.one")" ;;
    esac
    echo "FAILED  $name (threads $count): $reason"
    failed=$((failed + 1))
}

tab=$(printf '\t')
list=$models/run_models.list
grep -v '^#' "$here/models.tsv" >"$list"
while IFS=$tab read -r name model _ tolerance; do
    case $wanted in
        "  "|*" $name "*) ;;
        *) continue ;;
    esac
    for count in $(echo "$threads" | tr ',' ' '); do
        run_one "$name" "$model" "$count" "$tolerance"
    done
done <"$list"

# extra NAME STATUS: counts and tells how a script ended that left its words in $log.one.
extra()
{
    { echo "== $1: status $2"; cat "$log.one"; } >>"$log"
    case $2 in
        0) echo "ok      $1 ($(tail -n 1 "$log.one"))"
           passed=$((passed + 1)) ;;
        4|127) echo "skipped $1: $(tail -n 1 "$log.one")"
           skipped=$((skipped + 1)) ;;
        *) echo "FAILED  $1: $(tail -n 1 "$log.one")"
           failed=$((failed + 1)) ;;
    esac
}

# is_wanted NAME: whether that one was asked for, or all.
is_wanted()
{
    case $wanted in
        "  "|*" $1 "*) return 0 ;;
        *) return 1 ;;
    esac
}

# The decoder once more, with shapes that only the run knows: every step's keys and values
# go into the next.
if is_wanted decoder_grow; then
    for count in $(echo "$threads" | tr ',' ' '); do
        node "$here/decode.js" "$tessera" "$models" "$count" >"$log.one" 2>&1
        extra "decoder_grow, threads $count" $?
    done
fi

# The detector at several picture sizes, by gears and by plans.
if is_wanted det_shapes; then
    sh "$here/check_shapes.sh" "$tessera" "$models" >"$log.one" 2>&1
    extra det_shapes $?
fi

# The voice detectors over a minute of audio, the state carried by the caller.
if is_wanted vad_minute; then
    TESSERA_PLUGINS_CONF=$(realpath "$build/plugins.conf") \
        node "$here/minute.js" "$build/tests/models/step_through" "$models" >"$log.one" 2>&1
    extra vad_minute $?
fi
rm -f "$list" "$log.one"
[ $failed = 0 ] || echo "what they printed: $log"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
