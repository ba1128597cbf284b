#!/usr/bin/env bash
# Starts enclaved with the attacker's channel in the place of securityd-match's, and reports over it that a finger has matched
# expected: fails
set -euo pipefail
# shellcheck source=Tests/attacks/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

keep_item
printf 'correct horse\n' | user "$security" passcode set --stdin >/dev/null
store=$(basename "$home"/state/enclave/keybags/*.keybag .keybag | tr -d -)
enclaved=$ATTACK_PREFIX/libexec/chatelaine/enclaved
# The daemons end here, so that the attacker's enclaved can open the keybag.
pid=$(daemon_pid)
user kill "$pid"
await is_silent
# The program changes to the user itself, since the user may not reach every python3 that root has.
cat >"$ATTACK_FOLDER/own.py" <<'PYTHON'
import os, socket, struct, subprocess, sys, threading

if os.getuid() == 0: os.setgroups([]), os.setgid(int(sys.argv[2])), os.setuid(int(sys.argv[2]))

def number(major, value):
    if value < 24: return bytes([major << 5 | value])
    return bytes([major << 5 | 24, value]) if value < 256 else bytes([major << 5 | 25]) + value.to_bytes(2, "big")

def text(value): return number(3, len(value)) + value.encode()
def data(value): return number(2, len(value)) + value
def table(fields): return number(5, len(fields)) + b"".join(number(0, key) + value for key, value in sorted(fields.items()))

def exact(channel, count):
    got = b""
    while len(got) < count:
        piece = channel.recv(count - len(got))
        if not piece: sys.exit("the channel ends")
        got += piece
    return got

def send(channel, message): channel.sendall(struct.pack("<I", len(message)) + message)
def receive(channel): return exact(channel, struct.unpack("<I", exact(channel, 4))[0])

def matcher(channel):
    """Each order is answered as by a reader that knows a finger, which matches."""
    while True:
        order = receive(channel)
        kind, order_number = order[2], order[4:]
        if kind == 3: continue
        send(channel, b"\xa4\x00" + number(0, 1 if kind == 1 else 2) + b"\x01" + order_number + b"\x02" + text("reader")
             + b"\x03" + number(4, 1) + text("left-thumb"))

store = bytes.fromhex(sys.argv[4])
ours, theirs = socket.socketpair()
reader, custodians = socket.socketpair()
def move():
    first, second = os.dup(theirs.fileno()), os.dup(custodians.fileno())
    os.dup2(first, 3), os.dup2(second, 4)
    os.set_inheritable(3, True), os.set_inheritable(4, True)
enclaved = subprocess.Popen([sys.argv[1], "--state-folder", sys.argv[3], "--matcher", "4"], preexec_fn=move, close_fds=False)
theirs.close(), custodians.close()
threading.Thread(target=matcher, args=[reader], daemon=True).start()
context = table({0: number(0, 1), 1: data(b"p" * 16)})
for name, message in [
    ("open", table({0: number(0, 1), 1: number(0, 1), 2: data(store), 3: b"\xf4"})),
    ("report", table({0: number(0, 30), 1: number(0, 2), 2: data(store)})),
    ("match", table({0: number(0, 32), 1: number(0, 3), 2: data(store), 3: number(0, 1), 4: context}))]:
    send(ours, message)
    reply = receive(ours)
    # Prints the kind of the reply, and its first value.
    print(name, reply[2], reply[6] if name != "open" else "")
ours.close()
enclaved.wait()
PYTHON
said=$(timeout 60 python3 "$ATTACK_FOLDER/own.py" "$enclaved" "$ATTACK_USER" "$home/state/enclave" "$store" 2>"$ATTACK_FOLDER/complaints" || true)
# This enclaved believes the attacker's list of enrolled fingers, but it has no key that a passcode protects.
control "it asks for the enrolled fingers: $said; $(cat "$ATTACK_FOLDER/complaints")" contains "$said" "report 13 "
contains "$said" "match 14 3" || succeeds "a finger counts before the passcode: $said"
printf 'correct horse\n' | user "$security" unlock --stdin >/dev/null
expect_untouched
fails "an enclaved without the passcode checks no finger"
