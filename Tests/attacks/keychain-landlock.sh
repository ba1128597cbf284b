#!/usr/bin/env bash
# A sandboxed program (Landlock) asks securityd to open, make and change keychains in a folder that the sandbox denies
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keeper=$(application keeper "$ATTACK_PREFIX/bin/probe")
folder=$ATTACK_FOLDER/build
mkdir "$folder"
chown "$ATTACK_USER:$ATTACK_USER" "$folder"
password=',"passcodes":["right"]'
call() { printf '{"call":"%s","path":"%s","account":"ada"%s}\n' "$2" "$1" "${3:-}"; }
ask() { call "$@" | user "$keeper"; }
# in_domain FOLDER… -- PROGRAM…: runs a program in a domain with the household and those folders.
in_domain() { user "$tool" landlock "$home" "$ATTACK_PREFIX" "$@"; }
# inside FOLDER CALL…: makes a call by the keeper in a domain with that folder; outside CALL…: without that folder.
inside() { call "${@:2}" | in_domain "$1" -- "$keeper"; }
outside() { call "$@" | in_domain -- "$keeper"; }

start_daemon
in_domain -- /bin/true || { echo "needs a kernel with Landlock" && exit "$ATTACK_SKIPPED"; }
touch="$(type -P touch)"
control "a domain gives access to its folders" in_domain "$folder" -- "$touch" "$folder/reached"
if in_domain -- "$touch" "$folder/kept" 2>/dev/null; then die "control: a domain denies a program nothing"; fi
rm "$folder/reached"
for name in mine theirs; do
    control "a keychain by a program in a domain with its folder" contains "$(inside "$folder" "$folder/$name" keychain-create "$password")" '"status":0'
    control "an item" equal "$(inside "$folder" "$folder/$name" file-add ',"secret":"s3cret"')" '{"status":0}'
    control "it locks" contains "$(inside "$folder" "$folder/$name" keychain-lock)" '"status":0'
done
control "it unlocks there" contains "$(inside "$folder" "$folder/mine" keychain-unlock "$password")" '"result":1'
control "it locks again" contains "$(inside "$folder" "$folder/mine" keychain-lock)" '"status":0'

user ln -s "$folder" "$home/way"
sums() { (cd "$folder" && find . -type f -exec sha256sum {} + | sort); }
before=$(sums)
for way in "$folder" "$home/way" "$folder/../build" "$home/way/../build"; do
    for path in "$way/new" "$way/new.keychain-db"; do
        answer=$(outside "$path" keychain-create "$password")
        case $answer in *'"status":0'*) succeeds "a keychain was made by $path" ;; esac
    done
    for words in "keychain-unlock $password" 'file-find ,"ui":"fail"' file-find 'file-add ,"secret":"x","account":"eve"' \
        'file-update ,"secret":"x","ui":"fail"' file-delete 'file-open ,"ui":"fail"' 'file-partition ,"secret":"right"'; do
        answer=$(outside "$way/theirs" "${words%% *}" "$(sed -n 's/^[^ ]* //p' <<<"$words")")
        case $answer in *'"status":0'* | *'"result":1,'*) succeeds "$words by $way/theirs: $answer" ;; esac
    done
    if in_domain -- "$security" unlock-keychain -p right "$way/theirs" >/dev/null 2>&1; then succeeds "security unlocks $way/theirs"; fi
    if in_domain -- "$security" create-keychain -p right "$way/new" >/dev/null 2>&1; then succeeds "security makes $way/new"; fi
done
contains "$(ask "$folder/theirs" keychain-state)" '"result":6' >/dev/null || succeeds "it is unlocked"
[ "$before" = "$(sums)" ] || succeeds "something was written there: $(sums)"
control "a program with the folder unlocks it" contains "$(inside "$folder" "$folder/theirs" keychain-unlock "$password")" '"result":1'
equal "$(inside "$folder" "$folder/theirs" file-find ',"ui":"fail"')" '{"result":"s3cret","status":0}' || succeeds "the item suffered"
fails "securityd opens no file for a program that may not open it"
