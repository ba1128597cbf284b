#!/usr/bin/env bash
# A guided tour of the passcode: locks and unlocks a keychain, and reads an item that requires user presence each time.
#
#   Tools/tour.sh SECURITY [FOLDER]     the installed or built command `security`, and the parent of the tour's folder
#
# In a terminal you answer the questions. Without a terminal the tour makes a pseudo-terminal for each question
# (script(1)), types the answers itself and says so; then any unexpected result is an error. Everything is in the tour's
# own folder, which is removed in the end.
set -euo pipefail
# shellcheck source=Tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

security=${1:?the command security}
# The time limit in seconds for a question to appear, or for its answer: longer than either takes on a busy machine.
patience=150
# Seconds without output before the tour types: a dialog discards input while it is drawn.
pause=0.5
# A short path: the name of a Unix socket has room for 107 bytes.
folder=$(mktemp -d "${2:-/tmp}/chatelaine-tour.XXXXXX")
export CHATELAINE_HOME=$folder/home
daemon=""
typist=""

clean_up() {
    local status=$? attempt
    if [ -n "$typist" ]; then kill "$typist" 2>/dev/null || true; fi
    if [ -n "$daemon" ]; then
        kill "$daemon" 2>/dev/null || true
        for attempt in {1..100}; do
            kill -0 "$daemon" 2>/dev/null || break
            if [ "$attempt" -eq 50 ]; then kill -KILL "$daemon" 2>/dev/null || true; fi
            sleep 0.1
        done
    fi
    rm -rf "$folder"
    exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# Whether a person reads and types. In tests no person does, even where there is a terminal.
has_person=false
if [ -t 0 ] && [ -t 1 ] && [ "${CI-}" != true ]; then has_person=true; fi

# quiet STATUS WORDS…: runs `security` without a prompt, and shows the command, its output and its status.
quiet() { run "$1" here "${@:2}"; }
here() { "$security" "$@" 2>&1 <<<"${input-}"; }
# alone STATUS WORDS…: the same in a session without a terminal.
alone() { run "$1" apart "${@:2}"; }
apart() { setsid --wait "$security" "$@" 2>&1 </dev/null; }

# asked STATUS WORDS…: the same with prompts. Without a person the tour types the words of `answers`, one for each
# prompt.
asked() { run "$1" "$([ "$has_person" = true ] && echo by_person || echo in_pseudo_terminal)" "${@:2}"; }
by_person() { timeout --foreground "$patience" "$security" "$@"; }

run() {
    local wanted=$1 way=$2 status=0
    shift 2
    printf '\n$ security %s%s\n' "$*" "${input:+ <<< $input}"
    "$way" "$@" || status=$?
    if [ "$status" -ne 0 ]; then echo "(exit status $status)"; fi
    # A person may have typed something else.
    if [ "$status" -ne "$wanted" ] && [ "$has_person" = false ]; then die "the exit status should have been $wanted"; fi
    return "$status"
}

in_pseudo_terminal() {
    local answer shown piece=- end status=0 keys screen
    mkfifo "$folder/keys" "$folder/screen"
    # Its output goes to a file; its prompts go to the terminal.
    SHELL=$BASH script --quiet --return --flush --command "$(printf '%q ' "$security" "$@") >$folder/said 2>&1" /dev/null \
        <"$folder/keys" >"$folder/screen" 2>&1 &
    typist=$!
    exec {keys}>"$folder/keys" {screen}<"$folder/screen"
    rm "$folder/keys" "$folder/screen"
    for answer in "${answers[@]}"; do
        shown="" end=$((SECONDS + patience))
        until [ -z "$piece" ] && [[ $shown == *asscode:* || $shown == *Again:* ]]; do
            look
            shown+=$piece
            # The command has ended, and its output has been shown.
            if [ "$status" -eq 1 ]; then break 2; fi
            [ "$SECONDS" -lt "$end" ] || die "nothing was asked; shown was: $shown"
        done
        if [ "$answer" = "$passcode" ]; then echo "(it asks; the tour types the passcode)"; else echo "(it asks; the tour types something wrong)"; fi
        printf '%s\r' "$answer" >&"$keys"
        piece=-
    done
    end=$((SECONDS + patience))
    until [ "$status" -eq 1 ]; do
        look
        [ "$SECONDS" -lt "$end" ] || die "it goes on, and was not expected to"
    done
    exec {keys}>&- {screen}<&-
    status=0
    wait "$typist" || status=$?
    typist=""
    cat "$folder/said"
    return "$status"
}
# Reads the next output, within a moment; the status is 1 at its end.
look() {
    piece="" status=0
    IFS= read -r -d '' -N 4096 -t "$pause" -u "$screen" piece 2>/dev/null || status=$?
}

[ -e /usr/bin/pinentry ] || die "there is no /usr/bin/pinentry, which shows the dialogs; install one (pinentry-curses, pinentry-gnome3, pinentry-qt)"
passcode="tour-$(od -An -N8 -tx8 /dev/urandom | tr -d ' ')"
answers=()
if [ "$has_person" = true ]; then
    cat <<'TEXT'
A short tour, in a keychain of its own that is thrown away in the end. It asks for a passcode a few times: make one up now,
of four characters or more. Whoever types nothing, or Ctrl-C, goes on without it.
TEXT
else
    cat <<'TEXT'
A short tour, in a keychain of its own that is thrown away in the end. There is no terminal with somebody at it. So the
tour has a pseudo-terminal made for each question, and answers by itself, as a person would type. It has made up a passcode.
TEXT
    # No dialog may go to a display either.
    unset DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS
fi

say "1. Two passwords, and a passcode"
input=network-key quiet 0 item add -s tour -a wifi --stdin
daemon=$("$security" status --json | sed -n 's/.*"daemon":{[^}]*"pid":\([0-9]*\).*/\1/p')
answers=("$passcode" "$passcode")
if ! asked 0 passcode set; then
    echo "There is no passcode, so there is nothing to lock. The tour ends here."
    exit 0
fi
# An item can require user presence only if there is a passcode.
input=account-key quiet 0 item add -s tour -a bank --stdin --access-control userPresence || true

say "2. Locked means locked: the keys are gone from memory"
quiet 0 lock
quiet 0 state
quiet 36 item find -s tour -a wifi --secret || true

say "3. Unlocked by the passcode, and by nothing else"
if [ "$has_person" = false ]; then
    answers=("not the passcode")
    asked 51 unlock || true
fi
answers=("$passcode")
asked 0 unlock || { echo "Try once more." && asked 0 unlock; } || asked 0 unlock || {
    echo "It stays locked. The tour ends here."
    exit 0
}
quiet 0 item find -s tour -a wifi --secret

say "4. An item that asks for you each time: a dialog names the program and the item"
answers=("not the passcode" "$passcode")
asked 0 item find -s tour -a bank --secret || echo "Without the passcode the secret stays where it is."
if [ "$has_person" = false ]; then
    echo
    echo "A program that nobody sits at gets an answer at once, and no secret:"
    alone 36 item find -s tour -a bank --secret || true
fi

say "5. Without the passcode again"
answers=("$passcode")
asked 0 passcode remove || true
quiet 0 state

cat <<'TEXT'

That was the tour. `security passcode set` does the same for your own keychain; README.md says more, and THREAT-MODEL.md
what a passcode protects from.
TEXT
