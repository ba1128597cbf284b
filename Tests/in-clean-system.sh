#!/usr/bin/env bash
# Runs a command in a clean system (Tests/clean-system.sh) as on its own machine.
#
# The system has its own mounts, processes and terminals. The command is root of its own root file system
# (pivot_root(2)); a chroot would have no user namespaces.
#
#   Tests/in-clean-system.sh FOLDER COMMAND…
#
# Swift's toolchain is mounted read-only. git has this machine's settings for the addresses of packages. OFFLINE=1
# disables the network.
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
# The root of the new system sees only these mounts.
mount --bind "$system" "$system"
bind() {
    mkdir -p "$system$1"
    mount --bind "$1" "$system$1"
    mount -o remount,bind,ro "$system$1"
}
mount -t proc proc "$system/proc"
# The network settings in /sys belong to the owner of the network namespace.
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
# The new system may have no umount, so the old system's is used.
chroot /outside umount --lazy /
rmdir /outside
# A shell reaps orphaned processes, as the first process of a machine must.
exec env -i "${variables[@]}" bash -c '"$@"; exit' - "$@"
