#!/usr/bin/env bash
# Asks for the largest secrets with four programs that read them very slowly, while another program reads and stores large secrets
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_item
user "$keeper" calls "$socket" 1 large >"$ATTACK_FOLDER/alone"
control "large secrets are served" grep -q ' failed 0 ' "$ATTACK_FOLDER/alone"
for number in 1 2 3 4; do
    user "$(application "evil$number")" hold readers "$socket" 4 24 >"$ATTACK_FOLDER/evil$number" &
done
for number in 1 2 3 4; do control "the secrets are there" await grep -qx 'stored 0' "$ATTACK_FOLDER/evil$number"; done
sleep 1
user timeout 100 "$keeper" calls "$socket" 12 large >"$ATTACK_FOLDER/calls" || true
wait
echo "alone:  $(cat "$ATTACK_FOLDER/alone")"
echo "beside: $(cat "$ATTACK_FOLDER/calls")"
all_calls_succeeded
expect_untouched
fails "slow readers do not make other programs wait long"
