#!/usr/bin/env bash
# Runs a command in a clean system (Tests/clean-system.sh) as on a machine of its own: with mounts, processes and terminals that nothing
# outside is part of, and as root of a root file system of its own (pivot_root(2)), where a chroot would have no user namespaces.
#
#   Tests/in-clean-system.sh FOLDER COMMAND…
#
# Swift's toolchain goes along, read-only, and so does what git is told here about where packages come from. OFFLINE=1 leaves the network out.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../Tools/common.sh"
# shellcheck source=Tests/clean-system.sh
source "$(dirname "${BASH_SOURCE[0]}")/clean-system.sh"

if [ "${1-}" != inside ]; then
    exec unshare --mount --propagation private --pid --fork --kill-child ${OFFLINE:+--net} bash "${BASH_SOURCE[0]}" inside "$@"
fi
system=$2
shift 2
# As root of the new system they are all that is there.
mount --bind "$system" "$system"
bind() {
    mkdir -p "$system$1"
    mount --bind "$1" "$system$1"
    mount -o remount,bind,ro "$system$1"
}
mount -t proc proc "$system/proc"
# The network's part of it belongs to whoever owns the network.
mount -t sysfs -o ro sysfs "$system/sys" 2>/dev/null || mount --rbind /sys "$system/sys"
mount -t tmpfs -o mode=755 dev "$system/dev"
for device in null zero full random urandom tty; do
    true >"$system/dev/$device"
    mount --bind "/dev/$device" "$system/dev/$device"
done
mkdir "$system/dev/pts" "$system/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$system/dev/pts"
mount -t tmpfs -o mode=1777 shm "$system/dev/shm"
ln -s pts/ptmx "$system/dev/ptmx"
ln -s /proc/self/fd "$system/dev/fd"
for number in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${number%:*}" "$system/dev/${number#*:}"; done
mount -t tmpfs -o mode=755 run "$system/run"
mkdir -p "$clean_system_cache" "$system/var/cache/apt/archives"
mount --bind "$clean_system_cache" "$system/var/cache/apt/archives"
cp /etc/resolv.conf /etc/hosts "$system/etc/"

tools=$(toolchain_folder)
bind "$(dirname "$tools")"
rm -f "$system/etc/gitconfig"
while IFS= read -r -d '' entry; do
    key=${entry%%$'\n'*}
    git config --file "$system/etc/gitconfig" --add "$key" "${entry#*$'\n'}"
    # url.BASE.insteadOf
    base=${key#url.}
    base=${base%.*}
    if [[ $base == /* && -d $base ]]; then bind "${base%/}"; fi
done < <(git config --null --get-regexp '^(url\..*\.insteadof|http\..*|safe\..*)$')

path=$tools:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
variables=(HOME=/root LANG=C.UTF-8 "PATH=$path")
for name in CI http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
    if [ -n "${!name-}" ]; then variables+=("$name=${!name}"); fi
done
mkdir -p "$system/outside"
cd "$system"
pivot_root . outside
cd /
PATH=$path
# The new system may have no umount; the old one has.
chroot /outside umount --lazy /
rmdir /outside
# A shell waits for whatever is left to it, as the first process of a machine has to.
exec env -i "${variables[@]}" bash -c '"$@"; exit' - "$@"
