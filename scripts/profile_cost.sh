#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# profile_cost.sh: what a profile costs, network by network: `tessera bench --profile-cost`, in
# which runs with and without one take turns, on one core and on two. Prints a Markdown table
# and the geometric means. Networks that have no inputs here (tests/models/run_models.sh makes
# them) are left out.
# Usage: profile_cost.sh [NAME...]
set -eu
cd "$(dirname "$0")/.."

models=build/models
tessera=build/tools/tessera
wanted=" $* "
tab=$(printf '\t')
table=$(mktemp)

# ratio MODEL NAME CORES
ratio()
{
    model=$1
    name=$2
    cores=$3
    set --
    while IFS= read -r argument; do
        set -- "$@" "$argument"
    done <"$models/inputs/$name/arguments"
    "$tessera" bench "$model" "$@" --threads "$cores" --seconds 0.3 --profile-cost --json \
        2>/dev/null | sed -n 's/.*"profile_ratio" : \([0-9.]*\).*/\1/p'
}

echo "| network | one core | two cores |"
echo "|---|---|---|"
grep -v '^#' tests/models/models.tsv | while IFS=$tab read -r name model _; do
    case $wanted in
        "  "|*" $name "*) ;;
        *) continue ;;
    esac
    [ -f "$models/$model" ] && [ -f "$models/inputs/$name/arguments" ] || continue
    one=$(ratio "$models/$model" "$name" 1 </dev/null)
    two=$(ratio "$models/$model" "$name" 2 </dev/null)
    echo "| $name | $one | $two |"
    echo "$one $two" >>"$table"
done
awk '{ a += log($1); b += log($2); if ($1 > m) m = $1; if ($2 > n) n = $2; count++ }
     END { printf "\nGeometric mean of %d: %.4f on one core, %.4f on two; most %.4f, %.4f.\n",
           count, exp(a / count), exp(b / count), m, n }' "$table"
rm -f "$table"
