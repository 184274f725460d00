"""Cuts a text file into blocks of whole lines or records, and knows the line on which each block starts."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from unscaled.errors import DataError
from unscaled.sources.format import Reading

BLOCK_BYTES = 1 << 22
RECORD_LIMIT = 1 << 26  # a longer record is a quote that was never closed, or no text
UTF8_MARK = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


class Block(NamedTuple):
    """Whole lines of a text file; the last line of the file may lack its line break."""

    data: bytes
    first_line: int


class Layout(Protocol):
    """Where records end in a text, and which line breaks count."""

    def cut(self, data: bytes) -> int:
        """Return the offset behind the last whole record, 0 if there is none."""

    def opened(self, data: bytes) -> int:
        """Return the offset of a quote that is still open at the end, -1 if there is none."""

    def count_lines(self, data: bytes) -> int:
        """Count the line breaks in whole records."""


class PlainLines:
    r"""Every \n ends a record."""

    def cut(self, data: bytes) -> int:
        """Return the offset behind the last line break."""
        return data.rfind(b"\n") + 1

    def opened(self, data: bytes) -> int:
        """Return -1: there are no quotes."""
        return -1

    def count_lines(self, data: bytes) -> int:
        """Count the line breaks."""
        return data.count(b"\n")


class BlockReader:
    """Reads block after block; a reader that learns of its delimiter late changes `layout` in between."""

    def __init__(self, reading: Reading, layout: Layout) -> None:
        self.layout = layout
        self.reading = reading
        self._name = reading.file.name
        self._pending = b""
        self._line = 1
        self._check_head(reading.file.head())

    def __iter__(self) -> Iterator[Block]:
        """Yield the blocks that are left."""
        while (block := self.next()) is not None:
            yield block

    def next(self) -> Block | None:
        """Return the next block, None at the end."""
        while True:
            if self._pending and self.reading.file.pauses() and (end := self.layout.cut(self._pending)):
                return self._take(end)
            # reading as much again as is pending keeps a long record's cost linear
            part = self.reading.file.read(max(BLOCK_BYTES, len(self._pending)))
            self._pending += part
            if end := self.layout.cut(self._pending):
                return self._take(end)
            if part and len(self._pending) <= RECORD_LIMIT:
                continue
            opened = self.layout.opened(self._pending)
            if opened >= 0:
                self._reject_open_quote(opened)
            elif part:
                raise DataError(
                    f"{self._name}:{self._line}: this line is longer than {RECORD_LIMIT >> 20} MB; "
                    "is the file of another format? Name it with --format"
                )
            else:
                return self._take(len(self._pending)) if self._pending else None

    def _check_head(self, head: bytes) -> None:
        if head.startswith(UTF16_MARKS):
            raise DataError(f"{self._name}: this is UTF-16 text; save it as UTF-8")
        if head.startswith(UTF8_MARK):
            self.reading.file.read(len(UTF8_MARK))

    def _take(self, end: int) -> Block:
        block = Block(self._pending[:end], self._line)
        self._pending = self._pending[end:]
        self._line += self.layout.count_lines(block.data)
        return block

    def _reject_open_quote(self, opened: int) -> None:
        line = self._line + self.layout.count_lines(self._pending[:opened])
        self.reading.skipped.reject(
            f"{self._name}:{line}: the quote opened here is never closed; "
            "mend the row or skip such rows with --bad-rows skip"
        )
        # reading goes on behind the line of the quote: what it swallowed may be sound
        end = self._pending.find(b"\n", opened) + 1 or len(self._pending)
        self._take(end)
