#!/usr/bin/env python3
"""Compares everything that says what the C interface has with the one list, Headers/symbols.tsv.

    interface.py ROOT PREFIX TOOLCHAIN [--missing]

ROOT is the folder of the project, PREFIX where it is installed, TOOLCHAIN the folder usr of Swift's toolchain. Compared
are the installed headers, the symbols of libSecurity.so, the Swift module Security and the table of Apple's interface
(Tools/data/api.tsv) with its declarations in Swift; besides, our headers of CoreFoundation with those of the toolchain. With --missing it says what
Apple's interface has in its first tier and we have not, by header.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT, PREFIX, TOOLCHAIN = (pathlib.Path(argument) for argument in sys.argv[1:4])
HEADERS = PREFIX / "include" / "chatelaine"
KINDS = {
    "FunctionDecl": "function", "VarDecl": "constant", "EnumConstantDecl": "status", "TypedefDecl": "type",
    "RecordDecl": "record",
}

mistakes = []


def output(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def rows(name):
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    columns = lines[0].split("\t")
    return [dict(zip(columns, line.split("\t"))) for line in lines[1:]]


def compare(what, expected, actual):
    for symbol in sorted(set(expected) - set(actual)):
        mistakes.append(f"{what}: {symbol} is missing")
    for symbol in sorted(set(actual) - set(expected)):
        mistakes.append(f"{what}: {symbol} is too much")
    for symbol in sorted(set(expected) & set(actual)):
        if expected[symbol] != actual[symbol]:
            mistakes.append(f"{what}: {symbol} is {actual[symbol]} instead of {expected[symbol]}")


def declarations(text, *flags):
    """What a source declares in headers: (name, kind, type, file name) in order. Clang names a file only where it changes."""
    tree = json.loads(output(TOOLCHAIN / "bin/clang", "-fsyntax-only", "-Xclang", "-ast-dump=json", *flags, text))
    found, file = [], ""

    def visit(node):
        nonlocal file
        location = node.get("loc", {})
        location = location.get("expansionLoc", location)
        file = location.get("file", file)
        here = file
        if node.get("kind") in KINDS and node.get("name"):
            found.append((node["name"], KINDS[node["kind"]], node.get("type", {}).get("qualType"), here, node))
        if node.get("kind") in ("TranslationUnitDecl", "EnumDecl", "LinkageSpecDecl"):
            for child in node.get("inner", []):
                visit(child)

    visit(tree)
    return found


def value_of(node):
    """The value of an enumerator that has one. Where another one is no int, all are cast."""
    for child in node.get("inner", []):
        if child.get("kind") == "ImplicitCastExpr":
            return value_of(child)
        if "value" in child:
            return int(child["value"])
    return None


# What takes a block, which C has by an extension and a library of its own.
SWIFT_ALONE = {
    "SecKeyGeneratePairAsync", "SecKeyGeneratePairBlock",
    "SecTrustCallback", "SecTrustEvaluateAsync", "SecTrustEvaluateAsyncWithError", "SecTrustWithErrorCallback"
}

# Names that C has for sets of options without any, which Swift writes as [].
EMPTY_SETS = {"kSecPaddingNone"}


def check_headers(listed, folder):
    source = folder / "security.c"
    source.write_text("#include <Security/Security.h>\n")
    actual = {}
    # Swift's names for the types that C calls by a name with Ref, and for flags and cases, which are members of a type.
    kinds = ("type", "option", "enum-case", "constant")
    apple = [row for row in rows("Tools/data/api.tsv") if row["kind"] in kinds and row["c_name"]]
    swift = {row["c_name"]: row["symbol"] for row in apple}
    members = {row["c_name"]: row["kind"] for row in apple if row["kind"] in ("option", "enum-case")}
    flags = {row["c_name"]: int(row["value"]) for row in apple if row["kind"] in ("option", "enum-case")}
    codes = {row["name"]: int(row["code"]) for row in rows("Tools/data/status-codes.tsv")}
    numbers = {name for name, (kind, _) in listed.items() if kind == "number"}
    callbacks = {name for name, (kind, _) in listed.items() if kind == "callback"}
    codes |= {row["symbol"]: int(row["value"]) for row in rows("Tools/data/api.tsv") if row["symbol"] in numbers}
    for name, kind, _, file, node in declarations(source, "-I", HEADERS):
        path = pathlib.Path(file)
        if path.parent.name != "Security":
            continue
        if kind == "record":
            # A structure counts where its fields are; what is only named belongs to its Ref.
            if not node.get("completeDefinition"):
                continue
            kind = "type"
        if name in callbacks:
            kind = "callback"
        if name in EMPTY_SETS and value_of(node) == 0:
            continue
        if kind == "status":
            kind = members.get(name) or ("number" if name in numbers else "status")
        if kind in ("status", "option", "enum-case", "number") and value_of(node) != (codes | flags).get(name):
            mistakes.append(f"{path.name}: {name} is {value_of(node)} instead of {(codes | flags).get(name)}")
        group = "SecBase" if path.stem == "SecStatusCodes" else path.stem.removesuffix("Constants").removesuffix("Texts")
        actual[swift.get(name, name)] = (kind, group)
    values = {row["symbol"]: row["value"] for row in rows("Tools/data/api.tsv")}
    for line in output(TOOLCHAIN / "bin/clang", "-E", "-dM", "-I", HEADERS, source).splitlines():
        _, name, *value = line.split(maxsplit=2)
        kind, header = listed.get(name, (None, None))
        # A text of CoreFoundation's, or one of C's.
        if kind == "macro" and value in ([values[name]], [f"CFSTR({values[name]})"]):
            actual[name] = (kind, header)
    compare("headers", listed, actual)


def exported(library):
    for line in output("nm", "-D", "--defined-only", library).splitlines():
        symbol = line.split()[-1]
        if not symbol.startswith("$s"):
            yield symbol


def check_library(listed):
    foreign = {row["symbol"]: row["c_name"] for row in rows("Tools/data/api.tsv") if row["c_name"]}
    ours = {foreign.get(symbol, symbol) for symbol, (kind, _) in listed.items() if kind in ("function", "constant")}
    # Beside Swift's symbols and those of the list a program sees only names that carry ours.
    rest = {"__bss_start", "_edata", "_end", "_init", "_fini"}
    actual = [symbol for symbol in exported(PREFIX / "lib/libSecurity.so") if symbol not in rest]
    compare("libSecurity.so", dict.fromkeys(ours), {s: None for s in actual if not s.startswith("chatelaine_")})


def check_swift(listed, folder):
    target = json.loads(output(TOOLCHAIN / "bin/swift", "-print-target-info"))["target"]["triple"]
    output(
        TOOLCHAIN / "bin/swift-symbolgraph-extract", "-module-name", "Security", "-target", target,
        "-I", PREFIX / "lib/swift/chatelaine", "-minimum-access-level", "public", "-output-dir", folder,
    )
    graph = json.loads((folder / "Security.symbols.json").read_text(encoding="utf-8"))
    actual = {}
    sets = {symbol.partition(".")[0] for symbol in listed if "." in symbol}
    for symbol in graph["symbols"]:
        path = symbol["pathComponents"]
        if len(path) == 1:
            actual[path[0].partition("(")[0]] = None
        elif len(path) == 2 and path[0] in sets and symbol["kind"]["identifier"] in (
            "swift.type.property", "swift.enum.case"
        ):
            actual[".".join(path)] = None
    compare("Swift module", dict.fromkeys(listed), {name: None for name in actual if name not in SWIFT_ALONE})


# iOS's forms of two calls, where macOS has others of the same names (behaviour/differences.md, 173).
OTHER_FORMS = {
    "func SecCertificateCopyPublicKey(_ certificate: SecCertificate) -> SecKey?",
    "func SecCertificateCopySerialNumber(_ certificate: SecCertificate) -> CFData?",
}


def declared(text):
    """A declaration without what does not change how it is used: attributes, accessors, values, isolation."""
    text = re.sub(r"@\w+(\([^)]*\))? ", "", text).replace("nonisolated(unsafe) ", "")
    text = re.sub(r" \{ get( set)? \}", "", text)
    return text.partition(" = ")[0] if text.startswith(("let ", "var ", "static ")) else text


def check_declarations(folder):
    """Compares the Swift module's declarations with Apple's; those of types say nothing of conformances here."""
    ours = collections.defaultdict(set)
    for symbol in json.loads((folder / "Security.symbols.json").read_text(encoding="utf-8"))["symbols"]:
        owner, name = symbol["pathComponents"][:-1], symbol["pathComponents"][-1]
        # A function goes by its name alone, and a member by its whole name.
        key = ".".join(owner + [name]) if owner else name.partition("(")[0]
        ours[key].add(declared("".join(part["spelling"] for part in symbol.get("declarationFragments", []))))
    apple = collections.defaultdict(set)
    for row in rows("Tools/data/api.tsv"):
        if row["declaration"] and row["kind"] != "type":
            apple[row["symbol"]].add(declared(row["declaration"]))
    count = 0
    # What is missing, the other comparisons say.
    for symbol in sorted(set(ours) & set(apple)):
        for declaration in sorted(apple[symbol] - ours[symbol] - OTHER_FORMS):
            mistakes.append(f"Swift module: {symbol} is {' and '.join(sorted(ours[symbol]))}, Apple has {declaration}")
        count += len(apple[symbol] & ours[symbol])
    return count


def check_table(listed, missing):
    apple = {row["symbol"]: row for row in rows("Tools/data/api.tsv")}
    kinds = {"status": "constant", "number": "constant", "macro": "constant"}
    values = {row["symbol"]: row["value"] for row in rows("Tools/data/secitem-constants.tsv")}
    values |= {row["name"]: row["code"] for row in rows("Tools/data/status-codes.tsv")}
    for symbol, (kind, header) in listed.items():
        row = apple.get(symbol)
        if not row:
            mistakes.append(f"api.tsv: {symbol} is not Apple's")
            continue
        if (row["kind"], row["header"]) != (kinds.get(kind, kind), header):
            mistakes.append(f"api.tsv: {symbol} is a {row['kind']} of {row['header']}, not a {kind} of {header}")
        if symbol in values and row["value"] != values[symbol]:
            mistakes.append(f"api.tsv: {symbol} is {row['value']}, not {values[symbol]}")
    if missing:
        rest = collections.Counter(
            (row["header"], row["kind"]) for row in apple.values() if row["tier"] == "1" and row["symbol"] not in listed
        )
        for (header, kind), count in sorted(rest.items()):
            print(f"{header}\t{kind}\t{count}")


def check_core_foundation(folder):
    ours, toolchain = folder / "ours.c", folder / "toolchain.c"
    ours.write_text("#include <CoreFoundation/CoreFoundation.h>\n")
    names = [path.name for path in sorted((HEADERS / "CoreFoundation").glob("CF*.h"))]
    # One header of ours has what CFString.h has there.
    names = [name for name in names if (TOOLCHAIN / "lib/swift/CoreFoundation" / name).exists()]
    toolchain.write_text("".join(f"#include <CoreFoundation/{name}>\n" for name in names) + "void CFShow(CFTypeRef obj);\n")
    known = {
        name: (kind, type, value_of(node))
        for name, kind, type, _, node in declarations(toolchain, "-fblocks", "-I", TOOLCHAIN / "lib/swift")
    }
    symbols = set(exported(TOOLCHAIN / "lib/swift/linux/libFoundation.so"))
    count = 0
    for name, kind, type, file, node in declarations(ours, "-I", HEADERS):
        if pathlib.Path(file).parent.name != "CoreFoundation" or name.startswith("chatelaine_") or kind == "record":
            continue
        count += 1
        if name not in known:
            mistakes.append(f"CoreFoundation: {name} is not in the toolchain's headers")
        elif kind == "status" and known[name][2] is not None and known[name][2] != value_of(node):
            mistakes.append(f"CoreFoundation: {name} is {value_of(node)} instead of {known[name][2]}")
        elif kind in ("function", "constant") and name != "CFRangeMake":
            theirs = known[name][1].replace("__attribute__((noescape)) ", "")
            if theirs != type:
                mistakes.append(f"CoreFoundation: {name} is {type}, the toolchain has {theirs}")
            if name not in symbols:
                mistakes.append(f"CoreFoundation: libFoundation.so has no {name}")
    return count


def main():
    listed = {row["symbol"]: (row["kind"], row["header"]) for row in rows("Headers/symbols.tsv")}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_headers(listed, folder)
        check_library(listed)
        check_swift(listed, folder)
        compared = check_declarations(folder)
        check_table(listed, missing="--missing" in sys.argv)
        count = check_core_foundation(folder)
    for mistake in mistakes:
        print(f"error: {mistake}", file=sys.stderr)
    print(f"interface: {len(listed)} symbols of Security, {compared} declarations, {count} of CoreFoundation, {len(mistakes)} mistakes")
    sys.exit(1 if mistakes else 0)


main()
