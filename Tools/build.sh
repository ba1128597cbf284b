#!/usr/bin/env bash
# Builds all installed files into .build/stage-CONFIGURATION, laid out as below the prefix.
#
#   Tools/build.sh release|debug
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

configuration=${1:?release or debug}
stage=$root/.build/stage-$configuration
# Modules that a client's compiler loads, each after those that it imports. Security and CoreFoundation are public. They
# import the others, without which a client does not compile.
modules=(
    ChatelaineSystem ChatelaineMemory ChatelaineModel ChatelaineIPC ChatelaineCryptography ChatelaineTrustSettings ChatelaineIdentityPreferences CoreFoundation Security LocalAuthentication
)
executables=(securityd enclaved keyd security-agent formatd fetchd security)
# The programs of the package in Trust, which cannot be built in the same folder (Trust/Package.swift says why).
trust_executables=(trustd security-sign)

package=$root
# build PRODUCT FOLDER FLAG…: builds a product of `package` in a scratch folder, and sets `products` to where it is.
build() {
    local product=$1 folder=$2
    shift 2
    say "Building $product ($configuration)"
    swift build "${build_flags[@]}" --package-path "$package" -c "$configuration" --scratch-path "$folder" --product "$product" "$@"
    products=$folder/$configuration
}

# The soname, which programs load at their start. SwiftPM sets none. In the package it would be an unsafe flag, with
# which no other package could depend on Chatelaine.
soname=libSecurity.so.$(version_constant library)
library=$soname.$(version_constant number)
# CoreFoundation keeps pointers to the library's types, so the library must stay loaded after a program closes it.
library_flags=(-Xlinker -z -Xlinker nodelete -Xlinker -soname -Xlinker "$soname")
executable_flags=()
# One scratch folder for each package and kind of build.
scratch=$root/.build trust_scratch=$root/.build/trust
if [ "$configuration" = release ]; then
    library_flags+=(-Xlinker --strip-debug -Xswiftc -cross-module-optimization)
    # Programs link Swift's libraries statically: they start in half the time and need no toolchain to run. That
    # compiles everything differently, so it has its own scratch folder; otherwise each build would undo the other.
    scratch=$root/.build/static trust_scratch=$root/.build/trust-static
    executable_flags=(
        --static-swift-stdlib -Xlinker --strip-all
        # Many small generic calls cross modules, and would otherwise stay generic.
        -Xswiftc -cross-module-optimization
        # BoringSSL contains the names of its source files, which must not show the builder's home folder.
        -Xcc "-ffile-prefix-map=$root/=" -Xcxx "-ffile-prefix-map=$root/="
    )
fi
rm -rf "$stage"
mkdir -p "$stage/lib/swift/chatelaine" "$stage/libexec/chatelaine" "$stage/bin"

# SwiftPM has no -module-link-name, with which a program that imports Security links with libSecurity by itself. So the
# modules are written a second time, from the same sources. They are not optimised: clients must get no copy of the
# library's code, which they would keep when the library is replaced.
# They need the sources alone, and are written while the products are built.
write_modules() {
    local module headers sources
    for module in CChatelaine CChatelaineRunLoop CChatelaineCrypto; do
        headers=$stage/lib/swift/chatelaine/$module
        mkdir -p "$headers"
        install -m 644 "$(module_folder "$module")"/include/*.h "$headers/"
        cat >"$headers/module.modulemap" <<MAP
module $module {
    umbrella "."
    export *
}
MAP
    done
    for module in "${modules[@]}"; do
        mapfile -t sources < <(find "$(module_folder "$module")" -name '*.swift' | LC_ALL=C sort)
        swiftc -emit-module -emit-module-path "$stage/lib/swift/chatelaine/$module.swiftmodule" \
            -module-name "$module" -module-link-name Security -parse-as-library -wmo -swift-version 6 \
            -package-name chatelaine -avoid-emit-module-source-info -I "$stage/lib/swift/chatelaine" "${sources[@]}"
    done
}
say "Writing the modules for clients, beside the products"
write_modules &
writing=$!
# Only while it runs: afterwards its number may be another process's.
end_writing() { if [ -n "$(jobs -rp)" ]; then kill "$writing" 2>/dev/null || true; fi; }
trap end_writing EXIT

build Security "$root/.build" "${library_flags[@]}"
install -m 755 -T "$products/libSecurity.so" "$stage/lib/$library"
ln -s "$library" "$stage/lib/$soname"
# The name that linkers look for.
ln -s "$soname" "$stage/lib/libSecurity.so"
for header in "$root"/Headers/*/*.h; do
    install -D -m 644 "$header" "$stage/include/chatelaine/${header#"$root/Headers/"}"
done
mkdir -p "$stage/lib/pkgconfig"
runtime=$(cd "$(toolchain_folder)/../lib/swift/linux" && pwd)
sed "s|@SWIFT@|$runtime|; s|@VERSION@|$(version_constant number)|" "$root/Packaging/pkgconfig/chatelaine.pc.in" >"$stage/lib/pkgconfig/chatelaine.pc"

for executable in "${executables[@]}"; do
    build "$executable" "$scratch" "${executable_flags[@]}"
    install -m 755 "$products/$executable" "$stage/libexec/chatelaine/"
done
mv "$stage/libexec/chatelaine/security" "$stage/bin/"
package=$root/Trust
for executable in "${trust_executables[@]}"; do
    build "$executable" "$trust_scratch" "${executable_flags[@]}"
    install -m 755 "$products/$executable" "$stage/libexec/chatelaine/"
done
# Not installed: `make bench` uses it as a floor.
if [ -n "${WITH_FLOORS-}" ]; then build trust-floor "$trust_scratch" "${executable_flags[@]}"; fi

# A PAM module, for programs without Swift.
say "Building pam_chatelaine.so"
mkdir -p "$stage/lib/security"
"$(toolchain_folder)/clang" -std=gnu11 -O2 -Wall -Wextra -Werror -fPIC -shared -fstack-protector-strong -D_FORTIFY_SOURCE=2 \
    "-ffile-prefix-map=$root/=" -fuse-ld=gold -Wl,-z,relro,-z,now,-z,defs,--strip-debug \
    -o "$stage/lib/security/pam_chatelaine.so" "$root/PAM/pam_chatelaine.c" -lpam

wait "$writing"
touch "$stage/.complete"
