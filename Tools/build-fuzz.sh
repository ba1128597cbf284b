#!/usr/bin/env bash
# Builds the fuzz targets as .build-fuzz/chatelaine-fuzz, and those of trustd as chatelaine-fuzz-trust beside it.
#
# All of the project's code that they reach is compiled a second time, with coverage for libFuzzer and AddressSanitizer.
#
#   Tools/build-fuzz.sh LIBRARY   libFuzzer without its main, libclang_rt.fuzzer_no_main-ARCHITECTURE.a
#
# SwiftPM would also compile the dependencies a second time, above all BoringSSL, which takes longer than the search.
# They are not fuzzed, and come from the debug build.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

library=${1:?libFuzzer}
scratch=$root/.build-fuzz
programs=("$scratch/chatelaine-fuzz" "$scratch/chatelaine-fuzz-trust")
objects=$scratch/objects
modules=$scratch/modules
dependencies=(CCryptoBoringSSL CCryptoBoringSSLShims CXKCP CXKCPShims Crypto CryptoBoringWrapper GRDB)
trust_dependencies=(
    CCryptoBoringSSL CCryptoBoringSSLShims CXKCP CXKCPShims Crypto CryptoBoringWrapper CryptoExtras _CryptoExtras SwiftASN1
    _CertificateInternals X509 Logging JWTKit
)

# FuzzTests needs the same modules as the targets.
swift build "${build_flags[@]}" --target FuzzTests
debug=$(swift build --show-bin-path)
trust=(--package-path Trust --scratch-path .build/trust)
swift build "${build_flags[@]}" "${trust[@]}" --target TrustFuzzTests
trust_debug=$(swift build "${trust[@]}" --show-bin-path)
is_current=true
for program in "${programs[@]}"; do
    if [ ! -x "$program" ] || [ -n "$(find Sources Fuzz Package.resolved Trust/Package.{swift,resolved} Tools/build-fuzz.sh -type f -newer "$program" -print -quit)" ]; then
        is_current=false
    fi
done
if [ "$is_current" = true ]; then exit 0; fi
rm -rf "$objects" "$objects-trust" "$modules" "$modules-trust" "${programs[@]}"
mkdir -p "$objects" "$objects-trust" "$modules" "$modules-trust"
# Only these modules: none of the project's own may come from the debug build.
ln -s "$debug"/Modules/{Crypto,CryptoBoringWrapper,GRDB}.swiftmodule "$modules/"
for dependency in "${trust_dependencies[@]}"; do
    if [ -e "$trust_debug/Modules/$dependency.swiftmodule" ]; then ln -s "$trust_debug/Modules/$dependency.swiftmodule" "$modules-trust/"; fi
done

clang=$(toolchain_folder)/clang
c_modules=(CArgon2 CChatelaine CChatelaineCrypto CChatelaineRunLoop CKeyFormats CPasswordStrength CSQLiteSettings)
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

# Optimised by default, to try more inputs; overflows and broken preconditions still trap.
compile() { compile_into "" "$@"; }
# Compiles the modules that import swift-certificates: they see the modules of the others, but no `Security`.
compile_trust() { compile_into -trust "$@"; }
compile_into() {
    local ending=$1 module=$2
    shift 2
    mapfile -t sources < <(find "$@" -name '*.swift' | LC_ALL=C sort)
    swiftc -emit-module -emit-module-path "$modules$ending/$module.swiftmodule" -emit-object -o "$objects$ending/$module.o" \
        -module-name "$module" -parse-as-library -wmo -O -g -swift-version 6 -warnings-as-errors -enable-testing \
        -package-name chatelaine -sanitize=address -sanitize-coverage=edge,inline-8bit-counters,pc-table,trace-cmp \
        -I "$modules$ending" "${c_modules[@]/#/-I$modules/}" -I Fuzz/CFuzzer -I .build/checkouts/GRDB.swift/Sources/GRDBSQLite \
        -I .build/checkouts/swift-crypto/Sources/CCryptoBoringSSL/include \
        "${sources[@]}"
}

# The modules of a line compile in parallel, after the lines with the modules that they import.
for line in ChatelaineSystem ChatelaineMemory "ChatelaineModel SystemCalls PasswordQuality" "Sealing ChatelaineCryptography ChatelaineIPC CoreFoundation SignatureFormat" "EnclaveProtocol ServerIPC AgentProtocol TrustProtocol FormatProtocol FetchProtocol KeyFormats StoreEngine ChatelaineTrustSettings ChatelaineIdentityPreferences" "Enclave ItemStore AgentDialogs Security"; do
    waited=()
    for module in $line; do
        compile "$module" "$(module_folder "$module")" &
        waited+=($!)
    done
    for process in "${waited[@]}"; do wait "$process"; done
done

# The modules that both programs contain.
shared=(ChatelaineSystem ChatelaineMemory ChatelaineModel SignatureFormat TrustProtocol)
for module in "${shared[@]}"; do
    ln -s "$modules/$module.swiftmodule" "$modules-trust/"
    ln -s "$objects/$module.o" "$objects-trust/"
done
for object in "$objects"/CChatelaine-*.o; do ln -s "$object" "$objects-trust/"; done
compile_trust CodeSignatures "$(module_folder CodeSignatures)"
for module in CertificateReading TrustEvaluation; do compile_trust "$module" "$(module_folder "$module")"; done

# Both programs have the same driver, with their own targets and seeds.
compile chatelaine_fuzz Fuzz/Shared Fuzz/Targets Fuzz/Seeds Fuzz/chatelaine-fuzz &
# Kept, since the next function starts processes as well.
compiling=$!
compile_trust chatelaine_fuzz_trust Fuzz/Shared Fuzz/Trust Fuzz/chatelaine-fuzz
wait "$compiling"
objects_of() {
    local folder=$1 dependency
    shift
    for dependency in "$@"; do find "$folder/$dependency.build" -name '*.o' -printf '"%p"\n'; done
}
objects_of "$debug" "${dependencies[@]}" >"$scratch/dependencies"
objects_of "$trust_debug" "${trust_dependencies[@]}" >"$scratch/dependencies-trust"
# The linker is not gold, which rejects symbols of AddressSanitizer.
link() {
    local ending=$1
    shift
    swiftc -sanitize=address -use-ld=lld -o "$scratch/chatelaine-fuzz$ending" "$objects$ending"/*.o "@$scratch/dependencies$ending" "$library" "$@"
}
link "" -largon2 -lcrypto -lzxcvbn -lstdc++
link -trust -lstdc++
