#!/usr/bin/env bash
# Writes manual pages and shell completions to Packaging, from the help of the programs and from Documentation. A second
# run changes nothing. A test fails where the pages are outdated.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

swift build "${build_flags[@]}" --package-path "$root" --product generate-pages
"$(swift build --package-path "$root" --show-bin-path)/generate-pages" "$root"
