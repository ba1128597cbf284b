#!/usr/bin/env bash
# Has securityd write to files that the program may not, or that are no keychains: links exchanged meanwhile, another mount, our own files
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

# A folder that is now one of the program's and now one of our own, for as long as somebody tries to make keychains in it.
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

# Chatelaine's own database, through links.
user ln -sfn "$stores" "$folder/way"
sum=$(sha256sum <"$stores/items.db")
for name in keychain-unlock keychain-create; do
    case $(ask "$folder/way/items.db" "$name" "$password") in *'"status":0'*) succeeds "our own store is a keychain" ;; esac
done
[ "$sum" = "$(sha256sum <"$stores/items.db")" ] || succeeds "our own store was written to"

# What is planted beside it.
# shellcheck disable=SC2016
user bash -c 'head -c 8192 /dev/urandom | tee "$1-wal" "$1-shm" >"$1-journal"' plant "$folder/real"
planted=$(cat "$folder"/real-* | sha256sum)
control "it unlocks" contains "$(ask "$folder/real" keychain-unlock "$password")" '"status":0'
equal "$(ask "$folder/real" file-find | sed -n 's/.*"result":"\([^"]*\)".*/\1/p')" s3cret || succeeds "what was planted was read"
ask "$folder/real" keychain-lock >/dev/null
[ "$planted" = "$(cat "$folder"/real-* | sha256sum)" ] || succeeds "what was planted was written to"

# A program with its own mounts, which has another file at the path.
if unshare --mount true 2>/dev/null; then
    user mkdir "$folder/other" && user cp "$folder/real" "$folder/other/real"
    same=$(sha256sum <"$folder/other/real")
    # shellcheck disable=SC2016
    answer=$(call "$folder/real" keychain-unlock "$password" | unshare --mount --propagation private bash -c '
        mount --bind "$1/other" "$1" && shift && "$@"' mounts "$folder" env -i CHATELAINE_HOME="$home" \
        CHATELAINE_LIBEXEC="$ATTACK_PREFIX/libexec/chatelaine" PATH="$PATH" \
        setpriv --reuid "$ATTACK_USER" --regid "$ATTACK_USER" --clear-groups -- "$keeper")
    case $answer in *'"status":0'*) succeeds "another file than everybody sees there was unlocked" ;; esac
    control "it was refused for that" contains "$answer" '"status":-34018'
    [ "$same" = "$(sha256sum <"$folder/other/real")" ] || succeeds "the other file was written to"
fi
fails "nothing but lent files was written to"
