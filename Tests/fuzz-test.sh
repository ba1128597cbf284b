#!/usr/bin/env bash
# Searches each fuzz target for five seconds; `make fuzz SECONDS=600` searches longer. And sees that seeds can be written anew: all of them,
# and each of those that the corpus has by a name.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../Tools/common.sh"
cd "$root"

# For so short a search, to optimise takes longer than it wins.
OPTIMISE=-Onone Tools/fuzz.sh "${CHATELAINE_FUZZ_SECONDS:-5}"
programs=(.build-fuzz/chatelaine-fuzz .build-fuzz/chatelaine-fuzz-trust)
# Where the toolchain has no libFuzzer.
[ -x "${programs[0]}" ] || exit 0
seeds=$(mktemp -d)
trap 'rm -rf "$seeds"' EXIT
for program in "${programs[@]}"; do
    # The connection that keeps a log from being emptied is never closed.
    ASAN_OPTIONS=detect_leaks=0 "$program" seeds "$seeds" || die "the seeds cannot be written"
done
# What searches found has the digest of its content for a name.
named() { (cd "$1" && find . -regextype posix-extended -type f ! -regex '.*/[0-9a-f]{40}' -printf '%P\n' | LC_ALL=C sort); }
diff <(named Fuzz/Corpus) <(named "$seeds") >&2 || die "Fuzz/Corpus has other seeds than are written: ${programs[*]} seeds Fuzz/Corpus"
