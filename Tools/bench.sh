#!/usr/bin/env bash
# Measures speed and size beside the machine's bare floor, and prints one table (Benchmarks/chatelaine-bench).
#
#   Tools/bench.sh          a store of 1 000 items, then one of 1 000 000: about ten minutes
#   ITEMS=50000 Tools/bench.sh
#   ITEMS=1000 Tools/bench.sh    the first store only
#   PEERS_ONLY=1 PEER_ITEMS=200 Tools/bench.sh
#
# A second table has the same work by gnome-keyring and KWallet, where installed, with the run's own stores and bus
# (Tools/bench-peers.sh).
#
# It measures the daemons and the tool as installed, in a private folder that is removed afterwards.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

# The folder is on a disk: a commit to a file system in memory would cost nothing.
folder=$(mktemp -d "$root/.build/bench.XXXXXX")
memory=""
clean_up() {
    local status=$?
    stop_daemons "$folder/prefix" || status=1
    rm -rf "$folder" ${memory:+"$memory"}
    exit "$status"
}
trap clean_up EXIT

say "Building the benchmark (release)"
# Built with the options of the library, whose code it has.
swift build "${build_flags[@]}" -c release --product chatelaine-bench -Xswiftc -cross-module-optimization
# Also builds the floors, with the same options.
WITH_FLOORS=1 "$root/Tools/build.sh" release
"$root/Tools/install.sh" install release "$folder/prefix"

export CHATELAINE_HOME=$folder/home
export CHATELAINE_LIBEXEC=$folder/prefix/libexec/chatelaine
export CHATELAINE_TOOL=$folder/prefix/bin/security
# A file of OpenSSL, and the command that reads it for comparison.
export BENCH_PKCS12=$root/Tests/Keys/KeyFormatsTests/Fixtures/modern.p12
export BENCH_TRUST_FLOOR=$root/.build/trust-static/release/trust-floor
if command -v openssl >/dev/null; then BENCH_OPENSSL=$(command -v openssl) && export BENCH_OPENSSL; fi
mkdir -p "$CHATELAINE_HOME"
# Dialogs go to the benchmark's own terminal, and to no display.
unset DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS
# If memory suffices, the large store is filled in memory and copied to the disk: each addition is a durable commit, and
# filling is not measured.
kilobytes_per_item=4
if [ -d /dev/shm ] && [ "$(df --output=avail /dev/shm | tail -n 1)" -gt $((${ITEMS:-1000000} * kilobytes_per_item)) ]; then
    memory=$(mktemp -d /dev/shm/chatelaine-bench.XXXXXX)
    export BENCH_MEMORY=$memory
fi
benchmark=$(swift build -c release --show-bin-path)/chatelaine-bench
if [ -z "${PEERS_ONLY-}" ]; then
    say "Measuring"
    "$benchmark"
fi
say "Measuring beside others"
# Another store, of the same size as those of the peers.
CHATELAINE_HOME=$folder/beside "$root/Tools/bench-peers.sh" "$benchmark" "$folder"
printf '\n%s, %s, %s cores, Linux %s, %s\n' "$(date -u +%Y-%m-%d)" "$(uname -m)" "$(nproc)" "$(uname -r | cut -d- -f1)" \
    "$(. /etc/os-release && echo "$PRETTY_NAME")"
