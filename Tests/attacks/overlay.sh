#!/usr/bin/env bash
# Runs the dynamic loader as a deleted file of a trusted folder, from an overlay that is only in the attacker's namespace
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

victim=/usr/bin/tac
loader=$(readlink -f /lib64/ld-linux-x86-64.so.2 /lib/ld-linux-aarch64.so.1 2>/dev/null | head -n 1)
start_daemon
application tool "$security" >/dev/null
application evil >/dev/null
user mkdir "$home/upper" "$home/work" "$home/merged"
user mkfifo "$home/end" "$home/go"
# In the overlay the loader still belongs to root, but the attacker can delete its name.
cat >"$home/overlay.sh" <<'SCRIPT'
set -e
mount -t overlay overlay -o "lowerdir=$(dirname "$1"),upperdir=$3/upper,workdir=$3/work,userxattr" "$3/merged"
mount --bind "$3/merged/$(basename "$1")" "$2"
exec 3<"$2"
rm -f "$3/merged/$(basename "$1")"
echo $$ >"$3/pid"
read -r _ <"$3/end"
SCRIPT
user unshare -Urm sh "$home/overlay.sh" "$loader" "$victim" "$home" &
await test -s "$home/pid"
namespace=$(cat "$home/pid")
# This runs in the namespaces of all other processes.
got=$(user sh -c 'exec "$@"' sh "/proc/$namespace/fd/3" "$home/tool" status) || true
# shellcheck disable=SC2016 # The inner shell's own number.
user sh -c 'echo $$ >"$HOME/asker" && exec "$@"' sh "/proc/$namespace/fd/3" "$home/evil" later "$socket" <>"$home/go" \
    >"$home/answer" &
shown() { readlink "/proc/$(cat "$home/asker")/exe"; }
is_deleted() { case $(shown) in *" (deleted)") ;; *) return 1 ;; esac; }
await is_deleted
control "the kernel shows the victim, deleted" equal "$(shown)" "$victim (deleted)"
control "the program ran" contains "$got" caller
echo end >"$home/end"
is_unmounted() { [ "$(shown)" = "/ (deleted)" ]; }
await is_unmounted
echo go >"$home/go"
wait
case $got in *"path:$victim"*) succeeds "$(grep -A3 identifier <<<"$got")" ;; esac
# A program known as "path:/" would find nothing (-25300). An unknown program is refused before any search (-34018).
equal "$(cat "$home/answer")" "find -34018 " || succeeds "the program is known as path:/ afterwards: $(cat "$home/answer")"
fails "$(grep -A3 caller <<<"$got")"
