#!/usr/bin/env bash
# Sends small requests as fast as it can over every connection that it gets: a million, or as many as fit into a few seconds
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_item
evil=$(application evil)
honest alone 1
before=$(resident VmRSS)
user "$evil" flood frames "$socket" 1000000 "${ATTACK_SECONDS-4}" 16 >"$ATTACK_FOLDER/flood" &
honest calls "${ATTACK_SECONDS-4}"
for number in 1 2 3; do
    answer=$(probe '{"call":"find","query":{"class":"genp","acct":"nobody"}}')
    contains "$answer" '"status":-25300' || succeeds "program $number is not served: $answer"
done
wait
after=$(resident VmRSS)
cat "$ATTACK_FOLDER/flood"
tell_calls
read -r _ made _ _ <"$ATTACK_FOLDER/flood"
control "the flood took place" test "$made" -ge 1000
all_calls_succeeded
[ $((after - before)) -le 65536 ] || succeeds "securityd grew by $((after - before)) KiB"
expect_untouched
fails "$made requests; securityd grew by $((after - before)) KiB"
