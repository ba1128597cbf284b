#!/usr/bin/env bash
# Builds the package in Trust and runs its tests: signatures of programs, trustd, and the program that signs.
#
# It has a folder of its own to be built in: swift-certificates does not compile where there is a module named Security.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../Tools/common.sh"

# The folder that Tools/build.sh builds a debug build in, too.
swift test --package-path "$root/Trust" --scratch-path "$root/.build/trust" --quiet
