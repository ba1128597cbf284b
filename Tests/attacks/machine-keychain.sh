#!/usr/bin/env bash
# Another user attacks the machine's keychain: its files and folders, its secrets, locks on its public copy, and ways to make root's daemon write elsewhere
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
needs_root

# The attack has a /var/lib of its own, so that the machine's stays unchanged.
if [ -z "${ATTACK_NAMESPACE-}" ]; then
    exec env ATTACK_NAMESPACE=yes unshare --mount --propagation private bash "${BASH_SOURCE[0]}"
fi
mount -t tmpfs -o mode=755 tmpfs /var/lib
install -d -m 755 /var/lib/chatelaine
public=/var/lib/chatelaine/keychains private=/var/lib/chatelaine/private
file=$public/System.keychain-db key=$private/system-key

roots=$ATTACK_FOLDER/root
install -d -m 700 "$roots"
as_root() {
    env -i HOME="$roots" PATH="$PATH" CHATELAINE_HOME="$roots" CHATELAINE_LIBEXEC="$ATTACK_PREFIX/libexec/chatelaine" "$@"
}
store() { as_root "$security" add-generic-password -s service -a "$1" -w "$2" -A "$file"; }
secret() { as_root "$security" find-generic-password -s service -a "$1" -w "$file"; }

# Root names the machine's default keychain, which every user sees and nobody else changes. That takes the home of
# root's account, with other folders for its files here.
install -d -m 700 "$roots/home/"{data,state,run}
at_home() {
    env -i HOME=~root XDG_DATA_HOME="$roots/home/data" XDG_STATE_HOME="$roots/home/state" \
        XDG_RUNTIME_DIR="$roots/home/run" PATH="$PATH" CHATELAINE_LIBEXEC="$ATTACK_PREFIX/libexec/chatelaine" "$@"
}
control "root names a default keychain" at_home "$security" default-keychain -d system -s "$public/Other.keychain"
kill "$(at_home "$tool" peer "$(cat "$roots/home/data/chatelaine/daemon.lock")")"
start_daemon
control "the user reads it" contains "$(user "$security" default-keychain -d system)" "$public/Other.keychain-db"
if user "$security" default-keychain -d system -s "$file" 2>/dev/null; then succeeds "the machine's default keychain is set"; fi
if as_root "$security" default-keychain -d system -s "$file" 2>/dev/null; then die "a home of its own changes the machine"; fi

control "root stores something" store ada s3cret
control "root reads it" equal "$(secret ada)" s3cret
control "owner and mode of the file" equal "$(stat -c '%a %u' "$file")" "644 0"
control "owner and mode of the folder" equal "$(stat -c '%a %u' "$public")" "755 0"
control "owner and mode of the key file" equal "$(stat -c '%a %u %s' "$key")" "600 0 32"
control "owner and mode of its folder" equal "$(stat -c '%a %u' "$private")" "700 0"

# The user's own daemon may read names, and nothing more.
names=$(user "$security" find-generic-password -s service -a ada "$file" 2>&1) || die "names cannot be read: $names"
control "another user reads names" contains "$names" ada
if user "$security" find-generic-password -s service -a ada -w "$file" >"$ATTACK_FOLDER/said" 2>&1; then succeeds "the secret is read"; fi
if grep -q s3cret "$ATTACK_FOLDER/said" "$file"; then succeeds "the secret is printed or in the file"; fi
if user "$security" add-generic-password -s service -a eve -w x "$file" 2>/dev/null; then succeeds "an item is stored"; fi
if user "$security" delete-generic-password -s service -a ada "$file" 2>/dev/null; then succeeds "an item is deleted"; fi
if user "$security" create-keychain -p x "$public/Other.keychain" 2>/dev/null; then succeeds "a keychain is made there"; fi
if user "$security" delete-keychain "$file" 2>/dev/null; then succeeds "the keychain is deleted"; fi
if user cat "$key" >/dev/null 2>&1; then succeeds "the key file is read"; fi
if user ls "$private" >/dev/null 2>&1; then succeeds "root's folder is read"; fi
standing() { stat -c '%n %i %a %u' "$file" "$key" "$public"/* "$private"/* && sha256sum "$file" "$key"; }
before=$(standing)
for place in "$file" "$key" "$public/x" "$private/x"; do
    # shellcheck disable=SC2016
    user bash -c 'rm -f "$1"; ln -s /etc/passwd "$1"; echo x >>"$1"; chmod 666 "$1"; ln "$1" "$1.2"' change "$place" 2>/dev/null || true
done
[ "$before" = "$(standing)" ] || succeeds "files of the machine's are changed"

# The user locks the public copy while root writes.
user flock --exclusive "$file" sleep 60 &
holder=$!
is_held() { ! flock --nonblock --exclusive "$file" true; }
await is_held
control "root writes despite a lock" store bob other
kill "$holder" 2>/dev/null || true
control "the user reads the new name" contains "$(user "$security" find-generic-password -s service -a bob "$file" 2>&1)" bob

# Root's daemon is killed while it has the keychain open.
control "another item" store dora third
kill -KILL "$(as_root "$tool" peer "$roots/run/securityd.sock")"
control "what was acknowledged is there" equal "$(secret dora)" third
control "the user reads its name" contains "$(user "$security" find-generic-password -s service -a dora "$file" 2>&1)" dora

# Only root may restore a snapshot; the public copy then has the snapshot's names.
as_root "$security" snapshot create --keychain "$file" >/dev/null
snapshot=$(as_root "$security" snapshot list --keychain "$file" | awk 'NR == 2 { print $1 }')
control "one more item" store emil fourth
if user "$security" snapshot restore "$snapshot" --keychain "$file" >/dev/null 2>&1; then succeeds "a snapshot is restored"; fi
control "the user reads its name" contains "$(user "$security" find-generic-password -s service -a emil "$file" 2>&1)" emil
control "root restores the snapshot" as_root "$security" snapshot restore "$snapshot" --keychain "$file"
if user "$security" find-generic-password -s service -a emil "$file" >/dev/null 2>&1; then die "the user reads a name of before the restoration"; fi
control "the user reads a name of the snapshot" contains "$(user "$security" find-generic-password -s service -a dora "$file" 2>&1)" dora
control "it is open" equal "$(secret dora)" third

# Root's daemon must not use such files, even if somebody managed to put them there.
refused() {
    as_root "$security" lock-keychain "$file"
    if secret ada >/dev/null 2>&1; then succeeds "$1 counts"; fi
    if store eve x 2>/dev/null; then succeeds "something is stored although $1"; fi
}
mv "$key" "$private/kept"
mkfifo -m 600 "$key"
refused "a pipe as key file"
rm "$key"
ln -s kept "$key"
refused "a link as key file"
rm "$key"
refused "a missing key file"
[ ! -e "$key" ] || succeeds "another key file is made beside a keychain"
mv "$private/kept" "$key"
control "it opens again" equal "$(secret ada)" s3cret

install -d -m 777 "$ATTACK_FOLDER/elsewhere"
mv "$public" "$public.kept"
ln -s "$ATTACK_FOLDER/elsewhere" "$public"
store carl x 2>/dev/null || true
[ -z "$(ls -A "$ATTACK_FOLDER/elsewhere")" ] || succeeds "root's daemon writes through a link"
rm "$public"
mv "$public.kept" "$public"
control "the keychain still works" equal "$(secret bob)" other
fails "the user can read names and nothing else"
