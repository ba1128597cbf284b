#!/usr/bin/env bash
# Builds everything that is installed into .build/stage-CONFIGURATION, as it will lie below the prefix.
#
#   Tools/build.sh release|debug
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

configuration=${1:?release or debug}
stage=$root/.build/stage-$configuration
# Modules that a client's compiler loads, each after those that it imports. Security and CoreFoundation are the public
# ones; the others are what they import, and without them a client does not compile.
modules=(
    ChatelaineSystem ChatelaineMemory ChatelaineModel ChatelaineIPC ChatelaineCryptography ChatelaineTrustSettings ChatelaineIdentityPreferences CoreFoundation Security LocalAuthentication
)
executables=(securityd enclaved keyd security-agent formatd fetchd security)
# Of the package in Trust, which cannot be built in the same folder (Trust/Package.swift says why).
trust_executables=(trustd security-sign)

package=$root
# Builds one product of `package` and leaves the folder that it is in in `products`.
build() {
    local product=$1
    shift
    say "Building $product ($configuration)"
    swift build --package-path "$package" -c "$configuration" --product "$product" "$@"
    products=$(swift build --package-path "$package" -c "$configuration" --show-bin-path "$@")
}

# What programs look for when they start, and the file that it leads to. SwiftPM gives a library no such name, and as a setting
# of the package it would be an unsafe flag, with which no other package could depend on ours.
soname=libSecurity.so.$(version_constant library)
library=$soname.$(version_constant number)
# CoreFoundation keeps what it was told about our types: a program that closes the library must not lose its code.
library_flags=(-Xlinker -z -Xlinker nodelete -Xlinker -soname -Xlinker "$soname")
executable_flags=()
# One for each way of building, and for each package.
scratch=$root/.build trust_scratch=$root/.build/trust
if [ "$configuration" = release ]; then
    library_flags+=(-Xlinker --strip-debug -Xswiftc -cross-module-optimization)
    # Programs carry Swift's libraries in themselves: they start in half the time and need no toolchain to run. That is
    # another way to compile everything, so it has a scratch folder of its own; otherwise each build undid the other.
    scratch=$root/.build/static trust_scratch=$root/.build/trust-static
    executable_flags=(
        --static-swift-stdlib -Xlinker --strip-all
        # Our floors are many small generic calls across modules, and would otherwise stay generic.
        -Xswiftc -cross-module-optimization
        # BoringSSL keeps the names of its source files; they are no place for the builder's home folder.
        -Xcc "-ffile-prefix-map=$root/=" -Xcxx "-ffile-prefix-map=$root/="
    )
fi
rm -rf "$stage"
mkdir -p "$stage/lib/swift/chatelaine" "$stage/libexec/chatelaine" "$stage/bin"
build Security "${library_flags[@]}"
install -m 755 -T "$products/libSecurity.so" "$stage/lib/$library"
ln -s "$library" "$stage/lib/$soname"
# What linkers look for.
ln -s "$soname" "$stage/lib/libSecurity.so"
for header in "$root"/Headers/*/*.h; do
    install -D -m 644 "$header" "$stage/include/chatelaine/${header#"$root/Headers/"}"
done
mkdir -p "$stage/lib/pkgconfig"
runtime=$(cd "$(toolchain_folder)/../lib/swift/linux" && pwd)
sed "s|@SWIFT@|$runtime|; s|@VERSION@|$(version_constant number)|" "$root/Packaging/pkgconfig/chatelaine.pc.in" >"$stage/lib/pkgconfig/chatelaine.pc"

for executable in "${executables[@]}"; do
    build "$executable" --scratch-path "$scratch" "${executable_flags[@]}"
    install -m 755 "$products/$executable" "$stage/libexec/chatelaine/"
done
mv "$stage/libexec/chatelaine/security" "$stage/bin/"
package=$root/Trust
for executable in "${trust_executables[@]}"; do
    build "$executable" --scratch-path "$trust_scratch" "${executable_flags[@]}"
    install -m 755 "$products/$executable" "$stage/libexec/chatelaine/"
done
# Nobody installs it: `make bench` measures beside it.
if [ -n "${WITH_FLOORS-}" ]; then build trust-floor --scratch-path "$trust_scratch" "${executable_flags[@]}"; fi

# A module for programs that know nothing of Swift.
say "Building pam_chatelaine.so"
mkdir -p "$stage/lib/security"
"$(toolchain_folder)/clang" -std=gnu11 -O2 -Wall -Wextra -Werror -fPIC -shared -fstack-protector-strong -D_FORTIFY_SOURCE=2 \
    "-ffile-prefix-map=$root/=" -fuse-ld=gold -Wl,-z,relro,-z,now,-z,defs,--strip-debug \
    -o "$stage/lib/security/pam_chatelaine.so" "$root/PAM/pam_chatelaine.c" -lpam

# SwiftPM cannot say -module-link-name, by which a program that imports Security links with libSecurity on its own. So
# the modules are written a second time, from the same sources. Without optimisation: no code of ours is to be copied
# into clients, who would keep it when the library is replaced.
say "Writing the modules for clients"
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
touch "$stage/.complete"
