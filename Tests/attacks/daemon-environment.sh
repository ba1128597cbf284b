#!/usr/bin/env bash
# A program starts the daemons with an environment that would load a library into them
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

application probe "$ATTACK_PREFIX/bin/probe" >/dev/null
find='{"call":"find","query":{"class":"genp","acct":"ada"}}'
printf '%s\n' "$find" | user LD_PRELOAD="$ATTACK_PREFIX/bin/injected.so" LD_AUDIT= LD_LIBRARY_PATH="$home" \
    GLIBC_TUNABLES=glibc.malloc.check=3 MALLOC_TRACE="$home/trace" LOCPATH="$home" TMPDIR="$home" SQLITE_TMPDIR="$home" \
    "$home/probe" >/dev/null
control "the library is in the program" contains "$(cat "$home/loaded")" "$home/probe"
daemon_pid >/dev/null || die "no daemon was started"
if grep -q "$ATTACK_PREFIX/libexec" "$home/loaded"; then succeeds "the library is in $(grep "$ATTACK_PREFIX/libexec" "$home/loaded")"; fi
[ ! -e "$home/trace" ] || succeeds "the daemon writes to a path from the environment"
fails "a daemon has an environment of its own"
