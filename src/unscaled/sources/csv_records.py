r"""Finds the records and cells of delimited text: where they start and end, and on which line.

A quote opens a quoted cell only where a cell starts, and inside it `""` is a quote, as pyarrow reads CSV; so
`5" pipe` is text. Line breaks are \n, \r\n and a lone \r. To be found are the quoted stretches:

    for every quote at the start of a cell:
        skip to the quote that closes it, passing over ""

In most files each quote is either at the start of a cell or closes one, so that every second quote opens:
NumPy checks this for a whole block at once, and only where it does not hold a regular expression walks
from cell to cell.
"""

import re
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Offsets = npt.NDArray[np.int64]

QUOTE, LINE_FEED, RETURN = b'"\n\r'


class Records(NamedTuple):
    """The records of a block that are not blank."""

    starts: Offsets
    ends: Offsets  # before the line break
    lines: Offsets  # 1-based line in the file


class QuotedRecords:
    """The layout of CSV text: line breaks inside quotes do not end a record."""

    def __init__(self, delimiters: bytes) -> None:
        self._delimiters = delimiters

    def cut(self, data: bytes) -> int:
        """Return the offset behind the last whole record, 0 if there is none."""
        end = _last_line_feed(data, self._delimiters) + 1
        if end or b"\r" not in data:
            return end
        ends = _record_breaks(data, _line_breaks(data), self._delimiters)
        return int(ends[-1]) if len(ends) else 0

    def opened(self, data: bytes) -> int:
        """Return the offset of a quote that is still open at the end, -1 if there is none."""
        return _quoted(data, self._delimiters)[2]

    def count_lines(self, data: bytes) -> int:
        """Count the line breaks in whole records."""
        lines = int(np.count_nonzero(np.frombuffer(data, np.uint8) == LINE_FEED))  # 6 times bytes.count
        if b"\r" in data:
            lines += data.count(b"\r") - data.count(b"\r\n")
        return lines


class FirstRecord(QuotedRecords):
    """The layout of the text before the delimiter is known: its header, with the blank lines before it."""

    def cut(self, data: bytes) -> int:
        """Return the offset behind the first record that is not blank, 0 if it is not whole."""
        blank = len(data) - len(data.lstrip(b"\r\n"))
        ends = _record_breaks(data, _line_breaks(data), self._delimiters)
        behind = ends[np.searchsorted(ends, blank, side="right") :]
        return int(behind[0]) if len(behind) else 0


def find_records(data: bytes, delimiter: bytes, first_line: int) -> Records:
    """Find the records of a block."""
    if not data:
        return Records(*[np.empty(0, np.int64)] * 3)
    breaks = _line_breaks(data)
    ends = _record_breaks(data, breaks, delimiter)
    if not len(ends) or ends[-1] < len(data):
        ends = np.append(ends, len(data))
    starts = np.append(0, ends[:-1])
    lines = np.searchsorted(breaks, starts, side="right") + first_line
    characters = np.frombuffer(data, np.uint8)
    for line_break in (LINE_FEED, RETURN):
        ends = ends - ((ends > starts) & (characters[ends - 1] == line_break))
    filled = ends > starts
    return Records(starts[filled], ends[filled], lines[filled])


def count_cells(record: bytes, delimiter: bytes) -> int:
    """Count the cells of a record."""
    if b'"' in record:
        record = _quoted_cell(delimiter).sub(b"", record)
    return record.count(delimiter) + 1


def split_cells(record: bytes, delimiter: bytes) -> list[bytes]:
    """Return the cells of a record without their quotes.

    >>> split_cells(b'1,"so, ""hi"" is said",5" pipe', b",")
    [b'1', b'so, "hi" is said', b'5" pipe']
    """
    cells = [b""]
    for part in _cell_part(delimiter).finditer(record):
        if part["delimiter"]:
            cells.append(b"")
        elif part["quoted"] is not None:
            cells[-1] += part["quoted"].replace(b'""', b'"')
        else:
            cells[-1] += part["plain"]
    return cells


def cell_at(record: bytes, offset: int, delimiter: bytes) -> int:
    """Return the number, from 0, of the cell that the byte at `offset` belongs to."""
    parts = _cell_part(delimiter).finditer(record)
    return sum(1 for part in parts if part["delimiter"] and part.start() < offset)


def _line_breaks(data: bytes) -> Offsets:
    r"""Offsets behind each line break; a \r at the end may be half of one and is left out."""
    characters = np.frombuffer(data, np.uint8)
    breaks = np.flatnonzero(characters == LINE_FEED)
    if b"\r" in data:
        returns = np.flatnonzero(characters[:-1] == RETURN)
        lone = returns[characters[returns + 1] != LINE_FEED]
        breaks = np.sort(np.concatenate([breaks, lone]))
    return breaks + 1


def _last_line_feed(data: bytes, delimiters: bytes) -> int:
    """Offset of the last line feed outside quotes, -1 if there is none."""
    starts, ends, opened = _quoted(data, delimiters)
    position = data.rfind(b"\n", 0, opened if opened >= 0 else len(data))
    while position >= 0:
        before = int(np.searchsorted(starts, position)) - 1
        if before < 0 or position >= ends[before]:
            return position
        position = data.rfind(b"\n", 0, starts[before])
    return -1


def _record_breaks(data: bytes, breaks: Offsets, delimiters: bytes) -> Offsets:
    starts, ends, opened = _quoted(data, delimiters)
    if opened >= 0:
        breaks = breaks[breaks <= opened]
    if not len(starts):
        return breaks
    before = np.searchsorted(starts, breaks)
    inside = (before > 0) & (breaks <= ends[before - 1])
    return breaks[~inside]


def _quoted(data: bytes, delimiters: bytes) -> tuple[Offsets, Offsets, int]:
    """Starts and ends of the quoted stretches, and the quote that is never closed (-1 if there is none)."""
    characters = np.frombuffer(data, np.uint8)
    quotes = np.flatnonzero(characters == QUOTE) if b'"' in data else np.empty(0, np.int64)
    opening, closing = quotes[0::2], quotes[1::2]
    before = characters[opening - 1]  # for a quote at offset 0 this wraps around and is not looked at
    may_precede = np.zeros(256, np.bool_)
    may_precede[list(b'"\n\r' + delimiters)] = True
    if not np.all(may_precede[before] | (opening == 0)):
        return _quoted_cell_by_cell(data, delimiters)
    if len(opening) == len(closing):
        return opening, closing + 1, -1
    reopened = len(opening) - 1
    while reopened and opening[reopened] == closing[reopened - 1] + 1:
        reopened -= 1
    return opening[:reopened], closing[:reopened] + 1, int(opening[reopened])


def _quoted_cell_by_cell(data: bytes, delimiters: bytes) -> tuple[Offsets, Offsets, int]:
    starts: list[int] = []
    ends: list[int] = []
    at_start, opened = _opening_quote(delimiters), -1
    position = 0
    while opening := at_start.search(data, position):
        closed = _BODY.match(data, opening.end())
        if closed is None:
            opened = opening.start()
            break
        starts.append(opening.start())
        ends.append(position := closed.end())
    return np.array(starts, np.int64), np.array(ends, np.int64), opened


_BODY = re.compile(rb'[^"]*+(?:""[^"]*+)*+"')


@cache
def _opening_quote(delimiters: bytes) -> re.Pattern[bytes]:
    return re.compile(rb'(?:(?<=[\n\r%b])|\A)"' % re.escape(delimiters))


@cache
def _quoted_cell(delimiter: bytes) -> re.Pattern[bytes]:
    return re.compile(rb'(?:(?<=%b)|\A)"[^"]*+(?:""[^"]*+)*+"' % re.escape(delimiter))


@cache
def _cell_part(delimiter: bytes) -> re.Pattern[bytes]:
    mark = re.escape(delimiter)
    return re.compile(
        rb'(?P<delimiter>%b)|(?:(?<=%b)|\A)"(?P<quoted>[^"]*+(?:""[^"]*+)*+)"|(?P<plain>"?[^"%b]*+)'
        % (mark, mark, mark),
        re.DOTALL,
    )
