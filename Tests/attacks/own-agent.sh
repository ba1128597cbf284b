#!/usr/bin/env bash
# Starts security-agent with a channel of its own, has a passcode typed into its dialog, and asks for an item that the passcode protects
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_item
printf 'correct horse\n' | user "$security" passcode set --stdin >/dev/null
user "$security" lock >/dev/null
agent=$ATTACK_PREFIX/libexec/chatelaine/security-agent
version=$(sed -n 's/.*static let version: UInt64 = //p' "$root/Sources/Protocol/AgentProtocol/AgentProtocol.swift")
state() { user "$security" state 2>&1 || true; }
locked=$(state)
# Without a channel, security-agent does nothing.
status=0
user "$agent" </dev/null >/dev/null 2>&1 || status=$?
equal "$status" 2 || succeeds "it works without a channel: status $status"
# With a channel of the attacker, it shows the attacker's dialog in the attacker's terminal, and gives the typed text to the attacker.
# The program changes to the user itself, since the user may not reach every python3 that root has.
cat >"$ATTACK_FOLDER/own.py" <<'PYTHON'
import os, pty, socket, struct, subprocess, sys, array

if os.getuid() == 0: os.setgroups([]), os.setgid(int(sys.argv[2])), os.setuid(int(sys.argv[2]))

def number(major, value):
    if value < 24: return bytes([major << 5 | value])
    return bytes([major << 5 | 24, value]) if value < 256 else bytes([major << 5 | 25]) + value.to_bytes(2, "big")

def text(value): return number(3, len(value)) + value.encode()

master, device = pty.openpty()
ours, theirs = socket.socketpair()
reading, writing = os.pipe()
fields = {0: number(0, int(sys.argv[3])), 1: number(0, 1), 2: number(0, 2), 3: text("/usr/bin/true"), 4: number(0, 2), 7: number(0, 0),
          10: number(0, 0), 11: number(0, 60), 12: text(os.ttyname(device)), 13: b"\xf5", 14: b"\xf4"}
dialog = number(5, len(fields)) + b"".join(number(0, key) + value for key, value in sorted(fields.items()))
agent = subprocess.Popen([sys.argv[1], "--pinentry", "/usr/bin/pinentry-tty"], preexec_fn=lambda: os.dup2(theirs.fileno(), 3),
                         close_fds=False, start_new_session=True)
theirs.close()
ours.sendmsg([struct.pack("<I", len(dialog)) + dialog],
             [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [writing]))])
os.close(writing)
shown = b""
while b"Passcode:" not in shown: shown += os.read(master, 4096)
os.write(master, b"correct horse\n")
ours.recv(64)
print(os.read(reading, 4096).decode())
ours.close()
agent.wait()
PYTHON
typed=$(timeout 60 python3 "$ATTACK_FOLDER/own.py" "$agent" "$ATTACK_USER" "$version" 2>"$ATTACK_FOLDER/complaints" || true)
control "the dialog is shown: $(cat "$ATTACK_FOLDER/complaints")" equal "$typed" "correct horse"
# The right passcode was typed, and neither daemon got it.
equal "$(state)" "$locked" || succeeds "the keychain is open: $(state)"
if tool_find >/dev/null 2>&1; then succeeds "the item is given out"; fi
printf 'correct horse\n' | user "$security" unlock --stdin >/dev/null
expect_untouched
fails "starting the agent gives a pinentry and nothing else"
