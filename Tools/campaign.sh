#!/usr/bin/env bash
# Looks longer for what `make test` looks for: every system call fails in every way that fits it, daemons are killed thousands of times,
# wrong passcodes are tried as often, fuzzers search for an hour. A night, on two processors.
#
#   Tools/campaign.sh
#   FAULTS=none ROUNDS=0 MINUTES=600 Tools/campaign.sh    fuzzing alone, for ten hours
#
# FAULTS is all, each, some or none (Tests/Storage/FaultInjectionTests), ROUNDS the rounds of kills and the wrong passcodes for each request that takes one, MINUTES the time of all fuzzers together.
# SEED repeats a run.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

export FAULTS=${FAULTS-all} ROUNDS=${ROUNDS-10000}
minutes=${MINUTES-60}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failures=0
SECONDS=0

# Another part is tried where one fails.
attempt() { "$@" 2>&1 | tee -a "$log" || failures=$((failures + 1)); }

# Optimised code lets go of things sooner: what only it does, no test of `make test` sees.
say "As it is installed (release)"
CONFIGURATION=release attempt Tests/install-test.sh

say "Building the tests (debug)"
swift build --build-tests
if [ "$FAULTS" != none ]; then
    say "Faults: $FAULTS"
    attempt swift test --skip-build --filter FaultInjectionTests
fi
if [ "$ROUNDS" -gt 0 ]; then
    say "Kills: $ROUNDS rounds"
    attempt swift test --skip-build --filter '\.KillTests'
    # Each round of these has a whole store sealed anew.
    ROUNDS=$((ROUNDS / 50)) attempt swift test --skip-build --filter NewKeyTests
    # Each of these waits for both daemons to start anew.
    ROUNDS=$((ROUNDS / 20)) attempt swift test --skip-build --filter SignedKillTests
    say "Wrong passcodes: $ROUNDS for each request that takes one"
    attempt swift test --skip-build --filter WrongTryTests
fi
if [ "$minutes" -gt 0 ]; then
    # As many targets as there are processors are searched at once.
    targets=$(find Fuzz/Corpus -mindepth 1 -maxdepth 1 -type d | wc -l)
    attempt Tools/fuzz.sh $((minutes * 60 * $(nproc) / targets))
fi

say "Summary"
grep -a '^fuzzing: ' "$log" || true
figures "$log"
printf 'duration: %d min %d s\n' $((SECONDS / 60)) $((SECONDS % 60))
[ "$failures" -eq 0 ] || die "$failures parts of the campaign failed"
