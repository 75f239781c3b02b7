# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034 # read by the scripts that take this in
#
# checks.sh: counting, for the scripts beside it: each takes it in with `.`.
passed=0
failed=0

# check WHAT COMMAND...: one line, and a count.
check()
{
    what=$1
    shift
    if "$@"; then
        echo "ok      $what"
        passed=$((passed + 1))
    else
        echo "FAILED  $what"
        failed=$((failed + 1))
    fi
}
