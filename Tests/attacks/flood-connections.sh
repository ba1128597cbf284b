#!/usr/bin/env bash
# Makes ten thousand connections from one program while another one works
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_item
evil=$(application evil)
honest alone 1
before=$(resident VmRSS)
mkfifo "$ATTACK_FOLDER/input"
user "$evil" flood connections "$socket" 10000 20 <"$ATTACK_FOLDER/input" >"$ATTACK_FOLDER/flood" &
exec 8>"$ATTACK_FOLDER/input"
honest calls 3
await test -s "$ATTACK_FOLDER/flood"
probe '{"call":"status"}' >"$ATTACK_FOLDER/status"
after=$(resident VmRSS)
exec 8>&-
wait
cat "$ATTACK_FOLDER/flood"
tell_calls
read -r _ made _ kept <"$ATTACK_FOLDER/flood"
control "the flood took place" test "$made" -ge 10000
[ "$kept" -le 16 ] || succeeds "one program holds $kept connections"
all_calls_succeeded
grep -q '"status":0' "$ATTACK_FOLDER/status" || succeeds "a new program gets no connection: $(cat "$ATTACK_FOLDER/status")"
[ $((after - before)) -le 65536 ] || succeeds "securityd grew by $((after - before)) KiB"
fails "it held $kept of $made; securityd grew by $((after - before)) KiB"
