#!/usr/bin/env bash
# Runs the unit tests, and in parallel every Tests/*-test.sh. Prints in the end what ran, what was skipped, and the
# times.
#
# With CI=true a skipped test fails the run. Tests of identity and of attacks skip where they cannot become another
# user, and a run without them proves nothing. The reason of a test that may be skipped anywhere begins with
# "optional:".
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

# Enough for a dozen failures; the whole log is above.
failure_lines=120
# The number of last lines of a failed script.
script_lines=60
# The output of each part (NAME.log), its time (NAME.time), and whether it failed (NAME.failed).
parts=$(mktemp -d)
log=$parts/all
scripts="" end_to_end=""
clean_up() {
    local group
    # An interrupted run ends all parts; scripts end the processes that they started.
    for group in $scripts $end_to_end; do kill -- "-$group" 2>/dev/null || true; done
    rm -rf "$parts"
}
trap clean_up EXIT
trap 'exit 130' INT TERM
SECONDS=0

# part NAME COMMAND…: runs a part; the table has its time with that of all processes that it waited for.
part() {
    local name=$1 TIMEFORMAT='%0R %0U %0S' status=0
    shift
    { time "$@" 2>&3 3>&-; } 3>&2 2>"$parts/$name.time" || status=$?
    if [ "$status" -ne 0 ]; then touch "$parts/$name.failed"; fi
    return "$status"
}

# script PATH: runs a script without output, which is shown later.
script() {
    local name
    name=$(basename "$1" .sh)
    part "$name" bash "$1" >"$parts/$name.log" 2>&1 || true
}

# The attacks run in parallel with the unit tests, since they mostly wait for one another. The other scripts run one
# after the other.
beside=() rest=() after=()
for path in Tests/*-test.sh; do
    case $path in
    # Without root the attacks run as the user of the tests, and use up that user's limits.
    Tests/attacks-test.sh) if [ "$(id -u)" -eq 0 ]; then beside=("$path"); else after+=("$path"); fi ;;
    *) rest+=("$path") ;;
    esac
done

# One system call in 24 fails; the run of the next commit takes other ones (Tests/Storage/FaultInjectionTests).
TURN=${TURN-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export TURN

say "Building the tests (debug), and beside them the package in Trust"
# The largest module of the tests is compiled last and alone. Meanwhile the other package takes the idle processor. The
# next build shows what is wrong with it.
set -m
(part build-of-trust nice -n 5 swift build "${build_flags[@]}" --package-path Trust --scratch-path .build/trust \
    --build-tests >"$parts/build-of-trust.log" 2>&1 || true) </dev/null &
scripts=$!
set +m
part build swift build "${build_flags[@]}" --build-tests
wait "$scripts"
scripts=""
rm -f "$parts/build-of-trust.failed"
say "Building what is installed (debug)"
# Runs before any test, because it links the library anew.
part stage make -s build CONFIGURATION=debug
tests=$(tests_program)
say "Running the tests, and beside them $((${#beside[@]} + ${#rest[@]})) scripts"
# Each part has its own process group, so that it can be ended as a whole.
: >"$log"
set -m
(
    for path in "${beside[@]}"; do script "$path" & done
    # Each in a shell of its own: the time of a part has that of all processes that its shell has waited for, and this
    # one waits for the attacks.
    for path in "${rest[@]}"; do (script "$path"); done
    wait
) </dev/null &
scripts=$!
set +m
# The time limit is three times the usual time: a hanging test is a failure, and must not block the run. Scripts build
# meanwhile, but nothing that the tests run. The tests have lower priority than the
# scripts, which are a longer chain. Colours are off, since the patterns below need the plain beginning of each line.
unit_tests() { # unit_tests NAME FILTER…
    local name=$1
    shift
    NO_COLOR=1 timeout --kill-after=10 2700 nice -n 3 "$tests" --testing-library swift-testing "$@" 2>&1 | tee "$parts/$name.log"
}
# A process runs as many tests at once as there are processors. Tests of whole programs mostly wait for these programs,
# so they have their own process beside the other tests.
units=(end-to-end unit)
set -m
(part end-to-end unit_tests end-to-end --filter '^EndToEndTests\.') </dev/null &
end_to_end=$!
set +m
unit_status=0
part unit unit_tests unit --skip '^EndToEndTests\.' || unit_status=$?
wait "$end_to_end" || unit_status=$?
end_to_end=""
for name in "${units[@]}"; do cat "$parts/$name.log" >>"$log"; done
say "The unit tests ended with status $unit_status after $SECONDS s; waiting for the scripts"
wait "$scripts" || true
scripts=""
for path in "${after[@]}"; do script "$path"; done

# Prints tests that began and did not end, which a run that hung or was killed does not report.
unfinished_tests() {
    grep -aE '^. Test .* (started|passed|failed|skipped|was cancelled)' "$1" | grep -av '^. Test case ' |
        sed -E 's/ with [0-9]+ test cases? / /; s/^. Test (.*) (started\.|passed after .*|failed after .*|skipped.*|was cancelled.*)$/\1\t\2/' |
        awk -F '\t' '{ open[$1] += ($2 == "started.") ? 1 : -1 } END { for (name in open) if (open[name] > 0) print name }' | sort
}

failed="" failures=0 results=() unended=()
for name in "${units[@]}"; do
    count=$(grep -aoE 'Test run with [0-9]+ tests? in [0-9]+ suites?' "$parts/$name.log" | tail -n 1 || true)
    if [ -z "$count" ]; then
        touch "$parts/$name.failed"
        unended+=("$name")
    fi
    if [ -e "$parts/$name.failed" ]; then
        results+=("$name tests: FAILED (${count:-they did not end})")
        failures=$((failures + 1))
    else
        results+=("$name tests: passed ($count)")
    fi
done
for path in "${beside[@]}" "${rest[@]}" "${after[@]}"; do
    name=$(basename "$path" .sh)
    say "$path"
    cat "$parts/$name.log"
    cat "$parts/$name.log" >>"$log"
    if [ -e "$parts/$name.failed" ]; then
        results+=("$path: FAILED")
        failures=$((failures + 1))
        failed+="$path:"$'\n'"$(tail -n "$script_lines" "$parts/$name.log" | tr -d '\0')"$'\n'
    else
        results+=("$path: passed")
    fi
done

say "Summary"
printf '%s\n' "${results[@]}"
echo "faults and power cuts: TURN=$TURN FAULTS=${FAULTS-some}"
figures "$log"
printf '%-18s %7s %9s\n' part seconds processor
for path in "$parts"/*.time; do
    read -r real user system <"$path"
    printf '%-18s %7d %9d\n' "$(basename "$path" .time)" "$real" $((user + system))
done
printf 'duration: %d min %d s\n' $((SECONDS / 60)) $((SECONDS % 60))
if [ "$failures" -gt 0 ]; then
    # If only the end of a log is kept, it must show the failures: every recorded issue with the lines that explain it,
    # failures of XCTest, signals, and the last lines of a run without a summary.
    echo "what failed:"
    grep -aE -A 4 '^. (Test|Suite) .* recorded an issue|: error: |error: (Exited with|.*signal)' "$log" |
        grep -avE '^. (Test|Suite) .* (passed|started)|^--$' | head -n "$failure_lines" || true
    printf '%s' "$failed"
    for name in "${unended[@]}"; do
        echo "the $name tests did not end (status $unit_status; 124: after their time), and of these nothing is known:"
        unfinished_tests "$parts/$name.log"
    done
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
