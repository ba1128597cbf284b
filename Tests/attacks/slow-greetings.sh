#!/usr/bin/env bash
# Keeps every connection that the user may have in the middle of its handshake, from 30 processes
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_item
evil=$(application evil)
user "$evil" hold greetings "$socket" 30 16 &
connections() { probe '{"call":"status"}' | grep -o '"daemon.connections":[0-9]*' | tr -dc 0-9; }
is_flooded() { [ "$(connections)" -ge 250 ]; }
control "the handshakes take the places" await is_flooded
honest calls 6
for number in 1 2 3 4 5; do
    answer=$(probe '{"call":"find","query":{"class":"genp","acct":"nobody"}}')
    contains "$answer" '"status":-25300' || succeeds "program $number gets no connection: $answer"
done
total=$(connections)
wait
cat "$ATTACK_FOLDER/calls"
all_calls_succeeded
[ "$total" -le 320 ] || succeeds "the user has $total connections"
expect_untouched
fails "$total connections in their handshake keep no program out"
