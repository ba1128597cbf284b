#!/usr/bin/env bash
# Has Java's keytool and GnuTLS's certtool read files of keys of ours, and reads theirs. Not part of make test: both are much to install.
#
#   make interop
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../Tools/common.sh"

export CHATELAINE_INTEROP=1
swift test --package-path "$root" --filter KeyFormatsTests.InteropTests
