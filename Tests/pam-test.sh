#!/usr/bin/env bash
# Logs in through PAM with pam_chatelaine, in a mount namespace with its own /etc. The keychain opens if password and
# passcode are the same; the login is the same in all other cases.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../Tools/common.sh"

if [ "$(id -u)" -ne 0 ]; then
    echo "SKIPPED: needs root: logins of another user"
    exit 0
fi
if ! command -v pamtester >/dev/null; then
    echo "SKIPPED: optional: pamtester is not here"
    exit 0
fi
if [ "${1-}" != inside ]; then exec unshare -m --propagation private bash "${BASH_SOURCE[0]}" inside; fi

work=$(mktemp -d)
chmod 755 "$work"
user=chatelaine-login
uid=24900
home=$work/home
stage=$root/.build/stage-debug
trap 'stop_daemons "$work/prefix"; rm -rf "$work"' EXIT

[ -e "$stage/.complete" ] || die "nothing has been built; run: make build CONFIGURATION=debug"
say "A user, an /etc and services of our own"
mkdir "$work/etc" "$work/empty"
cp -a /etc/. "$work/etc"
mount --bind "$work/etc" /etc
hash=$(python3 -W ignore -c 'import crypt; print(crypt.crypt("the login password", crypt.mksalt(crypt.METHOD_SHA512)))')
echo "$user:x:$uid:$uid::$home:/bin/sh" >>/etc/passwd
echo "$user:x:$uid:" >>/etc/group
echo "$user:$hash:19000:0:99999:7:::" >>/etc/shadow
install -d -o "$uid" -g "$uid" -m 700 "$home"
# Copies the programs to a folder where every user can run them.
cp -a "$stage" "$work/prefix"
module=$work/prefix/lib/security/pam_chatelaine.so
# service NAME ARGUMENTS…: makes a stack as pam-auth-update does.
service() {
    local name=$1
    shift
    cat >"/etc/pam.d/$name" <<SERVICE
auth required pam_unix.so
auth optional $module $*
account required pam_unix.so
session required pam_permit.so
session optional $module $*
password requisite pam_unix.so sha512
password optional $module $*
SERVICE
}
service ours "program=$work/prefix/bin/security"

as_user() {
    env -i HOME="$home" PATH=/usr/bin:/bin setpriv --reuid "$uid" --regid "$uid" --clear-groups -- "$@"
}
security() { as_user "$work/prefix/bin/security" "$@"; }
# login SERVICE PASSWORD: authenticates, and opens and closes a session.
login() { printf '%s\n' "$2" | pamtester "$1" "$user" authenticate open_session close_session >"$work/said" 2>&1; }
seconds() { date +%s; }
expect_state() {
    local state
    state=$(security state)
    [ "$state" = "$1" ] || die "the keychain is $state and not $1 ($2)"
}

say "Who has no keychain gets none"
login ours 'the login password' || die "$(cat "$work/said")"
[ -z "$(ls -A "$home")" ] || die "a login made $(ls -A "$home")"

say "Without a passcode a login changes nothing"
printf 's3cret' | security item add --service mail --account ada --stdin
login ours 'the login password' || die "$(cat "$work/said")"
security passcode status | grep -q '^passcode *none' || die "a login set a passcode"

say "A login unlocks where the passcode is the password"
printf 'the login password\n' | security passcode set --stdin >/dev/null
security lock
login ours 'the login password' || die "$(cat "$work/said")"
expect_state unlocked "after a login"
stop_daemons "$work/prefix"
login ours 'the login password' || die "$(cat "$work/said")"
expect_state unlocked "after a login that started the daemon"

say "Nobody finds the password"
security lock
cat >"$work/look" <<'LOOK'
#!/bin/sh
tr '\0' '\n' </proc/$$/cmdline >"$HOME/seen"
env >>"$HOME/seen"
ls -l /proc/$$/fd >>"$HOME/seen"
id -u >>"$HOME/seen"; id -G >>"$HOME/seen"
cat <&3 >"$HOME/given"
LOOK
chmod 755 "$work/look"
service look "program=$work/look"
exec 7</dev/null
LD_AUDIT_NOT_OURS=1 login look 'the login password' || die "$(cat "$work/said")"
exec 7<&-
if grep -q 'login password' "$home/seen"; then die "the password is in $(cat "$home/seen")"; fi
[ "$(cat "$home/given")" = "the login password" ] || die "given was $(cat "$home/given")"
grep -qx "$uid" "$home/seen" || die "it ran as $(cat "$home/seen")"
if grep -q 'LD_AUDIT_NOT_OURS\| 7 -> ' "$home/seen"; then die "it inherited: $(cat "$home/seen")"; fi
rm -f "$home/seen" "$home/given"

say "One user's password is not for another user's session"
cat >"$work/other.c" <<'PROGRAM'
/* Asks for one user's password and opens the session of another, as sudo does: other SERVICE USER OTHER PASSWORD */
#include <security/pam_appl.h>
#include <stdlib.h>
#include <string.h>

static int converse(int count, const struct pam_message **messages, struct pam_response **answers, void *data) {
    (void)messages;
    *answers = calloc((size_t)count, sizeof **answers);
    for (int index = 0; index < count; index++) (*answers)[index].resp = strdup(data);
    return PAM_SUCCESS;
}

int main(int count, char **words) {
    struct pam_conv conversation = {converse, count > 4 ? words[4] : NULL};
    pam_handle_t *pam = NULL;
    if (count != 5 || pam_start(words[1], words[2], &conversation, &pam) != PAM_SUCCESS) return 2;
    int status = pam_authenticate(pam, 0);
    if (status == PAM_SUCCESS) status = pam_set_item(pam, PAM_USER, words[3]);
    if (status == PAM_SUCCESS) status = pam_open_session(pam, 0);
    if (status == PAM_SUCCESS) status = pam_close_session(pam, 0);
    return pam_end(pam, status) == PAM_SUCCESS && status == PAM_SUCCESS ? 0 : 1;
}
PROGRAM
"$(toolchain_folder)/clang" -Wall -Wextra -Werror -fuse-ld=gold -o "$work/other" "$work/other.c" -lpam
echo "$user-2:x:$uid:$uid::$home:/bin/sh" >>/etc/passwd
"$work/other" look "$user" "$user-2" 'the login password' || die "no session of another"
[ ! -e "$home/given" ] || die "another user's session was given $(cat "$home/given")"
"$work/other" look "$user" "$user" 'the login password' || die "no session"
[ -e "$home/given" ] || die "the user's own session was given nothing"
rm -f "$home/seen" "$home/given"

say "A program of the user's is not run in its place"
mkdir "$home/bin"
printf '#!/bin/sh\ntouch %s/ran\n' "$home" >"$home/bin/security"
chmod 755 "$home/bin/security"
chown -R "$uid:$uid" "$home/bin"
PATH=$home/bin:$PATH login ours 'the login password' || die "$(cat "$work/said")"
[ ! -e "$home/ran" ] || die "the user's program was run"
expect_state unlocked "after a login beside a fake"

say "Another password, another user's, an odd or a long one: the login goes on"
security lock
printf 'the login password\nquite another one\n' | security passcode change --stdin
login ours 'the login password' || die "$(cat "$work/said")"
expect_state locked "after a login with another password"
printf 'quite another one\nthe login password\n' | security passcode change --stdin
security lock
if login ours 'a wrong password'; then die "a wrong password logs in"; fi
expect_state locked "after a login that failed"
# Accepts every password, as a directory service may.
cat >/etc/pam.d/anything <<SERVICE
auth required pam_exec.so expose_authtok quiet /bin/true
auth optional $module program=$work/prefix/bin/security
session required pam_permit.so
session optional $module program=$work/prefix/bin/security
SERVICE
login anything "$(head -c 500 /dev/zero | tr '\0' 'a')" || die "$(cat "$work/said")"
login anything "$(printf '\001\377\303\050%%s%%n\t')" || die "$(cat "$work/said")"
login anything '' || true
expect_state locked "after odd passwords"
security unlock --stdin <<<'the login password'

say "A login makes the login keychain, and unlocks it"
log=$home/.local/state/chatelaine/securityd.log
# The login keychain is unlocked after the answer. From here on the test checks the log.
mark() { said=$(stat -c %s "$log" 2>/dev/null || echo 0); }
# await WORDS: waits until the log has the words.
await() {
    local end=$((SECONDS + 60))
    until tail -c "+$((said + 1))" "$log" 2>/dev/null | grep -q "$1"; do
        [ "$SECONDS" -lt "$end" ] || die "not said: $1"
        sleep 0.05
    done
}
# An earlier login has made the keychain, or this login makes it.
login ours 'the login password' || die "$(cat "$work/said")"
end=$((SECONDS + 60))
until [ "$(security default-keychain 2>/dev/null)" = "    \"$home/.local/share/chatelaine/keychains/login.keychain-db\"" ]; do
    [ "$SECONDS" -lt "$end" ] || die "no login has made the login keychain: $(tail -n 20 "$log")"
    sleep 0.05
done
security delete-keychain login.keychain
security create-keychain -p 'the login password' login.keychain
security lock
mark
login ours 'the login password' || die "$(cat "$work/said")"
await 'the login keychain was unlocked'
security show-keychain-info login.keychain 2>/dev/null || die "the login keychain is locked"

say "A new password is a new passcode"
printf '%s\n' 'the login password' 'a new Login pass-word 7' 'a new Login pass-word 7' >"$work/lines"
as_root_of_user() { setpriv --ruid "$uid" --rgid "$uid" --clear-groups -- pamtester ours "$user" chauthtok <"$work/lines" >"$work/said" 2>&1; }
mark
as_root_of_user || die "$(cat "$work/said")"
await 'the login keychain has the new password'
security lock
security unlock-keychain -p 'a new Login pass-word 7' login.keychain || die "the login keychain has not followed"
security lock
login ours 'a new Login pass-word 7' || die "$(cat "$work/said")"
expect_state unlocked "after a login with the new password"

say "An expired password is changed at the login"
# expired FROM TO: logs in with a password, changes it, and opens the session.
expired() {
    printf '%s\n' "$1" "$1" "$2" "$2" >"$work/lines"
    setpriv --ruid "$uid" --rgid "$uid" --clear-groups -- \
        pamtester ours "$user" authenticate chauthtok open_session close_session <"$work/lines" >"$work/said" 2>&1
}
security lock
expired 'a new Login pass-word 7' 'yet another Pass-word 8' || die "$(cat "$work/said")"
expect_state unlocked "after a login that has changed the password"
if security passcode status | grep '^wrong tries'; then die "the session was opened with the former password"; fi
expired 'yet another Pass-word 8' 'a new Login pass-word 7' || die "$(cat "$work/said")"

say "A daemon that hangs, a disk that is full, a home that is gone: the login goes on in time"
security lock
pid=$(pgrep -u "$uid" -o -f "$work/prefix/libexec/chatelaine/securityd")
kill -STOP "$pid"
start=$(seconds)
login ours 'a new Login pass-word 7' || die "$(cat "$work/said")"
[ $(($(seconds) - start)) -le 8 ] || die "the login took $(($(seconds) - start)) s"
[ $(($(seconds) - start)) -ge 4 ] || die "nothing hung"
kill -CONT "$pid"
stop_daemons "$work/prefix"
mount -t tmpfs -o size=4k,mode=700,uid=$uid,gid=$uid tmpfs "$home/.local/state/chatelaine"
login ours 'a new Login pass-word 7' || die "$(cat "$work/said")"
umount "$home/.local/state/chatelaine"
mv "$home" "$work/gone"
login ours 'a new Login pass-word 7' || die "$(cat "$work/said")"
[ ! -e "$home" ] || die "a login made a home"
mv "$work/gone" "$home"
service missing program=/nonexistent
login missing 'a new Login pass-word 7' || die "$(cat "$work/said")"
login ours 'a new Login pass-word 7' || die "$(cat "$work/said")"
expect_state unlocked "in the end"

say "Alone in a stack it lets nobody in"
printf 'auth optional %s\n' "$module" >/etc/pam.d/alone
if login alone 'a new Login pass-word 7'; then die "it let somebody in"; fi
printf 'auth sufficient %s\nauth required pam_deny.so\n' "$module" >/etc/pam.d/alone
if login alone 'a new Login pass-word 7'; then die "it let somebody in"; fi
stop_daemons "$work/prefix"
echo "All logins went as they should"
