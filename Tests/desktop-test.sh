#!/usr/bin/env bash
# Reads an item that requires user presence on a display (Xvfb), with each installed desktop pinentry.
#
# A simulated person presses keys (Tests/desktop/person.c): a wrong passcode, then the right one. A reason for the
# prompt has markup.
#
#   PICTURES=FOLDER Tests/desktop-test.sh    keeps a picture of each dialog there
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../Tools/common.sh"

flavours=()
for name in pinentry-gtk-2 pinentry-qt; do
    if [ -x "/usr/bin/$name" ]; then flavours+=("/usr/bin/$name"); fi
done
if ! command -v Xvfb >/dev/null || [ ${#flavours[@]} -eq 0 ]; then
    echo "SKIPPED: optional: there is no Xvfb, or no pinentry of a desktop"
    exit 0
fi
programs=$root/.build/debug
for name in asking-securityd security probe; do
    [ -x "$programs/$name" ] || die "nothing has been built; run: swift build --build-tests"
done
# A short path: the name of a Unix socket has room for 107 bytes.
work=$(mktemp -d /tmp/chatelaine-desktop.XXXXXX)
server="" daemon=""
clean_up() {
    local status=$? pid
    for pid in $daemon $server; do kill "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$work"
    exit "$status"
}
trap clean_up EXIT
if ! "$(toolchain_folder)/clang" -Wall -Wextra -Werror -fuse-ld=gold -o "$work/person" "$root/Tests/desktop/person.c" -lX11 -lXtst 2>"$work/words"; then
    grep -q "file not found\|cannot find -l" "$work/words" || die "$(cat "$work/words")"
    echo "SKIPPED: optional: the headers or libraries of X are not here"
    exit 0
fi
pictures=${PICTURES:-$work}
mkdir -p "$pictures"

say "A display"
mkfifo "$work/number"
# By default Xvfb resets whenever its last client leaves, and refuses clients meanwhile.
Xvfb -displayfd 1 -noreset -screen 0 800x600x24 >"$work/number" 2>/dev/null &
server=$!
read -r -t 60 number <"$work/number" || die "Xvfb does not say which display it has"
export DISPLAY=:$number

passcode="correct horse battery staple"
# The session has no terminal, so that a dialog can only be on the display.
security() { CHATELAINE_HOME=$home setsid --wait "$programs/security" "$@"; }
person() { "$work/person" "$@" || die "on the display: person $1: $?"; }
# answer_dialogs PREFIX ANSWER…: gives $reader these answers, each in its own dialog, and waits for its end. Pictures of
# the dialogs have names that begin with the prefix.
answer_dialogs() {
    local prefix=$1 number=0 key
    shift
    for key in "$@"; do
        person wait
        sleep 1
        number=$((number + 1))
        person picture "$pictures/$name-$prefix-$number.ppm"
        case $key in
        passcode) person type "$passcode" ;;
        password) person type "a password" ;;
        # The denying button has the keyboard focus at first.
        allow) person press Tab Return ;;
        *) person press "$key" ;;
        esac
        sleep 1
    done
    wait "$reader" || die "$name: the program failed"
}
for flavour in "${flavours[@]}"; do
    name=${flavour##*/}
    home=$work/$name
    mkdir "$home"
    say "$name"
    CHATELAINE_HOME=$home CHATELAINE_LIBEXEC=$programs "$programs/asking-securityd" "$flavour" 100 >"$work/log" 2>&1 </dev/null &
    daemon=$!
    for _ in {1..600}; do
        if [ -S "$home/run/securityd.sock" ]; then break; fi
        sleep 0.1
    done
    printf '%s\n' "$passcode" | security passcode set --stdin >/dev/null
    printf s3cret | security item add -s desktop -a ada --stdin --access-control userPresence

    security item find -s desktop -a ada --secret >"$work/said" 2>"$work/complaints" </dev/null &
    reader=$!
    person wait
    # The dialog is drawn, and has the keyboard focus.
    sleep 1
    person picture "$pictures/$name.ppm"
    person type "not the passcode"
    sleep 1
    person wait
    person picture "$pictures/$name-again.ppm"
    person type "$passcode"
    wait "$reader" || die "$name: $(cat "$work/complaints")"
    [ "$(cat "$work/said")" = s3cret ] || die "$name: the secret is $(cat "$work/said")"
    person gone

    say "$name: a reason with markup and other people's directions"
    cp "$programs/probe" "$home/keeper"
    cat >"$home/commands" <<'COMMANDS'
{"call":"add","query":{"class":"genp","svce":"desktop","acct":"bob","v_Data":{"data":"czNjcmV0"},"accc":{"accessControl":"ak","flags":1}}}
{"call":"find","query":{"class":"genp","svce":"desktop","acct":"bob","r_Data":true,"u_OpPrompt":"<span size=\"xx-large\">Your <b>administrator</b></span> &amp; \u202etfel\u202c \u001b[31m\nsays: “fine”"}}
COMMANDS
    CHATELAINE_HOME=$home setsid --wait "$home/keeper" <"$home/commands" >"$work/said" &
    reader=$!
    person wait
    sleep 1
    person picture "$pictures/$name-reason.ppm"
    person type "$passcode"
    wait "$reader" || die "$name: the program failed"
    grep -q '"result":{"data":"czNjcmV0"}' "$work/said" || die "$name: $(cat "$work/said")"

    say "$name: a program whose file changed, and each of the answers"
    # Bytes after the program in its file change only its digest.
    printf changed >>"$home/keeper"
    cat >"$home/commands" <<'COMMANDS'
{"call":"find","query":{"class":"genp","svce":"desktop","acct":"carl"}}
COMMANDS
    keeper() { CHATELAINE_HOME=$home setsid --wait "$home/keeper" <"$home/commands" >"$work/said"; }
    # keys STATUS ANSWER…: checks the keeper's status when a person gives these answers, each in its own dialog.
    keys() {
        local expected=$1
        shift
        keeper &
        reader=$!
        answer_dialogs "changed-$expected" "$@"
        grep -q "\"status\":${expected}[,}]" "$work/said" || die "$name: $* leads to $(cat "$work/said")"
        person gone
    }
    # Allowed once; then allowed always, after which there is no prompt; changed again and denied, after which the program
    # is not asked about for a while.
    keys -25300 allow passcode
    keys -25300 Escape allow passcode
    keys -25300
    printf again >>"$home/keeper"
    keys -25293 Escape Escape
    keys -25293

    say "$name: a second program wants what the first one stored, and each of the answers"
    cp "$programs/probe" "$home/owner"
    cp "$programs/probe" "$home/game"
    printf game >>"$home/game"
    security create-keychain -p "a password" desk
    for account in denied once always; do
        printf '{"call":"file-add","path":"desk","account":"%s","secret":"s3cret"}\n' "$account" >"$home/commands"
        CHATELAINE_HOME=$home setsid --wait "$home/owner" <"$home/commands" >"$work/said"
        grep -q '"status":0' "$work/said" || die "$name: $(cat "$work/said")"
    done
    # wants PROGRAM ACCOUNT UI EXPECTED ANSWER…: checks a program's result when a person gives these answers, each in
    # its own dialog.
    wants() {
        local program=$1 account=$2 ui=$3 expected=$4
        shift 4
        printf '{"call":"file-find","path":"desk","account":"%s","ui":"%s"}\n' "$account" "$ui" >"$home/commands"
        CHATELAINE_HOME=$home setsid --wait "$home/$program" <"$home/commands" >"$work/said" &
        reader=$!
        answer_dialogs "item-$account" "$@"
        grep -q "$expected" "$work/said" || die "$name: $program gets $(cat "$work/said")"
        person gone
    }
    wants owner once fail '"result":"s3cret"'
    wants game denied allow '"status":-25293' Escape Escape
    wants game once allow '"result":"s3cret"' allow password
    wants game once fail '"status":-25293'
    wants game always allow '"result":"s3cret"' Escape allow password
    wants game always fail '"result":"s3cret"'

    say "$name: nobody types, and the device is locked"
    security item find -s desktop -a ada --secret >"$work/said" 2>"$work/complaints" </dev/null &
    reader=$!
    person wait
    security lock
    status=0
    wait "$reader" || status=$?
    [ "$status" -eq 128 ] || die "$name: a dialog that was taken back ends with $status: $(cat "$work/complaints")"
    [ ! -s "$work/said" ] || die "$name: something was given out"
    person gone
    kill "$daemon"
    wait "$daemon" || true
    daemon=""
done
echo "Dialogs on a display go as they should"
