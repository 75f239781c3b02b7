#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# memory.sh: peak resident memory side by side with ONNX Runtime, network by network, as a
# Markdown table. Each figure is one process of its own on one thread with the same inputs:
# ours loads the offline model and runs it five times; theirs makes a session of the .onnx
# and runs it five times. Nothing is subtracted; the last lines give what either process
# takes that loads nothing.
# Usage: memory.sh [NAME...]
set -eu
cd "$(dirname "$0")/.."

models=build/models
tessera=build/tools/tessera
work=$models/compiled
mkdir -p "$work"
/usr/bin/python3 tests/models/make_inputs.py "$models"
node tests/models/features.js "$models"
exec node tests/models/memory_table.js "$tessera" "$models" "$work" "$@"
