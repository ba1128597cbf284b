#!/usr/bin/env bash
# Runs the attacks in Tests/attacks and says of each what came of it: most must fail; those that THREAT-MODEL.md says cannot be
# stopped must succeed, in its very words.
#
#   Tests/attacks-test.sh               all; as root, so that they are made as other users
#   Tests/attacks-test.sh trace flood   those whose name has one of the words in it, with what they print
#   CONFIGURATION=release ATTACK_SECONDS=30 Tests/attacks-test.sh flood
#                                       how much slower another program's calls are beside a flood, on a quiet machine
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../Tools/common.sh"
cd "$root"

configuration=${CONFIGURATION:-debug}
# User ids that nobody has; one for each attack, since limits are counted by user.
first_user=25000
stranger=24999
# Ten times what the longest takes: a machine with other things to do needs several times as long, and whoever hangs is found all the same.
patience=300

# Where any user can run them: a short path, since the name of a Unix socket has room for 107 bytes.
folder=$(mktemp -d /tmp/chatelaine-attacks.XXXXXX)
clean_up() {
    local status=$?
    stop_daemons "$folder/prefix" || status=1
    rm -rf "$folder"
    exit "$status"
}
trap clean_up EXIT

say "Building ($configuration)"
swift build -c "$configuration" | tail -n 1
say "Attacking"
built=$(swift build -c "$configuration" --show-bin-path)
chmod 755 "$folder"
mkdir -p "$folder/prefix/bin" "$folder/prefix/libexec/chatelaine"
cp "$built/securityd" "$built/enclaved" "$built/security-agent" "$folder/prefix/libexec/chatelaine/"
trust=.build/trust/$configuration
[ -x "$trust/trustd" ] || die "build trustd first: make build CONFIGURATION=$configuration"
cp "$trust/trustd" "$trust/security-sign" "$folder/prefix/libexec/chatelaine/"
# As Tools/install.sh does.
chmod 711 "$folder/prefix/libexec/chatelaine/"{enclaved,security-agent,trustd}
cp "$built/security" "$built/probe" "$folder/prefix/bin/"
clang=$(toolchain_folder)/clang
flags=(-std=gnu11 -O1 -Wall -Wextra -Werror -pthread)
tools=Tests/attacks/tools
"$clang" "${flags[@]}" -o "$folder/prefix/bin/attack" "$tools"/{attack,keychain,reach,listen,exchange,inject,disguise,flood,hang,hold,mapped,passcodes,sandwich}.c -ldl
"$clang" "${flags[@]}" -shared -fPIC -o "$folder/prefix/bin/injected.so" "$tools"/{injected,keychain}.c
"$clang" "${flags[@]}" -shared -fPIC -o "$folder/prefix/bin/dictated.so" "$tools/dictated.c"
"$clang" "${flags[@]}" -shared -fPIC -o "$folder/prefix/bin/tapped.so" "$tools/tapped.c" -ldl

# Line breaks and indents do not count.
model=$(tr -s ' \n' ' ' <THREAT-MODEL.md)
must_fail=0 must_succeed=0 skipped=0 wrong=0 number=0 went_wrong=""
for script in Tests/attacks/*.sh; do
    name=$(basename "$script" .sh)
    if [ "$name" = common ]; then continue; fi
    number=$((number + 1))
    if [ $# -gt 0 ]; then
        is_meant=false
        for word in "$@"; do case $name in *"$word"*) is_meant=true ;; esac; done
        if [ "$is_meant" = false ]; then continue; fi
    fi
    title=$(sed -n '2s/^# //p' "$script")
    expected=$(sed -n '3s/^# expected: //p' "$script")
    sentence=${expected#succeeds: }
    user=$(id -u)
    if [ "$user" -eq 0 ]; then user=$((first_user + number)); fi
    mkdir -p "$folder/$number/home"
    chown -R "$user:$user" "$folder/$number"
    chmod 755 "$folder/$number" "$folder/$number/home"
    status=0
    ATTACK_PREFIX=$folder/prefix ATTACK_FOLDER=$folder/$number ATTACK_USER=$user ATTACK_STRANGER=$stranger \
        timeout --kill-after=5 "$patience" bash ${ATTACK_TRACE:+-x} "$script" >"$folder/log" 2>&1 || status=$?
    stop_daemons "$folder/prefix"
    rm -rf "${folder:?}/$number"
    outcome=wrong
    case $expected-$status in
    fails-11) outcome="fails, as it must" must_fail=$((must_fail + 1)) ;;
    fails-10) outcome="SUCCEEDS, and must not" ;;
    succeeds:*-10) outcome="succeeds, as THREAT-MODEL.md says" must_succeed=$((must_succeed + 1)) ;;
    succeeds:*-11) outcome="FAILS: THREAT-MODEL.md says that it succeeds" ;;
    *-12) outcome="SKIPPED: $(tail -n 1 "$folder/log")" skipped=$((skipped + 1)) ;;
    *) outcome="BROKEN: status $status" ;;
    esac
    case $expected-$model in
    fails-* | "succeeds: "*"$sentence"*) ;;
    *) outcome="BROKEN: THREAT-MODEL.md does not say '$sentence'" ;;
    esac
    printf '%-22s %s — %s\n' "$name" "$title" "$outcome"
    case $outcome in
    SUCCEEDS* | FAILS* | BROKEN* | wrong)
        wrong=$((wrong + 1))
        went_wrong+="$name — $outcome"$'\n'"$(tail -n 15 "$folder/log" | tr -d '\0' | sed 's/^/    /')"$'\n'
        sed 's/^/    /' "$folder/log"
        ;;
    *) if [ $# -gt 0 ]; then sed 's/^/    /' "$folder/log"; fi ;;
    esac
done
if [ "$skipped" -gt 0 ]; then echo "SKIPPED: $skipped attacks need what is not here"; fi
echo "$((must_fail + must_succeed)) attacks: $must_fail fail, as they must; $must_succeed succeed, as THREAT-MODEL.md says; $wrong went wrong"
printf '%s' "$went_wrong"
[ "$wrong" -eq 0 ] || die "the attacks above did not come to what they must"
