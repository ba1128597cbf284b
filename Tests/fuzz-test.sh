#!/usr/bin/env bash
# Searches each fuzz target for ten seconds; `make fuzz SECONDS=600` searches longer.
set -euo pipefail
exec "$(dirname "${BASH_SOURCE[0]}")/../Tools/fuzz.sh" "${CHATELAINE_FUZZ_SECONDS:-10}"
