#!/usr/bin/env bash
# Puts an old list of programs back after a team was removed, so that the team's programs get their items again
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

list=$home/state/identity/applications
passcode() { printf 'correct horse\n' | user "$security" "$@" --stdin; }
ask() { user "$editor" ask "$socket" find; }
# put_back: restores yesterday's list, and starts a daemon that has seen no other list.
put_back() {
    stop_daemons "$ATTACK_PREFIX"
    user cp "$home/yesterday" "$list"
    start_daemon
}

keep_signed
user cp "$list" "$home/yesterday"
user "$security" app team remove ABCDE12345 >/dev/null
control "programs of a removed team get nothing" equal "$(ask)" "find -34018 "
put_back
control "without a passcode the old list counts" equal "$(ask)" "find 0 s3cret of ada"

# The first passcode confirms all decisions that count.
passcode passcode set >/dev/null
passcode unlock
equal "$(ask)" "find 0 s3cret of ada" || die "the first passcode has confirmed no team"
user cp "$list" "$home/yesterday"
passcode app team remove ABCDE12345 >/dev/null
put_back
passcode unlock
got=$(ask)
equal "$got" "find -34018 " || succeeds "the team is back: $got"
contains "$(user "$security" app team list)" "not confirmed" || die "the list of teams does not say why"
# The team must not count without any list, either.
stop_daemons "$ATTACK_PREFIX"
rm -f "$list"
passcode unlock
equal "$(ask)" "find -34018 " || succeeds "without a list the team counts"
fails "$got"
