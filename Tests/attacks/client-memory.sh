#!/usr/bin/env bash
# Reads a secret in the memory of the program that asked for it
# expected: succeeds: trace an ordinary program, or load code into it (`LD_PRELOAD`, `/proc/PID/mem`), and ask in its name
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_item
user "$keeper" calls "$socket" 2 >/dev/null &
sleep 0.5
got=$(user "$tool" scan "$(process keeper)" "s3cret of ada") || true
wait
[ -n "$got" ] || fails "it is not there"
succeeds "$got"
