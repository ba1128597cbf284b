#!/usr/bin/env bash
# Sends descriptors whose closing takes a minute, in every possible way, from 30 processes
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_item
evil=$(application evil)
pid=$(daemon_pid)
control "closing such a descriptor blocks" test "$("$tool" hold measure)" -ge 10
mkfifo "$ATTACK_FOLDER/input"
for way in attached nested many urgent unread late; do
    processes=30
    # With more descriptors it would be another attack, flood-descriptors.sh.
    if [ "$way" = many ]; then processes=2; fi
    user "$evil" hold "$way" "$socket" "$processes" <"$ATTACK_FOLDER/input" >"$ATTACK_FOLDER/held" &
    exec 8>"$ATTACK_FOLDER/input"
    # If all threads of the daemon hang, it accepts and reads nothing more, and this command does not return.
    user timeout 20 "$keeper" calls "$socket" 2 >"$ATTACK_FOLDER/calls" || succeeds "with $way descriptors calls do not return"
    control "the $way ones were sent" await test -s "$ATTACK_FOLDER/held"
    for number in 1 2 3; do
        answer=$(user timeout 10 "$keeper" ask "$socket" find) || true
        equal "$answer" "find 0 s3cret of ada" || succeeds "with $way descriptors program $number is not served"
    done
    all_calls_succeeded
    threads=$(threads_of "$pid")
    echo "$way: $(cat "$ATTACK_FOLDER/calls"), $threads threads"
    exec 8>&-
    wait
done
equal "$pid" "$(daemon_pid)" || succeeds "securityd ended"
expect_untouched
fails "descriptors whose closing takes long delay no program"
