#!/usr/bin/env bash
# Runs the random tests of `make test` for longer: a night, on two processors.
#
# Every system call fails in every possible way, daemons are killed and wrong passcodes tried thousands of times, and
# fuzzers search for an hour.
#
#   Tools/campaign.sh
#   FAULTS=none ROUNDS=0 MINUTES=600 Tools/campaign.sh    only fuzzing, for ten hours
#
# FAULTS is all, each or none (Tests/Storage/FaultInjectionTests). ROUNDS is the number of kills, and of wrong passcodes
# for each request that takes one. MINUTES is the time of all fuzzers together. SEED repeats a run.
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

# Runs a part; the campaign continues where it fails.
attempt() { "$@" 2>&1 | tee -a "$log" || failures=$((failures + 1)); }

# Optimised code releases objects sooner, and `make test` does not test it.
say "As it is installed (release)"
CONFIGURATION=release attempt Tests/install-test.sh

# Each call of a scenario fails in turn, then the power goes after each change; a scenario for each processor at once.
faults() {
    local program seed=${SEED-$RANDOM} arrangements=8
    [ "$FAULTS" = all ] || arrangements=1
    program=$(swift build -c release --show-bin-path)/fault-injection
    # The words of a scenario are the shell's own: they come as arguments.
    # shellcheck disable=SC2016
    "$program" list | xargs -P "$(nproc)" -I{} sh -c '"$0" faults "$1" "$2" && "$0" cuts "$1" "$3" "$4"' \
        "$program" {} "$FAULTS" "$seed" "$arrangements"
}
if [ "$FAULTS" != none ]; then
    # Optimised, the program takes less than half of the time; `make test` runs it as it is debugged.
    say "Faults: $FAULTS (release)"
    swift build "${build_flags[@]}" -c release --product fault-injection
    attempt faults
fi

say "Building the tests (debug)"
swift build "${build_flags[@]}" --build-tests
if [ "$ROUNDS" -gt 0 ]; then
    say "Kills: $ROUNDS rounds"
    attempt run_tests '\.KillTests'
    # Each round of these tests unlocks a keychain anew.
    ROUNDS=$((ROUNDS / 10)) attempt run_tests FileKeychainKillTests
    # Each round of these tests seals a whole store anew.
    ROUNDS=$((ROUNDS / 50)) attempt run_tests NewKeyTests
    # Each round of these tests waits for both daemons to start anew.
    ROUNDS=$((ROUNDS / 20)) attempt run_tests SignedKillTests
    say "Wrong passcodes: $ROUNDS for each request that takes one"
    attempt run_tests WrongTryTests
fi
if [ "$minutes" -gt 0 ]; then
    # Tools/fuzz.sh searches as many targets at once as there are processors.
    targets=$(find Fuzz/Corpus -mindepth 1 -maxdepth 1 -type d | wc -l)
    attempt Tools/fuzz.sh $((minutes * 60 * $(nproc) / targets))
fi

say "Summary"
grep -a '^fuzzing: ' "$log" || true
figures "$log"
printf 'duration: %d min %d s\n' $((SECONDS / 60)) $((SECONDS % 60))
[ "$failures" -eq 0 ] || die "$failures parts of the campaign failed"
