#!/usr/bin/env bash
# Listens, as another user, where a program looks for securityd
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

needs_root
item='{"call":"add","query":{"class":"genp","svce":"mail","acct":"ada","v_Data":{"data":"czNjcmV0"}}}'
# A folder that both may use, as a careless administrator would make it; and the other user in a namespace in which it goes by
# the user's number.
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
control "who connects is heard" grep -q 'heard [1-9]' "$ATTACK_FOLDER/heard"
leave
for words in env "unshare --user --map-user=$ATTACK_USER"; do
    # shellcheck disable=SC2086
    squat $words
    answer=$(probe "$item")
    words=$(tool_find 2>&1 || true)
    leave
    if grep -q 'heard [1-9]' "$ATTACK_FOLDER/heard"; then succeeds "the other user was told something"; fi
    contains "$answer" '"status":-25291' || die "the program was not told that there is no keychain"
    contains "$words" "who listens at $socket is not securityd of this user" || die "the words do not help"
done
fails "who listens is looked at before a byte is sent"
