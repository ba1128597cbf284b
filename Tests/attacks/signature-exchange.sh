#!/usr/bin/env bash
# Copies and links a signed program's signature, and exchanges the signatures, and then the programs, during their requests
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_signed
evil=$(other_bytes evil)
# This descriptor leads to the attacker's file, whatever its name is later.
exec 9<"$evil"
rounds=60
ask_as_evil() { user /proc/self/fd/9 ask "$socket" find; }
# expect_nothing WAY: asks once with the attacker's bytes, which must not get the secret.
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
control "without a signature it counts as a program that has no item" equal "$(ask_as_evil)" "find -25300 "
user cp "$editor.codesig" "$evil.codesig"
expect_nothing "a copied signature"
user ln -f "$editor.codesig" "$evil.codesig"
expect_nothing "a linked signature"
rm "$evil.codesig"
user sh -c "echo nonsense >'$evil.codesig'"
mkfifo "$ATTACK_FOLDER/input"
# A request by the name runs either program; only the signed one may get the secret.
both_answer() {
    user "$editor" ask "$socket" find >>"$ATTACK_FOLDER/named" || true
    grep -q "find 0 s3cret" "$ATTACK_FOLDER/named" && grep -q "find -" "$ATTACK_FOLDER/named"
}

# exchange A B WAY: makes the requests while two names exchange their files.
exchange() {
    local round pid
    user "$tool" exchange "$1" "$2" <"$ATTACK_FOLDER/input" >"$ATTACK_FOLDER/said" &
    pid=$!
    exec 8>"$ATTACK_FOLDER/input"
    await grep -q begun "$ATTACK_FOLDER/said"
    for ((round = 0; round < rounds; round++)); do expect_nothing "$3"; done
    if [ "$1" = "$editor" ]; then
        control "the name leads sometimes to the signed program, and sometimes to the other" await both_answer
    fi
    exec 8>&-
    wait "$pid"
}
exchange "$editor.codesig" "$evil.codesig" "signatures that are exchanged"
exchange "$editor" "$evil" "programs that are exchanged"
echo "$(wc -l <"$ATTACK_FOLDER/answers") answers, of which there are: $(sort -u "$ATTACK_FOLDER/answers")"
rm -f "$evil.codesig"
fails "only the signed bytes count as the program"
