"""Reads formats with one row a line: block by block through a parser that turns bytes into columns."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from unscaled.sources.batch import Batch, BlockLines, LinePlaces
from unscaled.sources.blocks import BlockReader, PlainLines
from unscaled.sources.format import Reading
from unscaled.sources.text import slices

LONGEST_QUOTE = 40


class LineError(ValueError):
    """What is wrong with a line, without its place."""


class Parsed(NamedTuple):
    """The rows of some lines; lines are counted from 0."""

    table: pa.Table
    lines: npt.NDArray[np.int64]  # of the rows
    bad: list[tuple[int, str]]  # lines that are no row, and why


def read_lines(reading: Reading, parse: Callable[[bytes], Parsed]) -> Iterator[Batch]:
    """Yield the batches that `parse` makes of a file's blocks."""
    name = reading.file.name
    for block in BlockReader(reading, PlainLines()):
        table, lines, bad = parse(block.data)
        for line, complaint in bad:
            reading.skipped.reject(
                f"{name}:{block.first_line + line}: {complaint}; mend it or skip such rows with --bad-rows skip"
            )
        places = BlockLines(partial(np.add, lines, block.first_line))
        for first_row, batch in slices(table, reading.batch_rows):
            yield Batch(batch, LinePlaces(name, places, first_row))


def quoted(token: bytes) -> str:
    """Show some of the file's text in a message."""
    text = token.decode(errors="replace")
    return f'"{text}"' if len(text) <= LONGEST_QUOTE else f'"{text[:LONGEST_QUOTE]}…"'


def number(token: bytes) -> float | None:
    """Read a number, None if it is none; Python's 1_000 is none."""
    try:
        return None if b"_" in token else float(token)
    except ValueError:
        return None
