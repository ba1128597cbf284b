#!/usr/bin/env bash
# Replaces folders and files of the daemons by symbolic links
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

control "the tool works without links" equal "$(user "$security" app list 2>&1 >/dev/null)" ""
tool_add s3cret 2>"$ATTACK_FOLDER/words" || die "$(cat "$ATTACK_FOLDER/words")"
stop_daemons "$ATTACK_PREFIX"
cp -a "$home" "$ATTACK_FOLDER/whole"
for place in run data state data/daemon.lock data/stores/default data/stores/default/items.db state/stores state/stores/default.mark \
    state/enclave state/enclave/uid.key state/identity; do
    rm -rf "$home"
    cp -a "$ATTACK_FOLDER/whole" "$home"
    # The link leads to valid content, so that only the link can be the reason for a refusal.
    mv "$home/$place" "$ATTACK_FOLDER/elsewhere"
    user ln -s "$ATTACK_FOLDER/elsewhere" "$home/$place"
    find "$ATTACK_FOLDER/elsewhere" -type f -exec sha256sum {} + | sort >"$ATTACK_FOLDER/before"
    if tool_find >"$ATTACK_FOLDER/words" 2>&1; then
        succeeds "$place may be a link: $(cat "$ATTACK_FOLDER/words")"
    fi
    words=$(cat "$ATTACK_FOLDER/words" "$home/state/securityd.log" 2>/dev/null || cat "$ATTACK_FOLDER/words")
    contains "$words" "$home/$place" || die "the refusal does not say that it is about $place"
    echo "$place: $(tail -n 1 "$ATTACK_FOLDER/words")"
    stop_daemons "$ATTACK_PREFIX"
    find "$ATTACK_FOLDER/elsewhere" -type f -exec sha256sum {} + | sort >"$ATTACK_FOLDER/after"
    diff "$ATTACK_FOLDER/before" "$ATTACK_FOLDER/after" || succeeds "something was written through the link at $place"
    rm -rf "$ATTACK_FOLDER/elsewhere"
done
fails "every link is refused, and the message names it"
