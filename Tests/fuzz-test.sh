#!/usr/bin/env bash
# Searches each fuzz target for five seconds; `make fuzz SECONDS=600` searches longer. Also checks that all seeds can be
# written anew, among them each named seed of the corpus.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../Tools/common.sh"
cd "$root"

# For so short a search, optimisation costs more time than it saves.
OPTIMISE=-Onone Tools/fuzz.sh "${CHATELAINE_FUZZ_SECONDS:-5}"
programs=(.build-fuzz/chatelaine-fuzz .build-fuzz/chatelaine-fuzz-trust)
# Skipped if the toolchain has no libFuzzer.
[ -x "${programs[0]}" ] || exit 0
seeds=$(mktemp -d)
trap 'rm -rf "$seeds"' EXIT
for program in "${programs[@]}"; do
    # The seeds leave a connection open on purpose, so that the log is not emptied.
    ASAN_OPTIONS=detect_leaks=0 "$program" seeds "$seeds" || die "the seeds cannot be written"
done
# The names of inputs that searches found are digests of their content.
named() { (cd "$1" && find . -regextype posix-extended -type f ! -regex '.*/[0-9a-f]{40}' -printf '%P\n' | LC_ALL=C sort); }
diff <(named Fuzz/Corpus) <(named "$seeds") >&2 || die "Fuzz/Corpus has other seeds than are written: ${programs[*]} seeds Fuzz/Corpus"
