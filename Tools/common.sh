# shellcheck shell=bash
# Functions that the scripts of this project share; sourced, never run. The caller has set -euo pipefail.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export root

# Flags of every build of these packages. The compiler's index serves editors, and writing it takes a fifth of a build.
# Use the same flags by hand (CONTRIBUTING.md), since after a build with others everything is compiled anew.
build_flags=(--disable-index-store)
# In continuous integration nobody attaches a debugger, and the compiler is not under test. There a build goes without
# information for debuggers and without the verifier of LLVM. For a module of the tests that took the compiler 20 s
# instead of 27. Failed tests still name their lines, and crashes their functions.
if [ -n "${CI-}" ]; then
    build_flags+=(-debug-info-format none -Xswiftc -Xfrontend -Xswiftc -disable-llvm-verify)
fi

# Prints the next step of a long run.
say() { printf '\n==> %s\n' "$*"; }

die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# The program of all unit tests. `swift test` holds the lock of the build folder while they run.
tests_program() { printf '%s\n' "$(swift build --show-bin-path --package-path "$root")/chatelainePackageTests.xctest"; }

# run_tests FILTER: runs the tests that match; fails where there are none.
run_tests() { "$(tests_program)" --testing-library swift-testing --filter "$1"; }

# Prints the folder of the toolchain's own programs. `swift` in PATH may be a link or a proxy of a version manager, so
# the compiler has to name its resources.
toolchain_folder() {
    local resources
    # swift's own message about why it does not start is shown.
    resources=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p') || die "swift does not start; run: make setup"
    [ -n "$resources" ] || die "swift does not say where it is installed"
    (cd "$resources/../../bin" && pwd)
}

# Prints the folder of a module; in Sources, modules are one level down.
module_folder() {
    local folders=("$root"/Sources/*/"$1")
    [ -d "${folders[0]}" ] || die "there is no module $1"
    printf '%s\n' "${folders[0]}"
}

# Prints a constant of ChatelaineVersion: number, date or library.
version_constant() { sed -n "s/.*static let $1 = \"\(.*\)\"/\1/p" "$root/Sources/Model/ChatelaineModel/ChatelaineVersion.swift"; }

# Ends the daemons that were started from the given prefix, and waits for their exit. The caller must own that folder,
# since every daemon that runs from it is ended. The daemons are not dumpable, which hides their executable and
# environment from other processes; the command line stays readable.
stop_daemons() {
    local prefix=$1 folder line pid attempt
    for attempt in {1..100}; do
        local pids=()
        for folder in /proc/[0-9]*; do
            # The shell reads the path itself: a command for each process would take half a second of processor time.
            IFS= read -r -d '' line 2>/dev/null <"$folder/cmdline" || continue
            pid=${folder#/proc/}
            case $line in
            "$prefix"/libexec/chatelaine/*) pids+=("$pid") ;;
            esac
        done
        [ ${#pids[@]} -gt 0 ] || return 0
        # SIGTERM first, and SIGKILL later; a process may have ended by now.
        if [ "$attempt" -lt 50 ]; then kill "${pids[@]}" 2>/dev/null || true; else kill -KILL "${pids[@]}" 2>/dev/null || true; fi
        sleep 0.1
    done
    die "daemons of $prefix do not end: ${pids[*]}"
}

# prepare_installation NAME: builds $configuration, and makes a folder with a prefix and a home. At the exit of the
# script the daemons of the prefix are ended, and the folder is deleted.
prepare_installation() {
    configuration=${CONFIGURATION:-debug}
    # A short path: the name of a Unix socket has room for 107 bytes.
    folder=$(mktemp -d "/tmp/chatelaine-$1.XXXXXX")
    prefix=$folder/prefix
    export CHATELAINE_HOME=$folder/home
    unset CHATELAINE_LIBEXEC
    trap remove_installation EXIT
    make -s -C "$root" build CONFIGURATION="$configuration"
}

remove_installation() {
    local status=$?
    stop_daemons "$prefix" || status=1
    rm -rf "$folder"
    exit "$status"
}

# Sums the figures that the tests of faults, power cuts, kills and wrong passcodes print, line by line.
figures() {
    awk '
        /^(faults|cuts|kills|tries) / {
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
            if (seen["tries"])
                printf "wrong passcodes: %d put, with %d kills; %d looked at where %d may be, %d too early, %d while locked, %d lost to kills\n",
                    sum["tries", "put"], sum["tries", "kills"], sum["tries", "seen"], sum["tries", "allowed"],
                    sum["tries", "early"], sum["tries", "locked"], sum["tries", "lost"]
        }' "$1"
}
