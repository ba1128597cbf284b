#!/usr/bin/env bash
# Another user makes the folder of the socket first, for a user who has no XDG_RUNTIME_DIR
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

needs_root
# As under cron or `su`, no session has made a folder for the socket.
bare() { user env -u CHATELAINE_HOME HOME="$home" XDG_RUNTIME_DIR=/nowhere "$@"; }
add() { printf '%s' "$1" | bare "$security" item add -s "$1" -a ada --stdin; }
runtime() { bare "$security" status --json | sed -n 's/.*"runtime": *"\([^"]*\)".*/\1/p'; }

control "without the other user securityd works" add before
folder=$(runtime)
[ -n "$folder" ] || die "the status does not name the folder of the socket"
echo "the socket is in $folder"
stop_daemons "$ATTACK_PREFIX"
rm -rf "$folder"

control "the other user can make a folder in /tmp first" stranger mkdir "/tmp/${ATTACK_FOLDER##*/}-first"
rmdir "/tmp/${ATTACK_FOLDER##*/}-first"
for make in "mkdir -m 777" "ln -s $ATTACK_FOLDER" touch mkfifo; do
    # shellcheck disable=SC2086
    stranger $make "$folder" 2>"$ATTACK_FOLDER/words" || cat "$ATTACK_FOLDER/words"
    if ! add "$make" >"$ATTACK_FOLDER/words" 2>&1; then
        cat "$ATTACK_FOLDER/words"
        rm -rf "$folder"
        succeeds "another user keeps this one from its keychain: $make"
    fi
    stop_daemons "$ATTACK_PREFIX"
    rm -rf "$folder"
done
fails "the folder is in a place where only its user can make files"
