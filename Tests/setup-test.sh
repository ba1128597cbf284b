#!/usr/bin/env bash
# Tests setup on a machine with only Debian's essential packages, git, make and Swift.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../Tools/common.sh"
# shellcheck source=Tests/clean-system.sh
source "$(dirname "${BASH_SOURCE[0]}")/clean-system.sh"

obstacle=$(bare_machine_obstacle)
if [ -n "$obstacle" ]; then
    echo "SKIPPED: optional: set-up is not tried on a bare machine: $obstacle"
    exit 0
fi
mkdir -p "$root/.build"
folder=$(mktemp -d "$root/.build/bare-machine.XXXXXX")
trap 'rm -rf "$folder"' EXIT

say "A bare machine"
make_bare_machine "$folder/system"
# in_system COMMAND…: runs a command in the project's folder there; its output goes to `log`.
in_system() { "$root/Tests/in-clean-system.sh" "$folder/system" bash -c "cd $sources_there && \"\$@\"" - "$@" >"$folder/log" 2>&1; }
install -d -o 1000 -g 1000 "$folder/system/home/anna"
as_user=(setpriv --reuid 1000 --regid 1000 --clear-groups --
    env HOME=/home/anna "PATH=$(toolchain_folder):/usr/local/bin:/usr/bin:/bin")
says() { grep -qF -- "$1" "$folder/log" || die "it does not say '$1', but: $(cat "$folder/log")"; }

say "Without a network"
if OFFLINE=1 in_system make setup; then die "nothing can be installed, and it says nothing about it: $(cat "$folder/log")"; fi
says "Debian's archive must be reachable"

say "As an ordinary user"
if in_system "${as_user[@]}" make setup; then die "packages are missing, and it says nothing about it: $(cat "$folder/log")"; fi
says "run the line above"
line=$(grep '^sudo apt-get' "$folder/log") || die "no command is shown: $(cat "$folder/log")"
echo "$line"
# The printed command is complete: after it, nothing is missing.
in_system bash -c "${line//sudo /}" || die "the command that it shows fails: $(cat "$folder/log")"
in_system "${as_user[@]}" make setup || die "once is not enough: $(cat "$folder/log")"
[ ! -s "$folder/log" ] || die "nothing is missing, and it says: $(cat "$folder/log")"

say "As root, for the tests"
in_system Tools/setup.sh --tests || die "$(cat "$folder/log")"
says "==> Installing"
grep '^==>' "$folder/log"
in_system Tools/setup.sh --tests || die "a second time: $(cat "$folder/log")"
[ ! -s "$folder/log" ] || die "nothing is missing, and it says: $(cat "$folder/log")"
# Checks here what setup does not: the programs that optional tests need.
# shellcheck disable=SC2016 # for the shell there
in_system bash -c 'grep -Ev "^(#|bench)" Tools/needs.tsv | while IFS=$'"'\t'"' read -r _ package kind names; do
    case $kind in
    command | suite) for name in $names; do type -P "$name" >/dev/null || echo "$package does not bring $name"; done ;;
    esac
done'
[ ! -s "$folder/log" ] || die "Tools/needs.tsv is wrong: $(cat "$folder/log")"
