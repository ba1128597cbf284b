#!/usr/bin/env bash
# Uses an installed prefix from C, C++ and Python, as strangers would; part of Tests/install-test.sh, which ends the
# daemons that this starts.
#
#   Tests/Faces/CInterface/run.sh PREFIX FOLDER    (programs and other files go into FOLDER)
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../../Tools/common.sh"

prefix=${1:?prefix}
folder=${2:?folder}
tests=$root/Tests/Faces/CInterface
tools=$(toolchain_folder)
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
mkdir -p "$folder"

# The flags of Documentation/from-c.md. Keep them the same.
read -ra flags <<<"$(pkg-config --cflags --libs chatelaine)"
read -ra compile_flags <<<"$(pkg-config --cflags chatelaine)"

say "C: what headers, library, Swift module and list say exists"
python3 "$tests/interface.py" "$root" "$prefix" "$tools/.."

say "C: the example"
strict=(-Wall -Wextra -Werror)
suite=("$tests"/{main,check,basics,foundation,items,references,values,task,keys,key-items,access,keychains,callbacks,keychain-items,keychain-keys,key-arguments,samples,certificates,files,trust,trusted-search,trust-settings,strange,concurrent}.c)
fixtures=-DFIXTURES="\"$root/Tests/Keys/KeyFormatsTests/Fixtures\""
"$tools/clang" "${strict[@]}" -o "$folder/password" "$root/Examples/password-in-c/password.c" "${flags[@]}"
printf 'correct horse' | "$folder/password" set mail ada
[ "$("$folder/password" get mail ada)" = "correct horse" ] || die "the example does not find its password"
printf 'battery' | "$folder/password" set mail ada
[ "$("$folder/password" get mail ada)" = battery ] || die "the example does not change its password"
"$folder/password" delete mail ada
if "$folder/password" get mail ada 2>"$folder/message"; then die "the example does not delete its password"; fi
grep -q -- '(-25300)' "$folder/message" || die "the example does not say that there is no password"

say "C: the example with a key"
"$tools/clang" -std=c11 -pedantic "${strict[@]}" -o "$folder/key" "$root/Examples/key-in-c/key.c" "${flags[@]}"
key() { "$folder/key" "$@" 2>"$folder/message"; }
refuses() {
    if key "${@:2}" <"$folder/signed" >/dev/null; then die "the example does not refuse: ${*:2}"; fi
    grep -q -- "($1)" "$folder/message" || die "the example does not say $1: $(cat "$folder/message")"
}
printf 'a program' >"$folder/signed"
key make release || die "the example makes no key: $(cat "$folder/message")"
key sign release <"$folder/signed" >"$folder/signature" || die "the example signs nothing: $(cat "$folder/message")"
key verify release "$folder/signature" <"$folder/signed" || die "the example does not verify: $(cat "$folder/message")"
refuses -67808 verify release "$folder/signed"
refuses -25300 sign other
key delete release || die "the example does not delete its key: $(cat "$folder/message")"
refuses -25300 verify release "$folder/signature"

say "C: the headers, for every language and compiler that is here"
printf '#include <Security/Security.h>\nint main(void) { return SecRandomCopyBytes(kSecRandomDefault, 0, 0); }\n' \
    >"$folder/empty.c"
cp "$tests/bare.c" "$folder/bare.cc"
cp "$tests/literals.c" "$folder/literals.cc"
for standard in c99 c11 gnu17; do
    "$tools/clang" -std=$standard -pedantic "${strict[@]}" -o "$folder/bare" "$tests/bare.c" "${flags[@]}"
    "$folder/bare"
done
for standard in c++11 c++17; do
    "$tools/clang++" -std=$standard -pedantic "${strict[@]}" -o "$folder/bare" "$folder/bare.cc" "${flags[@]}"
    "$tools/clang++" -std=$standard -pedantic "${strict[@]}" -o "$folder/literals" "$folder/literals.cc" "${flags[@]}"
    "$folder/literals"
done
# The toolchain's own CoreFoundation instead of ours, and both in one program.
theirs=(-fblocks -fconstant-cfstrings -fcf-runtime-abi=swift "-I$tools/../lib/swift")
"$tools/clang" "${theirs[@]}" -o "$folder/empty" "$folder/empty.c" "${flags[@]}"
cat >"$folder/theirs.c" <<'C'
#include <Security/Security.h>

CFStringRef theirs(void);
Boolean same(CFTypeRef first, CFTypeRef second);
CFStringRef theirs(void) { return CFSTR("acct"); }
Boolean same(CFTypeRef first, CFTypeRef second) { return CFEqual(first, second); }
C
cat >"$folder/ours.c" <<'C'
#include <Security/Security.h>

CFStringRef theirs(void);
Boolean same(CFTypeRef first, CFTypeRef second);
int main(void) { return !(same(theirs(), kSecAttrAccount) == TRUE && same(theirs(), CFSTR("acc")) == FALSE); }
C
"$tools/clang" "${theirs[@]}" -c -o "$folder/theirs.o" "$folder/theirs.c" "${compile_flags[@]}"
"$tools/clang" "${strict[@]}" -o "$folder/both" "$folder/ours.c" "$folder/theirs.o" "${flags[@]}"
"$folder/both"
if command -v gcc >/dev/null; then
    gcc -std=c99 -pedantic "${strict[@]}" -o "$folder/bare" "$tests/bare.c" "${flags[@]}"
    g++ -std=c++11 -pedantic "${strict[@]}" -o "$folder/bare" "$folder/bare.cc" "${flags[@]}"
    g++ -std=c++11 -pedantic "${strict[@]}" -o "$folder/literals" "$folder/literals.cc" "${flags[@]}"
    "$folder/literals"
    gcc -O2 -std=gnu11 "${strict[@]}" "$fixtures" -o "$folder/suite-gcc" "${suite[@]}" "${flags[@]}"
    "$folder/suite-gcc" shapes
else
    echo "SKIPPED: optional: there is no gcc"
fi

say "C: constant strings of the compiler, with the flags that the file for pkg-config names"
read -ra constant_strings <<<"$(pkg-config --variable=constant_strings chatelaine)"
"$tools/clang" -std=c11 "${strict[@]}" "${constant_strings[@]}" -o "$folder/literals" "$tests/literals.c" "${flags[@]}"
"$folder/literals"
# Under a name of its own: a program that was built anew is a changed one.
"$tools/clang++" -std=c++17 "${strict[@]}" "${constant_strings[@]}" -o "$folder/literals-cc" "$folder/literals.cc" "${flags[@]}"
"$folder/literals-cc"
if "$tools/clang" -DCHATELAINE_CONSTANT_STRINGS -c -o "$folder/literals.o" "$tests/literals.c" "${compile_flags[@]}" 2>"$folder/message"; then
    die "half of the flags are taken for all"
fi
grep -q 'constant strings need -fcf-runtime-abi=swift' "$folder/message" || die "the compiler does not say what is missing"

say "C: a program's signals are its own"
"$tools/clang" -std=c11 "${strict[@]}" -DLINKED -o "$folder/signals" "$tests/signals.c" "${flags[@]}"
"$tools/clang" -std=c11 "${strict[@]}" -o "$folder/signals-loaded" "$tests/signals.c" -ldl
"$folder/signals"
"$folder/signals-loaded" "$prefix/lib/libSecurity.so.1"
SWIFT_BACKTRACE=enable=yes "$folder/signals" caught 2>/dev/null || die "who asks for Swift's backtraces does not get them"
status=0
# The shell has something to say about it, too.
{ (ulimit -c 0 && exec "$folder/signals" crash) >"$folder/message" 2>&1; } 2>/dev/null || status=$?
[ "$status" -eq 134 ] || die "a crash ends with status $status instead of 134, signal 6"
[ ! -s "$folder/message" ] || die "a crash prints: $(cat "$folder/message")"

say "C: the suite"
"$tools/clang" -g -std=gnu11 "${strict[@]}" "$fixtures" -o "$folder/suite" "${suite[@]}" "${flags[@]}"
"$folder/suite"
if [ "$(id -u)" = 0 ]; then
    # Settings of a user's own: root has none.
    other=$folder/other
    install -d -m 700 -o 20041 -g 20041 "$other"
    install -m 755 "$folder/suite" "$other/suite"
    chmod o+x "$folder" "${prefix%/*}"
    CHATELAINE_HOME=$other/home setpriv --reuid=20041 --regid=20041 --clear-groups "$other/suite" settings-of-trust
fi

say "C: why a call failed"
CHATELAINE_DEBUG=1 "$folder/suite" errors 2>"$folder/message"
grep -qx 'SecItemCopyMatching: errSecParam (-50): kSecMatchLimit must be .*' "$folder/message" || die "the key is not named"
CHATELAINE_DEBUG=1 "$folder/suite" strange-dictionaries 2>>"$folder/message"
grep -q 'SecItemDelete: errSecParam (-50): the value of kSecAttrComment is, or holds, a pointer' "$folder/message" ||
    die "the key of a pointer to nothing is not named"
if grep -vE '^Sec[A-Za-z]+: err[A-Za-z]+ \(-[0-9]+\): .' "$folder/message"; then die "the lines above say no reason"; fi
"$folder/suite" errors 2>"$folder/message"
[ ! -s "$folder/message" ] || die "something is said although nobody asked"

say "C: the same program with Swift's libraries from another folder"
mkdir "$folder/runtime"
cp -a "$tools"/../lib/swift/linux/*.so "$folder/runtime/"
LD_LIBRARY_PATH=$folder/runtime LD_DEBUG=libs LD_DEBUG_OUTPUT=$folder/loaded "$folder/suite" shapes
grep -qE "trying file=$folder/runtime/libFoundation.so" "$folder"/loaded.* || die "libFoundation.so came from elsewhere"
rm -rf "$folder/runtime"

say "C: memory, with the address and leak sanitizers"
# The linker has something to say about each of the sanitizer's own symbols.
sanitized() { "$tools/clang" -g -std=gnu11 -fsanitize=address "$@" "${flags[@]}" 2> >(grep -v 'Cannot export local' >&2); }
cat >"$folder/leak.c" <<'C'
#include <Security/Security.h>

int main(void) {
    for (int status = 1; status <= 100; status++) SecCopyErrorMessageString(status, NULL);
    return 0;
}
C
sanitized -o "$folder/leak" "$folder/leak.c"
if "$folder/leak" 2>"$folder/message"; then die "the sanitizer does not see an object that is never released"; fi
if ! grep -q 'LeakSanitizer: detected memory leaks' "$folder/message"; then
    # It traces the process to find its references, which some containers do not allow.
    grep -q 'LeakSanitizer has encountered a fatal error' "$folder/message" || die "$(cat "$folder/message")"
    echo "SKIPPED: optional: the leak sanitizer does not work here"
    export ASAN_OPTIONS=detect_leaks=0
fi
sanitized "$fixtures" -o "$folder/sanitized" "${suite[@]}"
for part in constants random messages foundation type-identifiers shapes references errors values passwords control access-objects file-keychains callbacks keychain-entries arguments-of-keys certificates identities pkcs12 files-of-keys policies evaluations settings-of-trust strange-dictionaries nested-dictionaries roomy-dictionaries threads changes; do
    "$folder/sanitized" "$part"
done

say "C: a program that loads the library when it needs it"
"$tools/clang" "${strict[@]}" -o "$folder/loaded" "$tests/loaded.c" -ldl
"$folder/loaded" "$prefix/lib/libSecurity.so.1"

say "Python, through ctypes"
python3 "$tests/passwords.py" "$prefix/lib/libSecurity.so.1" "$root/Tools/data/secitem-constants.tsv"
