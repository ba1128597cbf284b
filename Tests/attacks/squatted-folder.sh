#!/usr/bin/env bash
# Makes, as another user, the folder in /tmp that is used where the path of a socket would be too long
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

needs_root
long=$home/$(printf 'x%.0s' {1..100})
mkdir "$long"
chown "$ATTACK_USER:$ATTACK_USER" "$long"
home=$long
path=$(user "$security" doctor 2>&1 | grep -o "/tmp/chatelaine-$ATTACK_USER-[0-9a-f]*" | head -n 1)
stop_daemons "$ATTACK_PREFIX"
[ -n "$path" ] || die "the folder in /tmp is not used"
rm -rf "$path"
try() {
    if tool_add s3cret >"$ATTACK_FOLDER/words" 2>&1; then
        rm -rf "$path"
        succeeds "$1"
    fi
    rm -rf "$path"
    contains "$(cat "$ATTACK_FOLDER/words")" "$path" || die "the words do not name the folder"
    echo "$1: $(tail -n 1 "$ATTACK_FOLDER/words")"
}
control "without the other user it serves" tool_add s3cret
stop_daemons "$ATTACK_PREFIX"
rm -rf "$path"
stranger mkdir -m 777 "$path"
try "a folder of the other user's"
stranger ln -s "$ATTACK_FOLDER" "$path"
try "a link of the other user's"
stranger touch "$path"
try "a file of the other user's"
fails "it is refused unless it is the user's own"
