#!/usr/bin/env bash
# Searches the fuzz targets for inputs that crash, hang or break an invariant: each target for SECONDS, as many at once
# as there are processors.
#
#   Tools/fuzz.sh SECONDS [TARGET…]
#
# Starts from Fuzz/Corpus, Fuzz/Findings, and the inputs that earlier runs added to .build-fuzz/corpus. The status is 1
# if there was a finding.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

seconds=${1:?seconds for each target}
shift
all=(stores snapshots rows queries access signatures dialogs formats bundles messages keybag keychains frames cbor)
# The targets of trustd, which are in another program.
trust=(certificates evaluations revocations)
all+=("${trust[@]}")
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=("${all[@]}")
for target in "${targets[@]}"; do
    [[ " ${all[*]} " == *" $target "* ]] || die "there is no target $target; there are ${all[*]}"
done
scratch=$root/.build-fuzz
program_of() { if [[ " ${trust[*]} " == *" $1 "* ]]; then echo "$scratch/chatelaine-fuzz-trust"; else echo "$scratch/chatelaine-fuzz"; fi; }
# The maximum input of a target in bytes: a few of its largest messages, or a store of small pages with its log.
declare -A longest=([snapshots]=32768 [frames]=2048)
# An input that takes longer than this is a finding. The limit is high because CI machines are slow and stall.
input_seconds=20
memory_mebibytes=2048

library=$(find "$(toolchain_folder)/../lib/clang" -name "libclang_rt.fuzzer_no_main-$(uname -m).a" 2>/dev/null | head -n 1)
if [ -z "$library" ]; then
    echo "SKIPPED: the toolchain has no libFuzzer (libclang_rt.fuzzer_no_main-$(uname -m).a)"
    exit 0
fi

say "Building the fuzz targets"
started=$SECONDS
Tools/build-fuzz.sh "$library"
build_seconds=$((SECONDS - started))

# Swift's own crash report would prevent libFuzzer's.
export SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0:handle_abort=1
mkdir -p "$scratch/findings" "$scratch/logs"
memory=$(mktemp -d "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")/chatelaine-fuzz.XXXXXX")
trap 'rm -rf "$memory"' EXIT
touch "$memory/before"

run() {
    local target=$1
    local folders=("$scratch/corpus/$target")
    mkdir -p "${folders[0]}" "$memory/$target"
    for folder in "Fuzz/Corpus/$target" "Fuzz/Findings/$target"; do
        if [ -d "$folder" ]; then folders+=("$folder"); fi
    done
    CHATELAINE_FUZZ_FOLDER=$memory/$target timeout --kill-after=10 $((seconds + 600)) "$(program_of "$target")" "$target" \
        -seed=$((RANDOM * 32768 + RANDOM + 1)) -max_total_time="$seconds" -max_len="${longest[$target]:-4096}" \
        -timeout="$input_seconds" -rss_limit_mb="$memory_mebibytes" -print_final_stats=1 -use_value_profile=1 \
        -artifact_prefix="$scratch/findings/$target-" "${folders[@]}" >"$scratch/logs/$target" 2>&1 || true
}

say "Fuzzing for $seconds s each: ${targets[*]}"
started=$SECONDS
for target in "${targets[@]}"; do
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
    run "$target" &
done
wait
failures=0 total=0
for target in "${targets[@]}"; do
    log=$scratch/logs/$target
    seed=$(sed -n 's/^INFO: Seed: //p' "$log")
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    places=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    total=$((total + ${runs:-0}))
    if grep -q '^Done .* runs in' "$log"; then
        # Without coverage, a search finds nothing.
        [ "${places:-0}" -gt 100 ] || die "$target: the code under test is not instrumented (coverage ${places:-none})"
        echo "$target: $runs runs, $places places reached, seed $seed, nothing found"
    else
        failures=$((failures + 1))
        echo "$target: error: found something after ${runs:-?} runs, seed ${seed:-?}:"
        grep -aE 'Fatal error|^==[0-9]+==|SUMMARY' "$log" | head -n 20 || true
        tail -n 40 "$log"
    fi
done
echo "fuzzing: ${#targets[@]} targets, $seconds s each, $total runs, $failures with findings;" \
    "built in $build_seconds s, searched in $((SECONDS - started)) s"
[ "$failures" -gt 0 ] || exit 0
cat <<END

The input that does it (TARGET-crash-…, -timeout-… or -oom-…):
$(find "$scratch/findings" -type f -newer "$memory/before")
Try it again:     $scratch/chatelaine-fuzz TARGET FILE
Make it smaller:  $scratch/chatelaine-fuzz TARGET -minimize_crash=1 -max_total_time=60 FILE
Those of ${trust[*]} are chatelaine-fuzz-trust's.
Then copy it to Fuzz/Findings/TARGET/what-it-is, mend what it shows, and run swift test --filter FuzzTests (Tests/trust-test.sh).
END
exit 1
