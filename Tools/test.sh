#!/usr/bin/env bash
# Runs the unit tests, then every Tests/*-test.sh, and says in the end what was run, skipped and how long it took.
#
# With CI=true a skipped test fails the run: tests of identity and of attacks skip where they cannot become another
# user, and a run without them proves nothing. A test that may be skipped anywhere says so in its reason, which then
# begins with "optional:".
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

# Enough for a dozen failures; the whole is above.
failure_lines=120
# The end of what a failed script printed.
script_lines=60
log=$(mktemp)
part=$(mktemp)
trap 'rm -f "$log" "$part"' EXIT
SECONDS=0

# Sums of what the tests of faults, power cuts and kills say of themselves, line by line.
figures() {
    awk '
        /^(faults|cuts|kills) / {
            for (field = 2; field <= NF; field++) { split($field, pair, "="); sum[$1, pair[1]] += pair[2] }
            seen[$1] = 1
        }
        END {
            if (seen["faults"])
                printf "faults: %d injected, %d survived, in scripts of %d system calls; %d led to an error\n",
                    sum["faults", "injected"], sum["faults", "survived"], sum["faults", "calls"], sum["faults", "refused"]
            if (seen["cuts"])
                printf "power cuts: %d simulated at %d places, %d survived; %d left a state of their own\n",
                    sum["cuts", "cuts"], sum["cuts", "places"], sum["cuts", "survived"], sum["cuts", "different"]
            if (seen["kills"])
                printf "kills: %d in %d rounds, %d acknowledged changes found\n",
                    sum["kills", "kills"], sum["kills", "rounds"], sum["kills", "acknowledged"]
        }' "$1"
}

# Every system call fails once; `swift test` alone is content with a third (Tests/Storage/FaultInjectionTests).
export FAULTS=${FAULTS-each}

say "Building the tests (debug)"
swift build --build-tests
say "Running the tests"
unit=passed
# Five times what they take: a test that hangs is a failure, and must not hold up whoever waits for it.
timeout --kill-after=10 1500 swift test --skip-build 2>&1 | tee "$log" || unit=FAILED

failed=""
results=("unit tests: $unit ($(grep -aoE 'Test run with [0-9]+ tests? in [0-9]+ suites?' "$log" | tail -n 1))")
failures=0
[ "$unit" = passed ] || failures=1
for script in Tests/*-test.sh; do
    say "$script"
    if bash "$script" 2>&1 | tee "$part"; then
        results+=("$script: passed")
    else
        results+=("$script: FAILED")
        failures=$((failures + 1))
        failed+="$script:"$'\n'"$(tail -n "$script_lines" "$part" | tr -d '\0')"$'\n'
    fi
    cat "$part" >>"$log"
done

say "Summary"
printf '%s\n' "${results[@]}"
grep -a '^fuzzing: ' "$log" || true
figures "$log"
printf 'duration: %d min %d s\n' $((SECONDS / 60)) $((SECONDS % 60))
if [ "$failures" -gt 0 ]; then
    # Where only the end of a log is kept, it must say what failed: every recorded issue with the lines that explain it,
    # failures of XCTest, signals; and the last lines of a run that did not get to its own summary.
    echo "what failed:"
    grep -aE -A 4 '^. (Test|Suite) .* recorded an issue|: error: |error: (Exited with|.*signal)' "$log" |
        grep -avE '^. (Test|Suite) .* (passed|started)|^--$' | head -n "$failure_lines" || true
    printf '%s' "$failed"
    grep -aqE 'Test run with [0-9]+ tests? in [0-9]+ suites? (passed|failed)' "$log" || tail -n 40 "$log"
fi
# Lines of Swift Testing ("Test name() skipped: reason", "was cancelled after …"), of XCTest, and of our scripts ("SKIPPED: reason").
skipped=$(grep -aE '^. (Test|Suite) .* (skipped|was cancelled)|^Test Case .* skipped|^SKIPPED: ' "$log" | grep -av 'optional:' || true)
if [ -n "$skipped" ]; then
    printf 'skipped:\n%s\n' "$skipped"
    if [ "${CI-}" = true ]; then
        echo "CI=true: a skipped test counts as failed"
        failures=$((failures + 1))
    fi
fi
[ "$failures" -eq 0 ] || die "the tests failed"
echo "All tests passed"
