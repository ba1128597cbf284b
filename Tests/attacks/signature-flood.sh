#!/usr/bin/env bash
# Asks from many programs, each of which has a new hostile signature for each request
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_item
keep_signed
programs=16
# The most memory that trustd may take, in KiB: a question, an answer, and the libraries with their tables.
most_memory=98304
encoded() { base64 -w 0 | tr '+/' '-_' | tr -d =; }
IFS=. read -r header payload mark < <(cat "$editor.codesig" && echo)
claims=$(printf '%s==' "$payload" | tr -- '-_' '+/' | base64 -d 2>/dev/null || true)
contains "$claims" '"iat":' || die "the payload is not read: $claims"
# The text before and after the number of one claim.
before=${claims%%\"iat\":*}'"iat":' after=,${claims#*\"iat\":*,}
large=$(head -c 48000 /dev/urandom | base64 -w 0)
nested=$(printf '%.0s[' {1..20000} | encoded)

# hostile NUMBER: writes a signature that trustd has not checked yet.
hostile() {
    local number=$((RANDOM * 32768 + RANDOM))
    case $(($1 % 4)) in
    0) printf '%s.%s.%s' "$header" "$(printf %s "$before$number$after" | encoded)" "$mark" ;;
    1) printf '%s.%s.%s' "$(printf '{"alg":"ES256","typ":"codesig+jws","x5c":["%s"]}' "$large" | encoded)" "$payload" "$mark" ;;
    2) printf '%s.%s.%s' "$header" "$nested" "$(printf %d "$number" | encoded)" ;;
    3) printf '%s.%s.%s' "$header" "$payload" "$(printf '%064d' "$number" | encoded)" ;;
    esac
}
# flood NUMBER: runs until the script ends it.
flood() {
    local evil number=$1
    evil=$(other_bytes "evil$number")
    while [ ! -e "$ATTACK_FOLDER/over" ]; do
        hostile $((number++)) >"$home/new$1"
        chown "$ATTACK_USER" "$home/new$1"
        mv "$home/new$1" "$evil.codesig"
        user "$evil" ask "$socket" find >>"$ATTACK_FOLDER/answers.$1" || true
    done
}
# Records, until the end of the flood, the number of trustd processes and their memory.
watch_trustd() {
    local pid
    while [ ! -e "$ATTACK_FOLDER/over" ]; do
        trustd_pids | wc -l >>"$ATTACK_FOLDER/counts"
        for pid in $(trustd_pids); do sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\).*/\1/p' "/proc/$pid/status"; done \
            >>"$ATTACK_FOLDER/memory" 2>/dev/null || true
    done
}

honest alone 1
pids=()
# The floods end with the script, however it ends.
trap 'touch "$ATTACK_FOLDER/over"; wait' EXIT
for ((number = 0; number < programs; number++)); do
    flood "$number" &
    pids+=($!)
done
watch_trustd &
pids+=($!)
control "trustd checks the signatures" await grep -q '[1-9]' "$ATTACK_FOLDER/counts"
user timeout 60 "$keeper" calls "$socket" 3 >"$ATTACK_FOLDER/calls" || succeeds "calls of another program do not return"
all_calls_succeeded
tell_calls
expect_signed || succeeds "a signed program that is known is not served"
# A program whose signature is not yet checked gets its turn, too.
second=$(other_bytes second)
sign "$second" ABCDE12345
await equal "$(user "$second" ask "$socket" add)" "add 0 " || succeeds "a signed program gets no verdict"
touch "$ATTACK_FOLDER/over"
wait "${pids[@]}"
echo "$(cat "$ATTACK_FOLDER"/answers.* | wc -l) answers"
if grep -qv '^find -34018 $' "$ATTACK_FOLDER"/answers.*; then succeeds "a program with a hostile signature is accepted"; fi
[ "$(sort -n "$ATTACK_FOLDER/counts" | tail -n 1)" -le 4 ] || succeeds "more than four at one time"
memory=$(sort -n "$ATTACK_FOLDER/memory" | tail -n 1)
echo "trustd: $memory KiB at the most"
control "its memory was seen" [ -n "$memory" ]
[ "$memory" -lt "$most_memory" ] || succeeds "trustd takes $memory KiB"
expect_untouched
fails "at most four run at a time, and every program gets a turn"
