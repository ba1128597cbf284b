#!/usr/bin/env bash
# Has Java's keytool and GnuTLS's certtool read files of keys of ours, and reads theirs. Not part of make test: both are much to install.
#
#   make interop
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../Tools/common.sh"

# Each test is left out where its program is missing; with none of them nothing would be tested.
found=0
for program in keytool certtool; do
    if type -P "$program" >/dev/null; then found=$((found + 1)); else echo "without $program: install default-jre-headless or gnutls-bin" >&2; fi
done
[ "$found" -gt 0 ] || die "there is neither keytool nor certtool"
export CHATELAINE_INTEROP=1
swift test --package-path "$root" --filter KeyFormatsTests.InteropTests
