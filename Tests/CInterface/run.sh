#!/usr/bin/env bash
# Uses an installed prefix from C, C++ and Python, as strangers would; part of Tests/install-test.sh, which ends the
# daemons that this starts.
#
#   Tests/CInterface/run.sh PREFIX FOLDER    (programs and other files go into FOLDER)
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../Tools/common.sh"

prefix=${1:?prefix}
folder=${2:?folder}
tests=$root/Tests/CInterface
tools=$(toolchain_folder)
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
mkdir -p "$folder"

# The flags of Documentation/from-c.md. Keep them the same.
read -ra flags <<<"$(pkg-config --cflags --libs chatelaine)"

say "C: what headers, library, Swift module and list say exists"
python3 "$tests/interface.py" "$root" "$prefix" "$tools/.."

say "C: the example"
strict=(-Wall -Wextra -Werror)
suite=("$tests"/{main,check,basics,items,values,strange,concurrent}.c)
"$tools/clang" "${strict[@]}" -o "$folder/password" "$root/Examples/password-in-c/password.c" "${flags[@]}"
printf 'correct horse' | "$folder/password" set mail ada
[ "$("$folder/password" get mail ada)" = "correct horse" ] || die "the example does not find its password"
printf 'battery' | "$folder/password" set mail ada
[ "$("$folder/password" get mail ada)" = battery ] || die "the example does not change its password"
"$folder/password" delete mail ada
if "$folder/password" get mail ada 2>"$folder/message"; then die "the example does not delete its password"; fi
grep -q -- '(-25300)' "$folder/message" || die "the example does not say that there is no password"

say "C: the headers, for every language and compiler that is here"
printf '#include <Security/Security.h>\nint main(void) { return SecRandomCopyBytes(kSecRandomDefault, 0, 0); }\n' \
    >"$folder/empty.c"
cp "$folder/empty.c" "$folder/empty.cc"
for standard in c99 c11 gnu17; do
    "$tools/clang" -std=$standard -pedantic "${strict[@]}" -o "$folder/empty" "$folder/empty.c" "${flags[@]}"
done
"$tools/clang++" -std=c++17 -pedantic "${strict[@]}" -o "$folder/empty" "$folder/empty.cc" "${flags[@]}"
# The toolchain's own CoreFoundation instead of ours.
"$tools/clang" -fblocks -I"$tools/../lib/swift" -o "$folder/empty" "$folder/empty.c" "${flags[@]}"
if command -v gcc >/dev/null; then
    gcc -std=c99 -pedantic "${strict[@]}" -o "$folder/empty" "$folder/empty.c" "${flags[@]}"
    gcc -O2 -std=gnu11 "${strict[@]}" -o "$folder/suite-gcc" "${suite[@]}" "${flags[@]}"
    "$folder/suite-gcc" shapes
else
    echo "SKIPPED: optional: there is no gcc"
fi

say "C: the suite"
"$tools/clang" -g -std=gnu11 "${strict[@]}" -o "$folder/suite" "${suite[@]}" "${flags[@]}"
"$folder/suite"

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
sanitized -o "$folder/sanitized" "${suite[@]}"
for part in constants random messages shapes errors values passwords control strange-dictionaries roomy-dictionaries threads changes; do
    "$folder/sanitized" "$part"
done

say "C: a program that loads the library when it needs it"
"$tools/clang" "${strict[@]}" -o "$folder/loaded" "$tests/loaded.c" -ldl
"$folder/loaded" "$prefix/lib/libSecurity.so"

say "Python, through ctypes"
python3 "$tests/passwords.py" "$prefix/lib/libSecurity.so" "$root/Tools/data/secitem-constants.tsv"
