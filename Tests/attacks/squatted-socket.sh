#!/usr/bin/env bash
# Another user listens at the socket where programs expect securityd
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

needs_root
item='{"call":"add","query":{"class":"genp","svce":"mail","acct":"ada","v_Data":{"data":"czNjcmV0"}}}'
# A careless administrator may make a folder that both users may write to. In a second round, the other user has the user's
# number in a namespace.
squat() {
    rm -rf "$home/run"
    mkdir -m 777 "$home/run"
    mkfifo "$ATTACK_FOLDER/input"
    as "$ATTACK_STRANGER" "$@" "$tool" listen "$socket" <"$ATTACK_FOLDER/input" >"$ATTACK_FOLDER/heard" &
    exec 8>"$ATTACK_FOLDER/input"
    rm "$ATTACK_FOLDER/input"
    control "the other user listens" await grep -q listening "$ATTACK_FOLDER/heard"
}
leave() {
    exec 8>&-
    wait
}
squat env
stranger "$tool" ask "$socket" find >/dev/null || true
control "the listener hears a program that connects" grep -q 'heard [1-9]' "$ATTACK_FOLDER/heard"
leave
for words in env "unshare --user --map-user=$ATTACK_USER"; do
    # shellcheck disable=SC2086
    squat $words
    answer=$(probe "$item")
    words=$(tool_find 2>&1 || true)
    leave
    if grep -q 'heard [1-9]' "$ATTACK_FOLDER/heard"; then succeeds "the other user got a message"; fi
    contains "$answer" '"status":-25291' || die "the program was not told that there is no keychain"
    contains "$words" "who listens at $socket is not securityd of this user" || die "the message does not help"
done
fails "programs check the listener before they send a byte"
