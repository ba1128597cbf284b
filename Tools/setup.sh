#!/usr/bin/env bash
# Makes sure that what the build needs is there, and installs missing Debian packages where it may.
#
#   Tools/setup.sh          what building needs
#   Tools/setup.sh --tests  what `make test` needs besides, and, where it may install them, what lets it test more
#
# It looks for the things themselves, not for package names: other distributions have them under other names, and then
# nothing is to be done.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

command -v swift >/dev/null || die "there is no swift in PATH. Install Swift 6.2 or later: https://www.swift.org/install/linux/"
tools=$(toolchain_folder)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Whether the toolchain's clang finds a header of the given language.
finds_header() { printf '#include <%s>\n' "$2" | "$tools/clang" -x "$1" -fsyntax-only - 2>/dev/null; }
# Whether Swift can link a program; needs the C library's start files, libgcc, libstdc++ and the linker gold.
links() {
    printf 'print(1)\n' >"$scratch/empty.swift"
    swiftc -o "$scratch/empty" "$scratch/empty.swift" >"$scratch/log" 2>&1
}

# Fills `missing` with Debian's names of what is not there.
look() {
    missing=()
    command -v git >/dev/null || missing+=(git ca-certificates)
    finds_header c stdlib.h || missing+=(libc6-dev)
    # BoringSSL, inside swift-crypto, has C++ in it.
    finds_header c++ string || missing+=(libstdc++-12-dev)
    [ ${#missing[@]} -gt 0 ] || links || missing+=(binutils libstdc++-12-dev)
    finds_header c sqlite3.h || missing+=(libsqlite3-dev)
    if [ "$tests" = --tests ]; then
        command -v python3 >/dev/null || missing+=(python3)
        command -v pkg-config >/dev/null || missing+=(pkg-config)
        command -v nm >/dev/null || missing+=(binutils)
        command -v shellcheck >/dev/null || missing+=(shellcheck)
    fi
}

# Fills `wanted` with what tests can do without: where it is not, they say that they skip something.
look_further() {
    local tool
    wanted=()
    [ "$tests" = --tests ] || return 0
    for tool in "${further[@]}"; do command -v "${tool%%:*}" >/dev/null || wanted+=("${tool#*:}"); done
}
# Command and package: shells that complete, what checks manual pages, what makes packages and a clean system to try them in.
further=(zsh:zsh fish:fish groff:groff man:man-db mandoc:mandoc dpkg-gencontrol:dpkg-dev strip:binutils chrpath:chrpath
    mmdebstrap:mmdebstrap)

tests=${1-}
look
look_further
if [ ${#wanted[@]} -gt 0 ] && command -v apt-get >/dev/null && [ "$(id -u)" -eq 0 ]; then
    missing+=("${wanted[@]}")
fi
[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
    die "missing, by Debian's package names: ${missing[*]}. Install what your distribution has for them."
fi
if [ "$(id -u)" -ne 0 ]; then
    printf 'sudo apt-get install -y --no-install-recommends %s\n' "${missing[*]}" >&2
    die "packages are missing; run the line above, then make again"
fi
say "Installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y --no-install-recommends "${missing[@]}"
look
if [ ${#missing[@]} -gt 0 ]; then
    [ ! -e "$scratch/log" ] || cat "$scratch/log" >&2
    die "still missing after the installation: ${missing[*]}"
fi
