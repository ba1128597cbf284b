"""Runs a program in a terminal, and types a passcode where that is asked for.

    typing.py PASSCODE PROGRAM ARGUMENTS…
"""
import os
import pty
import sys

passcode, words = sys.argv[1], sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    os.execvp(words[0], words)
shown = b""
is_typed = False
while True:
    try:
        piece = os.read(terminal, 4096)
    except OSError:  # The other side is closed.
        break
    if not piece:
        break
    shown += piece
    if not is_typed and b"asscode:" in shown:
        os.write(terminal, passcode.encode() + b"\n")
        is_typed = True
sys.stderr.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
