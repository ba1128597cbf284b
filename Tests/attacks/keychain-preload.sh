#!/usr/bin/env bash
# Starts a program that an item of a file keychain lists with a library of the attacker's in it (LD_PRELOAD)
# expected: succeeds: A program of the same user that loads code into it (`LD_PRELOAD`, `/proc/PID/mem`) has what it has, for as long as it is listed.
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keeper=$(application keeper "$ATTACK_PREFIX/bin/probe")
game=$(application game "$ATTACK_PREFIX/bin/probe")
# What follows the program in its file is not looked at by the kernel.
printf game >>"$game"
call() { printf '{"call":"%s","path":"a","account":"ada"%s}\n' "$2" "${3:-}" | user "$1"; }
# dictate PROGRAM: what it is answered when the library has it read the item.
dictate() {
    rm -f "$home/loot"
    user env LD_PRELOAD="$ATTACK_PREFIX/bin/dictated.so" DICTATED="$home/calls" LOOT="$home/loot" "$1" </dev/null >/dev/null
    cat "$home/loot"
}

start_daemon
control "a keychain" contains "$(call "$keeper" keychain-create ',"passcodes":["right"]')" '"status":0'
control "an item" equal "$(call "$keeper" file-add ',"secret":"s3cret of ada"')" '{"status":0}'
printf '{"call":"file-find","path":"a","account":"ada","ui":"fail"}\n' | user tee "$home/calls" >/dev/null
control "another program with the library gets nothing" contains "$(dictate "$game")" '"status":-25293'
control "it is the library that asks" contains "$(dictate "$game")" status
loot=$(dictate "$keeper")
contains "$loot" "s3cret of ada" >/dev/null || fails "the library in the keeper gets nothing: $loot"
succeeds "$loot"
