#!/usr/bin/env bash
# Checks that all needed programs and libraries exist (Tools/needs.tsv), and installs missing Debian packages if it may.
#
#   Tools/setup.sh          the needs of a build
#   Tools/setup.sh --tests  also the needs of `make test`; where it may install, also those of optional tests
#
# It looks for the programs and libraries themselves, not for packages, whose names differ in other distributions.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case ${1-} in
'') needs=" build " ;;
--tests) needs=" build tests further " ;;
*) die "unknown option: $1" ;;
esac
# Some of the programs are for administrators, and not in every user's PATH.
PATH=$PATH:/usr/sbin:/sbin
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
swift=$(command -v swift) || die "there is no swift in PATH. Install Swift 6.2 or later: https://www.swift.org/install/linux/"
# If one of its libraries is missing, swift cannot print its folder; then the folder of the command has to do.
if ! swift -print-target-info >/dev/null 2>"$scratch/words"; then
    tools=$(dirname "$(readlink -f "$swift")")
    # A version manager's swift has no other Swift programs beside it, so the toolchain cannot be found.
    [ -x "$tools/swift-frontend" ] || die "swift does not start: $(cat "$scratch/words")"
else
    tools=$(toolchain_folder)
fi
# The toolchain's libraries, and the programs that this project calls or that call one another.
libraries=$tools/../lib/swift/linux
programs=("$tools"/{swift,swift-frontend,swift-package,swift-format,clang,ld.lld} "$libraries"/*.so)

# Fills `absent` with the libraries that these files need and the loader does not find.
look_for_libraries() {
    mapfile -t absent < <({ LD_LIBRARY_PATH=$libraries ldd "${programs[@]}" 2>/dev/null || true; } |
        sed -n 's/^[[:space:]]*\([^ ]*\) => not found.*/\1/p' | sort -u)
}
has() {
    case $1 in
    command | suite) type -P "$2" >/dev/null ;;
    file) [ -e "$2" ] ;;
    header) finds_header c "$2" ;;
    header-c++) finds_header c++ "$2" ;;
    library) [[ " ${absent[*]} " != *" $2 "* ]] ;;
    *) die "Tools/needs.tsv: unknown kind: $1" ;;
    esac
}
# Whether the toolchain's clang finds a header of the given language.
finds_header() { printf '#include <%s>\n' "$2" | "$tools/clang" -x "$1" -fsyntax-only - >/dev/null 2>&1; }

# Fills `missing` with the packages for missing needs, and `wanted` with those for optional needs of tests.
look() {
    local need package kind names name
    missing=() wanted=()
    look_for_libraries
    while IFS=$'\t' read -r need package kind names; do
        [[ $needs == *" $need "* ]] || continue
        for name in $names; do
            if has "$kind" "$name"; then continue; fi
            if [ "$need" = further ]; then wanted+=("$package"); else missing+=("$package"); fi
        done
    done < <(grep -v '^#' "$root/Tools/needs.tsv")
    # Lists each package once; it may serve several needs.
    mapfile -t missing < <([ ${#missing[@]} -eq 0 ] || printf '%s\n' "${missing[@]}" | sort -u)
    mapfile -t wanted < <([ ${#wanted[@]} -eq 0 ] || printf '%s\n' "${wanted[@]}" | sort -u)
}

# All known needs are met. Tries Swift itself, and shows its messages.
try_swift() {
    local library
    for library in "${absent[@]}"; do
        grep -qw "$library" "$root/Tools/needs.tsv" || die "Swift's own programs need $library. Install the package that has it, and add it to Tools/needs.tsv."
    done
    swift -print-target-info >/dev/null || die "swift does not start; above is what it says"
    printf 'print(1)\n' >"$scratch/empty.swift"
    swiftc -o "$scratch/empty" "$scratch/empty.swift" >"$scratch/words" 2>&1 ||
        die "Swift cannot link a program, although all that it is known to need is there: $(cat "$scratch/words")"
}

look
may_install=false
if command -v apt-get >/dev/null && [ "$(id -u)" -eq 0 ]; then may_install=true; fi
packages=("${missing[@]}")
if [ "$may_install" = true ]; then packages+=("${wanted[@]}"); fi
if [ ${#packages[@]} -eq 0 ]; then
    try_swift
    exit
fi

if ! command -v apt-get >/dev/null; then
    die "missing, by Debian's package names: ${packages[*]}. Install what your distribution has for them."
fi
if [ "$may_install" = false ]; then
    printf 'sudo apt-get update && sudo apt-get install -y --no-install-recommends %s\n' "${packages[*]}" >&2
    die "packages are missing; run the line above, then make again"
fi
say "Installing ${packages[*]}"
export DEBIAN_FRONTEND=noninteractive
# Continues even if an archive cannot be reached: apt may still know the package, and the installation decides.
apt-get update || true
# Another installation may be under way, as on a machine that has just been set up.
apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=120 "${packages[@]}" ||
    die "apt-get cannot install what is missing (above is why); Debian's archive must be reachable. Missing: ${packages[*]}"
look
[ ${#missing[@]} -eq 0 ] || die "still missing after the installation: ${missing[*]}"
try_swift
