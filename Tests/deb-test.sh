#!/usr/bin/env bash
# Makes the Debian packages, and tests them in a clean Debian: install, use as an ordinary user, upgrade, remove, purge.
# A program with a package of its own is upgraded there, too. A build runs over SSH, as on a machine without a screen.
#
#   CONFIGURATION=release Tests/deb-test.sh    (debug unless said)
#
# It needs root and the right to mount file systems, and is skipped without them. Everything is in its own mount and
# process namespaces, on a file system in memory, which all end with the test.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../Tools/common.sh"
# shellcheck source=Tests/clean-system.sh
source "$(dirname "${BASH_SOURCE[0]}")/clean-system.sh"

configuration=${CONFIGURATION:-debug}

skip() {
    echo "SKIPPED: optional: $*"
    exit 0
}

if [ "${1-}" != inside ]; then
    for tool in dpkg-gencontrol chrpath strip; do
        command -v "$tool" >/dev/null || skip "packages are not tried, since $tool is not here"
    done
    obstacle=$(clean_system_obstacle)
    [ -z "$obstacle" ] || skip "packages are not tried in a clean system: $obstacle"
    make -s -C "$root" build CONFIGURATION="$configuration"

    say "Packages, twice from the same source"
    # The compression is fast; the size does not matter.
    export COMPRESSION=gzip COMPRESSION_LEVEL=1
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    REVISION=1 "$root/Tools/deb.sh" "$configuration" "$folder/first" >/dev/null
    REVISION=1 "$root/Tools/deb.sh" "$configuration" "$folder/again" >/dev/null
    diff -r "$folder/first" "$folder/again" || die "the same source gave other packages"
    REVISION=2 "$root/Tools/deb.sh" "$configuration" "$folder/second" >/dev/null
    unshare --mount --propagation private --pid --fork --kill-child bash "${BASH_SOURCE[0]}" inside "$folder"
    exit
fi

packages=$2
system=$packages/system
# The /proc of this namespace, for programs that search for processes.
mount -t proc proc /proc
mkdir "$system"
mount -t tmpfs -o size=1g,mode=755 none "$system"
all=(libchatelaine1 libchatelaine-dev chatelaine-daemons chatelaine-tool libpam-chatelaine)

say "A clean Debian"
make_clean_system "$system"
mount -t proc proc "$system/proc"
mount -t tmpfs none "$system/tmp"
chmod 1777 "$system/tmp"
in_system() { chroot "$system" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
as_user() { chroot --userspec=anna "$system" /usr/bin/env -i PATH=/usr/bin:/bin LANG=C.UTF-8 HOME=/home/anna "$@"; }
apt() { in_system apt-get -qq --yes --no-install-recommends -o Dpkg::Use-Pty=0 "$@" >"$packages/log" 2>&1 || die "apt-get $*: $(cat "$packages/log")"; }
# Installs the packages of one revision from files; apt-get takes a word with a slash as a path.
install_packages() {
    local paths=("$system"/packages/*"-$1"_*.deb)
    apt install "${paths[@]/#"$system"/}"
}
in_system useradd --create-home anna
# Lists the files of the system, without users' files and without those that packages are expected to write.
files() { (cd "$system" && find . -xdev \( -path ./home -o -path ./tmp -o -path ./proc -o -path ./packages \) -prune -o ! -type d -print |
    grep -vE '^\./(var/(log|cache|lib/(dpkg|apt))|etc/ld\.so\.cache)' | LC_ALL=C sort); }
# Lists the user's own files, without SQLite's temporary files.
own() { (cd "$system/home/anna/.local" && find . -type f ! -name '*-wal' ! -name '*-shm' | LC_ALL=C sort); }
daemons() { pgrep -f '^/usr/libexec/chatelaine/securityd' || true; }
await_no_daemon() {
    local attempt
    for attempt in {1..100}; do
        [ -n "$(daemons)" ] || return 0
        sleep 0.1
    done
    die "after $attempt looks the daemon still runs: $(daemons)"
}
expect() {
    local expected=$1 given
    shift
    given=$("$@" 2>&1) || die "$*: status $?: $given"
    [ "$given" = "$expected" ] || die "$* says: $given"
}
mkdir "$system/packages"
cp "$packages"/first/*.deb "$packages"/second/*.deb "$system/packages"

apt update
# Dependencies stay installed after a removal, so only the packages' own files are compared.
apt install libargon2-1 libcurl4 libsqlite3-0 libssl3 libstdc++6 libzxcvbn0
files >"$packages/before"

say "Install"
install_packages 1
# The program, and the programs of a debug build, need Swift's libraries at the path where they are on this machine.
swiftc -o "$packages/keeper" -I "$system/usr/lib/swift/chatelaine" -L "$system/usr/lib" \
    "$root"/Examples/PasswordKeeper/Sources/PasswordKeeper/*.swift
{
    ldd "$packages/keeper"
    if [ "$configuration" = debug ]; then ldd "$system"/usr/bin/security "$system"/usr/libexec/chatelaine/*; fi
} | sed -n 's|.* => \(/.*/swift/linux/.*\) (.*|\1|p' | sort -u >"$packages/runtime"
while read -r library; do install -D "$library" "$system$library"; done <"$packages/runtime"
install -D "$packages/keeper" "$system/home/keeper"
for file in /usr/lib/libSecurity.so /usr/lib/libSecurity.so.1 /usr/lib/swift/chatelaine/Security.swiftmodule /usr/libexec/chatelaine/enclaved /usr/libexec/chatelaine/keyd /usr/libexec/chatelaine/security-agent \
    /usr/libexec/chatelaine/trustd /usr/libexec/chatelaine/formatd /usr/libexec/chatelaine/fetchd /usr/libexec/chatelaine/security-sign \
    /usr/share/man/man1/security.1.gz /usr/share/bash-completion/completions/security \
    /usr/share/zsh/vendor-completions/_security /usr/share/doc/chatelaine-tool/copyright \
    /usr/share/doc/chatelaine-daemons/Documentation/from-c.md /usr/share/chatelaine/interpreters /usr/share/chatelaine/CryptoKit/Package.swift; do
    [ -s "$system$file" ] || die "not installed: $file"
done
"$root/Tests/links.sh" "$system/usr/share/doc/chatelaine-daemons"
if in_system dpkg-query --listfiles libchatelaine1 | grep 'lib/libSecurity.so$'; then
    die "the name for linkers is not for those who only run programs"
fi
readelf -d "$packages/keeper" | grep 'NEEDED.*\[libSecurity.so.1\]' >/dev/null || die "a program needs the library by another name"
in_system ldconfig -p | grep 'libSecurity.so.1 ' >/dev/null || die "ldconfig does not know the library"
[ -L "$system/etc/systemd/user/sockets.target.wants/chatelaine.socket" ] || die "the socket is not enabled for users"
if find "$system/usr" -path '*chatelaine*' ! -type l -perm /022 | grep .; then die "others may write to the files above"; fi
for program in enclaved keyd security-agent trustd formatd fetchd; do
    [ "$(stat -c %a "$system/usr/libexec/chatelaine/$program")" = 711 ] || die "others can read $program, and trace it"
done
in_system dpkg --verify "${all[@]}"

say "Use, as an ordinary user"
printf %s 'correct horse' | as_user security item add --service mail --account anna --stdin
expect 'correct horse' as_user security item find --service mail --account anna --secret
expect stored as_user sh -c 'echo "battery staple" | /home/keeper set bot'
expect 'battery staple' as_user /home/keeper get bot
[ -n "$(daemons)" ] || die "no daemon was started"
first=$(daemons)

say "Upgrade, with the daemon running"
install_packages 2
for package in "${all[@]}"; do
    in_system dpkg-query --show "$package" | grep -q -- '-2$' || die "$package was not upgraded"
done
expect 'correct horse' as_user security item find --service mail --account anna --secret
[ "$(daemons)" != "$first" ] || die "the daemon of before the upgrade still serves"
expect 'battery staple' as_user /home/keeper get bot

# A program that only root can replace is known by its path, and any other one by its content (decision 2).
say "Upgrade of a program, by a package of its own"
# Makes a package of the keeper. Its file has other bytes in each version.
program_package() {
    local folder=$packages/program-$1 program=$packages/program-$1/usr/bin/password-keeper
    install -D "$packages/keeper" "$program"
    echo "version $1" >>"$program"
    mkdir "$folder/DEBIAN"
    cat >"$folder/DEBIAN/control" <<CONTROL
Package: password-keeper
Version: $1
Architecture: $(dpkg-architecture -qDEB_HOST_ARCH)
Maintainer: Nobody <nobody@example.org>
Description: program that keeps passwords
CONTROL
    dpkg-deb --root-owner-group -Zgzip -z1 --build "$folder" "$system/packages/password-keeper_$1.deb" >/dev/null
}
install_program() { in_system dpkg --install "/packages/password-keeper_$1.deb" >"$packages/log" 2>&1 || die "dpkg: $(cat "$packages/log")"; }
program=/usr/bin/password-keeper own_program=/home/anna/password-keeper
# Expects that a program is refused, since its content is another program's.
expect_refusal() {
    local said
    if said=$(as_user "$@" 2>&1); then die "$*: a changed program reads: $said"; fi
    [[ $said == *'(-25293)'* ]] || die "$* is not refused as a changed program: $said"
}
program_package 1
program_package 2
install_program 1
expect stored as_user sh -c "echo 'tea leaves' | $program set pot"
# One that was started before the upgrade waits for its password, and calls the keychain only then.
mkfifo "$packages/late"
as_user "$program" set kettle <"$packages/late" >"$packages/said" 2>&1 &
waiting=$!
exec {late}>"$packages/late"
for attempt in {1..100}; do
    if pgrep -f "^$program set kettle" >/dev/null; then break; fi
    [ "$attempt" -lt 100 ] || die "the program does not start: $(cat "$packages/said")"
    sleep 0.1
done
before=$(sha256sum <"$system$program")
install_program 2
[ "$(sha256sum <"$system$program")" != "$before" ] || die "the upgrade left the program as it was"
expect 'tea leaves' as_user "$program" get pot
echo 'hot water' >&"$late"
exec {late}>&-
wait "$waiting" || die "the program of before the upgrade: $(cat "$packages/said")"
expect 'hot water' as_user "$program" get kettle
# The same change by hand, of a program that its user can write to.
as_user cp "$program" "$own_program"
expect stored as_user sh -c "echo mine | $own_program set cup"
expect mine as_user "$own_program" get cup
as_user sh -c "echo changed >>$own_program"
expect_refusal "$own_program" get cup
# At the package's path, too: there it is another program as soon as root is not alone in writing to it.
in_system chown anna "$program"
as_user sh -c "echo changed >>$program"
if said=$(as_user "$program" get pot 2>&1); then die "a program that its user has changed reads: $said"; fi
[ "$said" = 'not found' ] || die "a program that its user has changed says: $said"
install_program 2
expect 'tea leaves' as_user "$program" get pot
in_system dpkg --purge password-keeper >"$packages/log" 2>&1 || die "dpkg --purge: $(cat "$packages/log")"

say "Remove, and purge"
own >"$packages/own"
apt remove "${all[@]}"
await_no_daemon
# apt-get no longer knows a removed package that came from a file.
in_system dpkg --purge "${all[@]}" >"$packages/log" 2>&1 || die "dpkg --purge: $(cat "$packages/log")"
while read -r library; do rm "$system$library"; done <"$packages/runtime"
files | diff "$packages/before" - || die "the files above are left behind, or gone"
if (cd "$system" && find etc usr var/lib run -name '*chatelaine*' | grep .); then die "the folders above are left behind"; fi
own | comm -23 "$packages/own" - >"$packages/lost"
[ ! -s "$packages/lost" ] || die "files of the user are gone: $(cat "$packages/lost")"

say "Install again: what the user had is still there"
install_packages 2
while read -r library; do install -D "$library" "$system$library"; done <"$packages/runtime"
expect 'correct horse' as_user security item find --service mail --account anna --secret
expect 'battery staple' as_user /home/keeper get bot

# Runs after all comparisons of files, since the SSH server writes some.
say "A build's keychain, over SSH"
printf '#!/bin/sh\nexit 101\n' >"$system/usr/sbin/policy-rc.d"
chmod 755 "$system/usr/sbin/policy-rc.d"
apt install openssh-server openssh-client openssl
mkdir -p "$system/run/sshd"
# An account whose password was never set is locked and has no sessions; one without password login has.
in_system usermod --password '*' anna
in_system ssh-keygen -q -t ed25519 -N '' -f /root/key
install -D -m 600 "$system/root/key.pub" "$system/home/anna/.ssh/authorized_keys"
in_system chown -R anna: /home/anna/.ssh
# Server and client communicate through pipes, without a port of this machine.
over_ssh() {
    in_system ssh -q -i /root/key -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null \
        -o ProxyCommand='/usr/sbin/sshd -i -e -o UsePAM=no 2>/root/sshd.log' anna@build "$@"
}
expect 'anna' over_ssh id -un
as_user openssl req -x509 -newkey rsa:2048 -nodes -keyout /tmp/build.key -out /tmp/build.pem -days 2 -subj '/CN=Apple Distribution: Anna' \
    -addext keyUsage=critical,digitalSignature -addext extendedKeyUsage=codeSigning 2>/dev/null
as_user openssl pkcs12 -export -inkey /tmp/build.key -in /tmp/build.pem -out /home/anna/build.p12 -passout pass:pw -name Anna
rm "$system"/tmp/build.*
own >"$packages/own"
# No command may wait for an answer, and any failure ends the script.
over_ssh timeout 60 sh -eu <<'SCRIPT' >"$packages/log" 2>&1 || die "the build's script: $(cat "$packages/log" "$system/root/sshd.log")"
security create-keychain -p ci build.keychain
security default-keychain -s build.keychain
security unlock-keychain -p ci build.keychain
security set-keychain-settings -lut 3600 build.keychain
security list-keychains -d user -s build.keychain
security add-generic-password -a bot -s deploy -w 's3cret' -T /usr/bin/security build.keychain
security set-generic-password-partition-list -S apple-tool:,apple: -s deploy -k ci build.keychain >/dev/null
test "$(security find-generic-password -a bot -s deploy -w build.keychain)" = s3cret
security import build.p12 -k build.keychain -P pw -T /usr/bin/codesign
security set-key-partition-list -S apple-tool:,apple: -s -k ci build.keychain >/dev/null
security find-identity -p codesigning build.keychain | grep 'Apple Distribution: Anna'
security -i <<'VERBS'
lock-keychain build.keychain
unlock-keychain -p ci build.keychain
VERBS
security delete-keychain build.keychain
SCRIPT
rm "$system/home/anna/build.p12"
# The search list and the default keychain stay set, as on macOS.
own | grep -v '/keychain-preferences$' | diff <(grep -v '/keychain-preferences$' "$packages/own") - || die "the build left the files above behind"
# Another session of the same user requests a locked item, where no prompt is possible.
if over_ssh 'security create-keychain -p ci other.keychain && security lock-keychain other.keychain && security add-generic-password -a bot -s deploy -w x other.keychain' \
    </dev/null >"$packages/log" 2>&1; then die "a locked keychain took a password"; fi
grep -q 'security: ' "$packages/log" || die "nothing says why: $(cat "$packages/log")"
