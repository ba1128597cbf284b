#!/usr/bin/env bash
# Checks the form of everything: Swift, shell, generated files. Changes nothing.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

say "Format of Swift files"
# The client packages under Tests/Faces/Clients imitate other people's code, with its style.
git ls-files -z -- '*.swift' ':!Tests/Faces/Clients' | xargs -0 swift format lint --strict --parallel
say "Shell scripts"
# Fewer files at once would read the common ones too often.
git ls-files -z -- '*.sh' .ci/run | xargs -0 -P "$(nproc)" -n 40 shellcheck --external-sources
say "Generated constants"
Tools/generate-constants --check
