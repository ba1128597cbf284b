#!/usr/bin/env bash
# Takes a signed program's signature: copied, linked and exchanged in a loop, and exchanges the programs themselves while they ask
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_signed
evil=$(other_bytes evil)
# The very file, whatever its name is by then.
exec 9<"$evil"
rounds=60
ask_as_evil() { user /proc/self/fd/9 ask "$socket" find; }
# expect_nothing WAY: what the attacker's bytes get, once.
expect_nothing() {
    local got
    got=$(ask_as_evil) || true
    case $got in *s3cret*) succeeds "$1: $got" ;; esac
    echo "$got" >>"$ATTACK_FOLDER/answers"
}

user cp "$editor" "$home/copy"
user cp "$editor.codesig" "$home/copy.codesig"
control "the same bytes with the same signature are the same program" \
    equal "$(user "$home/copy" ask "$socket" find)" "find 0 s3cret of ada"
control "without a signature it is somebody, who has nothing" equal "$(ask_as_evil)" "find -25300 "
user cp "$editor.codesig" "$evil.codesig"
expect_nothing "a copied signature"
user ln -f "$editor.codesig" "$evil.codesig"
expect_nothing "a linked signature"
rm "$evil.codesig"
user sh -c "echo nonsense >'$evil.codesig'"
mkfifo "$ATTACK_FOLDER/input"
# What is asked by way of the name comes from either; the signed program gets what is its own.
both_answer() {
    user "$editor" ask "$socket" find >>"$ATTACK_FOLDER/named" || true
    grep -q "find 0 s3cret" "$ATTACK_FOLDER/named" && grep -q "find -" "$ATTACK_FOLDER/named"
}

# exchange A B WAY: while two names change their files.
exchange() {
    local round pid
    user "$tool" exchange "$1" "$2" <"$ATTACK_FOLDER/input" >"$ATTACK_FOLDER/said" &
    pid=$!
    exec 8>"$ATTACK_FOLDER/input"
    await grep -q begun "$ATTACK_FOLDER/said"
    for ((round = 0; round < rounds; round++)); do expect_nothing "$3"; done
    if [ "$1" = "$editor" ]; then
        control "the name leads to the signed program at times, and to the other one at times" await both_answer
    fi
    exec 8>&-
    wait "$pid"
}
exchange "$editor.codesig" "$evil.codesig" "signatures that are exchanged"
exchange "$editor" "$evil" "programs that are exchanged"
echo "$(wc -l <"$ATTACK_FOLDER/answers") answers, of which there are: $(sort -u "$ATTACK_FOLDER/answers")"
rm -f "$evil.codesig"
fails "only the bytes that were signed are the program"
