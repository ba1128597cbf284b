#!/usr/bin/env bash
# Reads a secret in the memory of the program that asked for it
# expected: succeeds: trace an ordinary program, or load code into it (`LD_PRELOAD`, `/proc/PID/mem`), and ask in its name
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_item
mkfifo "$ATTACK_FOLDER/input"
user "$keeper" keep "$socket" <"$ATTACK_FOLDER/input" >/dev/null &
exec {input}>"$ATTACK_FOLDER/input"
holder=$(process_of keeper)
is_there() { got=$(user "$tool" scan "$holder" "s3cret of ada" | grep "1 at"); }
await is_there || fails "it is not there"
exec {input}>&-
wait
succeeds "$got"
