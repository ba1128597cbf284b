#!/usr/bin/env bash
# Builds a program with `import CryptoKit` against an installed keychain.
#
# OpenSSL verifies its signatures. Its keys are files, which other programs cannot use.
#
#   CONFIGURATION=release Tests/cryptokit-test.sh    (debug unless said)
#   WITH_PACKAGE=1 Tests/cryptokit-test.sh           as a package, as README.md describes (`make interop`)
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../Tools/common.sh"

prepare_installation kit
"$root/Tools/install.sh" install "$configuration" "$prefix"

client=$root/Tests/Faces/Clients/EnclaveKeys
kit=$prefix/share/chatelaine/CryptoKit
program=$folder/EnclaveKeys

# Builds the program as its own package, with what README.md says: two lines in its manifest, and compiler flags.
build_package() {
    say "Build the program as a package"
    # The build folder is kept between runs, since it has all of BoringSSL. The prefix always has the same name there,
    # so that nothing is compiled anew.
    local build=$root/.build/cryptokit
    rm -rf "$build/package"
    mkdir -p "$build"
    ln -sfn "$prefix" "$build/prefix"
    cp -r "$client" "$build/package"
    sed -i "s|\"../CryptoKit\"|\"$build/prefix/share/chatelaine/CryptoKit\"|" "$build/package/Package.swift"
    swift build "${build_flags[@]}" --package-path "$build/package" --scratch-path "$build" \
        -Xswiftc "-I$build/prefix/lib/swift/chatelaine" \
        -Xlinker "-L$build/prefix/lib" -Xlinker -rpath -Xlinker "$build/prefix/lib"
    cp "$build/debug/EnclaveKeys" "$program"
}

# Builds the same sources with the swift-crypto of the debug build. SwiftPM would compile BoringSSL once more, which
# takes longer than everything else here.
build_alone() {
    say "Build the program with swift-crypto as it is built already"
    local debug modules=$folder/modules module objects
    debug=$(swift build --package-path "$root" --show-bin-path)
    mkdir "$modules"
    for module in Crypto CryptoBoringWrapper; do ln -s "$debug/Modules/$module.swiftmodule" "$modules/"; done
    swift package --package-path "$kit" dump-package >/dev/null
    mapfile -t objects < <(
        for module in CCryptoBoringSSL CCryptoBoringSSLShims CXKCP CXKCPShims Crypto CryptoBoringWrapper; do
            find "$debug/$module.build" -name '*.o'
        done
    )
    local flags=(-I "$modules" -I "$prefix/lib/swift/chatelaine")
    mapfile -t sources < <(find "$kit/Sources" -name '*.swift')
    swiftc "${flags[@]}" -swift-version 6 -parse-as-library -wmo -module-name CryptoKit -emit-module \
        -emit-module-path "$modules/CryptoKit.swiftmodule" -emit-object -o "$folder/CryptoKit.o" "${sources[@]}"
    swiftc "${flags[@]}" -swift-version 5 -module-name EnclaveKeys -o "$program" "$client"/Sources/EnclaveKeys/*.swift \
        "$folder/CryptoKit.o" "${objects[@]}" -L "$prefix/lib" -Xlinker -rpath -Xlinker "$prefix/lib" -lstdc++
}

if [ -n "${WITH_PACKAGE-}" ]; then build_package; else build_alone; fi
cp "$program" "$folder/Other"
if readelf -d "$prefix/lib/libSecurity.so" | grep -i crypto; then die "the library loads a cryptographic one"; fi

say "What the enclave signs, OpenSSL verifies"
signs() { # signs PROGRAM MESSAGE: signs with the key of the file
    "$1" sign "$folder/key" "$2" >"$folder/said"
    sed -n '/BEGIN/,/END/p' "$folder/said" >"$folder/public.pem"
    tail -n 1 "$folder/said" | base64 -d >"$folder/signature"
    printf %s "$2" | openssl dgst -sha256 -verify "$folder/public.pem" -signature "$folder/signature" >/dev/null
}
signs "$program" "a message" || die "OpenSSL does not verify"
cp "$folder/public.pem" "$folder/first.pem"
stop_daemons "$prefix"
signs "$program" "another message" || die "OpenSSL does not verify after a restart"
[ "$(cat "$folder/public.pem")" = "$(cat "$folder/first.pem")" ] || die "the kept key is another one"
if printf forged | openssl dgst -sha256 -verify "$folder/public.pem" -signature "$folder/signature" >/dev/null; then
    die "OpenSSL verifies a message that was not signed"
fi

say "Two programs agree, each with a key of its own"
one=$("$program" agree "$folder/one" "")
two=$("$folder/Other" agree "$folder/two" "")
[ "$("$program" agree "$folder/one" "$two" | tail -n 1)" = "$("$folder/Other" agree "$folder/two" "$one" | tail -n 1)" ] ||
    die "they agree on nothing"

say "A stolen key is worth nothing"
refused() { # refused STATUS COMMAND…: expects that a command fails with that status
    local wanted=$1 status=0 output
    shift
    output=$("$@") || status=$?
    [ "$status $output" = "1 refused: $wanted" ] || die "$* ended with $status: $output"
}
refused -25300 "$folder/Other" sign "$folder/key" "a message"
refused -25300 "$folder/Other" agree "$folder/one" "$two"
head -c 100 "$folder/key" >"$folder/damaged"
refused -26275 "$program" sign "$folder/damaged" "a message"
CHATELAINE_HOME=$folder/elsewhere refused -26275 "$program" sign "$folder/key" "a message"
