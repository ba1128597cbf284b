#!/usr/bin/env bash
# A program answers, in its own terminal, the dialogs about another program's item: it clicks, guesses, and asks again at once
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keeper=$(application keeper "$ATTACK_PREFIX/bin/probe")
game=$(application game "$ATTACK_PREFIX/bin/probe")
# The kernel ignores bytes after the program in its file.
printf game >>"$game"
call() { printf '{"call":"%s","path":"a","account":"ada"%s}\n' "$2" "${3:-}" | user "$1"; }
# answers TYPED CALLS: the game makes so many calls in a terminal, and types the text into each dialog; prints the answers.
answers() {
    for ((number = 0; number < $2; number++)); do printf '{"call":"file-find","path":"a","account":"ada"}\n'; done | user tee "$home/calls" >/dev/null
    rm -f "$home/loot"
    # The script changes to the user itself, since the user may not reach every python3 that root has.
    python3 -c 'if True:
        import os, pty, select, sys
        program, calls, loot, typed, user, home, daemons = sys.argv[1:]
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(int(user))
            os.setuid(int(user))
        child, terminal = pty.fork()
        if child == 0:
            os.dup2(os.open(calls, os.O_RDONLY), 0)
            os.dup2(os.open(loot, os.O_WRONLY | os.O_CREAT, 0o600), 1)
            os.execve(program, [program], {
                "HOME": home, "CHATELAINE_HOME": home, "CHATELAINE_LIBEXEC": daemons, "TERM": "xterm",
                "PATH": os.environ["PATH"]})
        try:
            while True:
                # Without further output, the dialog waits for input.
                if not select.select([terminal], [], [], 0.3)[0]: os.write(terminal, typed.encode() + b"\r")
                elif not os.read(terminal, 65536): break
        except OSError: pass
        os.waitpid(child, 0)' "$game" "$home/calls" "$home/loot" "$1" "$ATTACK_USER" "$home" "$ATTACK_PREFIX/libexec/chatelaine"
    cat "$home/loot"
}

start_daemon 2>"$ATTACK_FOLDER/log"
control "a keychain" contains "$(call "$keeper" keychain-create ',"passcodes":["right"]')" '"status":0'
control "an item" equal "$(call "$keeper" file-add ',"secret":"s3cret of ada"')" '{"status":0}'
control "a program that knows the password gets the secret" contains "$(answers right 1)" "s3cret of ada"

for typed in '' guess; do
    # Each text is tried by another program at another path, which the daemon does not know yet.
    game=$(application "game-$typed" "$ATTACK_PREFIX/bin/probe")
    printf '%s' "$game" >>"$game"
    told=$(answers "$typed" 20)
    echo "typing '$typed': $(sort <<<"$told" -u | sed 's/for [0-9]* seconds*/for a while/')"
    case $told in *"s3cret of ada"*) succeeds "typing '$typed' gives it" ;; esac
    [ "$(grep -c "can ask again in" <<<"$told")" -ge 15 ] || succeeds "there is a dialog for each call"
done
control "the log says that dialogs stopped" grep -q "a program is not asked about for a while" "$ATTACK_FOLDER/log"
control "the keeper is served meanwhile" equal "$(call "$keeper" file-find)" '{"result":"s3cret of ada","status":0}'

# Many processes ask at once: some wait up to the limit, and other programs are served.
flood() { for _ in {1..20}; do call "$game" file-find; done >/dev/null; }
pids=()
for _ in {1..12}; do
    flood &
    pids+=($!)
done
for _ in {1..10}; do
    control "the keeper is served during a flood" equal "$(call "$keeper" file-find)" '{"result":"s3cret of ada","status":0}'
done
wait "${pids[@]}"
fails "without the password the program gets nothing, and soon there are no more dialogs"
