#!/usr/bin/env bash
# Has so many descriptors in flight that the kernel lets no program of the user pass one
# expected: succeeds: use up what the kernel gives all programs of a user together
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_item
evil=$(application evil)
pid=$(daemon_pid)
control "a new program is served" contains "$(probe '{"call":"status"}')" '"status":0'
mkfifo "$ATTACK_FOLDER/input"
user "$evil" flood descriptors "$socket" 6000 20 <"$ATTACK_FOLDER/input" >"$ATTACK_FOLDER/flood" &
exec 8>"$ATTACK_FOLDER/input"
await test -s "$ATTACK_FOLDER/flood"
cat "$ATTACK_FOLDER/flood"
during=$(user timeout 5 "$keeper" ask "$socket" find) || true
exec 8>&-
wait
# The flood may slow calls, but must break nothing.
equal "$(daemon_pid)" "$pid" || die "securityd did not survive it"
expect_untouched
control "a new program is served again" contains "$(probe '{"call":"status"}')" '"status":0'
case $during in *s3cret*) fails "a program is served during the flood: $during" ;; esac
succeeds "no program is served during the flood, and every program afterwards"
