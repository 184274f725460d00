"""Decompresses .Z, the format of Unix `compress`, in which UCI keeps Shuttle and which Python's library does not know.

Codes stand for strings of bytes, and each but the first adds a string to the table: the one before it and the first
byte of its own. Codes have 9 bits at first and one more whenever the table has grown beyond them. They are written in
groups of eight, and a group that is cut short, because the width changes or the table is cleared, is padded.
"""

MAGIC = b"\x1f\x9d"
CLEAR = 256
NARROWEST, WIDEST = 9, 16
"""The widths of codes in bits. A file whose widest is 9 is refused: `compress` itself does not keep to that."""


def decompress(content: bytes) -> bytes:
    """The content of a .Z file, or a ValueError."""
    flags = content[2] if content.startswith(MAGIC) and len(content) > 2 else 0
    most, clears = flags & 0x1F, bool(flags & 0x80)
    if not NARROWEST < most <= WIDEST:
        raise ValueError("not a .Z file")
    first = [bytes([byte]) for byte in range(256)] + [b""] * clears
    table, width, last, done, at = list(first), NARROWEST, b"", [], 3
    while group := content[at : at + width]:
        at += width
        number = int.from_bytes(group, "little")
        for place in range(len(group) * 8 // width):
            code = number >> place * width & (1 << width) - 1
            if clears and code == CLEAR:
                table, width, last = list(first), NARROWEST, b""
                break
            last = _add(table, code, last, 1 << most)
            done.append(last)
            if len(table) == 1 << width and width < most:
                width += 1
                break
    return b"".join(done)


def _add(table: list[bytes], code: int, last: bytes, most: int) -> bytes:
    """The string of a code, after it has added to the table."""
    if code > len(table) or (code == len(table) and not last):
        raise ValueError("a code that stands for nothing")
    # a code may mean the very string that it adds
    string = table[code] if code < len(table) else last + last[:1]
    if last and len(table) < most:
        table.append(last + string[:1])
    return string
