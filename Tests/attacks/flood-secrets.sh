#!/usr/bin/env bash
# Stores secrets of 16 MiB over every connection that it gets, while another program works
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_item
evil=$(application evil)
honest alone 1
user "$evil" flood secrets "$socket" 64 "${ATTACK_SECONDS-4}" 16 >"$ATTACK_FOLDER/flood" &
honest calls "${ATTACK_SECONDS-4}"
wait
most=$(resident VmHWM)
cat "$ATTACK_FOLDER/flood"
tell_calls
read -r _ made _ _ <"$ATTACK_FOLDER/flood"
control "the flood took place" test "$made" -ge 1
all_calls_succeeded
# 64 MiB for large requests, with their sealed copies, and the daemon's usual memory.
[ "$most" -le $((320 * 1024)) ] || succeeds "securityd took $most KiB"
expect_untouched
fails "$made large secrets; securityd took $most KiB at most"
