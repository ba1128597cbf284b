#!/usr/bin/env bash
# Tests that Java's keytool and GnuTLS's certtool read Chatelaine's files of keys, and the reverse. Not part of make
# test, since both tools are large to install.
#
#   make interop
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../Tools/common.sh"

# Each test is skipped if its program is missing; without both programs nothing would be tested.
found=0
for program in keytool certtool; do
    if type -P "$program" >/dev/null; then found=$((found + 1)); else echo "without $program: install default-jre-headless or gnutls-bin" >&2; fi
done
[ "$found" -gt 0 ] || die "there is neither keytool nor certtool"
export CHATELAINE_INTEROP=1
swift build "${build_flags[@]}" --package-path "$root" --build-tests
run_tests '^KeyFormatsTests\.InteropTests/'
