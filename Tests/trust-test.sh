#!/usr/bin/env bash
# Builds the package in Trust and runs its tests: signatures of programs, trustd, and the program that signs.
#
# It has its own build folder: swift-certificates does not compile beside a module named Security.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../Tools/common.sh"

# The same folder as for the debug build of Tools/build.sh.
swift test "${build_flags[@]}" --package-path "$root/Trust" --scratch-path "$root/.build/trust" --quiet
