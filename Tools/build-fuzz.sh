#!/usr/bin/env bash
# Builds the fuzz targets as .build-fuzz/chatelaine-fuzz: everything of ours that they reach is compiled a second time, to be searched and not
# to be used, with what tells libFuzzer where an input has been, and with AddressSanitizer.
#
#   Tools/build-fuzz.sh LIBRARY   libFuzzer without its main, libclang_rt.fuzzer_no_main-ARCHITECTURE.a
#   OPTIMISE=-Onone Tools/build-fuzz.sh LIBRARY    built in half the time, and slower: for a search of seconds
#
# Not by SwiftPM, which would compile the dependencies a second time too, BoringSSL above all: that takes longer than the search. They are not
# what is searched, and are taken from the debug build as they are there.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

library=${1:?libFuzzer}
scratch=$root/.build-fuzz
program=$scratch/chatelaine-fuzz
objects=$scratch/objects
modules=$scratch/modules
dependencies=(CCryptoBoringSSL CCryptoBoringSSLShims CXKCP CXKCPShims Crypto CryptoBoringWrapper GRDB)

# The tests that feed the targets need what the targets need.
swift build --target FuzzTests
debug=$(swift build --show-bin-path)
if [ -x "$program" ] && [ -z "$(find Sources Fuzz Package.resolved Tools/build-fuzz.sh -type f -newer "$program" -print -quit)" ]; then
    exit 0
fi
rm -rf "$objects" "$modules" "$program"
mkdir -p "$objects" "$modules"
# Only these: of ours none may come from there.
ln -s "$debug"/Modules/{Crypto,CryptoBoringWrapper,GRDB}.swiftmodule "$modules/"

clang=$(toolchain_folder)/clang
c_modules=(CArgon2 CChatelaine CChatelaineCrypto CChatelaineRunLoop CKeyFormats CSQLiteSettings)
for module in "${c_modules[@]}"; do
    mkdir "$modules/$module"
    folder=$(module_folder "$module")
    {
        echo "module $module {"
        for header in "$folder"/include/*.h; do echo "    header \"$header\""; done
        printf '    export *\n}\n'
    } >"$modules/$module/module.modulemap"
    for source in "$folder"/*.c; do
        "$clang" -std=gnu11 -O1 -g -fsanitize=fuzzer-no-link,address -I Headers -I "$folder/include" -c "$source" \
            -o "$objects/$module-$(basename "$source" .c).o"
    done
done

# Optimised as a rule, so that more inputs are tried; overflows and broken preconditions trap all the same.
compile() {
    local module=$1
    shift
    mapfile -t sources < <(find "$@" -name '*.swift' | LC_ALL=C sort)
    swiftc -emit-module -emit-module-path "$modules/$module.swiftmodule" -emit-object -o "$objects/$module.o" \
        -module-name "$module" -parse-as-library -wmo "${OPTIMISE:--O}" -g -swift-version 6 -warnings-as-errors -enable-testing \
        -package-name chatelaine -sanitize=address -sanitize-coverage=edge,inline-8bit-counters,pc-table,trace-cmp \
        -I "$modules" "${c_modules[@]/#/-I$modules/}" -I Fuzz/CFuzzer -I .build/checkouts/GRDB.swift/Sources/GRDBSQLite \
        "${sources[@]}"
}

# Each line after what it imports; those of a line beside each other.
for line in ChatelaineSystem ChatelaineMemory "ChatelaineModel SystemCalls" "Sealing ChatelaineCryptography ChatelaineIPC CoreFoundation SignatureFormat" "EnclaveProtocol ServerIPC AgentProtocol TrustProtocol FormatProtocol FetchProtocol KeyFormats StoreEngine ChatelaineTrustSettings ChatelaineIdentityPreferences" "Enclave ItemStore AgentDialogs Security"; do
    waited=()
    for module in $line; do
        compile "$module" "$(module_folder "$module")" &
        waited+=($!)
    done
    for process in "${waited[@]}"; do wait "$process"; done
done
compile chatelaine_fuzz Fuzz/Targets Fuzz/chatelaine-fuzz
for dependency in "${dependencies[@]}"; do find "$debug/$dependency.build" -name '*.o'; done >"$scratch/dependencies"
# Not gold, which complains about symbols of AddressSanitizer.
swiftc -sanitize=address -use-ld=lld -o "$program" "$objects"/*.o "@$scratch/dependencies" "$library" -largon2 -lcrypto -lstdc++
