#!/usr/bin/env bash
# Starts a signed program with a library of the attacker in it (LD_PRELOAD)
# expected: succeeds: it speaks with its name, as every line of code in that process does, and `LD_PRELOAD` and what a plug-in brings with it are code in that process
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_signed
user env LD_PRELOAD="$ATTACK_PREFIX/bin/injected.so" /bin/true
control "the library gets nothing in a program of the attacker" test ! -e "$home/loot"
user LD_PRELOAD="$ATTACK_PREFIX/bin/injected.so" "$editor" peer "$socket" >/dev/null
grep -qs "s3cret of ada" "$home/loot" || fails "the library in the signed program gets nothing"
succeeds "$(cat "$home/loot")"
