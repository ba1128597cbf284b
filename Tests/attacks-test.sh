#!/usr/bin/env bash
# Runs the attacks in Tests/attacks and reports the outcome of each. Most must fail. An attack must succeed only if
# THREAT-MODEL.md says, in the same words, that it cannot be stopped.
#
#   Tests/attacks-test.sh               all attacks; run it as root, so that they run as other users
#   Tests/attacks-test.sh trace flood   the attacks whose name has one of the words, with their output
#   CONFIGURATION=release ATTACK_SECONDS=30 Tests/attacks-test.sh flood
#                                       measures how a flood slows another program's calls, on a quiet machine
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../Tools/common.sh"
cd "$root"

configuration=${CONFIGURATION:-debug}
# Unused user ids; one for each attack, since limits are counted by user.
first_user=25000
first_stranger=24999
# The time limit is ten times that of the longest attack: a busy machine needs several times as long, and an attack that
# hangs is still found.
patience=300

# Any user can run programs in /tmp. The path is short, since the name of a Unix socket has room for 107 bytes.
folder=$(mktemp -d /tmp/chatelaine-attacks.XXXXXX)
pids=()
clean_up() {
    local status=$?
    local prefix
    if [ "${#pids[@]}" -gt 0 ]; then kill "${pids[@]}" 2>/dev/null || true; fi
    for prefix in "$folder"/*/prefix; do stop_daemons "$prefix" || status=1; done
    rm -rf "$folder"
    exit "$status"
}
trap clean_up EXIT

say "Building ($configuration)"
swift build "${build_flags[@]}" -c "$configuration" | tail -n 1
say "Attacking"
built=$(swift build -c "$configuration" --show-bin-path)
chmod 755 "$folder"
mkdir -p "$folder/prefix/bin" "$folder/prefix/libexec/chatelaine"
cp "$built/securityd" "$built/enclaved" "$built/keyd" "$built/security-agent" "$built/formatd" "$built/fetchd" "$folder/prefix/libexec/chatelaine/"
trust=.build/trust/$configuration
[ -x "$trust/trustd" ] || die "build trustd first: make build CONFIGURATION=$configuration"
cp "$trust/trustd" "$trust/security-sign" "$folder/prefix/libexec/chatelaine/"
# The same modes as in Tools/install.sh.
chmod 711 "$folder/prefix/libexec/chatelaine/"{enclaved,keyd,security-agent,trustd,formatd,fetchd}
cp "$built/security" "$built/probe" "$folder/prefix/bin/"
clang=$(toolchain_folder)/clang
version=$(sed -n 's/^ *package static let version: UInt64 = \([0-9]*\)$/\1/p' Sources/Protocol/ChatelaineIPC/Messages/Handshake.swift)
flags=(-std=gnu11 -O1 -Wall -Wextra -Werror -pthread "-DPROTOCOL_VERSION=$version")
tools=Tests/attacks/tools
"$clang" "${flags[@]}" -o "$folder/prefix/bin/attack" "$tools"/{attack,keychain,reach,listen,exchange,inject,disguise,flood,hang,hold,landlock,mapped,passcodes,sandwich}.c -ldl
"$clang" "${flags[@]}" -shared -fPIC -o "$folder/prefix/bin/injected.so" "$tools"/{injected,keychain}.c
"$clang" "${flags[@]}" -shared -fPIC -o "$folder/prefix/bin/dictated.so" "$tools/dictated.c"
"$clang" "${flags[@]}" -shared -fPIC -o "$folder/prefix/bin/tapped.so" "$tools/tapped.c" -ldl

# Compares texts without line breaks and indents.
model=$(tr -s ' \n' ' ' <THREAT-MODEL.md)

# attack SCRIPT NUMBER LANE: runs an attack in the lane's own household, stores its outcome and prints a line.
attack() {
    local script=$1 number=$2 lane=$folder/$3 stranger=$((first_stranger - $3))
    local results=$folder/results name title expected sentence user status=0 outcome=wrong kind=wrong
    name=$(basename "$script" .sh)
    title=$(sed -n '2s/^# //p' "$script")
    expected=$(sed -n '3s/^# expected: //p' "$script")
    sentence=${expected#succeeds: }
    user=$(id -u)
    if [ "$user" -eq 0 ]; then user=$((first_user + number)); fi
    mkdir -p "$lane/$number/home"
    chown -R "$user:$user" "$lane/$number"
    chmod 755 "$lane/$number" "$lane/$number/home"
    ATTACK_PREFIX=$lane/prefix ATTACK_FOLDER=$lane/$number ATTACK_USER=$user ATTACK_STRANGER=$stranger \
        timeout --kill-after=5 "$patience" bash ${ATTACK_TRACE:+-x} "$script" >"$results/$name.log" 2>&1 </dev/null || status=$?
    stop_daemons "$lane/prefix"
    rm -rf "${lane:?}/$number"
    case $expected-$status in
    fails-11) outcome="fails, as it must" kind=fails ;;
    fails-10) outcome="SUCCEEDS, and must not" ;;
    succeeds:*-10) outcome="succeeds, as THREAT-MODEL.md says" kind=succeeds ;;
    succeeds:*-11) outcome="FAILS: THREAT-MODEL.md says that it succeeds" ;;
    *-12) outcome="SKIPPED: $(tail -n 1 "$results/$name.log")" kind=skipped ;;
    *) outcome="BROKEN: status $status" ;;
    esac
    case $expected in
    fails) ;;
    # An expectation that THREAT-MODEL.md no longer has is an error.
    "succeeds: "*) case $model in *"$sentence"*) ;; *) outcome="BROKEN: THREAT-MODEL.md does not say '$sentence'" kind=wrong ;; esac ;;
    *) outcome="BROKEN: it expects '$expected'" kind=wrong ;;
    esac
    echo "$outcome" >"$results/$name.$kind"
    printf '%-22s %s — %s\n' "$name" "$title" "$outcome"
    if [ "$kind" = wrong ] || [ "$shows" = true ]; then sed 's/^/    /' "$results/$name.log"; fi
}

# Each lane takes the next attack, by making its folder: only one lane can.
lane() {
    local script number=0
    for script in "${scripts[@]}"; do
        number=$((number + 1))
        if mkdir "$folder/taken/$number" 2>/dev/null; then attack "$script" "$number" "$1"; fi
    done
}

scripts=() shows=false
if [ $# -gt 0 ]; then shows=true; fi
for script in Tests/attacks/*.sh; do
    name=$(basename "$script" .sh)
    if [ "$name" = common ]; then continue; fi
    is_meant=true
    for word in "$@"; do
        is_meant=false
        case $name in *"$word"*) is_meant=true && break ;; esac
    done
    if [ "$is_meant" = true ]; then scripts+=("$script"); fi
done
mkdir "$folder/results" "$folder/taken"
# Attacks mostly wait, so several lanes run at once. Each lane has its own programs, since all processes from them are
# ended after an attack. Without root there is one lane: all attacks use up the limits of one user.
lanes=1
if [ "$(id -u)" -eq 0 ] && [ "${#scripts[@]}" -gt 1 ]; then lanes=3; fi
for ((number = 1; number <= lanes; number++)); do
    mkdir "$folder/$number"
    chmod 755 "$folder/$number"
    cp -a "$folder/prefix" "$folder/$number/prefix"
    lane "$number" &
    pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || die "a lane of attacks broke off"; done

# count KIND: prints the number of attacks with that outcome.
count() { find "$folder/results" -name "*.$1" | wc -l; }
skipped=$(count skipped) wrong=$(count wrong)
if [ "$skipped" -gt 0 ]; then echo "SKIPPED: $skipped attacks need what is not here"; fi
echo "$(($(count fails) + $(count succeeds))) attacks: $(count fails) fail, as they must; $(count succeeds) succeed, as THREAT-MODEL.md says; $wrong went wrong"
for path in "$folder/results/"*.wrong; do
    [ -e "$path" ] || continue
    name=$(basename "$path" .wrong)
    printf '%s — %s\n%s\n' "$name" "$(cat "$path")" "$(tail -n 15 "$folder/results/$name.log" | tr -d '\0' | sed 's/^/    /')"
done
[ "$(($(count fails) + $(count succeeds) + skipped))" -eq "${#scripts[@]}" ] || die "not every attack came to what it must"
