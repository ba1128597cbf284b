#!/usr/bin/env bash
# Installs into an empty prefix, and uses it as other developers would. There are programs in C and Python, and client
# packages without code for Linux, built only with compiler flags. Daemons start by themselves.
#
#   CONFIGURATION=release Tests/install-test.sh    (debug unless said)
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../Tools/common.sh"

prepare_installation test

say "Install into an empty prefix"
"$root/Tools/install.sh" install "$configuration" "$prefix"
for file in lib/libSecurity.so lib/swift/chatelaine/Security.swiftmodule lib/swift/chatelaine/CoreFoundation.swiftmodule \
    lib/swift/chatelaine/CChatelaine/module.modulemap libexec/chatelaine/securityd libexec/chatelaine/enclaved libexec/chatelaine/keyd libexec/chatelaine/security-agent \
    libexec/chatelaine/trustd libexec/chatelaine/security-sign share/man/man8/trustd.8 \
    libexec/chatelaine/formatd share/man/man8/formatd.8 libexec/chatelaine/fetchd share/man/man8/fetchd.8 \
    lib/pkgconfig/chatelaine.pc include/chatelaine/Security/Security.h include/chatelaine/CoreFoundation/CoreFoundation.h \
    share/doc/chatelaine/Documentation/from-c.md bin/security lib/systemd/user/chatelaine.socket lib/systemd/user/chatelaine.service share/doc/chatelaine/README.md \
    share/man/man1/security.1 share/man/man5/chatelaine-wire.5 share/man/man8/securityd.8 share/man/man8/enclaved.8 share/man/man8/keyd.8 share/man/man8/security-agent.8 \
    share/man/man8/pam_chatelaine.8 lib/security/pam_chatelaine.so share/pam-configs/chatelaine share/chatelaine/interpreters \
    share/chatelaine/CryptoKit/Package.swift share/chatelaine/CryptoKit/Sources/CryptoKit/SecureEnclave.swift \
    share/bash-completion/completions/security share/zsh/site-functions/_security \
    share/fish/vendor_completions.d/security.fish; do
    [ -s "$prefix/$file" ] || die "not installed: $file"
done
if find "$prefix" ! -type l -perm /022 | grep .; then die "others may write to the files above"; fi
if grep -rnE '@(PREFIX|SWIFT|MODULE)@' "$prefix/lib/systemd" "$prefix/lib/pkgconfig" "$prefix/share/pam-configs"; then die "a placeholder is left"; fi
grep -q "	$prefix/lib/security/pam_chatelaine.so program=" "$prefix/share/pam-configs/chatelaine" ||
    die "the profile of PAM does not say where the module is"
if find "$prefix" -name '*.chatelaine-new' | grep .; then die "the drafts above are left"; fi
"$root/Tests/links.sh" "$prefix/share/doc/chatelaine"
# A module that names its build folder would compile only there.
if grep -ralF "$root" "$prefix/lib/swift"; then die "the modules above name the build folder"; fi

say "Programs are signed"
mkdir "$folder/keys"
"$prefix/bin/security" app identity create --team TEAM123456 --common-name Test "$folder/keys" >/dev/null
printf program >"$folder/keys/program"
echo '{"keychain-access-groups": ["TEAM123456.shared"]}' >"$folder/keys/entitlements"
sign() { "$prefix/bin/security" app sign "$folder/keys/program" --identity "$folder/keys/TEAM123456-signer.pem" "$@"; }
signed=$(sign --identifier TEAM123456.one --entitlements "$folder/keys/entitlements")
[ "$signed" = "$folder/keys/program.codesig" ] || die "signing says: $signed"
[ "$(stat -c %a "$signed")" = 644 ] || die "others cannot read $signed"
if sign --identifier OTHER12345.one 2>/dev/null; then die "another team's identifier was signed"; fi
if "$prefix/libexec/chatelaine/trustd" 2>/dev/null; then die "trustd runs without securityd"; fi
if "$prefix/libexec/chatelaine/keyd" 2>/dev/null; then die "keyd runs without enclaved"; fi
if "$prefix/libexec/chatelaine/formatd" 2>/dev/null; then die "formatd runs without securityd"; fi
if "$prefix/libexec/chatelaine/fetchd" 2>/dev/null; then die "fetchd runs without securityd"; fi
for program in enclaved keyd security-agent trustd formatd fetchd; do
    [ "$(stat -c %a "$prefix/libexec/chatelaine/$program")" = 711 ] || die "others than its owner can read $program"
done

say "The library has its number, and three names"
library=$(readlink -f "$prefix/lib/libSecurity.so")
soname=$(readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
[ "$soname" = libSecurity.so.1 ] || die "the library calls itself '$soname'"
[ "$(readlink -f "$prefix/lib/$soname")" = "$library" ] || die "$soname leads elsewhere than libSecurity.so"
PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --exact-version="$(version_constant number)" chatelaine ||
    die "pkg-config does not know the version"

say "What programs load has nothing of what only the daemons need"
servers='[0-9]+(SystemCalls|EnclaveProtocol|TrustProtocol|SignatureFormat|CallerIdentity|ServerIPC|Sealing|Enclave|StoreEngine|ItemStore|SecurityServer)[A-Z0-9]'
symbols=$(nm -D --defined-only "$library")
grep -qE '13ChatelaineIPC' <<<"$symbols" || die "the library's symbols cannot be told by their module"
if grep -m 5 -E "[^0-9]$servers" <<<"$symbols"; then die "the library has the symbols above"; fi
for file in "$library" "$prefix/bin/security"; do
    # The reflection metadata has the names of types, even in stripped files.
    if grep -aqE '(EnclaveProtocol|ServerIPC)' "$file"; then die "$file has code of the daemons"; fi
done
# Only the programs that ask for new passwords may load a checker of passwords: the command and the agent.
for file in "$library" "$prefix"/libexec/chatelaine/*; do
    [ "${file##*/}" != security-agent ] || continue
    if readelf -d "$file" | grep 'NEEDED.*zxcvbn'; then die "$file loads what estimates passwords"; fi
done
readelf -d "$prefix/bin/security" | grep -q 'NEEDED.*zxcvbn' || die "the command does not load what estimates passwords"

say "An earlier version gives way"
# Installs over an earlier version, and over one whose library was a plain file.
rm "$prefix/lib/libSecurity.so"
touch "$prefix/lib/libSecurity.so" "$prefix/lib/$soname.0.0.1"
"$root/Tools/install.sh" install "$configuration" "$prefix" >/dev/null
[ "$(readlink -f "$prefix/lib/libSecurity.so")" = "$library" ] || die "the library of before is still there"
[ ! -e "$prefix/lib/$soname.0.0.1" ] || die "an earlier version of the library is still there"

say "The command, found by its name alone, starts the daemon"
(cd / && PATH=$prefix/bin:$PATH security status >/dev/null) || die "bin/security does not find securityd"

say "Settings of trust are written"
# A release build writes them with a Foundation of its own.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$folder/keys/root.key" -out "$folder/keys/root.pem" \
    -days 2 -subj '/CN=Root' 2>/dev/null
"$prefix/bin/security" add-trusted-cert -o "$folder/keys/trust.plist" -r deny -p ssl "$folder/keys/root.pem"
grep -q kSecTrustSettingsPolicy "$folder/keys/trust.plist" || die "the settings of trust are not in their file"
"$prefix/bin/security" add-trusted-cert -i "$folder/keys/trust.plist" -o "$folder/keys/trust.plist" -r deny "$folder/keys/root.pem"

say "An installation ends the daemons of before, which could start no others"
"$root/Tools/install.sh" install "$configuration" "$prefix" >/dev/null
printf secret | "$prefix/bin/security" item add --service install --account test --stdin
[ "$("$prefix/bin/security" item find --service install --account test --secret)" = secret ] || die "an item is lost"
"$prefix/bin/security" item delete --service install --account test >/dev/null

say "Install for a packager, and take it away again"
"$root/Tools/install.sh" install "$configuration" /usr "$folder/image"
grep -qx 'ExecStart=/usr/libexec/chatelaine/securityd' "$folder/image/usr/lib/systemd/user/chatelaine.service" ||
    die "the unit must name the prefix without DESTDIR"
grep -qx 'prefix=/usr' "$folder/image/usr/lib/pkgconfig/chatelaine.pc" ||
    die "the pkg-config file must name the prefix without DESTDIR"
"$root/Tools/install.sh" uninstall "$configuration" /usr "$folder/image"
if find "$folder/image" ! -type d | grep .; then die "uninstall left the files above"; fi

"$root/Tests/Faces/CInterface/run.sh" "$prefix" "$folder/c"

# The flags of README.md. Keep them the same.
flags=(
    -Xswiftc "-I$prefix/lib/swift/chatelaine"
    -Xlinker "-L$prefix/lib" -Xlinker -rpath -Xlinker "$prefix/lib"
)
implicit_import=(-Xswiftc -Xfrontend -Xswiftc -import-module -Xswiftc -Xfrontend -Xswiftc Security)

say "Build a program that imports Security"
swift build "${build_flags[@]}" --package-path "$root/Examples/PasswordKeeper" --scratch-path "$folder/keeper" \
    -Xswiftc -warnings-as-errors "${flags[@]}"

say "Build and run one that imports LocalAuthentication, where nobody can be asked"
swift build "${build_flags[@]}" --package-path "$root/Examples/SecretNotes" --scratch-path "$folder/notes" \
    -Xswiftc -warnings-as-errors "${flags[@]}"
notes() { setsid --wait "$folder/notes/debug/SecretNotes" "$@" 2>&1; }
ends() {
    local status=$1 actual=0
    shift
    output=$("$@") || actual=$?
    [ "$actual" -eq "$status" ] || die "$* ended with $actual instead of $status: $output"
}
ends 1 notes add plan <<<"nobody is known to be its owner"
printf 'open sesame\na word' | ends 0 notes add word --password
ends 0 notes show word --password <<<"open sesame"
ends 3 notes show word --password <<<"open barley"
printf 'correct horse\n' | "$prefix/bin/security" passcode set --stdin >/dev/null 2>&1
ends 0 notes add plan <<<"the plan"
ends 1 notes show plan
ends 0 notes list
[ "$(sort <<<"$output")" = $'plan (presence)\nword (password)' ] || die "these are other notes: $output"
for name in plan word; do ends 0 notes delete "$name"; done
printf 'correct horse\n' | "$prefix/bin/security" passcode remove --stdin >/dev/null 2>&1

say "Compile code whose replies capture what is not Sendable, as an application of each language mode"
for mode in 5 6; do
    swiftc -typecheck -swift-version "$mode" -I "$prefix/lib/swift/chatelaine" "$root/Tests/Faces/Clients/Unlocking/Unlocking.swift" \
        2>"$folder/unlocking.log" || die "Swift $mode does not compile it: $(cat "$folder/unlocking.log")"
done

say "Sign a token with a key of the enclave, and have OpenSSL verify it"
swift build "${build_flags[@]}" --package-path "$root/Examples/SignedToken" --scratch-path "$folder/token" \
    -Xswiftc -warnings-as-errors "${flags[@]}"
signer=$folder/token/debug/SignedToken
token=$("$signer" sign sub=ada scope=read)
key=$("$signer" key)
claims=$(python3 "$root/Tests/verify-token.py" "$key" "$token")
grep -q '"scope": "read", "sub": "ada"' <<<"$claims" || die "the token claims something else: $claims"
if python3 "$root/Tests/verify-token.py" "$key" "e30.$(cut -d. -f2- <<<"$token")" 2>/dev/null; then die "a token with another header is verified"; fi
if python3 "$root/Tests/verify-token.py" "$key" "${token%.*}x.${token##*.}" 2>/dev/null; then die "a token with other claims is verified"; fi
[ "$("$signer" delete)" = deleted ] || die "the key is not deleted"
if python3 "$root/Tests/verify-token.py" "$("$signer" key)" "$token" 2>/dev/null; then die "another key verifies the token"; fi

say "Run the other without what only linkers need"
printf secret | "$folder/keeper/debug/PasswordKeeper" set mail >/dev/null
rm "$prefix/lib/libSecurity.so"
[ "$("$folder/keeper/debug/PasswordKeeper" get mail)" = secret ] || die "a program does not start without libSecurity.so"
ln -s "$soname" "$prefix/lib/libSecurity.so"

say "A program in Swift keeps the signals that Swift's runtime catches"
cat >"$folder/signals.swift" <<'SWIFT'
import Foundation

let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
print(status.split(separator: "\n").first { $0.hasPrefix("SigCgt") } ?? "")
SWIFT
swiftc -o "$folder/signals" "$folder/signals.swift"
(cat "$folder/signals.swift" && echo 'import Security' && echo 'print(errSecSuccess, SecKeyGetTypeID())') >"$folder/more.swift"
swiftc -o "$folder/more" "$folder/more.swift" -I "$prefix/lib/swift/chatelaine" -L "$prefix/lib" -Xlinker -rpath -Xlinker "$prefix/lib"
[ "$("$folder/signals")" = "$("$folder/more" | head -n 1)" ] || die "a program in Swift has other handlers with the library than without"

say "Build and test a library that partly imports Foundation only"
wrappers=(
    --package-path "$root/Tests/Faces/Clients/KeychainWrappers" --scratch-path "$folder/client"
    -Xswiftc -warnings-as-errors "${flags[@]}" "${implicit_import[@]}"
)
swift test "${wrappers[@]}" --skip SharedVaultTests

say "Sign its tests, as README.md has it, and run those that need access groups"
cat >"$folder/keys/tests.json" <<'JSON'
{"keychain-access-groups": ["TEAM123456.org.example.first", "TEAM123456.org.example.second"],
 "com.apple.security.application-groups": ["group.org.example.shared"]}
JSON
"$prefix/bin/security" app team add "$folder/keys/TEAM123456.pem" >/dev/null
"$prefix/bin/security" app sign "$folder/client/debug/KeychainWrappersPackageTests.xctest" --identity "$folder/keys/TEAM123456-signer.pem" \
    --identifier TEAM123456.org.example.tests --entitlements "$folder/keys/tests.json" >/dev/null
swift test "${wrappers[@]}" --skip-build --filter SharedVaultTests
"$prefix/bin/security" app team remove TEAM123456 >/dev/null
if swift test "${wrappers[@]}" --skip-build --filter SharedVaultTests.testAllGroupsAreThere >/dev/null 2>&1; then
    die "the groups are there without the team"
fi
