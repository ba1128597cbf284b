#!/usr/bin/env bash
# Puts pipes, sockets, links, a file of a terabyte and a file that changes all the time beside programs, as their signatures
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_item
keep_signed
evil=$(other_bytes evil)
signature=$evil.codesig
mkfifo "$ATTACK_FOLDER/input"
before=$(resident VmHWM)

place() {
    case $1 in
    pipe | socket | terabyte) user "$tool" node "$1" "$signature" ;;
    "link to a pipe") user "$tool" node pipe "$home/far" && user ln -s "$home/far" "$signature" ;;
    "endless link") user ln -s /dev/zero "$signature" ;;
    device) mknod "$signature" c 1 5 && chown "$ATTACK_USER" "$signature" ;;
    "file that changes")
        user "$tool" rewrite "$signature" <"$ATTACK_FOLDER/input" >"$ATTACK_FOLDER/said" &
        exec 8>"$ATTACK_FOLDER/input"
        await grep -q begun "$ATTACK_FOLDER/said"
        ;;
    esac
}

things=(pipe socket "link to a pipe" "endless link" terabyte "file that changes")
if [ "$(id -u)" -eq 0 ]; then things+=(device); fi
for thing in "${things[@]}"; do
    rm -f "$signature" "$home/far"
    place "$thing"
    case $thing in
    socket | "file that changes") ;;
    *) control "reading a $thing does not end" eval "user timeout 0.3 cat '$signature' >/dev/null; [ \$? -eq 124 ]" ;;
    esac
    pids=()
    for number in 1 2 3 4 5 6; do
        user timeout 20 "$evil" ask "$socket" find >"$ATTACK_FOLDER/answer.$number" &
        pids+=($!)
    done
    answer=$(user timeout 20 "$keeper" ask "$socket" find) || true
    equal "$answer" "find 0 s3cret of ada" || succeeds "beside a $thing another program is not served"
    expect_signed || succeeds "beside a $thing a signed program is not served"
    for number in 1 2 3 4 5 6; do
        wait "${pids[number - 1]}" || succeeds "a program with a $thing never gets an answer"
        # It must count neither as the unsigned program nor as another program.
        equal "$(cat "$ATTACK_FOLDER/answer.$number")" "find -34018 " || succeeds "a program with a $thing is accepted"
    done
    if [ "$thing" = "file that changes" ]; then exec 8>&- && wait; fi
    echo "$thing: $(resident VmHWM) KiB at the most"
done
[ $(($(resident VmHWM) - before)) -lt 65536 ] || succeeds "securityd took $(resident VmHWM) KiB, and $before before"

# A stranger attacks in a folder where every user may make files.
if [ -n "$ATTACK_STRANGER" ] && [ "$(id -u)" -eq 0 ]; then
    mkdir -m 1777 "$ATTACK_FOLDER/everybody"
    cp -p "$keeper" "$ATTACK_FOLDER/everybody/mine"
    mine=$ATTACK_FOLDER/everybody/mine
    user "$mine" ask "$socket" add >/dev/null
    stranger "$tool" node pipe "$mine.codesig"
    equal "$(user timeout 20 "$mine" ask "$socket" find)" "find 0 s3cret of ada" || succeeds "a stranger's pipe keeps a program from its items"
    rm "$mine.codesig"
    stranger sh -c "echo nonsense >'$mine.codesig'"
    equal "$(user timeout 20 "$mine" ask "$socket" find)" "find 0 s3cret of ada" || succeeds "a stranger's file keeps a program from its items"
    chown "$ATTACK_USER" "$mine.codesig"
    control "a file of the user keeps the program from its items" equal "$(user "$mine" ask "$socket" find)" "find -34018 "
fi
expect_untouched
fails "each is refused at once, and other programs notice nothing"
