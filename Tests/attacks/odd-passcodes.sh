#!/usr/bin/env bash
# Announces passcodes and sends other descriptors, too many of them or none, and guesses without end
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_item
evil=$(application evil)
pid=$(daemon_pid)
printf 'correct horse\n' | user "$security" passcode set --stdin >/dev/null
control "the passcode is set" equal "$(user "$security" passcode status --json | grep -o '"hasPasscode":true')" '"hasPasscode":true'
before=$(find "/proc/$pid/fd" | wc -l)
mkfifo "$ATTACK_FOLDER/input"
for way in silent closed fifo socket file many never; do
    user "$evil" passcodes "$way" "$socket" 20 <"$ATTACK_FOLDER/input" >"$ATTACK_FOLDER/odd" &
    exec 8>"$ATTACK_FOLDER/input"
    control "the $way passcodes were announced" await test -s "$ATTACK_FOLDER/odd"
    user timeout 20 "$keeper" calls "$socket" 2 >"$ATTACK_FOLDER/calls" || succeeds "with $way passcodes calls do not return"
    all_calls_succeeded
    printf 'correct horse\n' | user timeout 20 "$security" unlock --stdin || succeeds "with $way passcodes the user cannot unlock"
    echo "$way: $(cat "$ATTACK_FOLDER/calls")"
    exec 8>&-
    wait
done
# None of these requests counts as a try.
contains "$(user "$security" passcode status --json)" '"failures":0' || succeeds "a request without a passcode counted as a try"
guesses=$(user "$evil" passcodes guess "$socket")
echo "guesses: $guesses"
equal "$guesses" "right 0 wrong 5 delayed 495 failed 0" || succeeds "guesses were checked during the delay: $guesses"
printf 'correct horse\n' | user timeout 20 "$security" unlock --stdin || succeeds "guesses of one program keep the user from unlocking"
few_are_open() { [ "$(find "/proc/$pid/fd" | wc -l)" -le $((before + 8)) ]; }
await few_are_open || succeeds "descriptors are left in securityd"
equal "$pid" "$(daemon_pid)" || succeeds "securityd ended"
expect_untouched
fails "a program that sends no passcode loses its connection, and other programs notice nothing"
