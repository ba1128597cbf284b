#!/usr/bin/env bash
# Runs a command in a world in which nothing can be called by its name but what Tools/needs.tsv lists, and Swift.
#
#   Tools/closed-path.sh COMMAND…
#
# `make test` runs in it. On a machine that has everything, a test that calls what set-up does not bring would succeed, and fail on a
# new one; here it fails everywhere. Programs that run others of their package have the whole PATH.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Some of it is for administrators, and not in everybody's PATH.
PATH=$PATH:/usr/sbin:/sbin
# Below a folder that every user may look into: tests become other users.
folder=$(mktemp -d /tmp/chatelaine-path.XXXXXX)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"

offer() {
    local kind=$1 name=$2 program
    program=$(type -P "$name") || return 0
    # A script that stands in for a program, as those of version managers do, looks for it in the whole PATH, too.
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
