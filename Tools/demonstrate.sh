#!/usr/bin/env bash
# Shows the main functions on real data. A program written as for iOS stores, updates, finds and deletes passwords;
# another program cannot read the same item, and the files on disk reveal nothing. A tour of the passcode ends it
# (Tools/tour.sh). Everything is in one private folder that is removed afterwards; the user's keychain is not touched.
#
#   Tools/demonstrate.sh release|debug
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

configuration=${1:?release or debug}
# A short path: the name of a Unix socket has room for 107 bytes.
folder=$(mktemp -d /tmp/chatelaine-run.XXXXXX)
prefix=$folder/prefix
export CHATELAINE_HOME=$folder/home
# Must not use the daemons of the user's own installation.
unset CHATELAINE_LIBEXEC

clean_up() {
    local status=$?
    stop_daemons "$prefix" || status=1
    rm -rf "$folder"
    exit "$status"
}
trap clean_up EXIT

# Runs a command and shows it; fails unless it ends with the given status and prints the given text. `input` is its
# standard input.
expect() {
    local status=$1 text=$2 output actual=0
    shift 2
    printf '$ %s%s\n' "${*/#$folder\//}" "${input:+ <<< $input}"
    output=$("$@" 2>&1 <<<"${input-}") || actual=$?
    printf '%s\n' "$output"
    [ "$actual" -eq "$status" ] || die "expected exit status $status, got $actual"
    [ "$output" = "$text" ] || die "expected: $text"
}

say "Installing into a private folder"
"$root/Tools/install.sh" install "$configuration" "$prefix"

say "Building Examples/PasswordKeeper against it, with compiler flags alone"
swift build "${build_flags[@]}" --package-path "$root/Examples/PasswordKeeper" --scratch-path "$folder/build" \
    -Xswiftc -I"$prefix/lib/swift/chatelaine" -Xlinker -L"$prefix/lib" -Xlinker -rpath -Xlinker "$prefix/lib"
first=$folder/PasswordKeeper
second=$folder/OtherProgram
cp "$folder/build/debug/PasswordKeeper" "$first"
cp "$first" "$second"

# Random words, so that finding them in a file proves a leak.
password="correct-horse-$(od -An -N8 -tx8 /dev/urandom | tr -d ' ')"
changed="battery-staple-$(od -An -N8 -tx8 /dev/urandom | tr -d ' ')"
account="anna-$(od -An -N4 -tx4 /dev/urandom | tr -d ' ')@example.org"

say "A program stores, finds and updates a password; securityd starts on its own"
input=$password expect 0 stored "$first" set "$account"
expect 0 "$password" "$first" get "$account"
input=$changed expect 0 stored "$first" set "$account"
expect 0 "$changed" "$first" get "$account"

say "Another program asks for the same item"
expect 1 "not found" "$second" get "$account"
expect 1 "not found" "$second" delete "$account"

say "What is on disk"
(cd "$CHATELAINE_HOME" && find . -type f -printf '%9s bytes  %P\n')
# Proves that the search works: each SQLite file begins with these words in clear.
grep -raqF 'SQLite format 3' "$CHATELAINE_HOME" || die "there is no database in $CHATELAINE_HOME"
for text in "$password" "$changed" "$account" org.example.password-keeper "Password of"; do
    if grep -raqF -- "$text" "$CHATELAINE_HOME"; then die "found in clear: $text"; fi
    echo "in no file: $text"
done

say "The program deletes the password"
expect 0 "$changed" "$first" get "$account"
expect 0 deleted "$first" delete "$account"
expect 1 "not found" "$first" get "$account"

say "A tour of the passcode"
"$root/Tools/tour.sh" "$prefix/bin/security" "$folder"

say "Done. Everything was in $folder, which is now removed"
