#!/usr/bin/env bash
# Uses a large private key all the time, with many processes of one program, while another program signs
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

processes=32
# Four uses run at one time. So many signatures of a program that stands in one line with the flood would take as many
# uses of each of its processes.
signatures=40
signing='"call":"sign","algorithm":"algid:sign:%s","query":{"key":{"reference":%d},"data":{"data":"bQ=="}}'
# shellcheck disable=SC2059
slow="{$(printf "$signing" RSA:message-PKCS1v15:SHA256 0)}"
# shellcheck disable=SC2059
quick="{$(printf "$signing" ECDSA:message-X962:SHA256 0)}"

start_daemon 2>"$ATTACK_FOLDER/log"
honest=$(application honest "$ATTACK_PREFIX/bin/probe")
evil=$(application evil "$ATTACK_PREFIX/bin/probe")
printf evil >>"$evil"
# make PROGRAM TYPE BITS: makes a key that the daemons keep.
make() {
    printf '{"call":"makeKey","query":{"type":%d,"bsiz":%d,"perm":true,"labl":"key"}}\n' "$2" "$3" | user "$1"
}
control "the honest program has a key" contains "$(make "$honest" 73 256)" '"status":0'
control "the other program has a large key" contains "$(make "$evil" 42 4096)" '"status":0'
find='{"call":"find","query":{"class":"keys","kcls":1,"labl":"key","r_Ref":true}}'
# uses FILE: the uses of the flood that have ended.
uses() { cat "$ATTACK_FOLDER"/uses.* | grep -c '"status":0' || true; }
# flood NUMBER: runs until the script ends it, with one call after the other.
flood() {
    local answer line=$find
    coproc user "$evil"
    while [ ! -e "$ATTACK_FOLDER/over" ]; do
        echo "$line" >&"${COPROC[1]}"
        read -r answer <&"${COPROC[0]}" || return 0
        echo "$answer" >>"$ATTACK_FOLDER/uses.$1"
        line=$slow
    done
}
# sign COUNT: has the honest program sign, and prints one answer a line.
sign() {
    {
        echo "$find"
        for ((number = 0; number < $1; number++)); do echo "$quick"; done
    } | user "$honest" | tail -n +2
}

sign 1 >"$ATTACK_FOLDER/alone"
control "the honest program signs alone" contains "$(cat "$ATTACK_FOLDER/alone")" '"status":0'
pids=()
# The floods end with the script, however it ends.
trap 'touch "$ATTACK_FOLDER/over"; wait' EXIT
for ((number = 0; number < processes; number++)); do
    flood "$number" &
    pids+=($!)
done
# all_use COUNT: each process has used the key so often; its first answer is of the search.
all_use() {
    local file number
    for ((number = 0; number < processes; number++)); do
        file=$ATTACK_FOLDER/uses.$number
        [ "$(grep -c '"status":0' "$file")" -gt "$1" ] || return 1
    done
}
control "all processes of the flood use the key" await all_use 2
before=$(uses)
sign "$signatures" >"$ATTACK_FOLDER/signed" || succeeds "the honest program does not sign"
meanwhile=$(($(uses) - before))
control "the flood goes on" await all_use 4
touch "$ATTACK_FOLDER/over"
wait "${pids[@]}"
echo "$signatures signatures while the flood used its key $meanwhile times"
[ "$(grep -c '"status":0' "$ATTACK_FOLDER/signed")" = "$signatures" ] || succeeds "signatures fail: $(cat "$ATTACK_FOLDER/signed")"
[ "$meanwhile" -lt $((signatures * processes / 2)) ] || succeeds "each process of the flood has the share of a program"
fails "$processes processes have the share of one program"
