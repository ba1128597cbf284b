#!/usr/bin/env bash
# Locks and unlocks keychains of its own all the time, with many processes of one program, while another program unlocks its keychain
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

processes=24
# Two passwords are checked at one time. So many unlocks of a program that stands in one line with the flood would take
# as many unlocks of each of its processes.
unlocks=6

start_daemon 2>"$ATTACK_FOLDER/log"
honest=$(application honest "$ATTACK_PREFIX/bin/probe")
evil=$(application evil "$ATTACK_PREFIX/bin/probe")
printf evil >>"$evil"
call() { printf '{"call":"keychain-%s","path":"%s","passcodes":["right"]}\n' "$1" "$2"; }
# again NAME: locks a keychain and unlocks it.
again() { printf '{"call":"keychain-lock","path":"%s"}\n' "$1" && call unlock "$1"; }
# ended FILE…: the unlocks that have ended; each has a lock before it.
ended() { echo $(($(cat "$@" | grep -c '"status":0' || true) / 2)); }
# flood NUMBER: runs until the script ends it, with one call after the other.
flood() {
    local answer answers
    coproc user "$evil"
    while [ ! -e "$ATTACK_FOLDER/over" ]; do
        again "evil$1" >&"${COPROC[1]}"
        for ((answers = 0; answers < 2; answers++)); do
            read -r answer <&"${COPROC[0]}" || return 0
            echo "$answer" >>"$ATTACK_FOLDER/unlocks.$1"
        done
    done
}

control "the honest program has a keychain" contains "$(call create honest | user "$honest")" '"status":0'
for ((number = 0; number < processes; number++)); do call create "evil$number"; done | user "$evil" >"$ATTACK_FOLDER/made"
control "the other program has keychains" equal "$(grep -c '"status":0' "$ATTACK_FOLDER/made")" "$processes"
again honest | user "$honest" >"$ATTACK_FOLDER/alone"
control "the honest program unlocks alone" equal "$(ended "$ATTACK_FOLDER/alone")" 1
pids=()
# The floods end with the script, however it ends.
trap 'touch "$ATTACK_FOLDER/over"; wait' EXIT
for ((number = 0; number < processes; number++)); do
    flood "$number" &
    pids+=($!)
done
# all_unlock COUNT: each process has unlocked its keychain so often.
all_unlock() {
    local file number
    for ((number = 0; number < processes; number++)); do
        file=$ATTACK_FOLDER/unlocks.$number
        [ "$(ended "$file")" -ge "$1" ] || return 1
    done
}
control "all processes of the flood unlock" await all_unlock 1
before=$(ended "$ATTACK_FOLDER"/unlocks.*)
for ((number = 0; number < unlocks; number++)); do again honest; done | user "$honest" >"$ATTACK_FOLDER/unlocked" ||
    succeeds "the honest program does not unlock"
meanwhile=$(($(ended "$ATTACK_FOLDER"/unlocks.*) - before))
control "the flood goes on" await all_unlock 2
touch "$ATTACK_FOLDER/over"
wait "${pids[@]}"
echo "$unlocks unlocks while the flood did $meanwhile"
[ "$(ended "$ATTACK_FOLDER/unlocked")" = "$unlocks" ] || succeeds "unlocks fail: $(cat "$ATTACK_FOLDER/unlocked")"
[ "$meanwhile" -lt $((unlocks * processes / 2)) ] || succeeds "each process of the flood has the share of a program"
fails "$processes processes have the share of one program"
