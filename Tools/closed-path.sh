#!/usr/bin/env bash
# Runs a command with a PATH that has only the programs in Tools/needs.tsv, and Swift.
#
#   Tools/closed-path.sh COMMAND…
#
# `make test` runs with it, so that a test that calls a program which setup does not install fails on every machine, not
# only on a new one. Programs that run others of their package have the whole PATH.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Some of the programs are for administrators, and not in every user's PATH.
PATH=$PATH:/usr/sbin:/sbin
# Every user may read /tmp; tests run as other users.
folder=$(mktemp -d /tmp/chatelaine-path.XXXXXX)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"

offer() {
    local kind=$1 name=$2 program
    program=$(type -P "$name") || return 0
    # A wrapper script, such as a version manager's, searches the whole PATH for its program.
    if [ "$kind" = suite ] || [ "$(head -c 2 "$program" | tr -d '\0')" = '#!' ]; then
        printf '#!/bin/sh\nPATH=%q exec %q "$@"\n' "$PATH" "$program" >"$folder/$name"
        chmod 755 "$folder/$name"
    else
        ln -s "$program" "$folder/$name"
    fi
}
offer command swift
offer command swiftc
while IFS=$'\t' read -r need _ kind names; do
    case $need-$kind in
    bench-*) ;;
    *-command | *-suite) for name in $names; do offer "$kind" "$name"; done ;;
    esac
done < <(grep -v '^#' "$root/Tools/needs.tsv")
PATH=$folder "$@"
