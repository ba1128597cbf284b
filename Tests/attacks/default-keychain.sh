#!/usr/bin/env bash
# Makes a keychain of the attacker's the default one, and waits for another program's new password
# expected: succeeds: make a keychain whose password it knows the default one (`SecKeychainSetDefault`), or write that into the file of preferences.
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keeper=$(application keeper "$ATTACK_PREFIX/bin/probe")
game=$(application game "$ATTACK_PREFIX/bin/probe")
# The kernel ignores bytes after the program in its file.
printf game >>"$game"
call() {
    local program=$1
    shift
    printf '%s\n' "$1" | user "$program"
}
loot=$home/data/keychains/loot.keychain-db
add='{"call":"SecKeychainItem","function":"AddGeneric","service":"mail","account":"ada","password":"s3cret"}'
find='{"call":"file-find","path":"'$loot'","account":"ada","ui":"fail"}'

start_daemon
made=$(call "$game" '{"call":"keychain-create","path":"'"$loot"'","passcodes":["known"]}')
control "a keychain of the attacker's" contains "$made" '"status":0'
# Another program's item is not read, even in a keychain of the attacker's.
named=$(call "$keeper" '{"call":"file-add","path":"'"$loot"'","account":"eve","secret":"other"}')
control "another program's item" equal "$named" '{"status":0}'
named=$(call "$game" '{"call":"file-find","path":"'"$loot"'","account":"eve","ui":"fail"}')
control "it is refused" contains "$named" '"status":-25293'

default=$(call "$game" '{"call":"SecKeychain","function":"SetDefault","path":"'"$loot"'"}')
contains "$default" '"status":0' || fails "the default stays: $default"
contains "$(call "$keeper" "$add")" '"status":0' || fails "the password is not added there"
# Whoever has the password of a keychain decides who may read its items.
call "$game" '{"call":"file-partition","path":"'"$loot"'","account":"ada","secret":"known"}' >/dev/null
found=$(user "$security" find-generic-password -s mail -w "$loot" || true)
[ "$found" = s3cret ] && succeeds "the attacker reads a password that another program stored without naming a keychain"
fails "$(call "$game" "$find") $found"
