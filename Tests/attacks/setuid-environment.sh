#!/usr/bin/env bash
# Leads a set-user-ID program of root to a daemon and a socket of the caller, by its environment and its name
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

needs_root
# Hides root's own folders from this process and its children.
if [ -z "${ATTACK_UNSHARED-}" ]; then ATTACK_UNSHARED=1 exec unshare --mount bash "$0"; fi
mount -t tmpfs tmpfs /root
mount -t tmpfs tmpfs /var/lib
mkdir -p "$ATTACK_FOLDER/run"
if [ -d /run ]; then mount -t tmpfs tmpfs /run; fi
# The attacker wants this program to run with root's power. It records the user id under which it runs.
mkdir -p "$home/libexec/chatelaine" "$home/bin" "$home/own" "$home/run"
cat >"$home/own/securityd" <<EOF
#!/bin/sh
id -u >>"$home/started"
exit 1
EOF
chmod 755 "$home/own/securityd"
cp "$home/own/securityd" "$home/libexec/chatelaine/securityd"
touch "$home/bin/probe"
chown -R "$ATTACK_USER:$ATTACK_USER" "$home"
chmod 700 "$home/run"
touch "$home/started"
chown "$ATTACK_USER" "$home/started"
query='{"call":"add","query":{"class":"genp","svce":"mail","acct":"ada","v_Data":{"data":"czNjcmV0"}}}'
# The ways are CHATELAINE_LIBEXEC, the name of the program, and HOME and XDG variables.
ask() {
    printf '%s\n' "$query" | as "$ATTACK_USER" "$@" 2>&1 || true
}
plain=$(application plain "$ATTACK_PREFIX/bin/probe")
ask CHATELAINE_LIBEXEC="$home/own" "$plain" >/dev/null
control "a program without privileges runs the daemon of the environment" equal "$(sort -u "$home/started")" "$ATTACK_USER"
true >"$home/started"
named() { printf '%s\n' "$query" | as "$ATTACK_USER" env -u CHATELAINE_LIBEXEC bash -c "exec -a '$home/bin/probe' '$1'" 2>&1 || true; }
privileged=$ATTACK_FOLDER/privileged
cp "$ATTACK_PREFIX/bin/probe" "$privileged"
chown root:root "$ATTACK_FOLDER" "$privileged"
chmod 4755 "$privileged"
control "the program is root's when the user runs it" \
    contains "$(cp "$(command -v id)" "$ATTACK_FOLDER/id" && chmod 4755 "$ATTACK_FOLDER/id" && user "$ATTACK_FOLDER/id" -u)" 0
rm -f "$socket"
mkfifo "$ATTACK_FOLDER/input"
user "$tool" listen "$socket" <"$ATTACK_FOLDER/input" >"$ATTACK_FOLDER/heard" &
exec 8>"$ATTACK_FOLDER/input"
await grep -q listening "$ATTACK_FOLDER/heard"
control "the user listens" grep -q listening "$ATTACK_FOLDER/heard"
ask CHATELAINE_LIBEXEC="$home/own" "$privileged"
ask CHATELAINE_LIBEXEC="$home/own" CHATELAINE_HOME="$home" XDG_RUNTIME_DIR="$home" XDG_DATA_HOME="$home" XDG_STATE_HOME="$home" "$privileged"
# The caller chooses the name (argv[0]) with which a program is executed.
named "$privileged"
cp "$security" "$ATTACK_FOLDER/tool"
chmod 4755 "$ATTACK_FOLDER/tool"
words=$(user "$ATTACK_FOLDER/tool" item list 2>&1 || true)
exec 8>&-
wait
got=$(sort -u "$home/started")
[ -z "$got" ] || succeeds "a program of the user's was run by user id $got"
if grep -q 'heard [1-9]' "$ATTACK_FOLDER/heard"; then succeeds "the user's socket got a message"; fi
if [ -n "$(find "$home/run" "$home/data" "$home/state" -user root 2>/dev/null)" ]; then succeeds "root's keychain is in the user's folders"; fi
contains "$words" "starts no daemon" || die "the message does not help"
fails "a program with privileges ignores environment and name"
