#!/usr/bin/env bash
# Writes manual pages and completions of shells into Packaging, from what the programs say about themselves and from
# Documentation. A second run changes nothing; a test fails where this is due.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

swift build --package-path "$root" --product generate-pages
"$(swift build --package-path "$root" --show-bin-path)/generate-pages" "$root"
