#!/usr/bin/env bash
# Lays a pipe where another user is about to write an exported private key
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

needs_root
shared=$ATTACK_FOLDER/shared
mkdir -m 1777 "$shared"
openssl ecparam -genkey -name prime256v1 -noout -out "$home/key.pem" 2>/dev/null
chown "$ATTACK_USER:$ATTACK_USER" "$home/key.pem"
control "a keychain" user "$security" create-keychain -p known a.keychain
control "a key" user "$security" import "$home/key.pem" -k a.keychain -A
export_to() { user timeout 20 "$security" export -k a.keychain -t privKeys -f openssl -p -o "$1"; }
stranger mkfifo -m 666 "$shared/key.pem"
# The sticky folder and the kernel's fs.protected_fifos concern those alone who make a file, not those who open one.
(stranger timeout 60 cat "$shared/key.pem" || true) >"$ATTACK_FOLDER/loot" &
reader=$!
status=0
export_to "$shared/key.pem" >"$ATTACK_FOLDER/words" 2>&1 || status=$?
grep -q "PRIVATE KEY" "$ATTACK_FOLDER/loot" && succeeds "the stranger has the key"
[ "$status" -ne 0 ] || succeeds "the export ends well"
stranger ln -s "$shared/key.pem" "$shared/link.pem"
if export_to "$shared/link.pem" >>"$ATTACK_FOLDER/words" 2>&1; then succeeds "the export through a link ends well"; fi
kill "$reader" 2>/dev/null || true
[ -s "$ATTACK_FOLDER/loot" ] && succeeds "the stranger has something"
# The user's own pipe takes the key: the export itself works.
user mkfifo "$home/own"
(user timeout 60 cat "$home/own" || true) >"$ATTACK_FOLDER/own" &
control "an export into the user's own pipe" export_to "$home/own"
wait
control "the key arrived" grep -q "PRIVATE KEY" "$ATTACK_FOLDER/own"
fails "$(tail -n 1 "$ATTACK_FOLDER/words")"
