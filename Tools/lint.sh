#!/usr/bin/env bash
# Checks the form of everything: Swift, shell, generated files. Changes nothing.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

say "Format of Swift files"
# The client packages under Tests/Faces/Clients imitate other people's code, with its style.
git ls-files -z -- '*.swift' ':!Tests/Faces/Clients' | xargs -0 swift format lint --strict --parallel
# The formatter leaves comments as they are.
if git ls-files -z -- '*.swift' ':!Tests/Faces/Clients' | LC_ALL=C.UTF-8 xargs -0 grep -nP '^(?=\s*//).{121,}$'; then
    die "the comments above are longer than a line of 120 characters"
fi
# shellcheck disable=SC2016 # The dollar signs are awk's.
imports=$(git ls-files -z -- '*.swift' | xargs -0 awk '
    FNR == 1 { delete seen }
    $1 == "import" && seen[$2]++ { print FILENAME ": " $2 }')
[ -z "$imports" ] || die "these are imported twice: $imports"
say "Shell scripts"
# Fewer files at once would read the common ones too often.
git ls-files -z -- '*.sh' .ci/run | xargs -0 -P "$(nproc)" -n 40 shellcheck --external-sources
say "Generated constants"
Tools/generate-constants --check
