#!/usr/bin/env bash
# Restores an older snapshot, so that a changed password is the old one again, and deletes all snapshots
# expected: succeeds: restore an older snapshot of the store, or delete snapshots (`security snapshot`): nothing asks you either
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

start_daemon
tool_add old
user "$security" snapshot create >"$ATTACK_FOLDER/words" 2>&1 || die "$(cat "$ATTACK_FOLDER/words")"
tool_update new
control "the password is the new one" equal "$(tool_find)" "new"
name=$(user "$security" snapshot list | grep -oE '[0-9]{8}T[0-9A-Za-z-]*' | head -n 1)
user "$security" snapshot restore "$name" || fails "a person is asked first"
equal "$(tool_find)" "old" || fails "the password is not the old one"
user "$security" snapshot purge --all || fails "a person is asked first"
succeeds "the old password is back, and no snapshot is left"
