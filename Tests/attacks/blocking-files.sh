#!/usr/bin/env bash
# Replaces every file by a pipe or a link to an endless device, before the daemon starts and while it runs
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The time limit of a call; a call that waits for a pipe never ends.
answers() { user timeout 60 "$@" >"$ATTACK_FOLDER/words" 2>&1 || [ $? -ne 124 ]; }
ask() {
    local verb
    for verb in "item find -s mail -a ada --secret" check "snapshot create"; do
        # shellcheck disable=SC2086
        answers "$security" $verb || succeeds "$1: 'security $verb' never ends"
    done
}

user mkfifo "$home/unprotected"
control "opening a pipe without a writer blocks" eval "! timeout 2 cat '$home/unprotected'"

tool_add s3cret >/dev/null
control "the item is there" equal "$(tool_find)" s3cret
user "$security" snapshot create >/dev/null
stop_daemons "$ATTACK_PREFIX"
user tar -C "$home" -cf "$home/whole.tar" data state
snapshot=$(ls "$home/data/stores/default.snapshots")
files=(state/securityd.log data/daemon.lock run/launch.lock data/stores/default.losses.jsonl
    "data/stores/default.snapshots/$snapshot/snapshot" "data/stores/default.snapshots/$snapshot/items.db"
    data/stores/default/items.db state/stores/default.mark data/stores/default/items.db-wal
    state/identity/applications state/identity/digests)
while read -r file; do files+=("$file"); done < <(cd "$home" && find state/enclave -type f)
restore() {
    stop_daemons "$ATTACK_PREFIX"
    user rm -rf "$home/data" "$home/state" "$home/run"
    user tar -C "$home" -xf "$home/whole.tar"
    user mkdir -m 700 "$home/run"
}
for file in "${files[@]}"; do
    restore
    user rm -f "$home/$file"
    user mkfifo "$home/$file"
    ask "a pipe for $file, at the start"
    restore
    start_daemon
    user rm -f "$home/$file"
    user ln -s /dev/zero "$home/$file"
    ask "a link for $file, while the daemon runs"
done
restore
equal "$(tool_find)" s3cret || die "the item suffered"
fails "every call ends, with an answer or with an error that names the path"
