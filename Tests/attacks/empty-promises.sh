#!/usr/bin/env bash
# Announces the largest requests over every connection it gets, and trickles them, while another stores large secrets
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_item
user "$keeper" calls "$socket" 1 large >"$ATTACK_FOLDER/alone"
control "large secrets are served" grep -q ' failed 0 ' "$ATTACK_FOLDER/alone"
for number in 1 2 3 4; do user "$(application "evil$number")" hold promises "$socket" 8 16 & done
sleep 1
user timeout 100 "$keeper" calls "$socket" 8 large >"$ATTACK_FOLDER/calls" || true
honest small 2
wait
echo "alone:  $(cat "$ATTACK_FOLDER/alone")"
echo "beside: $(cat "$ATTACK_FOLDER/calls")"
all_calls_succeeded
grep -q ' failed 0 ' "$ATTACK_FOLDER/small" || succeeds "small calls failed: $(cat "$ATTACK_FOLDER/small")"
# A gigabyte was announced. In flight at a time are three of the largest requests in up to six forms each and three of the largest answers in
# up to three, of 16 MiB: 432 MiB at the very most, with what the daemon is without them. On a quiet machine it comes to 110 to 330.
[ "$(resident VmHWM)" -le $((480 * 1024)) ] || succeeds "securityd took $(resident VmHWM) KiB"
expect_untouched
fails "what is announced and not sent is no reason for others to wait long"
