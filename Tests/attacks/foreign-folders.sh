#!/usr/bin/env bash
# Gives folders and files of the daemons to another user, or opens them to everybody
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

needs_root
tool_add s3cret
stop_daemons "$ATTACK_PREFIX"
cp -a "$home" "$ATTACK_FOLDER/whole"
try() {
    local place=$1 what=$2
    if tool_find >"$ATTACK_FOLDER/words" 2>&1; then
        succeeds "$place, $what: $(cat "$ATTACK_FOLDER/words")"
    fi
    words=$(cat "$ATTACK_FOLDER/words" "$home/state/securityd.log" 2>/dev/null || cat "$ATTACK_FOLDER/words")
    contains "$words" "$home/$place" || die "the refusal does not say that it is about $place"
    echo "$place, $what: $(tail -n 1 "$ATTACK_FOLDER/words")"
    stop_daemons "$ATTACK_PREFIX"
    rm -rf "$home"
    cp -a "$ATTACK_FOLDER/whole" "$home"
}
for place in run data state data/stores/default state/enclave state/identity; do
    chown "$ATTACK_STRANGER" "$home/$place"
    chmod 777 "$home/$place"
    try "$place" "of another user"
    chmod 777 "$home/$place"
    try "$place" "open to everybody"
done
key=state/enclave/uid.key
chown "$ATTACK_STRANGER" "$home/$key"
chmod 666 "$home/$key"
try "$key" "of another user"
chmod 666 "$home/$key"
try "$key" "open to everybody"
fails "each is refused, and the message names it"
