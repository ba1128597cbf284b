#!/usr/bin/env bash
# Makes a running trusted program load a library of the attacker (ptrace)
# expected: succeeds: trace an ordinary program, or load code into it (`LD_PRELOAD`, `/proc/PID/mem`), and ask in its name
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_item
mkfifo "$ATTACK_FOLDER/input"
user "$keeper" listen "$home/quiet.sock" <"$ATTACK_FOLDER/input" >/dev/null &
exec 8>"$ATTACK_FOLDER/input"
await user "$tool" peer "$home/quiet.sock"
victim=$(user "$tool" peer "$home/quiet.sock")
user "$tool" inject "$victim" "$ATTACK_PREFIX/bin/injected.so"
exec 8>&-
wait
control "the library was in the keeper" contains "$(cat "$home/loaded" 2>/dev/null)" "$keeper"
grep -qs "s3cret of ada" "$home/loot" || fails "the library in the keeper gets nothing"
succeeds "$(cat "$home/loot")"
