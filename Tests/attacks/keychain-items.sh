#!/usr/bin/env bash
# Tries to read, change and delete another program's item of an open file keychain, and to get rights to it, without the password
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keeper=$(application keeper "$ATTACK_PREFIX/bin/probe")
game=$(application game "$ATTACK_PREFIX/bin/probe")
# The kernel ignores bytes after the program in its file.
printf game >>"$game"
# call PROGRAM CALL [MORE]: makes a program's call about the item, and prints its status.
call() {
    printf '{"call":"%s","path":"a","account":"ada"%s}\n' "$2" "${3:-}" | user "$1"
}
is() { equal "$(call "$1" file-find)" '{"result":"s3cret of ada","status":0}'; }
refuses() {
    local answer
    answer=$(call "$game" "$@")
    # errSecInteractionNotAllowed, errSecAuthFailed, errSecInvalidOwnerEdit
    case $answer in
    *'"status":-25308}' | *'"status":-25293}' | *'"status":-25244}') ;;
    *) succeeds "$*: $answer" ;;
    esac
    control "the item is unchanged after $*" is "$keeper"
}

start_daemon
control "a keychain" contains "$(call "$keeper" keychain-create ',"passcodes":["right"]')" '"status":0'
control "an item" equal "$(call "$keeper" file-add ',"secret":"s3cret of ada"')" '{"status":0}'
control "its keeper reads it" is "$keeper"

for ui in '' ',"ui":"fail"'; do
    refuses file-find "$ui"
    refuses file-update "$ui"',"secret":"mine"'
    refuses file-delete "$ui"
    refuses file-delete "$ui"',"asks":true'
    refuses file-open "$ui"
    refuses file-partition "$ui"
done
equal "$(call "$game" file-find ',"ui":"skip"' | sed 's/.*"status"/"status"/')" '"status":-25300}' || succeeds "a search that skips it"
# The game also tries a wrong password, another item of the same name, and the keeper's name at another path.
equal "$(call "$game" file-partition ',"secret":"wrong"')" '{"result":2,"status":0}' || succeeds "a wrong password"
equal "$(call "$game" file-add ',"secret":"mine"' | sed 's/.*"status"/"status"/')" '"status":-25299}' || succeeds "a second item"
mkdir "$home/elsewhere" && chown "$ATTACK_USER:$ATTACK_USER" "$home/elsewhere"
mv "$game" "$home/elsewhere/keeper"
game=$home/elsewhere/keeper
refuses file-find
# At the keeper's own path it causes a prompt, as a changed program.
mv "$keeper" "$home/kept"
mv "$game" "$keeper"
game=$keeper keeper=$home/kept
refuses file-find
refuses file-delete

# The file does not have the secret, whether the keychain is unlocked or locked.
file=$home/data/keychains/a-db
grep -qa s3cret "$file" && succeeds "the secret is in the file"
control "names are in the file" grep -qa ada <(cat "$file" "$home"/data/file-keychains/*/items.db*)
control "it locks" contains "$(call "$keeper" keychain-lock)" '"status":0'
grep -qa s3cret "$file" && succeeds "the secret is in the file"
control "names are in the locked file" grep -qa ada "$file"

# With the password any program may change the item, even its partition list. This shows that the attacks were made correctly.
control "the password" contains "$(call "$keeper" keychain-unlock ',"passcodes":["right"]')" '"status":0'
control "the owner's change" equal "$(call "$game" file-partition ',"secret":"right"')" '{"result":1,"status":0}'
control "it is written" contains "$(call "$game" file-access)" '"partitions":["apple-tool:"]'

fails "without the password the attacker gets nothing of the item"
