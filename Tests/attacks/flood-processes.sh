#!/usr/bin/env bash
# Takes every connection that the user may have, with many processes that then send nothing
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_item
evil=$(application evil)
pid=$(daemon_pid)
mkfifo "$ATTACK_FOLDER/input"
user "$evil" flood hoard "$socket" 24 60 <"$ATTACK_FOLDER/input" >"$ATTACK_FOLDER/flood" &
exec 8>"$ATTACK_FOLDER/input"
await test -s "$ATTACK_FOLDER/flood"
cat "$ATTACK_FOLDER/flood"
read -r _ kept <"$ATTACK_FOLDER/flood"
control "the flood took place" test "$kept" -ge 300
# Programs that call now: new programs, and the one with a connection.
for number in 1 2 3 4 5; do
    answer=$(probe '{"call":"find","query":{"class":"genp","acct":"nobody"}}')
    contains "$answer" '"status":-25300' || succeeds "program $number gets no connection: $answer"
done
user "$security" item find -s nobody >"$ATTACK_FOLDER/words" 2>&1 || true
contains "$(cat "$ATTACK_FOLDER/words")" errSecItemNotFound || succeeds "$(cat "$ATTACK_FOLDER/words")"
total=$(probe '{"call":"status"}' | grep -o '"daemon.connections":[0-9]*' | tr -dc 0-9)
exec 8>&-
wait
[ "$total" -le 320 ] || succeeds "the user has $total connections"
equal "$pid" "$(daemon_pid)" || succeeds "securityd ended"
expect_untouched
fails "$kept connections of silent processes keep no program out"
