#!/usr/bin/env bash
# Ends securityd and listens at its socket, as a program of the same user
# expected: succeeds: end the daemons and stand in their place, with a program of its own or with securityd and a library in it
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

start_daemon
user kill -KILL "$(daemon_pid)"
await is_silent
rm -f "$socket"
mkfifo "$ATTACK_FOLDER/input"
user "$tool" listen "$socket" answer "$home/data" <"$ATTACK_FOLDER/input" >"$ATTACK_FOLDER/heard" &
exec 8>"$ATTACK_FOLDER/input"
await grep -q listening "$ATTACK_FOLDER/heard"
answer=$(probe '{"call":"add","query":{"class":"genp","svce":"mail","acct":"ada","v_Data":{"data":"czNjcmV0"}}}')
exec 8>&-
wait
contains "$answer" '"status":0' || fails "the program is not deceived: $answer"
grep -q "heard a secret" "$ATTACK_FOLDER/heard" || fails "the listener gets no secret"
succeeds "a program stored its password there, and got a reply of success"
