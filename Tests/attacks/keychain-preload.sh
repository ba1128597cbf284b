#!/usr/bin/env bash
# Starts a program that an item of a file keychain lists, and loads a library of the attacker into it (LD_PRELOAD)
# expected: succeeds: A program of the same user that loads code into it (`LD_PRELOAD`, `/proc/PID/mem`) has what it has, for as long as it is listed.
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keeper=$(application keeper "$ATTACK_PREFIX/bin/probe")
game=$(application game "$ATTACK_PREFIX/bin/probe")
# The kernel ignores bytes after the program in its file.
printf game >>"$game"
call() { printf '{"call":"%s","path":"a","account":"ada"%s}\n' "$2" "${3:-}" | user "$1"; }
# dictate PROGRAM: prints the answer to a call that the library makes in the program to read the item.
dictate() {
    rm -f "$home/loot"
    user env LD_PRELOAD="$ATTACK_PREFIX/bin/dictated.so" DICTATED="$home/calls" LOOT="$home/loot" "$1" </dev/null >/dev/null
    cat "$home/loot"
}

# allows PROGRAM WORD…: prints the answer to a program when a person in its terminal chooses *Always allow*, the longest
# permission, and types the password.
allows() {
    rm -f "$home/loot" "$home/shown"
    # The script changes to the user itself, since the user may not reach every python3 that root has.
    python3 -c 'if True:
        import os, pty, re, select, sys
        user, calls, loot, shown, home, daemons, *variables = sys.argv[1:-1]
        program, said = sys.argv[-1], b""
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(int(user))
            os.setuid(int(user))
        child, terminal = pty.fork()
        if child == 0:
            os.dup2(os.open(calls, os.O_RDONLY), 0)
            os.dup2(os.open(loot, os.O_WRONLY | os.O_CREAT, 0o600), 1)
            os.execve(program, [program], dict(word.split("=", 1) for word in variables) | {
                "HOME": home, "CHATELAINE_HOME": home, "CHATELAINE_LIBEXEC": daemons, "TERM": "xterm",
                "PATH": os.environ["PATH"]})
        page, chosen = b"", b""
        try:
            while True:
                # A whole dialog without further output waits for input. A busy machine shows it in pieces.
                if not select.select([terminal], [], [], 0.3)[0]:
                    # Flavours of pinentry show the answers in different ways, and draw them again when one is chosen.
                    choice = b"a" if b"a]?" in page else b"\t\r" if b"<Always allow>" in page else b""
                    if choice and not chosen: chosen, answer = choice, choice
                    elif re.search(rb"Password[a-z ]*:", page): answer = b"right\r"
                    else: continue
                    os.write(terminal, answer)
                    page = b""
                    continue
                piece = os.read(terminal, 65536)
                if not piece: break
                page, said = page + piece, said + piece
        except OSError: pass
        os.waitpid(child, 0)
        open(shown, "wb").write(said)' "$ATTACK_USER" "$home/calls" "$home/loot" "$home/shown" "$home" "$ATTACK_PREFIX/libexec/chatelaine" "${@:2}" "$1"
    cat "$home/loot"
}

start_daemon
control "a keychain" contains "$(call "$keeper" keychain-create ',"passcodes":["right"]')" '"status":0'
control "an item" equal "$(call "$keeper" file-add ',"secret":"s3cret of ada"')" '{"status":0}'
call_of() { printf '{"call":"file-find","path":"a","account":"ada"%s}\n' "${1:-}" | user tee "$home/calls" >/dev/null; }

# A person can allow a program with a preloaded library only one use.
call_of
for variable in "LD_PRELOAD=$ATTACK_PREFIX/bin/dictated.so" "LD_AUDIT=$ATTACK_PREFIX/bin/dictated.so"; do
    control "a person gives it, $variable" contains "$(allows "$game" "$variable")" "s3cret of ada"
    control "the dialog says why it will be asked each time" grep -q 'preloaded' "$home/shown"
    case $(call "$game" file-find ',"ui":"fail"') in *"s3cret of ada"*) die "a preloaded program is remembered" ;; esac
done
friend=$(application friend "$ATTACK_PREFIX/bin/probe")
printf friend >>"$friend"
control "a person gives it to another program" contains "$(allows "$friend")" "s3cret of ada"
control "that one is remembered" contains "$(call "$friend" file-find ',"ui":"fail"')" "s3cret of ada"

# A program that is listed already is not checked for libraries again.
call_of ',"ui":"fail"'
control "an unlisted program with the library gets nothing" contains "$(dictate "$game")" '"status":-25293'
control "the library makes the call" contains "$(dictate "$game")" status
loot=$(dictate "$keeper")
contains "$loot" "s3cret of ada" >/dev/null || fails "the library in the keeper gets nothing: $loot"
succeeds "$loot"
