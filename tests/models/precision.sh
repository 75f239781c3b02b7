#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# precision.sh: how far the outputs of each network of models.tsv are from float under precision
# modes: a table with the greatest absolute and relative difference, the cosine between both
# outputs, and whether the greatest element is the same. Inputs are those of run_models.sh.
# Usage: precision.sh [--build FOLDER] [--modes A,B] [NAME...] [-- ARGUMENT OF tessera run...]
# Exit status 1 when a network could not run under a mode; the row says why.
set -u
cd "$(dirname "$0")/../.." || exit 1

build=build
modes=mix_fp16,force_fp16
names=
while [ $# -gt 0 ]; do
    case $1 in
        --build) build=$2; shift 2 ;;
        --modes) modes=$2; shift 2 ;;
        --) shift; break ;;
        -*) echo "usage: precision.sh [--build FOLDER] [--modes A,B] [NAME...] [-- ARGUMENT...]" >&2
            exit 2 ;;
        *) names="$names $1"; shift ;;
    esac
done
models=build/models
here=tests/models
tessera=$build/tools/tessera
work=$models/precision
failed=0
mkdir -p "$work"
/usr/bin/python3 "$here/make_inputs.py" "$models" || exit 1

# run_to FOLDER PATH ARGUMENT...: runs with the network's own inputs; what it printed is in log.
run_to()
{
    target=$1
    shift
    rm -rf "$target"
    timeout -k 5 "${TESSERA_MODEL_TIMEOUT:-300}" "$tessera" run "$@" --output "$target" \
        >"$work/log" 2>&1 </dev/null
}

# compare_one NAME PATH: the rows of one network.
compare_one()
{
    name=$1
    path=$models/$2
    set --
    while IFS= read -r argument; do
        set -- "$@" "$argument"
    done <<END
$(cat "$work/arguments" "$models/inputs/$name/arguments")
END
    if ! run_to "$work/float" "$path" "$@"; then
        echo "| $name | float | $(grep -m 1 '^error' "$work/log" | tr '|' '/') | | | | |"
        failed=1
        return
    fi
    for mode in $(echo "$modes" | tr ',' ' '); do
        if run_to "$work/narrow" "$path" "$@" --precision "$mode"; then
            /usr/bin/python3 "$here/precision_rows.py" "$name" "$mode" "$work/float" \
                "$work/narrow"
        else
            echo "| $name | $mode | $(grep -m 1 '^error' "$work/log" | tr '|' '/') | | | | |"
            failed=1
        fi
    done
}

: >"$work/arguments"
for argument in "$@"; do
    printf '%s\n' "$argument" >>"$work/arguments"
done
tab=$(printf '\t')
echo "| network | mode | output | max abs | max rel | cosine | same top-1 |"
echo "|---|---|---|---|---|---|---|"
grep -v '^#' "$here/models.tsv" >"$work/list"
while IFS=$tab read -r name model _; do
    case " $names " in
        "  "|*" $name "*) ;;
        *) continue ;;
    esac
    if [ -f "$models/$model" ] && [ -f "$models/inputs/$name/arguments" ]; then
        compare_one "$name" "$model"
    fi
done <"$work/list"
exit $failed
