#!/usr/bin/env bash
# Copies the key file and the database, and opens the copies with a daemon of its own
# expected: succeeds: read the key file and the database directly, since both belong to you
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_item
user mkdir -m 700 "$home/copy"
user cp -a "$home/data" "$home/state" "$home/copy/" || fails "they cannot be read"
rm -f "$home/copy/data/daemon.lock"
home=$home/copy
user "$security" check >"$ATTACK_FOLDER/words" 2>&1 || fails "$(cat "$ATTACK_FOLDER/words")"
control "the daemon that opened them has the copy" contains "$(probe '{"call":"status"}')" 'home\/copy\/data"'
contains "$(cat "$ATTACK_FOLDER/words")" "1 opened, 0 damaged" || fails "$(cat "$ATTACK_FOLDER/words")"
succeeds "$(cat "$ATTACK_FOLDER/words")"
