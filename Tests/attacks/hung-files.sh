#!/usr/bin/env bash
# Blocks looks at itself by its own file system, which no longer answers, in every possible way, from 30 processes
# expected: fails
set -euo pipefail
# Runs in its own mount namespace, which removes the mounts when it ends.
if [ "$(id -u)" -eq 0 ] && [ -z "${ATTACK_MOUNTS_ALONE-}" ]; then
    ATTACK_MOUNTS_ALONE=1 exec unshare --mount --propagation private bash "${BASH_SOURCE[0]}"
fi
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

device=/dev/fuse
folder=$home/files
user mkdir -p "$folder"
if [ "$(id -u)" -eq 0 ]; then
    # The device is open to every user, as an administrator may set it up.
    mkdir "$ATTACK_FOLDER/devices"
    mount -t tmpfs -o mode=755 attack "$ATTACK_FOLDER/devices"
    device=$ATTACK_FOLDER/devices/fuse
    mknod -m 666 "$device" c 10 229
fi
keep_item
evil=$(application evil)
pid=$(daemon_pid)
mkfifo "$ATTACK_FOLDER/input"
tried=0

# try_way PLACE WAY: makes the attack. PLACE is `seen` for a file system that all processes see, as fusermount mounts it, and
# `own` for one in the attacker's namespaces.
try_way() {
    local place=$1 way=$2 hung answer threads number
    local words=(hang "$way" "$socket" 30 "$device" "$folder")
    : >"$ATTACK_FOLDER/held"
    if [ "$place" = seen ]; then
        "$evil" "${words[@]}" "$ATTACK_USER" <"$ATTACK_FOLDER/input" >"$ATTACK_FOLDER/held" &
    else
        user "$evil" "${words[@]}" <"$ATTACK_FOLDER/input" >"$ATTACK_FOLDER/held" &
    fi
    hung=$!
    exec 8>"$ATTACK_FOLDER/input"
    await test -s "$ATTACK_FOLDER/held"
    if grep '^no file system' "$ATTACK_FOLDER/held"; then
        exec 8>&-
        wait "$hung"
        return
    fi
    control "looking at such a file blocks" await grep -q '^kept 2$' "$ATTACK_FOLDER/held"
    control "the processes make requests" await grep -q '^hung$' "$ATTACK_FOLDER/held"
    user timeout 20 "$keeper" calls "$socket" 2 >"$ATTACK_FOLDER/calls" || succeeds "$place $way: calls do not return"
    for number in 1 2 3; do
        answer=$(user timeout 10 "$keeper" ask "$socket" find) || true
        equal "$answer" "find 0 s3cret of ada" || succeeds "$place $way: program $number is not served"
    done
    all_calls_succeeded
    threads=$(threads_of "$pid")
    echo "$place $way: $(cat "$ATTACK_FOLDER/calls"), $threads threads, $(helper_pids | wc -l) helpers"
    exec 8>&-
    wait "$hung"
    if [ "$place" = seen ]; then umount -l "$folder"; fi
    tried=$((tried + 1))
}

for way in program exec memory; do
    try_way own "$way"
    if [ "$(id -u)" -eq 0 ]; then try_way seen "$way"; fi
done
[ "$tried" -gt 0 ] || { echo "needs a kernel with FUSE, and root or user namespaces" && exit "$ATTACK_SKIPPED"; }
equal "$pid" "$(daemon_pid)" || succeeds "securityd ended"
expect_untouched
fails "file systems that do not answer delay no program"
