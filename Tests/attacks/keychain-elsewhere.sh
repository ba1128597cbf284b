#!/usr/bin/env bash
# Tries to make securityd write to files that are foreign or no keychains: by exchanged links, another mount, and Chatelaine's own files
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keeper=$(application keeper "$ATTACK_PREFIX/bin/probe")
call() { printf '{"call":"%s","path":"%s","account":"ada"%s}\n' "$2" "$1" "${3:-}"; }
ask() { call "$@" | user "$keeper"; }
password=',"passcodes":["right"]'
folder=$ATTACK_FOLDER/build
mkdir "$folder"
chown "$ATTACK_USER:$ATTACK_USER" "$folder"

start_daemon
control "a keychain elsewhere" contains "$(ask "$folder/real" keychain-create "$password")" '"status":0'
control "an item" equal "$(ask "$folder/real" file-add ',"secret":"s3cret"')" '{"status":0}'
control "it locks" contains "$(ask "$folder/real" keychain-lock)" '"status":0'

# The name leads by turns to a folder of the program and to a folder of Chatelaine, while keychains are made in it.
stores=$home/data/stores/default
# Lists the names of Chatelaine's files, without those that any new keychain changes.
ours() { (cd "$home/data" && find . -path ./file-keychains -prune -o -type f ! -name 'items.db-*' ! -name 'keychain-preferences*' -print | sort); }
before=$(ours)
user mkdir "$folder/mine"
# shellcheck disable=SC2016
user bash -c 'cd "$1"; while [ ! -e stop ]; do ln -sfn mine way.new; mv -T way.new way; ln -sfn "$2" way.new; mv -T way.new way; done' \
    exchange "$folder" "$stores" &
exchanger=$!
trap 'touch "$folder/stop"' EXIT
await test -L "$folder/way"
made=0
for number in {1..60}; do
    case $(ask "$folder/way/$number" keychain-create "$password") in *'"status":0'*) made=$((made + 1)) ;; esac
    ask "$folder/way/$number" keychain-lock >/dev/null
done
touch "$folder/stop"
wait "$exchanger"
echo "$made of 60 were made in the program's own folder"
[ "$before" = "$(ours)" ] || succeeds "a keychain lies among our files: $(ours)"

# Here the links lead to Chatelaine's own database.
user ln -sfn "$stores" "$folder/way"
sum=$(sha256sum <"$stores/items.db")
for name in keychain-unlock keychain-create; do
    case $(ask "$folder/way/items.db" "$name" "$password") in *'"status":0'*) succeeds "Chatelaine's own store counts as a keychain" ;; esac
done
[ "$sum" = "$(sha256sum <"$stores/items.db")" ] || succeeds "Chatelaine's own store was written to"

# securityd must neither read nor write files that are planted beside the keychain.
# shellcheck disable=SC2016
user bash -c 'head -c 8192 /dev/urandom | tee "$1-wal" "$1-shm" >"$1-journal"' plant "$folder/real"
planted=$(cat "$folder"/real-* | sha256sum)
control "it unlocks" contains "$(ask "$folder/real" keychain-unlock "$password")" '"status":0'
equal "$(ask "$folder/real" file-find | sed -n 's/.*"result":"\([^"]*\)".*/\1/p')" s3cret || succeeds "a planted file was read"
ask "$folder/real" keychain-lock >/dev/null
[ "$planted" = "$(cat "$folder"/real-* | sha256sum)" ] || succeeds "a planted file was written to"

# A program with its own mounts has another file at the path than all other processes.
if unshare --mount true 2>/dev/null; then
    user mkdir "$folder/other" && user cp "$folder/real" "$folder/other/real"
    same=$(sha256sum <"$folder/other/real")
    # shellcheck disable=SC2016
    answer=$(call "$folder/real" keychain-unlock "$password" | unshare --mount --propagation private bash -c '
        mount --bind "$1/other" "$1" && shift && "$@"' mounts "$folder" env -i CHATELAINE_HOME="$home" \
        CHATELAINE_LIBEXEC="$ATTACK_PREFIX/libexec/chatelaine" PATH="$PATH" \
        setpriv --reuid "$ATTACK_USER" --regid "$ATTACK_USER" --clear-groups -- "$keeper")
    case $answer in *'"status":0'*) succeeds "a file that only the program sees was unlocked" ;; esac
    control "it was refused for that" contains "$answer" '"status":-34018'
    [ "$same" = "$(sha256sum <"$folder/other/real")" ] || succeeds "the other file was written to"
fi
fails "nothing but lent files was written to"
