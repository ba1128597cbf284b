#!/usr/bin/env bash
# Has more descriptors in flight than the parent of the key workers needs, while another program uses keys
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# keyd passes each worker on to enclaved. The kernel refuses that while the user's unread messages hold more descriptors
# than keyd may have open.
count=600
programs=6
start_daemon
honest=$(application honest "$ATTACK_PREFIX/bin/probe")
evil=$(application evil)
make='{"call":"makeKey","query":{"type":73,"bsiz":256,"perm":true,"labl":"key"}}'
control "a program has a key" contains "$(echo "$make" | user "$honest")" '"status":0'
custodian=$(custodian_pid)
mkfifo "$ATTACK_FOLDER/input"
user "$evil" flood descriptors "$socket" "$count" 60 <"$ATTACK_FOLDER/input" >"$ATTACK_FOLDER/flood" &
exec 8>"$ATTACK_FOLDER/input"
await test -s "$ATTACK_FOLDER/flood"
cat "$ATTACK_FOLDER/flood"
# sign NUMBER: has a process sign ten times. Several at one time need several workers.
sign() {
    local find='{"call":"find","query":{"class":"keys","kcls":1,"labl":"key","r_Ref":true}}' number
    {
        echo "$find"
        for ((number = 0; number < 10; number++)); do
            echo '{"call":"sign","algorithm":"algid:sign:ECDSA:message-X962:SHA256","query":{"key":{"reference":0},"data":{"data":"bQ=="}}}'
        done
    } | user "$honest" | tail -n +2 >"$ATTACK_FOLDER/signed.$1"
}
signers=()
for ((program = 0; program < programs; program++)); do
    sign "$program" &
    signers+=($!)
done
wait "${signers[@]}"
exec 8>&-
wait
signatures=$(cat "$ATTACK_FOLDER"/signed.* | grep -c '"status":0' || true)
[ "$(custodian_pid)" = "$custodian" ] || succeeds "the key custodian ended, and everything was locked"
[ "$signatures" -eq $((10 * programs)) ] || succeeds "$signatures of $((10 * programs)) signatures were made"
fails "$signatures signatures were made beside $count descriptors in flight"
