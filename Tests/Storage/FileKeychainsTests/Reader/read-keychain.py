"""Prints what a locked file keychain shows of its items: Documentation/formats/file-keychain.md, in thirty lines."""
import sqlite3, struct, sys, urllib.parse


def cbor(data, at=0):
    """The value at a place, and the place behind it (RFC 8949, the deterministic subset that is used)."""
    kind, count, at = data[at] >> 5, data[at] & 31, at + 1
    if kind == 7 and count == 22:
        return None, at
    if kind == 7:
        return struct.unpack(">d", data[at:at + 8])[0], at + 8
    if count >= 24:
        width = 1 << (count - 24)
        count, at = int.from_bytes(data[at:at + width], "big"), at + width
    if kind < 2:
        return (count if kind == 0 else -1 - count), at
    if kind < 4:
        text = data[at:at + count]
        return (text if kind == 2 else text.decode()), at + count
    values = []
    for _ in range(count * (kind - 3)):
        value, at = cbor(data, at)
        values.append(value)
    return (values if kind == 4 else dict(zip(values[::2], values[1::2]))), at


path = urllib.parse.quote(sys.argv[1])
for kind, metadata in sqlite3.connect(f"file:{path}?immutable=1", uri=True).execute(
        "SELECT class, metadata FROM items WHERE tomb = 0 ORDER BY row"):
    attributes = cbor(metadata[32:])[0][-1]
    print(kind, {key.to_bytes(4, "big").decode(): value for key, value in sorted(attributes.items())})
