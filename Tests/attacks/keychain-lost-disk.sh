#!/usr/bin/env bash
# Takes a disk away while a keychain on it is open, ends securityd meanwhile, and brings the disk back
# expected: fails
set -euo pipefail
# Runs in its own mount namespace, which removes the mounts when it ends.
if [ "$(id -u)" -eq 0 ] && [ -z "${ATTACK_MOUNTS_ALONE-}" ]; then
    ATTACK_MOUNTS_ALONE=1 exec unshare --mount --propagation private bash "${BASH_SOURCE[0]}"
fi
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
needs_root

keeper=$(application keeper "$ATTACK_PREFIX/bin/probe")
call() { printf '{"call":"%s","path":"%s","account":"ada"%s}\n' "$2" "$1" "${3:-}"; }
ask() { call "$@" | user "$keeper"; }
password=',"passcodes":["right"]'
disk=$ATTACK_FOLDER/disk folder=$ATTACK_FOLDER/build
mkdir "$disk" "$folder"
# The files on the disk stay while it is not mounted.
mount -t tmpfs -o "mode=755,uid=$ATTACK_USER,gid=$ATTACK_USER" attack "$disk"
plug() { mount --bind "$disk" "$folder"; }
pull() { umount -l "$folder"; }
no_such=-25294
status() { sed -n 's/.*"status":\(-\{0,1\}[0-9]*\).*/\1/p'; }
find_secret() { ask "$folder/ci" file-find ',"ui":"fail"' | sed -n 's/.*"result":"\([^"]*\)".*/\1/p'; }

start_daemon
# Counts the files in all folders to which securityd could write instead.
strays() { find "$folder" "$home" -name 'ci*' ! -path "$home/data/file-keychains/*" | sort; }
for way in lock kill; do
    plug
    control "$way: a keychain on the disk" contains "$(ask "$folder/ci" keychain-create "$password")" '"status":0'
    control "$way: an item" equal "$(ask "$folder/ci" file-add ',"secret":"before"')" '{"status":0}'
    control "$way: another secret" equal "$(ask "$folder/ci" file-update ',"secret":"s3cret","ui":"fail"')" '{"status":0}'
    control "$way: it is there" equal "$(find_secret)" s3cret
    pull
    for words in keychain-state 'file-find ,"ui":"fail"' 'file-add ,"secret":"x","account":"bob"' 'file-update ,"secret":"x","ui":"fail"' file-names "keychain-unlock $password"; do
        answer=$(ask "$folder/ci" "${words%% *}" "$(sed -n 's/^[^ ]* //p' <<<"$words")")
        equal "$(status <<<"$answer")" $no_such || succeeds "$way: $words is answered $answer"
    done
    if [ "$way" = lock ]; then
        contains "$(ask "$folder/ci" keychain-lock)" '"status":0' >/dev/null || succeeds "it does not lock"
    else
        kill -9 "$(daemon_pid)"
        await is_silent
        start_daemon
    fi
    [ -z "$(strays)" ] || succeeds "$way: there are files elsewhere: $(strays)"
    [ -z "$(ls -A "$folder")" ] || succeeds "$way: there are files in the empty mount folder: $(ls -A "$folder")"
    plug
    equal "$(ask "$folder/ci" keychain-state)" '{"result":6,"status":0}' || succeeds "$way: it is not locked"
    control "$way: it unlocks" contains "$(ask "$folder/ci" keychain-unlock "$password")" '"result":1'
    equal "$(find_secret)" s3cret || succeeds "$way: the item suffered"
    control "$way: it locks" contains "$(ask "$folder/ci" keychain-lock)" '"status":0'
    pull
    rm "$disk/ci"
done
fails "the keychain on the disk is whole, and nothing was written elsewhere"
