#!/usr/bin/env bash
# Runs the unit tests, and beside them every Tests/*-test.sh; says in the end what was run and skipped, and how long each part took.
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
# What each part said (NAME.log), how long it took (NAME.time), and that it failed (NAME.failed).
parts=$(mktemp -d)
log=$parts/all
scripts="" end_to_end=""
clean_up() {
    local group
    # A run that is interrupted takes the rest with it; scripts end what they started.
    for group in $scripts $end_to_end; do kill -- "-$group" 2>/dev/null || true; done
    rm -rf "$parts"
}
trap clean_up EXIT
trap 'exit 130' INT TERM
SECONDS=0

# part NAME COMMAND…: its time goes to the table, with that of all processes that it waited for.
part() {
    local name=$1 TIMEFORMAT='%0R %0U %0S' status=0
    shift
    { time "$@" 2>&3 3>&-; } 3>&2 2>"$parts/$name.time" || status=$?
    if [ "$status" -ne 0 ]; then touch "$parts/$name.failed"; fi
    return "$status"
}

# script PATH: says nothing until it is asked for.
script() {
    local name
    name=$(basename "$1" .sh)
    part "$name" bash "$1" >"$parts/$name.log" 2>&1 || true
}

# Beside the unit tests: the attacks, which mostly wait for one another; and the others one after the other, of which fuzzing comes first, since
# its modules wait for each other and nothing can be done about that by more processors.
beside=() rest=() after=()
for path in Tests/*-test.sh; do
    case $path in
    # As an ordinary user the attacks are made by the same user as the tests, whose limits they use up.
    Tests/attacks-test.sh) if [ "$(id -u)" -eq 0 ]; then beside=("$path"); else after+=("$path"); fi ;;
    Tests/fuzz-test.sh) fuzzing=$path ;;
    *) rest+=("$path") ;;
    esac
done

# A sixth of the system calls fail, and the next commit's run takes another sixth (Tests/Storage/FaultInjectionTests).
TURN=${TURN-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export TURN

say "Building the tests (debug)"
part build swift build --build-tests
say "Building what is installed (debug)"
# Before any test runs: it links the library anew.
part stage make -s build CONFIGURATION=debug
tests=$(swift build --show-bin-path)/chatelainePackageTests.xctest
say "Running the tests, and beside them $((${#beside[@]} + ${#rest[@]} + 1)) scripts"
# A group of their own, to be ended together.
: >"$log"
set -m
(
    for path in "${beside[@]}"; do script "$path" & done
    script "${fuzzing:?}"
    for path in "${rest[@]}"; do script "$path"; done
    wait
) </dev/null &
scripts=$!
set +m
# Three times what they take: a test that hangs is a failure, and must not hold up whoever waits for it. Scripts build meanwhile, but
# nothing that the tests run. `swift test` would take the lock of the build folder for as long as they take, even with --ignore-lock, and
# every script that builds would wait for their end. They give way to the scripts, which are a longer chain.
# Without colours, in which no line begins as the patterns below say.
unit_tests() { # unit_tests NAME FILTER…
    local name=$1
    shift
    NO_COLOR=1 timeout --kill-after=10 2700 nice -n 3 "$tests" --testing-library swift-testing "$@" 2>&1 | tee "$parts/$name.log"
}
# A process has as many tests under way as there are processors, and tests of whole programs mostly wait for these. So they have a process
# of their own, beside the others.
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

# Tests that began and did not end: a run that hung, or was killed, says so of none of them.
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
for path in "${beside[@]}" "$fuzzing" "${rest[@]}" "${after[@]}"; do
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
grep -a '^fuzzing: ' "$log" || true
figures "$log"
printf '%-18s %7s %9s\n' part seconds processor
for path in "$parts"/*.time; do
    read -r real user system <"$path"
    printf '%-18s %7d %9d\n' "$(basename "$path" .time)" "$real" $((user + system))
done
printf 'duration: %d min %d s\n' $((SECONDS / 60)) $((SECONDS % 60))
if [ "$failures" -gt 0 ]; then
    # Where only the end of a log is kept, it must say what failed: every recorded issue with the lines that explain it,
    # failures of XCTest, signals; and the last lines of a run that did not get to its own summary.
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
