#!/usr/bin/env python3
"""Compares Tools/needs.tsv with the programs that scripts, Makefile and tests name; part of Tests/needs-test.sh.

What counts as named: the first word of a command in a shell script or in a recipe, where it is written out; what `command -v` asks for;
and any path of a program of the system in a string of a test. Needs shfmt, which reads shell scripts.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
NEEDS = {"build", "tests", "further", "bench"}
KINDS = {"command", "suite", "header", "header-c++", "library", "file"}
# Brought by Swift's toolchain and by this project; what only stands for a program in a test's data.
OWN = {"securityd", "swift", "swiftc", "security"}
INVENTED = {"/bin/program", "/bin/a", "/bin/other", "/usr/bin/program", "/usr/bin/codesign"}
PROGRAM = re.compile(r"\"(/(?:usr/)?s?bin/[A-Za-z][A-Za-z0-9_.+-]*)[\" ]")
ASKED = re.compile(r"command -v ([a-z][a-z0-9_.+-]*)")

# Paths that the list has as such.
files = set()
mistakes = []


def output(*command, given=None):
    return subprocess.run(command, input=given, check=True, capture_output=True, text=True, cwd=ROOT).stdout


def listed():
    """The commands of the list, with the need that they are for."""
    commands = {}
    for number, line in enumerate((ROOT / "Tools/needs.tsv").read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("#"):
            continue
        columns = line.split("\t")
        if len(columns) != 4 or columns[0] not in NEEDS or columns[2] not in KINDS or not columns[3]:
            mistakes.append(f"Tools/needs.tsv:{number}: not need, package, kind and names: {line}")
            continue
        if columns[2] == "file":
            files.update(columns[3].split())
        if columns[2] not in ("command", "suite"):
            continue
        for name in columns[3].split():
            if name in commands:
                mistakes.append(f"Tools/needs.tsv:{number}: {name} is listed twice")
            commands[name] = columns[0]
    return commands


def recipes(text):
    """What a Makefile has shells do, with a word in the place of what make fills in."""
    text = text.replace("\\\n", " ").replace("$$", "\0")
    lines = re.findall(r"\$\(shell ([^()]*)\)", text)
    lines += [line.lstrip("\t@-+") for line in text.splitlines() if line.startswith("\t")]
    filled = r"\$\((?:[^()]|\([^()]*\))*\)|\$[@<^]"
    return [re.sub(filled, "filled", line).replace("\0", "$") for line in lines]


class Calls:
    """The first words of commands, as far as they are written out, and the functions that a script defines."""

    def __init__(self):
        self.called = collections.defaultdict(set)
        self.functions = collections.defaultdict(set)

    def read(self, name, text):
        self.walk(name, json.loads(output("shfmt", "--language-dialect", "bash", "--to-json", given=text)))

    def walk(self, name, node):
        if isinstance(node, list):
            for part in node:
                self.walk(name, part)
        elif isinstance(node, dict):
            if node.get("Type") == "FuncDecl":
                self.functions[name].add(node["Name"]["Value"])
            if node.get("Type") == "CallExpr" and node.get("Args"):
                parts = node["Args"][0]["Parts"]
                if all(part["Type"] == "Lit" for part in parts):
                    self.called["".join(part["Value"] for part in parts)].add(name)
            for part in node.values():
                self.walk(name, part)


def main():
    commands = listed()
    calls = Calls()
    scripts = [name for name in output("git", "ls-files", "-z", "--", "*.sh", ".ci/run").split("\0") if name]
    for name in scripts:
        calls.read(name, (ROOT / name).read_text(encoding="utf-8"))
    for name in output("git", "ls-files", "-z", "--", "Tests/Tools/CommandLine/*.txt").split("\0"):
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines() if name else []:
            if line.startswith("$ "):
                calls.read(name, line[2:])
    for line in recipes((ROOT / "Makefile").read_text(encoding="utf-8")):
        calls.read("Makefile", line)

    builtins = set(output("bash", "-c", "compgen -bk").split())
    # A function of a file that others source is known to them all.
    functions = set().union(*calls.functions.values())
    for word, places in sorted(calls.called.items()):
        if word in builtins | functions | OWN | commands.keys() or "/" in word or word == "filled":
            continue
        mistakes.append(f"{', '.join(sorted(places))}: {word} is called, and not listed")

    texts = {}
    for name in output("git", "ls-files", "-z", "--", "Tests", "Tools", "Fuzz", "Benchmarks", "Makefile", ".ci").split("\0"):
        path = ROOT / name
        if name and path.suffix in (".swift", ".sh", ".c", ".h", ".py", ".txt", "") and path.is_file():
            texts[name] = path.read_text(encoding="utf-8", errors="replace")
    for name, text in sorted(texts.items()):
        for path in set(PROGRAM.findall(text)) - INVENTED - files:
            if path.rpartition("/")[2] not in commands.keys() | OWN:
                mistakes.append(f"{name}: {path} is named, and not listed")
        if name.endswith(".sh"):
            for word in set(ASKED.findall(text)) - commands.keys() - OWN:
                mistakes.append(f"{name}: `command -v {word}` asks for what is not listed")

    words = set(re.findall(r"[A-Za-z][A-Za-z0-9_.+-]*", "\n".join(texts.values())))
    # The compiler's linker is called by name only within the toolchain.
    for name in sorted(commands.keys() - words - {"ld.gold"}):
        mistakes.append(f"Tools/needs.tsv: nobody calls {name}")

    for mistake in mistakes:
        print(mistake)
    if mistakes:
        sys.exit(f"error: Tools/needs.tsv and what is called differ in {len(mistakes)} places; CONTRIBUTING.md says how the list is kept")
    print(f"{len(commands)} commands are listed; {len(calls.called)} first words in {len(scripts)} scripts were looked at")


main()
