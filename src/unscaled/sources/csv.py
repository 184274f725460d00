"""CSV: text with a header line, cells between commas, semicolons, tabs or bars, and quotes as in RFC 4180.

Block after block goes through pyarrow's parser, which is fast and says little. Only where it refuses a block
are its records looked at one by one, to find the bad ones and their lines.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from unscaled.errors import DataError
from unscaled.sources.batch import Batch, BlockLines, LinePlaces
from unscaled.sources.blocks import Block, BlockReader
from unscaled.sources.csv_columns import CsvColumns
from unscaled.sources.csv_records import (
    FirstRecord,
    Offsets,
    QuotedRecords,
    cell_at,
    count_cells,
    find_records,
    split_cells,
)
from unscaled.sources.format import Format, Reading, Skipped
from unscaled.sources.text import damage, slices

DELIMITERS = b",;\t|"


def read_csv(reading: Reading) -> Iterator[Batch]:
    """Yield the batches of a CSV file with one of the usual delimiters."""
    return read_delimited(reading, DELIMITERS)


def read_delimited(reading: Reading, delimiters: bytes) -> Iterator[Batch]:
    """Yield the batches of a file with the one of `delimiters` that its header holds most often."""
    name = reading.file.name
    # a broken header cannot be passed over as other bad rows can
    blocks = BlockReader(replace(reading, skipped=Skipped(stop=True)), FirstRecord(delimiters))
    first = blocks.next()
    if first is None or not first.data.strip():
        raise DataError(f"{name} is empty")
    header = find_records(first.data, delimiters, first.first_line)
    start, end, line = (int(column[0]) for column in header)
    record = first.data[start:end]
    delimiter = max((bytes([mark]) for mark in delimiters), key=lambda mark: count_cells(record, mark))
    columns = CsvColumns(_column_names(record, delimiter, f"{name}:{line}"), delimiter)
    blocks.reading, blocks.layout = reading, QuotedRecords(delimiter)
    yield from _batches(reading, blocks, columns, delimiter)


def _batches(reading: Reading, blocks: BlockReader, columns: CsvColumns, delimiter: bytes) -> Iterator[Batch]:
    rows, skipped_before = 0, reading.skipped.count
    for block in blocks:
        parsed = _parse(reading, block, columns, delimiter)
        if parsed is not None:
            table, lines = parsed
            rows += table.num_rows
            for first_row, batch in slices(table, reading.batch_rows):
                yield Batch(batch, LinePlaces(reading.file.name, lines, first_row))
    if not rows and reading.skipped.count == skipped_before:
        raise DataError(f"{reading.file.name} has a header but no rows")


def _parse(reading: Reading, block: Block, columns: CsvColumns, delimiter: bytes) -> tuple[pa.Table, BlockLines] | None:
    """Parse a block, None if it holds no sound row."""
    if not block.data.strip(b"\r\n"):
        return None
    if damage(block.data) is None:
        lines = BlockLines(lambda: find_records(block.data, delimiter, block.first_line).lines)
        try:
            return columns.parse(block.data), lines
        except pa.ArrowInvalid:
            pass  # which record or cell it is, and whether that matters, comes out below
    data, numbers = _sound_records(reading, block, columns.names, delimiter)
    if not data:
        return None
    lines = BlockLines(lambda: numbers)
    try:
        return columns.parse(data), lines
    except pa.ArrowInvalid:
        return columns.parse_as_far_as_it_fits(data), lines


def _sound_records(reading: Reading, block: Block, names: list[str], delimiter: bytes) -> tuple[bytes, Offsets]:
    """Reject the bad records of a block; return the others and their line numbers."""
    records = find_records(block.data, delimiter, block.first_line)
    kept, lines = [], []
    for start, end, line in zip(*(column.tolist() for column in records), strict=True):
        record = block.data[start:end]
        complaint = _complaint(record, names, delimiter)
        if complaint is None:
            kept.append(record)
            lines.append(line)
        else:
            reading.skipped.reject(f"{reading.file.name}:{line}: {complaint}")
    return b"\n".join(kept), np.array(lines, np.int64)


def _complaint(record: bytes, names: list[str], delimiter: bytes) -> str | None:
    """Say what is wrong with a record, None if nothing is."""
    cells = count_cells(record, delimiter)
    if cells != len(names):
        have = "1 cell" if cells == 1 else f"{cells} cells"
        return f"{have} where the header has {len(names)}; mend the row or skip such rows with --bad-rows skip"
    if (found := damage(record)) is not None:
        return f'column "{names[cell_at(record, found.offset, delimiter)]}" {found.complaint}'
    return None


def _column_names(record: bytes, delimiter: bytes, place: str) -> list[str]:
    if (found := damage(record)) is not None:
        raise DataError(f"{place}: the header {found.trouble}; {found.remedy}")
    cells = split_cells(record, delimiter)
    names = [cell.decode() or f"column{position}" for position, cell in enumerate(cells, 1)]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        listed = ", ".join(f'"{name}"' for name in twice)
        raise DataError(f"{place}: the header names {listed} more than once; rename all but one")
    return names


def _is_csv(head: bytes) -> bool:
    """Accept anything: CSV comes last, and what is none is told by its first lines."""
    return True


CSV = Format(
    name="csv",
    suffixes=(".csv",),
    help="comma-, semicolon-, tab- or bar-separated text with a header line",
    recognises=_is_csv,
    read=read_csv,
    infers=True,
)
