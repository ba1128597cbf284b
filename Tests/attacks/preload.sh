#!/usr/bin/env bash
# Starts a trusted program with a library of the attacker in it (LD_PRELOAD)
# expected: succeeds: trace an ordinary program, or load code into it (`LD_PRELOAD`, `/proc/PID/mem`), and ask in its name
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_item
user env LD_PRELOAD="$ATTACK_PREFIX/bin/injected.so" /bin/true
control "the library gets nothing in a program of the attacker" test ! -e "$home/loot"
user LD_PRELOAD="$ATTACK_PREFIX/bin/injected.so" "$keeper" peer "$socket" >/dev/null
grep -qs "s3cret of ada" "$home/loot" || fails "the library in the keeper gets nothing"
succeeds "$(cat "$home/loot")"
