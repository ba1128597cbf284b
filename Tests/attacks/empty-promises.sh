#!/usr/bin/env bash
# Announces the largest requests over every connection that it gets, and sends them byte by byte, while another program stores large secrets
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
# The attack announces a gigabyte. Memory is taken for bytes that come, and not for those that were announced. The daemon
# has its usual memory and a few copies of one secret of 2 MiB: 62 MiB were measured, on a busy machine too.
most=$(resident VmHWM)
echo "memory: $most KiB"
[ "$most" -le $((160 * 1024)) ] || succeeds "securityd took $most KiB"
expect_untouched
fails "requests that are announced and not sent do not make other programs wait long"
