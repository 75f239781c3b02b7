#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# bench.sh: latency and load time side by side with ONNX Runtime, network by network.
# The two take turns (ours, theirs, ours, theirs), so that a machine that slows down
# slows both; each figure is the better of its medians. Prints a table and the
# geometric means; a ratio above 1 means that Tessera is faster. Loading is of the
# compiled model (.om) against the creation of a session.
# Usage: bench.sh [--threads N] [--rounds N] [--seconds S] [NAME...]
set -eu
cd "$(dirname "$0")/.."

threads=1
rounds=2
seconds=2
while [ $# -gt 0 ]; do
    case $1 in
        --threads) threads=$2; shift 2 ;;
        --rounds) rounds=$2; shift 2 ;;
        --seconds) seconds=$2; shift 2 ;;
        -*) echo "usage: bench.sh [--threads N] [--rounds N] [--seconds S] [NAME...]" >&2; exit 2 ;;
        *) break ;;
    esac
done
models=build/models
/usr/bin/python3 tests/models/make_inputs.py "$models"
node tests/models/features.js "$models"
exec node tests/models/bench_table.js build/tools/tessera "$models" "$threads" "$rounds" \
    "$seconds" "$@"
