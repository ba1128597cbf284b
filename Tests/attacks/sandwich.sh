#!/usr/bin/env bash
# Is a trusted program at each moment when the daemon checks, and sends its own messages in between (leases, SIGSTOP)
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_item
# The keeper becomes a program that executes other programs on request, and its user agrees: such programs have items as well.
install -o "$ATTACK_USER" -g "$ATTACK_USER" -m 755 /usr/bin/env "$home/next"
mv "$home/next" "$keeper"
user "$security" app accept "$keeper"
evil=$(application evil)
stages=()
for number in 1 2 3; do stages+=("$(application "stage$number")"); done
control "the attacker alone gets nothing" equal "$(user "$evil" ask "$socket" find)" "find -25300 "
got=$(user "$evil" sandwich "$socket" "$(daemon_pid)" "$keeper" "${stages[@]}")
control "the daemon looked at the keeper" contains "$got" "looks like the keeper"
control "shared memory outlives an exec" contains "$got" "memory of the first part: there"
case $got in *s3cret*) succeeds "$got" ;; esac
fails "$got"
