#!/usr/bin/env bash
# Searches each fuzz target for five seconds; `make fuzz SECONDS=600` searches longer.
set -euo pipefail
exec "$(dirname "${BASH_SOURCE[0]}")/../Tools/fuzz.sh" "${CHATELAINE_FUZZ_SECONDS:-5}"
